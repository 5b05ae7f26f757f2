"""The blocks of games that workers of an executor play."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
import torch

from interrupts import needs_signals
from mijnlieff import Network, Variant
from mijnlieff.train import Boards, Budget, train
from mijnlieff.train.play.executor import MOST_BLOCKS, ExecutorBackend, block_seed
from mijnlieff.train.play.jobs import Block, play_rollouts, play_searches
from mijnlieff.train.run.checkpoint import load_checkpoint
from random_networks import random_network
from tiny_runs import STANDARD, TWO_BLOCKS, quiet, tiny


def content(games: object) -> bytes:
    """Everything in a block that games determine."""
    if isinstance(games, dict):
        arrays = [games[name] for name in sorted(games)]
    else:
        samples = games.samples
        arrays = [samples.boards, samples.observations, samples.masks, samples.policies]
        arrays += [samples.values, games.steps, games.games, games.simulations]
    return b"".join(np.asarray(array).tobytes() for array in arrays)


def test_the_seeds_of_blocks_are_disjoint():
    seeds = [
        block_seed(7, number, block)
        for number in (0, 1, 2, 10_000)
        for block in (0, 1, MOST_BLOCKS - 1)
    ]
    seeds = sorted(seeds)
    assert all(after - before >= 65536 for before, after in pairwise(seeds))


@pytest.mark.parametrize(
    ("play", "algo", "settings"),
    [
        (play_searches, "alphazero", {"knowledge": "pure"}),
        (play_rollouts, "ppo", {}),
    ],
    ids=["alphazero", "ppo"],
)
def test_a_block_depends_on_its_seed_and_the_weights_alone(play, algo, settings):
    config = tiny(algo, num_envs=8, **settings)
    networks = [random_network(Variant(), 16, 1, 2, seed=seed) for seed in (0, 1)]
    first, second = map(Network.from_torch, networks)
    blocks = [Block(STANDARD, config, seed) for seed in (1, 2)]
    asked = [(first, blocks[0]), (first, blocks[0]), (first, blocks[1]), (second, blocks[0])]
    with ThreadPoolExecutor(2) as workers:
        one, same, other_seed, other_weights = map(
            content, workers.map(play, *zip(*asked, strict=True))
        )
    assert one == same == content(play(*asked[0]))
    assert len({one, other_seed, other_weights}) == 3


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0, 1), "blocks must be"),
        ((8, -1), "lag must be"),
        ((17, 1), "num_envs=16 games cannot be cut into 17"),
    ],
)
def test_numbers_that_do_not_fit(numbers, words):
    with ThreadPoolExecutor(1) as workers, pytest.raises(ValueError, match=words):
        ExecutorBackend(workers, *numbers).source(STANDARD, tiny("ppo"), torch.Generator())


@pytest.mark.parametrize(("blocks", "words"), [(0, "blocks must be"), (17, "cannot be cut")])
def test_a_run_that_cannot_be_cut_leaves_no_folder(blocks, words, tmp_path):
    with ThreadPoolExecutor(1) as workers, pytest.raises(ValueError, match=words):
        train(tiny("ppo"), Budget(games=1), tmp_path / "run", executor=workers, blocks=blocks)
    assert not (tmp_path / "run").exists()


# A run with two processes that says when both have had a job, and at the end how many rounds.
PROCESSES = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from mijnlieff._util.executors import submit
from mijnlieff.train import Budget, train
from tiny_runs import tiny

out = Path(sys.argv[1])

def meet():
    (out / f"met{os.getpid()}").touch()
    while len(list(out.glob("met*"))) < 2:
        time.sleep(0.05)

def report(state):
    if len(state.log) == 1:
        for job in [submit(executor, meet) for _ in range(2)]:
            job.result()
        print("ready", flush=True)

if __name__ == "__main__":
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        config = tiny("ppo", checkpoint_seconds=1000)
        options = {"on_report": report, "executor": executor, "tensorboard": False}
        print(len(train(config, Budget(minutes=10), out, **options).log))
"""


@needs_signals
@pytest.mark.slow
def test_ctrl_c_saves_a_run_whose_workers_get_it_too(tmp_path):
    script, out = tmp_path / "script.py", tmp_path / "run"
    script.write_text(PROCESSES)
    paths = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [sys.executable, script, out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == "ready\n", process.communicate()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        rounds, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
        assert load_checkpoint(out / "checkpoint.pt").counters.rounds == int(rounds) >= 1
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize("many_boards", [False, True], ids=["one board", "many boards"])
def test_workers_play_the_measurements_too(tmp_path, many_boards):
    jobs = []

    class Recorder(ThreadPoolExecutor):
        def submit(self, function, /, *args, **kwargs):
            jobs.append(function.__name__)
            return super().submit(function, *args, **kwargs)

    boards = Boards.split(TWO_BLOCKS, 0.3) if many_boards else STANDARD
    config, budget = tiny(many_boards=many_boards, measurements=1), Budget(games=16)
    options = {"boards": boards, "on_report": quiet, "tensorboard": False}
    with Recorder(2) as workers:
        there = train(config, budget, tmp_path / "there", executor=workers, **options)
    # Before the first round and after the last one: a match against each opponent, and grades.
    assert jobs.count("play") == 2 * 3
    assert ("losses" in jobs) == many_boards
    here = train(config, budget, tmp_path / "here", **options)
    assert here.curve[0]["scores"] == there.curve[0]["scores"]
    assert here.curve[0].get("grades") == there.curve[0].get("grades")
