"""The Rust core against the slow reference, ply by ply over random games on random variants.

``pytest tests/python/rules/test_rules.py --games=10000`` compares more games than the default; the
line before the last of the output says how many games, plies and variants agreed.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

import mijnlieff
import reference
from example_game import RECORD, STANDARD, action_names
from random_variants import VariantSpec, build, random_spec

PERFT_LIMIT = 300  # no deeper count than the first above this, so that the reference keeps up


def assert_array(found: np.ndarray, expected: object, dtype: str) -> None:
    """Demand the dtype, the shape and every number, floats exactly."""
    wanted = np.array(expected, dtype=dtype)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert np.array_equal(found, wanted)


def assert_same_variant(core: mijnlieff.Variant, slow: reference.Variant) -> None:
    """Compare what does not change in a game: board, symmetries, numbering of actions."""
    board, cells = core.board, slow.board.cells
    assert board.num_cells == len(cells)
    assert (board.width, board.height) == (slow.board.width, slow.board.height)
    assert board.cells == tuple(cells)
    assert (core.num_actions, core.pass_action) == (slow.pass_action + 1, slow.pass_action)
    for action in range(core.num_actions):
        assert core.action_name(action) == slow.name(action)
        assert core.action_index(slow.name(action)) == action

    assert board.symmetries.dtype == core.action_symmetries.dtype == np.int64
    found = [tuple(row) for row in board.symmetries.tolist()]
    assert found[0] == tuple(range(len(cells)))
    assert sorted(found) == sorted(slow.board.symmetries())
    moved_actions = [
        [piece * len(cells) + cell for piece in range(4) for cell in row] + [core.pass_action]
        for row in found
    ]
    assert core.action_symmetries.tolist() == moved_actions


def assert_same_position(core: mijnlieff.Position, slow: reference.Position) -> None:
    """Compare everything that can be asked of a position."""
    legal = slow.legal_actions()
    num_actions = slow.variant.pass_action + 1
    assert_array(core.legal_actions(), legal, "int64")
    assert_array(core.action_mask(), [int(a in legal) for a in range(num_actions)], "int8")
    owner = {None: 0, reference.LIGHT: 1, reference.DARK: 2}
    stones = [owner[slow.stones.get(cell)] for cell in slow.variant.board.cells]
    assert_array(core.stones, stones, "int8")
    assert_array(core.hands, slow.hands, "int8")

    light, dark = slow.score()
    assert (core.ply, core.to_play, core.is_over) == (slow.ply, slow.to_play, slow.is_over)
    assert (core.score, core.margin) == ((light, dark), light - dark)
    assert core.winner == slow.winner()
    for layout in ("planes", "flat"):
        for dtype in ("float32", "uint8"):
            found = core.observation(layout=layout, dtype=dtype)
            assert_array(found, slow.observation(layout, dtype), dtype)


def assert_read_as_written(core: mijnlieff.Position) -> None:
    """Read the text of a position, which says its last turn too."""
    read = mijnlieff.Position.from_notation(core.notation, core.variant)
    assert (read, read.last_action, read.notation) == (core, core.last_action, core.notation)


def assert_only_legal_actions_play(core: mijnlieff.Position, slow: reference.Position) -> None:
    """Try every action index that is not legal, and see that nothing moves."""
    legal = slow.legal_actions()
    error = mijnlieff.GameOverError if slow.is_over else mijnlieff.IllegalMoveError
    before = hash(core)
    for action in set(range(slow.variant.pass_action + 1)) - set(legal):
        with pytest.raises(error):
            core.play(action)
    assert hash(core) == before


def play_one_game(seed: int, tally: Counter) -> None:
    """Walk both implementations through the same random game and compare them all the way."""
    spec = random_spec(seed)
    rng = random.Random(f"game {seed}")
    core_variant, slow_variant = build(spec), spec.reference()
    assert_same_variant(core_variant, slow_variant)

    core, slow = mijnlieff.Position(core_variant), slow_variant.start()
    actions: list[int] = []
    checked_ply = rng.randint(0, 4 * len(slow_variant.board.cells))  # some never get there
    while True:
        assert_same_position(core, slow)
        assert_read_as_written(core)
        if slow.ply == checked_ply or slow.is_over:
            assert_only_legal_actions_play(core, slow)
        if slow.is_over:
            break
        action = rng.choice(slow.legal_actions())
        actions.append(action)
        core, slow = core.play(action), slow.play(action)

    assert mijnlieff.Position.from_actions(actions, core_variant) == core
    record = mijnlieff.format_record(actions, core_variant)
    assert mijnlieff.parse_record(record, core_variant) == actions
    tally["games"] += 1
    tally["plies"] += slow.ply
    tally["forced passes"] += actions.count(slow_variant.pass_action)
    tally["draws"] += slow.winner() is None


def test_random_games_agree(seeds: range, tally: Counter) -> None:
    for seed in seeds:
        try:
            play_one_game(seed, tally)
        except BaseException as error:
            error.add_note(f"in game {seed} of {random_spec(seed)}")
            raise


@pytest.mark.parametrize("opening", reference.OPENINGS)
def test_opening_masks_agree_on_every_board(opening: str) -> None:
    """Each board is compared under all four openings, not only the one that its seed drew."""
    for seed in range(200):
        spec = random_spec(seed)
        spec = VariantSpec(spec.blocks, spec.text, opening, spec.copies)
        assert_same_position(mijnlieff.Position(build(spec)), spec.reference().start())


def test_perft_agrees(tally: Counter) -> None:
    """Count from the start and from one random later position, as deep as the limit lets."""
    for seed in range(100):
        spec = random_spec(seed)
        rng = random.Random(f"perft {seed}")
        core, slow = mijnlieff.Position(build(spec)), spec.reference().start()
        for _ in range(2):
            for depth in range(6):
                count = reference.perft(slow, depth)
                assert mijnlieff.rules.perft(core, depth) == count, (spec, depth)
                tally["perft counts"] += 1
                if count > PERFT_LIMIT:
                    break
            for _ in range(rng.randint(1, 20)):
                if slow.is_over:
                    break
                action = rng.choice(slow.legal_actions())
                core, slow = core.play(action), slow.play(action)


def test_standard_game_agrees_on_the_example_game() -> None:
    core, slow = mijnlieff.Position(), reference.Variant(STANDARD).start()
    assert_same_variant(core.variant, slow.variant)
    types = [-1] * len(STANDARD.cells)
    assert_same_position(core, slow)
    for name in action_names(RECORD):
        action = slow.variant.action(name)
        if action != slow.variant.pass_action:
            piece, cell = slow.variant.decode(action)
            types[STANDARD.number[cell]] = piece
        core, slow = core.play(name), slow.play(action)
        assert_same_position(core, slow)
        assert_array(core.pieces, types, "int8")
        assert_read_as_written(core)
    assert mijnlieff.Position.from_record(RECORD) == core
    assert mijnlieff.format_record(action_names(RECORD)) == RECORD
