"""The rules of Mijnlieff once more, slow and plain, to hold the fast implementation against.

Nothing here is tuned or shared with the package: a board is a set of ``(x, y)`` cells, lines are
walked cell by cell, and every answer is worked out again. Only the numbering of cells and actions
and the layout of observations follow the package, so that results can be compared.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Cell = tuple[int, int]  # column from the left and row from the bottom, both from 0
Action = int
Hand = tuple[int, int, int, int]

LIGHT, DARK = 0, 1
STRAIGHT, DIAGONAL, PUSHER, PULLER = range(4)
SIGNS = ("+", "x", "<>", "><")
OPENINGS = ("outside", "corner", "corner_straight", "anywhere")
ALONG_LINES = ((1, 0), (-1, 0), (0, 1), (0, -1))
ALONG_DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class Board:
    """A set of 1 to 64 cells, shifted so that its bounding box starts at (0, 0).

    ``cells`` lists them from the lower left along the row, then row by row upwards; the place of
    a cell in that list is its number.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        given = set(cells)
        if not 1 <= len(given) <= 64:
            raise ValueError(f"a board has 1 to 64 cells, not {len(given)}")
        left = min(x for x, _ in given)
        bottom = min(y for _, y in given)
        shifted = {(x - left, y - bottom) for x, y in given}
        self.cells = sorted(shifted, key=lambda cell: (cell[1], cell[0]))
        self.number = {cell: number for number, cell in enumerate(self.cells)}
        self.width = 1 + max(x for x, _ in shifted)
        self.height = 1 + max(y for _, y in shifted)

    @classmethod
    def from_blocks(cls, corners: Iterable[Cell]) -> Board:
        """Lay 2x2 blocks with these lower-left corners; no two may share a cell."""
        cells: list[Cell] = []
        for x, y in corners:
            cells += [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
        if len(cells) != len(set(cells)):
            raise ValueError("two blocks overlap")
        return cls(cells)

    @classmethod
    def from_text(cls, text: str) -> Board:
        """Read rows from the top one down, ``#`` for a cell and ``.`` for none."""
        rows = list(enumerate(reversed(text.split("\n"))))
        return cls((x, y) for y, row in rows for x, sign in enumerate(row) if sign == "#")

    def __contains__(self, cell: Cell) -> bool:
        return cell in self.number

    def touching(self, cell: Cell) -> set[Cell]:
        """Cells that share an edge or only a corner with this one."""
        x, y = cell
        around = {(x + dx, y + dy) for dx, dy in ALONG_LINES + ALONG_DIAGONALS}
        return {other for other in around if other in self}

    def walk(self, cell: Cell, step: Cell) -> set[Cell]:
        """Cells met going straight on until one is missing; stones do not block."""
        met = set()
        x, y = cell[0] + step[0], cell[1] + step[1]
        while (x, y) in self:
            met.add((x, y))
            x, y = x + step[0], y + step[1]
        return met

    def reach(self, piece: int, cell: Cell) -> set[Cell]:
        """Cells that a piece standing here points the opponent to, taken or not.

        Straight: its row and column up to the first gap. Diagonal: the same for its two diagonals,
        through corners too. Puller: the cells it touches. Pusher: all others, across gaps as well.
        """
        if piece == STRAIGHT:
            return set().union(*(self.walk(cell, step) for step in ALONG_LINES))
        if piece == DIAGONAL:
            return set().union(*(self.walk(cell, step) for step in ALONG_DIAGONALS))
        if piece == PULLER:
            return self.touching(cell)
        return set(self.cells) - self.touching(cell) - {cell}

    def is_outside(self, cell: Cell) -> bool:
        """Whether some edge of the cell has no cell behind it."""
        x, y = cell
        return any((x + dx, y + dy) not in self for dx, dy in ALONG_LINES)

    def is_corner(self, cell: Cell) -> bool:
        """Whether the cell is open to the left or right and also open above or below."""
        x, y = cell
        open_sideways = (x - 1, y) not in self or (x + 1, y) not in self
        open_upright = (x, y - 1) not in self or (x, y + 1) not in self
        return open_sideways and open_upright

    def symmetries(self) -> list[tuple[int, ...]]:
        """Distinct turns and flips that lay the board on itself, the identity first.

        Each is a permutation: entry ``i`` is the number of the cell that cell ``i`` goes to.
        """
        found: list[tuple[int, ...]] = []
        for swap in (False, True):
            for flip_x in (1, -1):
                for flip_y in (1, -1):
                    turned = [(y, x) if swap else (x, y) for x, y in self.cells]
                    moved = [(flip_x * x, flip_y * y) for x, y in turned]
                    left, bottom = min(x for x, _ in moved), min(y for _, y in moved)
                    moved = [(x - left, y - bottom) for x, y in moved]
                    if set(moved) == set(self.cells):
                        permutation = tuple(self.number[cell] for cell in moved)
                        if permutation not in found:
                            found.append(permutation)
        return found


@dataclass(frozen=True)
class Variant:
    """What is agreed before a game: board, opening rule, and how many of each piece both get."""

    board: Board
    opening: str = "outside"
    copies: int = 2

    @property
    def pass_action(self) -> Action:
        """The last action index, after the placements piece by piece and cell by cell."""
        return 4 * len(self.board.cells)

    def encode(self, piece: int, cell: Cell) -> Action:
        """Number a placement."""
        return piece * len(self.board.cells) + self.board.number[cell]

    def decode(self, action: Action) -> tuple[int, Cell]:
        """Find piece and cell of a placement."""
        piece, number = divmod(action, len(self.board.cells))
        return piece, self.board.cells[number]

    def name(self, action: Action) -> str:
        """Write an action: column letter, row number and the sign of the piece, or ``pass``."""
        if action == self.pass_action:
            return "pass"
        piece, (x, y) = self.decode(action)
        return f"{column_name(x)}{y + 1}{SIGNS[piece]}"

    def action(self, name: str) -> Action:
        """Find the action with this name by going through all of them."""
        return [self.name(action) for action in range(self.pass_action + 1)].index(name)

    def start(self) -> Position:
        """Return the empty board with full hands, Light to move."""
        full = (self.copies,) * 4
        return Position(self, {}, (full, full), None, 0, False)


@dataclass(frozen=True)
class Position:
    """A state of a game, finished or not. Players act in turn, passes included."""

    variant: Variant
    stones: dict[Cell, int]  # who stands where
    hands: tuple[Hand, Hand]  # pieces of each type still held, Light's then Dark's
    last: Action | None  # the action before; None at the start
    ply: int
    is_over: bool

    @property
    def to_play(self) -> int:
        """Light acts first, then they alternate."""
        return self.ply % 2

    def allowed(self) -> set[Cell]:
        """Empty cells on which the side to move may place something.

        The first move obeys the opening rule; a move after a pass is free; any other is bound by
        the piece placed just before, and by no earlier one.
        """
        board = self.variant.board
        if self.is_over:
            return set()
        if self.last is None:
            if self.variant.opening == "anywhere":
                return set(board.cells)
            fits = board.is_outside if self.variant.opening == "outside" else board.is_corner
            return {cell for cell in board.cells if fits(cell)}
        empty = set(board.cells) - set(self.stones)
        if self.last == self.variant.pass_action:
            return empty
        piece, cell = self.variant.decode(self.last)
        return empty & board.reach(piece, cell)

    def legal_actions(self) -> list[Action]:
        """Actions open to the side to move, ascending; none once the game is over.

        Any type still held may go on any allowed cell, except that ``corner_straight`` wants a
        Straight first. The pass is legal exactly when no placement is.
        """
        if self.is_over:
            return []
        held = [piece for piece in range(4) if self.hands[self.to_play][piece] > 0]
        if self.last is None and self.variant.opening == "corner_straight":
            held = [STRAIGHT]
        placements = [self.variant.encode(piece, cell) for piece in held for cell in self.allowed()]
        return sorted(placements) or [self.variant.pass_action]

    def play(self, action: Action) -> Position:
        """Carry out a legal action and say whether the game ends with it.

        It ends (a) after any action of a player whose opponent holds nothing any more, that action
        being the one last turn, or (b) with a pass on a full board: the other could only pass too.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal here")
        me = self.to_play
        stones, hands = dict(self.stones), list(self.hands)
        if action != self.variant.pass_action:
            piece, cell = self.variant.decode(action)
            stones[cell] = me
            hands[me] = tuple(n - (kind == piece) for kind, n in enumerate(hands[me]))
        opponent_is_out = sum(hands[1 - me]) == 0
        is_full = len(stones) == len(self.variant.board.cells)
        over = opponent_is_out or (action == self.variant.pass_action and is_full)
        return Position(self.variant, stones, (hands[0], hands[1]), action, self.ply + 1, over)

    def score(self) -> tuple[int, int]:
        """Points of Light and Dark on the board as it stands."""
        return points(self.stones, LIGHT), points(self.stones, DARK)

    def winner(self) -> int | None:
        """Who has more points at the end; None before it or on a draw."""
        light, dark = self.score()
        if not self.is_over or light == dark:
            return None
        return LIGHT if light > dark else DARK

    def observation(self, layout: str, dtype: str) -> list:
        """The state as the side to move sees it, ``planes[plane][y][x]`` or one flat list.

        Own stones, the opponent's, allowed cells, in planes also which cells exist, then both
        hands, own first: a share of the copies as float32, or the bare count as uint8.
        """
        board, me = self.variant.board, self.to_play
        own = {cell for cell, player in self.stones.items() if player == me}
        other = set(self.stones) - own
        counts = self.hands[me] + self.hands[1 - me]
        shares = [to_float32(count / self.variant.copies) for count in counts]
        hands = list(counts) if dtype == "uint8" else shares
        if layout == "flat":
            sets = (own, other, self.allowed())
            return [int(cell in marked) for marked in sets for cell in board.cells] + hands
        sets = (own, other, self.allowed(), set(board.cells))
        rows, columns = range(board.height), range(board.width)
        planes = [[[int((x, y) in marked) for x in columns] for y in rows] for marked in sets]
        return planes + [[[value] * board.width] * board.height for value in hands]


def points(stones: Mapping[Cell, int], player: int) -> int:
    """Add n - 2 for each run of n >= 3 stones of one player that cannot be made longer.

    Rows, columns and both diagonals count, and a stone may serve several runs.
    """
    total = 0
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for x, y in stones:
            if stones[x, y] != player or stones.get((x - dx, y - dy)) == player:
                continue  # not this player's, or not where the run starts
            length = 1
            while stones.get((x + length * dx, y + length * dy)) == player:
                length += 1
            total += max(0, length - 2)
    return total


def perft(position: Position, depth: int) -> int:
    """Count the sequences of exactly this many actions; a finished game has no continuation."""
    if depth == 0:
        return 1
    actions = position.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(position.play(action), depth - 1) for action in actions)


def column_name(x: int) -> str:
    """Letters of a column: a to z, then aa, ab and so on as in spreadsheets."""
    before, letter = divmod(x, 26)
    return (column_name(before - 1) if before else "") + chr(ord("a") + letter)


def to_float32(value: float) -> float:
    """Round to the nearest float32."""
    return struct.unpack("f", struct.pack("f", value))[0]
