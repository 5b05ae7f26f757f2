"""The slow reference itself: check values, worked examples, and small drawn cases."""

from __future__ import annotations

import pytest

from example_game import RECORD, STANDARD, action_names
from processes import ROOT
from reference import (
    DARK,
    DIAGONAL,
    LIGHT,
    PULLER,
    PUSHER,
    STRAIGHT,
    Board,
    Position,
    Variant,
    perft,
    points,
)

DATA = ROOT / "tests" / "data"
CHECK_VALUES = [
    line.split("|")
    for line in (DATA / "check_values.perft").read_text().splitlines()
    if not line.startswith("#")
]
ROW_OF_BLOCKS = Board.from_blocks([(0, 0), (2, 0), (4, 0), (6, 0)])
CORNER_TO_CORNER = Board.from_blocks([(0, 0), (2, 2), (4, 4), (6, 6)])


def replay(variant: Variant, names: list[str]) -> Position:
    position = variant.start()
    for name in names:
        position = position.play(variant.action(name))
    return position


def legal_names(position: Position) -> set[str]:
    return {position.variant.name(action) for action in position.legal_actions()}


def stones_from(drawing: str) -> dict[tuple[int, int], int]:
    """Read stones from rows, the top one first: L, D, and anything else for none."""
    rows = list(enumerate(reversed(drawing.split())))
    return {
        (x, y): "LD".index(sign) for y, row in rows for x, sign in enumerate(row) if sign in "LD"
    }


@pytest.mark.parametrize(("blocks", "opening", "copies", "counts"), CHECK_VALUES)
def test_perft_matches_the_check_values(blocks, opening, copies, counts):
    board = Board.from_blocks([tuple(map(int, block.split(","))) for block in blocks.split()])
    start = Variant(board, opening.strip(), int(copies)).start()
    for depth, count in enumerate(counts.split(), start=1):
        assert perft(start, depth) == int(count)


def test_example_game_is_legal_and_ends_4_to_1():
    end = replay(Variant(STANDARD), action_names(RECORD))
    assert end.is_over and end.legal_actions() == []
    assert end.score() == (4, 1)
    assert end.winner() == LIGHT
    assert end.hands == ((0, 0, 0, 0), (0, 1, 0, 1))  # one last turn is one piece, whatever is held


def test_example_game_after_the_fifth_turn():
    position = replay(Variant(STANDARD), action_names(RECORD)[:10])
    assert position.last == position.variant.action("d3+")
    assert {name[:2] for name in legal_names(position)} == {"b3", "d1", "d4"}


@pytest.mark.parametrize(
    ("drawing", "light", "dark"),
    [
        ("LL.", 0, 0),
        ("LLL", 1, 0),
        ("LLLL", 2, 0),
        ("LLLLL", 3, 0),
        ("DDDDDD", 0, 4),
        ("DDDDDDD", 0, 5),
        ("DDDDDDDD", 0, 6),
        ("LLL.LLL", 2, 0),  # an empty cell, or a gap, ends a run
        ("LLDLL", 0, 0),  # so does an opposing stone
        ("LL.L DDDL", 0, 1),
        ("L D L D L D", 0, 0),
        ("L L L L", 2, 0),
        ("L.. .L. ..L", 1, 0),
        ("...D ..D. .D.. D...", 0, 2),
        ("LLL L.. L..", 2, 0),  # the corner stone counts twice
        ("LLL LLL LLL", 8, 0),  # three rows, three columns, two diagonals
        ("D.D .D. D.D", 0, 2),
    ],
)
def test_points_of_runs(drawing, light, dark):
    stones = stones_from(drawing)
    assert (points(stones, LIGHT), points(stones, DARK)) == (light, dark)


def test_gaps_stop_lines_and_corners_do_not():
    # #.##      a3 . c3 d3
    # ##.#      a2 b2 . d2
    # .###       . b1 c1 d1
    board = Board.from_text("#.##\n##.#\n.###")
    assert board.reach(STRAIGHT, (0, 2)) == {(0, 1)}
    assert board.reach(STRAIGHT, (3, 1)) == {(3, 0), (3, 2)}
    assert board.reach(DIAGONAL, (1, 1)) == {(0, 2), (2, 2), (2, 0)}
    assert board.reach(PULLER, (1, 1)) == {(0, 1), (0, 2), (1, 0), (2, 0), (2, 2)}
    assert board.reach(PUSHER, (1, 1)) == {(3, 0), (3, 1), (3, 2)}


def test_blocks_that_meet_at_a_corner_touch_and_share_a_diagonal():
    board = CORNER_TO_CORNER
    assert board.reach(DIAGONAL, (0, 0)) == {(i, i) for i in range(1, 8)}
    assert board.reach(PULLER, (1, 1)) == {(0, 0), (1, 0), (0, 1), (2, 2)}
    assert board.reach(STRAIGHT, (1, 1)) == {(0, 1), (1, 0)}


def test_stones_do_not_block_lines():
    position = replay(Variant(Board.from_text("#####")), ["b1+", "c1+", "a1+"])
    assert {name[:2] for name in legal_names(position)} == {"d1", "e1"}


@pytest.mark.parametrize(
    ("text", "outside", "corner"),
    [
        ("####\n####\n####\n####", 12, 4),
        ("###\n###\n###", 8, 4),
        ("#####", 5, 2),
        (".#.\n###\n.#.", 4, 4),
        ("#", 1, 1),
    ],
)
def test_openings(text, outside, corner):
    board = Board.from_text(text)
    firsts = {
        opening: len(Variant(board, opening).start().legal_actions())
        for opening in ("outside", "corner", "corner_straight", "anywhere")
    }
    assert firsts == {
        "outside": 4 * outside,
        "corner": 4 * corner,
        "corner_straight": corner,
        "anywhere": 4 * len(board.cells),
    }


def test_forced_passes_can_follow_each_other():
    variant = Variant(Board.from_text("##\n##"))
    position = replay(variant, ["a1<>"])  # every other cell touches a1
    assert legal_names(position) == {"pass"}
    position = replay(variant, ["a1<>", "pass"])
    assert {name[:2] for name in legal_names(position)} == {"b1", "a2", "b2"}  # free placement
    assert legal_names(replay(variant, ["a1<>", "pass", "b1<>"])) == {"pass"}


def test_full_board_ends_the_game_only_with_a_pass():
    variant = Variant(Board.from_text("##\n##"))
    full = replay(variant, ["a1><", "b1><", "a2><", "b2+"])
    assert not full.is_over and legal_names(full) == {"pass"}
    end = full.play(variant.pass_action)
    assert end.is_over and end.legal_actions() == []
    assert (end.score(), end.winner()) == ((0, 0), None)


def test_last_turn_without_a_placement_is_forfeited():
    # a3 b3   L L      Light places its four pieces; b3>< points at full cells only,
    # a2 b2   L L      so that Dark cannot use b1 and the pass ends the game.
    # a1 b1   D .
    names = ["a3+", "a1x", "b2x", "pass", "a2<>", "pass", "b3><"]
    position = replay(Variant(Board.from_text("##\n##\n##"), "anywhere", 1), names)
    assert not position.is_over and legal_names(position) == {"pass"}
    end = position.play(position.variant.pass_action)
    assert end.is_over
    assert end.hands == ((0, 0, 0, 0), (1, 0, 1, 1))


def test_symmetries_of_known_boards():
    assert len(STANDARD.symmetries()) == 8
    assert STANDARD.symmetries()[0] == tuple(range(16))
    assert len(ROW_OF_BLOCKS.symmetries()) == 4
    assert len(CORNER_TO_CORNER.symmetries()) == 4
    assert Board.from_text("###").symmetries() == [(0, 1, 2), (2, 1, 0)]
    assert Board.from_text("##\n#.\n#.").symmetries() == [(0, 1, 2, 3)]


def test_observation_of_a_small_position():
    # .#     b2 is cell 2; a1 b1 are cells 0 and 1
    # ##
    position = replay(Variant(Board.from_text(".#\n##"), "anywhere", 3), ["a1x"])
    hands = [1, 1, 1, 1, 1, 2 / 3, 1, 1]
    assert position.observation("flat", "uint8") == [*map(int, "00010000133333233")]
    assert position.observation("flat", "float32")[9:] == pytest.approx(hands, abs=1e-7)
    planes = position.observation("planes", "uint8")
    assert planes[:4] == [[[0, 0], [0, 0]], [[1, 0], [0, 0]], [[0, 0], [0, 1]], [[1, 1], [0, 1]]]
    assert planes[9] == [[2, 2], [2, 2]]
    assert len(planes) == 12


def test_bad_boards_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        Board.from_blocks([(0, 0), (1, 1)])
    with pytest.raises(ValueError, match="65"):
        Board.from_text("#" * 65)
