"""Training on many boards: the split, the network on a canvas, games and grades."""

from __future__ import annotations

import importlib
import json
import threading
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from mijnlieff import Board, Canvas, Network, Position, Variant, solve
from mijnlieff._mijnlieff import random_openings
from mijnlieff.encoding import observe_batch
from mijnlieff.errors import BoardError, VariantError
from mijnlieff.train import Boards
from mijnlieff.train.boards import boards_named
from mijnlieff.train.network.regrets import regrets_of
from mijnlieff.train.play.local import ThreadedGames
from mijnlieff.train.play.returns import lambda_returns
from mijnlieff.train.play.search import self_play
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.run.graded import _read, graded_positions
from network_reference import features as features_of
from random_networks import random_network
from tiny_runs import STANDARD, TWO_BLOCKS, played_round, tiny

FOUR_BLOCKS = Board.arrangements(4)


def network(side=8):
    return random_network(Canvas(side, side), 16, 2, 4, copies=2, std=0.2)


def evaluated(net, observations):
    with torch.no_grad():
        logits, values = net(torch.from_numpy(observations))
    return logits.numpy(), values.numpy()


# The boards


def test_the_boards_held_out_depend_on_the_seed_alone():
    boards = Boards.split("arrangements:4", 0.2, seed=3)
    assert (len(boards.seen), len(boards.unseen)) == (48, 12)
    assert boards == Boards.split(FOUR_BLOCKS, 0.2, seed=3)
    assert boards != Boards.split("arrangements:4", 0.2, seed=4)
    assert {one.board for one in boards.all} == set(FOUR_BLOCKS)
    assert boards.canvas == Canvas(8, 8)
    assert STANDARD.canvas is None


def test_all_variants_share_the_rules():
    boards = Boards.split(TWO_BLOCKS, 0.3, opening="corner", copies=1)
    assert {(one.opening, one.copies) for one in boards.all} == {("corner", 1)}
    assert Boards.from_dict(json.loads(json.dumps(boards.to_dict()))) == boards


@pytest.mark.parametrize(("rows", "fewest"), [(2, 3), (3, 8), (4, 13)])
def test_the_fewest_empty_cells_of_a_decision(rows, fewest):
    variant = Variant(Board.from_text("#####\n" * rows), "anywhere", 1)
    rng, found = np.random.default_rng(0), set()
    for _ in range(200):
        position = Position(variant)
        while not position.is_over:
            found.add(int((position.stones == 0).sum()))
            position = position.play(rng.choice(position.legal_actions()))
    assert min(found) == fewest == Boards((variant,)).fewest_empty


def test_boards_can_be_named():
    assert boards_named("arrangements:3") == Board.arrangements(3)
    assert boards_named("arrangements:3:corners") == Board.arrangements(3, True)


def test_boards_can_be_read_from_a_file(tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text("\n####\n####\n\n\n  ##..\n  ..##\n")
    assert boards_named(str(file)) == [Board.from_text("####\n####"), Board.from_text("##..\n..##")]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("arrangements:", "arrangements:"),
        ("arrangements:x", "arrangements:x"),
        ("arrangements:4:edges", "arrangements:4:edges"),
        ("arrangements:4:", "arrangements:4:"),
        ("arrangements:9", "9"),
        ("no such file", "no such file"),
        ("zero\0byte", "zero"),
    ],
)
def test_unknown_boards_are_refused(text, part):
    with pytest.raises(ValueError, match=part):
        boards_named(text)


def test_what_is_not_a_board_in_a_file_is_named(tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text("##\n##\n\n#x\n")
    with pytest.raises(BoardError, match="board 2 of"):
        boards_named(str(file))
    file.write_text("\n\n")
    with pytest.raises(ValueError, match="holds no boards"):
        boards_named(str(file))


@pytest.mark.parametrize(
    ("holdout", "part"),
    [
        (1.0, "1.0"),
        (-0.1, "-0.1"),
        (float("nan"), "nan"),
        (0.1, "holds out no board"),
        (0.9, "leaves no board"),
    ],
)
def test_a_holdout_that_makes_no_sense_is_refused(holdout, part):
    with pytest.raises(ValueError, match=part):
        Boards.split(TWO_BLOCKS, holdout)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Boards((Board.standard(),)), "seen must be .* Variant .*number 1 is Board"),
        (lambda: Boards(Variant()), "seen must be a sequence of Variant objects, not Variant"),
        (lambda: Boards((Variant(),), ("x",)), "unseen must be .* number 1 is 'x'"),
        (lambda: Boards((Variant(),), holdout="x"), "holdout must be a number, not 'x'"),
        (lambda: Boards.split([Variant()]), "boards must be .* Board .*number 1 is Variant"),
        (lambda: Boards.split(5), "boards must be a sequence of Board objects, not 5"),
        (lambda: Boards.split(TWO_BLOCKS, "x"), "holdout must be a number, not 'x'"),
        (lambda: Boards.split(TWO_BLOCKS, True), "holdout must be a number, not True"),
        (lambda: Boards.split(TWO_BLOCKS, 0.3, seed=0.5), "seed must be an integer, not 0.5"),
    ],
)
def test_wrong_types_are_named(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_a_seed_out_of_range_is_named():
    with pytest.raises(ValueError, match=r"seed must be 0 to .*, not -1"):
        Boards.split(TWO_BLOCKS, 0.3, seed=-1)


def test_boards_are_kept_as_plain_values():
    assert Boards([Variant()], []) == Boards((Variant(),)) and hash(Boards([Variant()]))
    boards = Boards.split(FOUR_BLOCKS, np.float32(0.25), np.int64(3))
    assert boards == Boards.split(FOUR_BLOCKS, 0.25, 3)
    assert json.dumps(boards.to_dict())


def test_a_board_too_small_for_a_match_is_refused():
    boards = [Board.standard(), Board.from_text("#")]
    with pytest.raises(
        ValueError, match=r'board 2, Board.from_text\("#"\), is too small: its games'
    ):
        Boards.split(boards, 0)
    assert len(Boards.split([Board.standard(), Board.from_text("##")], 0).seen) == 2


def test_equal_boards_are_refused():
    flat, high = Board.from_text("###\n#.."), Board.from_text("##\n.#\n.#")
    with pytest.raises(ValueError, match="boards 1 and 3 are equal"):
        Boards.split([flat, Board.standard(), high], 0)
    with pytest.raises(ValueError, match="boards 1 and 2 are equal"):
        Boards((Variant(flat),), (Variant(high),))
    with pytest.raises(ValueError, match="different openings"):
        Boards((Variant(flat),), (Variant(copies=1),))
    with pytest.raises(ValueError, match="no board to learn on"):
        Boards(())
    with pytest.raises(ValueError, match="at least one board"):
        Boards.split([], 0)
    with pytest.raises(VariantError):
        Boards.split(TWO_BLOCKS, 0, copies=0)


# The network


def test_logits_do_not_depend_on_the_rest_of_the_batch():
    """A batch is padded to the board with the most cells in it."""
    small = random_openings(3, 3, Variant(Board.from_text("####\n####")), 1)
    large = random_openings(3, 5, Variant(FOUR_BLOCKS[20]), 1)
    shown = observe_batch([*small, *large], "planes", canvas=Canvas(8, 8))
    net = network()
    logits, values = evaluated(net, shown)
    for row in range(len(shown)):
        alone = evaluated(net, shown[row : row + 1])
        np.testing.assert_allclose(alone[0][0], logits[row], atol=1e-5)
        np.testing.assert_allclose(alone[1][0], values[row], atol=1e-5)
    assert np.abs(logits).max() > 0.1


def test_it_makes_no_difference_where_on_the_canvas_a_board_lies():
    position = random_openings(1, 4, Variant(Board.from_text("####\n##.#\n.###")), 1)[0]
    shown = position.observation("planes", canvas=Canvas(8, 8))[None]
    moved = shown.copy()
    moved[:, :4] = np.roll(shown[:, :4], (3, 2), axis=(2, 3))
    net = network()
    (logits, values), (after, same) = evaluated(net, shown), evaluated(net, moved)
    np.testing.assert_allclose(values, same, atol=1e-5)
    placed = logits[0, :-1].reshape(4, 8, 8)
    expected = np.roll(placed, (3, 2), axis=(1, 2))
    np.testing.assert_allclose(after[0, :-1].reshape(4, 8, 8), expected, atol=1e-5)
    np.testing.assert_allclose(logits[0, -1], after[0, -1], atol=1e-5)


def test_slots_without_a_cell_have_no_logit():
    position = Position(Variant(Board.from_text("##\n.#"), "anywhere"))
    canvas = Canvas(4, 4)
    logits, _ = evaluated(network(4), position.observation("planes", canvas=canvas)[None])
    outside = position.action_mask(canvas) == 0
    outside[-1] = False  # the pass
    assert (logits[0][outside] == 0).all()
    assert (logits[0][~outside] != 0).all()


@pytest.mark.parametrize("board", [Board.standard(), FOUR_BLOCKS[3], FOUR_BLOCKS[20]])
def test_the_features_follow_from_the_rules(board):
    """On a canvas, gaps must be seen in the plane of the cells."""
    variant = Variant(board)
    positions = [one for ply in (0, 3, 8, 12) for one in random_openings(4, ply, variant, ply)]
    extended = np.array([features_of(position) for position in positions])
    planes = torch.from_numpy(observe_batch(positions, "planes", canvas=Canvas(8, 8))).flatten(2)
    tables = network().geometry.tables(planes[:, 3])
    own, opposing, allowed = (
        planes[:, :3].gather(2, tables.where[:, None].expand(-1, 3, -1)).unbind(1)
    )
    features, margins = tables.inputs(own, opposing, allowed)
    expected = extended[:, 3 * board.num_cells + 8 : -2]
    np.testing.assert_array_equal(features[:, :, 3:].transpose(1, 2).flatten(1), expected)
    assert len(np.unique(margins)) > 1
    np.testing.assert_array_equal(margins[:, 0] / 4, extended[:, -1])


def test_turned_positions_are_positions_of_the_turned_board():
    board = FOUR_BLOCKS[20]
    variant = Variant(board, "anywhere")
    turned = SymmetricBoards(Boards((variant,), (Variant(FOUR_BLOCKS[-1], "anywhere"),)))
    canvas = turned.canvas
    cells = np.array(board.cells)
    for turn in range(8):
        moved = cells[:, ::-1] if turn & 1 else cells
        moved = moved * (-1 if turn & 2 else 1, -1 if turn & 4 else 1)
        moved = moved - moved.min(axis=0)
        rows = np.full(moved.max(axis=0)[::-1] + 1, ".")
        rows[moved[:, 1], moved[:, 0]] = "#"
        other = Board.from_text("\n".join("".join(row) for row in rows[::-1]))
        number = {cell: index for index, cell in enumerate(other.cells)}
        to_other = [number[tuple(cell)] for cell in moved.tolist()]
        position, twin = Position(variant), Position(Variant(other, "anywhere"))
        for _ in range(4):
            action = int(position.legal_actions()[-2])
            kind, cell = divmod(action, board.num_cells)
            position = position.play(action)
            twin = twin.play(kind * board.num_cells + to_other[cell])
        one, way = torch.tensor([0]), torch.tensor([turn])
        flat = torch.from_numpy(position.observation("flat", "uint8")[None])
        mask = torch.from_numpy(position.action_mask()[None])
        expected = twin.observation("planes", "uint8", canvas=canvas)
        np.testing.assert_array_equal(turned.observations(one, way, flat)[0], expected)
        expected = twin.action_mask(canvas)
        np.testing.assert_array_equal(turned.actions(one, way, mask)[0], expected)


# The games


def played_on(boards, config, seed=1):
    return played_round(network(boards.canvas.height), boards, config, seed)


def test_samples_are_packed_from_the_canvas():
    """Boards of different sizes: rows are padded to the cells of the largest."""
    boards = Boards((Variant(Board.from_text("###\n###")), Variant(Board.from_text("####\n####"))))
    config = tiny(many_boards=True, num_simulations=2)
    native = Network.from_torch(network(4))
    games = self_play(native, boards, config, 3).play(12)
    assert (games.action_margins > np.iinfo(np.int16).min).any()
    values = lambda_returns(games, native, 1.0)
    samples = SymmetricBoards(boards).pack(games, values)
    assert set(samples.boards.tolist()) == {0, 1}
    for row in range(len(samples)):
        variant = boards.seen[samples.boards[row]]
        cells, actions = variant.board.num_cells, boards.canvas.actions(variant)
        parts = samples.observations[row, :24].reshape(3, 8)
        x, y = np.array(variant.board.cells).T
        np.testing.assert_array_equal(parts[:, :cells], games.observations[row, :3, y, x].T)
        np.testing.assert_array_equal(
            samples.observations[row, 24:], games.observations[row, 4:, 0, 0]
        )
        assert not parts[:, cells:].any()
        for padded, on_canvas in [
            (samples.masks, games.action_masks),
            (samples.policies, games.policy_targets.astype(np.float16)),
            (samples.regrets, regrets_of(games.action_margins)),
        ]:
            placed = padded[row, :-1].reshape(4, 8)
            np.testing.assert_array_equal(placed[:, :cells].ravel(), on_canvas[row, actions[:-1]])
            assert not placed[:, cells:].any() and padded[row, -1] == on_canvas[row, -1]
        assert samples.values[row].tolist() == [games.outcomes[row], games.margins[row]]


def test_samples_have_exact_labels_where_the_solver_plays():
    boards = Boards.split(TWO_BLOCKS, 0.3)
    played = played_on(boards, tiny(many_boards=True, solve_roots_below=8))
    samples = played.samples
    assert len(samples) > 16
    assert played.simulations == 0
    found = 0
    for row in range(0, len(samples), 7):
        board = boards.seen[samples.boards[row]]
        size = board.board.num_cells
        matching = [
            position
            for ply in range(size)
            for position in random_openings(200, ply, board, ply)
            if (position.observation("flat", "uint8") == samples.observations[row]).all()
        ]
        if not matching:
            continue
        found += 1
        solution = solve(matching[0])
        assert samples.values[row].tolist() == [solution.outcome, solution.margin]
        best = np.flatnonzero(samples.policies[row]).tolist()
        assert best == solution.best_actions
    assert found > 3


def test_samples_are_legal_and_on_seen_boards():
    boards = Boards.split(TWO_BLOCKS, 0.3)
    samples = played_on(boards, tiny(many_boards=True)).samples
    assert set(samples.boards.tolist()) == {0, 1}
    assert len(boards.seen) == 2
    assert ((samples.policies > 0) <= (samples.masks > 0)).all()
    np.testing.assert_allclose(samples.policies.astype(float).sum(axis=1), 1, atol=0.01)
    assert not samples.masks[:, -1].any()  # forced passes are left out
    np.testing.assert_array_equal(np.sign(samples.values[:, 1]), samples.values[:, 0])


def test_games_from_the_rules_alone_are_searched_to_their_end():
    boards = Boards.split(TWO_BLOCKS, 0.3)
    config = tiny(many_boards=True, knowledge="pure", solve_roots_below=0)
    played = played_on(boards, config)
    assert played.simulations == config.num_simulations * len(played.samples) > 0


def test_random_plies_never_end_a_game():
    """Games on 8 cells end long before a hundred plies."""
    config = tiny(many_boards=True, random_plies=100, num_envs=64)
    played = played_on(Boards.split(TWO_BLOCKS, 0.3), config)
    assert played.games == 64
    assert played.steps <= 64 * 16


def test_a_round_that_is_abandoned_ends_its_thread():
    boards = Boards.split(TWO_BLOCKS, 0.3)
    source = ThreadedGames(boards, tiny(many_boards=True, num_envs=20_000), torch.Generator())
    source.close()  # before a round there is nothing to stop
    source.begin(network(4), 0)
    source.close()
    assert not [t for t in threading.enumerate() if t.name == "mijnlieff-self-play"]
    source.close()


# The grades


def test_graded_positions_are_kept_and_damaged_files_replaced(tmp_path):
    file = tmp_path / "graded.npz"
    boards = Boards.split(TWO_BLOCKS, 0.3)
    made = graded_positions(file, boards, 10, seed=0)
    content = file.read_bytes()
    again = graded_positions(file, boards, 10, seed=0)
    assert list(again.positions) == list(made.positions)
    assert again.groups == made.groups and again.sources.tolist() == made.sources.tolist()
    margins = again.solutions.action_margins
    np.testing.assert_array_equal(margins, made.solutions.action_margins)
    for damaged in (content[:100], b"", b"PK\x03\x04nothing"):
        file.write_bytes(damaged)
        again = graded_positions(file, boards, 10, seed=0)
        assert list(again.positions) == list(made.positions)
    assert len(graded_positions(file, boards, 20, seed=0).positions) > len(made.positions)


@pytest.mark.parametrize("wanted", [False, True])
def test_drawing_graded_positions_shows_progress_if_asked(wanted, tmp_path, monkeypatch):
    shown = []

    @contextmanager
    def bar(total, unit, enabled):
        shown.append(enabled)
        yield lambda count: None

    # The package has a function of the module's name.
    module = importlib.import_module("mijnlieff.evaluation.benchmark")
    monkeypatch.setattr(module, "progress_bar", bar)
    graded_positions(tmp_path / "it", Boards.split(TWO_BLOCKS, 0.3), 10, seed=0, progress=wanted)
    assert shown == [wanted]


def test_any_bit_of_graded_positions_may_be_damaged(tmp_path):
    file = tmp_path / "graded.npz"
    boards = Boards.split(TWO_BLOCKS, 0.3)
    made = graded_positions(file, boards, 10, seed=0)
    groups, about = list(made.groups), json.dumps([boards.to_dict(), 10, 0])
    content = file.read_bytes()
    assert _read(file, boards, groups, about) is not None
    refused = 0
    for bit in range(0, 8 * len(content), 8 * len(content) // 400):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        refused += _read(file, boards, groups, about) is None
    assert refused > 100
