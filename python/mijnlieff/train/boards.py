"""Boards to learn on, and boards held out to see what a network has understood."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from mijnlieff._mijnlieff import Board, Canvas, Variant, random_openings
from mijnlieff._util.arguments import plain_number, seed_of
from mijnlieff._util.files import utf8_text
from mijnlieff.errors import BoardError

__all__ = ["Boards", "boards_named"]

_T = TypeVar("_T")
_OPENING_PLIES = 2
"""The random opening of a match, see `mijnlieff.evaluate`."""
_FORMS = (
    "give arrangements:BLOCKS, arrangements:BLOCKS:corners, or a readable file with boards as rows "
    "of '#' and '.', an empty line between two boards"
)


@dataclass(frozen=True)
class Boards:
    """The boards of a run: one network learns on some, and is graded on the others as well.

    A run on one board has a set of one.

    `split` draws the boards that are held out; the constructor takes any choice. Both keep the
    variants as tuples, whatever sequence is given.

    Attributes:
        seen: the variants that are learned, at least one. All variants differ in their boards
            alone, and no two boards are equal up to symmetry.
        unseen: those of the boards held out, on which no game is played to learn from.
        holdout: the share of the boards that `split` was asked for; None if it was not.
        seed: the seed that chose the boards held out; None if there was none.

    Raises:
        ValueError: no board to learn on, equal boards, variants with different rules, a board so
            small that its games end with the random opening of a match, or a share or a seed out of
            range.
        TypeError: something that is not a variant, or not a number.
    """

    seen: tuple[Variant, ...]
    unseen: tuple[Variant, ...] = ()
    holdout: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        """Check the boards."""
        plain: dict[str, object] = {
            "seen": _all_of(Variant, "seen", self.seen),
            "unseen": _all_of(Variant, "unseen", self.unseen),
            "holdout": None if self.holdout is None else _share(self.holdout),
            "seed": None if self.seed is None else seed_of(self.seed),
        }
        for name, value in plain.items():
            object.__setattr__(self, name, value)
        if not self.seen:
            raise ValueError("there is no board to learn on")
        if len(rules := {(one.opening, one.copies) for one in self.all}) > 1:
            raise ValueError(f"the variants have different openings or copies: {sorted(rules)}")
        _check_distinct([one.board for one in self.all])
        for number, one in enumerate(self.all, 1):
            _check_playable(number, one)

    @classmethod
    def split(
        cls,
        boards: Sequence[Board] | str,
        holdout: float = 0.2,
        seed: int = 0,
        opening: str = "outside",
        copies: int = 2,
    ) -> Self:
        """Hold out some boards, chosen at random by the seed.

        Args:
            boards: at least one, or a text for `boards_named`, such as ``"arrangements:4"``.
            holdout: the share of the boards to hold out, rounded to whole boards; 0 holds out none.
            seed: the seed of the choice.
            opening: the opening rule of all games.
            copies: the pieces of each type of each player in all games.

        Raises:
            ValueError: see the class; also no boards, a share that is not 0 to 1 (exclusive), or
                one that holds out no board though above 0, or all of them.
            TypeError: something that is not a board, or not a number.
            BoardError: a board in a file is not a board.
            VariantError: an unknown opening or an impossible number of copies.
        """
        if isinstance(boards, str):
            boards = boards_named(boards)
        boards = _all_of(Board, "boards", boards)
        if not boards:
            raise ValueError("give at least one board")
        holdout, seed = _share(holdout), seed_of(seed)
        count = math.floor(holdout * len(boards) + 0.5)
        if holdout > 0 and not 0 < count < len(boards):
            left = "holds out no board" if not count else "leaves no board to learn on"
            raise ValueError(f"holdout {holdout} of {len(boards)} boards {left}")
        order = np.random.default_rng(seed).permutation(len(boards))
        held_out = set(order[:count].tolist())
        parts: tuple[list[Variant], list[Variant]] = ([], [])
        for number, board in enumerate(boards):
            parts[number in held_out].append(Variant(board, opening, copies))
        return cls(tuple(parts[0]), tuple(parts[1]), holdout, seed)

    @property
    def all(self) -> tuple[Variant, ...]:
        """All variants, the seen ones first."""
        return (*self.seen, *self.unseen)

    @property
    def copies(self) -> int:
        """Pieces of each type that each player starts with."""
        return self.seen[0].copies

    @property
    def opening(self) -> str:
        """The opening rule."""
        return self.seen[0].opening

    @property
    def canvas(self) -> Canvas | None:
        """The square canvas that holds every board, rotated or not; None for a single board."""
        if len(self.all) == 1:
            return None
        side = max(max(one.board.width, one.board.height) for one in self.all)
        return Canvas(side, side)

    @property
    def fewest_empty(self) -> int:
        """The fewest empty cells that a player decides with in games on the seen boards."""
        # Each player has four types of pieces, and one piece is still in hand.
        return min(max(1, one.board.num_cells - 8 * one.copies + 1) for one in self.seen)

    def __str__(self) -> str:
        """Return the only variant, or the numbers of boards and the rules."""
        if len(self.all) == 1:
            return f"variant {self.seen[0]}"
        return (
            f"{len(self.seen)} boards and {len(self.unseen)} held out, opening {self.opening}, "
            f"{self.copies} copies"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, boards as texts."""
        return {
            "seen": [str(one.board) for one in self.seen],
            "unseen": [str(one.board) for one in self.unseen],
            "opening": self.opening,
            "copies": self.copies,
            "holdout": self.holdout,
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rebuild the boards from `to_dict`.

        Raises:
            KeyError: an entry is missing.
            ValueError: see the class.
            BoardError: a text is not a board.
            VariantError: an unknown opening or an impossible number of copies.
        """
        seen, unseen = (
            tuple(
                Variant(Board.from_text(text), values["opening"], values["copies"])
                for text in values[part]
            )
            for part in ("seen", "unseen")
        )
        return cls(seen, unseen, values["holdout"], values["seed"])


def boards_named(text: str) -> list[Board]:
    """The boards that a text names: `Board.arrangements`, or the boards of a file.

    Args:
        text: ``"arrangements:4"`` for every board of four blocks that meet along edges,
            ``"arrangements:4:corners"`` if they may also meet at corners; or a file with boards as
            `Board.from_text` reads them, an empty line between two.

    Raises:
        ValueError: neither, a number of blocks that `Board.arrangements` does not know, or a file
            without boards.
        BoardError: something in the file is not a board; the message gives its number.
    """
    kind, _, rest = text.partition(":")
    if kind == "arrangements":
        blocks, _, joints = rest.partition(":")
        if not blocks.isdecimal() or joints not in ("", "corners") or rest.endswith(":"):
            raise ValueError(f"unknown boards {text!r}; {_FORMS}")
        return Board.arrangements(int(blocks), joints == "corners")
    try:
        content = utf8_text(Path(text).read_bytes(), text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"unknown boards {text!r} ({reason}); {_FORMS}") from error
    boards = list(_boards_in(content, text))
    if not boards:
        raise ValueError(f"{text} holds no boards; {_FORMS}")
    return boards


def _all_of(kind: type[_T], name: str, given: Iterable[object]) -> tuple[_T, ...]:
    """The objects of an argument, which are all of one type."""
    wanted = f"{name} must be a sequence of {kind.__name__} objects"
    try:
        objects = tuple(given)
    except TypeError:
        raise TypeError(f"{wanted}, not {given!r}") from None
    found = []
    for number, one in enumerate(objects, 1):
        if not isinstance(one, kind):
            raise TypeError(f"{wanted}, but number {number} is {one!r}")
        found.append(one)
    return tuple(found)


def _share(holdout: object) -> float:
    number = plain_number(holdout, whole=False)
    if number is None:
        raise TypeError(f"holdout must be a number, not {holdout!r}")
    if not 0 <= number < 1:
        raise ValueError(f"holdout must be a share from 0 to below 1, not {holdout!r}")
    return number


def _boards_in(content: str, file: str) -> Iterator[Board]:
    parts = "\n".join(line.strip() for line in content.splitlines()).split("\n\n")
    drawn = [part.strip("\n") for part in parts if part.strip("\n")]
    for number, rows in enumerate(drawn, 1):
        try:
            yield Board.from_text(rows)
        except BoardError as error:
            raise BoardError(f"board {number} of {file}: {error}") from error


def _check_distinct(boards: Sequence[Board]) -> None:
    """Refuse boards that are equal up to rotation and reflection.

    A board that is seen in one orientation and held out in another would not be unseen.
    """
    first: dict[str, int] = {}
    for number, board in enumerate(boards, 1):
        shape = _shape(board)
        if shape in first:
            raise ValueError(
                f"boards {first[shape]} and {number} are equal up to rotation and reflection: "
                "leave one out"
            )
        first[shape] = number


def _shape(board: Board) -> str:
    """A text that a board shares with its images under rotation and reflection."""
    drawn = np.array([list(row) for row in str(board).splitlines()])
    images = (np.rot90(one, turns) for one in (drawn, drawn.T) for turns in range(4))
    return min(str(image.tolist()) for image in images)


def _check_playable(number: int, variant: Variant) -> None:
    """Refuse a board on which no match can be played, before the network learns for hours."""
    try:
        random_openings(1, _OPENING_PLIES, variant)
    except ValueError as error:
        raise ValueError(
            f"board {number}, {variant.board!r}, is too small: its games are over after "
            f"{_OPENING_PLIES} actions; leave it out"
        ) from error
