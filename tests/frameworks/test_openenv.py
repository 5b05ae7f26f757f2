"""OpenEnv's server, clients and validation on the game, over the local network interface."""

from __future__ import annotations

import random
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from integration_pages import run_page
from openenv.cli._validation import validate_running_environment
from openenv.core import GenericEnvClient

from mijnlieff import Position, Variant
from mijnlieff.errors import GameOverError
from mijnlieff.integrations.openenv import (
    MijnlieffAction,
    MijnlieffEnvironment,
    create_app,
    main,
)
from program_ends import each_end, raising


@contextmanager
def serving(**options):
    server = uvicorn.Server(
        uvicorn.Config(create_app(**options), host="127.0.0.1", port=0, log_level="error")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def play(client, seed, rng):
    result = client.reset(seed=seed)
    rewards = []
    while not result.done:
        assert result.reward == 0
        move = rng.choice(result.observation["legal_moves"])
        assert move in result.observation["prompt"]
        result = client.step({"message": f"I choose {move}."})
        rewards.append(result.reward)
    return result, rewards


def test_a_client_plays_games():
    with serving(opponent="greedy") as url, GenericEnvClient(base_url=url).sync() as client:
        rng = random.Random(0)
        outcomes = set()
        for seed in range(6):
            result, rewards = play(client, seed, rng)
            state = client.state()
            end = Position.from_notation(result.observation["notation"])
            own = end.margin if state["seat"] == "Light" else -end.margin
            assert end.is_over and result.reward == (own > 0) - (own < 0) == sum(rewards)
            assert state["step_count"] == len(rewards) and state["variant"] == "standard"
            assert tuple(state["score"]) == end.score and not state["illegal"]
            outcomes.add(result.reward)
    assert len(outcomes) > 1


def test_seeds_and_settings():
    with serving(opponent="random", seat="dark", variant="##../##../..##/..## corner") as url:
        with GenericEnvClient(base_url=url).sync() as client:
            first = client.reset(seed=5, episode_id="mine").observation
            assert client.state()["episode_id"] == "mine"
            again = client.reset(seed=5).observation
            assert first == again and "Light played" in first["prompt"]
            position = Position.from_notation(first["notation"], "##../##../..##/..## corner")
            assert position.ply == 1 and client.state()["seat"] == "Dark"
            assert len({client.reset().observation["notation"] for _ in range(20)}) > 1


def test_games_at_the_same_time_are_apart():
    with serving() as url:
        with (
            GenericEnvClient(base_url=url).sync() as one,
            GenericEnvClient(base_url=url).sync() as two,
        ):
            start = one.reset(seed=1).observation, two.reset(seed=1).observation
            assert start[0] == start[1]
            move = start[0]["legal_moves"][0]
            assert one.step({"message": move}).observation != start[0]
            assert two.state()["step_count"] == 0


def test_the_server_passes_their_validation():
    with serving() as url:
        report = validate_running_environment(url)
    assert report["passed"], report["criteria"]


def test_illegal_replies_are_told_and_lose_at_last():
    env = MijnlieffEnvironment(seat="light", retries=1, reward="margin")
    observation = env.step(MijnlieffAction(message="b2+"))
    assert not observation.done and "b2 is not allowed in this turn" in observation.prompt
    observation = env.step(MijnlieffAction(message="hm"))
    assert observation.done and observation.reward == -Variant().max_margin
    assert observation.legal_moves == [] and env.state.forfeited
    assert env.state.illegal == {"not allowed": 1, "no move": 1}
    with pytest.raises(GameOverError, match="reset begins another"):
        env.step(MijnlieffAction(message="a1+"))
    assert not env.reset().done
    with pytest.raises(ValueError, match="reset takes seed and episode_id, not opponent"):
        env.reset(opponent="perfect")


def test_a_reply_without_an_answer_of_the_opponent_is_not_counted():
    class Failing:
        def act(self, position):
            raise ConnectionError("no server")

    env = MijnlieffEnvironment(Failing(), seat="light")
    with pytest.raises(ConnectionError, match="no server"):
        env.step(MijnlieffAction(message="a1+"))
    assert env.state.step_count == 0 and env.state.notation == Position().notation


def test_wrong_messages_end_no_session():
    with serving() as url, GenericEnvClient(base_url=url).sync() as client:
        client.reset(seed=0)
        with pytest.raises(RuntimeError):
            client.step({"move": "a1+"})
        with pytest.raises(RuntimeError):
            client.reset(opponent="perfect")
        assert client.state()["step_count"] == 0


def test_the_margin_is_paid_in_points():
    env = MijnlieffEnvironment("perfect", reward="margin", seat="dark")
    rng = random.Random(3)
    observation = env.reset(seed=0)
    while not observation.done:
        observation = env.step(MijnlieffAction(message=rng.choice(observation.legal_moves)))
    end = Position.from_notation(observation.notation)
    assert observation.reward == -end.margin


def test_wrong_settings(capsys):
    with pytest.raises(ValueError, match="unknown reward 'points'; choose one of outcome, margin"):
        MijnlieffEnvironment(reward="points")
    assert main(["--opponent", "minmax:2"]) == 2
    assert "did you mean 'minimax:2'" in capsys.readouterr().err


@each_end
def test_what_ends_the_server_is_one_line(error, code, words, monkeypatch, capsys):
    monkeypatch.setattr("mijnlieff.integrations.openenv.create_app", raising(error))
    assert main([]) == code
    assert capsys.readouterr().err == f"python -m mijnlieff.integrations.openenv: {words}\n"


def test_the_page_runs():
    assert run_page("openenv.md")["result"].done
