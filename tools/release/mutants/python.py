"""Change `mijnlieff.evaluation` in small ways, and count the changes that the Python tests notice.

    python -m tools.release.mutants.python [--sample 100] [--seed 0]

A change is another comparison, operator or constant, `and` for `or`, a `not` or minus less, `None`
for what is returned, or a statement less. Texts inside f-strings, docstrings, annotations and the
names of `__all__` stay.
A mutant is caught when a test fails, or takes several times the processor time that all take
without it. The tests that read most of a module come first. Prints a table with a 95 % interval,
and those that were missed. `target/mutants/python-SEED.jsonl` keeps what was found; a call that
finds it goes on from there.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.release.mutants.common import OUTPUT, Notes, bounds, copy_tree, print_table

PACKAGE = Path("python/mijnlieff/evaluation")
TREE = OUTPUT / "python"
TESTS = Path("tests/python")
CLI = "cli/test_cli.py"
FIRST = {
    "benchmark": ["evaluation/test_benchmark.py"],
    "benchmark_file": ["evaluation/test_benchmark.py"],
    "best_response": ["search/test_best_response_policies.py", "search/test_best_response.py"],
    "best_response_report": ["search/test_best_response.py", CLI],
    "board_scores": ["evaluation/test_board_grades.py"],
    "grade_report": ["evaluation/test_grading.py", "evaluation/test_board_grades.py", CLI],
    "grading": ["evaluation/test_grading.py"],
    "ladder": ["repo/test_train_baselines.py", "evaluation/test_evaluate.py", CLI],
    "lock_step": ["evaluation/test_evaluate.py"],
    "losses": ["evaluation/test_grading.py", "datasets/test_datasets.py"],
    "match": ["evaluation/test_evaluate.py"],
    "match_report": ["evaluation/test_evaluate.py", CLI],
    "reviewing": ["evaluation/test_review.py", CLI],
    "statistics": ["evaluation/test_evaluate.py", "evaluation/test_tournament.py"],
    "tournament": ["evaluation/test_tournament.py"],
    "tournament_report": ["evaluation/test_tournament.py", CLI],
}
"""The tests of a module; those of the whole package run after them."""
SHARED = sorted((TESTS / "evaluation").glob("test_*.py"))
SECONDS = 300
"""Of processor time: several times what all tests of a module take."""
MEMORY = 16 << 30
"""Bytes of addresses."""

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip

Change = tuple[ast.AST, str]
"""A part of a module, and the text for it."""


def operator(node: ast.AST, name: str) -> Iterator[Change]:
    """Yield a node with each of its operators replaced."""
    old = getattr(node, name)
    for index, one in enumerate(old if isinstance(old, list) else [old]):
        if type(one) in OTHER:
            new = OTHER[type(one)]()
            setattr(node, name, [*old[:index], new, *old[index + 1 :]] if old is not one else new)
            yield node, f"({ast.unparse(node)})"
            setattr(node, name, old)


def changes(node: ast.AST) -> Iterator[Change]:
    """Yield what can be changed in a node itself."""
    match node:
        case ast.Compare():
            yield from operator(node, "ops")
        case ast.BinOp() | ast.BoolOp():
            yield from operator(node, "op")
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool(value)):
            yield node, repr(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield node, repr(value + 1)
        case ast.Constant(value=str(value)):
            yield node, repr("" if value else "other")
        case ast.Return(value=ast.expr()) if not is_none(node.value):
            yield node, "return None"
    match node:
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue():
            yield node, "pass"


def is_none(node: ast.expr | None) -> bool:
    """Return whether an expression is None."""
    return isinstance(node, ast.Constant) and node.value is None


def walk(node: ast.AST) -> Iterator[Change]:
    """Yield all changes below a node."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == "__all__":
                continue
            yield from changes(child)
            yield from walk(child)


def mutants(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each change of a module, and the module with it."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, new in walk(ast.parse(text)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        old = " ".join(text[start:end].decode().split())
        place = f"{path}:{node.lineno}:{node.col_offset + 1}"
        yield f"{place}: {old} -> {new}", (text[:start] + new.encode() + text[end:]).decode()


def test(path: Path, text: str) -> str:
    """Return whether the tests notice a module with another text."""
    (TREE / path).write_text(text)
    files = [*FIRST.get(path.stem, []), *(f"evaluation/{it.name}" for it in SHARED)]
    chosen = [str(TESTS / name) for name in dict.fromkeys(files)]
    status = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *chosen],
        cwd=TREE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TREE / "python"), str(TREE)])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=bounds(SECONDS, MEMORY),
        check=False,
    ).returncode
    return {0: "missed", -signal.SIGXCPU: "timeout"}.get(status, "caught")


def copy_package() -> None:
    """Copy the tree, with the compiled module."""
    copy_tree(TREE)
    native = next(Path("python/mijnlieff").glob("_mijnlieff.*.so"))
    shutil.copyfile(native, TREE / native)


def main() -> int:
    """Draw the mutants, test them, and print the table."""
    parser = argparse.ArgumentParser(description="Count the changes that the Python tests notice.")
    parser.add_argument("--sample", type=int, default=100, help="mutants of the package")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    every = [(path, *it) for path in sorted(PACKAGE.glob("*.py")) for it in mutants(path)]
    drawn = random.Random(arguments.seed).sample(every, min(arguments.sample, len(every)))
    notes = Notes(OUTPUT / f"python-{arguments.seed}.jsonl")
    copy_package()
    for path in {path for path, name, _ in drawn if name not in notes.found}:
        if test(path, path.read_text()) != "missed":
            raise SystemExit(f"the tests of {path} fail without a change")
    for path, name, text in drawn:
        if name not in notes.found:
            notes.add(name, test(path, text))
            shutil.copyfile(path, TREE / path)
    print(f"{len(drawn)} of {len(every)} changes")
    return print_table(notes.found, [str(PACKAGE)])


if __name__ == "__main__":
    sys.exit(main())
