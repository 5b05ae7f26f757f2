"""TextArena's registry, states, wrappers and agents on the game, with scripted models."""

from __future__ import annotations

import importlib.util
import random

import pytest
import textarena as ta
from integration_pages import run_page
from textarena.core import ObservationType

from mijnlieff import Position, Variant
from mijnlieff.errors import MissingExtraError
from mijnlieff.integrations.text import moves_text
from mijnlieff.integrations.textarena import MijnlieffEnv, PolicyAgent

IDS = ("Mijnlieff-v0", "Mijnlieff-v0-train", "Mijnlieff-v0-raw")


class Scripted(ta.Agent):
    """Plays random legal moves; some of its replies are illegal."""

    def __init__(self, seed, slips=0.0):
        self.random, self.slips = random.Random(seed), slips

    def __call__(self, observation):
        legal = str(observation).rpartition("Legal moves: ")[2].partition("\n")[0].split()
        if self.random.random() < self.slips:
            return "I do not know."
        return f"I like {self.random.choice(legal)}"


def play(env, light, dark, seed=0):
    """Play a game the way TextArena's documentation does."""
    env.reset(num_players=2, seed=seed)
    done, steps = False, 0
    while not done:
        player, observation = env.get_observation()
        done, _ = env.step(action=(light, dark)[player](observation))
        steps += 1
    rewards, info = env.close()
    return rewards, info, steps


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("seed", range(4))
def test_games_end_as_the_rules_say(name, seed):
    env = ta.make(env_id=name)
    agents = Scripted(seed), Scripted(seed + 100)
    if name.endswith("raw"):  # observations are lists of messages
        agents = [lambda seen, agent=agent: agent(seen[-1][1]) for agent in agents]
    rewards, info, _ = play(env, *agents, seed)
    position = env.position
    assert position.is_over
    sign = (position.margin > 0) - (position.margin < 0)
    assert rewards == {0: sign, 1: -sign}
    assert info[0]["reason"] == info[1]["reason"]
    assert ("draw" if sign == 0 else "wins") in info[0]["reason"]
    assert not info[0]["invalid_move"] and not info[1]["invalid_move"]
    turns = [info[player]["turn_count"] for player in (0, 1)]
    assert sum(turns) <= position.ply and min(turns) >= 6


def test_what_players_are_shown():
    env = ta.make(env_id="Mijnlieff-v0-raw")
    env.reset(num_players=2, seed=0)
    player, seen = env.get_observation()
    assert player == 0 and [kind for _, _, kind in seen] == [
        ObservationType.PROMPT,
        ObservationType.GAME_BOARD,
    ]
    assert "You are Light, player 0" in seen[0][1] and "You are Light. Legal moves" in seen[1][1]
    env.step("a1+")
    player, seen = env.get_observation()
    assert player == 1 and "You are Dark, player 1" in seen[0][1]
    kinds = [kind for _, _, kind in seen]
    assert kinds[1:] == [
        ObservationType.PLAYER_ACTION,
        ObservationType.GAME_ACTION_DESCRIPTION,
        ObservationType.GAME_BOARD,
    ]
    assert seen[2][1] == "Light played a1+ (Straight on a1)."
    assert moves_text(env.position) in seen[-1][1]
    assert env.get_board_str() == str(Position().play("a1+"))
    assert env.state.game_state["notation"] == env.position.notation


def test_illegal_replies_are_told_and_lose_at_last():
    env = ta.make(env_id="Mijnlieff-v0")
    env.reset(num_players=2, seed=0)
    env.get_observation()
    done, _ = env.step("b2+")
    assert not done
    player, shown = env.get_observation()
    assert player == 0 and "Reason: b2 is not allowed in this turn; allowed: a1 b1" in shown
    done, _ = env.step("b1+")
    assert not done and env.get_observation()[0] == 1
    for _ in range(2):
        done, _ = env.step("no idea")
    rewards, info = env.close()
    assert done and rewards == {0: 1, 1: -1} and info[1]["invalid_move"]
    assert "names no move" in info[1]["reason"]
    strict = MijnlieffEnv(error_allowance=0)
    strict.reset(num_players=2)
    assert strict.step("z9+")[0]


def test_slips_are_forgiven():
    env = ta.make(env_id="Mijnlieff-v0", error_allowance=9)
    _, info, steps = play(env, Scripted(1, 0.3), Scripted(2, 0.3))
    assert env.position.is_over and steps > sum(info[i]["turn_count"] for i in (0, 1))


def test_policies_are_agents():
    wins = 0
    for seed in range(10):
        env = ta.make(env_id="Mijnlieff-v0-train")
        rewards, _, _ = play(env, PolicyAgent("champion"), PolicyAgent("random", seed=seed))
        wins += rewards[0] == 1
    assert wins >= 9
    with pytest.raises(ValueError, match="shows no position"):
        PolicyAgent("random")("Wordle")


@pytest.mark.parametrize("text", ["##../##../..##/..## corner", "##/## anywhere 1"])
def test_variants(text):
    env = ta.make(env_id="Mijnlieff-v0", variant=text)
    agents = PolicyAgent("minimax:2", text), PolicyAgent("random", Variant.from_text(text))
    play(env, *agents)
    assert env.position.is_over and env.position.variant == Variant.from_text(text)


def test_any_reply_is_taken():
    rng = random.Random(0)
    env = MijnlieffEnv(error_allowance=10**6)
    env.reset(num_players=2)
    for _ in range(2000):
        done, _ = env.step("".join(map(chr, rng.choices(range(1, 0x3000), k=rng.randrange(30)))))
        assert not done


def test_a_registry_that_has_moved_is_told_with_what_to_install(monkeypatch):
    monkeypatch.delattr("textarena.envs.registration.ENV_REGISTRY")
    spec = importlib.util.find_spec("mijnlieff.integrations.textarena")
    with pytest.raises(MissingExtraError, match=r"ENV_REGISTRY.*'mijnlieff\[textarena\]'"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_the_page_runs():
    scope = run_page("textarena.md")
    assert scope["done"] and sorted(scope["rewards"].values()) in ([-1, 1], [0, 0])
