"""Execute notebooks and keep their outputs.

    python notebooks/execute.py [--size small|medium|full] [NOTEBOOK ...]

Each runs from its first cell in a fresh kernel and is written back only if no cell fails or warns,
and at full size.
It needs Jupyter's parts (``pip install 'mijnlieff[notebooks]'``).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

HERE = Path(__file__).resolve().parent
SIZES = ("small", "medium", "full")
CELL_SECONDS = 1800


class Warned(Exception):
    """A cell wrote to standard error, which readers need not see."""


def execute(path: Path, size: str, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of a fresh run; the file stays as it is.

    Args:
        path: the notebook.
        size: how much it shall do.
        folder: where it runs; what it writes goes there.

    Raises:
        CellExecutionError: a cell failed.
        Warned: a cell wrote to standard error.
    """
    notebook = nbformat.read(path, as_version=4)
    # The kernel chooses its own way to show figures, whatever is chosen out here.
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory() as sockets:
        # Between processes of one machine files are safer than ports; Windows has only the latter.
        local = {"transport": "ipc", "ip": str(Path(sockets) / "kernel")}
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            record_timing=False,
            config=Config({"KernelManager": {} if os.name == "nt" else local}),
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute(env=inherited | {"MIJNLIEFF_NOTEBOOK_SIZE": size})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise Warned(f"{path.name} wrote to standard error:\n{output['text']}")
    # Which Python ran it is of no interest, and would change with every run.
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def main() -> None:
    """Execute, and write back what is of full size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, help="all unless given")
    parser.add_argument("--size", choices=SIZES, default="full", help="how much they do (full)")
    args = parser.parse_args()
    for path in args.notebooks or sorted(HERE.glob("*.ipynb")):
        began = time.perf_counter()
        executed = execute(path, args.size, HERE.parent)
        if args.size == "full":  # the others only try the cells
            nbformat.write(executed, path)
        print(f"{path.name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
