"""Workers that run jobs; the job of a worker that dies is run again by another."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import ray
from ray.exceptions import (
    NodeDiedError,
    ObjectLostError,
    RayActorError,
    RayError,
    RayTaskError,
    WorkerCrashedError,
)

from mijnlieff import __version__
from mijnlieff._util.progress import note
from mijnlieff.errors import ClusterError

__all__ = ["WorkerInfo", "WorkerPool"]

_T = TypeVar("_T")
# A worker has one job at work and one that waits, so that it never waits for the driver.
_DEPTH = 2
_WAIT_SECONDS = 1.0
_QUIET_SECONDS = 30.0
# A result is lost with the node that kept it, and so with its worker.
_LOST = (RayActorError, NodeDiedError, ObjectLostError, WorkerCrashedError)


@dataclass(frozen=True)
class WorkerInfo:
    """Where a worker runs.

    Attributes:
        node: the id of its node in the cluster.
        pid: its process there.
        version: the version of this package there.
    """

    node: str
    pid: int
    version: str


class _Runner:
    """The actor: runs functions that it is sent."""

    def info(self) -> WorkerInfo:
        return WorkerInfo(ray.get_runtime_context().get_node_id(), os.getpid(), __version__)

    def run(self, function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)


@dataclass
class _Job:
    number: int
    function: Callable[..., Any]
    args: tuple[Any, ...]


@dataclass
class _Worker:
    handle: Any
    info: WorkerInfo | None = None  # None until it has started
    jobs: dict[Any, _Job] = field(default_factory=dict)  # by the reference of the result


@dataclass
class _Failed:
    """In place of the result of a job that raised."""

    error: BaseException


class WorkerPool:
    """A number of workers, and the jobs that wait for them.

    Jobs are functions whose results depend on their arguments alone, so a job can be run again.
    Nothing happens in the background: `poll` and `result` hand out jobs and take results.

    Attributes:
        lost: jobs that were handed out again so far, because a worker or a result was lost.
    """

    def __init__(self, size: int) -> None:
        """Ask for the workers, without waiting for them.

        Args:
            size: number of workers; each takes one CPU of the cluster.
        """
        self.size = size
        self.lost = 0
        self._actor = ray.remote(num_cpus=1, max_restarts=0)(_Runner)
        self._numbers = itertools.count()
        self._queue: deque[_Job] = deque()
        self._done: dict[int, Any] = {}
        self._cancelled: set[int] = set()
        self._workers: list[_Worker] = []
        self._calls: dict[Any, _Worker] = {}  # starts and jobs, by the reference of the result
        self._failures = 0
        self._noted = time.monotonic()
        self._start_missing()

    def workers(self) -> list[WorkerInfo]:
        """The workers that have started."""
        return [worker.info for worker in self._workers if worker.info is not None]

    def wait_for_workers(self) -> list[WorkerInfo]:
        """Wait until all workers have started, and return them.

        Raises:
            ClusterError: they cannot start.
        """
        while len(self.workers()) < self.size:
            self.poll(_WAIT_SECONDS)
            self._note_waiting()
        return self.workers()

    def submit(self, function: Callable[..., Any], *args: Any, first: bool = False) -> int:
        """Queue a job and return its number.

        Args:
            function: a function of a module that workers can import.
            args: its arguments; references among them are replaced by their objects.
            first: put it before the other jobs that wait.
        """
        job = _Job(next(self._numbers), function, args)
        if first:
            self._queue.appendleft(job)
        else:
            self._queue.append(job)
        return job.number

    def result(self, number: int) -> Any:
        """Wait for a job and return its result, once.

        Args:
            number: the number of the job.

        Raises:
            ClusterError: workers die again and again, or the cluster is gone.
            Exception: the error that the function raised.
        """
        while number not in self._done:
            self.poll(_WAIT_SECONDS)
            self._note_waiting()
        value = self._done.pop(number)
        if isinstance(value, _Failed):
            raise value.error
        return value

    def map(
        self,
        function: Callable[..., _T],
        arguments: Iterable[Sequence[Any]],
        move_on: Callable[[int], object] = lambda index: None,
    ) -> list[_T]:
        """Run a job for each tuple of arguments, and return the results in order.

        Args:
            function: see `submit`.
            arguments: the arguments of each job.
            move_on: called with the index of each job, in order, when it is done.

        Raises:
            ClusterError: see `result`.
            Exception: the first error of the function; the other jobs are cancelled.
        """
        numbers = [self.submit(function, *args) for args in arguments]
        results = []
        try:
            for index, number in enumerate(numbers):
                results.append(self.result(number))
                move_on(index)
        finally:
            self.cancel(numbers[len(results) :])
        return results

    def cancel(self, numbers: Iterable[int]) -> None:
        """Forget jobs; those at work are finished, but their results are dropped.

        Args:
            numbers: their numbers.
        """
        given = set(numbers)
        self._queue = deque(job for job in self._queue if job.number not in given)
        at_work = {job.number for worker in self._workers for job in worker.jobs.values()}
        self._cancelled |= given & at_work
        for number in given & self._done.keys():
            del self._done[number]

    def poll(self, seconds: float = 0.0) -> None:
        """Take results and hand out jobs.

        Args:
            seconds: how long to wait for a result if there is none.

        Raises:
            ClusterError: workers die again and again, or the cluster is gone.
        """
        try:
            self._start_missing()
            self._hand_out()
            calls = list(self._calls)
            ready, _ = ray.wait(calls, num_returns=1, timeout=seconds)
            if ready:
                ready, _ = ray.wait(calls, num_returns=len(calls), timeout=0)
            for call in ready:
                self._take(call)
            self._hand_out()
        except RayError as error:
            raise ClusterError(
                f"the connection to the Ray cluster failed: {_line(error)}"
            ) from None

    def close(self) -> None:
        """End the workers; unfinished jobs are lost."""
        for worker in self._workers:
            with contextlib.suppress(RayError):
                ray.kill(worker.handle)
        self._workers.clear()
        self._calls.clear()
        self._queue.clear()
        self._done.clear()

    def _start_missing(self) -> None:
        while len(self._workers) < self.size:
            worker = _Worker(self._actor.remote())
            self._workers.append(worker)
            self._calls[worker.handle.info.remote()] = worker

    def _hand_out(self) -> None:
        for depth in range(1, _DEPTH + 1):
            for worker in self._workers:
                if not self._queue:
                    return
                if worker.info is not None and len(worker.jobs) < depth:
                    job = self._queue.popleft()
                    call = worker.handle.run.remote(job.function, *job.args)
                    worker.jobs[call] = job
                    self._calls[call] = worker

    def _take(self, call: Any) -> None:
        worker = self._calls.pop(call, None)
        if worker is None:  # its worker was found dead a moment ago
            return
        job = worker.jobs.pop(call, None)
        try:
            value = ray.get(call)
        except RayTaskError as error:
            if job is None:
                raise ClusterError(f"a worker cannot start: {_line(error)}") from None
            value = _Failed(_cause(error))
        except _LOST as error:
            self._lose(worker, [job] if job else [], error)
            return
        if job is None:
            if value.version != __version__:
                raise ClusterError(
                    f"node {value.node} has mijnlieff {value.version}, not {__version__}: install "
                    "the same version on all nodes"
                )
            worker.info = value
            return
        self._failures = 0
        if job.number in self._cancelled:
            self._cancelled.discard(job.number)
        else:
            self._done[job.number] = value

    def _lose(self, worker: _Worker, jobs: list[_Job], error: RayError) -> None:
        """Replace a worker, and queue its jobs again."""
        with contextlib.suppress(RayError):
            ray.kill(worker.handle)  # it may only have been out of reach
        self._workers.remove(worker)
        for call in worker.jobs:
            self._calls.pop(call, None)
        unfinished = jobs + list(worker.jobs.values())
        self._run_again(unfinished)
        self._count_failure(error)
        if worker.info is not None:
            note(
                f"lost worker {worker.info.pid} on node {worker.info.node[:8]}; its "
                f"{len(unfinished)} unfinished jobs go to others"
            )

    def _run_again(self, jobs: list[_Job]) -> None:
        self.lost += len(jobs)
        for job in sorted(jobs, key=lambda job: job.number, reverse=True):
            if job.number in self._cancelled:
                self._cancelled.discard(job.number)
            else:
                self._queue.appendleft(job)

    def _count_failure(self, error: RayError) -> None:
        self._failures += 1
        # A node that dies takes all its workers with it, which is not yet a reason to give up.
        if self._failures > 2 * self.size + 3:
            raise ClusterError(
                f"{self._failures} workers died one after the other without a result; the last: "
                f"{_line(error)}"
            )

    def _note_waiting(self) -> None:
        """Say why nothing happens, if no worker has started."""
        now = time.monotonic()
        if self.workers():
            self._noted = now
        elif now - self._noted > _QUIET_SECONDS:
            self._noted = now
            total = ray.cluster_resources().get("CPU", 0.0)
            free = ray.available_resources().get("CPU", 0.0)
            note(
                f"waiting for {self.size} workers with a CPU each; {free:g} of the cluster's "
                f"{total:g} CPUs are free"
            )


def _cause(error: RayTaskError) -> BaseException:
    """The error of a job, as it was raised in the worker."""
    if isinstance(error.cause, RayError):  # the job did not begin
        return ClusterError(
            f"a worker cannot read its job ({_line(error.cause)}): what it refers to, such as the "
            "module of a policy, must be installed on all nodes"
        )
    return error.cause if isinstance(error.cause, Exception) else error


def _line(error: BaseException) -> str:
    """The message of an error of Ray, without the traceback that it may include."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if isinstance(error, RayTaskError) else lines[0]) if lines else repr(error)
