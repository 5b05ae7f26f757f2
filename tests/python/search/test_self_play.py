"""`SelfPlay`: its games, move by move by a `TreeSearch`; what it promises about threads; misuse."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from interrupts import lets_other_threads_run
from mijnlieff import (
    Board,
    Canvas,
    ChampionPolicy,
    NetworkPolicy,
    PolicyError,
    Position,
    SearchOptions,
    SelfPlay,
    TreeSearch,
    Variant,
    VariantError,
    solve,
)
from mijnlieff._mijnlieff import Network
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.policies.searches import search_value
from mijnlieff.self_play import SelfPlaySamples, SelfPlayStatistics
from network_inputs import canvas_network, network_for
from vector_model import Stream

WIDE = Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)]), "anywhere", 2)
SMALL = Variant(Board.from_text("###\n###"), "anywhere", 1)
ENDINGS = {"solve_roots_below": 9, "solve_leaves_below": 8}
SEARCH = {"num_simulations": 32, "max_considered": 8, "c_scale": 0.2, **ENDINGS}
ARRAYS = [name for name in SelfPlaySamples.__match_args__ if name != "statistics"]
LEAVES = ("evaluations", "shared_evaluations", "recalled_evaluations", "solved_leaves")


class OnBoard:
    """A network for a canvas, on one board: asked about flat observations."""

    def __init__(self, network: Network, variant: Variant) -> None:
        self.network, self.variant = network, variant

    def evaluate(self, flat: Any, precision: Any) -> tuple[Any, Any]:
        canvas = self.network.canvas
        planes = np.zeros((len(flat), 12, canvas.height, canvas.width), np.float32)
        x, y = np.array(self.variant.board.cells).T
        planes[:, :3, y, x] = flat[:, :-8].reshape(len(flat), 3, -1)
        planes[:, 3, y, x] = 1
        planes[:, 4:] = flat[:, -8:, None, None]
        logits, values = self.network.evaluate(planes, precision=precision)
        return logits[:, canvas.actions(self.variant)], values


def evaluate(network: Network | OnBoard, search: TreeSearch, margin_weight: float) -> None:
    while (batch := search.select()) is not None:
        logits, values = network.evaluate(batch.observation, precision="int16")
        search.update(logits, search_value(values, margin_weight))


def played_alone(
    network: Network,
    variant: Variant | list[Variant],
    number: int,
    *,
    seed: int = 0,
    random_plies: int = 4,
    solve_book_roots: bool = False,
    solved_temperature: float = 0.0,
    **settings: Any,
) -> dict[str, list[Any]]:
    """A game by the definition, one search after another."""
    options = SearchOptions(**settings)
    weight = options.margin_weight
    stream = Stream(seed, number)
    if isinstance(variant, list):
        variant = variant[stream.below(len(variant))]
    player = network if network.canvas is None else OnBoard(network, variant)
    tree_seed = stream.word()
    position = Position(variant)
    for _ in range(stream.below(random_plies + 1)):
        actions = position.legal_actions()
        following = position.play(int(actions[stream.below(len(actions))]))
        if following.is_over:
            break
        position = following
    temperature = solved_temperature * share_of(stream) if solved_temperature else 0.0
    search = None
    rows: list[dict[str, Any]] = []
    while not position.is_over:
        if (action := variant.pass_action) not in position.legal_actions():
            policy = np.zeros(variant.num_actions, np.float32)
            row = {"position": position, "policy_targets": policy}
            empty = int((position.stones == 0).sum())
            in_book = variant.board == Board.standard() and variant.copies == 2 and empty > 11
            if empty <= options.solve_roots_below or (solve_book_roots and in_book):
                margins = solve(position).action_margins
                value = {
                    it: (1 - weight) * np.sign(margin) + weight * np.clip(margin / 8, -1, 1)
                    for it, margin in margins.items()
                }
                best = [it for it in value if value[it] == max(value.values())]
                policy[best] = np.float32(1 / len(best))
                if temperature:
                    action = strayed(margins, temperature, share_of(stream))
                else:
                    action = best[stream.below(len(best))]
                row |= {"exact": True, "margins": solve(position).margin}
                row |= {"root_values": max(value.values())}
            else:
                if search is None:
                    search = TreeSearch([position], options, seed=tree_seed, num_threads=1)
                else:
                    search.restart([position])
                evaluate(player, search, weight)
                policy[:] = search.policy_targets[0]
                action = int(search.actions[0])
                row |= {"exact": False, "root_values": search.root_values[0]}
            rows.append(row)
        position = position.play(int(action))
    light = position.margin
    for row in reversed(rows):
        sign = 1 if row["position"].to_play == 0 else -1
        light = sign * row.get("margins", sign * light)
        row["margins"] = sign * light
    return {"rows": rows, "end": position}


def share_of(stream: Stream) -> float:
    """A number from 0 to 1, as `Draw::unit` makes it."""
    return (stream.word() >> 11) / 2**53


def strayed(margins: Mapping[int, int], temperature: float, share: float) -> int:
    """The action that is drawn with probabilities softmax(margins / temperature)."""
    best = max(margins.values())
    # The order of the solver: of the legal actions.
    weights = {it: math.exp((margin - best) / temperature) for it, margin in margins.items()}
    below = 0.0
    for action, weight in weights.items():
        below += weight
        if share * sum(weights.values()) < below:
            return action
    raise AssertionError("the shares sum to 1")


def assert_same(samples: SelfPlaySamples, others: SelfPlaySamples) -> None:
    for name in ARRAYS:
        left, right = getattr(samples, name), getattr(others, name)
        np.testing.assert_array_equal(left, right, strict=True, err_msg=name)
    for name in set(SelfPlayStatistics.__match_args__) - set(LEAVES):
        assert getattr(samples.statistics, name) == getattr(others.statistics, name), name


@pytest.mark.parametrize(
    ("variant", "settings"),
    [
        (Variant(), {}),
        (
            Variant(),
            {
                "random_plies": 10,
                "seed": 2**64 - 1,
                "margin_weight": 0.0,
                "solve_leaves_below": 7,
            },
        ),
        (Variant(opening="corner"), {"temperature": 0.0, "num_simulations": 9}),
        (Variant(), {"solve_roots_below": 0, "solve_leaves_below": 0, "num_simulations": 16}),
        (
            Variant(),
            {"root": "puct", "c_puct": 2.0, "dirichlet_share": 0.25},
        ),
        (
            Variant(),
            {
                "random_plies": 10,
                "solve_roots_below": 10,
                "solve_book_roots": True,
                "solved_temperature": 2.5,
            },
        ),
        (Variant(), {"random_plies": 2, "solve_book_roots": True}),
        (
            Variant(opening="anywhere", copies=1),
            {"solve_roots_below": 7, "solve_book_roots": True, "solved_temperature": 0.5},
        ),
        (SMALL, {"solve_roots_below": 3, "solve_leaves_below": 2, "random_plies": 6}),
        (WIDE, {"solve_roots_below": 0, "solve_leaves_below": 0, "num_simulations": 8}),
    ],
    ids=[
        "default",
        "wide openings",
        "greedy",
        "pure",
        "puct",
        "straying",
        "book",
        "no book",
        "small",
        "large board",
    ],
)
def test_games_are_those_of_searches_one_by_one(variant, settings):
    network = network_for(variant, scale=0.3)
    settings = SEARCH | settings
    games = SelfPlay(network, variant, num_games=7, num_threads=2, **settings)
    samples = games.play(12)
    row = 0
    for number in range(12):
        game = played_alone(network, variant, number, **settings)
        for expected in game["rows"]:
            position = expected["position"]
            observation = position.observation("flat", "uint8")
            np.testing.assert_array_equal(samples.observations[row], observation)
            np.testing.assert_array_equal(samples.action_masks[row], position.action_mask())
            np.testing.assert_array_equal(
                samples.policy_targets[row], expected["policy_targets"], strict=True
            )
            assert samples.root_values[row] == np.float32(expected["root_values"])
            assert samples.margins[row] == expected["margins"]
            assert samples.exact[row] == expected["exact"]
            assert samples.to_play[row] == position.to_play
            assert samples.plies[row] == position.ply
            assert samples.games[row] == number
            row += 1
        assert samples.game_margins[number] == game["end"].margin
        assert samples.game_plies[number] == game["end"].ply
    assert row == len(samples)
    statistics = samples.statistics
    assert (statistics.games, statistics.plies) == (12, samples.game_plies.sum())
    assert statistics.solved_roots == samples.exact.sum()
    assert statistics.searched_roots == row - statistics.solved_roots
    assert statistics.simulations == settings["num_simulations"] * statistics.searched_roots
    np.testing.assert_array_equal(samples.outcomes, np.sign(samples.margins))


SET = [SMALL, Variant(Board.from_text("##.\n###\n.##"), "corner", 1), SMALL]


def test_each_game_of_a_set_draws_its_variant():
    canvas = Canvas(3, 4)
    network = canvas_network(canvas, copies=1)
    settings: dict[str, Any] = {"num_simulations": 8, "solve_roots_below": 3, "seed": 4}
    settings["solve_leaves_below"] = 2
    games = SelfPlay(network, variants=SET, canvas=canvas, observation="planes", **settings)
    assert (games.variant, games.variants) == (None, tuple(SET))
    samples = games.play(14)
    row = 0
    for number in range(14):
        for expected in played_alone(network, SET, number, **settings)["rows"]:
            position = expected["position"]
            assert SET[samples.variants[row]] == position.variant
            observation = observe_batch([position], "planes", "uint8", canvas)[0]
            np.testing.assert_array_equal(samples.observations[row], observation, strict=True)
            mask = mask_batch([position], canvas)[0]
            np.testing.assert_array_equal(samples.action_masks[row], mask, strict=True)
            policy = np.zeros(canvas.num_actions, np.float32)
            policy[canvas.actions(position.variant)] = expected["policy_targets"]
            np.testing.assert_array_equal(samples.policy_targets[row], policy, strict=True)
            assert samples.root_values[row] == np.float32(expected["root_values"])
            assert samples.margins[row] == expected["margins"]
            assert samples.games[row] == number
            row += 1
    assert row == len(samples)
    assert set(samples.variants.tolist()) == {0, 1, 2}
    others = SelfPlay(
        network, variants=SET, canvas=canvas, observation="planes", num_threads=3, **settings
    )
    assert_same(others.play(14), samples)
    copied = pickle.loads(pickle.dumps(games))
    assert_same(copied.play(3), games.play(3))


def test_a_set_of_one_plays_the_games_of_its_variant():
    network = network_for(Variant())
    settings: dict[str, Any] = {"num_simulations": 4, "observation": "planes", "seed": 2}
    alone = SelfPlay(network, **settings)
    games = SelfPlay(network, variants=[Variant()], **settings)
    assert games.variant == Variant()
    assert_same(games.play(6), alone.play(6))


def test_roots_are_searched_where_only_leaves_are_solved():
    """All leaves are exact here, so a search that trusts its values plays as the solver does."""
    network = network_for(SMALL)
    settings = {"num_simulations": 64, "max_considered": 64, "c_scale": 1e6, "temperature": 0.0}
    games = SelfPlay(
        network,
        SMALL,
        solve_roots_below=0,
        solve_leaves_below=6,
        random_plies=0,
        num_threads=1,
        **settings,
    )
    samples = games.play(4)
    assert not samples.exact.any()
    assert samples.statistics.solved_leaves > 0
    # Only roots need the network, and all games are equal.
    assert samples.statistics.evaluations == len(samples) // 4
    assert set(samples.game_margins) == {solve(Position(SMALL)).margin}


def test_nothing_depends_on_threads_or_on_games_at_once():
    settings: dict[str, Any] = {"seed": 3, "num_simulations": 8, **ENDINGS}
    network = ChampionPolicy().model
    first = SelfPlay(network, num_threads=1, num_games=100, **settings).play(100)
    for num_threads, num_games in [(2, 100), (3, 7), (8, 1), (1, 1)]:
        others = SelfPlay(network, num_threads=num_threads, num_games=num_games, **settings)
        assert_same(first, others.play(100))
    # Nor on how calls are cut.
    games = SelfPlay(network, num_threads=1, **settings)
    parts = [games.play(1), games.play(60), games.play(39)]
    assert games.games_played == 100
    for name in ARRAYS:
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(joined, getattr(first, name), strict=True)
    assert sum(part.statistics.plies for part in parts) == first.statistics.plies


def test_exact_games_do_not_depend_on_threads_or_on_games_at_once():
    settings: dict[str, Any] = {
        "seed": 8,
        "num_simulations": 4,
        "random_plies": 10,
        "solve_roots_below": 10,
        "solve_leaves_below": 8,
        "solve_book_roots": True,
        "solved_temperature": 3.0,
    }
    network = ChampionPolicy().model
    first = SelfPlay(network, num_threads=1, num_games=60, **settings).play(60)
    for num_threads, num_games in [(2, 60), (3, 7), (1, 1)]:
        others = SelfPlay(network, num_threads=num_threads, num_games=num_games, **settings)
        assert_same(first, others.play(60))


def test_games_that_are_solved_from_the_start_need_no_search():
    games = SelfPlay(
        ChampionPolicy(),
        num_simulations=1,
        random_plies=10,
        solve_roots_below=11,
        solve_book_roots=True,
        solved_temperature=3.0,
    )
    samples = games.play(60)
    assert samples.exact.all()
    assert samples.statistics.simulations == samples.statistics.evaluations == 0
    assert set(range(11)) <= set(samples.plies.tolist())
    # Mistakes are met: the margin of a game changes on the way.
    light = np.where(samples.to_play == 0, samples.margins, -samples.margins)
    changed = [len(set(light[samples.games == game])) > 1 for game in range(60)]
    assert 20 < sum(changed) < 60


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [("flat", "float32"), ("planes", "uint8"), ("planes", np.float32), ("packed", "uint8")],
)
def test_observations_in_any_layout(layout, dtype):
    network = ChampionPolicy().model
    options = SearchOptions(2, **ENDINGS)
    games = SelfPlay(network, options=options, observation=layout, dtype=dtype, seed=5)
    samples = games.play(3)
    row = 0
    for number in range(3):
        game = played_alone(network, Variant(), number, num_simulations=2, seed=5, **ENDINGS)
        for expected in game["rows"]:
            observation = expected["position"].observation(layout, dtype)
            np.testing.assert_array_equal(samples.observations[row], observation)
            row += 1
    assert row == len(samples)
    assert samples.observations.dtype == (np.uint64 if layout == "packed" else np.dtype(dtype))


def test_openings_are_as_deep_as_asked_for():
    samples = SelfPlay(ChampionPolicy(), num_simulations=1, random_plies=10, **ENDINGS).play(3000)
    starts = samples.plies[np.unique(samples.games, return_index=True)[1]]
    counts = np.bincount(starts, minlength=12)
    # Each number of random plies has a share of 1 in 11; a forced pass after them adds a ply.
    # Standard deviation 15.7.
    assert (abs(counts[:5] - 3000 / 11) < 80).all()
    assert counts[11:].sum() < 100
    assert counts.sum() == 3000
    # The first action is uniform over the 48 legal ones: 12 cells of 16, 57 each, deviation 7.5.
    second = samples.observations[(samples.plies == 1)]
    stones = second[:, 16:32].sum(axis=0)
    assert (stones > 0).sum() == 12


def test_another_network_plays_the_next_games():
    first, second = (network_for(Variant(), seed=seed) for seed in (0, 1))
    games = SelfPlay(first, num_simulations=4)
    games.play(5)
    games.set_network(second)
    assert games.network == second
    samples = games.play(5)
    expected = SelfPlay(second, num_simulations=4)
    expected.play(5)
    assert_same(samples, expected.play(5))
    with pytest.raises(TypeError, match="network must be a Network or a policy with one, not 7"):
        games.set_network(7)
    with pytest.raises(PolicyError, match="cannot play"):
        games.set_network(network_for(SMALL))
    assert games.network == second


def test_as_many_samples_as_asked_for():
    options = SearchOptions(2, **ENDINGS)
    games = SelfPlay(ChampionPolicy(), options=options, num_threads=2)
    for wanted in (1, 500, 501):
        before = games.games_played
        samples = games.play_samples(wanted)
        assert wanted <= len(samples) < wanted + 100
        assert games.games_played == before + samples.statistics.games
        assert samples.games[0] == before
    alone = SelfPlay(ChampionPolicy(), options=options, num_threads=1, num_games=3)
    alone.play_samples(1)
    alone.play_samples(500)
    assert_same(samples, alone.play_samples(501))


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_go_on_in_the_same_way(clone):
    games = SelfPlay(ChampionPolicy(), num_simulations=2, seed=9, **ENDINGS)
    games.play_samples(30)
    other = clone(games)
    assert repr(other) == repr(games)
    assert other.games_played == games.games_played > 0
    samples = games.play_samples(50)
    assert_same(samples, other.play_samples(50))
    assert_same(samples, pickle.loads(pickle.dumps(samples)))


BAD = [
    ({"num_games": 0}, ValueError, "num_games must be 1 to 16777216, not 0"),
    ({"num_simulations": 0}, ValueError, "num_simulations must be 1 to 16777216, not 0"),
    ({"num_simulations": True}, TypeError, "num_simulations must be an integer, not True"),
    ({"random_plies": -1}, ValueError, "random_plies must be 0 to 1000, not -1"),
    ({"solve_roots_below": -1}, ValueError, r"solve_roots_below must be 0 to .*, not -1"),
    ({"solve_leaves_below": -2}, ValueError, r"solve_leaves_below must be 0 to .*, not -2"),
    ({"solved_temperature": -1.0}, ValueError, "solved_temperature must be .* from 0, not -1.0"),
    ({"solved_temperature": math.nan}, ValueError, "solved_temperature must be .*, not NaN"),
    ({"solve_book_roots": 1}, TypeError, "solve_book_roots"),
    ({"max_considered": 0}, ValueError, "max_considered must be 1 to 1024, not 0"),
    ({"num_threads": 0}, ValueError, "num_threads must be 1 to 1024, not 0"),
    ({"seed": -1}, ValueError, r"seed must be 0 to 2\*\*64 - 1, not -1"),
    ({"temperature": -0.5}, ValueError, "temperature must be a finite number from 0, not -0.5"),
    ({"temperature": float("nan")}, ValueError, "temperature must be .*, not NaN"),
    ({"margin_weight": 1.5}, ValueError, "margin_weight must be from 0 to 1, not 1.5"),
    ({"c_scale": float("inf")}, ValueError, "c_scale must be .*, not inf"),
    ({"dirichlet_share": 2.0}, ValueError, "dirichlet_share must be from 0 to 1, not 2.0"),
    ({"root": "ucb"}, ValueError, 'unknown root "ucb"; choose gumbel or puct'),
    ({"observation": "flags"}, ValueError, 'unknown observation layout "flags"'),
    ({"dtype": "int64"}, TypeError, "float32 or uint8, not int64"),
]


@pytest.mark.parametrize(("settings", "error", "words"), BAD)
def test_bad_settings(settings, error, words):
    with pytest.raises(error, match=words):
        SelfPlay(ChampionPolicy(), **settings)


def test_misuse():
    with pytest.raises(TypeError, match="must be a Network or a policy with one, not 'greedy'"):
        SelfPlay("greedy")
    with pytest.raises(PolicyError, match=r"was trained on .* and cannot play"):
        SelfPlay(ChampionPolicy(), SMALL)
    with pytest.raises(VariantError, match="packed observations need at most"):
        SelfPlay(network_for(WIDE), observation="packed")
    with pytest.raises(ValueError, match=r"give variant=.* or variants, not both"):
        SelfPlay(ChampionPolicy(), Variant(), variants=[Variant()])
    with pytest.raises(ValueError, match='observations on a canvas are "planes", not "flat"'):
        SelfPlay(ChampionPolicy(), variants=[Variant()])
    with pytest.raises(PolicyError, match=r"was trained on .* and cannot play"):
        SelfPlay(ChampionPolicy(), variants=[Variant(), SMALL], observation="planes")
    small = canvas_network(Canvas(2, 3), copies=1)
    with pytest.raises(ValueError, match="plays all boards that fit its canvas: give variant"):
        SelfPlay(small)
    assert SelfPlay(small, SMALL).variants == (SMALL,)
    with pytest.raises(PolicyError, match="on boards that fit 2 x 3 cells, with 1 copies and cann"):
        SelfPlay(small, Variant(copies=1))
    with pytest.raises(VariantError, match="does not fit a canvas of 2 rows and 2 columns"):
        SelfPlay(small, variants=[SMALL], canvas=Canvas(2, 2), observation="planes")
    games = SelfPlay(ChampionPolicy(), num_simulations=1)
    for count in (0, -3, 2**64):
        with pytest.raises(ValueError, match=f"games must be 1 to .*, not {count}"):
            games.play(count)
        with pytest.raises(ValueError, match=f"samples must be 1 to .*, not {count}"):
            games.play_samples(count)
    with pytest.raises(TypeError, match=r"games must be an integer, not 2\.0"):
        games.play(2.0)
    assert games.games_played == 0


@pytest.mark.parametrize("dtype", ["f8", None])
def test_observations_of_another_dtype_are_refused(dtype):
    with pytest.raises(TypeError, match="observations have dtype float32 or uint8, not"):
        SelfPlay(ChampionPolicy(), dtype=dtype)


@pytest.mark.parametrize(
    "progress",
    [(2**64 - 1, 2**64 - 1), (2**64 - 1, 0), (0, 2**64 - 16), (2**62 + 1, 0), (3, 400)],
)
def test_a_progress_that_no_games_have_is_refused(progress):
    games = SelfPlay(network_for(SMALL), SMALL, num_simulations=2)
    state = games.__getstate__() | {"progress": progress}
    with pytest.raises(
        ValueError, match=f"no self-play has {progress[0]} games with {progress[1]} "
    ):
        games.__setstate__(state)


def test_games_go_on_after_the_largest_progress():
    games = SelfPlay(network_for(SMALL), SMALL, num_simulations=2)
    games.__setstate__(games.__getstate__() | {"progress": (2**62, 2**62)})
    assert games.play(2).games.max() == 2**62 + 1
    samples = games.play_samples(3)
    assert len(samples) >= 3 and samples.games.min() == 2**62 + 2


def test_a_network_whose_sums_overflow():
    games = SelfPlay(network_for(Variant(), scale=1e30), num_simulations=2)
    for _ in range(2):
        with pytest.raises(PolicyError, match="evaluation cannot be used: leaf 0"):
            games.play(3)
    games.set_network(ChampionPolicy())
    assert games.play(2).games.min() == 0


def test_stop_ends_a_call_of_another_thread():
    games = SelfPlay(NetworkPolicy(ChampionPolicy().model), num_simulations=64)
    raised: list[BaseException] = []

    def play() -> None:
        while not raised:
            try:
                games.play(10**6)
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raised.append(error)

    thread = threading.Thread(target=play)
    thread.start()
    with pytest.raises(RuntimeError, match="another thread plays these games"):
        while True:
            games.play(1)
    games.stop()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert "stopped" in str(raised[0])
    assert len(games.play(1)) > 0


def test_other_threads_run_meanwhile():
    games = SelfPlay(ChampionPolicy(), num_threads=1, **ENDINGS)
    assert lets_other_threads_run(lambda: games.play(200))
