"""The results of a training run: matches, grades against perfect play, curves, and speed."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff import GradeReport, PerfectPolicy, Policy, Position, grade, solve, solve_batch
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import policy_from_checkpoint
from tools.measure.processor import processor
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
    report = json.loads((training.folder / "report.json").read_text(encoding="utf-8"))
    log = RunFolder(training.folder).read_log()
    shown = ("opponent", "score", "score_interval")
    return {
        "command": training.asked,
        "processor": processor(),
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
        ValueError: the run is so short that it never learnt.
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
        raise ValueError("no round of the run learnt; train for longer")
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
    opponent = PerfectPolicy(seed=1)
    positions = [Position()] * games
    played: list[list[int]] = [[] for _ in range(games)]
    turned: list[dict[str, Any] | None] = [None] * games
    while running := [i for i, position in enumerate(positions) if not position.is_over]:
        for side, policy in enumerate((opponent, player)):
            turns = [i for i in running if turn_of(positions[i]) == side]
            if not turns:
                continue
            before = [positions[i] for i in turns]
            for i, action in zip(turns, policy.act_batch(before), strict=True):
                positions[i] = positions[i].play(int(action))
                played[i].append(int(action))
            if side == 1:
                for i, position, outcome in lost(turns, before, positions, turned):
                    turned[i] = mistake(position, played[i], outcome)
    margins = np.array([-position.margin for position in positions])
    found = [one for one in turned if one is not None]
    plies, counts = np.unique([one["ply"] for one in found], return_counts=True)
    return {
        "wins": int((margins > 0).sum()),
        "draws": int((margins == 0).sum()),
        "losses": int((margins < 0).sum()),
        "given away at ply": {str(ply): int(n) for ply, n in zip(plies, counts, strict=True)},
        "examples": distinct(found)[:6],
    }


def turn_of(position: Position) -> int | None:
    """Return the side to move, or None if the game is over."""
    return None if position.is_over else position.to_play


def lost(
    turns: list[int],
    before: list[Position],
    positions: list[Position],
    turned: list[dict[str, Any] | None],
) -> Iterator[tuple[int, Position, int]]:
    """Yield the games in which Dark's last action gave away the win."""
    asked = [
        (i, position)
        for i, position in zip(turns, before, strict=True)
        if turned[i] is None and len(position.legal_actions()) > 1
    ]
    if not asked:
        return
    after = solve_batch([positions[i] for i, _ in asked])
    for (i, position), margin in zip(asked, after.margins, strict=True):
        dark = margin if positions[i].to_play == 1 else -margin
        if dark <= 0:
            yield i, position, int(np.sign(dark))


def mistake(position: Position, played: list[int], outcome: int) -> dict[str, Any]:
    """Return a description of an action that gave away a win."""
    variant = position.variant
    best = [variant.action_name(action) for action in solve(position).best_actions]
    return {
        "ply": position.ply,
        "record": " ".join(variant.action_name(action) for action in played[:-1]),
        "played": variant.action_name(played[-1]),
        "best": best,
        "legal": len(position.legal_actions()),
        "then": "draw" if outcome == 0 else "loss",
    }


def distinct(mistakes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one mistake for each ply, number of best actions and action, the hardest first."""
    found = {(one["ply"], len(one["best"]), one["played"]): one for one in mistakes}
    return sorted(found.values(), key=lambda one: (len(one["best"]) / one["legal"], one["ply"]))
