"""The players of docs/baselines.md: how each is made or trained, and what that took."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import (
    MCTSPolicy,
    MinimaxPolicy,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    Variant,
    benchmark,
    make_policy,
    observe_batch,
    solve_batch,
)
from mijnlieff.evaluation.decisions import Decisions, canonical_keys
from mijnlieff.train import Budget, TrainConfig, TrainState, load_policy, train
from mijnlieff.train.network import PolicyValueNetwork, masked_log_softmax
from mijnlieff.train.run.policy import NetworkFunction, network_from_checkpoint

ROLLOUTS = (64, 256, 1024)
DEPTHS = range(1, 7)
SIMULATIONS = 64
#: Points of a learning curve, spread evenly over the logarithm of the time.
POINTS = 12

#: Of behaviour cloning: positions, passes over them, and the size of a step.
LABELS, PASSES, BATCH = 200_000, 20, 1024
SB3_STEPS = 3_000_000


@dataclass(frozen=True)
class Baseline:
    """A player of the page.

    Attributes:
        name: its name in the tables; players that differ only by their seed share it.
        seed: the seed of its training; None if it was not trained.
        command: how to make it: a command, or an expression of Python.
        make: trains it in a folder, unless that has been done, and returns the player.
    """

    name: str
    seed: int | None
    command: str
    make: Callable[[Path], Policy]

    @property
    def folder(self) -> str:
        """The name of its folder."""
        name = self.name.replace(":", "-").replace(", ", "-").replace(" ", "-")
        return name if self.seed is None else f"{name}-seed-{self.seed}"


def baselines(minutes: list[float], seeds: list[int]) -> Iterator[Baseline]:
    """Yield all players, weak ones first."""
    for name in ("random", "greedy", *(f"minimax:{depth}" for depth in DEPTHS)):
        yield Baseline(name, None, f'make_policy("{name}")', partial(_built_in, name))
    for count in ROLLOUTS:
        line = f"MCTSPolicy({count})"
        yield Baseline(f"rollouts:{count}", None, line, partial(_rollouts, count))
    for seed in seeds:
        yield Baseline("labels", seed, "tools/baseline_players.py", partial(_cloned, seed))
    for seed in seeds:
        line = f"examples/sb3_maskable_ppo.py --steps {SB3_STEPS} --seed {seed}"
        yield Baseline("sb3 MaskablePPO", seed, line, partial(_sb3, seed))
    for algo in ("ppo", "alphazero"):
        for length in minutes:
            for seed in seeds:
                line = f"mijnlieff train --algo {algo} --minutes {length:g} --seed {seed}"
                trained = partial(_trained, algo, length, seed)
                yield Baseline(f"{algo}, {length:g} min", seed, line, trained)
                if algo == "alphazero":
                    searching = partial(trained, num_simulations=SIMULATIONS)
                    name = f"{algo}, {length:g} min, {SIMULATIONS} sims"
                    yield Baseline(name, seed, line, searching)
    for name in ("champion", "champion:64", "perfect"):
        yield Baseline(name, None, f'make_policy("{name}")', partial(_built_in, name))


def facts(folder: Path) -> dict[str, Any]:
    """Return the cost of making a player: ``steps``, ``seconds`` and ``weights``, if any."""
    file = folder / "facts.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def curve(folder: Path) -> Iterator[tuple[float, int, Policy]]:
    """Yield minutes, steps and the network alone at the points of a learning curve."""
    for file in sorted((folder / "curve").glob("*.pt")):
        _, checkpoint = network_from_checkpoint(file)
        counters = checkpoint.counters
        yield counters.seconds / 60, counters.steps, load_policy(file)


def _built_in(name: str, folder: Path) -> Policy:
    del folder
    return make_policy(name)


def _rollouts(count: int, folder: Path) -> Policy:
    del folder
    return MCTSPolicy(count)


def _keep_facts(folder: Path, **values: Any) -> None:
    (folder / "facts.json").write_text(json.dumps(values), encoding="utf-8")


def _trained(
    algo: str, minutes: float, seed: int, folder: Path, num_simulations: int = 0
) -> Policy:
    # A player that searches shares the training of the network alone.
    folder = folder.parent / Baseline(f"{algo}, {minutes:g} min", seed, "", _never).folder
    run = folder / "run"
    if not (folder / "facts.json").exists():
        config = TrainConfig.of(algo, seed=seed, checkpoint_seconds=min(20.0, minutes))
        due = list(np.geomspace(0.02, 0.98, POINTS))
        (folder / "curve").mkdir(parents=True, exist_ok=True)

        def keep(state: TrainState) -> None:
            checkpoint = run / "checkpoint.pt"
            if due and state.spent >= due[0] and checkpoint.exists():
                while due and state.spent >= due[0]:
                    due.pop(0)
                shutil.copy(checkpoint, folder / "curve" / f"{round(1000 * state.spent):04d}.pt")

        resume = (run / "checkpoint.pt").exists()
        train(config, Budget(minutes=minutes), run, resume=resume, on_report=keep)
        shutil.copy(run / "checkpoint.pt", folder / "curve" / "1000.pt")
        network, checkpoint = network_from_checkpoint(run)
        _keep_facts(
            folder,
            steps=checkpoint.counters.steps,
            seconds=checkpoint.counters.seconds,
            weights=_weights(network),
        )
    return load_policy(run, num_simulations=num_simulations)


def _never(folder: Path) -> Policy:
    raise AssertionError(f"no player is made in {folder}")


def _weights(network: torch.nn.Module) -> int:
    return sum(weights.numel() for weights in network.parameters())


@cache
def _labels() -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.float16], float]:
    """Return observations, masks and targets, and the seconds that these took.

    Half of the positions come from random play, half from minimax of depth 2. None of them is in
    the benchmark, up to symmetry.
    """
    began = time.monotonic()
    taken = set(canonical_keys(benchmark("standard-v1").positions))
    positions = []
    for number, player in enumerate((RandomPolicy(0), MinimaxPolicy(2))):
        drawn = Decisions(player, (number, 1)).draw(LABELS // 2)
        keys = canonical_keys(drawn)
        positions += [it for it, key in zip(drawn, keys, strict=True) if key not in taken]
        taken.update(keys)
    solutions = solve_batch(positions)
    observations = observe_batch(positions, "flat", "uint8")
    targets = solutions.policy_targets.astype(np.float16)
    return observations, solutions.action_mask, targets, time.monotonic() - began


def _cloned(seed: int, folder: Path) -> Policy:
    """Return a network of AlphaZero's size that has learnt the best actions from the solver."""
    config = TrainConfig.of("alphazero")
    torch.manual_seed(seed)
    network = PolicyValueNetwork(Variant(), config.width, config.blocks)
    file = folder / "weights.pt"
    if not file.exists():
        observations, masks, targets, seconds = _labels()
        began = time.monotonic()
        _fit(network, *map(torch.from_numpy, (observations, masks, targets)))
        torch.save(network.state_dict(), file)
        taken = seconds + time.monotonic() - began
        _keep_facts(folder, steps=len(targets), seconds=taken, weights=_weights(network))
    network.load_state_dict(torch.load(file, weights_only=True))
    return NetworkPolicy(NetworkFunction(network))


def _fit(
    network: PolicyValueNetwork,
    observations: torch.Tensor,
    masks: torch.Tensor,
    targets: torch.Tensor,
) -> None:
    torch.set_num_threads(1)
    optimizer = torch.optim.AdamW(network.parameters(), lr=6e-3, weight_decay=1e-4)
    steps = PASSES * (len(targets) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps)
    for _ in range(PASSES):
        for rows in torch.randperm(len(targets)).split(BATCH)[: len(targets) // BATCH]:
            logits, _ = network(network.from_counts(observations[rows]))
            log_probs = masked_log_softmax(logits, masks[rows].bool())
            loss = -(targets[rows].float() * log_probs).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def _sb3(seed: int, folder: Path) -> Policy:
    """Train by the example of the adapter; raises MissingExtraError without Stable-Baselines3."""
    from mijnlieff.integrations.sb3 import SB3Policy  # isort: split

    from sb3_contrib import MaskablePPO

    file = folder / "model.zip"
    if not file.exists():
        example = Path(__file__).parents[1] / "examples" / "sb3_maskable_ppo.py"
        line = [str(example), "--steps", str(SB3_STEPS), "--seed", str(seed), "--save", str(file)]
        began = time.monotonic()
        subprocess.run([sys.executable, *line, "--games", "2", "--graded", "3"], check=True)
        model = MaskablePPO.load(file, device="cpu")
        seconds = time.monotonic() - began
        _keep_facts(folder, steps=SB3_STEPS, seconds=seconds, weights=_weights(model.policy))
    return SB3Policy(MaskablePPO.load(file, device="cpu"))
