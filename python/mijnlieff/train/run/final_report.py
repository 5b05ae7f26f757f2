"""The end of a run on one board: matches, strength, and what to do with the agent."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from mijnlieff._mijnlieff import Position, Variant
from mijnlieff._util.files import write_whole
from mijnlieff._util.output import print_table
from mijnlieff.evaluation import MatchReport
from mijnlieff.evaluation.grade_report import GradeReport
from mijnlieff.evaluation.grading import grade
from mijnlieff.evaluation.ladder import rating_of, strongest_below
from mijnlieff.policies import NetworkPolicy
from mijnlieff.solving import EXACT_CELLS
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.play.measure import final_opponents
from mijnlieff.train.play.policy import search_policy, solve_below_in_play
from mijnlieff.train.process import torch_threads
from mijnlieff.train.report.report import print_report, report_json, report_markdown
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.trainer import Trainer

__all__ = ["report_board"]

_MODES = {"exact": " with exact labels", "pure": " from the rules alone"}
_POSITIONS = 300
"""Positions to grade on where there is no benchmark; each has to be solved."""


def report_board(trainer: Trainer, folder: RunFolder, games: int, num_simulations: int) -> None:
    """Play matches, grade and rate the agent, write and print the tables, and name next steps.

    Args:
        trainer: the run.
        folder: its folder, which gets the tables as Markdown and JSON.
        games: against each opponent.
        num_simulations: of the search that plays besides the network alone. Networks that were
            trained with searches also play with them.

    Raises:
        OSError: a file cannot be written.
    """
    boards, config, counters = trainer.boards, trainer.config, trainer.counters
    variant = boards.seen[0]
    searches = config.algo == "alphazero"
    about = (
        f"{counters.steps:,} actions and {counters.games:,} games of self-play"
        f"{_MODES[config.knowledge] if searches else ''} in {counters.seconds / 60:.1f} minutes, "
        f"seed {config.seed}, {boards}."
    )
    players: dict[str, TrainConfig | None] = {"The network alone": None}
    if searches:
        solver = " + solver" if solve_below_in_play(config) else ""
        players[f"With {num_simulations} simulations{solver}"] = config
    matches = {
        player: trainer.measure(
            final_opponents(variant),
            games,
            seed=config.seed,
            progress=True,
            search=search,
            num_simulations=num_simulations,
        )
        for player, search in players.items()
    }
    grades = {
        player: _grade(
            NetworkPolicy(trainer.network)
            if search is None
            else search_policy(trainer.network, config, num_simulations, config.seed),
            variant,
        )
        for player, search in players.items()
    }
    title, rows = _strength(variant, matches, grades)
    facts = dataclasses.asdict(counters) | {"config": dataclasses.asdict(config)}
    totals = {
        player: None if graded is None else dataclasses.asdict(graded.total)
        for player, graded in grades.items()
    }
    write_whole(folder.report_json, report_json(matches, totals, facts).encode())
    write_whole(folder.report_text, report_markdown(matches, rows, about).encode())
    print(about)
    for player, played in matches.items():
        print()
        print_report(player, played)
    print()
    print_table(rows, title)
    print(f"\nLearning curve: {folder.curve}")
    _print_next_steps(folder, variant, f":{num_simulations}" if searches else "")


def _grade(policy: NetworkPolicy, variant: Variant) -> GradeReport | None:
    """Return the grade of a player; None where nothing can be solved or chosen."""
    if not Position(variant).is_solvable:
        return None
    positions = None if variant == Variant() else _POSITIONS
    try:
        with torch_threads(1):
            return grade(policy, positions, variant=variant, progress=True)
    except ValueError:  # no turn of this game has two legal actions
        return None


def _strength(
    variant: Variant,
    matches: Mapping[str, Sequence[MatchReport]],
    grades: Mapping[str, GradeReport | None],
) -> tuple[str, list[list[str]]]:
    """Return a title, and rows with the grade and the rating of each player."""
    graded = next((one for one in grades.values() if one is not None), None)
    benchmark = "" if graded is None else graded.benchmark or f"{graded.total.positions} positions"
    title = f"Compared with exact play on {benchmark}" if benchmark else "No exact play here"
    rows = [["", "optimal", "outcome kept", "rating", "better than"]]
    for player, played in matches.items():
        one = grades[player]
        total = None if one is None else one.total
        # The ratings of the built-in players are those on the standard board.
        rating = rating_of(played) if variant == Variant() else None
        rows.append(
            [
                player,
                "-" if total is None else f"{total.optimal:.1%}",
                "-" if total is None or not total.decisive else f"{total.kept:.1%}",
                "-" if rating is None else f"{rating[0]:+.0f} ± {rating[1]:.0f}",
                "-" if rating is None else strongest_below(rating[0]) or "-",
            ]
        )
    return title, rows


def _print_next_steps(folder: RunFolder, variant: Variant, search: str) -> None:
    """Print commands to paste."""
    options: list[str] = []
    standard = Variant()
    if variant.board != standard.board:
        options += ["--board", "/".join(str(variant.board).splitlines())]
    if variant.opening != standard.opening:
        options += ["--opening", variant.opening]
    if variant.copies != standard.copies:
        options += ["--copies", str(variant.copies)]
    player = f"{os.fspath(folder.path)}{search}"
    steps: list[list[Any]] = [["play", "--browser", "--light", player]]
    if variant.board.num_cells <= EXACT_CELLS:
        count = [] if variant == standard else ["--positions", str(_POSITIONS)]
        steps += [["grade", player, *count], ["best-response", os.fspath(folder.path)]]
    print("\nWhat next:")
    for step in steps:
        print(f"  mijnlieff {shlex.join(step + options)}")
