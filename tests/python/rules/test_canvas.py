"""Canvas: boards of different shapes in observations, masks and actions of one shape."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from mijnlieff import Board, Canvas, Position, Variant, VariantError
from mijnlieff.encoding import mask_batch, observe_batch

VARIANTS = [
    Variant(),
    Variant(opening="anywhere", copies=3),
    Variant(Board.from_text("##..\n..##"), copies=1),
    Variant(Board.from_text("#.#"), "corner", 1),
    Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (6, 0)]), copies=4),
    Variant(Board.from_blocks([(0, 0), (1, 2), (2, 4)]), copies=127),
]
CANVAS = Canvas(7, 9)


def games(seed):
    """A random position of every variant, and every fourth position a finished game."""
    rng = np.random.default_rng(seed)
    for number, variant in enumerate(VARIANTS * 3):
        position = Position(variant)
        while not position.is_over and (number % 4 == 0 or rng.random() < 0.8):
            position = position.play(int(rng.choice(position.legal_actions())))
        yield position


def on_canvas(position, dtype, player, canvas):
    """The observation on a canvas, cell by cell from the flat one of the position."""
    flat = position.observation("flat", dtype, player)
    cells = position.variant.board.num_cells
    planes = np.zeros((12, canvas.height, canvas.width), flat.dtype)
    for cell, (x, y) in enumerate(position.variant.board.cells):
        planes[:3, y, x] = flat[[cell, cells + cell, 2 * cells + cell]]
        planes[3, y, x] = 1
    planes[4:] = flat[3 * cells :, np.newaxis, np.newaxis]
    return planes


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("player", [None, 0, 1])
def test_observations_lie_in_the_lower_left_corner(dtype, player):
    for position in games(1):
        found = position.observation("planes", dtype, player, CANVAS)
        expected = on_canvas(position, dtype, player, CANVAS)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
        own = Canvas.around([position.variant])
        np.testing.assert_array_equal(
            position.observation(dtype=dtype, player=player, canvas=own),
            position.observation("planes", dtype, player),
        )


def test_masks_mark_the_cells_of_legal_actions():
    for position in games(2):
        mask = position.action_mask(CANVAS)
        assert mask.dtype == np.int8 and mask.shape == (CANVAS.num_actions,)
        on_canvas = CANVAS.actions(position.variant)
        np.testing.assert_array_equal(mask[on_canvas], position.action_mask())
        assert mask.sum() == position.action_mask().sum()


def test_batches_hold_positions_of_mixed_variants():
    positions = list(games(3)) * 300  # many enough for the GIL to be released
    for dtype in ("float32", "uint8"):
        batch = observe_batch(positions, dtype=dtype, canvas=CANVAS)
        assert batch.shape == (len(positions), *CANVAS.observation_shape)
        for row, position in zip(batch, positions[:18], strict=False):
            np.testing.assert_array_equal(row, position.observation(dtype=dtype, canvas=CANVAS))
        np.testing.assert_array_equal(batch[-18:], batch[:18])
    masks = mask_batch(positions, CANVAS)
    assert masks.shape == (len(positions), CANVAS.num_actions) and masks.dtype == np.int8
    for mask, position in zip(masks, positions[:18], strict=False):
        np.testing.assert_array_equal(mask, position.action_mask(CANVAS))


def test_actions_go_to_the_canvas_and_back():
    for variant in VARIANTS:
        on_canvas = CANVAS.actions(variant)
        assert on_canvas.dtype == np.int64 and on_canvas.shape == (variant.num_actions,)
        assert on_canvas[-1] == CANVAS.pass_action == CANVAS.num_actions - 1
        back = [CANVAS.variant_action(variant, action) for action in on_canvas]
        assert back == list(range(variant.num_actions))
        cells = variant.board.cells
        for action, number in enumerate(on_canvas[:-1]):
            piece, cell = divmod(int(number), CANVAS.height * CANVAS.width)
            y, x = divmod(cell, CANVAS.width)
            assert (piece, (x, y)) == (action // len(cells), cells[action % len(cells)])
    own = Canvas.around([Variant()])
    assert own.actions(Variant()).tolist() == list(range(65))


def test_a_canvas_is_a_value():
    canvas = Canvas(height=4, width=np.int64(8))
    assert (canvas.height, canvas.width, canvas.num_actions, canvas.pass_action) == (4, 8, 129, 128)
    assert canvas.observation_shape == (12, 4, 8)
    assert canvas == Canvas(4, 8) and canvas != Canvas(8, 4) and len({canvas, Canvas(4, 8)}) == 1
    assert repr(canvas) == "Canvas(4, 8)" and eval(repr(canvas)) == canvas
    for made in (copy.copy(canvas), copy.deepcopy(canvas), pickle.loads(pickle.dumps(canvas))):
        assert made == canvas
    assert Canvas.around(VARIANTS) == Canvas(6, 8)
    assert Canvas.around((Variant(),)) == Canvas(4, 4)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Canvas(0, 4), ValueError, "height must be 1 to 64, not 0"),
        (lambda: Canvas(4, 65), ValueError, "width must be 1 to 64, not 65"),
        (lambda: Canvas(4, 2**70), ValueError, "width must be 1 to 64, not 1180591620717411303424"),
        (lambda: Canvas(4.0, 4), TypeError, "height must be an integer, not 4.0"),
        (lambda: Canvas(4, True), TypeError, "width must be an integer, not True"),
        (lambda: Canvas.around([]), ValueError, "at least one variant"),
        (lambda: Canvas.around(Variant()), TypeError, "variants must be a list of Variant, not"),
        (
            lambda: Canvas.around([Variant(), "x"]),
            VariantError,
            '"x" is not a variant',
        ),
        (
            lambda: Canvas(3, 4).actions(Variant()),
            VariantError,
            "4 rows and 4 columns does not fit",
        ),
        (lambda: Canvas(4, 3).variant_action(Variant(), 0), VariantError, "does not fit a canvas"),
        (lambda: Canvas(5, 5).variant_action(Variant(), 4), IndexError, "column 4 and row 0"),
        (
            lambda: Canvas(5, 5).variant_action(Variant(), 101),
            IndexError,
            "actions .* are 0 to 100",
        ),
        (
            lambda: Canvas(5, 5).variant_action(Variant(), -1),
            IndexError,
            "action -1 does not exist",
        ),
        (lambda: Canvas(5, 5).variant_action(Variant(), "a1+"), TypeError, "action must be an int"),
        (lambda: Position().observation(canvas=Canvas(3, 4)), VariantError, "does not fit"),
        (lambda: Position().observation("flat", canvas=CANVAS), ValueError, 'not "flat"'),
        (lambda: Position().observation("packed", canvas=CANVAS), ValueError, 'not "packed"'),
        (lambda: Position().observation(dtype=int, canvas=CANVAS), TypeError, "dtype"),
        (lambda: Position().observation(canvas=4), TypeError, "canvas"),
        (lambda: Position().action_mask(Canvas(4, 3)), VariantError, "does not fit"),
        (lambda: observe_batch([], canvas=CANVAS), ValueError, "list of positions is empty"),
        (lambda: observe_batch([Position()], "flat", canvas=CANVAS), ValueError, 'not "flat"'),
        (
            lambda: observe_batch([Position()], "x", canvas=CANVAS),
            ValueError,
            "unknown observation",
        ),
        (lambda: mask_batch([], CANVAS), ValueError, "list of positions is empty"),
        (
            lambda: mask_batch([Position(VARIANTS[2]), Position()], Canvas(2, 4)),
            VariantError,
            "position 1: a board of 4 rows",
        ),
        (
            lambda: observe_batch([Position(VARIANTS[2]), Position()], canvas=Canvas(2, 4)),
            VariantError,
            "position 1: a board of 4 rows",
        ),
    ],
)
def test_impossible_canvases_and_boards_that_do_not_fit(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_without_a_canvas_positions_are_of_one_variant():
    mixed = [Position(), Position(VARIANTS[2])]
    for call in (observe_batch, mask_batch):
        with pytest.raises(ValueError, match="position 1 is of"):
            call(mixed)
