"""Writes the docstrings of the native module into its stub: `python tools/stub.py [--check]`.

They are written once, as doc comments of the Rust code. The stub adds the types, which
`mypy.stubtest` compares with the module, and repeats the docstrings for editors and type checkers,
which do not run the module.
"""

from __future__ import annotations

import argparse
import ast
import inspect
from pathlib import Path

from mijnlieff import _mijnlieff

STUB = Path(__file__).resolve().parents[1] / "python" / "mijnlieff" / "_mijnlieff.pyi"


def with_docstrings(stub: str) -> str:
    """Return the text of the stub with the docstrings of the built module.

    Args:
        stub: a stub with the same names as the module.
    """
    lines = stub.splitlines()
    # From the last on, so that the numbers of the lines before stay true.
    for node, native in reversed(_definitions(ast.parse(stub))):
        docstring = inspect.getdoc(native)
        if not docstring:
            raise ValueError(f"{node.name} has no doc comment in the Rust code")
        first = node.body[0]
        start, end = first.lineno - 1, first.end_lineno or first.lineno
        quoted = _quoted(docstring, " " * (node.col_offset + 4))
        if not _is_constant(first):  # a class without a docstring
            start -= len(getattr(first, "decorator_list", []))
            lines[start:start] = [*quoted, ""]
        elif lines[start].endswith(": ..."):
            lines[start] = lines[start].removesuffix(" ...")
            lines[end:end] = quoted
        else:
            lines[start:end] = quoted
    return "\n".join(lines) + "\n"


def _definitions(tree: ast.Module) -> list[tuple[ast.ClassDef | ast.FunctionDef, object]]:
    """The public definitions of the stub in their order, each with what the module has."""
    found: list[tuple[ast.ClassDef | ast.FunctionDef, object]] = []
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        native = getattr(_mijnlieff, node.name)
        if not node.name.startswith("_"):
            found.append((node, native))
        members = node.body if isinstance(node, ast.ClassDef) else []
        found += [
            (member, getattr(native, member.name))
            for member in members
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
        ]
    return found


def _is_constant(node: ast.stmt) -> bool:
    """Whether a statement is a docstring or an ellipsis."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _quoted(docstring: str, indent: str) -> list[str]:
    """The lines of a docstring, quoted as the formatter wants them."""
    lines = docstring.splitlines()
    quotes = 'r"""' if "\\" in docstring else '"""'
    lines[0] = quotes + lines[0]
    if len(lines) == 1:
        lines[0] += '"""'
    else:
        lines.append('"""')
    return [indent + line if line else "" for line in lines]


def main() -> None:
    """Write the stub, or fail if it is not what would be written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it differs")
    check = parser.parse_args().check
    before = STUB.read_text(encoding="utf-8")
    after = with_docstrings(before)
    if after == before:
        return
    if check:
        raise SystemExit(f"{STUB.name} differs from the doc comments in src/python; run make stub")
    STUB.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
