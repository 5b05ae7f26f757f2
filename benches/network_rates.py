"""Compare how fast networks are evaluated and learn, in all forms, on one thread in one run.

    python benches/network_rates.py [--before FOLDER]

The dense forms compute the same functions with ordinary matrices. The network of cells is measured
beside PyTorch alone. At the end the network of the champion is evaluated by one thread and by one
on each core. FOLDER holds another build of the
package, such as `python` of an older checkout, whose native evaluation is measured too. Rates are
the best of several rounds that take turns, in processor time, and of the threads in wall time.
Needs PyTorch; ONNX Runtime is measured where it is installed with the package `onnx`.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from dense_network import DenseNetwork
from numpy.typing import NDArray

from mijnlieff import ChampionPolicy, Network, Variant, observe_batch, random_openings
from mijnlieff.train.network import CellNetwork, PolicyValueNetwork

OLDER = """
import sys, time
import numpy as np
from mijnlieff._mijnlieff import Network
network = Network(open(sys.argv[1], "rb").read())
observations = np.load(sys.argv[2])
network.evaluate(observations)
began = time.process_time()
network.evaluate(observations)
print(time.process_time() - began)
"""


def best_times(work: dict[str, Callable[[], float | None]], rounds: int) -> dict[str, float]:
    """Return the shortest processor time of each function, or the time that it returns."""
    best = dict.fromkeys(work, float("inf"))
    for _ in range(rounds + 1):
        for name, function in work.items():
            began = time.process_time()
            said = function()
            took = time.process_time() - began if said is None else said
            best[name] = min(best[name], took)
    return best


def older(folder: str, network: bytes, observations: NDArray[np.float32]) -> float:
    """Return the time that another build of the package takes for a batch."""
    with tempfile.TemporaryDirectory() as temporary:
        files = [str(Path(temporary, name)) for name in ("network.bin", "observations.npy")]
        Path(files[0]).write_bytes(network)
        np.save(files[1], observations)
        environment = os.environ | {"PYTHONPATH": folder}
        command = [sys.executable, "-c", OLDER, *files]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def onnx_session(dense: DenseNetwork, observations: torch.Tensor) -> Callable[[], None] | None:
    """Return the dense network in ONNX Runtime, if that is installed."""
    if any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime")):
        return None
    import onnxruntime

    file = io.BytesIO()
    torch.onnx.export(dense, (observations,), file, input_names=["observations"], dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file.getvalue(), options)
    rows = {"observations": observations.numpy()}
    return lambda: session.run(None, rows) and None


def evaluations(width: int, batch: int, rounds: int, before: str | None) -> None:
    """Print positions evaluated in a second."""
    torch.manual_seed(0)
    variant = Variant()
    network = PolicyValueNetwork(variant, width, 2)
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.05)
    native, dense = Network.from_torch(network), DenseNetwork(network)
    observations = observe_batch(random_openings(batch, 6), "flat")
    rows = torch.from_numpy(observations)
    frozen, spread = network.frozen(), dense.frozen()

    def in_torch(function: Callable[[torch.Tensor], object]) -> None:
        with torch.no_grad():
            function(rows)

    work: dict[str, Callable[[], float | None]] = {
        "native int16": lambda: (
            native.evaluate(observations, precision="int16", num_threads=1) and None
        ),
        "native float32": lambda: native.evaluate(observations, num_threads=1) and None,
        "torch": lambda: in_torch(frozen),
        "torch, dense": lambda: in_torch(spread),
    }
    session = onnx_session(dense, rows)
    if session is not None:
        work["onnxruntime, dense"] = session
    if before is not None:
        file = native.to_bytes()
        work["native, before"] = lambda: older(before, file, observations)
    print_rates(f"evaluations of {width}x2, batch {batch}", batch, best_times(work, rounds))


def evaluations_of_cells(units: int, batch: int, rounds: int) -> None:
    """Print positions that the network with a token for each cell evaluates in a second."""
    torch.manual_seed(0)
    variant = Variant()
    network = CellNetwork(variant, units, 3, 8)
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.05)
    native = Network.from_torch(network)
    observations = observe_batch(random_openings(batch, 6), "flat")
    rows = torch.from_numpy(observations)

    def in_torch() -> None:
        with torch.no_grad():
            network(rows)

    work: dict[str, Callable[[], float | None]] = {
        "native int16": lambda: (
            native.evaluate(observations, precision="int16", num_threads=1) and None
        ),
        "native float32": lambda: native.evaluate(observations, num_threads=1) and None,
        "torch": in_torch,
    }
    title = f"evaluations of cells {units}x3, batch {batch}"
    print_rates(title, batch, best_times(work, rounds), "torch")


def evaluations_by_threads(batch: int, rounds: int) -> None:
    """Print positions that the champion's network evaluates in a second of wall time."""
    network = ChampionPolicy().network
    observations = observe_batch(random_openings(batch, 6), "flat")

    def wall_time(num_threads: int | None) -> float:
        began = time.perf_counter()
        network.evaluate(observations, num_threads=num_threads)
        return time.perf_counter() - began

    work: dict[str, Callable[[], float | None]] = {
        "one thread": lambda: wall_time(1),
        "one on each core": lambda: wall_time(None),
    }
    title = f"evaluations of the champion by threads, batch {batch}"
    print_rates(title, batch, best_times(work, rounds), "one thread")


def learning(width: int, batch: int, rounds: int) -> None:
    """Print samples learnt from in a second."""
    torch.manual_seed(0)
    network = PolicyValueNetwork(Variant(), width, 2)
    rows = torch.from_numpy(observe_batch(random_openings(batch, 6), "flat"))
    work = {"torch": step_of(network, rows), "torch, dense": step_of(DenseNetwork(network), rows)}
    print_rates(f"samples learnt by {width}x2, batch {batch}", batch, best_times(work, rounds))


def learning_of_cells(units: int, batch: int, rounds: int) -> None:
    """Print samples that the network with a token for each cell learns from in a second."""
    torch.manual_seed(0)
    network = CellNetwork(Variant(), units, 3, 8)
    rows = torch.from_numpy(observe_batch(random_openings(batch, 6), "flat"))
    step = step_of(network, rows)

    def mixed() -> None:
        with torch.autocast("cpu", torch.bfloat16):
            step()

    work = {"float32": step, "bfloat16": mixed}
    title = f"samples learnt by cells {units}x3, batch {batch}"
    print_rates(title, batch, best_times(work, rounds), "float32")


def step_of(network: torch.nn.Module, rows: torch.Tensor) -> Callable[[], None]:
    """Return a function that takes one step of an optimiser."""
    optimizer = torch.optim.AdamW(network.parameters(), fused=True)

    def step() -> None:
        logits, values = network(rows)
        loss = torch.log_softmax(logits.float(), dim=1)[:, 0].mean() + values.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def print_rates(
    title: str, batch: int, times: dict[str, float], baseline: str = "torch, dense"
) -> None:
    """Print a table, with ratios to the baseline."""
    print(f"\n{title}, a second")
    for name, took in times.items():
        ratio = times[baseline] / took
        print(f"  {name:<20} {batch / took:10,.0f} {ratio:6.2f}x", flush=True)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", help="a folder with another build of the package")
    parser.add_argument("--rounds", type=int, default=15, help="of each measurement")
    parser.add_argument("--batch", type=int, default=1024, help="positions at once")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for width in (384, 768):
        evaluations(width, args.batch, args.rounds, args.before)
        learning(width, args.batch, args.rounds)
    evaluations_of_cells(96, args.batch, args.rounds)
    learning_of_cells(96, args.batch, args.rounds)
    evaluations_by_threads(args.batch, args.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
