"""Work on executors: the results of one process, and clear errors."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from executor_results import SameResults
from mijnlieff import Position, Variant, evaluate, grade, solve_batch, tournament
from mijnlieff._util.executors import map_jobs
from mijnlieff.errors import ClusterError, PolicyError, SearchLimitError
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import FunctionPolicy, Policy
from players import always_first, first_legal


@pytest.fixture(scope="module")
def processes():
    """Two processes, which start afresh."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(params=["1 thread", "3 threads", "processes"])
def executor(request, processes):
    if request.param == "processes":
        yield processes
        return
    with ThreadPoolExecutor(int(request.param[0])) as threads:
        yield threads


class TestResults(SameResults):
    def test_grades_of_a_function(self, executor):
        policy = FunctionPolicy(first_legal)
        there = grade(policy, "standard-v1", executor=executor)
        assert there.to_dict() == grade(policy, "standard-v1").to_dict()


CALLS = {
    "solve_batch": lambda executor: solve_batch([Position()], executor=executor),
    "grade": lambda executor: grade("random", 30, executor=executor),
    "evaluate": lambda executor: evaluate("random", "greedy", 10, executor=executor),
    "tournament": lambda executor: tournament(
        {"a": "random", "b": "greedy"}, 10, executor=executor
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
class TestErrors:
    def test_something_else(self, call):
        with pytest.raises(TypeError, match=r"executor must be a concurrent.*Executor.*not 4"):
            call(4)

    def test_after_the_shutdown(self, call):
        with ThreadPoolExecutor(1) as executor:
            pass
        with pytest.raises(ClusterError, match=r"ThreadPoolExecutor takes no jobs .*shutdown"):
            call(executor)

    def test_workers_that_died(self, call):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
            executor.submit(os._exit, 1)
            with pytest.raises(ClusterError, match=r"the workers of the executor Process.* died"):
                call(executor)


class TestErrorsOfJobs:
    def test_they_are_raised_here(self, executor):
        with pytest.raises(PolicyError, match="chose action 0 in position"):
            grade(FunctionPolicy(always_first), 30, executor=executor)
        with pytest.raises(SearchLimitError):
            solve_batch(random_openings(3, 7), max_nodes=10, executor=executor)
        # The workers are still there.
        assert list(executor.map(abs, [-1, -2])) == [1, 2]

    def test_bad_positions(self, executor):
        with pytest.raises(ValueError, match=r"no positions|at least one"):
            solve_batch([], executor=executor)
        with pytest.raises(TypeError, match="Position"):
            solve_batch([None], executor=executor)
        other = Position(Variant(copies=1))
        with pytest.raises(ValueError, match="position 1 is of"):
            solve_batch([Position(), other], executor=executor)

    def test_the_other_jobs_are_cancelled(self):
        done = []
        release = threading.Event()

        def job(number: int) -> None:
            done.append(number)
            if number == 1:
                raise InterruptedError
            if number > 1:
                release.wait()

        with ThreadPoolExecutor(1) as executor:
            jobs = [(number,) for number in range(1000)]
            with pytest.raises(InterruptedError):
                map_jobs(executor, job, jobs)
            release.set()
        assert len(done) <= 3


def test_policies_that_no_process_can_get_are_named(processes):
    class Local:
        def act(self, position: Position) -> int:
            return int(position.legal_actions()[0])

    calls = [
        lambda executor: evaluate(Local(), "random", 4, executor=executor),
        lambda executor: grade(Local(), 6, executor=executor),
        lambda executor: tournament({"a": Local(), "b": "random"}, 4, executor=executor),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"Local.* cannot be pickled for other processes"):
            call(processes)
        with ThreadPoolExecutor(1) as threads:
            call(threads)


def test_a_lack_of_memory_is_none_of_pickling(processes):
    class Large:
        def act(self, position: Position) -> int:
            return 0

        def __reduce__(self):
            raise MemoryError("so large")

    with pytest.raises(MemoryError, match="so large"):
        evaluate(Large(), "random", 4, executor=processes)


def test_policies_of_users_share_a_process(processes):
    assert isinstance(FunctionPolicy(first_legal), Policy)
    ours = evaluate(FunctionPolicy(first_legal), "random", 100, executor=processes)
    assert ours.to_dict() == evaluate(FunctionPolicy(first_legal), "random", 100).to_dict()
