"""Change the core in small ways, one at a time, and count the changes that the Rust tests notice.

    python -m tools.release.mutants.rust [--sample 12] [--seed 0] [--folder src/game ...]

cargo-mutants lists the changes ("mutants"). From each folder `sample` of them are drawn by the
seed. A mutant is caught when a test fails, or takes several times the processor time that all take
without it. Those in functions are compiled together, so that each costs little more than the tests
up to the first that fails; the others are compiled one by one. Those that give the same results, as
`equivalent.toml` lists them, are not tested and do not count. Prints a table with 95 % intervals,
and those that were missed. `target/mutants/rust-SEED.jsonl` keeps what was found; a call that finds
it goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tools.release.mutants.common import OUTPUT, Notes, copy_tree, is_equivalent, print_table
from tools.release.mutants.suite import Suite, Test
from tools.release.mutants.switch import Mutant, blamed, changed, place, switched

TREE = OUTPUT / "tree"
PROGRAMS = (("--lib",), ("--test", "core"))
FOLDERS = (
    "src/game",
    "src/encode",
    "src/search",
    "src/functional",
    "src/vector/step",
    "src/tree_search",
)
OVERFLOWS = "-Warithmetic-overflow -Wunconditional-panic"
"""A change that is sure to panic is one for the tests, not for the compiler."""
NO_SUCH_CODE = {"E0277", "E0368", "E0369", "E0599"}
"""A type lacks the trait, operator or function that the change asks for."""


def draw(folder: str, sample: int, seed: int) -> list[Mutant]:
    """Return as many mutants in the files of a folder."""
    command = ["cargo", "mutants", "--list", "--json", "--file", f"{folder}/**"]
    listed = json.loads(subprocess.check_output(command, text=True))
    listed.sort(key=lambda it: it["name"])
    drawn = random.Random(f"{seed} {folder}").sample(listed, min(sample, len(listed)))
    return [it | {"folder": folder, "turn": turn} for turn, it in enumerate(drawn)]


def cargo(*arguments: str) -> list[dict[str, Any]]:
    """Run a command of Cargo in `TREE`; return its messages."""
    command = ["cargo", *arguments, "--profile", "mutants", "--no-default-features", "--quiet"]
    done = subprocess.run(
        [*command, "--message-format=json"],
        cwd=TREE,
        env=os.environ | {"CARGO_TARGET_DIR": str(OUTPUT / "build"), "RUSTFLAGS": OVERFLOWS},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def errors() -> list[dict[str, Any]]:
    """Return the errors of the compiler that are about a place in the code."""
    messages = cargo("check", "--tests")
    found = [it["message"] for it in messages if it["reason"] == "compiler-message"]
    return [it for it in found if it["level"] == "error" and it["spans"]]


def build(number: int) -> Path:
    """Compile the tests of `PROGRAMS[number]`; return the program."""
    messages = cargo("test", "--no-run", *PROGRAMS[number])
    built = [it for it in messages if it["reason"] == "compiler-artifact" and it["executable"]]
    return Path(built[-1]["executable"])


def place_together(mutants: list[Mutant], notes: Notes) -> list[Mutant]:
    """Write `TREE` with all mutants that compile so; note unviable ones, return those it holds."""
    left = list(mutants)
    while True:
        apart: set[int] = set()

        def source(text: str, inside: list[Mutant], apart: set[int] = apart) -> str:
            result, outside = switched(text, inside)
            apart.update(it["number"] for it in outside)
            return result

        place(TREE, left, source)
        found = errors()
        for error in found:
            numbers = blamed(error, TREE, left)
            if not numbers:
                sys.exit(f"the sources do not compile:\n{error['rendered']}")
            if len(numbers) == 1 and error["code"] and error["code"]["code"] in NO_SUCH_CODE:
                name = next(it["name"] for it in left if it["number"] in numbers)
                if name not in notes.found:
                    notes.add(name, "unviable")
            apart |= numbers
        left = [it for it in left if it["number"] not in apart]
        if not found:
            return left


def test_all(mutants: list[Mutant], notes: Notes) -> None:
    """Test each mutant that was not tested before."""
    copy_tree(TREE)
    for mutant in mutants:
        line = Path(mutant["file"]).read_text().splitlines()[mutant["span"]["start"]["line"] - 1]
        if mutant["name"] not in notes.found and is_equivalent(mutant["name"], line):
            notes.add(mutant["name"], "equivalent")
    mutants = [it for it in mutants if notes.found.get(it["name"]) != "equivalent"]
    together = place_together(mutants, notes)
    programs = [build(number) for number in range(len(PROGRAMS))]
    suite = Suite(programs, TREE, OUTPUT / "times.json")
    test_together([it for it in together if it["name"] not in notes.found], programs, suite, notes)
    for mutant in mutants:
        if mutant["name"] not in notes.found:
            notes.add(mutant["name"], test_alone(mutant, suite))


def test_together(mutants: list[Mutant], programs: list[Path], suite: Suite, notes: Notes) -> None:
    """Test the mutants in the programs: by the likely tests, then by each batch of all."""
    noticed: dict[str, Counter[Test]] = defaultdict(Counter)
    left = sorted(mutants, key=lambda it: it["turn"])
    for batch in suite.batches:
        missed = []
        for mutant in left:
            counts = noticed[mutant["folder"]]
            for some in [*suite.likely(counts), batch]:
                kind, test = suite.run(programs[some[0]], some, mutant["number"])
                if kind != "missed":
                    notes.add(mutant["name"], kind)
                    counts[some[0], test] += bool(test)
                    break
            else:
                missed.append(mutant)
        left = missed
    for mutant in left:
        notes.add(mutant["name"], "missed")


def test_alone(mutant: Mutant, suite: Suite) -> str:
    """Compile and test the core with one mutant."""
    place(TREE, [mutant], lambda text, inside: changed(text, inside[0]))
    if errors():
        return "unviable"
    for number in range(len(PROGRAMS)):
        program = build(number)
        for batch in suite.batches:
            if batch[0] == number and (kind := suite.run(program, batch)[0]) != "missed":
                return kind
    return "missed"


def main() -> int:
    """Draw the mutants, test them, and print the table."""
    parser = argparse.ArgumentParser(description="Count the changes that the Rust tests notice.")
    parser.add_argument("--sample", type=int, default=12, help="mutants of each folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", nargs="+", default=FOLDERS, dest="folders")
    arguments = parser.parse_args()
    drawn: list[Mutant] = []
    for folder in arguments.folders:
        drawn += draw(folder, arguments.sample, arguments.seed)
    for number, mutant in enumerate(drawn, 1):
        mutant["number"] = number
    notes = Notes(OUTPUT / f"rust-{arguments.seed}.jsonl")
    if any(it["name"] not in notes.found for it in drawn):
        test_all(drawn, notes)
    return print_table(notes.found, arguments.folders)


if __name__ == "__main__":
    sys.exit(main())
