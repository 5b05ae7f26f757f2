"""verifiers' tasksets, environments and episodes on the game, with a scripted model.

The model is a server on the local network interface; nothing else is asked.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import contextmanager

import pytest
import verifiers.v1 as vf
from integration_pages import run_page
from pydantic import ValidationError
from verifiers.v1.utils.loaders import (
    default_harness_id,
    environment_class,
    resolve_env_config,
    taskset_class,
)

from chat_server import serving
from mijnlieff import Position, benchmark
from mijnlieff.integrations.text import puzzles, sample_of
from mijnlieff.integrations.verifiers import (
    MijnlieffEnv,
    MijnlieffHarness,
    MijnlieffTaskset,
    load_environment,
)


@contextmanager
def model(reply):
    def answer(request):
        message = {"role": "assistant", "content": reply(request["messages"])}
        return 200, {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }

    with serving(answer) as server:
        yield server


def episodes(env, server, count):
    """Run the first tasks as their evaluation does."""
    client = vf.EvalClientConfig(base_url=server.url, api_key_var="NO_SUCH_KEY")
    context = vf.ModelContext(model="scripted", client=client)

    async def run():
        async with env.serving():
            slots = [slot for task in env.taskset.take(count) for slot in env.slots(task)]
            return await asyncio.gather(*(env.run_slot(slot, context) for slot in slots))

    found = asyncio.run(run())
    assert all(episode.ok and not episode.errors for episode in found)
    return [episode.traces[0] for episode in found]


def legal_in(messages):
    return messages[-1]["content"].rpartition("Legal moves: ")[2].partition("\n")[0].split()


def test_the_taskset_is_found_by_name():
    assert taskset_class("mijnlieff") is MijnlieffTaskset
    assert environment_class("mijnlieff") is MijnlieffEnv
    assert default_harness_id("mijnlieff") == "mijnlieff"
    config = resolve_env_config({"taskset": {"id": "mijnlieff", "num_tasks": 3}})
    env = vf.load_environment(config)
    assert isinstance(env, MijnlieffEnv) and len(list(env.taskset)) == 3
    assert isinstance(vf.load_environment(config), MijnlieffEnv)
    assert MijnlieffTaskset.task_type()(next(iter(env.taskset)).data).data.puzzle is not None


def test_tasks_are_the_puzzles_of_the_benchmark():
    env = load_environment(num_tasks=7, benchmark="irregular-v1")
    tasks = list(env.taskset)
    some = puzzles(sample_of("irregular-v1", 7))
    assert [task.data.prompt for task in tasks] == [puzzle.prompt for puzzle in some]
    assert [task.data.puzzle["margins"] for task in tasks] == [it.margins for it in some]
    assert [task.data.idx for task in tasks] == list(range(7))
    assert len({task.key for task in tasks}) == 7
    assert len(list(load_environment(num_tasks=10**6).taskset)) == len(benchmark("standard-v1"))


def test_replies_are_paid_by_exact_regret():
    some = puzzles(sample_of("standard-v1", 8))
    by_prompt = {puzzle.prompt: number for number, puzzle in enumerate(some)}

    def reply(messages):
        number = by_prompt[messages[-1]["content"]]
        margins = some[number].margins
        worst = min(margins, key=margins.get)
        return (some[number].answer, f"I say {worst}.", "no idea")[number % 3]

    with model(reply) as server:
        traces = episodes(load_environment(num_tasks=8), server, 8)
        assert len(server.messages) == 8
    for number, trace in enumerate(traces):
        margins = some[number].margins.values()
        spread = max(margins) - min(margins)
        assert trace.rewards["regret"].score == (0, -spread, -spread - 1)[number % 3]
        assert trace.metrics["legal"] == (number % 3 < 2)
        assert trace.metrics["optimal"] == (number % 3 == 0 or (number % 3 == 1 and not spread))


def test_games_are_paid_by_their_result():
    rng = random.Random(0)
    with model(lambda messages: f"[{rng.choice(legal_in(messages))}]") as server:
        env = load_environment("result", opponent="minimax:2", seat="light")
        traces = episodes(env, server, 4)
        first = server.messages[0]
        longest = max(server.messages, key=len)
    assert len(first) == 1 and "Mijnlieff is a board game" in first[0]["content"]
    assert [it["role"] for it in longest][:3] == ["user", "assistant", "user"]
    assert "Mijnlieff is a board game" not in longest[-1]["content"]
    assert longest[0]["content"] == first[0]["content"]
    for trace in traces:
        margin = trace.metrics["margin"]
        assert trace.metrics["finished"] and not trace.metrics["illegal_replies"]
        assert trace.rewards["result"].score == (margin > 0) - (margin < 0)


def test_illegal_replies_lose_games():
    with model(lambda messages: "b2+") as server:  # games begin at the edge
        env = load_environment("result", seat="light", retries=1)
        (trace,) = episodes(env, server, 1)
    assert trace.rewards["result"].score == -1
    assert trace.metrics["illegal_replies"] == 2 and not trace.metrics["finished"]
    assert "You replied" in server.messages[-1][-1]["content"]


def test_seeds_repeat_games():
    def starts(seed):
        with model(lambda messages: "?") as server:
            env = load_environment("result", seat="dark", retries=0, seed=seed)
            episodes(env, server, 3)
        return sorted(messages[-1]["content"] for messages in server.messages)

    assert starts(0) == starts(0) != starts(100)
    assert all("Light played" in text and Position().notation not in text for text in starts(0))


def test_a_longer_conversation_is_cut_by_their_limit():
    with model(lambda messages: f"[{legal_in(messages)[0]}]") as server:
        config = {"taskset": {"id": "mijnlieff", "reward": "result"}, "player": {"max_turns": 2}}
        (trace,) = episodes(vf.load_environment(resolve_env_config(config)), server, 1)
    assert trace.rewards["result"].score == -1 and not trace.metrics["finished"]
    assert len(server.messages) == 2


def test_the_harness_asks_with_a_system_prompt(tmp_path):
    path = tmp_path / "system.txt"
    path.write_text("You are a strong player.")
    with model(lambda messages: f"[{legal_in(messages)[0]}]") as server:
        episodes(load_environment(num_tasks=1, system_prompt=path), server, 1)
    assert [it["role"] for it in server.messages[0]] == ["system", "user"]
    assert not MijnlieffHarness.NEEDS_CONTAINER and not MijnlieffHarness.EXECUTES_CODE


def test_wrong_settings():
    with pytest.raises(ValidationError, match="reward"):
        load_environment("points")
    with pytest.raises(ValidationError, match="games"):
        load_environment(games=3)
    with pytest.raises(ValueError, match="unknown benchmark 'standard'"):
        list(load_environment(benchmark="standard").taskset)


def test_the_page_runs():
    scope = run_page("verifiers.md")
    assert len(list(scope["puzzles"].taskset)) == 500
