"""The final tables of a run on many boards."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mijnlieff.evaluation.board_scores import BoardScore, scores_on
from mijnlieff.evaluation.grade_report import GradeReport
from mijnlieff.evaluation.grading import grade
from mijnlieff.policies import Policy, load_policy
from mijnlieff.train.config import CURVE_OPPONENTS, FINAL_OPPONENTS
from mijnlieff.train.play.policy import players
from mijnlieff.train.process import torch_threads
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.graded import graded_positions, plain_grade
from mijnlieff.train.run.report import write_report
from mijnlieff.train.run.trainer import Trainer

__all__ = ["report_boards"]


def report_boards(trainer: Trainer, folder: RunFolder, games: int, num_simulations: int) -> None:
    """Grade the network beside built-in players, play matches, write and print the tables.

    Args:
        trainer: the run.
        folder: its folder, which gets the tables as Markdown and JSON.
        games: against each opponent on all boards of a group together.
        num_simulations: of the search that plays besides the network alone. It solves nothing, so
            the grade shows what the network is worth.

    Raises:
        OSError: a file cannot be written.
    """
    boards, config, executor = trainer.boards, trainer.config, trainer.executor
    on_workers = executor is not None
    network, search = players(
        trainer.network, config, num_simulations, solve_below=0, on_workers=on_workers
    )
    agents: dict[str, Policy] = {
        "network alone": network,
        f"{num_simulations} simulations, none solved": search,
    } | {name: load_policy(name, seed=config.seed) for name in FINAL_OPPONENTS}
    graded = graded_positions(
        folder.graded, boards, config.graded_positions, config.seed, progress=True
    )
    with torch_threads(1):
        grades = {
            name: grade(
                agent, graded, config.seed, progress=True, name=name, by="board", executor=executor
            )
            for name, agent in agents.items()
        }
    scores = {
        group: scores_on(
            variants,
            network,
            CURVE_OPPONENTS,
            games,
            config.seed,
            progress=True,
            executor=executor,
        )
        for group, variants in (("seen", boards.seen), ("unseen", boards.unseen))
        if variants
    }
    content = {
        "boards": boards.to_dict(),
        "grades": {
            name: {group: plain_grade(row) for group, row in report.by_group.items()}
            for name, report in grades.items()
        },
        "grades by board": {
            name: [
                plain_grade(report.by_board[number]) if number in report.by_board else None
                for number in range(len(boards.all))
            ]
            for name, report in grades.items()
        },
        "scores": {
            group: {name: score.to_dict() for name, score in by_name.items()}
            for group, by_name in scores.items()
        },
        "curve": trainer.curve,
    }
    end = "Each board of a group has the same weight, and intervals are over boards."
    if boards.unseen:
        drawn = "\n\n".join(str(variant.board) for variant in boards.unseen)
        end = f"## Boards held out\n\n```text\n{drawn}\n```\n\n{end}"
    tables = _grade_tables(grades) | _score_tables(scores)
    write_report(trainer, folder, "Trained on many boards", tables, end, content)


def _grade_tables(grades: Mapping[str, GradeReport]) -> dict[str, list[list[str]]]:
    """The cells by title, a table for each group of boards."""
    tables = {}
    for group, first in next(iter(grades.values())).by_group.items():
        rows = [["player", "optimal", "95% interval", "outcome kept", "regret"]]
        for player, report in grades.items():
            row = report.by_group[group]
            low, high = row.optimal_interval
            rows.append(
                [
                    player,
                    f"{row.optimal:.1%}",
                    "-" if math.isnan(low) else f"{low:.1%} to {high:.1%}",
                    f"{row.kept:.1%}" if row.decisive else "-",
                    f"{row.regret:.3f}",
                ]
            )
        positions = f"{first.boards} {group} boards, {first.positions} positions"
        tables[f"Grades by exact play, {positions}"] = rows
    return tables


def _score_tables(scores: Mapping[str, dict[str, BoardScore]]) -> dict[str, list[list[str]]]:
    tables = {}
    for group, by_name in scores.items():
        rows = [["opponent", "games", "score", "95% interval"]]
        for name, one in by_name.items():
            interval = f"{one.low:.1%} to {one.high:.1%}"
            rows.append([name, str(one.games), f"{one.score:.1%}", interval])
        tables[f"Matches of the network alone, {group} boards"] = rows
    return tables
