"""Every bad input gets a typed error that names the value and says what would be right.

`python tests/python/hostile/test_bad_input.py` prints the list.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    Position,
    SearchOptions,
    TreeSearch,
    Variant,
    VectorEnv,
    encoding,
    errors,
    functional,
)
from mijnlieff.policies import RolloutPolicy
from processes import printed_by

STANDARD = Position()
BROKEN = "\ud800"
GAME = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+"
FINISHED = Position.from_record(GAME + "; 6. d4x, pass; 7. b4x, pass; 8. b3<>, b1<> #")

# What is done, the exception, and words that its message must have.
RULES: list[tuple[str, Callable[[], object], type[Exception], list[str]]] = [
    ("no blocks", lambda: Board.from_blocks([]), errors.BoardError, ["at least one block"]),
    (
        "overlapping blocks",
        lambda: Board.from_blocks([(0, 0), (1, 1)]),
        errors.BoardError,
        ["(0, 0)", "(1, 1)", "overlap"],
    ),
    (
        "a block listed twice",
        lambda: Board.from_blocks([(4, 0), (4, 0)]),
        errors.BoardError,
        ["(4, 0)", "twice"],
    ),
    (
        "17 blocks, 68 cells",
        lambda: Board.from_blocks([(2 * i, 0) for i in range(17)]),
        errors.BoardError,
        ["1 to 64", "68"],
    ),
    ("65 cells", lambda: Board.from_text("#" * 65), errors.BoardError, ["1 to 64", "65"]),
    ("no cells", lambda: Board.from_text("....\n...."), errors.BoardError, ["1 to 64", "0"]),
    ("an empty text", lambda: Board.from_text(""), errors.BoardError, ["1 to 64", "0"]),
    (
        "another character",
        lambda: Board.from_text("##\n#o"),
        errors.BoardError,
        ["'o'", "row 2", "'#'"],
    ),
    ("ragged rows", lambda: Board.from_text("##\n#"), errors.BoardError, ["row 2", "fill it up"]),
    (
        "blocks far apart",
        lambda: Board.from_blocks([(0, 0), (2**31 - 1, -(2**31))]),
        errors.BoardError,
        ["at most 64", "2147483649"],
    ),
    (
        "a block at 2^40",
        lambda: Board.from_blocks([(2**40, 0)]),
        errors.BoardError,
        ["(1099511627776, 0)", "too far out"],
    ),
    (
        "blocks that are not pairs",
        lambda: Board.from_blocks([(1, 2, 3)]),
        ValueError,
        ["0", "2", "3"],
    ),
    ("a board of numbers", lambda: Board.from_text(7), TypeError, ["'int'"]),
    ("an unknown opening", lambda: Variant(opening="any"), errors.VariantError, ["any", "outside"]),
    ("no copies", lambda: Variant(copies=0), errors.VariantError, ["1 to 127", "0"]),
    ("negative copies", lambda: Variant(copies=-2), errors.VariantError, ["1 to 127", "-2"]),
    ("128 copies", lambda: Variant(copies=128), errors.VariantError, ["1 to 127", "128"]),
    ("10^30 copies", lambda: Variant(copies=10**30), errors.VariantError, ["1 to 127", "1000"]),
    ("a board that is none", lambda: Variant(board="4x4"), TypeError, ["'Board'"]),
    (
        "an illegal action",
        lambda: STANDARD.play(5),
        errors.IllegalMoveError,
        ["action 5", "b2+", "opening rule", "legal: a1+"],
    ),
    (
        "a piece not held",
        lambda: Position.from_record(GAME).play("d1+"),
        errors.IllegalMoveError,
        ["d1+", "left in the hand", "legal: d1x"],
    ),
    (
        "an occupied cell",
        lambda: STANDARD.play("a1+").play("a1x"),
        errors.IllegalMoveError,
        ["a1x", "occupied"],
    ),
    (
        "a pass that is not forced",
        lambda: STANDARD.play("pass"),
        errors.IllegalMoveError,
        ["action 64 (pass)", "only when"],
    ),
    ("an action too large", lambda: STANDARD.play(65), errors.IllegalMoveError, ["65", "0 to 64"]),
    ("a negative action", lambda: STANDARD.play(-1), errors.IllegalMoveError, ["-1", "0 to 64"]),
    ("action 10^30", lambda: STANDARD.play(10**30), errors.IllegalMoveError, ["1000", "0 to 64"]),
    ("an action None", lambda: STANDARD.play(None), TypeError, ["action", "None"]),
    ("an unknown cell", lambda: STANDARD.play("e1+"), errors.ParseError, ["e1+", "a1 to d4"]),
    ("an unknown sign", lambda: STANDARD.play("a1*"), errors.ParseError, ["*", "+, x, <> or ><"]),
    ("play after the end", lambda: FINISHED.play(0), errors.GameOverError, ["game is over"]),
    (
        "an unknown action in a list",
        lambda: Position.from_actions(["a1+", "a3><", "b2x", "e5x"]),
        errors.ParseError,
        ["move 4: ", "e5x"],
    ),
    (
        "an unknown action to format",
        lambda: mijnlieff.format_record(["a1+", "zz"]),
        errors.ParseError,
        ["move 2: ", "zz"],
    ),
    (
        "half a record",
        lambda: Position.from_record("1. a1+, a3><; 2."),
        errors.ParseError,
        ["text ends", "16"],
    ),
    (
        "a record cut in a turn",
        lambda: Position.from_record("1. a1+,"),
        errors.ParseError,
        ["move after ','", "text ends"],
    ),
    (
        "a record cut in a move",
        lambda: Position.from_record("1. a1+, a3>"),
        errors.ParseError,
        ["a sign", '">"'],
    ),
    (
        "an illegal move in a record",
        lambda: mijnlieff.parse_record("1. a1+, d4x"),
        errors.IllegalMoveError,
        ["move 2 (d4x)", "last piece does not allow"],
    ),
    (
        "illegal actions to format",
        lambda: mijnlieff.format_record([0, 0]),
        errors.IllegalMoveError,
        ["move 2", "a1+"],
    ),
    (
        "an impossible position",
        lambda: Position.from_notation("SSSs/..../..../.... a4 1"),
        errors.PositionError,
        ["3 stones of type Straight", "only 2 exist", "Dark has 1 stones"],
    ),
    (
        "a position without opening stone",
        lambda: Position.from_notation("..../.S../..../.... b3 1"),
        errors.PositionError,
        ["no stone on an opening cell"],
    ),
    (
        "a position of another board",
        lambda: Position.from_notation("../.. - 0"),
        errors.ParseError,
        ["4 rows of 4"],
    ),
    (
        "an unknown layout",
        lambda: STANDARD.observation("image"),
        ValueError,
        ["image", "planes, flat, packed"],
    ),
    (
        "an observation dtype",
        lambda: STANDARD.observation("flat", np.float64),
        TypeError,
        ["float32 or uint8", "float64"],
    ),
    (
        "the shape of an unknown layout",
        lambda: Variant().observation_shape("image"),
        ValueError,
        ["image", "planes, flat, packed"],
    ),
    (
        "the shape of packed observations of 4 copies",
        lambda: Variant(copies=4).observation_shape("packed"),
        errors.VariantError,
        ["at most 16 cells", "4 copies"],
    ),
    (
        "packing 64 cells",
        lambda: Position(Variant(Board.from_text("#" * 64))).observation("packed"),
        errors.VariantError,
        ["at most 16 cells", "64 cells"],
    ),
    (
        "a negative depth",
        lambda: mijnlieff.rules.perft(STANDARD, -1),
        ValueError,
        ["-1", "0 to"],
    ),
    ("perft of nothing", lambda: mijnlieff.rules.perft(None, 1), TypeError, ["Position"]),
    ("no positions", lambda: encoding.observe_batch([]), ValueError, ["at least one"]),
    (
        "mixed variants",
        lambda: encoding.mask_batch([STANDARD, Position(Variant(copies=3))]),
        ValueError,
        ["position 1", "copies=3"],
    ),
    ("an unknown action name", lambda: Variant().action_name(65), IndexError, ["65", "0 to 64"]),
    ("a negative action name", lambda: Variant().action_name(-1), IndexError, ["-1", "0 to 64"]),
    ("an unknown cell name", lambda: Board.standard().cell_name(16), IndexError, ["16", "0 to 15"]),
    ("a lone surrogate", lambda: STANDARD.play("a\ud800"), errors.ParseError, ["'\\ud800'", "1"]),
    (
        "a lone surrogate in a record",
        lambda: Position.from_record("1. a1\udcff"),
        errors.ParseError,
        ["'\\udcff'", "character 5"],
    ),
    (
        "a lone surrogate in a position",
        lambda: Position.from_notation("\ud800"),
        errors.ParseError,
        ["'\\ud800'"],
    ),
    (
        "a lone surrogate in a board",
        lambda: Board.from_text("#\ud800"),
        errors.ParseError,
        ["'\\ud800'"],
    ),
    *(
        (f"a lone surrogate in {what}", do, errors.ParseError, ["lone surrogates", "'\\ud800'"])
        for what, do in {
            "an opening": lambda: Variant(opening=BROKEN),
            "a layout": lambda: STANDARD.observation(BROKEN),
            "the layout of a shape": lambda: Variant().observation_shape(BROKEN),
            "the layout of states": lambda: functional.observe(functional.init(1), BROKEN),
            "a reward": lambda: functional.step(functional.init(1), [0], reward=BROKEN),
            "an illegal action": lambda: functional.step(
                functional.init(1), [0], illegal_action=BROKEN
            ),
            "a seat of a batch": lambda: VectorEnv(1, opponent="random", seat=BROKEN),
            "a reward of a batch": lambda: VectorEnv(1, reward=BROKEN),
            "an illegal action of a batch": lambda: VectorEnv(1, illegal_action=BROKEN),
            "a layout of a batch": lambda: VectorEnv(1, observation=BROKEN),
            "a layout of a search": lambda: TreeSearch([STANDARD], observation=BROKEN),
            "the root of a search": lambda: TreeSearch([STANDARD], root=BROKEN),
            "the backup of a search": lambda: SearchOptions(backup=BROKEN),
        }.items()
    ),
    (
        "a list of others",
        lambda: encoding.mask_batch([STANDARD, 3]),
        TypeError,
        ["position 1", "3"],
    ),
    (
        "a list that is none",
        lambda: encoding.mask_batch(3),
        TypeError,
        ["list of Position", "3"],
    ),
    (
        "a record for actions",
        lambda: Position.from_actions("1. a1+, a3><"),
        TypeError,
        ["actions must be a list of actions, not a str", "parse_record"],
    ),
    (
        "a position for actions",
        lambda: mijnlieff.format_record(STANDARD),
        TypeError,
        ["actions must be a list of actions, not Position.from_notation("],
    ),
    ("solving a number", lambda: mijnlieff.solve(3), TypeError, ["a Position", "not 3"]),
    ("solving numbers", lambda: mijnlieff.solve_batch([3]), TypeError, ["position 0", "not 3"]),
    ("solving no list", lambda: mijnlieff.solve_batch(3), TypeError, ["list of Position", "not 3"]),
    (
        "a search of a number",
        lambda: RolloutPolicy(4).act(3),
        TypeError,
        ["a Position", "not 3"],
    ),
    (
        "a player given a number",
        lambda: mijnlieff.RandomPolicy().act(3),
        TypeError,
        ["a Position", "not 3"],
    ),
    (
        "a variant that is a number",
        lambda: encoding.expand_packed(np.zeros(1, np.uint64), 3),
        TypeError,
        ["a Variant", "not 3"],
    ),
]

LONG = "y" * 10**6
LONG_TEXTS: list[Callable[[], object]] = [
    lambda: STANDARD.play(LONG),
    lambda: STANDARD.play("a1" + LONG),
    lambda: Variant().action_index(LONG),
    lambda: Position.from_record(LONG),
    lambda: mijnlieff.parse_record("1. a1+ " + LONG),
    lambda: Position.from_notation(LONG),
    lambda: Position.from_notation(LONG + " - 0"),
    lambda: Position.from_notation("..../..../..../.... - " + LONG),
    lambda: Position.from_notation(f"..../..../..../.... {LONG} 0"),
    lambda: Variant(opening=LONG),
    lambda: STANDARD.observation(LONG),
    lambda: mijnlieff.TreeSearch([STANDARD], root=LONG),
    lambda: mijnlieff.rules.perft(LONG, 1),
    lambda: encoding.mask_batch(np.zeros(10**6)),
    lambda: STANDARD.play([LONG]),
]


def check(do: Callable[[], object], exception: type[Exception], words: list[str]) -> str:
    """Run `do`; return the message of the exception, which must be exactly of this type."""
    before = (STANDARD.notation, FINISHED.notation)
    with pytest.raises(exception) as caught:
        do()
    assert type(caught.value) is exception
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert (STANDARD.notation, FINISHED.notation) == before
    return message


@pytest.mark.parametrize(("what", "do", "exception", "words"), RULES, ids=[row[0] for row in RULES])
def test_rules(what, do, exception, words):
    check(do, exception, words)


@pytest.mark.parametrize("do", LONG_TEXTS)
def test_messages_stay_short_however_long_the_input_is(do):
    with pytest.raises((ValueError, TypeError)) as caught:
        do()
    assert len(str(caught.value)) < 200
    if isinstance(caught.value, errors.ParseError):
        assert "y" * 50 in str(caught.value)


def test_an_illegal_move_carries_what_was_legal():
    with pytest.raises(errors.IllegalMoveError) as caught:
        STANDARD.play(5)
    assert caught.value.action == 5
    assert caught.value.legal_actions == list(STANDARD.legal_actions())
    assert caught.value.env_index is None


def test_the_first_error_may_come_where_python_cannot_import():
    program = """
        import builtins, sys
        import mijnlieff

        def play(depth):
            return play(depth - 1) if depth else position.play(9999)

        class Last:
            def __del__(self, position=mijnlieff.Position(), error=mijnlieff.IllegalMoveError):
                try:
                    position.play(9999)
                except error as refused:
                    print(refused.action)

        builtins.last = Last()  # outlives the means to import
        position = mijnlieff.Position()
        sys.setrecursionlimit(200)
        for depth in range(200, 0, -1):
            try:
                play(depth)
            except RecursionError:
                deepest = depth
            except mijnlieff.IllegalMoveError:
                break
        print(deepest - depth)
        """
    assert printed_by(textwrap.dedent(program)).split() == ["1", "9999"]


def test_every_exception_has_a_base_that_numpy_users_expect():
    for name in errors.__all__:
        exception = getattr(errors, name)
        assert issubclass(exception, errors.MijnlieffError)
        builtin = (ValueError, RuntimeError, ImportError, OSError)
        assert exception is errors.MijnlieffError or issubclass(exception, builtin)


if __name__ == "__main__":
    for what, do, exception, words in RULES:
        print(f"{what:34} {exception.__name__:17} {check(do, exception, words)[:110]}")
