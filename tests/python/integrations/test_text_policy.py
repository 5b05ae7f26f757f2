"""mijnlieff.integrations.text.TextPolicy: any function of texts as a player."""

from __future__ import annotations

import pickle
import random
import re
import threading

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Position, benchmark
from mijnlieff.errors import GameOverError
from mijnlieff.integrations.text import KINDS, TextPolicy, prompt_text, sample_of
from played import example


def first_legal(prompt: str) -> str:
    return f"[{prompt.partition('Legal moves: ')[2].split()[0]}]"


def test_a_function_can_be_graded_rated_and_refuted():
    policy = TextPolicy(first_legal)
    report = mijnlieff.grade(policy, sample_of("standard-v1", 50))
    assert report.total.positions == 50
    assert (policy.counts.moves, policy.counts.replies) == (50, 50)
    assert policy.counts.legal_share == 1 and not policy.counts.illegal
    match = mijnlieff.evaluate(policy, "random", games=4)
    assert match.games == 4
    table = mijnlieff.tournament({"text": policy, "random": "random"}, games=2)
    assert {it.name for it in table.standings} == {"text", "random"}
    assert mijnlieff.best_response(policy, start=example(13)).margin is not None
    env = mijnlieff.MijnlieffEnv(opponent=policy, seat="dark")
    env.reset(seed=0)
    env.close()


def test_an_illegal_reply_is_answered_by_what_is_wrong():
    prompts = []

    def learner(prompt):
        prompts.append(prompt)
        return "a1x" if len(prompts) == 1 else "b2" if len(prompts) == 2 else "[b2x]"

    position = Position.from_record("1. a1+, a3><; 2. a2+")
    policy = TextPolicy(learner, retries=2)
    assert policy.act(position) == position.variant.action_index("b2x")
    assert prompts[0] == prompt_text(position)
    assert "You replied:\na1x" in prompts[1] and "a1 is taken; allowed: b2 c2 d2 a4" in prompts[1]
    assert prompts[2].startswith(prompts[0]) and "b2 names no piece" in prompts[2]
    assert policy.counts.to_dict() == {
        "moves": 1,
        "replies": 3,
        "legal_share": pytest.approx(1 / 3),
        "illegal": {"taken": 1, "incomplete": 1},
        "fallbacks": 0,
    }


def test_the_fallback_depends_on_seed_and_position_alone():
    positions = benchmark("standard-v1").positions[:200]
    silent = [TextPolicy(lambda prompt: "", 0, seed=seed) for seed in (0, 0, 1)]
    first, again, other = (policy.act_batch(positions) for policy in silent)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert [silent[0].act(it) for it in positions[::-1]] == first[::-1].tolist()
    legal = [position.legal_actions() for position in positions]
    assert all(action in actions for action, actions in zip(first, legal, strict=True))
    ranks = [
        actions.tolist().index(it) / len(actions) for it, actions in zip(first, legal, strict=True)
    ]
    assert 0.4 < np.mean(ranks) < 0.6
    assert silent[1].counts.fallbacks == 200 and silent[1].counts.illegal == {"no move": 200}


def test_forced_actions_are_played_without_asking():
    policy = TextPolicy(lambda prompt: pytest.fail("asked"))
    forced = example(11)
    assert policy.act(forced) == forced.variant.pass_action and policy.counts.replies == 0
    end = example()
    with pytest.raises(GameOverError):
        policy.act(end)
    assert policy.act_batch([]).shape == (0,)


def test_threads_ask_at_the_same_time_and_change_nothing():
    positions = benchmark("standard-v1").positions[:40]
    together = threading.Barrier(4, timeout=30)

    def waiting(prompt):
        together.wait()
        return first_legal(prompt) if "b2" in prompt else "no idea"

    policy = TextPolicy(waiting, retries=0, num_threads=4)
    plain = TextPolicy(lambda prompt: first_legal(prompt) if "b2" in prompt else "", retries=0)
    assert np.array_equal(policy.act_batch(positions), plain.act_batch(positions))
    assert policy.counts == plain.counts


def test_it_can_be_pickled_and_has_a_short_repr():
    policy = pickle.loads(pickle.dumps(TextPolicy(first_legal, 1, seed=3)))
    assert (policy.retries, policy.seed) == (1, 3)
    assert repr(policy) == "TextPolicy(first_legal, retries=1)"


def test_errors_of_the_function_are_its_own():
    def broken(prompt):
        raise ConnectionError("no server")

    with pytest.raises(ConnectionError, match="no server"):
        TextPolicy(broken).act(Position())


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("a1+",), TypeError, "reply must be a function from prompt to reply, not 'a1+'"),
        ((first_legal, -1), ValueError, "retries must be at least 0, not -1"),
        ((first_legal, 1.5), TypeError, "retries"),
    ],
)
def test_wrong_settings(arguments, error, words):
    with pytest.raises(error, match=re.escape(words)):
        TextPolicy(*arguments)
    with pytest.raises(ValueError, match="num_threads must be at least 1"):
        TextPolicy(first_legal, num_threads=0)
    with pytest.raises(TypeError):
        TextPolicy(first_legal).act_batch(["a1+"])


PARTS = [
    *("a1", "B2", "d4", "z9", "a0", "aa99", "+", "x", "<>", "><", " ", ", ", "\n", "or", "and"),
    *("[", "]", "<answer>", "</answer>", "\\boxed{", "}", "<think>", "</think>", "pass", "Puller"),
    *("straight", " on ", "piece", '"', "\0", "\ud800", "\N{MULTIPLICATION SIGN}", "&lt;", "&#0;"),
    *(
        "&#x110000;",
        "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}",
        "\u0130",
        "\u202e",
        "9" * 99,
    ),
]


def fuzzed(rng: random.Random) -> object:
    kind = rng.randrange(12)
    if kind == 0:
        return rng.choice([None, 3, b"a1+", ["a1+"], float("nan"), object(), ()])
    if kind == 1:
        return "".join(map(chr, rng.choices(range(0x110000), k=rng.randrange(200))))
    if kind == 2 and rng.randrange(50) == 0:
        return "".join(rng.choices(PARTS, k=20_000))
    return "".join(rng.choices(PARTS, k=rng.randrange(1, 20)))


@pytest.mark.slow
def test_no_reply_makes_it_fail():
    rng = random.Random(0)
    policy = TextPolicy(lambda prompt: fuzzed(rng), retries=1, rules=False)
    positions = [
        *benchmark("standard-v1").positions[::40],
        *benchmark("irregular-v1").positions[::40],
    ]
    while policy.counts.replies < 100_000:
        for position in positions:
            assert policy.act(position) in position.legal_actions()
    assert policy.counts.illegal.keys() <= KINDS.keys()
    assert len(policy.counts.illegal) >= 7
    assert 0 < policy.counts.legal_share < 1 and policy.counts.fallbacks > 0
