"""Training, grading and solving with Ray: equal to one machine, and whatever dies."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import ray
import torch
from ray.cluster_utils import Cluster

import mijnlieff
from mijnlieff import Board, FunctionPolicy, Position, Variant, random_openings
from mijnlieff.errors import ClusterError, PolicyError
from mijnlieff.integrations.ray import (
    RayCluster,
    evaluate,
    grade,
    solve_batch,
    tournament,
    train,
)
from mijnlieff.integrations.ray.games import MOST_BLOCKS, RayBackend, block_seed
from mijnlieff.integrations.ray.jobs import Block, play_rollouts, play_searches, weights_of
from mijnlieff.integrations.ray.pool import WorkerPool
from mijnlieff.train import Budget, TrainConfig
from mijnlieff.train import train as train_here
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.run.checkpoint import load_checkpoint

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"num_envs": 24, "width": 16, "blocks": 1, "num_threads": 1, "minibatch_size": 64}
SMALL |= {"measurements": 2, "measurement_games": 2, "checkpoint_seconds": 0.0}
BUDGET = Budget(games=5 * 24)  # five rounds
EACH_ALGORITHM = pytest.mark.parametrize("algo", ["alphazero", "ppo"])


@pytest.fixture(scope="module", autouse=True)
def head():
    """A cluster whose head has four CPUs; the driver is connected to it."""
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_raylet_start_wait_time_s"] = "200"  # on a busy machine
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import it
    torch.set_num_threads(1)
    arguments = {"num_cpus": 4, "include_dashboard": False, "object_store_memory": 10**8}
    cluster = Cluster(initialize_head=True, connect=False, head_node_args=arguments)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def workers(head):
    """Two workers, for tests that do not kill any."""
    with RayCluster(actors=2) as cluster:
        yield cluster


@pytest.fixture
def pool():
    """One worker, to be killed."""
    pool = WorkerPool(1)
    yield pool
    pool.close()


def config_of(algo: str, **settings: object) -> TrainConfig:
    search = (
        {"num_simulations": 4, "solve_roots_below": 4, "solve_leaves_below": 4}
        if algo == "alphazero"
        else {}
    )
    return TrainConfig.of(algo, **(SMALL | search | settings))


def weights(out: Path) -> bytes:
    saved = load_checkpoint(out / "checkpoint.pt")
    return b"".join(value.numpy().tobytes() for value in saved.network.values())


def log_of(out: Path) -> list[dict[str, object]]:
    """The log without what depends on time and on the machines."""
    varying = {"seconds", "games_per_second", "steps_per_second", "replayed"}
    varying |= {"play_seconds", "learn_seconds", "evaluations"}
    rows = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [{name: row[name] for name in row.keys() - varying} for row in rows]


class TestJobs:
    def test_a_job_is_run_again_if_its_worker_dies(self, pool, tmp_path):
        results = pool.map(die_once, [(str(tmp_path / "mark"), 7), (str(tmp_path / "other"), 8)])
        assert results == [49, 64]
        assert pool.lost >= 2

    def test_a_job_that_kills_every_worker_ends_in_an_error(self, pool):
        with pytest.raises(ClusterError, match="workers died one after the other"):
            pool.result(pool.submit(os._exit, 1))

    def test_what_a_job_raises_is_raised_here(self, workers):
        with pytest.raises(PolicyError, match="chose action 0 in position"):
            grade(FunctionPolicy(always_first), 30, cluster=workers)
        # The workers are still there, and nothing waits.
        assert workers.pool.map(abs, [(-1,), (-2,)]) == [1, 2]

    def test_a_policy_that_workers_cannot_import(self, workers, tmp_path, monkeypatch):
        (tmp_path / "only_here.py").write_text("def first(observations, masks): return masks\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        policy = FunctionPolicy(importlib.import_module("only_here").first)
        with pytest.raises(ClusterError, match=r"No module named 'only_here'.*on all nodes"):
            grade(policy, 3, cluster=workers)

    def test_cancelled_jobs_leave_nothing_behind(self, workers):
        numbers = [workers.pool.submit(abs, -value) for value in range(20)]
        workers.pool.poll()
        workers.pool.cancel(numbers)
        assert workers.pool.map(abs, [(-3,)]) == [3]
        while workers.pool._cancelled:  # those at work end when they are done
            workers.pool.poll(0.1)
        assert not workers.pool._done and not workers.pool._queue


def always_first(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return np.zeros(len(masks), dtype=np.int64)


def die_once(mark: str, value: int) -> int:
    """Kills its process the first time."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value * value


class TestSharedWork:
    def test_solutions(self, workers):
        positions = [it for plies in (8, 9) for it in random_openings(300, plies, None, 5)]
        ours, theirs = solve_batch(positions, cluster=workers), mijnlieff.solve_batch(positions)
        for name in ("margins", "action_margins", "action_mask"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))

    def test_bad_positions(self, workers):
        with pytest.raises(ValueError, match=r"no positions|at least one"):
            solve_batch([], cluster=workers)
        with pytest.raises(TypeError, match="Position"):
            solve_batch([None], cluster=workers)
        other = Position(Variant(copies=1))
        with pytest.raises(ValueError, match="position 1 is of"):
            solve_batch([Position(), other], cluster=workers)

    @pytest.mark.parametrize("policy", ["random", "champion"])
    def test_grades_of_a_benchmark(self, policy, workers):
        there = grade(policy, "standard-v1", cluster=workers)
        assert there.to_dict() == mijnlieff.grade(policy, "standard-v1").to_dict()

    def test_grades_of_drawn_positions(self, workers):
        variant = Variant(Board.from_text("###\n###"), "anywhere", 2)
        # More than 1,024 from each source, so that each has two parts.
        options = {"positions": 3200, "seed": 3, "variant": variant}
        there = grade("greedy", **options, cluster=workers)
        # As text, because shares of no positions are NaN.
        assert str(there.to_dict()) == str(mijnlieff.grade("greedy", **options).to_dict())

    @pytest.mark.parametrize("opponent", ["random", "champion"])
    def test_matches(self, opponent, workers):
        options = {"games": 2600 if opponent == "random" else 100, "seed": 4}
        there = evaluate("greedy", opponent, **options, cluster=workers)
        assert there.to_dict() == mijnlieff.evaluate("greedy", opponent, **options).to_dict()

    def test_tournaments(self, workers):
        policies = {"a": "random", "b": "greedy", "c": "minimax:1"}
        there = tournament(policies, 60, seed=2, cluster=workers)
        assert there.to_dict() == mijnlieff.tournament(policies, 60, seed=2).to_dict()


class TestBlocks:
    def test_their_seeds_are_disjoint(self):
        seeds = [
            block_seed(7, number, block)
            for number in (0, 1, 2, 10_000)
            for block in (0, 1, MOST_BLOCKS - 1)
        ]
        seeds = sorted(seeds)
        assert all(after - before >= 65536 for before, after in pairwise(seeds))

    @EACH_ALGORITHM
    def test_a_block_depends_on_its_seed_and_the_weights_alone(self, algo, workers):
        play = play_searches if algo == "alphazero" else play_rollouts
        torch.manual_seed(0)
        networks = [PolicyValueNetwork(Variant(), 16, 1) for _ in range(2)]
        sent = [weights_of(network) for network in networks]
        blocks = [Block(Variant(), config_of(algo, num_envs=8), seed) for seed in (1, 2)]
        asked = [(sent[0], blocks[0]), (sent[0], blocks[0]), (sent[0], blocks[1])]
        asked += [(sent[1], blocks[0])]
        one, same, other_seed, other_weights = map(content, workers.pool.map(play, asked))
        assert one == same == content(play(*asked[0]))
        assert len({one, other_seed, other_weights}) == 3

    def test_neither_side_runs_away(self, workers):
        backend = RayBackend(workers.pool, blocks=4, lag=2)
        source = backend.source(Variant(), config_of("ppo"), torch.Generator())
        network = PolicyValueNetwork(Variant(), 16, 1)
        ages = []
        for number in range(3, 9):
            source.begin(network, number)
            waiting = [job for _, _, jobs in source._rounds for job in jobs]
            assert len(waiting) == 4 * 3
            time.sleep(0.2)  # a slow learner
            source.poll()
            assert len(workers.pool._done) <= 4 * 3
            assert all(len(worker.jobs) <= 2 for worker in workers.pool._workers)
            assert source.collect().games >= 24
            ages.append(source.staleness)
        assert ages == [0, 1, 2, 2, 2, 2]
        source.close()

    @pytest.mark.parametrize(
        ("numbers", "settings", "words"),
        [
            ((1, 0), {}, "2 actors, but at most 1 blocks are played at once"),
            ((0, 1), {}, "blocks must be"),
            ((8, -1), {}, "lag must be"),
            ((8, 1), {"num_envs": 7}, "num_envs=7 games cannot be cut into 8"),
        ],
    )
    def test_numbers_that_do_not_fit(self, numbers, settings, words, workers):
        with pytest.raises(ValueError, match=words):
            backend = RayBackend(workers.pool, *numbers)
            backend.source(Variant(), config_of("ppo", **settings), torch.Generator())


def content(games: object) -> bytes:
    """Everything in a block that games determine."""
    if isinstance(games, dict):
        arrays = [games[name] for name in sorted(games)]
    else:
        samples = games.samples
        arrays = [samples.observations, samples.masks, samples.policies, samples.margins]
        arrays += [games.steps, games.games, games.simulations]
    return b"".join(np.asarray(array).tobytes() for array in arrays)


def compare(algo: str, workers, cluster, kill: Callable[[], None], folder: Path) -> None:
    """A run during which something is killed, and one that is left alone."""
    options = {"blocks": 4, "lag": 2, "tensorboard": False}
    a, b = folder / "a", folder / "b"
    quiet = {"cluster": workers, "on_report": lambda state: None}
    alone = train(config_of(algo), BUDGET, a, **quiet, **options)
    assert [row["staleness"] for row in alone.log] == [0, 1, 2, 2, 2]
    assert [row["replayed"] for row in alone.log] == [0] * 5

    def disturb(state) -> None:
        if len(state.log) == 1:
            kill()

    disturbed = train(config_of(algo), BUDGET, b, cluster=cluster, on_report=disturb, **options)
    assert sum(row["replayed"] for row in disturbed.log) > 0
    assert weights(a) == weights(b)
    assert log_of(a) == log_of(b)
    seconds = [point["seconds"] for point in disturbed.curve]
    assert disturbed.curve == [
        point | {"seconds": spent} for point, spent in zip(alone.curve, seconds, strict=True)
    ]


class TestTraining:
    def test_a_worker_that_is_killed_changes_nothing(self, workers, tmp_path):
        """Its block is played again: the run equals one that was left alone, bit for bit."""
        with RayCluster(actors=2) as cluster:
            pid = cluster.workers()[0].pid
            compare("alphazero", workers, cluster, lambda: os.kill(pid, signal.SIGKILL), tmp_path)

    def test_a_node_that_dies_changes_nothing(self, head, workers, tmp_path):
        node = head.add_node(num_cpus=1)
        with RayCluster(actors=3) as cluster:
            here = ray.get_runtime_context().get_node_id()
            (pid,) = [worker.pid for worker in cluster.workers() if worker.node != here]

            def kill() -> None:
                os.kill(pid, signal.SIGSTOP)  # so that it finishes nothing
                head.remove_node(node, allow_graceful=False)

            try:
                compare("ppo", workers, cluster, kill, tmp_path)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def test_a_resumed_run_goes_on_bit_for_bit(self, workers, tmp_path):
        """With PPO and no lag, as on one machine."""
        options = {"cluster": workers, "blocks": 3, "lag": 0, "tensorboard": False}
        train(config_of("ppo"), BUDGET, tmp_path / "a", on_report=lambda state: None, **options)

        def stop(state) -> None:
            if len(state.log) == 3:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            train(config_of("ppo"), BUDGET, tmp_path / "b", on_report=stop, **options)
        assert 1 <= load_checkpoint(tmp_path / "b" / "checkpoint.pt").counters.rounds < 5
        options["on_report"] = lambda state: None
        train(config_of("ppo"), BUDGET, tmp_path / "b", resume=True, **options)
        assert weights(tmp_path / "a") == weights(tmp_path / "b")
        assert log_of(tmp_path / "a") == log_of(tmp_path / "b")

    @EACH_ALGORITHM
    def test_a_run_can_go_on_without_ray(self, algo, workers, tmp_path):
        out, quiet = tmp_path / "run", {"on_report": lambda state: None, "tensorboard": False}
        train(config_of(algo), Budget(games=48), out, cluster=workers, blocks=2, **quiet)
        state = train_here(config_of(algo), BUDGET, out, resume=True, **quiet)
        assert [row["round"] for row in state.log] == [1, 2, 3, 4, 5]
        assert len({frozenset(row.keys() - {"scores"}) for row in state.log}) == 1

    def test_a_learner_that_fails_leaves_the_workers_free(self, workers, tmp_path):
        config = config_of("alphazero", learning_rate=1e30)
        options = {"cluster": workers, "tensorboard": False, "on_report": lambda state: None}
        with pytest.raises(mijnlieff.errors.TrainingError, match="try a learning rate below"):
            train(config, Budget(games=1000), tmp_path, **options)
        assert not workers.pool._queue
        assert workers.pool.map(abs, [(-5,)]) == [5]

    @pytest.mark.parametrize(
        ("wrong", "error", "message"),
        [
            ({"config": "ppo"}, TypeError, "config must be a TrainConfig, not 'ppo'"),
            ({"budget": 5}, TypeError, "budget must be a Budget, not 5"),
            ({"variant": ""}, TypeError, "variant must be a Variant, not ''"),
            ({"cluster": "auto"}, TypeError, "cluster must be a RayCluster, not 'auto'"),
            ({"cluster": RayCluster()}, ClusterError, "use it inside `with cluster:`"),
        ],
    )
    def test_wrong_arguments_are_named(self, wrong, error, message, workers, tmp_path):
        given = {"config": config_of("ppo"), "budget": BUDGET, "cluster": workers} | wrong
        with pytest.raises(error, match=message):
            train(out=tmp_path / "run", **given)
        assert not (tmp_path / "run").exists()


class TestClusters:
    def test_an_address_besides_the_connection_is_refused(self):
        with pytest.raises(ClusterError, match="connected already"), RayCluster("auto"):
            pass

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("ray://head:10001",), "Ray Client"),
            (("head",), "must be 'auto' or HOST:PORT"),
            (("head:99999",), "must be 'auto' or HOST:PORT"),
            ((None, 0), "actors must be"),
        ],
    )
    def test_bad_arguments(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            RayCluster(*arguments)


def command(*options: str, **more: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def train_command(*options: str) -> subprocess.Popen[str]:
    small = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    small += ["--algo=ppo", "--no-tensorboard", "--final-games=2"]
    return command("-m", "mijnlieff", "train", *small, *options)


class TestCommand:
    @pytest.mark.parametrize(
        ("options", "code", "words"),
        [
            (["--actors=2"], 2, "--actors needs --ray"),
            (["--ray-lag=0"], 2, "--ray-lag needs --ray"),
            (["--ray", "--ray-address=127.0.0.1:1"], 1, "no Ray cluster at the address"),
            (["--ray", "--ray-address=ray://127.0.0.1:1"], 2, "Ray Client"),
        ],
    )
    def test_errors_are_one_line(self, options, code, words, tmp_path):
        running = train_command(*options, "--out", str(tmp_path / "run"))
        out, err = running.communicate(timeout=60)
        assert running.returncode == code
        assert out == ""
        assert words in err and err.count("\n") == 1
        assert not (tmp_path / "run").exists()

    def test_ctrl_c_saves_and_a_resumed_run_ends(self, head, tmp_path):
        out = tmp_path / "run"
        address = ["--ray", f"--ray-address={head.address}", "--actors=1", f"--out={out}"]
        running = train_command(*address, "--games=1000000")
        deadline = time.monotonic() + 120
        while not (out / "log.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
        assert running.returncode == 130, err
        kept = f"--out {out} --final-games 2 --no-tensorboard"  # of `train_command`
        assert f"--resume {kept} --ray --ray-address {head.address} --actors 1" in err
        rounds = load_checkpoint(out / "checkpoint.pt").counters.rounds
        assert rounds == len(log_of(out)) > 0
        again = train_command(*address, "--resume", f"--games={24 * (rounds + 2)}")
        table, err = again.communicate(timeout=120)
        assert again.returncode == 0, err
        assert "The network alone" in table
        assert len(log_of(out)) == rounds + 2


def test_the_example(tmp_path):
    """On a cluster that it starts itself."""
    options = ["--actors=1", "--games=48", "--num-envs=24", "--positions=30"]
    running = command(str(ROOT / "examples" / "ray_training.py"), *options, cwd=tmp_path)
    out, err = running.communicate(timeout=240)
    assert running.returncode == 0, err
    assert "optimal" in out


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "integrations" / "ray.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "ray.md", "exec"), {"__name__": "page"})
    assert "greedy" in capsys.readouterr().out
