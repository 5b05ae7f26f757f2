"""`mijnlieff train` on the command line."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mijnlieff._util.output import note
from mijnlieff.cli.options import (
    add_tablebase_argument,
    add_variant_arguments,
    integer,
    variant_of,
)
from mijnlieff.cli.parser import CommandParser
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.extras import prepare_packages
from mijnlieff.train.presets import PRESETS
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.settings import settings_of

if TYPE_CHECKING:
    from mijnlieff.train.play.local import Backend

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = (
    "--minutes 10 --out runs/first",
    "--algo ppo --minutes 2 --out runs/ppo",
    "--minutes 20 --out runs/first --resume",
)

DEFAULT_MINUTES = 5.0
DEFAULT_ALGORITHM = "alphazero"
DEFAULT_HOLDOUT = 0.2
DEFAULT_FINAL_GAMES = 1000
DEFAULT_DEVICE = "auto"
FINAL_SIMULATIONS = 64
_BASIC = (
    "--help",
    "--help-all",
    "--minutes",
    "--out",
    "--resume",
    "--overwrite",
    "--algo",
    "--knowledge",
    "--board",
    "--device",
    "--seed",
)
_OWNERS = {
    "ppo": "--algo ppo",
    "alphazero": "--algo alphazero",
    "boards": "--boards",
}
"""What the settings of `TrainConfig` that not every run uses belong to."""
_RAY_OPTIONS = ("ray_address", "ray_workers", "ray_blocks", "ray_lag")
_NOTHING_SOLVED = (
    "games on these boards end with too many empty cells for exact labels, so nothing is ever "
    "solved: --knowledge pure has settings for that"
)


def add_arguments(parser: CommandParser) -> None:
    """Declare the options; those of the settings come from `TrainConfig`.

    Args:
        parser: the parser of the subcommand.
    """
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument(
        "--minutes", type=float, help=f"minutes to train (default: {DEFAULT_MINUTES:g})"
    )
    budget.add_argument("--steps", type=int, help="actions to play, instead of --minutes")
    budget.add_argument("--games", type=int, help="games to play, instead of --minutes")
    parser.add_argument(
        "--out", type=Path, help="folder of the run (default: runs/ and the current time)"
    )
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="continue the run in --out")
    start.add_argument("--overwrite", action="store_true", help="delete a run in --out")
    parser.add_argument(
        "--final-games",
        type=int,
        default=DEFAULT_FINAL_GAMES,
        help="games per opponent in the final table, an even number (default: %(default)s)",
    )
    parser.add_argument(
        "--tensorboard",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="write TensorBoard event files besides the JSONL and CSV logs (default: if installed, "
        "as by pip install 'mijnlieff[tensorboard]')",
    )
    parser.add_argument(
        "--device",
        default=DEFAULT_DEVICE,
        help="where the network computes: cpu, cuda, ...; auto uses a GPU if there is one "
        "(default: %(default)s)",
    )
    add_tablebase_argument(parser)
    _add_ray_arguments(parser)
    add_variant_arguments(parser)
    _add_boards_arguments(parser)
    groups = {None: parser.add_argument_group("settings")} | {
        owner: parser.add_argument_group(f"settings of {option}")
        for owner, option in _OWNERS.items()
    }
    for name, declared in settings_of(TrainConfig).items():
        default = DEFAULT_ALGORITHM if name == "algo" else declared.default_text(name, PRESETS)
        groups[declared.algo].add_argument(
            "--" + name.replace("_", "-"),
            type=declared.kind,
            choices=declared.choices or None,
            help=f"{declared.help} (default: {default})",
        )
    parser.show_only(_BASIC)


def _add_ray_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "Ray", "play the games on many processes or machines, and learn in this one"
    )
    group.add_argument(
        "--ray",
        action="store_true",
        help="play with Ray, as installed by pip install 'mijnlieff[ray]'",
    )
    group.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        help="auto for the cluster that this machine belongs to, or HOST:PORT (default: start Ray "
        "on this machine)",
    )
    group.add_argument(
        "--ray-workers",
        metavar="NUMBER",
        type=integer(1),
        help="workers that play at once, each with a CPU (default: one less than there are CPUs)",
    )
    group.add_argument(
        "--ray-blocks",
        type=integer(1),
        metavar="NUMBER",
        help="blocks that the --num-envs games of a round are cut into; a worker that dies loses "
        "one at most (default: 8)",
    )
    group.add_argument(
        "--ray-lag",
        type=integer(0),
        metavar="ROUNDS",
        help="rounds that are played ahead of the learner, with older weights; 0 lets the workers "
        "wait for the newest (default: 1)",
    )


def _add_boards_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "many boards", "one network for many boards, graded also on boards that it never sees"
    )
    group.add_argument(
        "--boards",
        metavar="BOARDS",
        help="in place of --board: arrangements:4 for all boards of four 2x2 blocks that meet "
        "along edges, arrangements:4:corners if they may also meet at corners, or a file with "
        "boards as rows of '#' and '.', an empty line between two",
    )
    group.add_argument(
        "--holdout",
        type=float,
        metavar="SHARE",
        help="share of the boards, chosen by --seed, on which no game is played; only grades and "
        f"matches are made on them (default: {DEFAULT_HOLDOUT:g})",
    )


@contextlib.contextmanager
def _backend(args: argparse.Namespace) -> Iterator[Backend]:
    """Where games are played: on a cluster, or in this process."""
    from mijnlieff.train.play.local import LocalBackend

    if not args.ray:
        for name in _RAY_OPTIONS:
            if getattr(args, name) is not None:
                raise ValueError(f"--{name.replace('_', '-')} needs --ray")
        yield LocalBackend(args.tablebase)
        return
    if args.play_threads is not None:
        raise ValueError("--play-threads would change nothing: workers of --ray have one thread")
    from mijnlieff.integrations.ray import RayExecutor
    from mijnlieff.train.play.executor import BLOCKS, LAG, ExecutorBackend

    blocks = BLOCKS if args.ray_blocks is None else args.ray_blocks
    lag = LAG if args.ray_lag is None else args.ray_lag
    with RayExecutor(args.ray_address, args.ray_workers) as executor:
        note(f"at most {executor.max_workers} workers at once")
        yield ExecutorBackend(executor, blocks, lag, args.tablebase)


def run(args: argparse.Namespace) -> int:
    """Train, save, measure, and print the final table on standard output.

    Args:
        args: the options of `add_arguments`.

    Returns:
        The exit code: 0, or 128 plus the number of the signal after SIGINT (Ctrl-C) or SIGTERM.

    Raises:
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard or Ray if asked
            for.
        ClusterError: there is no Ray cluster at the address, or its workers die again and again.
        ValueError: a setting is out of range, or options contradict each other.
        TrainingError: the folder holds a run or another training uses it, its log is damaged, or a
            loss is NaN or infinite.
        OSError: the folder cannot be written to; noticed before training starts.
        CheckpointError: there is no valid run to resume, or it has another variant or settings.
        VariantError: the number of copies is out of range.
    """
    _fill_closed_descriptors()
    prepare_packages(args.tensorboard, "ray" if args.ray else "train")
    from mijnlieff.train.play.policy import solves
    from mijnlieff.train.process import StopSignal
    from mijnlieff.train.run.boards_report import report_boards
    from mijnlieff.train.run.final_report import report_board
    from mijnlieff.train.run.run import resume_run, run_session, start_run

    if args.final_games < 2 or args.final_games % 2:
        raise ValueError(f"final_games must be a positive even number, not {args.final_games}")
    if args.resume and args.out is None:
        raise ValueError("--resume needs --out, the folder of the run to continue")
    _check_boards(args)
    folder = RunFolder(args.out or Path("runs") / time.strftime("%Y%m%d-%H%M%S"))
    given, budget = _given(args, *settings_of(TrainConfig)), _budget(args)
    if not args.resume:
        many_boards = args.boards is not None
        config = TrainConfig.of(**({"algo": DEFAULT_ALGORITHM} | given), many_boards=many_boards)
        _refuse_unused(given, config, many_boards)
        boards = _boards_of(args, config.seed)
    with contextlib.ExitStack() as stack:
        on: dict[str, Any] = {
            "device": args.device,
            "backend": stack.enter_context(_backend(args)),
        }
        if args.resume:
            parts = _given(args, "board", "opening", "copies", "boards", "holdout")
            opened = resume_run(folder, given, budget, parts, **on)
        else:
            limit = budget or Budget(minutes=DEFAULT_MINUTES)
            opened = start_run(folder, config, limit, boards, overwrite=args.overwrite, **on)
        trainer = stack.enter_context(opened)
        if args.resume:  # only its checkpoint says which options a run uses
            _refuse_unused(given, trainer.config, trainer.boards.canvas is not None)
        stop = StopSignal()
        try:
            note(f"training in {folder.path} on {trainer.boards}, {trainer.network.device}")
            if trainer.config.is_exact and not solves(trainer.config, trainer.boards):
                note(_NOTHING_SOLVED)
            signalled = run_session(trainer, folder, stop, tensorboard=args.tensorboard)
            if signalled:
                note(f"stopped and saved; continue with: {_resume_command(folder, args)}")
                return 128 + signalled
            report = report_board if trainer.boards.canvas is None else report_boards
            with stop:
                report(trainer, folder, args.final_games, FINAL_SIMULATIONS)
            return 0
        except KeyboardInterrupt:
            note(f"interrupted; continue with: {_resume_command(folder, args)}")
            return 128 + (stop.number or signal.SIGINT)


def _fill_closed_descriptors() -> None:
    """Open the null device in place of closed standard streams.

    Otherwise a file of the run could get descriptor 2, and whatever a library writes to standard
    error would end up in it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest descriptor that is free


def _refuse_unused(given: Mapping[str, Any], config: TrainConfig, many_boards: bool) -> None:
    """Raise for an option of an algorithm that the run does not have."""
    used = {config.algo}
    if many_boards:
        used.add("boards")
    for name in given:
        owner = settings_of(TrainConfig)[name].algo
        if owner is not None and owner not in used:
            raise ValueError(
                f"--{name.replace('_', '-')} is an option of {_OWNERS[owner]}, and would change "
                "nothing in this run; leave it out"
            )


def _check_boards(args: argparse.Namespace) -> None:
    if args.boards is not None and args.board is not None:
        raise ValueError("give only one of --board and --boards")
    if args.holdout is not None and args.boards is None and not args.resume:
        raise ValueError("--holdout needs --boards")


def _boards_of(args: argparse.Namespace, seed: int) -> Boards:
    """The boards of the options, with those held out; a set of one without `--boards`."""
    if args.boards is None:
        return Boards((variant_of(args),))
    holdout = DEFAULT_HOLDOUT if args.holdout is None else args.holdout
    return Boards.split(args.boards, holdout, seed, **_given(args, "opening", "copies"))


def _given(args: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return the options that were given on the command line."""
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def _budget(args: argparse.Namespace) -> Budget | None:
    limits = {name: getattr(args, name) for name in ("minutes", "steps", "games")}
    if all(limit is None for limit in limits.values()):
        return None
    return Budget(**limits)


def _resume_command(folder: RunFolder, args: argparse.Namespace) -> str:
    """The command that continues a run on the same machines, with the same kinds of output.

    The checkpoint holds everything else.
    """
    options = ["--resume", "--out", str(folder.path)]
    if args.device != DEFAULT_DEVICE:
        options += ["--device", args.device]
    if args.final_games != DEFAULT_FINAL_GAMES:
        options += ["--final-games", str(args.final_games)]
    if args.tablebase is not None:
        options += ["--tablebase", str(args.tablebase.path)]
    if args.tensorboard is not None:
        options.append("--tensorboard" if args.tensorboard else "--no-tensorboard")
    if args.ray:
        options.append("--ray")
        for name, value in _given(args, *_RAY_OPTIONS).items():
            options += ["--" + name.replace("_", "-"), str(value)]
    return "mijnlieff train " + shlex.join(options)
