"""Cases of `benches.speed`: networks that are evaluated and learn, beside PyTorch."""

from __future__ import annotations

import importlib.util
import io
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benches.games import Found
from mijnlieff import ChampionPolicy, Network, Variant
from mijnlieff.cli.timing import Work, measure, timed
from mijnlieff.encoding import observe_batch
from mijnlieff.evaluation import random_openings

if TYPE_CHECKING:
    import torch

BATCH = 1024


def rows() -> np.ndarray:
    """Return the observations of a batch."""
    return observe_batch(random_openings(BATCH, 6), "flat")


def champion(seconds: float) -> Found:
    """The champion's network: floats, and a thread on each core, beside integers on one thread."""
    network, observations = ChampionPolicy().model, rows()
    integers = "evaluations of the champion"

    def work(name: str, beside: str | None, **options: Any) -> Work:
        evaluate = partial(network.evaluate, observations, **options)
        return Work(name, BATCH, lambda: [timed(evaluate)], beside)

    works = [
        work(integers, None, num_threads=1),
        work("evaluations of the champion, float32", integers, precision="float32", num_threads=1),
        work("evaluations of the champion, a thread for each core", integers),
    ]
    return measure(works, seconds)


def beside_torch(seconds: float) -> Found:
    """Evaluations and samples learned per second of both kinds of networks beside PyTorch.

    The symmetric network is also spread out to ordinary matrices, which PyTorch and, if it is
    installed, ONNX Runtime evaluate.
    """
    import torch

    from mijnlieff.train.network import CellNetwork, PolicyValueNetwork
    from tests.python.support.dense_network import DenseNetwork

    torch.set_num_threads(1)
    torch.manual_seed(0)
    observations = torch.from_numpy(rows())
    found: Found = {}
    for width in (384, 768):
        network = PolicyValueNetwork(Variant(), width, 2)
        randomize(network)
        dense = DenseNetwork(network)
        name = f"{width} units, 2 blocks"
        plain = f"{name}: torch, dense matrices"
        works = [
            evaluation(plain, dense.frozen(), observations),
            evaluation(f"{name}: torch", network, observations, plain),
            *natively(name, network, observations, plain),
            *in_onnx(name, dense, observations, plain),
        ]
        found |= measure(works, seconds)
        plain = f"{name}: learned, dense matrices"
        works = [
            learning(plain, dense, observations),
            learning(f"{name}: learned", network, observations, plain),
        ]
        found |= measure(works, seconds)
    network = CellNetwork(Variant(), 96, 3, 8)
    randomize(network)
    name = "cells, 96 units, 3 blocks"
    plain, floats = f"{name}: torch", f"{name}: learned, float32"
    works = [
        evaluation(plain, network, observations),
        *natively(name, network, observations, plain),
    ]
    found |= measure(works, seconds)
    mixed = learning(f"{name}: learned, bfloat16", network, observations, floats, torch.bfloat16)
    return found | measure([learning(floats, network, observations), mixed], seconds)


def randomize(network: torch.nn.Module) -> None:
    """Give a network weights of a trained one's size."""
    import torch

    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.05)


def processor_time(function: Callable[[], object]) -> float:
    """Return the seconds of the processor that a call takes."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


def evaluation(
    name: str,
    network: Callable[[torch.Tensor], object],
    observations: torch.Tensor,
    beside: str | None = None,
) -> Work:
    """Return the work of evaluating a batch in PyTorch."""
    import torch

    def evaluate() -> None:
        with torch.no_grad():
            network(observations)

    return Work(name, BATCH, lambda: [processor_time(evaluate)], beside)


def natively(
    name: str, network: torch.nn.Module, observations: torch.Tensor, beside: str
) -> list[Work]:
    """Return the work of evaluating a batch in native code, with both precisions."""
    native, numbers = Network.from_torch(network), observations.numpy()

    def work(precision: str) -> Work:
        def evaluate() -> None:
            native.evaluate(numbers, precision=precision, num_threads=1)

        return Work(f"{name}: {precision}", BATCH, lambda: [processor_time(evaluate)], beside)

    return [work("float32"), work("int16")]


def in_onnx(
    name: str, network: torch.nn.Module, observations: torch.Tensor, beside: str
) -> list[Work]:
    """Return the work of evaluating a batch in ONNX Runtime, if that is installed."""
    if any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime")):
        return []
    import onnxruntime
    import torch

    file = io.BytesIO()
    torch.onnx.export(network, (observations,), file, input_names=["observations"], dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file.getvalue(), options)
    given = {"observations": observations.numpy()}

    def evaluate() -> None:
        session.run(None, given)

    return [Work(f"{name}: onnxruntime, dense", BATCH, lambda: [processor_time(evaluate)], beside)]


def learning(
    name: str,
    network: torch.nn.Module,
    observations: torch.Tensor,
    beside: str | None = None,
    mixed: torch.dtype | None = None,
) -> Work:
    """Return the work of a step of the optimizer, with `mixed` in that precision."""
    import torch

    optimizer = torch.optim.AdamW(network.parameters(), fused=True)

    def step() -> None:
        with torch.autocast("cpu", mixed or torch.bfloat16, enabled=mixed is not None):
            logits, values = network(observations)
            loss = torch.log_softmax(logits.float(), dim=1)[:, 0].mean() + values.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return Work(name, BATCH, lambda: [processor_time(step)], beside)
