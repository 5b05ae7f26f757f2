"""Positions with their exact margins: frozen, so that grades can be compared, or drawn."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position, Variant, as_variants
from mijnlieff._util.arguments import check_choice, integer_from, seed_of
from mijnlieff._util.files import package_data
from mijnlieff._util.output import progress_bar
from mijnlieff.errors import BenchmarkError
from mijnlieff.evaluation.benchmark_file import SOURCES, read_benchmark
from mijnlieff.evaluation.decisions import solvable_decisions
from mijnlieff.evaluation.losses import ILLEGAL, decisive_of
from mijnlieff.rules import VariantLike
from mijnlieff.solving import SolutionBatch, solve_batch

__all__ = ["STANDARD", "Benchmark", "benchmark", "solutions_of"]

STANDARD = "standard-v1"
"""The benchmark on which players of the standard game are compared."""

_CHECKSUMS = {
    STANDARD: "e94190a083946e48780446dc8a752784776f72698a5d9978f2bdcfb187fcae32",
    "irregular-v1": "31f9f7df853d036d032bffb9fa535f77d3d7a367c991b40f01c68da1d1234e3f",
}


@dataclass(frozen=True, eq=False)  # arrays cannot be compared as a whole
class Benchmark:
    """Positions of one or many variants, with their exact margins.

    Each position has two or more legal actions. Those of `benchmark` are the same for everyone,
    each from a different game, and no symmetry of the board maps one to another;
    ``docs/benchmark.md`` tells how they were chosen. `draw` makes others.

    Attributes:
        name: the name.
        positions: the positions; those of a variant are next to each other.
        variants: the variants.
        boards: the number of each position's variant in `variants`, int64 ``(B,)``.
        sources: where each position comes from, ``(B,)``: ``"random play"``, ``"minimax 2"`` (depth
            2 against itself) or ``"strong play"`` (perfect play in nine of ten decisions).
        solutions: the exact margins of the positions and of all their actions. Rows of variants
            with fewer actions are filled up with illegal ones.
        groups: a name for each variant, which several share, such as ``"unseen"``; empty if they
            have none.
        checksum: the SHA-256 of the file that comes with the package; None for other positions.
    """

    name: str
    positions: tuple[Position, ...]
    variants: tuple[Variant, ...]
    boards: NDArray[np.int64]
    sources: NDArray[np.str_]
    solutions: SolutionBatch
    groups: tuple[str, ...] = ()
    checksum: str | None = None

    @classmethod
    def draw(
        cls,
        variants: Sequence[VariantLike],
        positions: int,
        seed: int = 0,
        *,
        groups: Sequence[str] = (),
        progress: bool = False,
        num_threads: int | None = None,
    ) -> Benchmark:
        """Draw positions of many variants and solve them; a few minutes for thousands.

        Half of the positions of each variant come from random play and half from minimax of depth 2
        against itself, each from another game; equal ones, up to symmetry, are left out, and so are
        early ones that take long to solve.

        Args:
            variants: the variants.
            positions: how many on the variants of each group together. Each variant has the same
                number, rounded up, or fewer if its games have no more.
            seed: the seed of the games and draws, 0 to 2**64 - 1.
            groups: see the class; without them, all variants are one group.
            progress: show a progress bar, or a line every ten seconds where stderr is not a
                terminal.
            num_threads: threads for the exact search, 1 to 1024; None is as many as there are
                cores.

        Raises:
            ValueError: no turn of these games has two legal actions, a number out of range, or not
                as many names of groups as variants.
            TypeError: a number is not an integer.
        """
        variants = as_variants(variants)
        seed, positions = seed_of(seed), integer_from("positions", positions, 1)
        if groups and len(groups) != len(variants):
            raise ValueError(
                f"groups must name the group of each of {len(variants)} variants, but there are "
                f"{len(groups)} names"
            )
        group_of = groups or [""] * len(variants)
        sizes = Counter(group_of)
        drawn: list[Position] = []
        boards: list[int] = []
        sources: list[str] = []
        solved: list[NDArray[np.int16]] = []
        widest = max((one.num_actions for one in variants), default=0)
        with progress_bar(len(variants), "boards drawn and solved", enabled=progress) as move_on:
            for number, variant in enumerate(variants):
                count = -(-positions // sizes[group_of[number]])
                by_source = solvable_decisions(variant, count, (seed, number))
                if found := [position for some in by_source.values() for position in some]:
                    padding = ((0, 0), (0, widest - variant.num_actions))
                    margins = solve_batch(found, num_threads).action_margins
                    solved.append(np.pad(margins, padding, constant_values=ILLEGAL))
                drawn += found
                boards += [number] * len(found)
                sources += [source for source, some in by_source.items() for _position in some]
                move_on(1)
        if not drawn:
            raise ValueError("games on these boards have no turn with two legal actions to grade")
        return cls(
            name=f"{len(variants)} boards",
            positions=tuple(drawn),
            variants=variants,
            boards=np.array(boards),
            sources=np.array(sources),
            solutions=solutions_of(np.concatenate(solved)),
            groups=tuple(groups),
        )

    @cached_property
    def decisive(self) -> NDArray[np.bool_]:
        """Whether the legal actions of a position differ in outcome, bool ``(B,)``."""
        return decisive_of(self.solutions.action_margins)

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions)

    def __repr__(self) -> str:
        """Return the name, the number of positions, and the checksum if there is one."""
        end = "" if self.checksum is None else f", SHA-256 {self.checksum}"
        return f"<Benchmark {self.name}: {len(self)} positions{end}>"


@cache
def benchmark(name: str) -> Benchmark:
    """Return frozen positions with their exact margins.

    >>> import mijnlieff
    >>> len(mijnlieff.benchmark("standard-v1"))
    5040

    Args:
        name: ``"standard-v1"`` for the standard game, or ``"irregular-v1"`` for eight other boards
            of four blocks.

    Raises:
        ValueError: an unknown name.
        BenchmarkError: the file in the package is damaged.
    """
    check_choice("benchmark", name, _CHECKSUMS)
    content = package_data(f"{name}.bin")
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != _CHECKSUMS[name]:
        raise BenchmarkError(
            f"the benchmark {name} is damaged: its SHA-256 is {checksum}, not {_CHECKSUMS[name]}"
        )
    variants, entries = read_benchmark(content)
    positions = [Position.from_actions(entry.actions, variants[entry.variant]) for entry in entries]
    # All boards have 16 cells, so all rows have the same length.
    mask = np.array([position.action_mask() for position in positions])
    margins = np.full(mask.shape, ILLEGAL, dtype=np.int16)
    margins[mask.astype(bool)] = [margin for entry in entries for margin in entry.margins]
    sources = np.array([SOURCES[entry.source] for entry in entries])
    boards = np.array([entry.variant for entry in entries])
    for array in (sources, boards):
        array.flags.writeable = False  # every caller gets the same arrays
    return Benchmark(
        name=name,
        positions=tuple(positions),
        variants=tuple(variants),
        boards=boards,
        sources=sources,
        solutions=solutions_of(margins),
        checksum=checksum,
    )


def solutions_of(action_margins: NDArray[np.int16]) -> SolutionBatch:
    """Return the solutions of positions with legal actions, read-only.

    Args:
        action_margins: int16 ``(B, most actions)``, the smallest int16 where an action is illegal.
    """
    margins = action_margins.max(axis=1)
    mask = (action_margins != ILLEGAL).astype(np.int8)
    for array in (margins, action_margins, mask):
        array.flags.writeable = False
    return SolutionBatch(margins, action_margins, mask)
