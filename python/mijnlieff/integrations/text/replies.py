"""Reading a move from the reply of a language model, or saying what is wrong with the reply."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mijnlieff._mijnlieff import Position
from mijnlieff._util.arguments import check_type
from mijnlieff.errors import GameOverError, ParseError, ReplyError
from mijnlieff.rules import Piece

__all__ = ["KINDS", "read_move"]

KINDS = {
    "no text": "the reply is not text",
    "no move": "it names no move",
    "incomplete": "it names a cell without a piece",
    "several moves": "it names a choice of moves",
    "no such cell": "the cell is not on the board",
    "taken": "the cell is taken",
    "not in hand": "the player has no piece of the type left",
    "not allowed": "the cell is empty, but not allowed in this turn",
    "pass": "it passes where a placement is legal, or places where only passing is",
}
"""The kinds of replies that do not give a legal move, each with its meaning."""

_MOST_READ = 20_000
"""Characters of a reply that are read, from its end."""

# Other characters that models and tokenizers write for the signs.
_SIGNS = str.maketrans(
    {
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{MULTIPLICATION X}": "x",
        "\N{HEAVY MULTIPLICATION X}": "x",
        "\N{MATHEMATICAL LEFT ANGLE BRACKET}": "<",
        "\N{MATHEMATICAL RIGHT ANGLE BRACKET}": ">",
        "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}": "<",
        "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}": ">",
        "\\": "",
    }
)

# A letter or two and digits, neither part of a longer word.
_CELL = r"(?<![a-z0-9])[a-z]{1,2}[0-9]{1,3}"
_SIGN = r"<\s?>|>\s?<|\+|x(?![a-z0-9])"
_NAME = r"(?<![a-z])(?:straight|diagonal|pusher|puller)(?![a-z])"
_FILLER = r"an?|at|by|cell|in|is|my|of|on|onto|piece|square|the|to|using|with"
_JOINT = rf"[^\w\n]{{0,6}}(?:(?:{_FILLER})\b[^\w\n]{{0,6}}){{0,4}}"
# `a1+`, `A1 (+)`, `a1: ><`
_NOTATION = re.compile(rf"(?P<cell>{_CELL})[\s:(=_*`'\"-]{{0,3}}(?P<piece>{_SIGN})")
# `Puller on a1`, `a1 with a Puller`, `{"piece": "+", "cell": "a1"}`
_WORDS = re.compile(
    rf"(?P<piece>{_NAME}|{_SIGN}){_JOINT}(?P<cell>{_CELL})(?![a-z0-9])"
    rf"|(?P<cell2>{_CELL}){_JOINT}(?P<piece2>{_NAME})"
)
_PASS = re.compile(r"(?<![a-z])pass(?:a|es|ing)?(?![a-z])")
_ALONE = re.compile(rf"{_CELL}(?![a-z0-9])")
# What models put their answer in.
_MARKED = re.compile(
    r"\[([^\[\]\n]{1,80})\]|<answer>(.{1,80}?)</answer>|boxed\{([^{}\n]{1,80})\}", re.DOTALL
)
# Between moves of which none is chosen, if it is short.
_OR = re.compile(r"[\s,;/|#.\d*`\[\]()-]*(?:or|and)?[\s,;/|#.\d*`\[\]()-]*")

_MOST_BETWEEN = 40


@dataclass(frozen=True)
class _Named:
    """A move that a text names: from `start` to `end` of it."""

    start: int
    end: int
    cell: str | None  # None for a pass
    sign: str = ""


def read_move(text: str, position: Position) -> int:
    r"""Return the move that a reply names.

    What counts is the last move in brackets, in ``<answer>`` tags or in ``\boxed{}``, or else the
    last one in notation anywhere (``a1+``, ``A1 +``), or else the last one in words (``Puller on
    a1``), as those often speak of stones on the board. A pass counts if no placement is named, or
    in brackets. What comes before ``</think>`` is left out. Moves with nothing but commas or "or"
    between them are several moves, unless they are all the same. Only the last brackets must name
    a single move; earlier ones may list several.

    >>> import mijnlieff
    >>> from mijnlieff.integrations.text import read_move
    >>> read_move("The Diagonal on B1 is worse. I place my Puller on A1!", mijnlieff.Position())
    48
    >>> read_move("a1+", mijnlieff.Position().play("b1+").play("a1x"))
    Traceback (most recent call last):
    mijnlieff.errors.ReplyError: a1 is taken; allowed: b2 c3 d4

    Args:
        text: the reply, of any length; the last 20,000 characters are read.
        position: the position in which the move is to be played.

    Raises:
        ReplyError: the reply does not give a legal move. Its ``kind`` is one of ``KINDS``, and the
            message says what is wrong in words for the model.
        GameOverError: the game is over.
        TypeError: not a `Position`.
    """
    check_type("position", position, Position)
    if position.is_over:
        raise GameOverError("the game is over: there is no move to read")
    if not isinstance(text, str):
        raise ReplyError(f"a reply must be text, not {type(text).__name__}", "no text")
    plain = _plain(text)
    marks = [(match, found) for match in _MARKED.finditer(plain) if (found := _named(_in(match)))]
    if marks:
        match, found = marks[-1]
        _chosen(found, _in(match))  # earlier marks may list moves to choose from
    named = [_Named(*match.span(), moves[-1].cell, moves[-1].sign) for match, moves in marks]
    named = named or _named(plain)
    if not named:
        raise _no_move(plain)
    return _checked(_chosen(named, plain), position)


def _plain(text: str) -> str:
    """Return the end of a reply in lower case, without other forms of characters."""
    text = html.unescape(text[-_MOST_READ:]).replace(r"\times", "x").translate(_SIGNS)
    return unicodedata.normalize("NFKC", text).lower().rpartition("</think>")[2]


def _in(mark: re.Match[str]) -> str:
    """Return the text in brackets or tags."""
    return next(group for group in mark.groups() if group is not None)


def _named(text: str) -> list[_Named]:
    """Return the moves that a text names, in order: those in notation, or else in words."""
    found = [
        _Named(match.start(), match.end(), match["cell"], "".join(match["piece"].split()))
        for match in _NOTATION.finditer(text)
    ]
    if not found:
        for match in _WORDS.finditer(text):
            piece = "".join((match["piece"] or match["piece2"]).split())
            sign = Piece[piece.upper()].sign if piece.isalpha() and piece != "x" else piece
            found.append(_Named(match.start(), match.end(), match["cell"] or match["cell2"], sign))
    if not found:
        found = [_Named(*match.span(), None) for match in _PASS.finditer(text)]
    return found


def _chosen(named: Sequence[_Named], text: str) -> _Named:
    """Return the last of some moves.

    Raises:
        ReplyError: the one before is another, and nothing between them says which counts.
    """
    *before, last = named
    if before:
        other = before[-1]
        differ = (other.cell, other.sign) != (last.cell, last.sign)
        is_short = last.start - other.end <= _MOST_BETWEEN
        if differ and is_short and _OR.fullmatch(text, other.end, last.start):
            names = " and ".join(
                "pass" if it.cell is None else it.cell + it.sign for it in (other, last)
            )
            raise ReplyError(f"it names several moves, such as {names}; name one", "several moves")
    return last


def _no_move(text: str) -> ReplyError:
    """Return the error about a text that names no move."""
    if cells := _ALONE.findall(text):
        return ReplyError(
            f"{cells[-1]} names no piece; add its sign (+, x, <> or ><), such as {cells[-1]}+",
            "incomplete",
        )
    return ReplyError("it names no move; a move is a cell and a sign, such as a1+", "no move")


def _checked(move: _Named, position: Position) -> int:
    """Return the index of a move.

    Raises:
        ReplyError: it is not legal.
    """
    variant = position.variant
    legal = position.legal_actions().tolist()
    if move.cell is None:
        if legal != [variant.pass_action]:
            raise ReplyError(
                "a player may pass only without a legal placement, and you have one, such as "
                f"{variant.action_name(legal[0])}",
                "pass",
            )
        return variant.pass_action
    try:
        action = variant.action_index(move.cell + move.sign)
    except ParseError:
        board = variant.board
        raise ReplyError(
            f"{move.cell} is not a cell of the board, which has the cells "
            f"{' '.join(map(board.cell_name, range(board.num_cells)))}",
            "no such cell",
        ) from None
    if action in legal:
        return action
    raise _illegal(move.cell, action, position, legal)


def _illegal(name: str, action: int, position: Position, legal: Sequence[int]) -> ReplyError:
    """Return the error about a placement that is not legal."""
    variant = position.variant
    piece, cell = divmod(action, variant.board.num_cells)
    if legal == [variant.pass_action]:
        return ReplyError("no placement is legal in this turn; reply with pass", "pass")
    allowed = sorted({one % variant.board.num_cells for one in legal})
    cells = " ".join(map(variant.board.cell_name, allowed))
    if position.stones[cell]:
        return ReplyError(f"{name} is taken; allowed: {cells}", "taken")
    if cell not in allowed:
        return ReplyError(f"{name} is not allowed in this turn; allowed: {cells}", "not allowed")
    pieces = sorted({one // variant.board.num_cells for one in legal})
    playable = " ".join(Piece(one).sign for one in pieces)
    kind = Piece(piece)
    named = f"{kind.name.capitalize()} ({kind.sign})"
    if position.hands[position.to_play, piece]:  # the opening rule asks for another
        return ReplyError(
            f"the first piece may not be a {named}; allowed: {playable}", "not allowed"
        )
    return ReplyError(f"you have no {named} left; you may place: {playable}", "not in hand")
