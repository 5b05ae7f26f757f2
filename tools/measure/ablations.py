"""Change one thing at a time in ``examples/ppo_selfplay.py``, and measure what it costs.

Every change is trained with several seeds, for the same number of actions, with one thread. What
was measured is kept in ``docs/results/ablations`` and is not repeated, so it can be stopped and
continued. All changes get their first seed before any gets its second. `tools.pages` makes the
table.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical

from mijnlieff import Position, Variant, VectorEnv, evaluate, grade
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.evaluation.ladder import LADDER, fit_rating
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.network.symmetry import SymmetryGroup
from tools.players import BENCHMARK
from tools.results import RESULTS, ROOT, file_name, read_results, write_results

EXAMPLE = ROOT / "examples" / "ppo_selfplay.py"
OPPONENTS = ("random", "greedy", "minimax:1", "minimax:2", "minimax:3", "minimax:4")
Change = Callable[[Any], object]
"""A function that changes the module of the example."""


def constants(**values: float) -> Change:
    """Return the change of constants of the example."""
    return lambda example: vars(example).update(values)


def environment(**options: Any) -> Change:
    """Return the change of options of the environment."""

    def change(example: Any) -> None:
        example.VectorEnv = lambda num_envs, **given: VectorEnv(num_envs, **(given | options))

    return change


def games(number: int) -> Change:
    """Return the change of the games played at once."""
    return constants(NUM_ENVS=number)


def plus_sign(example: Any) -> None:
    """Let the next value enter advantages as for a single agent."""

    def advantages_of(rewards: Tensor, values: Tensor, ends: Tensor) -> Tensor:
        # With gamma of the other sign every minus of the recursion is a plus.
        gamma, example.GAMMA = example.GAMMA, -example.GAMMA
        try:
            advantages: Tensor = original(rewards, values, ends)
        finally:
            example.GAMMA = gamma
        return advantages

    original = example.advantages_of
    example.advantages_of = advantages_of


def against(opponent: str) -> Change:
    """Return the change to an opponent inside the environment; the agent then acts alone."""

    def change(example: Any) -> None:
        environment(opponent=opponent)(example)
        plus_sign(example)

    return change


def endless(example: Any) -> None:
    """Carry values over the end of a game into the next one."""
    original = example.advantages_of
    example.advantages_of = lambda rewards, values, ends: original(
        rewards, values, torch.zeros_like(ends)
    )


def light_is_paid(example: Any) -> None:
    """Give every reward to Light, whoever acted."""
    _change_steps(
        example, rewards=lambda rewards, to_play: np.where(to_play == 0, rewards, -rewards)
    )


def seen_by_light(example: Any) -> None:
    """Show every position from Light's side."""
    _change_steps(example, seen=_as_light)
    example.as_light = True


def unmasked(example: Any) -> None:
    """Offer all actions, and let illegal ones lose the game."""
    _change_steps(example, mask=np.ones_like)
    environment_of = example.VectorEnv
    example.VectorEnv = functools.partial(environment_of, illegal_action="lose")


def unmasked_learning(example: Any) -> None:
    """Mask while playing, but not while learning."""
    original = example.learn
    example.learn = lambda agent, optimizer, batch: original(
        agent, optimizer, [batch[0], torch.ones_like(batch[1]), *batch[2:]]
    )


def turned(example: Any) -> None:
    """Rotate and mirror each position at random before it is learned."""
    group, original = SymmetryGroup.of(Variant()), example.learn
    planes, sources = torch.from_numpy(group.features), torch.from_numpy(group.actions)
    actions = sources.argsort(dim=1)

    def learn(agent: nn.Module, optimizer: torch.optim.Optimizer, batch: list[Tensor]) -> None:
        seen, masks, chosen, *rest = batch
        drawn = torch.randint(group.order, (len(seen),))
        seen, masks = seen.gather(1, planes[drawn]), masks.gather(1, sources[drawn])
        original(agent, optimizer, [seen, masks, actions[drawn, chosen], *rest])

    example.learn = learn


def cells(example: Any) -> None:
    """Take the network of the package, with its features."""

    class Agent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = CellNetwork(Variant(), 32, 1, 8)

        def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
            logits, values = self.body(observations)
            return Categorical(logits=logits.masked_fill(~masks, -1e9)), values[:, 0]

    example.Agent = Agent


CHANGES: dict[str, Change] = {
    "as it is": lambda example: None,
    "sign": plus_sign,
    "ends": endless,
    "reward": light_is_paid,
    "view": seen_by_light,
    "no mask": unmasked,
    "mask in play only": unmasked_learning,
    "no random plies": constants(RANDOM_PLIES=0),
    "against random": against("random"),
    "against minimax:2": against("minimax:2"),
    "rate times 10": constants(RATE=2e-2),
    "rate by 10": constants(RATE=2e-4),
    "constant rate": constants(LAST_RATE=2e-3),
    "64 games": games(64),
    "2048 games": games(2048),
    "one epoch": constants(EPOCHS=1),
    "no entropy": constants(ENTROPY=0.0),
    "entropy times 10": constants(ENTROPY=0.1),
    "results alone": constants(GAE_LAMBDA=1.0),
    "width 32": lambda example: setattr(
        example, "Agent", functools.partial(example.Agent, width=32)
    ),
    "turned": turned,
    "cells": cells,
}
"""What is changed, by the name of its file; the page says it in words."""


def _change_steps(
    example: Any,
    *,
    seen: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]] | None = None,
    rewards: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]] | None = None,
    mask: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> None:
    """Let the environment return other observations, rewards or masks."""

    class Changed(VectorEnv):
        def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
            observations, info = super().reset(**options)
            return self._changed(observations, info)

        def step(self, actions: Any) -> Any:
            actor = self._to_play
            observations, paid, ends, truncations, info = super().step(actions)
            if rewards is not None:
                paid = rewards(paid, actor).astype(np.float32)
            return *self._changed(observations, info)[:1], paid, ends, truncations, info

        def _changed(self, observations: Any, info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
            self._to_play = info["to_play"]
            if mask is not None:
                info["action_mask"] = mask(info["action_mask"])
            return observations if seen is None else seen(observations, self._to_play), info

    example.VectorEnv = Changed


def _as_light(observations: NDArray[Any], to_play: NDArray[Any]) -> NDArray[Any]:
    """Return flat observations of the side to move as Light sees them."""
    order = np.arange(observations.shape[1])
    swapped = np.concatenate([order[16:32], order[:16], order[32:48], order[52:], order[48:52]])
    return np.where(to_play[:, None] == 0, observations, observations[:, swapped])


class Player:
    """Plays the best legal action of a trained agent."""

    def __init__(self, agent: nn.Module, as_light: bool) -> None:
        """Keep the agent, and how it sees positions."""
        self._agent = agent
        self._as_light = as_light

    @torch.no_grad()
    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return an action for each position."""
        seen = observe_batch(positions, "flat")
        if self._as_light:
            seen = _as_light(seen, np.array([position.to_play for position in positions]))
        masks = torch.from_numpy(mask_batch(positions)) == 1
        policy, _ = self._agent(torch.from_numpy(seen), masks)
        chosen: NDArray[np.int64] = policy.logits.argmax(dim=1).numpy()
        return chosen


def load_example(change: Change) -> Any:
    """Return the module of the example, loaded again and changed."""
    spec = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    assert spec is not None and spec.loader is not None
    example: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.NUM_ENVS, example.as_light = 512, False
    change(example)
    return example


def measure(change: Change, steps: int, seed: int, games: int) -> dict[str, Any]:
    """Train the example with a change, and return how well it plays.

    Args:
        change: what is changed.
        steps: actions to play.
        seed: of weights, games and minibatches.
        games: games against each built-in player.
    """
    example = load_example(change)
    torch.manual_seed(seed)
    agent, start = example.Agent(), time.perf_counter()
    example.train(agent, steps, example.NUM_ENVS, seed)
    seconds = time.perf_counter() - start
    player = Player(agent, example.as_light)
    total = grade(player, BENCHMARK).to_dict()["total"]
    scores = {
        name: evaluate(player, name, games, seed=number * 2**32).score
        for number, name in enumerate(OPPONENTS)
    }
    rating, error = fit_rating(list(scores.values()), [LADDER[name] for name in scores], games)
    return {
        "steps": steps,
        "games": games,
        "seconds": seconds,
        "optimal": total["optimal"],
        "kept": total["kept"],
        "scores": scores,
        "rating": rating,
        "rating_error": error,
    }


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", nargs="+", choices=CHANGES, default=list(CHANGES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=600_000)
    parser.add_argument("--games", type=int, default=200, help="against each built-in player")
    parser.add_argument("--results", type=Path, default=RESULTS / "ablations")
    args = parser.parse_args()
    torch.set_num_threads(1)
    asked = {"steps": args.steps, "games": args.games}
    for seed in args.seeds:
        for name in args.changes:
            file = args.results / f"{file_name(name)}.json"
            content = read_results(file)
            kept = {key: content.get(str(seed), asked).get(key) for key in asked}
            if kept != asked:
                parser.error(f"{file} has {kept} for seed {seed}, not {asked}; remove it first")
            if str(seed) not in content:
                content[str(seed)] = measure(CHANGES[name], args.steps, seed, args.games)
                write_results(file, content)
                print(f"{name}, seed {seed}: {content[str(seed)]}", flush=True)


if __name__ == "__main__":
    main()
