"""Trains a policy-value network by self-play.

`mijnlieff train` trains on the command line and `train` does the same in Python, where a `LivePlot`
follows the run in a notebook. Both write a checkpoint, which `mijnlieff.load_policy` turns into a
player.

PyTorch is imported only when one of them is called. At module level only `process` and modules of
`network`, `play`, `ppo`, `alphazero` and `run` import it, and only `report.plot` imports
matplotlib.
"""

from __future__ import annotations

import dataclasses
import os
from concurrent.futures import Executor

from mijnlieff._mijnlieff import Tablebase, as_variant
from mijnlieff._util.arguments import check_type, path_of
from mijnlieff._util.executors import check_executor
from mijnlieff.rules import VariantLike
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.extras import prepare_packages
from mijnlieff.train.report.live import LivePlot
from mijnlieff.train.report.state import OnReport, TrainState
from mijnlieff.train.run.folder import RunFolder

__all__ = ["Boards", "Budget", "LivePlot", "TrainConfig", "TrainState", "train"]


def train(
    config: TrainConfig,
    budget: Budget,
    out: str | os.PathLike[str],
    *,
    variant: VariantLike | None = None,
    boards: Boards | None = None,
    device: str = "auto",
    resume: bool = False,
    overwrite: bool = False,
    on_report: OnReport | None = None,
    tensorboard: bool | None = None,
    executor: Executor | None = None,
    blocks: int = 8,
    lag: int = 1,
    tablebase: Tablebase | None = None,
) -> TrainState:
    """Train a network and return the final state of the run.

    The folder then holds the checkpoint for `mijnlieff.load_policy`, the logs `log.jsonl` and
    `progress.csv`, and the learning curve `curve.png`: all that `mijnlieff train` writes except the
    final tables. Ctrl-C, or a notebook's interrupt button, saves the run and ends it early; a
    second one, or one while positions for grades are solved, raises `KeyboardInterrupt` at once. An
    exception of `on_report` ends the run too, and the last checkpoint stays valid.

    Args:
        config: the settings, such as `TrainConfig.of("ppo")`.
        budget: when to stop, counted from the first start of the run.
        out: folder of the run. One training at a time can use it.
        variant: the game; None for the standard one.
        boards: many boards for one network, in place of `variant`; take the settings from
            ``TrainConfig.of("alphazero", many_boards=True)``.
        device: where the network computes: `"auto"` for a GPU if there is one, or a name of
            PyTorch, such as `"cpu"`.
        resume: continue the run in the folder, which must have the same settings and variant.
        overwrite: delete a run in the folder, once the new one can start.
        on_report: called after every round with a `TrainState`; for example a `LivePlot`. If None,
            progress goes to standard error.
        tensorboard: whether to write event files to `tensorboard/` in the folder; if None, only
            where TensorBoard is installed.
        executor: workers that play the games and the measurements, each on one thread, while this
            process learns; None plays here. A round of `config.num_envs` games is cut into blocks,
            each with its own seed and played by one worker. A block depends on its seed and the
            weights alone, so the run does not depend on the workers, given the same kind of
            processor and a budget in steps or games. A run can be resumed with another executor or
            without one. The processes of a ``ProcessPoolExecutor`` ignore Ctrl-C from their first
            job on, so that this one can save. It still ends those that have had none, which raises
            `ClusterError`; with ``initializer=signal.signal, initargs=(signal.SIGINT,
            signal.SIG_IGN)`` they ignore it from their start.
        blocks: with an executor, blocks in a round, 1 to 4096 and at most `config.num_envs`.
        lag: with an executor, rounds that are played ahead, 0 to 1000. With 0, the workers of PPO
            wait while the network learns; with more, the weights that play are older by that many
            rounds. At most ``blocks * (lag + 1)`` blocks are at work or wait for the learner.
        tablebase: where positions are looked up that ``"alphazero"`` with exact knowledge solves,
            rather than searched; workers open the same file. Games and labels are the same. With
            ``solve_roots_below=16`` every label is exact, and costs next to nothing.

    Raises:
        ClusterError: the executor was shut down, or its workers died; the last checkpoint stays
            valid.
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard if asked for.
        TrainingError: the folder holds a run or the log of one, or another training uses it, its
            log is damaged, or a loss or a weight is NaN or infinite.
        MemoryError: there is not enough memory for the network, the replay buffer or a step.
        OSError: the folder cannot be written to; noticed before training starts.
        CheckpointError: there is no valid run to resume, or it has another variant or settings.
        ValueError: both `resume` and `overwrite`, or both `variant` and `boards`; a device that
            PyTorch cannot use; `blocks` or `lag` out of range; many boards with `"ppo"`; a folder
            with a null character in its path; or a tablebase of another game, or for a run that
            solves nothing.
        TypeError: an argument of another type; nothing has been written.
    """
    check_type("config", config, TrainConfig)
    check_type("budget", budget, Budget)
    folder = RunFolder(path_of("out", out))
    if variant is not None:
        variant = as_variant(variant)
    if boards is not None:
        check_type("boards", boards, Boards)
    if resume and overwrite:
        raise ValueError("give only one of resume and overwrite")
    if variant is not None and boards is not None:
        raise ValueError("give only one of variant and boards")
    if on_report is not None and not callable(on_report):
        raise TypeError(f"on_report must be a function or None, not {on_report!r}")
    if tablebase is not None:
        check_type("tablebase", tablebase, Tablebase)
    check_executor(executor)
    prepare_packages(tensorboard)
    from mijnlieff.train.play.executor import ExecutorBackend
    from mijnlieff.train.play.local import Backend, LocalBackend
    from mijnlieff.train.process import StopSignal
    from mijnlieff.train.run.run import resume_run, run_session, start_run

    backend: Backend = LocalBackend(tablebase)
    if executor is not None:
        backend = ExecutorBackend(executor, blocks, lag, tablebase)
    boards = boards or Boards((as_variant(variant),))
    if resume:
        given = dataclasses.asdict(config)
        run = resume_run(folder, given, budget, boards, device=device, backend=backend)
    else:
        run = start_run(
            folder, config, budget, boards, device=device, overwrite=overwrite, backend=backend
        )
    with run as trainer:
        run_session(trainer, folder, StopSignal(), on_report=on_report, tensorboard=tensorboard)
        return TrainState(trainer.spent, True, folder.read_log(), trainer.curve)
