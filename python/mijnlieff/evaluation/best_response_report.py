"""The report of a best-response search: guarantees, mistakes by ply and refutations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mijnlieff._mijnlieff import Position, format_record
from mijnlieff._util.output import TableReport
from mijnlieff.evaluation.axes import VERMILION, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BestResponse", "BestResponseCase", "record_of"]

_SHOWN_REFUTATIONS = 3
_OUTCOMES = {1: "a win", 0: "a draw", -1: "a loss"}


@dataclass(frozen=True)
class BestResponseCase:
    """The guarantee of a policy in one seat, from one start.

    Attributes:
        seat: the seat of the policy, ``"light"`` or ``"dark"``.
        start: the position in which the games start.
        margin: the points of the policy minus the opponent's that it is guaranteed.
        value: the margin under perfect play of both sides.
        worst_game: the record of a game that ends with the least margin, for one of the cases with
            this margin; None for others. It begins as `BestResponse.refutations` do.
    """

    seat: str
    start: Position
    margin: int
    value: int
    worst_game: str | None = None

    @property
    def outcome(self) -> int:
        """The guaranteed outcome, 1 for a win, 0 for a draw and -1 for neither."""
        return _sign(self.margin)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers and texts."""
        return {
            "seat": self.seat,
            "start": self.start.notation,
            "margin": self.margin,
            "outcome": self.outcome,
            "value": self.value,
            "worst_game": self.worst_game,
        }


@dataclass(frozen=True)
class BestResponse(TableReport):
    """The guarantees of a policy against every opponent.

    Margins and outcomes are from the policy's point of view. Symmetric positions count separately.
    Equal positions of the same ply count once for each seat, and once for each outcome of the
    starts under perfect play. Positions are not followed where the policy is known to play
    perfectly, see `best_response`.

    Attributes:
        policy: the name of the policy.
        seat: ``"light"``, ``"dark"`` or ``"both"``.
        horizon: from this ply on, the policy is assumed to play perfectly; None if it was asked.
        cases: the guarantees from every start in every seat.
        positions: by ply: the positions that can be reached and in which the game goes on.
        mistakes: by ply: the number of positions with the policy to move that can be reached while
            the outcome of the start is kept, and the number of those in which its move gives it
            away.
        refutations: a record for each mistake, but for at most `max_refutations`, up to the move
            that gives the outcome away, the shortest first. If the start is not the start of a
            game, a record begins with the notation of the start.
    """

    policy: str
    seat: str
    horizon: int | None
    cases: tuple[BestResponseCase, ...]
    positions: dict[int, int]
    mistakes: dict[int, tuple[int, int]]
    refutations: tuple[str, ...]

    @property
    def margin(self) -> int:
        """The margin that the policy is guaranteed; of several cases, the least."""
        return min(case.margin for case in self.cases)

    @property
    def outcome(self) -> int:
        """The guaranteed outcome, 1 for a win, 0 for a draw and -1 for neither."""
        return _sign(self.margin)

    @property
    def value(self) -> int:
        """The margin that perfect play is guaranteed; of several cases, the least."""
        return min(case.value for case in self.cases)

    @property
    def num_mistakes(self) -> int:
        """The number of positions in which the policy gives the outcome away."""
        return sum(given_away for _, given_away in self.mistakes.values())

    @property
    def worst_game(self) -> str:
        """The record of a game that ends with the least margin."""
        games = [case.worst_game for case in self.cases if case.margin == self.margin]
        return next(game for game in games if game is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return {
            "policy": self.policy,
            "seat": self.seat,
            "horizon": self.horizon,
            "margin": self.margin,
            "outcome": self.outcome,
            "value": self.value,
            "positions": dict(self.positions),
            "mistakes": dict(self.mistakes),
            "refutations": self.refutations,
            "worst_game": self.worst_game,
            "cases": tuple(case.to_dict() for case in self.cases),
        }

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the positions and the mistakes by ply, on a logarithmic scale.

        Args:
            axes: the axes to draw in; None makes a new figure.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        if axes is None:
            axes = new_axes(4)
        kept = {ply: kept for ply, (kept, _) in self.mistakes.items()}
        given_away = {ply: count for ply, (_, count) in self.mistakes.items()}
        bars = (("outcome kept before", kept, "#BBBBBB"), ("given away", given_away, VERMILION))
        for label, counts, color in bars:
            axes.bar(list(counts), list(counts.values()), color=color, label=label, width=0.8)
        axes.set_yscale("symlog", linthresh=1)
        axes.set_xticks(list(self.mistakes))
        axes.set(xlabel="ply", ylabel="positions with the policy to move", title=self._title)
        axes.legend()
        return axes

    def _rows(self) -> list[list[str]]:
        rows = [["ply", "reachable", "outcome kept", "given away"]]
        for ply, count in self.positions.items():
            cells = self.mistakes.get(ply)
            shown = ["", ""] if cells is None else [f"{number:,}" for number in cells]
            rows.append([f"{ply}", f"{count:,}", *shown])
        total = sum(self.positions.values())
        return [*rows, ["total", f"{total:,}", "", f"{self.num_mistakes:,}"]]

    @property
    def _title(self) -> str:
        seats = {"light": "Light", "dark": "Dark", "both": "either side"}
        starts = len(self.cases) // (2 if self.seat == "both" else 1)
        several = "" if starts == 1 else f", {starts} starts"
        return f"{self.policy} as {seats[self.seat]} against every opponent{several}"

    @property
    def _summary(self) -> str:
        text = (
            f"guaranteed margin {self.margin:+d} ({_OUTCOMES[self.outcome]}), with perfect play "
            f"{self.value:+d} ({_OUTCOMES[_sign(self.value)]})"
        )
        if self.horizon is not None:
            text = f"if it plays perfectly from ply {self.horizon} on: {text}"
        if self.margin < self.value:
            text += f"\na worst game: {self.worst_game}"
        shown = self.refutations[:_SHOWN_REFUTATIONS]
        if shown:
            text += f"\nthe shortest of {self.num_mistakes:,} refutations: " + " | ".join(shown)
        return text


def record_of(start: Position, actions: Sequence[int]) -> str:
    """Return the record of a game; one from another start begins with its notation."""
    variant = start.variant
    if start.ply == 0:
        return format_record(actions, variant)
    return f"{start.notation}: " + ", ".join(variant.action_name(action) for action in actions)


def _sign(margin: int) -> int:
    return (margin > 0) - (margin < 0)
