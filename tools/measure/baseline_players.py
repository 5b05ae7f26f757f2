"""The players of docs/baselines.md: how each is made or trained, and what that took."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mijnlieff import Network, NetworkPolicy, Policy, load_policy
from mijnlieff.train import TrainConfig
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.policy import network_from_checkpoint
from tools.fit import GAMES, fit, labels
from tools.measure.processor import processor
from tools.measure.runs import Training, snapshots
from tools.players import SIMULATIONS
from tools.results import ROOT, file_name, read_results, write_results

ROLLOUTS = (64, 256, 1024)
DEPTHS = range(1, 7)
#: Snapshots of a training run for its learning curve, as docs/training.md has them.
POINTS = 12
TRAINED = {"ppo": "ppo", "alphazero exact": "exact", "alphazero pure": "pure"}

#: Of behavior cloning, in processor time.
CLONING_MINUTES = 5.0
SB3_STEPS = 3_000_000
CLONED, SB3_MODEL, FACTS = "network.bin", "model.zip", "facts.json"


@dataclass(frozen=True)
class Baseline:
    """A player of the page.

    Attributes:
        name: its name in the tables; players that differ only by their seed share it.
        seed: the seed of its training; None if it was not trained.
        make: trains it, with its files in a folder, unless that has been done, and returns it.
        training: the run that its network comes from, if there is one.
        simulations: those of the search that this network plays with.
        file: the name of the file that it is made into, if it is made into one.
    """

    name: str
    seed: int | None
    make: Callable[[Path], Policy]
    training: Training | None = None
    simulations: int = 0
    file: str | None = None

    @property
    def folder(self) -> str:
        """The name of its folder."""
        name = file_name(self.name)
        return name if self.seed is None else f"{name}-seed-{self.seed}"

    @property
    def results(self) -> str:
        """The name of the file of its measures."""
        return f"{self.folder}.json"

    @property
    def is_built_in(self) -> bool:
        """Whether the package has it, untrained or as the champion."""
        return self.seed is None

    def is_made(self, folder: Path) -> bool:
        """Whether nothing has to be trained before it can play.

        Args:
            folder: the folder of its files.
        """
        if self.training is not None:
            return self.training.is_finished
        return self.file is None or (folder / self.file).exists()


def baselines(
    minutes: list[float], seeds: list[int], trained: Path, final_games: int
) -> Iterator[Baseline]:
    """Yield all players, weak ones first.

    Args:
        minutes: lengths of training.
        seeds: seeds of everything that is trained.
        trained: the folder of the training runs.
        final_games: games against each opponent at the end of a training run.
    """
    depths = (f"minimax:{depth}" for depth in DEPTHS)
    rollouts = (f"rollouts:{count}" for count in ROLLOUTS)
    for name in ("random", "greedy", *depths, *rollouts):
        yield Baseline(name, None, partial(_built_in, name))
    for seed in seeds:
        yield Baseline("labels", seed, partial(_cloned, seed), file=CLONED)
    for seed in seeds:
        yield Baseline("sb3 MaskablePPO", seed, partial(_sb3, seed), file=SB3_MODEL)
    for (algo, kind), length, seed in itertools.product(TRAINED.items(), minutes, seeds):
        training, name = Training(kind, length, seed, trained), f"{algo}, {length:g} min"
        make = partial(_trained, training, final_games)
        yield Baseline(name, seed, make, training)
        if kind != "ppo":
            searching = partial(make, num_simulations=SIMULATIONS)
            yield Baseline(f"{name}, {SIMULATIONS} sims", seed, searching, training, SIMULATIONS)
    for name in ("champion", "champion:64", "perfect"):
        yield Baseline(name, None, partial(_built_in, name))


def facts(baseline: Baseline, folder: Path) -> dict[str, Any]:
    """Return how a player was made, if it was trained, and what that took.

    A search has nothing of that, since the network alone has it.

    Args:
        baseline: the player.
        folder: the folder of its files.

    Returns:
        ``command``, ``processor``, ``steps``, ``seconds`` and ``weights``, or nothing.
    """
    if baseline.simulations:
        return {}
    if baseline.training is not None:
        network, checkpoint = network_from_checkpoint(baseline.training.folder)
        counters = checkpoint.counters
        weights = len(network.weights())
        return _facts(baseline.training.asked, counters.steps, counters.seconds, weights)
    return read_results(folder / FACTS)


def curve(baseline: Baseline) -> Iterator[tuple[float, int, Policy]]:
    """Yield minutes, steps and the network alone at the points of a learning curve, if any."""
    if baseline.training is None or baseline.simulations:
        return
    for file in snapshots(baseline.training.folder):
        counters = load_checkpoint(file).counters
        yield counters.seconds / 60, counters.steps, load_policy(file)


def _built_in(name: str, folder: Path) -> Policy:
    del folder
    return load_policy(name)


def _facts(command: str, steps: int, seconds: float, weights: int) -> dict[str, Any]:
    return {
        "command": command,
        "processor": processor(),
        "steps": steps,
        "seconds": seconds,
        "weights": weights,
    }


def _trained(
    training: Training, final_games: int, folder: Path, num_simulations: int = 0
) -> Policy:
    del folder  # the network alone and the search share a run
    if not training.is_finished:  # else it is taken as it is, which may be with a tablebase
        training.make(POINTS, final_games)
    return load_policy(f"{training.folder}:{num_simulations}")


def _cloned(seed: int, folder: Path) -> Policy:
    """Return a network of AlphaZero's size that has learned the best actions from the solver."""
    file = folder / CLONED
    if not file.exists():
        data = labels(folder.parent / "labels.npz", GAMES)
        config = TrainConfig.of("alphazero", learning_rate=5e-3, regret_weight=0.0, seed=seed)
        torch.set_num_threads(1)
        network, _, seconds = fit(data, config, math.inf, CLONING_MINUTES)
        Network.from_torch(network).save(file)
        made_by = "tools/measure/baseline_players.py"
        weights = len(network.weights())
        write_results(folder / FACTS, _facts(made_by, len(data["margins"]), seconds, weights))
    return NetworkPolicy(Network.load(file))


def _seconds_of_children() -> float:
    """Return the processor time of all processes that were started and have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def _sb3(seed: int, folder: Path) -> Policy:
    """Train by the example of the adapter; raises MissingExtraError without Stable-Baselines3."""
    from mijnlieff.integrations.sb3 import SB3Policy  # isort: split

    from sb3_contrib import MaskablePPO

    file = folder / SB3_MODEL
    if not file.exists():
        example = ROOT / "examples" / "sb3_maskable_ppo.py"
        line = [str(example), "--steps", str(SB3_STEPS), "--seed", str(seed), "--save", str(file)]
        asked = f"examples/{example.name} --steps {SB3_STEPS}"
        before = _seconds_of_children()
        subprocess.run([sys.executable, *line, "--games", "2", "--graded", "3"], check=True)
        seconds = _seconds_of_children() - before
        model = MaskablePPO.load(file, device="cpu")
        weights = sum(one.numel() for one in model.policy.parameters())
        write_results(folder / FACTS, _facts(asked, SB3_STEPS, seconds, weights))
    return SB3Policy(MaskablePPO.load(file, device="cpu"))
