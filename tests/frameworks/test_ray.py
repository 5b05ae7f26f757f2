"""Training, grading and solving with Ray: equal to one machine, and whatever dies."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import ray
import torch
from integration_pages import run_page
from ray.cluster_utils import Cluster

import mijnlieff
import players
from executor_results import SameResults
from mijnlieff import grade
from mijnlieff.errors import ClusterError, PolicyError
from mijnlieff.integrations.ray import RayExecutor
from mijnlieff.policies import FunctionPolicy
from mijnlieff.train import Budget, TrainConfig, train
from mijnlieff.train.network import new_network
from mijnlieff.train.play.executor import ExecutorBackend
from mijnlieff.train.run.checkpoint import load_checkpoint
from processes import ROOT
from tiny_runs import STANDARD, TINY, TINY_OPTIONS, quiet, read_log, tiny, weights

GAMES = TINY["num_envs"]  # of a round
BUDGET = Budget(games=5 * GAMES)
EACH_ALGORITHM = pytest.mark.parametrize("algo", ["alphazero", "ppo"])


@pytest.fixture(scope="module", autouse=True)
def head():
    """A cluster whose head has four CPUs; the driver is connected to it."""
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_raylet_start_wait_time_s"] = "200"  # on a busy machine
    os.environ["RAY_worker_niceness"] = "0"  # at Ray's 15 they get nothing there
    for module in (sys.modules[__name__], players):  # workers cannot import them
        ray.cloudpickle.register_pickle_by_value(module)
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
    with RayExecutor(max_workers=2) as executor:
        yield executor


def config_of(algo: str, **settings: object) -> TrainConfig:
    """Settings with a checkpoint after each round; PPO ignores those of searches."""
    usual = {"solve_roots_below": 4, "solve_leaves_below": 4, "checkpoint_seconds": 0.0}
    return tiny(algo, **(usual | settings))


def log_of(out: Path) -> list[dict[str, object]]:
    """The log without what depends on time and on the machines."""
    varying = {"seconds", "games_per_second", "steps_per_second"}
    varying |= {"play_seconds", "learn_seconds", "evaluations"}
    return [{name: row[name] for name in row.keys() - varying} for row in read_log(out)]


class TestJobs:
    def test_a_job_is_run_again_if_its_worker_dies(self, workers, tmp_path):
        marks = [str(tmp_path / name) for name in ("mark", "other")]
        assert list(workers.map(die_once, marks, [7, 8])) == [49, 64]
        assert all(Path(mark).exists() for mark in marks)

    def test_a_job_that_kills_every_worker_ends_in_an_error(self, workers):
        with pytest.raises(ClusterError, match="workers died 11 times"):
            workers.submit(os._exit, 1).result()

    def test_what_a_job_raises_is_raised_here(self, workers):
        with pytest.raises(PolicyError, match="chose action 0 in position"):
            grade(FunctionPolicy(players.always_first), 30, executor=workers)
        # The workers are still there, and nothing waits.
        assert list(workers.map(abs, [-1, -2])) == [1, 2]

    def test_a_policy_that_workers_cannot_import(self, workers, tmp_path, monkeypatch):
        (tmp_path / "only_here.py").write_text("def first(observations, masks): return masks\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        policy = FunctionPolicy(importlib.import_module("only_here").first)
        with pytest.raises(ClusterError, match=r"No module named 'only_here'.*on all nodes"):
            grade(policy, 3, executor=workers)

    def test_an_argument_that_cannot_be_pickled(self, workers):
        with pytest.raises(TypeError, match="lock"):
            workers.submit(abs, threading.Lock()).result()
        assert workers.submit(abs, -3).result() == 3

    def test_another_version_on_a_node(self, workers, monkeypatch):
        monkeypatch.setattr("mijnlieff.integrations.ray.__version__", "0.0.1")
        with pytest.raises(ClusterError, match=r"has mijnlieff .*, not 0\.0\.1"):
            workers.submit(abs, -3).result()

    def test_jobs_begin_in_order_and_can_be_cancelled(self, workers):
        with RayExecutor(max_workers=2) as executor:
            futures = [executor.submit(time.sleep, 0.3) for _ in range(2)]
            futures += [executor.submit(abs, -value) for value in range(20)]
            assert len(executor._at_work) == 2
            assert [future.cancel() for future in futures] == [False] * 2 + [True] * 20
            assert executor.submit(abs, -3).result() == 3
            assert not executor._waiting

    def test_a_shared_value_is_sent_once(self, workers):
        reference = workers.put([1, 2, 3])
        assert list(workers.map(sum, [reference] * 3)) == [6] * 3

    def test_a_shutdown_waits(self, workers):
        with RayExecutor(max_workers=1) as executor:
            futures = [executor.submit(pow, 2, power) for power in range(3)]
        assert [future.result(0) for future in futures] == [1, 2, 4]
        with pytest.raises(RuntimeError, match="after shutdown"):
            executor.submit(abs, 1)
        with pytest.raises(ClusterError, match="RayExecutor takes no jobs"):
            grade("random", 30, executor=executor)

    def test_an_error_in_the_block_interrupts_the_jobs(self, workers):
        with pytest.raises(KeyboardInterrupt), RayExecutor(max_workers=1) as executor:
            asleep = executor.submit(time.sleep, 600)
            waiting = executor.submit(abs, 1)
            raise KeyboardInterrupt
        assert waiting.cancelled()
        with pytest.raises(ClusterError, match="the shutdown of its executor interrupted"):
            asleep.result(60)


def die_once(mark: str, value: int) -> int:
    """Kills its process the first time."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value * value


class TestSharedWork(SameResults):
    @pytest.fixture
    def executor(self, workers):
        return workers


class TestBlocks:  # more of them in tests/python/train/test_train_executor.py
    def test_neither_side_runs_away(self, workers):
        backend = ExecutorBackend(workers, blocks=4, lag=2)
        config = config_of("ppo")
        source = backend.source(STANDARD, config, torch.Generator())
        network = new_network(STANDARD, config)
        ages = []
        for number in range(3, 9):
            source.begin(network, number)
            assert len([job for _, _, jobs in source._rounds for job in jobs]) == 4 * 3
            time.sleep(0.2)  # a slow learner
            assert len(workers._at_work) <= 2
            assert source.collect().games >= GAMES
            ages.append(source.policy_lag)
        assert ages == [0, 1, 2, 2, 2, 2]
        source.close()


def compare(algo: str, workers, executor, kill: Callable[[], None], folder: Path) -> None:
    """A run during which something is killed, and one that is left alone."""
    options = {"blocks": 4, "lag": 2, "tensorboard": False}
    a, b = folder / "a", folder / "b"
    alone = train(config_of(algo), BUDGET, a, executor=workers, on_report=quiet, **options)
    assert [row["policy_lag"] for row in alone.log] == [0, 1, 2, 2, 2]

    def disturb(state) -> None:
        if len(state.log) == 1:
            kill()

    disturbed = train(config_of(algo), BUDGET, b, executor=executor, on_report=disturb, **options)
    assert weights(a) == weights(b)
    assert log_of(a) == log_of(b)
    seconds = [point["seconds"] for point in disturbed.curve]
    assert disturbed.curve == [
        point | {"seconds": spent} for point, spent in zip(alone.curve, seconds, strict=True)
    ]


def place() -> tuple[str, int]:
    """The node and the process of a worker, which is busy meanwhile, so that others start."""
    time.sleep(1.0)
    return ray.get_runtime_context().get_node_id(), os.getpid()


def places_of(executor: RayExecutor) -> set[tuple[str, int]]:
    futures = [executor.submit(place) for _ in range(executor.max_workers)]
    return {future.result() for future in futures}


class TestTraining:
    def test_a_worker_that_is_killed_changes_nothing(self, workers, tmp_path):
        """Its block is played again: the run equals one that was left alone, bit for bit."""
        with RayExecutor(max_workers=2) as executor:

            def kill() -> None:
                for _, pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

            pids = places_of(executor)
            compare("alphazero", workers, executor, kill, tmp_path)

    def test_a_node_that_dies_changes_nothing(self, head, workers, tmp_path):
        node = head.add_node(num_cpus=1)
        with RayExecutor(max_workers=5) as executor:
            here = ray.get_runtime_context().get_node_id()
            (pid,) = {pid for node_id, pid in places_of(executor) if node_id != here}

            def kill() -> None:
                os.kill(pid, signal.SIGSTOP)  # so that it finishes nothing
                head.remove_node(node, allow_graceful=False)

            try:
                compare("ppo", workers, executor, kill, tmp_path)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def test_a_resumed_run_goes_on_bit_for_bit(self, workers, tmp_path):
        """With PPO and no lag, as on one machine."""
        options = {"executor": workers, "blocks": 3, "lag": 0, "tensorboard": False}
        train(config_of("ppo"), BUDGET, tmp_path / "a", on_report=quiet, **options)

        def stop(state) -> None:
            if len(state.log) == 3:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            train(config_of("ppo"), BUDGET, tmp_path / "b", on_report=stop, **options)
        assert 1 <= load_checkpoint(tmp_path / "b" / "checkpoint.pt").counters.rounds < 5
        options["on_report"] = quiet
        train(config_of("ppo"), BUDGET, tmp_path / "b", resume=True, **options)
        assert weights(tmp_path / "a") == weights(tmp_path / "b")
        assert log_of(tmp_path / "a") == log_of(tmp_path / "b")

    @EACH_ALGORITHM
    def test_a_run_can_go_on_without_ray(self, algo, workers, tmp_path):
        out, options = tmp_path / "run", {"on_report": quiet, "tensorboard": False}
        train(config_of(algo), Budget(games=2 * GAMES), out, executor=workers, blocks=2, **options)
        state = train(config_of(algo), BUDGET, out, resume=True, **options)
        assert [row["round"] for row in state.log] == [1, 2, 3, 4, 5]
        assert len({frozenset(row.keys() - {"scores"}) for row in state.log}) == 1

    def test_a_learner_that_fails_leaves_the_workers_free(self, workers, tmp_path):
        config = config_of("alphazero", learning_rate=1e30)
        options = {"executor": workers, "tensorboard": False, "on_report": quiet}
        with pytest.raises(mijnlieff.errors.TrainingError, match="try a learning rate below"):
            train(config, Budget(games=1000), tmp_path, **options)
        assert workers.submit(abs, -5).result() == 5
        assert not workers._waiting


class TestClusters:
    def test_an_address_besides_the_connection_is_refused(self):
        with pytest.raises(ClusterError, match="connected already"):
            RayExecutor("auto")

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("ray://head:10001",), "Ray Client"),
            (("head",), "must be 'auto' or HOST:PORT"),
            (("head:99999",), "must be 'auto' or HOST:PORT"),
            ((None, 0), "max_workers must be"),
        ],
    )
    def test_bad_arguments(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            RayExecutor(*arguments)


def command(*options: str, **more: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def train_command(*options: str) -> subprocess.Popen[str]:
    small = ["--algo=ppo", "--checkpoint-seconds=0", *TINY_OPTIONS]
    return command("-m", "mijnlieff", "train", *small, *options)


class TestCommand:
    @pytest.mark.parametrize(
        ("options", "code", "words"),
        [
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
        address = ["--ray", f"--ray-address={head.address}", "--ray-workers=1", f"--out={out}"]
        running = train_command(*address, "--games=1000000")
        deadline = time.monotonic() + 120
        while not (out / "log.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=120)
        assert running.returncode == 130, err
        kept = f"--out {out} --final-games 2 --no-tensorboard"  # of `train_command`
        assert f"--resume {kept} --ray --ray-address {head.address} --ray-workers 1" in err
        rounds = load_checkpoint(out / "checkpoint.pt").counters.rounds
        assert rounds == len(log_of(out)) > 0
        again = train_command(*address, "--resume", f"--games={GAMES * (rounds + 2)}")
        table, err = again.communicate(timeout=120)
        assert again.returncode == 0, err
        assert "The network alone" in table
        assert len(log_of(out)) == rounds + 2


# In a separate process, as other tests need the connection of this one.
DISCONNECTED = """
import time, ray
from mijnlieff.integrations.ray import RayExecutor

executors = [RayExecutor(max_workers=1) for _ in range(2)]
futures = [it.submit(*job) for it in executors for job in ((time.sleep, 600), (abs, -1))]
ray.shutdown()
for executor, wait in zip(executors, (True, False)):
    executor.shutdown(wait)
print(*[it.cancelled() or it.exception(0) for it in futures], ray.is_initialized(), sep="; ")
"""


def test_a_shutdown_ends_after_the_connection_did():
    running = command("-c", DISCONNECTED)
    out, err = running.communicate(timeout=240)
    ended = "the connection to the Ray cluster has ended"
    assert out == f"{ended}; {ended}; {ended}; True; False\n", err


def test_the_example(tmp_path):
    """On a cluster that it starts itself."""
    options = ["--workers=1", "--games=48", "--num-envs=24", "--positions=30"]
    running = command(str(ROOT / "examples" / "ray_training.py"), *options, cwd=tmp_path)
    out, err = running.communicate(timeout=240)
    assert running.returncode == 0, err
    assert "optimal" in out


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_page("ray.md")
    assert "greedy" in capsys.readouterr().out
