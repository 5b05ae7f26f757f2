"""A cluster of Ray as a `concurrent.futures.Executor`.

`solve_batch`, `grade`, `evaluate`, `tournament` and `mijnlieff.train.train` take it as their
`executor`. Results depend neither on the number of workers nor on whether some of them died: Ray
runs their jobs again on others.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from mijnlieff._mijnlieff import __version__
from mijnlieff._util.arguments import integer_in
from mijnlieff._util.extras import needs
from mijnlieff.errors import ClusterError

with needs("mijnlieff.integrations.ray", "ray", "ray", "ray>=2.50"):
    import ray
    from ray.exceptions import RayError, RayTaskError

__all__ = ["RayExecutor"]

_T = TypeVar("_T")
_P = ParamSpec("_P")
_DISCONNECTED = "the connection to the Ray cluster has ended"
_CONNECT_SECONDS = 10.0
_MOST_WORKERS = 100_000
_RETRIES = 10
"""How often a job is run again because its worker died; then it is the job that kills workers."""


class RayExecutor(Executor):
    """Runs jobs on the workers of a Ray cluster.

    It connects when it is made, and `shutdown`, or leaving the `with` block, ends the connection.
    If this process is connected to Ray already, it uses that connection and leaves it open. A job
    whose worker dies is run again by another, so its result must depend on its arguments alone.
    Jobs begin in the order in which they were submitted.

    >>> with RayExecutor(max_workers=2) as executor:  # doctest: +SKIP
    ...     report = grade("champion", executor=executor)

    Args:
        address: ``"auto"`` for the cluster that this machine belongs to, ``"HOST:PORT"`` for
            another one; None starts Ray on this machine until the shutdown.
        max_workers: the most jobs at work at once, each on a CPU of the cluster; None is one less
            than it has CPUs, since this process needs one.

    Attributes:
        max_workers: the most jobs at work at once.

    Raises:
        ClusterError: there is no cluster at the address, Ray cannot start, or this process is
            connected already and an address is given.
        ValueError: an address of Ray Client, or a number of workers out of range.
        TypeError: the number is not an integer.
    """

    max_workers: int

    def __init__(self, address: str | None = None, max_workers: int | None = None) -> None:
        """Check the settings and connect."""
        if max_workers is not None:
            max_workers = integer_in("max_workers", max_workers, 1, _MOST_WORKERS)
        self._is_ours = _connect(address, max_workers)
        cpus = int(ray.cluster_resources().get("CPU", 0))
        self.max_workers = max_workers or max(1, cpus - 1)
        self._task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_run)
        self._waiting: deque[tuple[Future[Any], tuple[Any, ...], dict[str, Any]]] = deque()
        self._at_work: dict[Future[Any], Any] = {}  # with the reference of the result
        self._is_shut_down = False
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)

    def put(self, value: object) -> Any:
        """Copy a value to the cluster, once for all jobs that it is an argument of.

        Args:
            value: any picklable value.

        Returns:
            A reference, in whose place `submit` gives the value to the job.
        """
        return ray.put(value)

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Queue a job.

        Args:
            fn: a function that workers can import. Its future raises what the function raises, or
                `ClusterError` if workers die of it, cannot import it, or have another version of
                this package.
            args: its arguments; references of `put` are replaced by their values.
            kwargs: the same.

        Raises:
            RuntimeError: the executor was shut down.
        """
        future: Future[_T] = Future()
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._waiting.append((future, (fn, *args), kwargs))
            self._hand_out()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more jobs, and end the connection if this executor made it.

        Jobs that have not ended when the connection to the cluster does raise `ClusterError`.

        Args:
            wait: whether to wait for the jobs; otherwise those at work are interrupted, and the
                others cancelled.
            cancel_futures: whether to cancel the jobs that have not begun.
        """
        with self._lock:
            self._is_shut_down = True
            if cancel_futures or not wait:
                for future, _, _ in self._waiting:
                    future.cancel()
                self._waiting.clear()
            # Once the connection has ended, no job does.
            while wait and (self._waiting or self._at_work) and ray.is_initialized():
                self._idle.wait(0.5)  # some systems notice Ctrl-C only between two waits
            references = list(self._at_work.values())
            unfinished = list(self._at_work)
            unfinished += [it for it, _, _ in self._waiting if it.set_running_or_notify_cancel()]
            self._at_work.clear()
            self._waiting.clear()
        interrupted = "the shutdown of its executor interrupted a job"
        reason = interrupted if ray.is_initialized() else _DISCONNECTED
        for future in unfinished:
            future.set_exception(ClusterError(reason))
        for reference in references:
            if ray.is_initialized():  # otherwise Ray would start a new cluster
                with contextlib.suppress(Exception):  # the connection may end meanwhile
                    ray.cancel(reference)
        if self._is_ours:
            self._is_ours = False
            ray.shutdown()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        """Shut down; after an error without waiting for jobs."""
        self.shutdown(wait=exc_type is None)

    def _hand_out(self) -> None:
        while self._waiting and len(self._at_work) < self.max_workers:
            future, args, kwargs = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if not ray.is_initialized():  # otherwise Ray would start a new cluster
                    raise ClusterError(_DISCONNECTED)
                reference = self._task.remote(__version__, *args, **kwargs)
            except Exception as error:  # an argument that cannot be pickled, or no connection
                future.set_exception(_cause(error))
                continue
            self._at_work[future] = reference
            reference.future().add_done_callback(
                lambda done, future=future: self._take(future, done)
            )

    def _take(self, future: Future[Any], done: Future[Any]) -> None:
        """Hand a result on; called by a thread of Ray."""
        with self._lock:
            if self._at_work.pop(future, None) is None:  # interrupted by the shutdown
                return
            self._hand_out()
            self._idle.notify_all()
        error = done.exception()
        if error is None:
            future.set_result(done.result())
        else:
            future.set_exception(_cause(error))


def _run(version: str, function: Callable[..., _T], *args: Any, **kwargs: Any) -> _T:
    """Run a job in a worker."""
    if version != __version__:
        node = ray.get_runtime_context().get_node_id()
        raise ClusterError(
            f"node {node} has mijnlieff {__version__}, not {version}: install the same version on "
            "all nodes"
        )
    return function(*args, **kwargs)


def _connect(address: str | None, max_workers: int | None) -> bool:
    """Connect to a cluster; return whether this process was not connected before."""
    if address is not None and address.startswith("ray://"):
        raise ValueError(
            f"{address!r} is an address of Ray Client, which cannot share objects with this "
            "process: run on a node of the cluster with the address 'auto'"
        )
    place = None if address in (None, "auto") else _host_and_port(str(address))
    if ray.is_initialized():
        if address is not None:
            raise ClusterError(
                f"Ray is connected already: leave out the address {address!r}, or call "
                "ray.shutdown() first"
            )
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is None:
            cpus = max_workers + 1 if max_workers else max(2, os.cpu_count() or 1)
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **options)
            return True
        if place is not None:
            # Ray itself tries for a minute.
            socket.create_connection(place, _CONNECT_SECONDS).close()
        ray.init(address=address, **options)
    except Exception as error:  # Ray raises many kinds, and some of no kind
        where = "here" if address is None else f"at the address {address!r}"
        reason = str(error).strip().partition("\n")[0]
        raise ClusterError(f"there is no Ray cluster {where}: {reason}") from error
    return True


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal() and int(port) < 2**16):
        raise ValueError(f"the address must be 'auto' or HOST:PORT, not {address!r}")
    return host.strip("[]"), int(port)


def _cause(error: BaseException) -> BaseException:
    """The error of a job as it was raised in the worker, or why it did not run."""
    if isinstance(error, RayTaskError):
        cause = error.cause
        if isinstance(cause, RayError):  # the job did not begin
            return ClusterError(
                f"a worker cannot read its job ({_line(cause)}): what it refers to, such as the "
                "module of a policy, must be installed on all nodes"
            )
        return cause if isinstance(cause, Exception) else error
    if isinstance(error, RayError):
        return ClusterError(
            f"workers died {_RETRIES + 1} times, or the cluster is gone: {_line(error)}"
        )
    return error


def _line(error: BaseException) -> str:
    """The message of an error of Ray, without the traceback that it may include."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if isinstance(error, RayTaskError) else lines[0]) if lines else repr(error)
