"""Puzzles: positions of a frozen benchmark as prompts, with the exact value of every answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, SupportsIndex, overload

import numpy as np

from mijnlieff._mijnlieff import Position
from mijnlieff._util.arguments import integer_from
from mijnlieff._util.files import write_whole
from mijnlieff.evaluation.benchmark import Benchmark, benchmark, solutions_of
from mijnlieff.integrations.text.prompts import prompt_text
from mijnlieff.integrations.text.replies import read_move

__all__ = ["Puzzle", "Puzzles", "puzzles", "sample_of"]


@dataclass(frozen=True)
class Puzzle:
    """A position as a prompt, and what every move is worth.

    Attributes:
        prompt: the rules, the position and how to answer, see `prompt_text`.
        answer: a best move, the first by index.
        answers: all best moves.
        margins: the exact margin of each legal move by its name, for the player to move.
        decisive: whether the moves differ in outcome.
        source: what kind of game it comes from, see `Benchmark.sources`.
        ply: turns so far.
        position: its notation, which `Position.from_notation` reads.
        variant: the text of its variant.
    """

    prompt: str
    answer: str
    answers: list[str]
    margins: dict[str, int]
    decisive: bool
    source: str
    ply: int
    position: str
    variant: str

    def regret(self, reply: str) -> int:
        """Return the points that a reply loses, compared with a best move.

        Raises:
            ReplyError: it does not give a legal move.
        """
        position = Position.from_notation(self.position, self.variant)
        name = position.variant.action_name(read_move(reply, position))
        return max(self.margins.values()) - self.margins[name]


class Puzzles(Sequence[Puzzle]):
    """The positions of a benchmark as puzzles, made one by one when they are asked for.

    >>> from mijnlieff.integrations.text import puzzles
    >>> puzzle = puzzles("standard-v1")[0]
    >>> puzzle.regret(f"I play {puzzle.answer}.")
    0
    """

    def __init__(self, positions: Benchmark, *, rules: bool = True) -> None:
        """Take positions.

        Args:
            positions: the benchmark.
            rules: whether prompts begin with the rules.
        """
        self.benchmark = positions
        self.rules = rules

    def __len__(self) -> int:
        """Return the number of puzzles."""
        return len(self.benchmark)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Puzzle: ...

    @overload
    def __getitem__(self, index: slice) -> list[Puzzle]: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Puzzle | list[Puzzle]:
        """Return one puzzle, or those of a slice.

        Raises:
            IndexError: there are not as many.
        """
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = self.benchmark.positions[index]
        values = self.benchmark.solutions.action_margins[index]
        name = position.variant.action_name
        margins = {name(action): int(values[action]) for action in position.legal_actions()}
        best = max(margins.values())
        answers = [move for move, margin in margins.items() if margin == best]
        return Puzzle(
            prompt=prompt_text(position, rules=self.rules),
            answer=answers[0],
            answers=answers,
            margins=margins,
            decisive=bool(self.benchmark.decisive[index]),
            source=str(self.benchmark.sources[index]),
            ply=position.ply,
            position=position.notation,
            variant=str(position.variant),
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the puzzles as dicts, for ``datasets.Dataset.from_generator`` and others."""
        return map(asdict, self)

    def write(self, path: str | Path) -> None:
        """Write JSON lines, one puzzle each.

        Raises:
            OSError: the file cannot be written.
        """
        write_whole(Path(path), "".join(f"{json.dumps(row)}\n" for row in self.rows()).encode())


def puzzles(positions: str | Benchmark = "standard-v1", *, rules: bool = True) -> Puzzles:
    """Return the positions of a benchmark as puzzles.

    Args:
        positions: the name of a benchmark, or a `Benchmark`, such as one of `sample_of`.
        rules: whether prompts begin with the rules.

    Raises:
        ValueError: an unknown benchmark.
    """
    frozen = benchmark(positions) if isinstance(positions, str) else positions
    return Puzzles(frozen, rules=rules)


def sample_of(positions: str | Benchmark, count: SupportsIndex) -> Benchmark:
    """Return some positions of a benchmark, evenly spread over it, the same every time.

    A model that takes seconds for a move is graded on these.

    >>> from mijnlieff.integrations.text import sample_of
    >>> sample_of("standard-v1", 100)
    <Benchmark standard-v1, 100 of 5040: 100 positions>

    Args:
        positions: the name of a benchmark, or a `Benchmark`.
        count: how many; all of them if it has no more.

    Raises:
        ValueError: an unknown benchmark, or a count below 1.
        TypeError: the count is not an integer.
    """
    count = integer_from("count", count, 1)
    whole = benchmark(positions) if isinstance(positions, str) else positions
    if count >= len(whole):
        return whole
    chosen = np.arange(count) * len(whole) // count
    return replace(
        whole,
        name=f"{whole.name}, {count} of {len(whole)}",
        positions=tuple(whole.positions[i] for i in chosen),
        boards=whole.boards[chosen],
        sources=whole.sources[chosen],
        solutions=solutions_of(whole.solutions.action_margins[chosen]),
        checksum=None,
    )
