"""The game in JAX: Pgx's own checks, and equality with the core, action by action.

By default 4,000 random games are compared; ``MIJNLIEFF_GAMES=100000`` compares that many.
"""

from __future__ import annotations

import copy
import os
import pickle
import re
import runpy
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pgx
import pytest
from integration_pages import run_page
from pgx._src import api_test as checks
from pgx.experimental import auto_reset

from mijnlieff import Board, Position, SearchOptions, TreeSearch, Variant, functional, solve_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.jax import Mijnlieff, State, to_position, to_positions
from mijnlieff.rules import perft
from processes import printed_by_script
from random_variants import random_spec

GAMES = int(os.environ.get("MIJNLIEFF_GAMES", "4000"))
BOARDS = 16 if GAMES <= 4000 else 50
OPTIONS = [
    {"observation": observation, "dtype": dtype, "reward": reward}
    for observation in ("planes", "flat")
    for dtype in ("float32", "uint8")
    for reward in ("outcome", "margin")
]
STANDARD = Mijnlieff()
STEP = jax.jit(STANDARD.step)
STEPS = jax.jit(jax.vmap(STANDARD.step))


def variant_of(seed):
    """Awkward variants first, then random ones."""
    if seed < len(AWKWARD):
        return AWKWARD[seed]
    spec = random_spec(seed)
    board = Board.from_text(spec.text) if spec.text else Board.from_blocks(list(spec.blocks))
    return Variant(board, spec.opening, spec.copies)


AWKWARD = [
    Variant(Board.from_text("########\n" * 8), "corner_straight", 3),
    Variant(Board.from_text("#"), "anywhere", 127),
    Variant(Board.from_text("########\n" * 4), "corner", 7),
    Variant(Board.from_text("#.######\n" * 5), "outside", 1),
    Variant(Board.from_text("\n".join("." * i + "#" + "." * (63 - i) for i in range(64)))),
]


def starts(env, number, seed=0):
    return jax.vmap(env.init)(jax.random.split(jax.random.key(seed), number))


def random_actions(rng, mask):
    return (rng.random(mask.shape, np.float32) * mask).argmax(axis=1)


def package_axes(observations, layout):
    """Planes of Pgx's axes as the package has them."""
    seen = np.asarray(observations)
    return np.moveaxis(seen, -1, -3) if layout == "planes" else seen


def same(state, other):
    """Whether two states agree in every leaf, dtypes included."""
    return jax.tree.all(
        jax.tree.map(lambda a, b: a.dtype == b.dtype and bool((a == b).all()), state, other)
    )


@pytest.fixture
def pgx_checks(monkeypatch):
    """Pgx's `api_test` for a game that is not Pgx's own.

    It accepts only ids of its own games, and its random player fails for a single game with the
    NumPy of today, also in Pgx's own games.
    """
    ids = Literal[(*get_args(checks.EnvId), "mijnlieff")]
    monkeypatch.setattr(checks, "EnvId", ids)

    def act_randomly(key, mask):
        return jax.random.categorical(key, jnp.log(mask.astype(jnp.float32)), axis=-1)

    monkeypatch.setattr(checks, "act_randomly", jax.jit(act_randomly))
    return checks.api_test


@pytest.mark.parametrize("use_key", [False, True])
@pytest.mark.parametrize(
    "env",
    [
        STANDARD,
        Mijnlieff(
            Variant(Board.from_text("###.\n####\n.###"), "corner_straight"),
            observation="flat",
            dtype="uint8",
            reward="margin",
        ),
        Mijnlieff(Variant(Board.from_text("######\n" * 6), "anywhere", 1)),
    ],
    ids=["standard", "irregular", "large"],
)
def test_pgx_accepts_it(pgx_checks, env, use_key):
    pgx_checks(env, 3, use_key=use_key)


@pytest.mark.parametrize("seed", range(BOARDS))
def test_games_are_those_of_the_core(seed):
    """Mask, observation, rewards and ends of both players, at every action."""
    variant, options = variant_of(seed), OPTIONS[seed % len(OPTIONS)]
    env, games = Mijnlieff(variant, **options), -(-GAMES // BOARDS)
    layout, dtype = options["observation"], options["dtype"]
    rng = np.random.default_rng(seed)
    step = jax.jit(jax.vmap(env.step))
    opposing = jax.jit(jax.vmap(lambda state: env.observe(state, 1 - state.current_player)))
    state, states = starts(env, games, seed), functional.init(games, variant)
    light = np.asarray(state.current_player)
    assert {0, 1} == set(light.tolist())
    assert env.num_actions == variant.num_actions
    assert env.observation_shape == state.observation.shape[1:]
    rows, plies = np.arange(games), 0
    while True:
        mask = np.asarray(state.legal_action_mask)
        assert mask.dtype == np.bool_
        assert np.array_equal(mask, functional.legal_mask(states, variant))
        seats = functional.to_play(states, variant)
        assert np.array_equal(state.current_player, seats ^ light)
        seen = package_axes(state.observation, layout)
        assert seen.dtype == dtype
        assert np.array_equal(seen, functional.observe(states, layout, dtype, variant))
        other = package_axes(opposing(state), layout)
        for player in (0, 1):
            expected = functional.observe(states, layout, dtype, variant, player=player)
            assert np.array_equal(other[seats != player], expected[seats != player])
        if state.terminated.all():
            break
        actions, mover = random_actions(rng, mask), np.asarray(state.current_player)
        states, rewards, over = functional.step(states, actions, variant, reward=env.reward)
        before, state = state, step(state, actions)
        assert np.array_equal(state.terminated, over)
        assert state.rewards.dtype == np.float32
        assert np.array_equal(state.rewards[rows, mover], rewards)
        assert np.array_equal(state.rewards[rows, 1 - mover], -rewards)
        plies += 1
        ended = np.asarray(before.terminated)
        assert np.array_equal(state._step_count[~ended], np.full((~ended).sum(), plies))
        assert not state.truncated.any()
    assert plies > 0
    sample = slice(0, 20)
    expected = functional.to_positions(states[sample], variant)
    found = to_positions(jax.tree.map(lambda leaf: leaf[sample], state))
    assert [position.notation for position in found] == [p.notation for p in expected]


@pytest.mark.parametrize("seed", range(12))
def test_positions_and_states(seed):
    """Both ways, from positions of whole games, with every leaf as a step leaves it."""
    variant = variant_of(seed)
    env, rng = Mijnlieff(variant, **OPTIONS[seed % len(OPTIONS)]), np.random.default_rng(seed)
    state, position = env.init(jax.random.key(seed)), Position(variant)
    light, step, positions, last = int(state.current_player), jax.jit(env.step), [position], state
    while not position.is_over:
        action = int(rng.choice(position.legal_actions()))
        position, last = position.play(action), step(last, action)
        positions.append(position)
    states = env.from_positions(positions, light)
    assert [p.notation for p in to_positions(states)] == [p.notation for p in positions]
    assert to_position(last).notation == position.notation
    assert same(env.from_position(positions[0], light), state)
    end = jax.tree.map(lambda leaf: leaf[-1], states)
    assert same(end.replace(rewards=last.rewards), last)


def test_both_players_are_light_about_equally_often():
    light = np.asarray(starts(STANDARD, 1000).current_player)
    assert 400 < light.sum() < 600
    assert STANDARD.from_position(Position(), 1).current_player == 1


def test_the_end_and_illegal_actions():
    state = starts(STANDARD, 3)
    after = STEPS(state, jnp.array([5, -1, 65]))  # an inner cell, and two that do not exist
    assert after.terminated.all()
    assert not after.truncated.any()
    assert after.legal_action_mask.all()
    rows = jnp.arange(3)
    assert (after.rewards[rows, state.current_player] == -1).all()
    assert (after.rewards[rows, 1 - state.current_player] == 1).all()
    assert (after._step_count == 1).all()
    assert same(after._x, state._x)
    assert (after.observation == state.observation).all()
    assert (after.current_player == state.current_player).all()
    for action in (0, 5, -1, 1000):  # nothing changes but the rewards
        later = STEPS(after, jnp.full(3, action))
        assert same(later, after.replace(rewards=jnp.zeros_like(after.rewards)))
    cut = state.replace(truncated=jnp.ones_like(state.truncated))  # by a wrapper
    assert same(STEPS(cut, jnp.array([5, 0, 65])), cut)


def test_a_scan_plays_whole_games():
    def ply(state, key):
        action = jax.random.categorical(key, jnp.log(state.legal_action_mask.astype(jnp.float32)))
        following = STANDARD.step(state, action)
        return following, (action, following.rewards, state.current_player)

    def game(key):
        first, rest = jax.random.split(key)
        keys = jax.random.split(rest, STANDARD.variant.max_game_length)
        return jax.lax.scan(ply, STANDARD.init(first), keys)

    keys = jax.random.split(jax.random.key(1), 20)
    last, (actions, rewards, movers) = jax.jit(jax.vmap(game))(keys)
    assert last.terminated.all()
    for number, position in enumerate(to_positions(last)):
        played = Position.from_actions(actions[number, : position.ply].tolist())
        assert played.notation == position.notation
        sign = 1 - 2 * int(movers[number, 0])  # player 0 is Light, or Dark
        assert rewards[number, :, 0].sum() == sign * np.sign(position.margin)


def test_automatic_reset_by_pgx():
    """The step that ends a game returns the next one with the flags and rewards of the end; the
    next step clears them.
    """
    step = jax.jit(jax.vmap(auto_reset(STANDARD.step, STANDARD.init)))
    state, rng, ends = starts(STANDARD, 50), np.random.default_rng(0), 0
    plain = state
    fresh = starts(STANDARD, 1)
    for turn in range(45):
        keys = jax.random.split(jax.random.key(turn), 50)
        actions = random_actions(rng, np.asarray(state.legal_action_mask))
        before, state, plain = state, step(state, actions, keys), STEPS(plain, actions)
        assert np.array_equal(state.terminated, plain.terminated)
        assert np.array_equal(state.rewards, plain.rewards)
        over = np.asarray(state.terminated)
        assert not (over & np.asarray(before.terminated)).any()
        ends += over.sum()
        for part in ("observation", "legal_action_mask", "_step_count"):
            rows = np.asarray(getattr(state, part))
            assert (rows[over] == np.asarray(getattr(fresh, part))).all()
            assert np.array_equal(rows[~over], np.asarray(getattr(plain, part))[~over])
        clear = jnp.zeros_like(state.terminated)
        plain = state.replace(terminated=clear, rewards=jnp.zeros_like(state.rewards))
        assert (STEPS(plain, random_actions(rng, plain.legal_action_mask))._step_count > 0).all()
    assert ends > 50


def test_64_bits_change_nothing():
    state = STEPS(starts(STANDARD, 8), np.arange(8) % 3)
    with jax.enable_x64(True):
        env = Mijnlieff()
        wide = jax.jit(jax.vmap(env.step))(starts(env, 8), np.arange(8) % 3)
        assert same(wide, state)
        for action in (2**32, -(2**32), 2**63 - 1):  # whose low bits are an action
            assert env.step(env.init(jax.random.key(0)), np.int64(action)).terminated
        assert not env.step(env.init(jax.random.key(0)), np.uint64(1)).terminated


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32"])
def test_actions_of_any_integer_type(dtype):
    state = STANDARD.init(jax.random.key(0))
    assert same(STANDARD.step(state, np.dtype(dtype).type(3)), STEP(state, 3))


@pytest.mark.parametrize("action", [2**40, np.int64(2**32), np.uint64(2**63), -(2**40)])
def test_actions_beyond_32_bits_do_not_exist(action):
    """JAX without 64 bits would take their low bits, which are those of action 0."""
    state = STANDARD.init(jax.random.key(0))
    assert STANDARD.step(state, action).terminated


def test_states_are_values():
    state = STEPS(starts(STANDARD, 2), jnp.array([0, 1]))
    for copied in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert isinstance(copied, State)
        assert same(copied, state)
    env = Mijnlieff(Variant(), observation="flat")
    assert (env, hash(env)) == (Mijnlieff(observation="flat"), hash(Mijnlieff(observation="flat")))
    assert pickle.loads(pickle.dumps(env)) == env != STANDARD
    assert repr(STANDARD) == (
        f"Mijnlieff({Variant()!r}, observation='planes', dtype='float32', reward='outcome')"
    )
    assert (STANDARD.id, STANDARD.version, STANDARD.num_players) == ("mijnlieff", "v0", 2)


def test_drawings(tmp_path):
    state = STEPS(starts(STANDARD, 2), jnp.array([0, 1]))
    one = jax.tree.map(lambda leaf: leaf[0], state)
    assert one.to_svg() == one._repr_html_()
    assert one.to_svg().startswith("<svg")
    assert state.to_svg().count("<title>") == 2
    one.save_svg(tmp_path / "one.svg", scale=2)
    assert (
        'width="640"' in (tmp_path / "one.svg").read_text()
        or 'height="640"' in (tmp_path / "one.svg").read_text()
    )
    with pytest.raises(ValueError, match=r"must end with .svg, not 'one.png'"):
        one.save_svg("one.png")


def test_bad_input():
    state = STANDARD.init(jax.random.key(0))
    with pytest.raises(TypeError, match="variant must be a Variant, or its text or dict, not 4"):
        Mijnlieff(4)
    with pytest.raises(ValueError, match="unknown observation layout 'packed'; choose one of"):
        Mijnlieff(observation="packed")
    with pytest.raises(ValueError, match="unknown reward 'points'"):
        Mijnlieff(reward="points")
    with pytest.raises(TypeError, match="float64"):
        Mijnlieff(dtype="float64")
    with pytest.raises(TypeError, match="action must be an integer, not float32"):
        STANDARD.step(state, 1.0)
    with pytest.raises(TypeError, match="action must be an integer, not bool"):
        STEP(state, True)
    with pytest.raises(ValueError, match=r"of shape \(2,\); use jax.vmap"):
        STANDARD.step(state, np.array([0, 1]))
    for call in (lambda: STANDARD.step(3, 0), lambda: to_position(3), lambda: to_positions(3)):
        with pytest.raises(TypeError, match=r"must be a mijnlieff\.jax\.State, not int"):
            call()
    with pytest.raises(ValueError, match=r"a batch of shape \(2,\); use jax.vmap"):
        STANDARD.step(starts(STANDARD, 2), 0)
    with pytest.raises(ValueError, match="player_id must be 0 to 1, not 2"):
        STANDARD.observe(state, 2)
    with pytest.raises(TypeError, match="player_id must be an integer, not float32"):
        STANDARD.observe(state, 0.5)
    for light in (True, 1.0):
        with pytest.raises(TypeError, match=f"light_player must be an integer, not {light}"):
            STANDARD.from_position(Position(), light)
    for scale in (0, float("nan"), 26):
        with pytest.raises(ValueError, match=f"scale must be 0.1 to 25.6, not {scale}"):
            state.to_svg(scale=scale)
    other = Mijnlieff(Variant(copies=3))
    for call in (lambda: other.step(state, 0), lambda: other.observe(state)):
        with pytest.raises(ValueError, match="the state is of Variant"):
            call()
    with pytest.raises(ValueError, match="the positions are of Variant"):
        other.from_position(Position())
    with pytest.raises(ValueError, match="light_player must be 0 to 1, not 2"):
        STANDARD.from_position(Position(), 2)
    with pytest.raises(ValueError, match="the list of positions is empty"):
        STANDARD.from_positions([])
    with pytest.raises(ValueError, match="of one game; use to_position"):
        to_positions(state)
    with pytest.raises(ValueError, match="a batch of shape"):
        to_position(starts(STANDARD, 2))
    with pytest.raises(ValueError, match="mijnlieff"):
        pgx.make("mijnlieff")


def gumbel_search(env, num_simulations):
    """A Gumbel MuZero search that knows the rules and nothing else."""

    def logits(mask):
        return jnp.where(mask, 0.0, jnp.finfo(jnp.float32).min)

    def simulate(params, key, actions, state):
        del params, key
        after = jax.vmap(env.step)(state, actions)
        rows = jnp.arange(len(actions))
        output = mctx.RecurrentFnOutput(
            reward=after.rewards[rows, state.current_player],
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=logits(after.legal_action_mask),
            value=jnp.zeros(len(actions)),
        )
        return output, after

    def search(state, key):
        root = mctx.RootFnOutput(
            prior_logits=logits(state.legal_action_mask),
            value=jnp.zeros(state.terminated.shape),
            embedding=state,
        )
        output = mctx.gumbel_muzero_policy(
            None,
            key,
            root,
            simulate,
            num_simulations,
            invalid_actions=~state.legal_action_mask,
            max_num_considered_actions=env.num_actions,
        )
        values = output.search_tree.summary().qvalues
        return output.action, values[jnp.arange(len(values)), output.action]

    return jax.jit(search)


def tree_size(position):
    """Actions in all continuations of a position."""
    total, depth = 0, 1
    while count := perft(position, depth):
        total, depth = total + count, depth + 1
    return total


def native_search(endings, num_simulations):
    """Actions of `TreeSearch` with the same knowledge, and the mean values of these actions."""
    options = SearchOptions(num_simulations, max_considered=65, margin_weight=0.0)
    search = TreeSearch(endings, options, seed=0)
    while (batch := search.select()) is not None:
        search.update(np.zeros((len(batch), 65), np.float32), np.zeros(len(batch), np.float32))
    values = [
        next(node["value"] for node in search.nodes(tree) if node["actions"] == (action,))
        for tree, action in enumerate(search.actions.tolist())
    ]
    return search.actions, np.array(values)


def test_mctx_agrees_with_tree_search():
    """Both find the win where one exists, and value only won endings as won.

    Values are means over simulations, so those of wins approach 1, and those of draws are near 0.
    The search may take a loss for a draw: after one bad sample of the opponent's best reply, the
    other replies look better and are visited instead. `TreeSearch` does so in the same ending.
    """
    simulations, positions = 256, random_openings(400, 13, seed=1)
    solved = solve_batch(positions)
    results = np.where(solved.action_mask == 1, np.sign(solved.action_margins), 0)
    outcomes = np.sign(solved.margins)
    small = np.array([tree_size(position) <= 40 for position in positions])
    small &= solved.action_mask[:, -1] == 0  # a forced pass is not searched
    loses = (results == -1).any(axis=1)  # an action gives the win away
    won = np.flatnonzero(small & (outcomes == 1) & loses)[:30]
    lost = np.flatnonzero(small & (outcomes == -1))[:10]
    drawn = np.flatnonzero(small & (outcomes == 0))[:10]
    assert (len(won), len(lost), len(drawn)) == (30, 10, 10)
    chosen = np.concatenate([won, lost, drawn])
    endings = [positions[i] for i in chosen]
    env = Mijnlieff(observation="flat")
    search = gumbel_search(env, simulations)
    theirs = map(np.asarray, search(env.from_positions(endings), jax.random.key(0)))
    for actions, values in (theirs, native_search(endings, simulations)):
        assert np.array_equal(results[chosen, actions], outcomes[chosen])
        assert np.array_equal(values > 0.5, outcomes[chosen] == 1)
        assert values[30:].max() < 0.1
        assert (values[30:40] < -0.5).sum() >= 9


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_a_search_takes_logits_and_values_of_jax(dtype):
    search = TreeSearch([Position()], 4)
    while (batch := search.select()) is not None:
        search.update(jnp.zeros((len(batch), 65), dtype), jnp.zeros(len(batch), dtype))
    assert search.visit_counts.sum() == 4


def test_the_page_runs():
    names = run_page("jax.md")
    assert names["state"].legal_action_mask[jnp.arange(4), names["found"].action].all()


def test_the_example_runs():
    small = ("--batch", 8, "--simulations", 4, "--seed", 3)
    printed = printed_by_script("examples/jax_mctx.py", "--iterations", 2, "--games", 20, *small)
    assert "against random, 20 games" in printed


def test_the_benchmark_runs():
    options = ("--games", 8, "--seconds", 0, "--ways", "step", "replay")
    printed = printed_by_script("benches/frameworks/jax_games.py", *options).splitlines()
    rows = [re.fullmatch(r"(.{16})(?: +\d+\.\d\d){4}", row) for row in printed[2:]]
    assert [row[1].rstrip() for row in rows][:2] == ["connect four", "tic-tac-toe"]
    assert len(rows) == 6


def test_the_benchmark_draws_each_legal_action_alike():
    draw = runpy.run_path("benches/frameworks/jax_games.py")["draw"]
    for count in (7, 16, 65):
        mask = np.random.default_rng(count).random((200, count)) < 0.3
        mask[:, -1] |= ~mask.any(axis=1)
        key = jax.random.key(count)
        numbers = np.asarray(jax.random.uniform(key, (200,))) * mask.sum(axis=1)
        expected = [
            np.flatnonzero(row)[int(number)] for row, number in zip(mask, numbers, strict=True)
        ]
        assert draw(key, jnp.asarray(mask)).tolist() == expected
