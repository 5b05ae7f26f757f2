"""The results of a training run: matches, grades against perfect play, curves, and speed."""

from __future__ import annotations

import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff import PerfectPolicy, Policy, Position, grade, review
from mijnlieff.evaluation import GradeReport
from mijnlieff.evaluation.lock_step import play_out
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import policy_from_checkpoint
from tools.measure.runs import Training, snapshots
from tools.players import BENCHMARK, GRADED, PLAYERS

_LOSSES = ("policy_loss", "value_loss", "margin_loss")


def measures(training: Training, positions: int, games: int) -> dict[str, Any]:
    """Return all measures of a finished run for the page.

    Args:
        training: the run.
        positions: positions to grade, for each way to play.
        games: games as Dark from the empty board against perfect play, for each way to play.
    """
    players = {name: player_of(training.folder, name) for name in PLAYERS}
    return {
        "asked": {"positions": positions, "games": games},
        **_of_training(training),
        "grades": {name: grades(grade(players[name], positions, name=name)) for name in GRADED},
        "dark": {name: as_dark(player, games) for name, player in players.items()},
    }


def _of_training(training: Training) -> dict[str, Any]:
    """Return what a run kept of its training and final matches, and its learning curve."""
    report = training.report
    log = RunFolder(training.folder).read_log()
    shown = ("opponent", "score", "score_interval")
    return {
        "command": training.asked,
        "processor": training.machine,
        "played": report["run"]["games"],
        "matches": [
            [{name: match[name] for name in shown} for match in player["matches"]]
            for player in report["players"]
        ],
        "losses": losses(log),
        "curve": curve(training.folder),
        "work": work(log, training.config),
    }


def player_of(checkpoint: Path, name: str) -> Policy:
    """Return the agent of a run in one of its ways to play; the search solves no positions."""
    count = PLAYERS[name]
    return policy_from_checkpoint(checkpoint, count, seed=0, solve_below=0)


def losses(log: list[dict[str, Any]]) -> list[dict[str, float]]:
    """Return the losses of a run as means of up to 100 parts of its rounds."""
    rows = [row for row in log if row["policy_loss"] is not None]
    size = -(-len(rows) // 100)
    return [
        {
            name: statistics.fmean(row[name] for row in rows[start : start + size])
            for name in ("seconds", *_LOSSES)
        }
        for start in range(0, len(rows), size or 1)
    ]


def curve(folder: Path) -> list[dict[str, float]]:
    """Return the share of optimal actions on the benchmark, for each snapshot of a run."""
    points = []
    for snapshot in snapshots(folder):
        seconds = load_checkpoint(snapshot).counters.seconds
        players = {name: player_of(snapshot, name) for name in GRADED}
        shares = {name: grade(it, BENCHMARK).total.optimal for name, it in players.items()}
        points.append({"seconds": seconds} | shares)
    return points


def work(log: list[dict[str, Any]], config: dict[str, Any]) -> dict[str, float]:
    """Return medians over the rounds of a run: rates, and the times of self-play and learning.

    Raises:
        ValueError: the run is so short that it never learned.
    """
    rows = [
        {
            "games a second": new["games_per_second"],
            "evaluations a second": new["evaluations"] / new["play_seconds"],
            "samples a second": old["samples"] * config["reuse"] / new["learn_seconds"],
            "round": (new["games"] - old["games"]) / new["games_per_second"],
            "play": new["play_seconds"],
            "learn": new["learn_seconds"],
            "solved": new["solved"] / new["samples"],
        }
        for old, new in pairwise(log)
        if new["policy_loss"] is not None
    ]
    if not rows:
        raise ValueError("no round of the run learned; train for longer")
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def grades(report: GradeReport) -> dict[str, Any]:
    """Return the rows of a grade that the page shows."""
    content = report.to_dict()
    return {
        "total": content["total"],
        "own games": content["by_source"]["own games"],
        "by_ply": {str(ply): row for ply, row in content["by_ply"].items()},
    }


def as_dark(player: Policy, games: int) -> dict[str, Any]:
    """Play Dark, who wins with perfect play, from the empty board against a perfect Light.

    Returns:
        Wins, draws and losses, the plies at which the win was given away, and some of these games.
    """
    policies = PerfectPolicy(seed=1), player
    positions, played = play_out([Position()] * games, policies, [0] * games)
    margins = np.array([-position.margin for position in positions])
    found = [one for one in map(mistake, played) if one is not None]
    plies, counts = np.unique([one["ply"] for one in found], return_counts=True)
    return {
        "wins": int((margins > 0).sum()),
        "draws": int((margins == 0).sum()),
        "losses": int((margins < 0).sum()),
        "given away at ply": {str(ply): int(n) for ply, n in zip(plies, counts, strict=True)},
        "examples": distinct(found)[:6],
    }


def mistake(actions: list[int]) -> dict[str, Any] | None:
    """Return a description of Dark's first action that gave away the win, or None."""
    moves = review(actions)
    move = next((move for move in moves if move.player == 1 and move.margin <= 0), None)
    if move is None:
        return None
    position = Position.from_actions(actions[: move.ply])
    return {
        "ply": move.ply,
        "record": " ".join(before.name for before in moves[: move.ply]),
        "played": move.name,
        "best": [position.variant.action_name(action) for action in move.best_actions],
        "legal": len(position.legal_actions()),
        "then": "draw" if move.margin == 0 else "loss",
    }


def distinct(mistakes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one mistake for each ply, number of best actions and action, the hardest first."""
    found = {(one["ply"], len(one["best"]), one["played"]): one for one in mistakes}
    return sorted(found.values(), key=lambda one: (len(one["best"]) / one["legal"], one["ply"]))
