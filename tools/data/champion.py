"""Train the champion from random weights until no opponent can take anything from it.

``python -m tools.data.champion`` runs it. A network first learns positions of random games that
were solved. Then, in every round, the best response to it with a tree search is computed,
under each opening rule and in both seats. Every position in which the player had to choose is
solved, and the network learns the answers, and the positions of the first part so that it does not
forget the rest of the game. The player's weights are the mean of those in the second half of a
round, which errs less than the last ones (Izmailov et al. 2018, arXiv:1803.05407). A player with
fewer simulations is followed too: where it errs, the other one is right by a narrow margin. The
tool stops when the worst case of both in all seats is the exact value of the game, or after the
last round. It keeps the network that makes the fewest mistakes with few simulations, of those that
make none with more.

So the positions come from the player's own games against all opponents, and their labels from the
solver: DAgger (Ross, Gordon and Bagnell 2011, arXiv:1011.0686).
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import itertools
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from mijnlieff import Network, NetworkPolicy, Position, Variant, best_response, grade
from mijnlieff._mijnlieff import Tablebase
from mijnlieff._util.output import progress_bar
from mijnlieff.cli.options import add_tablebase_argument
from mijnlieff.policies.champion import champion_options
from mijnlieff.train.config import PRECISIONS, TrainConfig
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.network.optimizer import Optimizer
from mijnlieff.train.process import keep_memory
from tools.data import DATA
from tools.data.champion_pool import Pool, Recorder
from tools.fit import NAMES, Orientations, falling, fit, labels, take_step, values_of
from tools.players import BENCHMARK, OPENINGS

SEATS: tuple[Literal["dark", "light"], ...] = ("dark", "light")
#: Of the champion's search, and of the one that shows where it is right by a narrow margin.
SIMULATIONS = (64, 16)
BATCH = 1024
#: The share of a batch that the player has met; the rest are positions of random games.
MET = 1 / 4
#: How often positions with so many empty cells are learned, relative to their share of random
#: games: a search asks most about those with 10 to 12, and the last ones are easy.
SHARES = (0, 0.2, 0.3, 0.5, 1, 1.5, 1.8, 2, 2.4, 2.8, 3.2, 3.8, 4.5, 3.5, 1.5, 0.5, 0.2)
#: Of the value losses in the rounds, relative to the policy loss: a search decides by values.
VALUE_WEIGHT = 3.0
#: The learning rate of a round, relative to that of the one before.
SLOWING = 0.85

Log = list[dict[str, Any]]


def network_of(native: Network) -> CellNetwork:
    """Return the network of a file for PyTorch."""
    assert native.variant is not None  # it is for one board
    network = CellNetwork(native.variant, native.width, native.blocks, native.heads)
    network.load_weights(native.weights)
    return network


def balanced(
    positions: dict[str, torch.Tensor], rng: np.random.Generator
) -> dict[str, torch.Tensor]:
    """Return positions with labels as often as `SHARES` says."""
    cells = Variant().board.num_cells
    empty = cells - positions["observations"][:, : 2 * cells].sum(dim=1).numpy()
    counts = (np.array(SHARES)[empty] + rng.random(len(empty))).astype(np.int64)
    rows = torch.from_numpy(np.repeat(np.arange(len(empty)), counts))
    return {name: array[rows] for name, array in positions.items()}


def worst_cases(
    network: Network, pool: Pool, openings: list[str], tablebase: Tablebase | None
) -> Log:
    """Return the worst case in every seat; what the player met goes to the pool."""
    rows = []
    pool.forget()
    for opening, seat, simulations in itertools.product(openings, SEATS, SIMULATIONS):
        recorder = Recorder(NetworkPolicy(network, search=champion_options(simulations)))
        report = best_response(
            recorder,
            seat=seat,
            start=Position(Variant(opening=opening)),
            max_refutations=1,
            tablebase=tablebase,
            progress=True,
        )
        wrong, fatal = pool.add(recorder, report.value, network)
        rows.append(
            {
                "opening": opening,
                "seat": seat,
                "simulations": simulations,
                "guaranteed": report.margin,
                "value": report.value,
                "mistakes": {ply: away for ply, (_, away) in report.mistakes.items() if away},
                "asked": len(recorder.positions),
                "wrong": wrong,
                "fatal": fatal,
            }
        )
    return rows


def fatal_of(rows: Log) -> list[int]:
    """Return in how many positions each search gives the value of the game away."""
    return [
        sum(row["fatal"] for row in rows if row["simulations"] == simulations)
        for simulations in SIMULATIONS
    ]


def optimal_shares(network: Network) -> dict[str, float]:
    """Return the shares of optimal moves in the benchmark, of the network alone and of a search."""
    searched = champion_options(SIMULATIONS[0])
    policies = {
        "alone": NetworkPolicy(network),
        "searched": NetworkPolicy(network, search=searched),
    }
    grades = {
        name: grade(one, positions=BENCHMARK, progress=True) for name, one in policies.items()
    }
    return {name: found.to_dict()["total"]["optimal"] for name, found in grades.items()}


def learn(
    network: CellNetwork,
    optimizer: Optimizer,
    pool: Pool,
    others: dict[str, torch.Tensor],
    steps: int,
    config: TrainConfig,
    rng: np.random.Generator,
    move_on: Callable[[int], object],
) -> tuple[CellNetwork, list[float]]:
    """Learn positions of the pool and others; `move_on` is called with 1 after each step.

    Returns:
        The mean of the weights in the second half of the steps, and the mean loss of either kind.
    """
    count, totals = round(MET * BATCH), np.zeros(2)
    mean, middle = copy.deepcopy(network), steps // 2
    orientations = Orientations(int(rng.integers(2**32)))
    for step in range(steps):
        drawn = rng.integers(len(others["margins"]), size=BATCH - count)
        rest = [others[name][drawn] for name in NAMES]
        rest[-1] = values_of(rest[-1])
        rest[:-1] = orientations.draw(*rest[:-1])
        batch = map(torch.cat, zip(pool.draw(count, rng), rest, strict=True))
        rate = falling(config.learning_rate, step / steps)
        losses = take_step(network, optimizer, batch, rate, config)
        totals += [float(losses[:count].mean()), float(losses[count:].mean())]
        if step >= middle:
            with torch.no_grad():
                for kept, weights in zip(mean.parameters(), network.parameters(), strict=True):
                    kept.lerp_(weights, 1 / (step - middle + 1))
        move_on(1)
    return mean, (totals / steps).tolist()


def main() -> None:
    """Train and harden a network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DATA / "champion.bin")
    parser.add_argument("--start", type=Path, help="a network to go on with, in place of round 0")
    parser.add_argument("--log", type=Path, default=Path("runs/champion/log.jsonl"))
    parser.add_argument("--labels", type=Path, default=Path("runs/champion/labels.npz"))
    parser.add_argument("--games", type=int, default=600_000, help="random games for labels")
    parser.add_argument("--samples", type=int, default=28_000_000, help="learned before round 0")
    parser.add_argument("--width", type=int, default=96)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--precision", choices=PRECISIONS, default="bfloat16")
    parser.add_argument("--rounds", type=int, default=12, help="the most")
    parser.add_argument("--steps", type=int, default=1500, help="gradient steps of a round")
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="of the rounds")
    add_tablebase_argument(parser)
    parser.add_argument("--openings", nargs="+", choices=OPENINGS, default=list(OPENINGS))
    parser.add_argument("--num-threads", type=int, default=2, help="that learn")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(args.num_threads)
    keep_memory()
    began = time.monotonic()
    args.log.parent.mkdir(parents=True, exist_ok=True)
    args.labels.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    others = balanced(labels(args.labels, args.games, args.tablebase), rng)
    config = TrainConfig.of(
        "alphazero",
        width=args.width,
        blocks=args.blocks,
        precision=args.precision,
        seed=args.seed,
    )
    if args.start is None:
        with progress_bar(args.samples, "samples") as move_on:
            network, _, _ = fit(others, config, args.samples, move_on=move_on)
    else:
        network = network_of(Network.load(args.start))
    optimizer, pool = Optimizer(network, config), Pool(args.tablebase)
    player, fewest = network, math.inf
    with args.log.open("w", encoding="utf-8") as log:
        for number in range(args.rounds + 1):
            native = Network.from_torch(player).half()
            native.save(args.log.parent / f"round-{number}.bin")
            rows = worst_cases(native, pool, args.openings, args.tablebase)
            shares = optimal_shares(native)
            minutes = round((time.monotonic() - began) / 60, 1)
            for row in rows:
                row |= {"round": number, "minutes": minutes, **shares}
                log.write(json.dumps(row) + "\n")
            log.flush()
            fatal, fatal_with_few = fatal_of(rows)
            print(
                f"round {number}, {minutes:.0f} min: {fatal} mistakes, {fatal_with_few} with "
                f"{SIMULATIONS[1]} simulations; {100 * shares['alone']:.1f} % optimal alone, "
                f"{100 * shares['searched']:.1f} % with {SIMULATIONS[0]}",
                flush=True,
            )
            if fatal == 0 and fatal_with_few < fewest:
                native.save(args.out)
                fewest = fatal_with_few
            if fewest == 0 or number == args.rounds:
                break
            rate = args.learning_rate * SLOWING**number
            slower = dataclasses.replace(config, learning_rate=rate, value_weight=VALUE_WEIGHT)
            with progress_bar(args.steps, "steps") as move_on:
                player, losses = learn(
                    network, optimizer, pool, others, args.steps, slower, rng, move_on
                )
            print(f"round {number + 1}: losses {losses[0]:.4f} and {losses[1]:.4f}", flush=True)
    if math.isinf(fewest):
        raise SystemExit(f"after {args.rounds} rounds the champion can still be beaten")
    print(f"No opponent can take anything from {args.out}.")


if __name__ == "__main__":
    main()
