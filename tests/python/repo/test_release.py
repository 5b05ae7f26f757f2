"""What a release needs: a whole source distribution."""

from __future__ import annotations

import tomllib

from processes import ROOT

#: Folders that git ignores.
MADE = {"__pycache__", "artifacts", "corpus", "coverage", "target"}


def test_the_source_distribution_has_all_files_of_other_packages():
    """Cargo leaves them out unless maturin is told to include them; the tests need them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["maturin"]["include"]
    assert all(entry["format"] == "sdist" for entry in included)
    sent = {path for entry in included for path in ROOT.glob(entry["path"]) if path.is_file()}
    folders = [path.parent for path in ROOT.glob("*/Cargo.toml")]
    assert {"benches", "fuzz", "web"} <= {folder.name for folder in folders}
    for folder in folders:
        files = [path for path in folder.rglob("*") if path.is_file()]
        kept = {path for path in files if not MADE & set(path.relative_to(folder).parts)}
        assert kept <= sent
