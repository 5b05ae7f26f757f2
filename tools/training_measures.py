"""The results of a training run: matches, grades against perfect play, and speed."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff import GradeReport, PerfectPolicy, Policy, Position, grade, solve, solve_batch
from mijnlieff.train import load_policy
from mijnlieff.train.run.policy import network_from_checkpoint, search_policy

SIMULATIONS = 64
PLAYERS = ("alone", "plain search", "search")


def measures(folder: Path, positions: int, games: int) -> dict[str, Any]:
    """Return all measures of a run for the page, cached in ``measures.json`` in its folder.

    Args:
        folder: the folder of a finished run.
        positions: positions to grade, for each way to play.
        games: games as Dark from the empty board against perfect play, for each way to play.
    """
    kept = folder / "measures.json"
    asked = {"positions": positions, "games": games}
    if kept.exists():
        content: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        if content["asked"] == asked:
            return content
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    content = {
        "asked": asked,
        "run": report["run"],
        "matches": [player["matches"] for player in report["players"]],
        "curve": [row for row in log if "scores" in row],
        "work": work(log),
        "grades": {},
        "dark": {},
    }
    for name in PLAYERS:
        player = player_of(folder, name)
        content["grades"][name] = grades(grade(player, positions, name=name))
        content["dark"][name] = as_dark(player, games)
    kept.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return content


def player_of(folder: Path, name: str) -> Policy:
    """Return the agent of a run in one of its ways to play; a plain search solves no positions."""
    if name == "alone":
        return load_policy(folder)
    network, checkpoint = network_from_checkpoint(folder)
    config = checkpoint.config
    if name == "plain search":
        config = dataclasses.replace(config, solve_leaves_below=0)
    return search_policy(network, config, SIMULATIONS)


def work(log: list[dict[str, Any]]) -> dict[str, float]:
    """Return medians over the rounds of a run: games and simulations per second, and times.

    Only runs that search log the time of their games.
    """
    rows = [row for row in log if row["policy_loss"] is not None]
    names = [
        name for name in ("games_per_second", "play_seconds", "learn_seconds") if name in rows[0]
    ]
    found = {name: statistics.median(row[name] for row in rows) for name in names}
    if "play_seconds" in found:
        rates = [row["simulations"] / row["play_seconds"] for row in rows]
        found["simulations_per_second"] = statistics.median(rates)
    return found


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
