"""Playing a part of the games of a recipe, and labeling their positions."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    Position,
    Tablebase,
    Variant,
    mask_batch,
    observe_batch,
    random_openings,
)
from mijnlieff._util.seeds import first_game_seed
from mijnlieff.datasets.recipe import Recipe
from mijnlieff.evaluation.lock_step import play_out
from mijnlieff.evaluation.losses import ILLEGAL
from mijnlieff.policies.base import own_copy
from mijnlieff.policies.load import load_policy
from mijnlieff.solving import solve_batch

__all__ = ["COLUMNS", "PART", "Column", "Columns", "play_part"]

Columns: TypeAlias = dict[str, NDArray[Any]]

PART = 500
"""Games of a part, which are played and labeled together."""


class Column(NamedTuple):
    """A column of a data set, which has a row for each turn.

    Attributes:
        dtype: the name of its dtype; of texts, which have any length, "text".
        meaning: what it says.
        width: the numbers in a row, if that is an array.
    """

    dtype: str
    meaning: str
    width: str = ""

    def __str__(self) -> str:
        """Return the type and the meaning."""
        width = f" ({self.width})" if self.width else ""
        return f"{self.dtype}{width}, {self.meaning}"

    def has(self, values: NDArray[Any], variant: Variant) -> bool:
        """Whether these could be its values in a data set of this variant."""
        widths = {
            "": (),
            "num_actions": (variant.num_actions,),
            "3 * num_cells + 8": variant.observation_shape("flat"),
        }
        kind = "text" if values.dtype.kind == "U" else values.dtype.name
        is_row = values.ndim > 0 and values.shape[1:] == widths[self.width]
        return is_row and kind == self.dtype


COLUMNS = {
    "game": Column("int64", "the number of the game, from 0"),
    "ply": Column("int16", "turns before the position, those of the opening among them"),
    "player": Column("int8", "the side to move: 0 Light, 1 Dark"),
    "policy": Column("int8", "which player of the recipe chose the action: 0 or 1"),
    "notation": Column("text", "the position as `Position.from_notation` reads it"),
    "observation": Column("uint8", "flat, of the side to move", "3 * num_cells + 8"),
    "action_mask": Column("int8", "1 for legal actions", "num_actions"),
    "action": Column("int16", "what was played"),
    "result": Column("int16", "the margin at the end of the game, for the side to move"),
    "labeled": Column("bool", "whether the exact values are known"),
    "margin": Column(
        "int16", f"the exact margin for the side to move; {ILLEGAL} where it is not labeled"
    ),
    "action_margins": Column(
        "int16",
        f"that after each action; {ILLEGAL} for illegal ones, and for all where it is not labeled",
        "num_actions",
    ),
}
"""The columns of a data set."""


def play_part(
    recipe: Recipe,
    part: int,
    num_threads: int | None = None,
    tablebase: Tablebase | None = None,
) -> Columns:
    """Play and label the games of a part; it depends on the recipe and the number alone.

    Args:
        recipe: the recipe.
        part: the number of the part, from 0.
        num_threads: threads for the exact search; None is as many as there are cores.
        tablebase: where to look the labels up, rather than search.

    Raises:
        PolicyError: a player cannot be copied, or it chose an illegal action.
    """
    first = part * PART
    count = min(PART, recipe.games - first)
    # By a key, so that players do not meet in a match what they have learned from.
    seed = first_game_seed(recipe.seed, 0)
    starts = random_openings(count, recipe.opening_plies, recipe.variant, seed, first)
    seeds = np.random.SeedSequence([recipe.seed, part]).generate_state(2, np.uint64).tolist()
    light_player, dark_player = (
        # An object of a module would go on where it was in the last part.
        own_copy(load_policy(name, seed))
        for name, seed in zip(recipe.players, seeds, strict=True)
    )
    light = [(first + i) % 2 for i in range(count)]
    ends, played = play_out(starts, (light_player, dark_player), light)
    positions = [
        position
        for start, actions in zip(starts, played, strict=True)
        for position in accumulate(actions[:-1], Position.play, initial=start)
    ]
    lengths = [len(actions) for actions in played]
    player = np.array([position.to_play for position in positions], dtype=np.int8)
    end_margins = np.repeat([end.margin for end in ends], lengths)
    labels = _labels(positions, recipe, num_threads, tablebase)
    return {
        "game": np.repeat(np.arange(first, first + count), lengths),
        "ply": np.array([position.ply for position in positions], dtype=np.int16),
        "player": player,
        "policy": ((np.repeat(light, lengths) + player) % 2).astype(np.int8),
        "notation": np.array([position.notation for position in positions]),
        "observation": observe_batch(positions, "flat", "uint8"),
        "action_mask": mask_batch(positions),
        "action": np.concatenate(played).astype(np.int16),
        "result": np.where(player == 0, end_margins, -end_margins).astype(np.int16),
        **labels,
    }


def _labels(
    positions: list[Position],
    recipe: Recipe,
    num_threads: int | None,
    tablebase: Tablebase | None,
) -> Columns:
    shape = len(positions), recipe.variant.num_actions
    margins = np.full(shape[0], ILLEGAL, dtype=np.int16)
    action_margins = np.full(shape, ILLEGAL, dtype=np.int16)
    labeled = np.zeros(shape[0], dtype=np.bool_)
    if recipe.labels == "exact":
        labeled = np.array([position.is_solvable for position in positions])
    if labeled.any():
        wanted = [positions[i] for i in np.flatnonzero(labeled)]
        solved = solve_batch(wanted, num_threads, tablebase=tablebase)
        margins[labeled], action_margins[labeled] = solved.margins, solved.action_margins
    return {"labeled": labeled, "margin": margins, "action_margins": action_margins}
