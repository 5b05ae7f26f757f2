"""What a release needs: a whole source distribution, and workflows that publish what was tested."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib

import pytest

from processes import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
#: Folders that git ignores.
MADE = {"__pycache__", "artifacts", "corpus", "coverage", "target"}


def job(name: str) -> str:
    """Return the lines of a job of the release."""
    found = re.search(rf"^  {name}:\n((?:    .*\n|\n)+)", RELEASE.read_text("utf-8"), re.MULTILINE)
    assert found, name
    return found[1]


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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_commits(path):
    text = path.read_text("utf-8")
    used = re.findall(r"\buses: (.*)", text)
    assert used
    for action in used:
        assert re.fullmatch(r"\./.+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_nothing_is_published_untested():
    needed = re.search(r"needs: \[(.*)\]", job("publish"))[1].split(", ")
    assert {"tests", "version"} < set(needed)
    assert "uses: ./.github/workflows/test.yml\n" in job("tests")
    assert "\n  workflow_call:" in RELEASE.with_name("test.yml").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="a script for the shell of Linux")
@pytest.mark.parametrize("extra", ["", ".1"])
def test_the_tag_must_be_the_version(extra):
    version = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["package"]["version"]
    script = re.search(r"run: \|\n((?: {10}.*\n)+)", job("version"))[1]
    names = os.environ | {"GITHUB_REF_NAME": f"v{version}{extra}"}
    done = subprocess.run(
        ["sh", "-e", "-c", script], env=names, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == (1 if extra else 0), done.stderr
    assert (f"::error::the tag v{version}.1 is not v{version}" in done.stdout) == bool(extra)
