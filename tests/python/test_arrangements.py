"""Board.arrangements, compared with a plain enumeration."""

from itertools import combinations, product

import pytest

from mijnlieff import Board, Position, Variant


def images(cells):
    """The eight images of a set of cells, moved to the axes."""
    for turns, mirrored in product(range(4), (False, True)):
        image = [(-x, y) if mirrored else (x, y) for x, y in cells]
        for _ in range(turns):
            image = [(-y, x) for x, y in image]
        left, bottom = min(x for x, _ in image), min(y for _, y in image)
        yield tuple(sorted((x - left, y - bottom) for x, y in image))


def plain_arrangements(blocks, corners):
    """The least images of all sets of cells that so many blocks cover."""
    layouts = {frozenset([(0, 0)])}
    for _ in range(blocks - 1):
        larger = set()
        for layout in layouts:
            for (x, y), dx, dy in product(layout, range(-2, 3), range(-2, 3)):
                near = max(abs(dx), abs(dy)) == 2
                if not near or (abs(dx) == abs(dy) and not corners):
                    continue
                new = (x + dx, y + dy)
                if all(max(abs(new[0] - a), abs(new[1] - b)) >= 2 for a, b in layout):
                    larger.add(layout | {new})
        layouts = larger
    cells = {
        frozenset((x + dx, y + dy) for x, y in layout for dx in (0, 1) for dy in (0, 1))
        for layout in layouts
    }
    return {min(images(board)) for board in cells}


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("blocks", [1, 2, 3, 4])
def test_arrangements_are_all_boards_up_to_symmetry(blocks, corners):
    boards = Board.arrangements(blocks, corners)
    found = [min(images(board.cells)) for board in boards]
    assert len(set(found)) == len(found)
    assert set(found) == plain_arrangements(blocks, corners)
    assert all(board.width >= board.height for board in boards)


def test_one_box_makes_60_boards_and_145_with_joints_at_corners():
    assert len(Board.arrangements()) == 60
    assert len(Board.arrangements(4, corners=True)) == 145
    assert Board.standard() in Board.arrangements()
    assert Board.arrangements() == Board.arrangements(4, False)
    assert Position(Variant(Board.arrangements()[0])).legal_actions().size == 64


@pytest.mark.parametrize(
    ("blocks", "error"), [(0, ValueError), (7, ValueError), (True, TypeError), ("4", TypeError)]
)
def test_impossible_numbers_of_blocks(blocks, error):
    with pytest.raises(error, match=f"blocks must be .*{blocks!r}"):
        Board.arrangements(blocks)


def test_text_of_a_board_makes_the_board_again():
    for board in Board.arrangements(3, corners=True):
        assert board.to_text() == str(board)
        assert Board.from_text(board.to_text()) == board


def points(board, stones):
    """Points of stones on these cells, run by run."""
    total = 0
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for x, y in stones:
            if (x - dx, y - dy) not in stones:
                length = 1
                while (x + dx * length, y + dy * length) in stones:
                    length += 1
                total += max(0, length - 2)
    return total


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("text", ["###\n###\n###", "####\n####\n##..", "##..\n####\n..##"])
def test_max_margin_is_the_best_that_stones_can_score(text, copies):
    variant = Variant(Board.from_text(text), copies=copies)
    cells = variant.board.cells
    stones = min(4 * copies, len(cells))
    best = max(points(variant.board, set(lay)) for lay in combinations(cells, stones))
    assert variant.max_margin == best


def test_max_margin_bounds_large_boards():
    variant = Variant(Board.from_text("\n".join(["#" * 8] * 8)), copies=9)
    assert variant.max_margin == points(variant.board, set(variant.board.cells))
    assert Variant().max_margin == 6
