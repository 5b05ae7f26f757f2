"""Every integer argument takes anything with `__index__` except booleans."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mijnlieff import (
    Board,
    Canvas,
    ChampionPolicy,
    GreedyPolicy,
    IllegalMoveError,
    MijnlieffEnv,
    MinimaxPolicy,
    Network,
    NetworkPolicy,
    PerfectPolicy,
    Position,
    RandomPolicy,
    SearchOptions,
    SelfPlay,
    TreeSearch,
    Variant,
    VectorEnv,
    best_response,
    evaluate,
    format_record,
    grade,
    load_policy,
    solve,
    solve_batch,
    tournament,
)
from mijnlieff._mijnlieff import num_cores
from mijnlieff.envs import rollout
from mijnlieff.evaluation import Benchmark, play_match, random_openings
from mijnlieff.policies import RolloutPolicy
from mijnlieff.render import image, svg
from mijnlieff.rules import perft
from mijnlieff.solving import set_table_bytes
from network_inputs import num_weights
from played import example

START = [Position()]
LATE = example(12)
PLAYER = RandomPolicy()
SMALL = Variant(Board.from_text("###\n###"), "anywhere", 1)
SELF_PLAY = SelfPlay(ChampionPolicy(), num_simulations=1)
SELF_PLAY_INTEGERS = [
    "num_games",
    "num_simulations",
    "random_plies",
    "max_considered",
    "solve_roots_below",
    "solve_leaves_below",
    "seed",
    "num_threads",
]


def network(observations: Any, masks: Any) -> Any:
    return masks


def sized(**given: Any) -> Network:
    """A network of these sizes, with the weights of one of two units and one block."""
    sizes = {"units": 2, "blocks": 1, "heads": 1} | given
    weights = np.zeros(num_weights(SMALL.board, 2, 1, 1), np.float32)
    return Network.of_cells(SMALL, weights=weights, **sizes)


def on_canvas(copies: Any = 1, **given: Any) -> Network:
    canvas = Canvas(2, 3)
    sizes = {"units": 2, "blocks": 1, "heads": 1} | given
    weights = np.zeros(num_weights(canvas, 2, 1, 1), np.float32)
    return Network.on_canvas(canvas, copies, weights=weights, **sizes)


def single() -> MijnlieffEnv:
    env = MijnlieffEnv(opponent=None)
    env.reset(seed=0)
    return env


def two_agents() -> Any:
    from mijnlieff.mijnlieff_v0 import raw_env

    env = raw_env()
    env.reset()
    return env


# The argument's name in the message, an integer that it takes, and the call that takes it.
ARGUMENTS: list[tuple[str, int, Callable[[Any], object]]] = [
    ("action", 1, START[0].play),
    ("move 1: action", 1, lambda value: Position.from_actions([value])),
    ("move 2: action", 4, lambda value: format_record(["a1+", value])),
    ("action", 1, Variant().action_name),
    ("cell", 1, Board.standard().cell_name),
    ("copies", 1, lambda value: Variant(copies=value)),
    ("x of block 0", 1, lambda value: Board.from_blocks([(value, 0)])),
    ("y of block 1", 3, lambda value: Board.from_blocks([(0, 0), (0, value)])),
    ("depth", 1, lambda value: perft(START[0], value)),
    ("depth", 1, MinimaxPolicy),
    ("seed", 1, lambda value: MinimaxPolicy(2, value)),
    ("seed", 1, RandomPolicy),
    ("seed", 1, GreedyPolicy),
    ("seed", 1, PerfectPolicy),
    ("seed", 1, PLAYER.with_seed),
    ("seed", 1, ChampionPolicy),
    ("seed", 1, lambda value: NetworkPolicy(network, seed=value)),
    ("batch_size", 1, lambda value: NetworkPolicy(network, batch_size=value)),
    ("seed", 1, lambda value: RolloutPolicy(1, seed=value)),
    ("num_simulations", 1, RolloutPolicy),
    ("num_threads", 1, lambda value: RolloutPolicy(1, num_threads=value)),
    ("num_simulations", 1, lambda value: TreeSearch(START, value)),
    ("seed", 1, lambda value: TreeSearch(START, seed=value)),
    ("num_threads", 1, lambda value: TreeSearch(START, num_threads=value)),
    ("max_considered", 1, lambda value: TreeSearch(START, max_considered=value)),
    ("solve_leaves_below", 1, lambda value: TreeSearch(START, solve_leaves_below=value)),
    ("tree", 0, TreeSearch(START, 1).nodes),
    ("num_simulations", 1, SearchOptions),
    *(
        (name, 1, lambda value, name=name: SelfPlay(ChampionPolicy(), **{name: value}))
        for name in SELF_PLAY_INTEGERS
    ),
    ("games", 1, lambda value: SELF_PLAY.play(value)),
    ("samples", 1, lambda value: SELF_PLAY.play_samples(value)),
    ("seed", 1, lambda value: load_policy("greedy", seed=value)),
    ("count", 1, lambda value: random_openings(value, 1)),
    ("plies", 1, lambda value: random_openings(1, value)),
    ("seed", 1, lambda value: random_openings(1, 1, seed=value)),
    ("first", 1, lambda value: random_openings(1, 1, first=value)),
    ("repeats", 1, lambda value: rollout(START, value)),
    ("seed", 1, lambda value: rollout(START, seed=value)),
    ("num_threads", 1, lambda value: rollout(START, num_threads=value)),
    ("seed", 1, lambda value: play_match(START, PLAYER, PLAYER, value)),
    ("first", 1, lambda value: play_match(START, PLAYER, PLAYER, first=value)),
    ("num_threads", 1, lambda value: play_match(START, PLAYER, PLAYER, num_threads=value)),
    ("games", 2, lambda value: evaluate("random", "random", value)),
    ("opening_plies", 1, lambda value: evaluate("random", "random", 2, opening_plies=value)),
    ("seed", 1, lambda value: evaluate("random", "random", 2, seed=value)),
    ("num_threads", 1, lambda value: evaluate("random", "random", 2, num_threads=value)),
    ("games", 2, lambda value: tournament({"a": "random", "b": "random"}, value)),
    ("positions", 3, lambda value: grade("random", value)),
    ("seed", 1, lambda value: grade("random", 3, seed=value)),
    ("num_threads", 1, lambda value: grade("random", 3, num_threads=value)),
    ("positions", 2, lambda value: Benchmark.draw([SMALL], value)),
    ("seed", 1, lambda value: Benchmark.draw([SMALL], 2, value)),
    ("num_threads", 1, lambda value: Benchmark.draw([SMALL], 2, num_threads=value)),
    ("max_positions", 10**6, lambda value: best_response(PLAYER, start=LATE, max_positions=value)),
    ("max_refutations", 1, lambda value: best_response(PLAYER, start=LATE, max_refutations=value)),
    ("horizon", 1, lambda value: best_response(PLAYER, start=LATE, horizon=value)),
    ("max_nodes", 10**6, lambda value: solve(LATE, max_nodes=value)),
    ("num_threads", 1, lambda value: solve_batch([LATE], value)),
    ("max_nodes", 10**6, lambda value: solve_batch([LATE], max_nodes=value)),
    ("count", 64 << 20, set_table_bytes),
    ("num_envs", 1, VectorEnv),
    ("num_threads", 1, lambda value: VectorEnv(2, num_threads=value)),
    ("seed", 1, lambda value: VectorEnv(2).reset(seed=value)),
    ("seed", 1, lambda value: VectorEnv(2).reset(seed=[None, value])),
    ("seed", 1, lambda value: MijnlieffEnv().reset(seed=value)),
    ("action", 1, lambda value: single().step(value)),
    ("action", 1, lambda value: two_agents().step(value)),
    *(
        (name, good, lambda value, name=name, make=make: make(**{name: value}))
        for make in (sized, on_canvas)
        for name, good in (("units", 2), ("blocks", 1), ("heads", 1))
    ),
    ("copies", 1, on_canvas),
    ("size", 64, lambda value: svg(START[0], size=value)),
    ("size", 64, lambda value: image(START[0], size=value)),
]


class Index:
    """An integer that is none of Python's."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.parametrize(("name", "good", "call"), ARGUMENTS)
def test_every_integer(name, good, call):
    for number in (good, np.int64(good), np.array(good), Index(good)):
        call(number)
    for bad in (True, np.True_, np.array(True), 1.0, np.float32(1), {1}):
        with pytest.raises(TypeError) as caught:
            call(bad)
        assert str(caught.value) == f"{name} must be an integer, not {bad!r}"


class BrokenIndex:
    def __index__(self) -> int:
        raise ZeroDivisionError


@pytest.mark.parametrize("call", [START[0].play, RandomPolicy, VectorEnv(1).reset])
def test_other_errors_pass_through(call):
    with pytest.raises(ZeroDivisionError):
        call(seed=BrokenIndex()) if call.__name__ == "reset" else call(BrokenIndex())


@pytest.mark.parametrize(
    ("number", "call", "words"),
    [
        (-1, lambda value: random_openings(value, 1), r"count must be 0 to 2\*\*64 - 1, not -1"),
        (
            2**64,
            lambda value: random_openings(1, value),
            r"plies must be 0 to 2\*\*64 - 1, not 184467",
        ),
        (-1, lambda value: rollout(START, seed=value), r"seed must be 0 to 2\*\*64 - 1, not -1"),
        (2**32, lambda value: perft(START[0], value), "depth must be 0 to 4294967295, not"),
        (1025, lambda value: solve_batch(START, value), "num_threads must be 1 to 1024, not 1025"),
        (
            -5,
            lambda value: SearchOptions(solve_roots_below=value),
            "solve_roots_below must be 0 to",
        ),
        (-3, lambda value: solve(LATE, max_nodes=value), "max_nodes must be 0 .*, not -3"),
        (-1, lambda value: sized(units=value), r"units must be 0 to 2\*\*64 - 1, not -1"),
        (2**64, lambda value: on_canvas(heads=value), r"heads must be 0 to 2\*\*64 - 1, not 18"),
        (2**70, on_canvas, "copies must be 1 to 127, not 11805"),
        (0, set_table_bytes, "count must be 1 to .*, not 0"),
        (10**80, RandomPolicy, r"seed must be 0 to 2\*\*64 - 1, not 10{59}\.\.\."),
        (2**64, RandomPolicy, r"seed must be 0 to 2\*\*64 - 1, not 18446744073709551616"),
    ],
)
def test_integers_out_of_range(number, call, words):
    with pytest.raises(ValueError, match=words):
        call(number)


@pytest.mark.parametrize("opponent", [None, "random", NetworkPolicy(network)])
@pytest.mark.parametrize("kind", [list, tuple])
def test_a_batch_takes_no_boolean_among_integers(kind, opponent):
    env = VectorEnv(3, opponent=opponent, seat="light")
    env.reset(seed=0)
    before = pickle.dumps(env.__getstate__()["games"])
    for bad in (True, np.True_, 1.0, None):
        with pytest.raises(TypeError, match="game 1: action must be an integer, not") as caught:
            env.step(kind([0, bad, 2]))
        assert str(caught.value).endswith(repr(bad))
    assert pickle.dumps(env.__getstate__()["games"]) == before
    env.step(kind([0, np.uint8(1), Index(2)]))


@pytest.mark.parametrize("opponent", [None, NetworkPolicy(network)])
def test_large_actions_are_shown_as_they_are(opponent):
    env = VectorEnv(2, opponent=opponent, seat="light")
    env.reset(seed=0)
    for large in (2**63, 2**64 - 1, 2**70, -(2**70)):
        batches: list[Any] = [[0, large], (0, large)]
        if 0 <= large < 2**64:
            batches += [np.array([0, large], np.uint64), np.array([0, large], ">u8")]
        for actions in batches:
            with pytest.raises(IllegalMoveError, match=f"game 1: action {large} does") as caught:
                env.step(actions)
            assert (caught.value.action, caught.value.env_index) == (large, 1)
        for play in (START[0].play, single().step, two_agents().step):
            with pytest.raises(IllegalMoveError, match=f"action {large} does not exist") as caught:
                play(large)
            assert caught.value.action == large


def test_a_list_that_shrinks_while_it_is_read_is_refused():
    class Shrinking(Index):
        def __index__(self) -> int:
            actions.clear()
            return self.value

    actions: list[Any] = [Shrinking(0), 1]
    env = VectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"shape \(2,\), one for each game, not \(0,\)"):
        env.step(actions)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no choice of cores here")
def test_cores_are_those_that_a_process_may_use():
    chosen = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{chosen}}}); "
    code += "from mijnlieff._mijnlieff import num_cores; print(num_cores())"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert int(done.stdout) == 1
    assert 1 <= num_cores() <= len(os.sched_getaffinity(0))
