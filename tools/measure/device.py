"""What a device, such as a GPU, does in a second, beside the processor in the same run.

`tools.measure.training` measures it before it trains on the device.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
import torch

from mijnlieff import Network, SearchOptions, Variant, VectorEnv
from mijnlieff.cli.timing import Work, measure, timed
from mijnlieff.encoding import expand_packed, observe_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import NetworkPolicy
from mijnlieff.train import TrainConfig
from mijnlieff.train.alphazero import AlphaZero, Replay
from mijnlieff.train.boards import Boards
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.local import LocalBackend
from mijnlieff.train.play.search import play_round, self_play
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from tools.measure.processor import machine
from tools.players import PLACES

__all__ = ["device_measures"]

SIZES = ((64, 2), (96, 3))
SIMULATIONS = 32
STANDARD = Boards((Variant(),))

Row = tuple[str, int, str, float]
"""What is counted, how many at once, where (one of `PLACES`), and the rate in a second."""


def device_measures(name: str, seconds: float = 0.5, counts: tuple[int, ...] = (1024, 8192)) -> Any:
    """Return the machine, and what each of its parts does in a second.

    Args:
        name: the device, a name of PyTorch.
        seconds: time for each rate; the least time of a call counts.
        counts: how many positions or games there are at once.
    """
    device = torch.device(name)
    rows: list[Row] = []
    for units, blocks in SIZES:
        size = f"{units} units, {blocks} blocks"
        network = CellNetwork(Variant(), units, blocks, 8)
        for weight in network.parameters():
            torch.nn.init.normal_(weight, std=0.05)
        for rates in (_learning, _evaluations, _simulations):
            rows += rates(size, network, device, seconds, counts)
    rows += _packed(device, seconds, counts)
    return {"machine": machine(name), "device": name, "rows": rows}


def _rate(count: int, work: Callable[[], object], device: torch.device, seconds: float) -> float:
    """Return how many a second, from the least time of a call."""

    def finish() -> None:
        work()
        if device.type != "cpu":
            getattr(torch, device.type).synchronize()

    name = "work"
    return measure([Work(name, count, lambda: [timed(finish)])], seconds)[name].rate


def _learning(
    size: str, network: CellNetwork, device: torch.device, seconds: float, counts: tuple[int, ...]
) -> Iterator[Row]:
    """Samples learned, with all that a step of `mijnlieff.train` does."""
    generator = torch.Generator()
    config = TrainConfig.of(
        "alphazero", knowledge="pure", width=network.units, blocks=len(network.blocks)
    )
    games = self_play(Network.from_torch(network), STANDARD, config, 0)
    samples = play_round(games, config, SymmetricBoards(STANDARD)).samples
    few, *more = counts
    for place, precision, minibatch in (
        ("all cores", "float32", few),
        ("all cores", "bfloat16", few),
        ("device", "float32", few),
        *(("device", "bfloat16", count) for count in (few, few // 2, *more)),
    ):
        where = device if place == "device" else torch.device("cpu")
        settings = TrainConfig.of(
            "alphazero", knowledge="pure", precision=precision, minibatch_size=minibatch
        )
        source = LocalBackend().source(STANDARD, settings, generator)
        replay = Replay(SymmetricBoards(STANDARD), len(samples), where)
        replay.extend(samples)
        learner = AlphaZero(copy.deepcopy(network).to(where), replay, settings, generator, source)
        step = partial(_learn, learner, replay, minibatch, generator)
        rate = _rate(minibatch, step, where, seconds)
        yield f"samples learned, {size}, {precision}", minibatch, place, rate


def _learn(learner: AlphaZero, replay: Replay, minibatch: int, generator: torch.Generator) -> None:
    learner.step(replay.draw(minibatch, generator), 1e-3)


def _evaluations(
    size: str, network: CellNetwork, device: torch.device, seconds: float, counts: tuple[int, ...]
) -> Iterator[Row]:
    """Positions evaluated from arrays of the processor, as a search gives them."""
    native, on_device = Network.from_torch(network), copy.deepcopy(network).to(device)
    what = f"evaluations, {size}"
    for count in counts:
        rows = observe_batch(random_openings(count, 6), "flat")
        masks = np.ones((count, 65), np.int8)
        works: list[Callable[[], object]] = [
            partial(native.evaluate, rows, num_threads=1),
            partial(native.evaluate, rows),
            partial(on_device.evaluate, rows, masks),
        ]
        for place, work in zip(PLACES, works, strict=True):
            yield what, count, place, _rate(count, work, device, seconds)


def _simulations(
    size: str, network: CellNetwork, device: torch.device, seconds: float, counts: tuple[int, ...]
) -> Iterator[Row]:
    """Simulations of searches, each of which evaluates a leaf."""
    options = SearchOptions(SIMULATIONS)
    for count in counts:
        openings = random_openings(count, 6)
        native, on_device = Network.from_torch(network), copy.deepcopy(network).to(device)
        models = ((native, 1), (native, None), (on_device, None))
        for place, (model, num_threads) in zip(PLACES, models, strict=True):
            policy = NetworkPolicy(model, search=options, num_threads=num_threads)
            rate = _rate(count * SIMULATIONS, partial(policy.act_batch, openings), device, seconds)
            yield f"simulations, {size}", count, place, rate


def _packed(device: torch.device, seconds: float, counts: tuple[int, ...]) -> Iterator[Row]:
    """Steps of games whose actions the device chooses, by the form in which it is shown them."""
    for count in counts:
        for form in ("flat", "packed"):
            games = _Games(count, form, device)
            rate = _rate(count, games.step, device, seconds)
            yield f"steps of games, {form} observations", count, "device", rate


class _Games:
    """Games whose actions a layer of random weights chooses on a device."""

    def __init__(self, count: int, form: Literal["flat", "packed"], device: torch.device) -> None:
        self._env = VectorEnv(count, observation=form, copy=False)
        self._device = device
        self._weights = torch.randn(56, 65, device=device)
        self._shown = self._env.reset(seed=0)[0]

    def step(self) -> None:
        """Choose an action in every game and play it."""
        shown = self._shown
        if shown.dtype == np.uint64:
            flat = expand_packed(torch.from_numpy(shown.view(np.int64)).to(self._device))
            legal = _legal(flat)
        else:
            flat = torch.from_numpy(shown).to(self._device)
            legal = torch.from_numpy(self._env.action_masks()).to(self._device)
        logits = (flat @ self._weights).masked_fill(~legal, -torch.inf)
        self._shown = self._env.step(logits.argmax(1).cpu().numpy())[0]


def _legal(flat: torch.Tensor) -> torch.Tensor:
    """Return the legal actions of flat observations, bool ``(B, 65)``."""
    allowed, held = flat[:, 32:48] > 0, flat[:, 48:52] > 0
    placements = (held[:, :, None] & allowed[:, None]).flatten(1)
    return torch.cat([placements, ~placements.any(1, keepdim=True)], dim=1)
