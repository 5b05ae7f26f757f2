"""What a tree search finds, node by node and number by number against the plain search.

The noise at the roots is read from the native search and given to the plain one. How it is
distributed is tested in `test_tree_search_noise.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from board_shapes import WIDE
from mijnlieff import Board, Position, TreeSearch, Variant
from mijnlieff.policies.searches import search_with
from played import open_games
from random_variants import build, random_spec
from search_inputs import NoisyNetwork, dense, noise_of, phases_of, positions_of
from search_reference import (
    Network,
    Node,
    ReferenceSearch,
    after,
    last_draw,
    must_pass,
    random_games_network,
    tree_stream,
)
from vector_model import Stream

SEED = 7
#: Where the plain search decided by less than this, single precision may decide otherwise.
PRECISION = 1e-6

VARIANTS = {
    "standard": Variant(),
    "three copies": Variant(opening="corner_straight", copies=3),
    "five blocks": WIDE,
    "3x3": Variant(Board.from_text("###\n###\n###"), copies=8),
    "one missing": Variant(Board.from_text("###\n###\n.##"), "corner", 1),
    "gaps": Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (1, 2)])),
    "line": Variant(Board.from_text("#" * 12), copies=1),
    "one cell": Variant(Board.from_text("#"), copies=1),
    "8x8": Variant(Board.from_text("\n".join(["#" * 8] * 8)), "anywhere", 8),
    "holes": Variant(
        Board.from_text(
            "#.######\n########\n###..###\n########\n######.#\n########\n##.#####\n#######."
        ),
        copies=5,
    ),
    **{f"random {seed}": build(random_spec(seed)) for seed in range(1, 6)},
}

NETWORKS = {
    "noisy": {},
    "decided": {"spread": 5.0},
    "undecided": {"spread": 0.0, "steps": 2},
    "partial": {"impossible": 0.3},
}

PUCT = {
    "plain": {"num_simulations": 33},
    "once": {"num_simulations": 1},
    "coldest": {"num_simulations": 20, "temperature": 0.0},
    "hot": {"num_simulations": 20, "temperature": 3.0, "c_puct": 0.3, "backup": "policy"},
    "noise": {"num_simulations": 33, "dirichlet_share": 0.25, "dirichlet_alpha": 0.3},
    "only noise": {"num_simulations": 20, "dirichlet_share": 1.0, "temperature": 0.0},
    "margin": {
        "num_simulations": 40,
        "margin_weight": 0.4,
        "c_puct": 4.0,
        "temperature": 0.5,
        "dirichlet_share": 0.5,
        "dirichlet_alpha": 2.0,
    },
}
GUMBEL = {
    "plain": {"num_simulations": 33},
    "once": {"num_simulations": 1},
    "no noise": {"num_simulations": 20, "temperature": 0.0},
    "one considered": {"num_simulations": 9, "max_considered": 1},
    "all considered": {"num_simulations": 30, "max_considered": 1000},
    "margin": {
        "num_simulations": 50,
        "temperature": 0.5,
        "max_considered": 4,
        "c_visit": 10.0,
        "c_scale": 1.0,
        "margin_weight": 1.0,
    },
    "by policy": {"num_simulations": 40, "backup": "policy"},
    "by policy, more evenly": {
        "num_simulations": 50,
        "temperature": 0.0,
        "c_visit": 2.0,
        "c_scale": 0.1,
        "backup": "policy",
    },
}
OUTCOME = {"margin_weight": 0.0}


def solving(roots: int, leaves: int) -> dict[str, int]:
    return {"solve_roots_below": roots, "solve_leaves_below": leaves}


RULES = {
    f"{root}, {name}": {"root": root} | OUTCOME | options
    for root, all_options in (("puct", PUCT), ("gumbel", GUMBEL))
    for name, options in all_options.items()
}


def plain_search(
    network: Network,
    *,
    num_simulations: int,
    max_considered: int = 16,
    dirichlet_share: float = 0.0,
    dirichlet_alpha: float = 0.5,
    **options: object,
) -> ReferenceSearch:
    """The plain search for options of `TreeSearch`; those of the noise have no part in it."""
    simulations, considered = num_simulations, max_considered
    return ReferenceSearch(network, simulations=simulations, considered=considered, **options)


def assert_same(
    search: TreeSearch, tree: int, plain: ReferenceSearch, root: Node, state: int
) -> bool:
    """Run the plain search and compare everything that is known about the root.

    Args:
        search: a search that is done.
        tree: which of its trees.
        plain: the plain search.
        root: the root of its tree.
        state: of the tree's random stream, before the search.

    Returns:
        Whether the two were compared. They are not where a lead is too small for float32.
    """
    position = root.position
    variant = position.variant
    noise = noise_of(search, tree, position)
    plain.closest = np.inf
    plain.run(root, noise)
    expected = plain.conclude(root, noise)
    if plain.closest < PRECISION:
        return False
    policy, counts = search.policy_targets[tree], search.visit_counts[tree]
    np.testing.assert_allclose(policy, dense(expected.policy, variant), rtol=1e-4, atol=1e-6)
    assert policy.sum() == pytest.approx(1.0, abs=1e-5)
    assert search.root_values[tree] == pytest.approx(expected.value, abs=2e-6)
    assert np.array_equal(counts, dense(root.visits, variant))
    draws = last_draw(Stream.from_state(state))
    assert int(search.actions[tree]) in expected.draw(draws)
    assert bool(search.solved[tree]) == (not root.logits)
    assert not search.root_noise[tree][position.action_mask() == 0].any()
    return True


def reference_tree(root: Node) -> dict[tuple[int, ...], tuple[int, float]]:
    """Visits and mean values by the actions that lead to a node."""
    nodes = {}
    waiting = [((), root)]
    while waiting:
        path, node = waiting.pop()
        for action, child in node.children.items():
            below = (*path, action)
            nodes[below] = (node.visits[action], node.mean(action))
            waiting.append((below, child))
    return nodes


def compare(
    positions: Sequence[Position], network: NoisyNetwork, options: dict[str, object]
) -> TreeSearch:
    """Search from every position with both, and compare; return the native search."""
    search = TreeSearch(positions, seed=SEED, num_threads=1, **options)
    search_with(network, search)
    compared = 0
    for tree, position in enumerate(positions):
        plain = plain_search(network.of, **options)
        state = tree_stream(SEED + tree).state
        root = plain.root(position)
        if assert_same(search, tree, plain, root, state):
            compared += 1
            nodes = reference_tree(root)
            found = {node["actions"]: node for node in search.nodes(tree)[1:]}
            assert found.keys() == nodes.keys()
            for path, (visits, value) in nodes.items():
                assert found[path]["visits"] == visits
                assert found[path]["value"] == pytest.approx(value, abs=1e-4)
    assert compared >= 0.7 * len(positions)
    return search


@cache
def inputs(variant: Variant) -> list[Position]:
    return phases_of(variant, 2)


@cache
def known_network(variant: Variant, kind: str) -> NoisyNetwork:
    return NoisyNetwork(variant, **NETWORKS[kind])


def has_one_placement(position: Position) -> bool:
    return len(position.legal_actions()) == 1 and not must_pass(position)


@pytest.mark.parametrize("variant_name", VARIANTS)
@pytest.mark.parametrize("rule_name", RULES)
def test_targets_actions_and_values_are_those_of_the_plain_search(variant_name, rule_name):
    variant, options = VARIANTS[variant_name], RULES[rule_name]
    positions = [position for position in inputs(variant) if not has_one_placement(position)]
    # Every network meets every rule and every variant, but not all three together.
    number = list(VARIANTS).index(variant_name) + list(RULES).index(rule_name)
    kinds = [kind for kind in NETWORKS if kind != "partial" or options["root"] == "puct"]
    for kind in {"noisy", kinds[number % len(kinds)]}:
        compare(positions, known_network(variant, kind), options)


@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_root_with_a_single_placement_counts_the_value_of_the_network(root):
    """Only a forced pass lacks a value of the network."""
    options = {"root": root, "num_simulations": 16, "margin_weight": 0.5}
    compared = 0
    for variant in VARIANTS.values():
        positions = [position for position in inputs(variant) if has_one_placement(position)]
        if positions:
            compare(positions, known_network(variant, "noisy"), options)
        compared += len(positions)
    assert compared > 10


def test_the_first_node_has_the_value_of_the_root():
    variant = VARIANTS["standard"]
    positions = [position for position in inputs(variant) if not has_one_placement(position)]
    assert any(map(must_pass, positions))
    for backup in ("mean", "policy"):
        search = TreeSearch(positions, 16, backup=backup, num_threads=1)
        search_with(known_network(variant, "noisy"), search)
        first = [search.nodes(tree)[0]["value"] for tree in range(len(positions))]
        np.testing.assert_allclose(first, search.root_values, atol=1e-6)


@pytest.mark.parametrize(
    "rule_name",
    ["gumbel, plain", "gumbel, no noise", "puct, hot", "puct, noise", "puct, only noise"],
)
def test_impossible_actions_are_not_considered(rule_name):
    """No search comes to an action of probability 0, by way of its value or of noise either."""
    for variant in (VARIANTS["standard"], VARIANTS["3x3"], VARIANTS["random 3"]):
        positions = [position for position in inputs(variant) if not has_one_placement(position)]
        network = known_network(variant, "partial")
        search = compare(positions, network, RULES[rule_name])
        for tree, position in enumerate(positions):
            if not must_pass(position):
                impossible = network.of(position)[0] == -np.inf
                assert not search.visit_counts[tree, impossible].any()


@pytest.mark.parametrize("variant_name", ["standard", "3x3", "one missing", "gaps", "one cell"])
def test_positions_with_few_empty_cells_are_solved(variant_name):
    """Some of the roots are solved themselves, others within a few turns."""
    variant = VARIANTS[variant_name]
    games = open_games(variant, 8, seed=3)
    late = [game[-min(back, len(game))] for back, game in enumerate(games, start=1)]
    positions = [position for position in late if not has_one_placement(position)]
    solved = []
    for root in ("puct", "gumbel"):
        for margin_weight in (0.0, 0.6, 1.0):
            for below in ((1, 1), (4, 1), (1, 4)):
                options = {
                    "root": root,
                    "num_simulations": 24,
                    "margin_weight": margin_weight,
                    **solving(*below),
                }
                search = compare(positions, known_network(variant, "noisy"), options)
                solved += search.solved.tolist()
    assert any(solved)
    assert not all(solved) or variant.board.num_cells == 1


@pytest.mark.parametrize(
    "options",
    [
        {"root": "puct", "num_simulations": 30} | OUTCOME,
        {"root": "puct", "num_simulations": 12, "temperature": 0.0, "dirichlet_share": 0.4}
        | OUTCOME,
        {"root": "puct", "num_simulations": 20, "margin_weight": 0.5} | solving(3, 3),
        {"root": "gumbel", "num_simulations": 30} | OUTCOME,
        {"root": "gumbel", "num_simulations": 24, "max_considered": 5, "temperature": 0.0}
        | OUTCOME,
        {"root": "gumbel", "num_simulations": 20, "margin_weight": 0.5, "c_scale": 0.1},
        {"root": "gumbel", "num_simulations": 30, "backup": "policy"} | OUTCOME,
    ],
    ids=str,
)
@pytest.mark.parametrize("variant_name", ["standard", "one missing", "five blocks"])
def test_the_next_searches_go_on_with_what_the_trees_know(variant_name, options):
    """The searches choose the actions played; sometimes a tree is asked about another position."""
    variant = VARIANTS[variant_name]
    network = known_network(variant, "noisy")
    generator = np.random.default_rng(0)
    positions = [Position(variant)] * 12
    search = TreeSearch(positions, seed=SEED, num_threads=1, **options)
    plains = [plain_search(network.of, **options) for _ in positions]
    streams = [tree_stream(SEED + tree) for tree in range(len(positions))]
    roots = [plain.root(position) for plain, position in zip(plains, positions, strict=True)]
    compared = kept = 0
    for _ in range(8):
        search_with(network, search)
        for tree in range(len(positions)):
            state = streams[tree].state
            streams[tree].word()
            if has_one_placement(positions[tree]):
                plains[tree].run(roots[tree], noise_of(search, tree, positions[tree]))
            else:
                compared += assert_same(search, tree, plains[tree], roots[tree], state)
        positions = [
            next_position(position, int(action), generator)
            for position, action in zip(positions, search.actions, strict=True)
        ]
        search.restart(positions)
        for tree, position in enumerate(positions):
            roots[tree] = plains[tree].next_root(roots[tree], position)
            kept += bool(roots[tree].before)
    assert compared > 60
    assert kept > 30


def next_position(position: Position, action: int, generator: np.random.Generator) -> Position:
    """The position after an action, or sometimes the same again or one of another game."""
    following = after(position, action)
    chance = generator.integers(16)
    if chance == 0:
        return position
    if chance == 1 or following.is_over:
        return positions_of(position.variant, 1, seed=int(generator.integers(1000)))[0]
    return following


@pytest.mark.parametrize(
    "options",
    [
        {"root": "puct", "num_simulations": 40, "margin_weight": 0.5},
        {"root": "puct", "num_simulations": 25, "temperature": 0.0} | OUTCOME | solving(3, 3),
        {"root": "gumbel", "num_simulations": 40, "temperature": 0.0, "margin_weight": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize("variant_name", VARIANTS)
def test_random_games_instead_of_a_network(variant_name, options):
    variant = VARIANTS[variant_name]
    positions = [position for position in inputs(variant) if not has_one_placement(position)]
    search = TreeSearch(positions, seed=SEED, num_threads=1, **options)
    search.run_with_rollouts()
    compared = 0
    for tree, position in enumerate(positions):
        stream = tree_stream(SEED + tree)
        state = stream.state
        stream.word()
        network = random_games_network(stream, options["margin_weight"])
        plain = plain_search(network, **options)
        compared += assert_same(search, tree, plain, plain.root(position), state)
    assert compared >= 0.5 * len(positions)
