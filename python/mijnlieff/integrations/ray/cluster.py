"""The connection to a Ray cluster, and its workers."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import ray

from mijnlieff._mijnlieff import integer_in
from mijnlieff._util.types import check_type
from mijnlieff.errors import ClusterError
from mijnlieff.integrations.ray.pool import WorkerInfo, WorkerPool

__all__ = ["RayCluster", "cluster_or_local"]

_CONNECT_SECONDS = 10.0
_MOST_WORKERS = 100_000


class RayCluster:
    """Workers on a Ray cluster; a context manager.

    Entering it connects to the cluster and asks for the workers, leaving it ends both. If this
    process is connected to Ray already, it uses that connection and leaves it open.

    >>> with RayCluster(actors=2) as cluster:  # doctest: +SKIP
    ...     report = grade("champion", cluster=cluster)

    Args:
        address: ``"auto"`` for the cluster that this machine belongs to, ``"HOST:PORT"`` for
            another one; None starts Ray on this machine, for as long as the `with` block runs.
        actors: number of workers, each with one CPU of the cluster; None is one less than it has
            CPUs, since the driver needs one.

    Attributes:
        pool: the workers.

    Raises:
        ValueError: an address of Ray Client, or a number of actors out of range.
        TypeError: the number is not an integer.
    """

    pool: WorkerPool

    def __init__(self, address: str | None = None, actors: int | None = None) -> None:
        """Check the settings; nothing is started."""
        if actors is not None:
            actors = integer_in("actors", actors, 1, _MOST_WORKERS)
        if address is not None and address.startswith("ray://"):
            raise ValueError(
                f"{address!r} is an address of Ray Client, which cannot share objects with the "
                "driver: run on a node of the cluster with the address 'auto'"
            )
        self._place = None if address in (None, "auto") else _host_and_port(str(address))
        self._address = address
        self._actors = actors
        self._is_ours = False

    def __enter__(self) -> Self:
        """Connect, and ask for the workers.

        Raises:
            ClusterError: there is no cluster at the address, or Ray cannot start.
        """
        if ray.is_initialized():
            if self._address is not None:
                raise ClusterError(
                    f"Ray is connected already: leave out the address {self._address!r}, or call "
                    "ray.shutdown() first"
                )
        else:
            self._connect()
            self._is_ours = True
        try:
            cpus = int(ray.cluster_resources().get("CPU", 0))
            self.pool = WorkerPool(self._actors or max(1, cpus - 1))
        except BaseException:
            self._disconnect()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the workers and the connection."""
        self.pool.close()
        self._disconnect()

    @property
    def actors(self) -> int:
        """The number of workers that were asked for."""
        return self.pool.size

    def workers(self) -> list[WorkerInfo]:
        """Wait until all workers have started, and return where they run.

        Raises:
            ClusterError: they cannot start.
        """
        return self.pool.wait_for_workers()

    def _connect(self) -> None:
        options = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self._address is None:
                cpus = self._actors + 1 if self._actors else max(2, os.cpu_count() or 1)
                ray.init(address="local", num_cpus=cpus, **options)
                return
            if self._place is not None:
                # Ray itself tries for a minute.
                socket.create_connection(self._place, _CONNECT_SECONDS).close()
            del options["include_dashboard"]
            ray.init(address=self._address, **options)
        except Exception as error:  # Ray raises many kinds, and some of no kind
            place = "here" if self._address is None else f"at the address {self._address!r}"
            reason = str(error).strip().partition("\n")[0]
            raise ClusterError(f"there is no Ray cluster {place}: {reason}") from error

    def _disconnect(self) -> None:
        if self._is_ours:
            ray.shutdown()
            self._is_ours = False


@contextlib.contextmanager
def cluster_or_local(cluster: RayCluster | None) -> Iterator[WorkerPool]:
    """The workers of a cluster, or if there is none, of one that ends with the `with` block.

    Raises:
        ClusterError: the cluster has not been entered by `with`.
        TypeError: it is something else.
    """
    if cluster is not None:
        check_type("cluster", cluster, RayCluster)
        if not hasattr(cluster, "pool"):
            raise ClusterError("the cluster has no workers yet: use it inside `with cluster:`")
        yield cluster.pool
    else:
        with RayCluster() as own:
            yield own.pool


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal() and int(port) < 2**16):
        raise ValueError(f"the address must be 'auto' or HOST:PORT, not {address!r}")
    return host.strip("[]"), int(port)
