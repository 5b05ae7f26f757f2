"""Searches of positions of several variants on a canvas."""

from __future__ import annotations

from functools import partial
from zlib import crc32

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Board, Canvas, NetworkPolicy, Position, TreeSearch, Variant, encoding
from mijnlieff.policies import RolloutPolicy
from played import late
from search_inputs import NoisyNetwork, positions_of
from search_reference import after, must_pass

#: A small board, the standard one with other rules, irregular ones, and one of 32 cells.
VARIANTS = [
    Variant(),
    Variant(Board.from_text("##\n##"), copies=1),
    Variant(opening="corner_straight", copies=4),
    Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)])),
    Variant(Board.from_text("####\n" * 8), copies=4),
]
CANVAS = Canvas.around(VARIANTS)

RULES = [
    {"root": "gumbel"},
    {"root": "puct"},
    {"root": "puct", "dirichlet_share": 0.25},
    {"root": "gumbel", "solve_roots_below": 6, "solve_leaves_below": 6, "margin_weight": 0.5},
]


def mixed_positions(each: int = 3, seed: int = 0) -> list[Position]:
    """Positions of all variants, in turn."""
    columns = [positions_of(variant, each, seed) for variant in VARIANTS]
    return [position for row in zip(*columns, strict=True) for position in row]


class CanvasNetwork:
    """Logits and values on a canvas, arbitrary but the same for the same observation."""

    def __call__(self, observations, masks):
        assert observations.dtype == np.float32
        assert observations.shape[1:] == CANVAS.observation_shape
        assert masks.shape == (len(observations), CANVAS.num_actions)
        # The network of a variant of as many cells as the canvas has slots.
        network = NoisyNetwork(VARIANTS[0])
        outputs = [
            network._made_up(np.random.default_rng(crc32(row.tobytes())), mask)
            for row, mask in zip(observations, masks, strict=True)
        ]
        logits, values = zip(*outputs, strict=True)
        return np.stack(logits), np.array(values, np.float32)


def run(search: TreeSearch, network) -> TreeSearch:
    """Search to the end."""
    while (batch := search.select()) is not None:
        search.update(*network(batch.observation, batch.action_mask))
    return search


def results(search: TreeSearch, tree: int) -> list:
    """All that a search has found in one tree."""
    arrays = [
        search.actions,
        search.policy_targets,
        search.root_values,
        search.visit_counts,
        search.root_noise,
        search.solved,
    ]
    return [array[tree].tolist() for array in arrays] + [search.nodes(tree)]


@pytest.mark.parametrize("rule", RULES)
def test_trees_are_those_of_searches_of_one_variant(rule):
    positions = mixed_positions()
    options = {"num_simulations": 24, "canvas": CANVAS, "num_threads": 2, **rule}
    mixed = run(TreeSearch(positions, seed=5, **options), CanvasNetwork())
    for tree, position in enumerate(positions):
        alone = run(TreeSearch([position], seed=5 + tree, **options), CanvasNetwork())
        assert results(alone, 0) == results(mixed, tree)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_canvas_only_renumbers_actions_and_slots(variant, rule):
    positions = positions_of(variant, 4)
    options = {"num_simulations": 24, "seed": 3, **rule}
    plain = run(TreeSearch(positions, **options), NoisyNetwork(variant))
    own = CANVAS.actions(variant)
    network = NoisyNetwork(variant)
    cells = np.array([y * CANVAS.width + x for x, y in variant.board.cells])

    def on_canvas(observations, masks):
        sets = observations[:, :3].reshape(len(masks), 3, -1)[:, :, cells]
        hands = observations[:, 4:, 0, 0]
        flat = np.concatenate([sets.reshape(len(masks), -1), hands], axis=1)
        exists = np.zeros(CANVAS.height * CANVAS.width, np.float32)
        exists[cells] = 1
        np.testing.assert_array_equal(
            observations[:, 3].reshape(len(masks), -1), np.tile(exists, (len(masks), 1))
        )
        assert not np.delete(masks, own, axis=1).any()
        logits, values = network(flat, masks[:, own])
        wide = np.full(masks.shape, np.nan, np.float32)  # no logit of another slot is read
        wide[:, own] = logits
        return wide, values

    on_canvas = run(TreeSearch(positions, canvas=CANVAS, **options), on_canvas)
    np.testing.assert_array_equal(own[plain.actions], on_canvas.actions)
    for name in ("policy_targets", "visit_counts", "root_noise"):
        wide = getattr(on_canvas, name)
        np.testing.assert_array_equal(getattr(plain, name), wide[:, own], err_msg=name)
        assert not np.delete(wide, own, axis=1).any()
    np.testing.assert_array_equal(plain.root_values, on_canvas.root_values)
    np.testing.assert_array_equal(plain.solved, on_canvas.solved)
    for tree in range(len(positions)):
        nodes = [
            {**node, "actions": tuple(own[list(node["actions"])].tolist())}
            for node in plain.nodes(tree)
        ]
        assert nodes == on_canvas.nodes(tree)


def test_leaves_look_as_positions_do_on_the_canvas():
    # A forced pass has no leaf, and equal positions have one.
    positions = list(dict.fromkeys(p for p in mixed_positions(8) if not must_pass(p)))
    batch = TreeSearch(positions, canvas=CANVAS).select()
    np.testing.assert_array_equal(
        batch.observation, encoding.observe_batch(positions, canvas=CANVAS)
    )
    np.testing.assert_array_equal(batch.action_mask, encoding.mask_batch(positions, CANVAS))


@pytest.mark.parametrize("rule", RULES)
def test_the_next_searches_may_be_of_variants_not_seen_before(rule):
    options = {"num_simulations": 64, "canvas": CANVAS, **rule}
    first = [Position(VARIANTS[3]), *positions_of(VARIANTS[3], 4, seed=7)]
    second = [
        after(first[0], CANVAS.variant_action(VARIANTS[3], int(action_of_first(first, options)))),
        *mixed_positions()[1:5],
    ]
    assert not second[0].is_over
    one, all_at_once = [run(TreeSearch(first, **options), CanvasNetwork()) for _ in range(2)]
    # What a tree does next does not depend on the variants of the others.
    one.restart([second[0], *first[1:]])
    run(one, CanvasNetwork())
    all_at_once.restart(second)
    run(all_at_once, CanvasNetwork())
    assert results(one, 0) == results(all_at_once, 0)
    assert one.visit_counts[0].sum() > 64
    for tree, position in enumerate(second):
        legal = CANVAS.actions(position.variant)[position.legal_actions()]
        assert all_at_once.actions[tree] in legal
        assert not np.delete(all_at_once.policy_targets[tree], legal).any()


def action_of_first(positions, options) -> int:
    """The action that a search chooses in the first position."""
    return run(TreeSearch(positions, **options), CanvasNetwork()).actions[0]


def test_random_games_on_a_canvas():
    positions = mixed_positions()
    search = TreeSearch(positions, 32, root="puct", canvas=CANVAS, seed=1)
    search.run_with_rollouts()
    for tree, position in enumerate(positions):
        alone = TreeSearch([position], 32, root="puct", canvas=CANVAS, seed=1 + tree)
        alone.run_with_rollouts()
        assert results(alone, 0) == results(search, tree)


@pytest.mark.parametrize("canvas", [None, CANVAS], ids=["board", "canvas"])
@pytest.mark.parametrize("rule", RULES)
def test_every_tree_may_have_its_own_seed(rule, canvas):
    network = NoisyNetwork(Variant()) if canvas is None else CanvasNetwork()
    options = {"num_simulations": 24, "canvas": canvas, **rule}
    # The last is solved by the rule that solves endings, and drawn from several best actions.
    for position in (Position(), *positions_of(Variant(), 2, seed=9), late(Variant(), 6, seed=1)):
        seeds = np.array([5, 9, 5], np.uint64)
        search = run(TreeSearch([position] * 3, seed=seeds, **options), network)
        for tree, seed in enumerate([5, 9, 5]):
            alone = run(TreeSearch([position], seed=seed, **options), network)
            assert results(alone, 0) == results(search, tree)
    assert search.solved.all() == ("solve_roots_below" in rule)


def test_seeds_of_any_memory_layout_mean_the_same():
    seeds = np.array([2**64 - 1, 7, 0], np.uint64)
    every_other = np.repeat(seeds, 2)[::2]
    one, same = (TreeSearch([Position()] * 3, seed=them) for them in (seeds, every_other))
    assert np.array_equal(
        run(one, NoisyNetwork(Variant())).root_noise, run(same, NoisyNetwork(Variant())).root_noise
    )
    counting = TreeSearch([Position()] * 3, seed=2**64 - 1)  # the second has seed 0
    noise = run(counting, NoisyNetwork(Variant())).root_noise
    assert np.array_equal(noise[:2], one.root_noise[[0, 2]])


def test_many_variants_are_solved_within_the_memory_of_one_table():
    boards = Board.arrangements(4)[:12]
    variants = [Variant(board, copies=copies) for board in boards for copies in (2, 4)]
    positions = [late(variant, 6, seed) for seed, variant in enumerate(variants)]
    options = mijnlieff.SearchOptions(8, solve_roots_below=6, margin_weight=0.0)
    search = TreeSearch(positions, options, canvas=Canvas.around(variants))
    search.run_with_rollouts()
    assert search.solved.all()
    for tree, position in enumerate(positions):
        solution = mijnlieff.solve(position)
        assert search.root_values[tree] == np.sign(solution.margin)
        own = Canvas.around(variants).variant_action(position.variant, int(search.actions[tree]))
        assert np.sign(solution.action_margins[own]) == np.sign(solution.margin)


class TestBadInput:
    def test_mixed_positions_need_a_canvas(self):
        with pytest.raises(ValueError, match=r"position 1 is of .*, the first one of "):
            TreeSearch(mixed_positions())

    def test_a_variant_must_fit_the_canvas(self):
        positions = mixed_positions()
        message = (
            "position 3: a board of 5 rows and 6 columns does not fit a canvas of 4 rows and 4"
        )
        with pytest.raises(mijnlieff.errors.VariantError, match=message):
            TreeSearch(positions, canvas=Canvas(4, 4))
        search = TreeSearch(positions[:2], canvas=Canvas(4, 4), num_simulations=4)
        search.run_with_rollouts()
        found = [results(search, tree) for tree in range(2)]
        with pytest.raises(mijnlieff.errors.VariantError, match="position 1: a board of 5 rows"):
            search.restart([positions[0], positions[3]])
        assert [results(search, tree) for tree in range(2)] == found

    def test_logits_have_the_width_of_the_canvas(self):
        search = TreeSearch([Position()], canvas=CANVAS)
        search.select()
        width = CANVAS.num_actions
        message = rf"the logits have shape \(1, 65\), but the leaves need \(1, {width}\)"
        with pytest.raises(mijnlieff.errors.PolicyError, match=message):
            search.update(np.zeros((1, 65)), np.zeros(1))
        search.update(np.zeros((1, width)), np.zeros(1))

    @pytest.mark.parametrize("layout", ["flat", "packed"])
    def test_canvases_have_planes_only(self, layout):
        with pytest.raises(ValueError, match=f'"planes", not "{layout}"'):
            TreeSearch([Position()], canvas=CANVAS, observation=layout)
        with pytest.raises(ValueError, match=f'"planes", not "{layout}"'):
            NetworkPolicy(CanvasNetwork(), search=4, canvas=CANVAS, observation=layout)

    def test_a_canvas_is_a_canvas(self):
        with pytest.raises(TypeError, match="Canvas"):
            TreeSearch([Position()], canvas=(4, 4))

    @pytest.mark.parametrize(
        ("seed", "error", "message"),
        [
            (np.arange(2, dtype=np.uint64), ValueError, r"seed has shape \(2,\), .* need \(3,\)"),
            (np.zeros((3, 1), np.uint64), ValueError, r"seed has shape \(3, 1\), .* need \(3,\)"),
            (np.arange(3), TypeError, "seed must be uint64, not int64"),
            (np.zeros(3), TypeError, "seed must be uint64, not float64"),
            ([5, 9, 5], TypeError, r"seed must be an integer, not \[5, 9, 5\]"),
            (None, TypeError, "seed must be an integer, not None"),
        ],
    )
    def test_seeds_are_an_integer_or_one_for_each_tree(self, seed, error, message):
        with pytest.raises(error, match=message):
            TreeSearch([Position()] * 3, seed=seed)

    def test_no_positions(self):
        with pytest.raises(ValueError, match="empty"):
            TreeSearch([], canvas=CANVAS)


class TestPolicies:
    @pytest.mark.parametrize(
        "make",
        [
            partial(RolloutPolicy, 16),
            partial(NetworkPolicy, CanvasNetwork(), search=16, canvas=CANVAS),
        ],
        ids=["rollouts", "network"],
    )
    def test_they_play_positions_of_mixed_variants(self, make):
        positions = mixed_positions()
        actions = make(seed=2).act_batch(positions)
        for number, (position, action) in enumerate(zip(positions, actions, strict=True)):
            assert action in position.legal_actions()
            assert make(seed=2 + number).act(position) == action

    def test_the_canvas_may_be_smaller_than_the_standard_board(self):
        small = VARIANTS[1]
        canvas = Canvas.around([small])
        policy = NetworkPolicy(lambda o, m: (m * 1.0, m[:, 0] * 0.0), search=4, canvas=canvas)
        position = Position(small)
        assert policy.act(position) in position.legal_actions()
        with pytest.raises(mijnlieff.errors.VariantError, match="position 0: a board of 4 rows"):
            policy.act(Position())
