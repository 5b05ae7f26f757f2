"""Training whose games are played by the workers of a cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mijnlieff._mijnlieff import Variant
from mijnlieff._util.types import check_type
from mijnlieff.integrations.ray.cluster import RayCluster, cluster_or_local
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.extras import prepare_packages
from mijnlieff.train.report.state import OnReport, TrainState

if TYPE_CHECKING:
    from mijnlieff.train.run.backend import Backend

__all__ = ["BLOCKS", "LAG", "ray_backend", "train"]

BLOCKS = 8
LAG = 1


def train(
    config: TrainConfig,
    budget: Budget,
    out: str | os.PathLike[str],
    *,
    cluster: RayCluster | None = None,
    blocks: int = BLOCKS,
    lag: int = LAG,
    variant: Variant | None = None,
    device: str = "auto",
    resume: bool = False,
    overwrite: bool = False,
    on_report: OnReport | None = None,
    tensorboard: bool | None = None,
) -> TrainState:
    """Train as `mijnlieff.train.train` does, with the games played by workers.

    A round of `config.num_envs` games is cut into blocks, each with its own seed and played by one
    worker. A block depends on its seed and the weights alone, so the run depends neither on the
    number of workers nor on which of them died, given the same kind of processor and a budget in
    steps or games. This process learns. Measurements are played by workers too.

    The folder is as on one machine, and a run can be resumed with or without Ray.

    Args:
        config: the settings.
        budget: when to stop, counted from the first start of the run.
        out: folder of the run, on this machine.
        cluster: the workers; None uses those of this machine.
        blocks: blocks in a round, 1 to 4096 and at most `config.num_envs`.
        lag: rounds that are played ahead, 0 to 1000. With 0, the workers of PPO wait while the
            network learns; with more, the weights that play are older by that many rounds. At most
            ``blocks * (lag + 1)`` blocks are at work or wait for the learner.
        variant: the game; None for the standard one.
        device: where the network learns; workers play on their CPU.
        resume: continue the run in the folder.
        overwrite: delete a run in the folder.
        on_report: called after every round with a `TrainState`.
        tensorboard: whether to write event files; if None, only where TensorBoard is installed.

    Raises:
        ClusterError: Ray cannot start, the cluster has not been entered by ``with``, or workers
            die again and again; the last checkpoint stays valid.
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard if asked for.
        TrainingError: see `mijnlieff.train.train`, also for the other errors.
        OutputError: the folder cannot be written to.
        CheckpointError: there is no valid run to resume, or it has another variant or settings.
        ValueError: both `resume` and `overwrite`, or a number out of range.
        TypeError: settings, a budget, a variant or a cluster of another type.
    """
    check_type("config", config, TrainConfig)
    check_type("budget", budget, Budget)
    if variant is not None:
        check_type("variant", variant, Variant)
    if resume and overwrite:
        raise ValueError("give only one of resume and overwrite")
    prepare_packages(tensorboard)
    from mijnlieff.train.run.folder import RunFolder
    from mijnlieff.train.run.run import train_in

    with ray_backend(cluster, blocks, lag) as backend:
        return train_in(
            RunFolder(Path(out)),
            config,
            budget,
            Variant() if variant is None else variant,
            device=device,
            resume=resume,
            overwrite=overwrite,
            on_report=on_report,
            tensorboard=tensorboard,
            backend=backend,
        )


@contextlib.contextmanager
def ray_backend(
    cluster: RayCluster | None, blocks: int = BLOCKS, lag: int = LAG
) -> Iterator[Backend]:
    """Where the games of a run are played, for `start_run` and `resume_run`.

    Args:
        cluster: the workers, see `RayCluster`; None starts workers on this machine.
        blocks: see `train`.
        lag: see `train`.
    """
    from mijnlieff.integrations.ray.games import RayBackend

    with cluster_or_local(cluster) as pool:
        yield RayBackend(pool, blocks, lag)
