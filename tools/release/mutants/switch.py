"""One copy of the sources with many changes in it, each made where its number is asked for.

cargo-mutants lists changes ("mutants") and compiles the crate once for each. Nearly all of them lie
in a function; here its body stands once for each change, and the environment variable `MUTANT` says
which one runs. A `const fn` becomes a plain one for that, where nothing constant calls it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

Mutant = dict[str, Any]
"""A change as `cargo mutants --list --json` describes it, with a `number` from 1."""

CHOICE = """
/// The number of the change that is made, 0 for none.
#[doc(hidden)]
pub fn mutant() -> usize {
    static NUMBER: std::sync::LazyLock<usize> =
        std::sync::LazyLock::new(|| std::env::var("MUTANT").map_or(0, |it| it.parse().unwrap()));
    *NUMBER
}
"""


def offsets(text: str, span: dict[str, dict[str, int]]) -> tuple[int, int]:
    """Return where a span of lines and columns starts and ends in a text."""
    starts = [0, *(it.end() for it in re.finditer("\n", text))]
    start, end = (starts[span[it]["line"] - 1] + span[it]["column"] - 1 for it in ("start", "end"))
    return start, end


def changed(text: str, mutant: Mutant) -> str:
    """Return a source with one change."""
    start, end = offsets(text, mutant["span"])
    return text[:start] + mutant["replacement"] + text[end:]


def body(text: str, mutant: Mutant) -> tuple[int, int, int] | None:
    """Return where the function of a change, its body and the end of both lie, if it is in one."""
    if mutant["function"] is None:
        return None
    start, end = offsets(text, mutant["function"]["span"])
    opening = re.compile(r"\bfn\b[^{]*\{").search(text, start, end)
    if opening is None or opening.end() > offsets(text, mutant["span"])[0]:
        return None
    return start, opening.end(), end - 1


def switched(text: str, mutants: list[Mutant]) -> tuple[str, list[Mutant]]:
    """Return a source with all changes that lie in functions, and those that it could not take."""
    functions = defaultdict(list)
    left = []
    for mutant in mutants:
        place = body(text, mutant)
        if place is None:
            left.append(mutant)
        else:
            functions[place].append(mutant)
    result, limit = text, len(text)
    for (start, opening, end), inside in sorted(functions.items(), reverse=True):
        if end > limit:  # a function that holds another one with changes
            left += inside
            continue
        limit = start
        head = re.sub(r"\bconst\s+(?=(unsafe\s+)?fn\b)", "", text[start:opening])
        arms = ""
        for mutant in inside:
            first, last = offsets(text, mutant["span"])
            changed_body = text[opening:first] + mutant["replacement"] + text[last:end]
            arms += f"\n//> {mutant['number']}\n{mutant['number']} => {{{changed_body}}}"
        numbers = " ".join(str(it["number"]) for it in inside)
        arms += f"\n//> {numbers}\n_ => {{{text[opening:end]}}}\n"
        choice = f"{head} match crate::mutant() {{{arms}}} }}\n//>\n"
        result = result[:start] + choice + result[end + 1 :]
    return result, left


def blamed(message: dict[str, Any], tree: Path, mutants: list[Mutant]) -> set[int]:
    """Return the numbers of the changes that an error of the compiler is about."""
    for span in message["spans"]:
        if not span["is_primary"]:
            continue
        above = (tree / span["file_name"]).read_text().splitlines()[: span["line_start"]]
        marks = [line for line in above if line.startswith("//>")]
        if marks and marks[-1] != "//>":
            return {int(number) for number in marks[-1].removeprefix("//>").split()}
    # What is constant called a function that is so no longer.
    names = set(re.findall(r"(\w+)`", message["message"]))
    return {
        it["number"]
        for it in mutants
        if it["function"] and it["function"]["function_name"].split("::")[-1] in names
    }


def place(tree: Path, mutants: list[Mutant], source: Callable[[str, list[Mutant]], str]) -> None:
    """Write all sources to a tree, as `source` changes them; files that stay are not touched."""
    inside = defaultdict(list)
    for mutant in mutants:
        inside[mutant["file"]].append(mutant)
    for path in Path("src").rglob("*.rs"):
        text = path.read_text()
        if str(path) in inside:
            text = source(text, inside[str(path)])
        if path == Path("src/lib.rs"):
            text += CHOICE
        copy = tree / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
