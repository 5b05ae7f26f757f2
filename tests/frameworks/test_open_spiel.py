"""The OpenSpiel game: OpenSpiel's own checks, and equality with positions."""

from __future__ import annotations

import copy
import doctest
import pickle
import warnings

import numpy as np
import pyspiel
import pytest
from absl.flags import FLAGS
from integration_pages import run_page
from open_spiel.python import policy as spiel_policy
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import exploitability, mcts, minimax
from open_spiel.python.algorithms.generate_playthrough import replay
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

import mijnlieff
from mijnlieff import Board, Position, Variant, VectorEnv
from mijnlieff.errors import (
    BoardError,
    GameOverError,
    IllegalMoveError,
    ParseError,
    PolicyError,
    PositionError,
    VariantError,
)
from mijnlieff.integrations import open_spiel
from mijnlieff.integrations.open_spiel import BotPolicy, MijnlieffGame, MijnlieffState, PolicyBot
from processes import ROOT, printed_by_script

PLAYTHROUGH = ROOT / "tests" / "data" / "python_mijnlieff.playthrough"
GAMES = [
    "python_mijnlieff",
    "python_mijnlieff(opening=corner,reward=margin)",
    "python_mijnlieff(board=###/#.#/###,copies=1,observation=flat)",
    "python_mijnlieff(board=##../##../..##/..##,copies=3,opening=anywhere,reward=margin)",
    "python_mijnlieff(board=########/########/########,opening=corner_straight,copies=4)",
    "python_mijnlieff(board=#,copies=1,opening=anywhere)",
]


def play_random(state, seed=0):
    """Play to the end; yields the action before it is played."""
    draw = np.random.default_rng(seed)
    while not state.is_terminal():
        action = int(draw.choice(state.legal_actions()))
        yield action
        state.apply_action(action)


@pytest.mark.parametrize("name", GAMES)
def test_random_sim_test(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=20, serialize=True, verbose=False)


def test_the_game_is_registered_and_standard_by_default():
    assert "python_mijnlieff" in pyspiel.registered_names()
    game = pyspiel.load_game("python_mijnlieff")
    assert isinstance(game, MijnlieffGame) and game.variant == Variant()
    assert game.num_distinct_actions() == 65 and game.num_players() == 2
    assert game.max_game_length() == Variant().max_game_length
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)
    assert game.observation_tensor_shape() == [12, 4, 4]
    margins = open_spiel.load_game(reward="margin", observation="flat")
    assert margins.max_utility() == -margins.min_utility() == Variant().max_margin
    assert margins.observation_tensor_shape() == [56]


VARIANTS = [
    Variant(),
    Variant(opening="corner_straight", copies=3),
    Variant(Board.from_text("##..\n..##"), copies=1),
    Variant(Board.from_text("#.#"), "anywhere", 1),
    Variant(Board.from_text("\n".join(["########"] * 8)), copies=2),
    *(Variant(board, "corner", 2) for board in Board.arrangements()[5:60:11]),
]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda it: it.board.to_text().replace("\n", "/"))
@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_games_are_those_of_positions(variant, reward):
    game = open_spiel.load_game(variant, reward=reward, observation="flat")
    assert game.variant == variant
    for seed in range(3):
        state, position = game.new_initial_state(), Position(variant)
        for action in play_random(state, seed):
            assert state.position == position and not state.is_terminal()
            assert state.current_player() == position.to_play
            legal = position.legal_actions().tolist()
            assert state.legal_actions() == legal == sorted(legal) and legal
            assert state.legal_actions(1 - position.to_play) == []
            assert np.array_equal(state.legal_actions_mask(), position.action_mask())
            assert state.returns() == state.rewards() == [0, 0]
            assert state.action_to_string(action) == variant.action_name(action)
            assert state.string_to_action(variant.action_name(action)) == action
            assert str(state) == str(position)
            for player in (0, 1):
                seen = position.observation("flat", player=player)
                assert np.array_equal(np.float32(state.observation_tensor(player)), seen)
                assert state.observation_string(player) == position.notation
            position = position.play(action)
        assert position.is_over and state.legal_actions() == []
        margin = position.margin if reward == "margin" else np.sign(position.margin)
        assert state.returns() == state.rewards() == [margin, -margin]
        assert abs(margin) <= game.max_utility()
        assert len(state.history()) == position.ply <= game.max_game_length()


def test_games_are_those_of_the_environment():
    env = VectorEnv(3, observation="planes")
    game = pyspiel.load_game("python_mijnlieff")
    states = [game.new_initial_state() for _ in range(3)]
    seen, info = env.reset(seed=4)
    games = 0
    for _ in range(60):
        for i, state in enumerate(states):
            assert np.array_equal(np.reshape(state.observation_tensor(), (12, 4, 4)), seen[i])
            assert np.array_equal(state.legal_actions_mask(), info["action_mask"][i])
            assert state.current_player() == info["to_play"][i]
        actions = env.sample_actions()
        movers = [state.current_player() for state in states]
        seen, rewards, over, _, info = env.step(actions)
        for i, state in enumerate(states):
            state.apply_action(int(actions[i]))
            assert state.is_terminal() == over[i]
            assert state.player_reward(movers[i]) == rewards[i]
            if over[i]:
                games += 1
                states[i] = game.new_initial_state()
    assert games > 6


@pytest.mark.parametrize("name", GAMES[:4])
def test_copies_and_pickles_keep_the_game(name):
    game = pyspiel.load_game(name)
    restored = pickle.loads(pickle.dumps(game))
    assert restored == game and restored.variant == game.variant
    state = game.new_initial_state()
    for _ in play_random(state):
        for other in (
            state.clone(),
            copy.deepcopy(state),
            pickle.loads(pickle.dumps(state)),
            game.deserialize_state(state.serialize()),
        ):
            assert isinstance(other, MijnlieffState)
            assert other.position == state.position and other.history() == state.history()
    game, state = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert state.is_terminal() and state.get_game() == game


def test_a_copy_goes_its_own_way():
    state = pyspiel.load_game("python_mijnlieff").new_initial_state()
    other = state.clone()
    other.apply_action(0)
    assert state.history() == [] and state.position == Position()
    assert other.position == Position().play(0) == state.child(0).position


def test_observers_of_both_players():
    game = pyspiel.load_game("python_mijnlieff")
    state = game.new_initial_state()
    observer = make_observation(game)
    for _ in play_random(state, 1):
        for player in (0, 1):
            observer.set_from(state, player)
            expected = state.position.observation("planes", player=player)
            assert np.array_equal(observer.dict["observation"], expected)
            assert np.array_equal(observer.tensor, expected.ravel())
            assert observer.string_from(state, player) == state.position.notation
    told = make_observation(game, INFO_STATE_OBS_TYPE)
    names = ", ".join(game.variant.action_name(action) for action in state.history())
    assert told.tensor is None and told.string_from(state, 0) == names
    assert state.information_state_string(0) == state.information_state_string(1) == names
    private = pyspiel.IIGObservationType(
        public_info=False,
        perfect_recall=False,
        private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER,
    )
    assert make_observation(game, private).string_from(state, 0) == ""
    with pytest.raises(ValueError, match=r"no parameters, not \{'layout': 1\}"):
        game.make_py_observer(None, {"layout": 1})


def test_the_stored_playthrough_is_played_again():
    """A change of rules, names or observations shows here.

    OpenSpiel's `examples/playthrough.py` writes the file, with the game in its first line. What it
    tells before the first state depends on its version.
    """
    FLAGS.mark_as_parsed()
    stored, played = replay(str(PLAYTHROUGH))
    start = "# State 0\n"
    assert stored.startswith("game: python_mijnlieff(board=.##/###/##.,copies=1,reward=margin)\n")
    assert stored.partition(start)[2] == played.partition(start)[2] != ""


@pytest.mark.parametrize("variant", [Variant(), Variant(opening="corner", copies=1)], ids=repr)
def test_their_alpha_beta_finds_the_values_of_solve(variant):
    game = open_spiel.load_game(variant, reward="margin")
    endings = []
    for seed in range(12):
        state = game.new_initial_state()
        played = [(state.position, action) for action in play_random(state, seed)]
        endings += [position for position, _ in played[-5:]]
    for position in endings:
        solution = mijnlieff.solve(position)
        state = game.new_initial_state(position)
        value, action = minimax.alpha_beta_search(game, state=state)
        assert value == solution.margin  # both for the player to move
        assert action in solution.best_actions
        light, _ = minimax.alpha_beta_search(game, state=state, maximizing_player_id=0)
        assert light == solution.light_margin


def test_states_can_start_from_a_position():
    game = pyspiel.load_game("python_mijnlieff")
    position = mijnlieff.evaluation.random_openings(1, plies=5, seed=0)[0]
    state = game.new_initial_state(position)
    assert state.position == position and state.history() == []
    assert game.new_initial_state(position.notation).position == position
    assert state.information_state_string(0) == position.notation
    action = state.legal_actions()[0]
    state.apply_action(action)
    restored = pickle.loads(pickle.dumps(state))
    assert restored.position == state.clone().position == position.play(action)
    name = game.variant.action_name(action)
    assert restored.information_state_string(0) == f"{position.notation}, {name}"


def mcts_bot(game, simulations=20, seed=0):
    draw = np.random.RandomState(seed)
    return mcts.MCTSBot(game, 2.0, simulations, mcts.RandomRolloutEvaluator(1, draw),
                        random_state=draw)  # fmt: skip


def test_their_bots_play_our_policies():
    game = pyspiel.load_game("python_mijnlieff")
    bots = [
        PolicyBot("greedy"),
        PolicyBot("minimax:2", seed=3),
        PolicyBot(mijnlieff.ChampionPolicy()),
        mcts_bot(game),
        pyspiel.MCTSBot(
            game, pyspiel.RandomRolloutEvaluator(1, 0), uct_c=2.0, max_simulations=5,
            max_memory_mb=10, solve=True, seed=0, verbose=False,
        ),
        UniformRandomBot(1, np.random.RandomState(0)),
    ]  # fmt: skip
    for dark in bots:
        returns = pyspiel.evaluate_bots(game.new_initial_state(), [bots[0], dark], 0)
        assert sum(returns) == 0 and returns[0] in (-1, 0, 1)


def test_a_policy_plays_as_a_bot_what_it_plays_by_itself():
    state = pyspiel.load_game("python_mijnlieff").new_initial_state()
    bot, policy = PolicyBot("minimax:3", seed=5), mijnlieff.MinimaxPolicy(3, 5)
    for _ in play_random(state):
        assert bot.step(state) == policy.act(state.position)


def test_their_algorithms_evaluate_our_policies():
    """The solver's values and theirs agree: perfect play cannot be exploited."""
    small = Variant(Board.from_text("####"), "anywhere", copies=1)
    game = open_spiel.load_game(small, reward="margin")
    perfect = open_spiel.SpielPolicy(game, "perfect")
    assert isinstance(perfect, spiel_policy.Policy)
    assert exploitability.nash_conv(game, perfect) == 0
    drawing = open_spiel.SpielPolicy(game, mijnlieff.RandomPolicy(seed=3))
    found = exploitability.nash_conv(game, drawing)
    assert found == 3 and found == exploitability.nash_conv(game, drawing)
    state = game.new_initial_state()
    probabilities = perfect.action_probabilities(state)
    assert list(probabilities) == state.legal_actions() and sum(probabilities.values()) == 1
    assert perfect.to_tabular().action_probabilities(state) == probabilities
    assert repr(perfect) == "SpielPolicy(PerfectPolicy(seed=0, epsilon=0.0))"
    with pytest.raises(TypeError, match="must be python_mijnlieff"):
        open_spiel.SpielPolicy(pyspiel.load_game("tic_tac_toe"), "perfect")
    with pytest.raises(TypeError, match="plays states of python_mijnlieff"):
        perfect.action_probabilities(pyspiel.load_game("tic_tac_toe").new_initial_state())
    corner = open_spiel.load_game("corner").new_initial_state()
    same = open_spiel.load_game(small, observation="flat").new_initial_state()
    with pytest.raises(TypeError, match=r"plays states of .*copies=1.*, not those of .*corner"):
        perfect.action_probabilities(corner)
    assert perfect.action_probabilities(same) == probabilities
    with pytest.raises(AttributeError, match="no attribute 'SpielPolice'"):
        open_spiel.SpielPolice  # noqa: B018


def test_their_learning_environment():
    game = open_spiel.load_game(Variant(copies=1))
    env = rl_environment.Environment(game)
    draw, state = np.random.default_rng(0), game.new_initial_state()
    step = env.reset()
    while not step.last():
        player = step.observations["current_player"]
        assert step.observations["legal_actions"][player] == state.legal_actions()
        assert step.observations["info_state"][player] == state.observation_tensor(player)
        action = int(draw.choice(state.legal_actions()))
        state.apply_action(action)
        step = env.step([action])
    assert step.rewards == state.returns()


def test_their_bots_are_our_policies():
    game = pyspiel.load_game("python_mijnlieff")
    policy = BotPolicy(game, mcts_bot(game))
    report = mijnlieff.evaluate(policy, "random", games=20)
    assert report.score > 0.6
    seats = BotPolicy(game, *(UniformRandomBot(i, np.random.RandomState(i)) for i in (0, 1)))
    assert 0.1 < mijnlieff.evaluate(seats, "random", games=60).score < 0.9
    assert policy.act_batch([]).dtype == np.int64
    back = BotPolicy(game, PolicyBot("perfect"))
    late = mijnlieff.evaluation.random_openings(8, plies=9, seed=2)
    same = mijnlieff.PerfectPolicy()
    assert [back.act(position) for position in late] == [same.act(position) for position in late]
    env = VectorEnv(2, opponent=BotPolicy(game, PolicyBot("greedy")))
    env.reset(seed=0)
    env.step(env.sample_actions())


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("python_mijnlieff(size=3)", pyspiel.SpielError, "Unknown parameter 'size'.*board, copies"),
        ("python_mijnlieff(copies=two)", pyspiel.SpielError, "copies. Expected type: kInt"),
        ("python_mijnlieff(copies=0)", VariantError, "copies must be 1 to 127, not 0"),
        ("python_mijnlieff(opening=side)", VariantError, 'unknown opening "side"'),
        ("python_mijnlieff(board=ab/cd)", BoardError, "unknown character 'a'"),
        ("python_mijnlieff(reward=win)", ValueError, "unknown reward 'win'"),
        ("python_mijnlieff(observation=packed)", ValueError, "unknown observation 'packed'"),
    ],
)
def test_bad_parameters(name, error, words):
    with pytest.raises(error, match=words):
        pyspiel.load_game(name)


def test_boards_may_have_lines():
    game = pyspiel.load_game("python_mijnlieff", {"board": "##\n##\n", "copies": 1})
    assert game.get_parameters()["board"] == "##/##"
    assert pickle.loads(pickle.dumps(game)) == game


class Bot(pyspiel.Bot):
    def __init__(self, action=64):
        super().__init__()
        self.action = action

    def step(self, state):
        return self.action


class RestartingBot(Bot):
    def restart_at(self, state):
        pass


def test_misuse():
    game = pyspiel.load_game("python_mijnlieff")
    state = game.new_initial_state()
    with pytest.raises(IllegalMoveError, match="pass"):
        state.apply_action(64)
    assert state.position == Position()
    other = Position(Variant(copies=1))
    with pytest.raises(ValueError, match=r"this game plays .* position is of .*copies=1"):
        game.new_initial_state(other)
    with pytest.raises(TypeError, match="position or its notation, not int"):
        game.new_initial_state(7)
    with pytest.raises((ParseError, PositionError)):
        game.new_initial_state("nothing")
    theirs = pyspiel.load_game("tic_tac_toe")
    with pytest.raises(
        TypeError, match="PolicyBot plays states of python_mijnlieff, not TicTacToeState"
    ):
        PolicyBot("greedy").step(theirs.new_initial_state())
    with pytest.raises(TypeError, match="the game must be python_mijnlieff"):
        BotPolicy(theirs, mcts_bot(theirs))
    with pytest.raises(TypeError, match=r"must be a pyspiel.Bot, not str"):
        BotPolicy(game, "greedy")
    with pytest.raises(PolicyError, match="Bot has no restart_at"):
        BotPolicy(game, Bot()).act(Position())
    with pytest.raises(PolicyError, match="64"):
        BotPolicy(game, RestartingBot()).act(Position())
    with pytest.raises(PolicyError, match=r"BotPolicy\(RestartingBot\) returned an array"):
        BotPolicy(game, RestartingBot(None)).act(Position())
    for wrong in (True, 2**70, 0.0):
        with pytest.raises(PolicyError, match="it must return integers"):
            BotPolicy(game, RestartingBot(wrong)).act(Position())
    with pytest.raises(TypeError, match="must be a Variant, or its text or dict, not 4"):
        open_spiel.load_game(4)
    assert open_spiel.load_game("corner 3").variant == Variant(opening="corner", copies=3)
    with pytest.raises(ValueError, match="unknown reward 'win'"):
        open_spiel.load_game(reward="win")
    policy = BotPolicy(game, PolicyBot("random"))
    with pytest.raises(ValueError, match="this game plays"):
        policy.act(other)
    for _ in play_random(state):
        pass
    with pytest.raises(GameOverError):
        policy.act(state.position)
    assert (repr(policy), len(policy.act_batch([]))) == ("BotPolicy(PolicyBot)", 0)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("config", [None, {"board": "###/#.#/###", "copies": 1}], ids=str)
def test_shimmy(config):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.test import api_test
        from shimmy import OpenSpielCompatibilityV0

    env = OpenSpielCompatibilityV0(game_name="python_mijnlieff", config=config)
    api_test(env, num_cycles=100)
    assert env.action_space("player_0").n == (65 if config is None else 33)


def test_the_example():
    options = ("--games", 8, "--simulations", 10, "--opponents", "random", "greedy")
    rows = printed_by_script("examples/open_spiel_bots.py", *options).splitlines()
    assert [row.split()[0] for row in rows[-2:]] == ["random", "greedy"]


def test_the_benchmark():
    printed = printed_by_script("benches/frameworks/open_spiel_games.py", "--seconds", 0.2)
    assert "python_mijnlieff" in printed and "tic_tac_toe" in printed


def test_the_examples_of_the_docstrings():
    result = doctest.testmod(open_spiel)
    assert result.failed == 0 < result.attempted


def test_the_page():
    run_page("open_spiel.md")
