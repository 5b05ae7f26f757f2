"""Cases of `benches.speed`: networks that are evaluated and learn, beside PyTorch."""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from benches.games import Found
from mijnlieff import ChampionPolicy, Network, Variant
from mijnlieff.cli.timing import Work, measure, timed
from mijnlieff.encoding import observe_batch
from mijnlieff.evaluation import random_openings

if TYPE_CHECKING:
    import torch

BATCH = 1024
STEPS = 30
#: Where a step can take seconds.
FEW = 10
PEAK = Path(__file__).parent / "target/release/peak"
PRODUCTS = "products of integers that one core adds"


def rows() -> np.ndarray:
    """Return the observations of a batch."""
    return observe_batch(random_openings(BATCH, 6), "flat")


def champion(seconds: float) -> Found:
    """The champion's network: a thread on each core beside one."""
    network, observations = ChampionPolicy().model, rows()
    alone = "evaluations of the champion"

    def work(name: str, beside: str | None, num_threads: int | None) -> Work:
        evaluate = partial(network.evaluate, observations, num_threads=num_threads)
        return Work(name, BATCH, lambda: [timed(evaluate)], beside)

    works = [work(alone, None, 1), work(f"{alone}, a thread for each core", alone, None)]
    return measure(works, seconds)


def multiply_adds(units: int, blocks: int) -> int:
    """Return the multiply-adds of an evaluation on a board of 16 cells, hands left out."""
    block = 6 * units * units + 16 * units
    return 16 * (15 * units + blocks * block + 4 * units) + units * units


def peak() -> list[Work]:
    """Return the work of multiplying integers in registers, if `benches/peak.rs` can."""
    if not PEAK.exists():
        return []

    def play() -> list[tuple[float, float]]:
        done = subprocess.run([PEAK], stdout=subprocess.PIPE, text=True, check=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        return [(float(products), float(seconds)) for products, seconds in lines]

    found = play()  # nothing without AVX2
    return [Work(PRODUCTS, found[0][0], lambda: [min(it for _, it in play())])] if found else []


def beside_torch(seconds: float) -> Found:
    """Evaluations and samples learned per second beside PyTorch and, if installed, ONNX Runtime.

    Evaluations are also beside the products that the processor can do, where `benches/peak.rs` is
    built: the ratio is the share of these.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    observations, found = torch.from_numpy(rows()), Found()
    for units, blocks in ((64, 2), (96, 3), (192, 4)):
        found |= of_sizes(seconds, units, blocks, observations)
    return found


def of_sizes(seconds: float, units: int, blocks: int, observations: torch.Tensor) -> Found:
    """Evaluations by a network of these sizes, and samples that it learns."""
    import torch

    from mijnlieff.train.network import CellNetwork

    network, half = CellNetwork(Variant(), units, blocks, 8), torch.bfloat16
    randomize(network)
    name = f"{units} units, {blocks} blocks"
    plain, floats = f"{name}: torch", f"{name}: learned, float32"
    compiled = torch.compile(network)
    works = [
        evaluation(plain, network, observations),
        evaluation(f"{name}: torch, bfloat16", network, observations, plain, half),
        evaluation(f"{name}: torch, compiled, bfloat16", compiled, observations, plain, half),
        *in_onnx(f"{name}: onnxruntime", network, observations, plain),
        natively(f"{name}: native", network, observations, plain),
    ]
    if limit := peak():
        size = multiply_adds(units, blocks)
        works = limit + [replace(work, beside=PRODUCTS, size=size) for work in works]
    found = measure(works, seconds)
    mixed = learning(f"{name}: learned, bfloat16", network, observations, floats, half)
    return found | measure([learning(floats, network, observations), mixed], seconds)


def memory(seconds: float) -> Found:
    """Samples learned where freed memory is kept, in large pages as in training or in small ones.

    They are beside those where it is given back.
    """
    from mijnlieff.train.process import KEPT, LARGEST

    name = "samples learned, memory given back to the system"
    # What `keep_memory` sets, except for large pages.
    kept = {"MALLOC_TRIM_THRESHOLD_": str(KEPT), "MALLOC_MMAP_THRESHOLD_": str(LARGEST)}

    def work(
        name: str, variables: dict[str, str], keeps: bool = False, beside: str | None = None
    ) -> Work:
        return Work(name, STEPS * BATCH, lambda: [learned(variables, keeps=keeps)], beside)

    works = [
        work(name, {}),
        work("samples learned, memory kept in small pages", kept, beside=name),
        work("samples learned, memory kept in large pages", {}, keeps=True, beside=name),
    ]
    return measure(works, seconds)


def waiting(seconds: float) -> Found:
    """Samples learned by two threads that sleep at once when they wait, or look for work first.

    They look as often as in training, or as often as OpenMP does by default; with both cores free,
    and while a process that never sleeps needs one.
    """
    from mijnlieff.train.extras import SPINS

    found = Found()
    for title, busy in (("samples learned", False), ("with a busy process", True)):
        asleep = f"{title}, asleep at once"

        def work(name: str, spins: int, busy: bool = busy, beside: str | None = None) -> Work:
            def play() -> list[float]:
                with other_process() if busy else nullcontext():
                    variables = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": str(spins)}
                    options = {"keeps": True, "num_threads": 2, "steps": FEW, "mixed": False}
                    return [learned(variables, **options)]

            return Work(name, FEW * BATCH, play, beside)

        works = [
            work(asleep, 0),
            work(f"{title}, {SPINS} looks as in training", SPINS, beside=asleep),
            work(f"{title}, 300000 looks by default", 300_000, beside=asleep),
        ]
        found |= measure(works, seconds)
    return found


@contextmanager
def other_process() -> Iterator[None]:
    """Keep a core busy within the `with` block."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def learned(variables: dict[str, str], **options: Any) -> float:
    """Return what `seconds_of_learning` returns in a fresh process with these variables."""
    with (
        patch.dict(os.environ, variables),
        ProcessPoolExecutor(1, get_context("spawn")) as process,
    ):
        return process.submit(seconds_of_learning, **options).result()


def seconds_of_learning(
    keeps: bool, num_threads: int = 1, steps: int = STEPS, mixed: bool = True
) -> float:
    """Return the time of steps of learning, the first ones left out.

    With one thread it is the time of the processor, which other load hardly changes.
    """
    import torch

    from mijnlieff.train.network import CellNetwork
    from mijnlieff.train.process import keep_memory

    if keeps:
        keep_memory()
    torch.set_num_threads(num_threads)
    torch.manual_seed(0)
    network = CellNetwork(Variant(), 96, 3, 8)
    randomize(network)
    precision = torch.bfloat16 if mixed else None
    work = learning("step", network, torch.from_numpy(rows()), mixed=precision)
    for _ in range(steps // 6):
        work.play()
    clock = time.process_time if num_threads == 1 else time.perf_counter
    return timed(lambda: [work.play() for _ in range(steps)], clock=clock)


def randomize(network: torch.nn.Module) -> None:
    """Give a network weights of a trained one's size."""
    import torch

    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.05)


def on_processor(name: str, function: Callable[[], object], beside: str | None) -> Work:
    """Return the work of a batch by the processor's time, which other load hardly changes."""
    return Work(name, BATCH, lambda: [timed(function, clock=time.process_time)], beside)


def evaluation(
    name: str,
    network: Callable[[torch.Tensor], object],
    observations: torch.Tensor,
    beside: str | None = None,
    mixed: torch.dtype | None = None,
) -> Work:
    """Return the work of evaluating a batch in PyTorch, with `mixed` in that precision."""
    import torch

    def evaluate() -> None:
        precision = torch.autocast("cpu", mixed or torch.bfloat16, enabled=mixed is not None)
        with torch.inference_mode(), precision:
            network(observations)

    return on_processor(name, evaluate, beside)


def natively(name: str, network: torch.nn.Module, observations: torch.Tensor, beside: str) -> Work:
    """Return the work of evaluating a batch in native code."""
    native, numbers = Network.from_torch(network), observations.numpy()

    def evaluate() -> None:
        native.evaluate(numbers, num_threads=1)

    return on_processor(name, evaluate, beside)


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

    return [on_processor(name, evaluate, beside)]


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

    return on_processor(name, step, beside)
