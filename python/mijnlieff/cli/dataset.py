"""``mijnlieff dataset``: games with exact values as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from mijnlieff._mijnlieff import Position
from mijnlieff.cli.margins import note_perfect_players
from mijnlieff.cli.options import (
    add_opening_argument,
    add_seed_argument,
    add_tablebase_argument,
    add_threads_argument,
    add_variant_arguments,
    integer,
    variant_of,
)
from mijnlieff.datasets.dataset import make_dataset
from mijnlieff.datasets.recipe import FILES, LABELS, Recipe
from mijnlieff.policies.load import POLICY_FORMS

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = (
    "--players perfect:0.3 --games 10000 --out games",
    "--players champion greedy --files parquet --out games",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--players",
        required=True,
        nargs="+",
        metavar="POLICY",
        help=f"one for both sides, or two that take turns as Light: {POLICY_FORMS}",
    )
    parser.add_argument(
        "--games", type=integer(1), default=1000, help="number of games (default: %(default)s)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="a new folder, or one where the same command was stopped",
    )
    add_opening_argument(parser)
    parser.add_argument(
        "--labels",
        choices=LABELS,
        default="exact",
        help="the exact value of every action, or none (default: %(default)s)",
    )
    parser.add_argument(
        "--files", choices=FILES, default="numpy", help="kind of the files (default: %(default)s)"
    )
    parser.add_argument(
        "--minari", metavar="ID", help="make a data set of Minari with this name as well"
    )
    add_seed_argument(parser, "openings and players")
    add_threads_argument(parser, "the exact search")
    add_tablebase_argument(parser)
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Make the data set, and print where it is.

    Raises:
        ValueError: more than two players.
    """
    if len(args.players) > 2:
        raise ValueError(f"give one or two players, not {len(args.players)}")
    recipe = Recipe(
        *args.players,
        games=args.games,
        seed=args.seed,
        variant=variant_of(args),
        opening_plies=args.opening_plies,
        labels=args.labels,
        files=args.files,
    )
    if args.minari is not None:
        from mijnlieff.integrations.minari import check_dataset_id, to_minari

        check_dataset_id(args.minari)  # before hours of work
    note_perfect_players(Position(recipe.variant), recipe.players)
    data = make_dataset(
        recipe,
        args.out,
        progress=True,
        num_threads=args.num_threads,
        tablebase=args.tablebase,
    )
    size = sum(path.stat().st_size for path in data.paths)
    files = "one file" if len(data.paths) == 1 else f"{len(data.paths)} files"
    print(f"{args.out}: {args.games:,} games in {files}, {size:,} bytes")
    if args.minari is not None:
        made = to_minari(data, args.minari)
        print(f"{args.minari}: {made.total_episodes:,} episodes, {made.total_steps:,} steps")
