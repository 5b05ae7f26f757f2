"""Opponents that are told which game they are in, and pools of them."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import mijnlieff
from draws import assert_shares
from mijnlieff import PolicyError, VectorEnv
from mijnlieff.policies import OpponentPool
from players import First


class Recorder:
    """Plays the first legal action, and remembers which games it was asked about."""

    def __init__(self):
        self.calls = []

    def act(self, position):
        return int(position.legal_actions()[0])

    def act_batch(self, positions):
        return np.array([self.act(position) for position in positions])

    def act_games(self, positions, games):
        assert games.dtype == np.uint64 and games.shape == (len(positions),)
        self.calls.append(list(zip(games.tolist(), positions, strict=True)))
        return self.act_batch(positions)

    @property
    def asked(self):
        return [one for call in self.calls for one in call]


class Nth(Recorder):
    """Plays the legal action of a fixed rank from the end, and has a name to compare."""

    def __init__(self, rank):
        super().__init__()
        self.rank = rank

    def act(self, position):
        legal = position.legal_actions()
        return int(legal[-1 - self.rank % len(legal)])


def play(env, steps, seed=None):
    """What an agent that draws its actions sees; game i draws from its own stream."""
    env.reset(seed=seed)
    results = []
    for _ in range(steps):
        results.append(env.step(env.sample_actions()))
    return results


def is_later(one, other):
    """Whether a position may come after another one of the same game."""
    return one.ply > other.ply and bool(((one.stones == other.stones) | (other.stones == 0)).all())


@pytest.mark.parametrize("seat", ["light", "dark", "random"])
@pytest.mark.parametrize("illegal_action", ["raise", "lose"])
def test_a_number_stays_with_its_game_and_no_other_has_it(seat, illegal_action):
    recorder = Recorder()
    options = {"seat": seat, "random_plies": 4, "illegal_action": illegal_action}
    env = VectorEnv(16, opponent=recorder, **options)
    env.reset(seed=5)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(80):
        actions = env.sample_actions()
        if illegal_action == "lose":
            actions[rng.random(16) < 0.1] = 64  # mostly illegal
        ended += int(env.step(actions)[2].sum())
    last = {}
    for number, position in recorder.asked:
        assert number not in last or is_later(position, last[number])
        last[number] = position
    # Without any turn of the opponent, a game is not seen here.
    assert 0.8 * (ended + 16) < len(last) <= ended + 16


def test_the_same_seed_gives_the_same_numbers_in_any_batch():
    large, small, again = Recorder(), Recorder(), Recorder()
    play(VectorEnv(8, opponent=large), 40, seed=10)
    env = VectorEnv(2, opponent=small)
    play(env, 40, seed=13)
    mine = {number for number, _ in small.asked}
    theirs = [number for number, _ in large.asked]
    assert mine < set(theirs)
    small.calls.clear()
    play(env, 40, seed=13)  # a second time with the seed
    assert {number for number, _ in small.asked} == mine
    single = mijnlieff.MijnlieffEnv(opponent=again, illegal_action="raise")
    for episode in range(3):
        _, info = single.reset(seed=13 if episode == 0 else None)
        over = False
        while not over:
            _, _, over, _, info = single.step(info["action_mask"].argmax())
    assert {number for number, _ in again.asked} < mine


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_every_game_has_a_new_number_in_every_mode(autoreset):
    recorder = Recorder()
    env = VectorEnv(4, opponent=recorder, seat="dark", autoreset=autoreset)
    _, info = env.reset(seed=0)
    started = 4
    for _ in range(60):
        _, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        started += int(ended.sum())
        if autoreset == "disabled" and ended.any():
            _, info = env.reset(options={"reset_mask": ended})
    first = {number for number, position in recorder.asked if position.ply == 0}
    assert len(first) == started - (int(ended.sum()) if autoreset == "next_step" else 0)
    _, info = env.reset()  # games in between are given up
    later = {number for number, position in recorder.calls[-1] if position.ply == 0}
    assert len(later) == 4 and not later & first


def test_seeds_of_single_games_restart_their_numbers_only():
    recorder = Recorder()
    env = VectorEnv(3, opponent=recorder, seat="dark")
    env.reset(seed=[7, 8, 9])
    first = [number for number, _ in recorder.asked]
    env.reset(seed=[7, None, 5])
    second = [number for number, _ in recorder.calls[-1]]
    assert second[0] == first[0] and not {*second[1:]} & {*first}


def test_numbers_without_a_seed_differ_from_run_to_run():
    numbers = set()
    for _ in range(2):
        recorder = Recorder()
        VectorEnv(2, opponent=recorder, seat="dark").reset()
        numbers |= {number for number, _ in recorder.asked}
    assert len(numbers) == 4


def test_a_step_that_fails_changes_no_number():
    class Faulty(Recorder):
        fails = False

        def act_games(self, positions, games):
            chosen = super().act_games(positions, games)
            return np.full(len(positions), 64) if self.fails else chosen

    faulty, sound = Faulty(), Recorder()
    envs = [VectorEnv(4, opponent=policy, seat="dark") for policy in (faulty, sound)]
    for env in envs:
        env.reset(seed=1)
    for step in range(40):
        faulty.fails = True
        with pytest.raises(PolicyError):
            envs[0].step(envs[0].action_masks().argmax(axis=1))
        if step == 20:
            with pytest.raises(PolicyError):
                envs[0].reset()
        faulty.fails = False
        faulty.calls.clear()
        sound.calls.clear()
        for env in envs:
            env.step(env.action_masks().argmax(axis=1))
        assert faulty.asked == sound.asked


def test_positions_that_are_set_are_of_new_games():
    recorder = Recorder()
    env = VectorEnv(2, opponent=recorder, seat="dark")
    env.reset(seed=0)
    before = {number for number, _ in recorder.asked}
    env.set_positions([mijnlieff.Position()], mask=np.array([True, False]))
    recorder.calls.clear()
    env.step(env.action_masks().argmax(axis=1))
    numbers = [number for number, _ in recorder.calls[0]]
    assert [number in before for number in numbers] == [False, True]


def test_a_copy_of_an_environment_goes_on_with_the_same_numbers():
    env = VectorEnv(3, opponent=OpponentPool([Nth(0), Nth(5)], seed=1))
    play(env, 15, seed=4)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        here = copy.deepcopy(env)
        for _ in range(30):
            one, two = (it.step(it.sample_actions()) for it in (here, other))
            assert np.array_equal(one[0], two[0])


class Told(OpponentPool):
    """A pool that remembers which member it asked in which game."""

    def act_games(self, positions, games):
        self.by_game = getattr(self, "by_game", {})
        actions = super().act_games(positions, games)
        for number in games.tolist():
            member, _ = self._playing.get(number) or self._played_before[number]
            self.by_game.setdefault(number, []).append(member.rank)
        return actions


def test_each_game_is_played_by_one_member_and_members_by_weight():
    pool = Told([Nth(0), Nth(1), Nth(2)], weights=[1, 1, 2], seed=3)
    play(VectorEnv(64, opponent=pool), 200, seed=0)
    assert all(len(set(ranks)) == 1 for ranks in pool.by_game.values())
    assert len(pool.by_game) > 1000
    members = np.bincount([ranks[0] for ranks in pool.by_game.values()])
    assert_shares(members, np.array([0.25, 0.25, 0.5]))


def test_games_go_on_with_the_member_that_left():
    pool = Told(limit=1)
    pool.add(Nth(0))
    env = VectorEnv(8, opponent=pool, seat="dark")
    env.reset(seed=0)
    old = set(pool.by_game)
    pool.add(Nth(1))
    assert [member.rank for member in pool.members] == [1]
    for _ in range(40):
        env.step(env.sample_actions())
    assert len(pool.by_game) > 16
    for number, ranks in pool.by_game.items():
        assert set(ranks) == ({0} if number in old else {1})


def test_a_seed_started_again_meets_the_members_of_now():
    pool = Told([Nth(0)])
    env = VectorEnv(4, opponent=pool, seat="dark")
    play(env, 3, seed=0)
    pool.add(Nth(1), weight=1e9)
    pool.by_game.clear()
    play(env, 3, seed=0)
    assert {rank for ranks in pool.by_game.values() for rank in ranks} == {1}


def test_games_that_ended_are_forgotten():
    pool = Told([Nth(0), Nth(1)], seed=0)
    play(VectorEnv(8, opponent=pool), 3000, seed=0)
    assert len(pool.by_game) > 2 * 16 * 64
    assert len(pool._playing) + len(pool._played_before) <= 2 * (16 * 64 + 8)
    assert all(len(set(ranks)) == 1 for ranks in pool.by_game.values())


def test_the_draw_follows_the_seeds():
    def members(pool_seed, env_seed):
        pool = Told([Nth(0), Nth(1)], seed=pool_seed)
        play(VectorEnv(16, opponent=pool), 20, seed=env_seed)
        return [ranks[0] for ranks in pool.by_game.values()]

    assert members(0, 0) == members(0, 0)
    assert members(0, 0) != members(1, 0)
    assert members(0, 0) != members(0, 100)


def test_a_batch_against_a_pool_is_that_many_single_games():
    batch = VectorEnv(4, opponent=OpponentPool([Nth(0), Nth(7)], seed=2))
    make = "mijnlieff:Mijnlieff-v0"
    singles = [
        gymnasium.make(make, opponent=OpponentPool([Nth(0), Nth(7)], seed=2)) for _ in range(4)
    ]
    observations, info = batch.reset(seed=20)
    masks = info["action_mask"]
    alone = [env.reset(seed=20 + i) for i, env in enumerate(singles)]
    games = 0
    for _ in range(60):
        for i, (seen, _) in enumerate(alone):
            assert np.array_equal(observations[i], seen)
        actions = masks.argmax(axis=1)
        observations, rewards, ended, _, info = batch.step(actions)
        masks = info["action_mask"]
        for i, env in enumerate(singles):
            seen, reward, over, _, one = env.step(actions[i])
            assert (reward, over) == (rewards[i], ended[i])
            alone[i] = env.reset() if over else (seen, one)
        games += int(ended.sum())
    assert games > 12


def test_a_pool_is_a_policy_elsewhere():
    pool = OpponentPool(["random", "greedy"], seed=1)
    assert isinstance(pool, mijnlieff.Policy) and isinstance(pool, mijnlieff.policies.GamePolicy)
    assert not isinstance(First(), mijnlieff.policies.GamePolicy)
    position = mijnlieff.Position()
    assert position.action_mask()[pool.act(position)] == 1
    report = mijnlieff.evaluate(OpponentPool(["greedy"]), "random", games=600, seed=0)
    assert report.score > 0.6


def test_members_and_weights_are_listed_from_the_oldest():
    pool = OpponentPool(["random"], limit=2, seed=5)
    for depth in (1, 2, 3):
        pool.add(mijnlieff.MinimaxPolicy(depth), weight=depth)
    assert [type(member).__name__ for member in pool.members] == [
        "RandomPolicy",
        *["MinimaxPolicy"] * 2,
    ]
    assert pool.weights == (1.0, 2.0, 3.0)
    assert len(pool) == 3 and repr(pool) == "OpponentPool(3 members, limit=2, seed=5)"


def test_a_pool_in_a_pool_keeps_its_member_in_each_game_too():
    """And draws it independently, also with the same seed."""
    recorders = [Nth(rank) for rank in range(4)]
    pairs = [OpponentPool(recorders[:2]), OpponentPool(recorders[2:])]
    play(VectorEnv(64, opponent=OpponentPool(pairs)), 100, seed=0)
    games = [{game for game, _ in recorder.asked} for recorder in recorders]
    together = set().union(*games)
    assert len(together) == sum(map(len, games)) > 500
    assert min(map(len, games)) > len(together) / 8


def test_large_weights_count():
    pool = OpponentPool([Nth(0), Nth(1)], weights=[1e308, 1e308])
    chosen = pool.act_batch([mijnlieff.Position()] * 200)
    _, counts = np.unique(chosen, return_counts=True)
    assert_shares(counts, np.array([0.5, 0.5]))


def test_bad_input_is_refused():
    assert len(OpponentPool(limit=2**70)) == 0
    for players in (3, {"random"}, None):
        with pytest.raises(TypeError, match="players must be a list of policies, not"):
            OpponentPool(players)
    with pytest.raises(TypeError, match="weights must be a list of numbers, not 3"):
        OpponentPool(["random"], weights=3)
    with pytest.raises(TypeError, match=r"\['random'\]"):
        OpponentPool("random")
    with pytest.raises(ValueError, match="2 players need as many weights, not 1"):
        OpponentPool(["random", "greedy"], weights=[1])
    with pytest.raises(ValueError, match="limit must be at least 1, not 0"):
        OpponentPool(limit=0)
    with pytest.raises(TypeError, match="limit"):
        OpponentPool(limit=1.5)
    with pytest.raises(ValueError):
        OpponentPool(seed=-1)
    pool = OpponentPool(["random"])
    between = OpponentPool([OpponentPool([pool, "greedy"])])
    for leads_back in (pool, between, between.members[0]):
        with pytest.raises(ValueError, match="a pool cannot be its own member"):
            pool.add(leads_back)
    for weight in (0, -1, float("nan"), float("inf"), 10**400):
        with pytest.raises(ValueError, match="weight must be a finite number above 0"):
            pool.add("greedy", weight)
    with pytest.raises(TypeError, match="weight must be a number, not 'much'"):
        pool.add("greedy", "much")
    with pytest.raises(ValueError, match="unknown policy 'gredy'"):
        pool.add("gredy")
    with pytest.raises(TypeError, match="a policy is a name, a path or an object"):
        pool.add(7)
    assert len(pool) == 1
    with pytest.raises(PolicyError, match="the opponent pool is empty"):
        VectorEnv(2, opponent=OpponentPool(), seat="dark").reset(seed=0)
