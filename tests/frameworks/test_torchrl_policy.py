"""TorchRL: estimators of self-play, actors as policies, and the documentation."""

from __future__ import annotations

import re

import pytest
import torch
from integration_pages import run_page
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.collectors import Collector
from torchrl.modules import (
    EGreedyModule,
    MaskedCategorical,
    MaskedOneHotCategorical,
    ProbabilisticActor,
    QValueActor,
)
from torchrl.objectives import DiscreteSACLoss, DQNLoss
from torchrl.objectives.value import GAE
from torchrl_setup import random_actions

import mijnlieff
from mijnlieff import PolicyError, Position, VectorEnv
from mijnlieff.integrations.torchrl import ActorPolicy, MijnlieffEnv
from mijnlieff.train.ppo.advantage import signed_advantages
from processes import printed_by_script


def test_a_negative_discount_gives_the_advantages_of_self_play():
    critic = TensorDictModule(torch.nn.Linear(56, 1), ["observation"], ["state_value"])
    torch.manual_seed(0)
    data = MijnlieffEnv(8, opponent=None, reward="margin").rollout(40, break_when_any_done=False)
    with torch.no_grad():
        GAE(gamma=-0.9, lmbda=0.8, value_network=critic, vectorized=False)(data)
        values = torch.cat([data["state_value"], data["next", "state_value"][:, -1:]], 1)
    to_play = torch.cat([data["to_play"], data["next", "to_play"][:, -1:]], 1)
    ended = data["next", "terminated"]
    ours = signed_advantages(
        data["next", "reward"].transpose(0, 1),
        values.transpose(0, 1),
        to_play[..., 0].T,
        ended[..., 0].T,
        torch.ones(40, 8, dtype=torch.bool),
        0.9,
        0.8,
    )
    assert ended.sum() > 8
    torch.testing.assert_close(data["advantage"], ours.transpose(0, 1))


def actor_of(kind, layer=None, in_keys=("observation",)):
    return ProbabilisticActor(
        TensorDictModule(layer or torch.nn.Linear(56, 65), list(in_keys), ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=kind,
    )


@pytest.mark.parametrize("kind", [MaskedCategorical, MaskedOneHotCategorical])
def test_an_actor_is_a_policy(kind):
    torch.manual_seed(0)
    layer = torch.nn.Linear(56, 65)
    policy = ActorPolicy(actor_of(kind, layer), batch_size=7)
    assert isinstance(policy, mijnlieff.Policy)
    positions = mijnlieff.evaluation.random_openings(40, plies=5, seed=0)
    with torch.no_grad():
        expected = mijnlieff.NetworkPolicy(lambda seen, mask: layer(torch.from_numpy(seen)))
        assert policy.act_batch(positions).tolist() == expected.act_batch(positions).tolist()
    assert policy.act(positions[0]) == policy.act_batch(positions[:1])[0]
    assert policy.act_batch([]).shape == (0,)
    assert 0 < mijnlieff.evaluate(policy, "random", games=60).score < 1
    drawn = ActorPolicy(actor_of(kind), deterministic=False)
    assert len(set(drawn.act_batch([Position()] * 64).tolist())) > 5
    VectorEnv(4, opponent=policy).reset(seed=0)


@pytest.mark.parametrize("as_index", [True, False])
def test_q_learning_takes_the_action_spec(as_index):
    """Its actors and losses look at the class of the spec."""
    torch.manual_seed(0)
    env = MijnlieffEnv(64, opponent="random", categorical_action_encoding=as_index)
    env.set_seed(0)
    actor = QValueActor(
        torch.nn.Sequential(
            torch.nn.Linear(56, 128), torch.nn.ReLU(), torch.nn.Linear(128, 65, bias=False)
        ),
        in_keys=["observation"],
        spec=env.action_spec_unbatched,
        action_mask_key="action_mask",
    )
    explore = EGreedyModule(
        env.action_spec, eps_init=0.3, eps_end=0.3, action_mask_key="action_mask"
    )
    loss = DQNLoss(actor, delay_value=False, action_space=env.action_spec)
    loss.make_value_estimator(gamma=1.0)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    policy = TensorDictSequential(actor, explore)
    for batch in Collector(env, policy, frames_per_batch=2048, total_frames=30 * 2048):
        chosen = batch["action"] if as_index else batch["action"].to(torch.uint8).argmax(-1)
        assert batch["action_mask"].gather(-1, chosen.unsqueeze(-1)).all()
        for rows in batch.reshape(-1)[torch.randperm(2048)].split(256):
            found = loss(rows)["loss"]
            optimizer.zero_grad()
            found.backward()
            optimizer.step()
    assert mijnlieff.evaluate(ActorPolicy(actor), "random", games=200).score > 0.6
    critic = TensorDictModule(torch.nn.Linear(56, 65), ["observation"], ["action_value"])
    kind = MaskedCategorical if as_index else MaskedOneHotCategorical
    sac = DiscreteSACLoss(actor_of(kind), critic, action_space=env.action_spec, num_actions=65)
    found = sac(batch.reshape(-1))
    sum(found[name] for name in ("loss_actor", "loss_qvalue", "loss_alpha")).backward()


def test_an_actor_sees_what_the_environment_shows():
    options = {"observation": "planes", "dtype": "uint8"}
    env = MijnlieffEnv(5, opponent=None, **options)
    data = env.rollout(3)[:, -1]
    expected = TensorDict(
        {key: data["next", key] for key in ("observation", "action_mask", "to_play")}
    )
    rows = []

    def actor(seen):
        rows.append(seen.clone())
        return random_actions(seen)

    ActorPolicy(actor, **options).act_batch(env.positions())
    for key, value in expected.items():
        assert torch.equal(rows[0][key], value), key


def test_what_is_not_an_actor_is_refused():
    with pytest.raises(TypeError, match="TensorDictModule, not 'random'"):
        ActorPolicy("random")
    with pytest.raises(ValueError, match="rows"):
        ActorPolicy(random_actions, "rows")
    with pytest.raises(TypeError, match="float64"):
        ActorPolicy(random_actions, dtype="float64")
    with pytest.raises(ValueError, match="batch_size must be at least 1, not 0"):
        ActorPolicy(random_actions, batch_size=0)
    with pytest.raises(PolicyError, match="did not write the key 'action'"):
        ActorPolicy(lambda data: data).act(Position())
    for answer in (None, torch.zeros(1), {"action": 0}):
        with pytest.raises(PolicyError, match="and not a TensorDict"):
            ActorPolicy(lambda data, answer=answer: answer).act(Position())
    with pytest.raises(PolicyError, match="one 1 among zeros"):
        ActorPolicy(lambda data: data.set("action", torch.ones(1, 65))).act(Position())
    wrong = ActorPolicy(lambda data: data.set("action", torch.tensor([64])))
    with pytest.raises(PolicyError, match="chose action 64"):
        wrong.act(Position())


def test_the_examples_of_the_page_run():
    run_page("torchrl.md")


def test_the_example_learns():
    printed = printed_by_script("examples/torchrl_ppo.py", "--frames", 50_000, "--games", 300)
    said = re.search(r"mean return against random: ([\d.]+) \(", printed)
    assert said and float(said[1]) > 0.4  # a random player gets 0


def test_the_benchmark_runs():
    """Also where Ray is missing, of which TorchRL makes use."""
    printed = printed_by_script("benches/frameworks/torchrl_games.py", "--envs", 2, "--steps", 2)
    assert len(re.findall(r"/s +[\d.]+ [num]s", printed)) == 3
    assert len(re.findall(r"s +[\d.,]+ x SerialEnv of GymWrapper$", printed, re.MULTILINE)) == 2
