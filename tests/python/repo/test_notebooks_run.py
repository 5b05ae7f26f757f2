"""The notebooks, executed at small size; the kept files are left alone."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from processes import ROOT, load_module

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("torch")
pytest.importorskip("pettingzoo")

NOTEBOOKS = ROOT / "notebooks"


@pytest.fixture(scope="module")
def execution():
    """The module that keeps the outputs of notebooks."""
    return load_module(NOTEBOOKS / "execute.py")


def write_notebook(path: Path, source: str) -> Path:
    cells = [nbformat.v4.new_code_cell(source)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def kinds_of_outputs(cell) -> list[list[str]]:
    """Formats that each output comes in, the same at every size.

    Text that is printed comes in one output or in several, as time has it.
    """
    kinds = [sorted(output.get("data", ["stream"])) for output in cell.get("outputs", [])]
    return [kind for kind, _ in itertools.groupby(kinds)]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, execution, tmp_path):
    before = path.read_bytes()
    kept = nbformat.read(path, as_version=4)
    executed = execution.execute(path, "small", tmp_path)
    assert path.read_bytes() == before
    assert [cell.source for cell in executed.cells] == [cell.source for cell in kept.cells]
    assert [kinds_of_outputs(cell) for cell in executed.cells] == [
        kinds_of_outputs(cell) for cell in kept.cells
    ]


def test_the_size_and_the_folder_reach_a_notebook(execution, tmp_path):
    source = "import os\nprint(os.environ['MIJNLIEFF_NOTEBOOK_SIZE'], os.getcwd())"
    executed = execution.execute(write_notebook(tmp_path / "one.ipynb", source), "small", tmp_path)
    assert executed.cells[0].outputs[0].text == f"small {tmp_path}\n"


def test_a_failing_cell_is_an_error(execution, tmp_path):
    path = write_notebook(tmp_path / "one.ipynb", "1 / 0")
    with pytest.raises(Exception, match="ZeroDivisionError"):
        execution.execute(path, "small", tmp_path)


def test_a_warning_is_an_error(execution, tmp_path):
    path = write_notebook(tmp_path / "one.ipynb", "import warnings\nwarnings.warn('mind the gap')")
    with pytest.raises(execution.Warned, match="mind the gap"):
        execution.execute(path, "small", tmp_path)
