"""Board.arrangements, compared with a plain enumeration, and Board.random."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from mijnlieff import Board, Position, Variant
from reference import points


def images(cells):
    """The eight images of a set of cells, moved to the axes."""
    for turns, mirrored in product(range(4), (False, True)):
        image = [(-x, y) if mirrored else (x, y) for x, y in cells]
        for _ in range(turns):
            image = [(-y, x) for x, y in image]
        left, bottom = min(x for x, _ in image), min(y for _, y in image)
        yield tuple(sorted((x - left, y - bottom) for x, y in image))


def free_places(layout, corners):
    """Where one more block can be joined to the blocks of a layout."""
    places = set()
    for (x, y), dx, dy in product(layout, range(-2, 3), range(-2, 3)):
        near = max(abs(dx), abs(dy)) == 2
        if not near or (abs(dx) == abs(dy) and not corners):
            continue
        new = (x + dx, y + dy)
        if all(max(abs(new[0] - a), abs(new[1] - b)) >= 2 for a, b in layout):
            places.add(new)
    return places


def covered(layout):
    """The cells that the blocks of a layout cover."""
    return frozenset((x + dx, y + dy) for x, y in layout for dx in (0, 1) for dy in (0, 1))


def plain_arrangements(blocks, corners):
    """The least images of all sets of cells that so many blocks cover."""
    layouts = {frozenset([(0, 0)])}
    for _ in range(blocks - 1):
        layouts = {layout | {place} for layout in layouts for place in free_places(layout, corners)}
    return {min(images(covered(layout))) for layout in layouts}


def random_chances(blocks, corners):
    """The chance of each board, up to symmetry, as `Board.random` documents it."""
    chances = {frozenset([(0, 0)]): Fraction(1)}
    for _ in range(blocks - 1):
        larger = Counter()
        for layout, chance in chances.items():
            places = free_places(layout, corners)
            for place in places:
                larger[layout | {place}] += chance / len(places)
        chances = larger
    boards = Counter()
    for layout, chance in chances.items():
        boards[min(images(covered(layout)))] += chance
    return boards


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


@pytest.mark.parametrize("corners", [False, True])
def test_random_boards_come_as_often_as_documented(corners):
    chances = random_chances(3, corners)
    assert sum(chances.values()) == 1
    generator = np.random.default_rng(3)
    draws = 4000
    found = Counter(min(images(Board.random(3, generator, corners).cells)) for _ in range(draws))
    assert set(found) <= set(chances)
    squares = sum(
        float((found[board] - draws * chance) ** 2 / (draws * chance))
        for board, chance in chances.items()
    )
    # Chi-square with 8 or 14 degrees of freedom: above 45 once in 10^4 draws or less.
    assert squares < 45


@pytest.mark.parametrize("blocks", [1, 2, 5, 9, 16])
def test_random_boards_have_the_cells_of_their_blocks(blocks):
    for seed in range(10):
        board = Board.random(blocks, seed, corners=seed % 2 == 1)
        assert board.num_cells == 4 * blocks
        assert Position(Variant(board)).legal_actions().size > 0


def test_random_boards_are_those_of_their_seed():
    assert [Board.random(6, seed) for seed in range(5)] == [
        Board.random(6, rng=np.int64(seed), corners=False) for seed in range(5)
    ]
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    drawn = [Board.random(4, one) for _ in range(20)]
    assert drawn == [Board.random(4, other) for _ in range(20)]
    assert len(set(drawn)) > 10
    assert one.bit_generator.state == other.bit_generator.state
    assert len({Board.random(8) for _ in range(20)}) > 1
    assert Board.random(1) == Board.from_blocks([(0, 0)])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0,), ValueError, "blocks must be 1 to 16, not 0"),
        ((17, 0), ValueError, "blocks must be 1 to 16, not 17"),
        ((2.0,), TypeError, "blocks must be an integer, not 2.0"),
        ((4, -1), ValueError, r"rng must be 0 to 2\*\*64 - 1, not -1"),
        ((4, 2**64), ValueError, "rng must be 0 to"),
        ((4, True), TypeError, "rng must be a seed or a numpy.random.Generator, not True"),
        ((4, "0"), TypeError, "rng must be a seed or a numpy.random.Generator, not '0'"),
        ((4, np.random.RandomState(0)), TypeError, "rng must be a seed or a"),
    ],
)
def test_impossible_random_boards(arguments, error, message):
    with pytest.raises(error, match=message):
        Board.random(*arguments)


def test_text_of_a_board_makes_the_board_again():
    for board in Board.arrangements(3, corners=True):
        assert board.to_text() == str(board)
        assert Board.from_text(board.to_text()) == board


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("text", ["###\n###\n###", "####\n####\n##..", "##..\n####\n..##"])
def test_max_margin_is_the_best_that_stones_can_score(text, copies):
    variant = Variant(Board.from_text(text), copies=copies)
    cells = variant.board.cells
    stones = min(4 * copies, len(cells))
    best = max(points(dict.fromkeys(lay, 0), 0) for lay in combinations(cells, stones))
    assert variant.max_margin == best


def test_max_margin_bounds_large_boards():
    variant = Variant(Board.from_text("\n".join(["#" * 8] * 8)), copies=9)
    assert variant.max_margin == points(dict.fromkeys(variant.board.cells, 0), 0)
    assert Variant().max_margin == 6
