"""Jobs on the executors of users: any `concurrent.futures.Executor`."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from typing import Any, TypeVar

from mijnlieff.errors import ClusterError

__all__ = ["check_executor", "check_picklable", "map_jobs", "result_of", "shared", "submit"]

_T = TypeVar("_T")
# Some systems notice Ctrl-C only between two waits.
_WAIT_SECONDS = 0.5


def check_executor(executor: object) -> None:
    """Raise unless this is an executor or None.

    Raises:
        TypeError: it is something else.
    """
    if executor is not None and not isinstance(executor, Executor):
        raise TypeError(f"executor must be a concurrent.futures.Executor or None, not {executor!r}")


def check_picklable(executor: Executor, value: object) -> None:
    """Raise if the executor starts processes to which Python cannot send the value.

    Executors of other libraries may pickle more than Python does, so they are not asked.

    Raises:
        TypeError: it cannot be pickled.
    """
    if _starts_processes(executor):
        try:
            pickle.dumps(value)
        except MemoryError:
            raise
        except Exception as error:  # its own methods may raise anything
            reason = str(error) or type(error).__name__
            raise TypeError(
                f"{value!r} cannot be pickled for other processes ({reason}): define it in a "
                "module, or leave out executor"
            ) from error


def shared(executor: Executor, value: object) -> Any:
    """Return an argument of many jobs in the form in which `submit` takes it.

    `RayExecutor.put` keeps it on the cluster, so that it is sent to each node once. Other executors
    get the value with every job.
    """
    put = getattr(executor, "put", None)
    return value if put is None else put(value)


def submit(executor: Executor, function: Callable[..., _T], *args: Any) -> Future[_T]:
    """Hand a job to an executor.

    Ctrl-C reaches the processes of an executor too. Where this process handles it by its own
    function, as training does to save first, those that had a job ignore it from then on. Elsewhere
    it ends them at once.

    Args:
        executor: the executor.
        function: a function of a module, so that other processes can import it. Its result depends
            on the arguments alone, so that it does not matter which worker runs it, or how often.
        args: its arguments; values of `shared` among them.

    Raises:
        ClusterError: the executor was shut down, or its workers died.
    """
    try:
        if _starts_processes(executor) and _handles_interrupts():
            return executor.submit(_leave_interrupts, function, *args)
        return executor.submit(function, *args)
    except ClusterError:
        raise
    except BrokenExecutor as error:
        raise _broken(executor, error) from error
    except RuntimeError as error:  # the standard executors raise nothing more special here
        kind = type(executor).__name__
        raise ClusterError(
            f"the executor {kind} takes no jobs ({error}): use it inside its `with` block, before "
            "its shutdown()"
        ) from error


def result_of(executor: Executor, future: Future[_T]) -> _T:
    """Wait for a job and return its result.

    Raises:
        ClusterError: the executor's workers died, or it was shut down before the job began.
        Exception: the error that the job raised.
    """
    while not future.done():
        wait([future], _WAIT_SECONDS)
    if future.cancelled():
        kind = type(executor).__name__
        raise ClusterError(f"the executor {kind} was shut down before all jobs had begun")
    try:
        return future.result()
    except BrokenExecutor as error:
        raise _broken(executor, error) from error


def map_jobs(
    executor: Executor,
    function: Callable[..., _T],
    arguments: Iterable[Sequence[Any]],
    move_on: Callable[[int], object] = lambda index: None,
) -> list[_T]:
    """Run a job for each tuple of arguments, and return the results in order.

    If one fails, or on Ctrl-C, those that have not begun are cancelled.

    Args:
        executor: the executor.
        function: see `submit`.
        arguments: the arguments of each job.
        move_on: called with the index of each job, in order, when it is done.

    Raises:
        ClusterError: the executor was shut down, or its workers died.
        Exception: the first error of a job, in order.
    """
    futures: list[Future[_T]] = []
    results = []
    try:
        futures.extend(submit(executor, function, *args) for args in arguments)
        for index, future in enumerate(futures):
            results.append(result_of(executor, future))
            move_on(index)
    finally:
        for future in futures:
            future.cancel()
    return results


def _starts_processes(executor: Executor) -> bool:
    from concurrent.futures import ProcessPoolExecutor  # brings multiprocessing

    return isinstance(executor, ProcessPoolExecutor)


def _handles_interrupts() -> bool:
    handler = signal.getsignal(signal.SIGINT)
    return callable(handler) and handler is not signal.default_int_handler


def _leave_interrupts(function: Callable[..., _T], *args: Any) -> _T:
    """Run a job in a process that ignores Ctrl-C from now on."""
    import multiprocessing

    if multiprocessing.parent_process() is not None:  # not in the process that submits
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return function(*args)


def _broken(executor: Executor, error: BrokenExecutor) -> ClusterError:
    return ClusterError(
        f"the workers of the executor {type(executor).__name__} died ({error}); scripts that start "
        "processes need `if __name__ == '__main__':`"
    )
