"""The notebooks as they are kept; they are executed by test_notebooks_run.py."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from processes import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_BYTES = 400_000
# Traces of one machine: homes and temporary folders, and where an object lay in memory.
PRIVATE = re.compile(r"/(home|root|tmp|Users)/|[A-Z]:\\\\|site-packages| at 0x[0-9a-f]+")


def test_there_are_notebooks():
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05"]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


def code_cells(path: Path) -> list[dict]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def test_they_are_executed_from_top_to_bottom(path):
    counts = [cell["execution_count"] for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))


def test_they_have_outputs_and_no_errors_or_warnings(path):
    outputs = [output for cell in code_cells(path) for output in cell["outputs"]]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    for output in outputs:
        assert output["output_type"] in ("stream", "display_data", "execute_result")
        assert output.get("name") != "stderr"


def test_they_tell_nothing_of_the_machine(path):
    cells = json.loads(path.read_text())["cells"]
    for cell in cells:
        texts = ["".join(cell["source"])]
        for output in cell.get("outputs", []):
            texts += ["".join(output.get("text", ""))]
            shown = output.get("data", {})
            texts += ["".join(text) for kind, text in shown.items() if not kind.endswith("png")]
        for text in texts:
            assert not (found := PRIVATE.search(text)), found


def test_they_take_their_size_from_one_variable(path):
    sources = "".join("".join(cell["source"]) for cell in code_cells(path))
    assert sources.count('os.environ.get("MIJNLIEFF_NOTEBOOK_SIZE", "full")') == 1
    assert all(f'"{size}": ' in sources for size in ("small", "medium", "full"))


def test_they_are_not_too_large(path):
    assert path.stat().st_size < MOST_BYTES


def test_links_between_them_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
