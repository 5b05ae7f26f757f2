"""mijnlieff.integrations.text: rules and positions as text, replies read, puzzles."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mijnlieff import Position, Variant, benchmark, solve
from mijnlieff.errors import GameOverError, ReplyError
from mijnlieff.integrations.text import (
    move_text,
    moves_text,
    position_text,
    prompt_text,
    puzzles,
    read_move,
    rules_text,
    sample_of,
)
from mijnlieff.rules import Piece
from played import example

VARIANTS = [
    "standard",
    "standard corner_straight",
    "##../##../..##/..## corner 3",
    "#### anywhere 1",
    "################/################",
    "#.#/.#./#.# anywhere",
]
GAME = "1. a1+, a3><; 2. a2+"


@pytest.mark.parametrize("text", VARIANTS)
def test_the_rules_are_those_of_the_variant(text):
    variant = Variant.from_text(text)
    rules = rules_text(text)
    assert rules == rules_text(variant) and rules.isascii()
    board = variant.board
    drawn = rules.partition("BOARD.")[2].partition("\n")[2].partition("\n\n")[0].splitlines()
    names = {board.cell_name(cell): place for cell, place in enumerate(board.cells)}
    assert {name for row in drawn for name in row.split()} == names.keys()
    width = max(map(len, names)) + 1
    for name, (x, y) in names.items():
        assert drawn[board.height - 1 - y][x * width :].split()[0] == name
    assert f"{board.num_cells} cells" in rules and f"{4 * variant.copies} pieces" in rules
    first = rules.partition("first piece goes on")[2].partition(": ")[2].partition(".")[0]
    legal = Position(variant).legal_actions()
    assert first.split() == [
        board.cell_name(cell) for cell in sorted({it % board.num_cells for it in legal})
    ]
    has_gaps = board.num_cells < board.width * board.height
    assert ("gap" in rules.lower()) == has_gaps
    assert ("must be a Straight" in rules) == (variant.opening == "corner_straight")
    assert ("board is full" in rules) == (board.num_cells < 8 * variant.copies)


def test_a_position_as_text_has_all_of_it():
    position = Position.from_record(GAME)
    text = position_text(position)
    assert str(position) in text and moves_text(position) in text and "You are Dark." in text
    notation = text.partition("Notation: ")[2].partition("\n")[0]
    assert Position.from_notation(notation) == position
    assert moves_text(position).split() == [
        position.variant.action_name(it) for it in position.legal_actions()
    ]
    prompt = prompt_text(position)
    assert prompt.startswith(rules_text()) and "[b2+]" in prompt
    assert prompt_text(position, rules=False) == prompt.removeprefix(f"{rules_text()}\n\n")


def test_the_end_of_a_game_as_text_has_no_moves():
    end = example()
    assert "Game over: Light wins 4-1" in position_text(end) and moves_text(end) == ""
    assert "Legal moves" not in position_text(end)
    with pytest.raises(GameOverError):
        read_move("a1+", end)


@pytest.mark.parametrize("text", VARIANTS)
def test_every_move_is_read_in_every_form(text):
    position = Position(text)
    for action in position.legal_actions().tolist():
        name = position.variant.action_name(action)
        piece, cell = divmod(action, position.variant.board.num_cells)
        sign, where = Piece(piece).sign, position.variant.board.cell_name(cell)
        kind = Piece(piece).name
        assert move_text(position, action) == f"{kind.capitalize()} on {where}"
        for reply in (
            name,
            name.upper(),
            f"[{where} {sign}]",
            f"**{name}**",
            f"I have thought about it. {move_text(position, action)}.",
            f"{where} {kind.lower()}",
            f"{where.upper()}: {kind}",
            f"I place my {kind.lower()} on the square {where}!",
            f"<think>zz9+ or pass?</think>\n\n{name}",
            f"<answer>{name}</answer>",
            f"\\boxed{{{where}{sign}}}",
            f'{{"piece": "{kind.lower()}", "cell": "{where}"}}',
            f'{{"cell": "{where}", "piece": "{kind.lower()}"}}',
            f"My move is {name.replace('<', '&lt;').replace('>', '&gt;')}",
            f"{name} #",
            f"{name}, and once more {name}",
        ):
            assert read_move(reply, position) == action, reply
    with pytest.raises(IndexError, match=r"action \d+ does not exist"):
        move_text(position, position.variant.num_actions)
    with pytest.raises(TypeError, match="position must be a Position, not 'a1'"):
        move_text("a1", 0)


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("I considered b2+, but a4x is better.", "a4x"),
        ("[a4x] since b2+ loses", "a4x"),
        ("First [b2+], no: [a4x]", "a4x"),
        ("The Straight on a1 lets me play d2><", "d2><"),
        ("After b2+ you must pass", "b2+"),
        ("b2\N{MULTIPLICATION SIGN}", "b2x"),
        ("\N{FULLWIDTH LATIN SMALL LETTER B}2\N{FULLWIDTH PLUS SIGN}", "b2+"),
        ("x b2", "b2x"),
        ("b2 > <", "b2><"),
        (r"b2 \times", "b2x"),
        ("d2<></answer>", "d2<>"),
    ],
)
def test_the_last_move_wins_and_brackets_before_it(reply, name):
    position = Position.from_record(GAME)
    assert position.variant.action_name(read_move(reply, position)) == name


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        ("", "no move", "a cell and a sign, such as a1+"),
        ("I resign", "no move", "names no move"),
        (None, "no text", "not NoneType"),
        (b"b2+", "no text", "not bytes"),
        ("b2", "incomplete", "b2 names no piece"),
        ("b2+ or a4x", "several moves", "b2+ and a4x; name one"),
        ("[b2+] [a4x]", "several moves", "b2+ and a4x"),
        ("1. a1+, a3><; 2. a2+, b2x", "several moves", "a2+ and b2x"),
        ("e5+", "no such cell", "e5 is not a cell of the board, which has the cells a1 b1"),
        ("a1x", "taken", "a1 is taken; allowed: b2 c2 d2 a4"),
        ("c3+", "not allowed", "c3 is not allowed in this turn; allowed: b2 c2 d2 a4"),
        ("[pass]", "pass", "you have one, such as b2+"),
    ],
)
def test_what_is_wrong_is_said(reply, kind, words):
    with pytest.raises(ReplyError) as caught:
        read_move(reply, Position.from_record(GAME))
    assert caught.value.kind == kind and words in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("Candidates: [a1+, a1x]. My move: [a1+]", "a1+"),
        ("Legal moves: [a1+ b1+ c1+]\n\nI choose <answer>b1+</answer>", "b1+"),
    ],
)
def test_lists_in_brackets_before_the_answer_do_no_harm(reply, name):
    position = Position()
    assert position.variant.action_name(read_move(reply, position)) == name
    with pytest.raises(ReplyError, match="names several moves"):
        read_move(f"{reply}, or maybe one of [b1+, b1x]", position)


def test_pieces_and_passes_that_are_not_there_are_told():
    position = Position.from_record("1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+")
    with pytest.raises(
        ReplyError, match=r"you have no Straight \(\+\) left; you may place: x"
    ) as it:
        read_move(f"{moves_text(position).split()[0][:2]}+", position)
    assert it.value.kind == "not in hand"
    with pytest.raises(
        ReplyError, match=r"first piece may not be a Pusher \(<>\); allowed: \+"
    ) as it:
        read_move("a1<>", Position("standard corner_straight"))
    assert it.value.kind == "not allowed"
    forced = example(11)
    with pytest.raises(ReplyError, match="reply with pass") as it:
        read_move("b4x", forced)
    assert it.value.kind == "pass"
    for reply in ("pass", "I must pass.", "[Pass]", "(passa)"):
        assert read_move(reply, forced) == forced.variant.pass_action


def test_long_replies_are_read_from_their_end():
    position = Position.from_record(GAME)
    assert read_move("a1+ " * 10**6 + "so b2x", position) == position.variant.action_index("b2x")
    for text in ("[" * 10**6, "a1" * 10**6, "a1 " * 10**6, "straight " * 10**5, ", " * 10**6):
        with pytest.raises(ReplyError):
            read_move(text, position)


def test_puzzles_have_exact_margins():
    some = puzzles("standard-v1")
    frozen = benchmark("standard-v1")
    assert len(some) == len(frozen)
    for index in (0, 17, len(some) - 1):
        puzzle, position = some[index], frozen.positions[index]
        solution = solve(position)
        name = position.variant.action_name
        assert puzzle.margins == {name(a): m for a, m in solution.action_margins.items()}
        assert puzzle.answers == [name(a) for a in sorted(solution.best_actions)]
        assert puzzle.answer == puzzle.answers[0] and puzzle.prompt == prompt_text(position)
        assert puzzle.decisive == frozen.decisive[index]
        for move, margin in puzzle.margins.items():
            assert puzzle.regret(f"I say [{move}]") == solution.margin - margin
        with pytest.raises(ReplyError):
            puzzle.regret("no idea")
    assert [it.answer for it in some[3:6]] == [some[i].answer for i in (3, 4, 5)]


def test_puzzles_are_written_as_json_lines(tmp_path):
    path = tmp_path / "puzzles.jsonl"
    some = puzzles(sample_of("irregular-v1", 24), rules=False)
    some.write(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows == list(some.rows()) and len(rows) == 24
    for row in rows:
        position = Position.from_notation(row["position"], row["variant"])
        assert row["prompt"] == prompt_text(position, rules=False)
        assert set(row["margins"]) == set(moves_text(position).split())
    with pytest.raises(OSError, match="cannot write"):
        some.write(tmp_path / "missing" / "puzzles.jsonl")


def test_a_sample_is_spread_over_a_benchmark():
    whole = benchmark("irregular-v1")
    some = sample_of(whole, 80)
    assert len(some) == 80 and set(some.boards) == set(whole.boards)
    assert some.groups == whole.groups
    index = [whole.positions.index(it) for it in some.positions]
    assert np.array_equal(some.solutions.margins, whole.solutions.margins[index])
    assert sample_of(whole, 10**9) is whole
    with pytest.raises(ValueError, match="count must be at least 1, not 0"):
        sample_of(whole, 0)
    with pytest.raises(ValueError, match="unknown benchmark 'standard'"):
        puzzles("standard")
