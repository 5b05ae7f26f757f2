"""The end of a run on one board: matches, strength, and what to do with the agent."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from typing import Any

from mijnlieff._mijnlieff import Position, Variant
from mijnlieff.evaluation import MatchReport
from mijnlieff.evaluation.grade_report import GradeReport
from mijnlieff.evaluation.grading import NoChoiceError, grade
from mijnlieff.evaluation.ladder import rating_of, strongest_below
from mijnlieff.evaluation.match import Conditions, play_all
from mijnlieff.policies import NetworkPolicy
from mijnlieff.policies.load import name_of_path
from mijnlieff.solving import EXACT_CELLS
from mijnlieff.train.config import FINAL_OPPONENTS
from mijnlieff.train.play.policy import players, solve_below_in_play
from mijnlieff.train.process import torch_threads
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.report import write_report
from mijnlieff.train.run.trainer import Trainer

__all__ = ["report_board"]

# With the widest cells a row has 79 characters, so a terminal of 80 columns shows a table.
_HEADINGS = ("opponent", "wins", "draws", "losses", "score", "95% interval", "Elo", "95%")
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
    config, executor = trainer.config, trainer.executor
    variant = trainer.boards.seen[0]
    on_workers = executor is not None
    network, search = players(trainer.network, config, num_simulations, on_workers=on_workers)
    agents = {"The network alone": network}
    searches = config.algo == "alphazero"
    if searches:
        solves = trainer.boards.fewest_empty <= solve_below_in_play(config)
        solver = " + solver" if solves else ""
        agents[f"With {num_simulations} simulations{solver}"] = search
    conditions = Conditions.checked(games, variant, seed=config.seed)
    played_by = [(opponent, conditions) for opponent in _opponents(variant)]
    # The batches of a search are so small that several threads of PyTorch would be slower.
    with torch_threads(1):
        matches = {
            name: play_all(agent, played_by, progress=True, executor=executor)
            for name, agent in agents.items()
        }
        grades = {name: _grade(agent, variant, executor) for name, agent in agents.items()}
    strength, rows = _strength(variant, matches, grades)
    match = next(iter(matches.values()))[0]
    tables = {
        f"{player}, {match.games} games against each": [_HEADINGS, *map(_cells, played)]
        for player, played in matches.items()
    }
    end = (
        f"Every match has {match.games} games. Each random opening of {match.opening_plies} plies "
        "is played twice, with seats exchanged; the agent always plays its best action."
    )
    content = [
        {
            "player": player,
            "matches": [one.to_dict() for one in played],
            "grade": None if (graded := grades[player]) is None else asdict(graded.total),
        }
        for player, played in matches.items()
    ]
    write_report(
        trainer, folder, "Trained agent", {**tables, strength: rows}, end, {"players": content}
    )
    _print_next_steps(folder, variant, f":{num_simulations}" if searches else "")


def _cells(match: MatchReport) -> tuple[str, ...]:
    low, high = match.score_interval
    worse, better = match.elo_interval
    return (
        match.opponent,
        *match.total.cells,
        f"{low:.1%} to {high:.1%}",
        f"{match.elo:+.0f}",
        f"{worse:+.0f} to {better:+.0f}",
    )


def _opponents(variant: Variant) -> tuple[str, ...]:
    """Return the names of the opponents, weakest first.

    Perfect play is among them on the standard variant alone, where the openings are in a book.
    """
    return (*FINAL_OPPONENTS, "perfect") if variant == Variant() else FINAL_OPPONENTS


def _grade(
    policy: NetworkPolicy, variant: Variant, executor: Executor | None
) -> GradeReport | None:
    """Return the grade of a player; None where nothing can be solved or chosen."""
    if not Position(variant).is_solvable:
        return None
    positions = None if variant == Variant() else _POSITIONS
    try:
        return grade(policy, positions, variant=variant, progress=True, executor=executor)
    except NoChoiceError:
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
    path = name_of_path(folder.path)
    player = f"{path}{search}"
    steps: list[list[Any]] = [["play", "--browser", "--light", player]]
    if variant.board.num_cells <= EXACT_CELLS:
        count = [] if variant == standard else ["--positions", str(_POSITIONS)]
        steps += [["grade", player, *count], ["best-response", path]]
    print("\nWhat next:")
    for step in steps:
        print(f"  mijnlieff {shlex.join(step + options)}")
