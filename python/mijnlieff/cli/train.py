"""`mijnlieff train` on the command line."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mijnlieff import Variant
from mijnlieff.cli.options import add_variant_arguments, variant_of
from mijnlieff.train.config import ALGORITHMS, Budget, TrainConfig
from mijnlieff.train.extras import prepare_packages
from mijnlieff.train.report.report import report_json, report_markdown, report_table
from mijnlieff.train.run.folder import RunFolder

if TYPE_CHECKING:
    from mijnlieff.train.run.trainer import Trainer

__all__ = ["add_arguments", "run"]

DEFAULT_MINUTES = 5.0
DEFAULT_ALGORITHM = "alphazero"
FINAL_SIMULATIONS = 64

# Settings that the command line offers; all of them can be set from Python.
_OPTIONS = {
    "seed": "of everything random in the run",
    "num_envs": "games played at once",
    "width": "units of every hidden layer",
    "blocks": "residual blocks of the network",
    "learning_rate": "step size at the start",
    "entropy_coef": "weight of the entropy bonus at the start",
    "num_simulations": "of each search (AlphaZero)",
    "solve_below": "empty cells at which the search solves exactly (AlphaZero)",
    "threads": "threads for PyTorch",
    "checkpoint_seconds": "time between checkpoints",
    "measurements": "points on the learning curve",
    "measurement_games": "games per opponent and point, an even number",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options.

    Args:
        parser: of the subcommand.
    """
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--minutes", type=float, help=f"how long to train ({DEFAULT_MINUTES:g})")
    budget.add_argument("--steps", type=int, help="how many actions to play, instead of --minutes")
    budget.add_argument("--games", type=int, help="how many games to play, instead of --minutes")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/ and the time)")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="go on with the run in --out")
    start.add_argument("--overwrite", action="store_true", help="throw away a run in --out")
    parser.add_argument(
        "--final-games",
        type=int,
        default=1000,
        help="per opponent in the final table, an even number (%(default)s)",
    )
    parser.add_argument(
        "--tensorboard",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="write TensorBoard's event files beside the JSONL and CSV logs; otherwise they are "
        "written if TensorBoard is installed: pip install 'mijnlieff[tensorboard]'",
    )
    parser.add_argument(
        "--device",
        default="auto",
        help="where the network computes: cpu, cuda, ...; auto takes a GPU if there is one",
    )
    add_variant_arguments(parser)
    parser.add_argument(
        "--algo", choices=tuple(ALGORITHMS), help=f"how to learn ({DEFAULT_ALGORITHM})"
    )
    defaults = TrainConfig.of(DEFAULT_ALGORITHM)
    for name, text in _OPTIONS.items():
        value = getattr(defaults, name)
        parser.add_argument(
            "--" + name.replace("_", "-"),
            type=float if isinstance(value, float) else int,
            help=f"{text} ({'its own choice' if value is None else value})",
        )


def run(args: argparse.Namespace) -> int:
    """Train, save, measure, and print the final table on standard output.

    Args:
        args: with the options of `add_arguments`.

    Returns:
        The exit code: 0, or 128 plus the signal's number after Ctrl-C or SIGTERM.

    Raises:
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard if asked for.
        ValueError: impossible settings.
        TrainingError: the folder holds another run, or the losses are no numbers any more.
        OutputError: the folder cannot be written to; found out before training starts.
        CheckpointError: there is nothing sound to resume, or it is of another variant or settings.
        VariantError: an impossible number of copies.
    """
    prepare_packages(args.tensorboard)
    from mijnlieff.train.run.run import resume_run, run_session, start_run

    if args.final_games < 2 or args.final_games % 2:
        raise ValueError(f"final_games must be a positive even number, not {args.final_games}")
    if args.resume and args.out is None:
        raise ValueError("--resume needs --out: the folder of the run to go on with")
    folder = RunFolder(args.out or Path("runs") / time.strftime("%Y%m%d-%H%M%S"))
    given, budget, variant = _given(args), _budget(args), variant_of(args)
    if args.resume:
        asked = args.board is not None or args.copies is not None or variant != Variant()
        trainer = resume_run(folder, given, budget, variant if asked else None, device=args.device)
    else:
        config = TrainConfig.of(**({"algo": DEFAULT_ALGORITHM} | given))
        budget = budget or Budget(minutes=DEFAULT_MINUTES)
        trainer = start_run(
            folder, config, budget, variant, device=args.device, overwrite=args.overwrite
        )
    try:
        where = f"training in {folder.path} on {trainer.variant}, {trainer.network.device}"
        print(where, file=sys.stderr)
        signalled = run_session(trainer, folder, tensorboard=args.tensorboard)
        if signalled:
            print(f"stopped and saved; go on with: {_resume_command(folder)}", file=sys.stderr)
            return 128 + signalled
        _report(trainer, folder, args.final_games)
        return 0
    except KeyboardInterrupt:
        print(f"interrupted; go on with: {_resume_command(folder)}", file=sys.stderr)
        return 128 + signal.SIGINT
    finally:
        trainer.close()


def _report(trainer: Trainer, folder: RunFolder, final_games: int) -> None:
    from mijnlieff.train.run.measure import final_opponents, measure

    counters = trainer.counters
    about = (
        f"{counters.steps:,} actions and {counters.games:,} games of self-play in "
        f"{counters.seconds / 60:.1f} minutes, seed {trainer.config.seed}, {trainer.variant}."
    )
    # What the search was trained with it also plays with.
    searches = trainer.config.algo == "alphazero"
    players = {"The network alone": None} | (
        {f"With {FINAL_SIMULATIONS} simulations": trainer.config} if searches else {}
    )
    matches = {
        player: measure(
            trainer.network,
            trainer.variant,
            final_opponents(trainer.variant),
            final_games,
            seed=trainer.config.seed,
            progress=True,
            search=search,
            num_simulations=FINAL_SIMULATIONS,
        )
        for player, search in players.items()
    }
    run_facts = dataclasses.asdict(counters) | {"config": dataclasses.asdict(trainer.config)}
    folder.write(folder.report_json, report_json(matches, run_facts))
    folder.write(folder.report_text, report_markdown(matches, about))
    tables = "\n\n".join(f"{player}\n{report_table(rows)}" for player, rows in matches.items())
    print(f"{about}\n\n{tables}\n\nLearning curve: {folder.curve}")


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """The settings that stand on the command line."""
    names = ("algo", *_OPTIONS)
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def _budget(args: argparse.Namespace) -> Budget | None:
    limits = {name: getattr(args, name) for name in ("minutes", "steps", "games")}
    if all(limit is None for limit in limits.values()):
        return None
    return Budget(**limits)


def _resume_command(folder: RunFolder) -> str:
    return f"mijnlieff train --resume --out {shlex.quote(str(folder.path))}"
