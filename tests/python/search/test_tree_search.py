"""TreeSearch against the solver; policies that search; and their errors."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from board_shapes import WIDE
from mijnlieff import (
    Board,
    GameOverError,
    NetworkPolicy,
    PolicyError,
    Position,
    RandomPolicy,
    SearchOptions,
    TreeSearch,
    Variant,
    evaluate,
    solve,
)
from mijnlieff.policies import RolloutPolicy
from mijnlieff.policies.searches import search_with
from played import finished, open_games
from search_inputs import NoisyNetwork, positions_of
from search_reference import after, must_pass

SMALL = Variant(Board.from_text("###\n###\n.##"), "corner", 1)
GAPS = Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (1, 2)]))
VARIANTS = [Variant(), Variant(opening="corner_straight"), WIDE, SMALL]


def test_results_depend_on_neither_the_other_trees_nor_the_threads():
    positions = positions_of(Variant(), 300)
    searches = [TreeSearch(positions, 16, seed=5, num_threads=n) for n in (1, 3)]
    searches.append(TreeSearch(positions[40:], 16, seed=45, num_threads=2))
    for search in searches:
        search_with(NoisyNetwork(Variant()), search)
    assert (searches[0].policy_targets == searches[1].policy_targets).all()
    assert (searches[0].actions == searches[1].actions).all()
    assert (searches[0].policy_targets[40:] == searches[2].policy_targets).all()


def test_equal_leaves_are_evaluated_once():
    network = NoisyNetwork(Variant())
    search = TreeSearch([Position()] * 50, 8, temperature=0.0)
    search_with(network, search)
    assert network.rows == network.batches == 9  # the root and a leaf a simulation
    batch = TreeSearch([Position()] * 3 + positions_of(Variant(), 1, seed=4), 8).select()
    assert len(batch) == 2
    assert batch.observation.shape == (2, 56)


@pytest.mark.parametrize(
    ("variant", "layout"),
    [(v, layout) for v in (*VARIANTS, GAPS) for layout in ("planes", "flat")]
    + [(Variant(), "packed"), (GAPS, "packed")],
    ids=str,
)
def test_leaves_look_as_positions_do(variant, layout):
    free = (p for p in positions_of(variant, 20, seed=5) if len(p.legal_actions()) > 1)
    position = next(free)  # a forced pass would not be evaluated itself
    batch = TreeSearch([position], 4, observation=layout).select()
    assert (batch.observation[0] == position.observation(layout)).all()
    assert (batch.action_mask[0] == position.action_mask()).all()


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_solved_endings_have_the_value_of_the_solver(root):
    positions = [p for p in positions_of(Variant(), 60, seed=2) if p.ply >= 8]
    solving = TreeSearch(
        positions,
        4,
        root=root,
        margin_weight=1.0,
        solve_roots_below=9,
        solve_leaves_below=9,
        num_threads=1,
    )
    search_with(NoisyNetwork(Variant()), solving)
    searching = TreeSearch(
        positions, 4000, root="puct", c_puct=1.0, margin_weight=1.0, temperature=0.0, num_threads=1
    )
    late = [i for i, p in enumerate(positions) if (p.stones == 0).sum() <= 4]
    assert late
    search_with(NoisyNetwork(Variant()), searching)
    for i, position in enumerate(positions):
        solution = solve(position)
        worth = max(-1.0, min(1.0, solution.margin / 8))
        if solving.solved[i]:
            assert solving.root_values[i] == pytest.approx(worth)
            assert int(solving.actions[i]) in solution.best_actions
            best = np.flatnonzero(solving.policy_targets[i]).tolist()
            assert best == solution.best_actions
        if i in late:
            assert searching.root_values[i] == pytest.approx(worth, abs=0.05)
    assert solving.solved.any()


def test_a_tree_keeps_what_it_knows_of_the_next_position():
    start = positions_of(Variant(), 1, seed=8)[0]
    search = TreeSearch([start], 64, root="puct", temperature=0.0)
    search_with(NoisyNetwork(Variant()), search)
    action = int(search.actions[0])
    below = {
        node["actions"][1:]: (node["visits"], node["value"])
        for node in search.nodes(0)
        if node["actions"][:1] == (action,) and len(node["actions"]) > 1
    }
    following = after(start, action)
    search.restart([following])
    kept = {node["actions"]: (node["visits"], node["value"]) for node in search.nodes(0)[1:]}
    assert below
    assert kept == below
    search_with(NoisyNetwork(Variant()), search)
    assert search.visit_counts.sum() == 64 + sum(
        visits for actions, (visits, _) in below.items() if len(actions) == 1
    )
    # Another game's position is new to the tree.
    search.restart([Position()])
    assert search.nodes(0) == []


def test_visits_beyond_what_can_be_counted_start_a_new_tree():
    late = next(p for p in positions_of(Variant(), 400, seed=3) if is_decided_by_one_action(p))
    search = TreeSearch([late], 2**24, root="puct", temperature=0.0)
    for _ in range(2):
        search_with(NoisyNetwork(Variant()), search)
        assert search.policy_targets.sum() == pytest.approx(1.0)
        search.restart([late])


def is_decided_by_one_action(position):
    """Whether there is a choice, and the game is over after each action."""
    actions = position.legal_actions().tolist()
    return len(actions) > 1 and all(position.play(action).is_over for action in actions)


def test_forced_passes_need_no_network():
    forced = [p for p in positions_of(Variant(), 400, seed=1) if must_pass(p)]
    assert forced
    search = TreeSearch(forced, 8)
    while (batch := search.select()) is not None:
        assert not batch.action_mask[:, -1].any()
        search.update(np.zeros((len(batch), 65)), np.zeros(len(batch)))
    assert (search.actions == 64).all()
    assert (search.policy_targets[:, 64] == 1).all()


def test_finished_games_are_worth_what_they_paid():
    """Where every action ends the game, only the root is evaluated."""
    last = [
        game[-1]
        for game in open_games(Variant(), 300, seed=0)
        if all(after(game[-1], action).is_over for action in game[-1].legal_actions().tolist())
        and len(game[-1].legal_actions()) > 1
    ]
    margins = set()
    for position in last:
        network = NoisyNetwork(Variant())
        search = TreeSearch([position], 16, root="puct", margin_weight=0.5)
        search_with(network, search)
        assert network.batches == 1
        root, *ends = search.nodes(0)
        assert sum(node["visits"] for node in ends) == root["visits"] == 16
        for node in ends:
            (action,) = node["actions"]
            margin = after(position, action).margin * (1 if position.to_play == 0 else -1)
            expected = 0.5 * np.sign(margin) + 0.5 * np.clip(margin / 8, -1, 1)
            assert node["exact"] and node["value"] == pytest.approx(expected, abs=1e-6)
            margins.add(margin)
    assert min(margins) < -1 and max(margins) > 1 and len(last) > 20


def test_select_waits_and_update_checks():
    search = TreeSearch([Position()] * 2, 4)
    with pytest.raises(RuntimeError, match="call select first"):
        search.update(np.zeros((1, 65)), np.zeros(1))
    with pytest.raises(RuntimeError, match="not done"):
        _ = search.actions
    batch = search.select()
    again = search.select()
    assert len(batch) == len(again) == 1
    zeros = np.zeros((1, 65), dtype=np.float32)
    for logits, values, message in [
        (zeros[:, :64], np.zeros(1), r"logits have shape \(1, 64\), but the leaves need \(1, 65\)"),
        (zeros, np.zeros(2), r"values have shape \(2,\)"),
        (zeros, np.zeros((1, 3)), r"values have shape \(1, 3\), but the leaves need \(1,\)"),
        (np.full((1, 65), np.nan), np.zeros(1), "leaf 0: the logit of action 0 is NaN"),
        (np.full((1, 65), np.inf), np.zeros(1), "leaf 0: the logit of action 0 is inf"),
        (np.full((1, 65), -np.inf), np.zeros(1), "logit of every legal action is -inf"),
        (zeros, np.array([np.nan]), "leaf 0: the value is NaN"),
        (zeros, np.array([50.0]), "leaf 0: the value is 50, it must be -1 to 1"),
        (zeros, np.array([[-1.01, 0.0]]), "leaf 0: the value is -1.01, it must be -1 to 1"),
        (zeros, np.array([[0.0, np.nan]]), "leaf 0: the margin is NaN"),
        (zeros.astype(complex), np.zeros(1), "dtype complex128"),
        (np.array([["a"] * 65]), np.zeros(1), "dtype <U1"),
    ]:
        with pytest.raises(PolicyError, match=message):
            search.update(logits, values)
    search.update(zeros.astype(np.float64), [0])
    search_with(NoisyNetwork(Variant()), search)
    assert (search.visit_counts.sum(axis=1) == 4).all()


def mixed(pairs, weight):
    """The values of outcomes and margins; a unit has 4 points, and 8 count in full."""
    share = (pairs[:, 1] * 0.5).clip(-1.0, 1.0)
    return (1.0 - weight) * pairs[:, 0] + weight * share


def assert_equal_searches(weight, forms):
    """Outcomes and margins of 32 bits give equal searches in each of the forms."""
    positions = positions_of(Variant(), 60)
    searches = [TreeSearch(positions, 12, margin_weight=weight) for _ in forms]
    generator = np.random.default_rng(1)
    # All have the same leaves.
    while (batch := [search.select() for search in searches].pop()) is not None:
        logits = generator.normal(size=batch.action_mask.shape)
        pairs = generator.normal(scale=2, size=(len(batch), 2)).astype(np.float32)
        pairs[:, 0] = np.tanh(pairs[:, 0])
        for search, form in zip(searches, forms, strict=True):
            search.update(logits, form(pairs))
    for search in searches[1:]:
        assert np.array_equal(search.root_values, searches[0].root_values)
        assert np.array_equal(search.policy_targets, searches[0].policy_targets)


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.6, 0.75, 1.0])
def test_an_outcome_and_a_margin_are_mixed_by_their_weight(weight):
    assert_equal_searches(
        weight, [np.asarray, np.ndarray.tolist, lambda pairs: mixed(pairs, weight)]
    )


@pytest.mark.torch
def test_an_outcome_and_a_margin_may_be_tensors():
    torch = pytest.importorskip("torch")
    tensors = [torch.from_numpy, lambda pairs: mixed(torch.from_numpy(pairs), 0.6)]
    assert_equal_searches(0.6, [np.asarray, *tensors])


def test_evaluations_of_any_length_are_refused_before_they_are_copied():
    search = TreeSearch([Position()], 4)
    search.select()
    for dtype in (np.float32, np.float64):
        endless = np.broadcast_to(dtype(0), (10**12, 65))
        with pytest.raises(PolicyError, match=r"logits have shape \(1000000000000, 65\), but"):
            search.update(endless, np.zeros(1))
        with pytest.raises(PolicyError, match=r"values have shape \(1000000000000,\), but"):
            search.update(np.zeros((1, 65)), endless[:, 0])


def test_a_search_serves_one_thread_at_a_time():
    search = TreeSearch([Position()], 4)
    search.select()

    class Asks:
        def __array__(self, dtype=None, copy=None):
            for use in (search.select, search.run_with_rollouts, lambda: search.tree_bytes):
                with pytest.raises(RuntimeError, match="another thread is using this search"):
                    use()
            assert len(search) == 1 and "TreeSearch of 1 positions" in repr(search)
            return np.zeros((1, 65), np.float32)

    search.update(Asks(), np.zeros(1))
    search_with(NoisyNetwork(Variant()), search)
    assert search.visit_counts.sum() == 4


def test_settings_out_of_range():
    with pytest.raises(ValueError, match="num_threads must be 1 to"):
        TreeSearch([Position()], num_threads=0)
    with pytest.raises(ValueError, match="unknown observation layout"):
        TreeSearch([Position()], observation="text")


def test_positions_that_cannot_be_searched():
    with pytest.raises(ValueError, match="empty"):
        TreeSearch([])
    with pytest.raises(ValueError, match="position 1 is of"):
        TreeSearch([Position(), Position(WIDE)])
    with pytest.raises(GameOverError, match="position 1"):
        TreeSearch([Position(), finished()])
    search = TreeSearch([Position()])
    with pytest.raises(ValueError, match="1 trees"):
        search.restart([])
    with pytest.raises(ValueError, match="another variant"):
        search.restart([Position(WIDE)])
    for tree in (1, -1, 2**64):
        with pytest.raises(IndexError, match=f"there are 1 trees, no tree {tree}"):
            search.nodes(tree)


def misaligned(logits):
    """A copy that starts at an odd address."""
    numbers = np.empty(logits.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(logits.shape)
    numbers[:] = logits
    assert not numbers.flags.aligned
    return numbers


def test_arrays_of_any_memory_layout_mean_the_same():
    positions = positions_of(Variant(), 40, seed=6)
    searches = [TreeSearch(positions, 8, root="puct", num_threads=1) for _ in range(4)]
    forms = [
        lambda logits: logits,
        lambda logits: np.asfortranarray(logits),
        lambda logits: np.repeat(logits, 2, axis=1)[:, ::2],
        misaligned,
    ]
    for search, form in zip(searches, forms, strict=True):
        network = NoisyNetwork(Variant())
        while (batch := search.select()) is not None:
            logits, values = network(batch.observation, batch.action_mask)
            search.update(form(logits), values)
    for search in searches[1:]:
        assert (search.policy_targets == searches[0].policy_targets).all()
        assert (search.root_values == searches[0].root_values).all()


def test_logits_of_illegal_actions_are_not_read():
    positions = positions_of(Variant(), 40, seed=7)
    searches = [TreeSearch(positions, 8, num_threads=1) for _ in range(2)]
    for search, illegal in zip(searches, (0.0, np.nan), strict=True):
        network = NoisyNetwork(Variant())
        while (batch := search.select()) is not None:
            logits, values = network(batch.observation, batch.action_mask)
            search.update(np.where(batch.action_mask == 1, logits, illegal), values)
    assert (searches[0].policy_targets == searches[1].policy_targets).all()


@pytest.mark.parametrize("root", ["gumbel", "puct"])
@pytest.mark.parametrize("options", [{}, {"temperature": 3.4e38}, {"c_puct": 3.4e38}])
def test_actions_whose_logit_is_minus_infinity_get_nothing(root, options):
    if root == "puct":
        options = {name: value for name, value in options.items() if name != "temperature"}
    out, most = Position().legal_actions()[:20], 0
    for seed in range(40):
        chosen = SearchOptions(16, root=root, **options)
        search = TreeSearch([Position()], options=chosen, seed=seed, num_threads=1)
        while (batch := search.select()) is not None:
            logits = np.zeros(batch.action_mask.shape, np.float32)
            logits[:, out] = -np.inf
            search.update(logits, np.zeros(len(batch), np.float32))
        assert (search.policy_targets[0, out] == 0).all()
        assert (search.visit_counts[0, out] == 0).all() and search.actions[0] not in out
        most = max(most, search.visit_counts[0].max())
    assert most < 16  # the others share the visits


@pytest.mark.parametrize(
    ("logits", "values", "message"),
    [
        (np.zeros((1, 65)), [[1.0], [1.0, 2.0]], "^the values are not an array of numbers: "),
        ([[1.0], [1.0, 2.0]], [0.0], "^the logits are not an array of numbers: "),
        (np.zeros((1, 65)), [None], "^the values have dtype object, not a real number type"),
    ],
)
def test_what_is_not_an_array_of_numbers(logits, values, message):
    search = TreeSearch([Position()], 4)
    search.select()
    with pytest.raises(PolicyError, match=message):
        search.update(logits, values)
    search.update(np.zeros((1, 65)), [0.0])  # the leaf still waits


def test_memory_of_a_thousand_trees():
    search = TreeSearch([Position()] * 1024, 64, num_threads=1)
    while (batch := search.select()) is not None:
        search.update(np.zeros((len(batch), 65), np.float32), np.zeros(len(batch), np.float32))
    assert search.tree_bytes < 256e6


def test_searches_with_random_games_beat_chance_and_repeat_themselves():
    report = evaluate(RolloutPolicy(64, seed=1), RandomPolicy(), games=200)
    assert report.score > 0.8
    positions = positions_of(Variant(), 20)
    policy = RolloutPolicy(32, seed=7)
    other = copy.deepcopy(policy)
    assert (policy.act_batch(positions) == other.act_batch(positions)).all()
    assert policy.act(positions[0]) in positions[0].legal_actions()


def test_searches_with_a_network():
    network = NoisyNetwork(Variant())
    options = SearchOptions(16, solve_roots_below=6, solve_leaves_below=6)
    policy = NetworkPolicy(network, search=options)
    positions = positions_of(Variant(), 10)
    actions = policy.act_batch(positions)
    for position, action in zip(positions, actions, strict=True):
        assert action in position.legal_actions()
    assert network.rows > 0
