"""What docs/baselines.md says about a player: its grade, its worst case and its learning curve."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from baseline_players import Baseline, curve, facts

from mijnlieff import (
    PerfectPolicy,
    Policy,
    SearchLimitError,
    TournamentReport,
    best_response,
    grade,
    tournament,
)

BENCHMARK = "standard-v1"
#: Where the search for the worst case stops asking, tried in this order; None is the end.
HORIZONS = (None, 5, 3)
_ROW = ("optimal", "optimal_interval", "kept", "kept_interval", "regret", "regret_interval")


def measures(baseline: Baseline, root: Path, *, with_worst: bool) -> dict[str, Any]:
    """Make or train a player and return all measures, cached in ``measures.json`` in its folder.

    Args:
        baseline: the player.
        root: the folder of all players.
        with_worst: also look for its worst case, which can take half an hour.

    Raises:
        MissingExtraError: the player needs a package that is not installed.
    """
    folder = root / baseline.folder
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "measures.json"
    content: dict[str, Any] = {}
    if kept.exists():
        content = json.loads(kept.read_text(encoding="utf-8"))
    if content and ("worst" in content or not with_worst):
        return content
    player = baseline.make(folder)
    if not content:
        content = {
            "name": baseline.name,
            "seed": baseline.seed,
            "grade": _grade(player),
            "facts": facts(baseline, folder),
            "curve": [
                {"minutes": minutes, "steps": steps, **_grade(network)}
                for minutes, steps, network in curve(baseline)
            ],
        }
        kept.write_text(json.dumps(content, indent=1), encoding="utf-8")
    if with_worst:
        content["worst"] = worst_case(player)
        kept.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return content


def _grade(player: Policy) -> dict[str, Any]:
    total = grade(player, positions=BENCHMARK).to_dict()["total"]
    return {name: total[name] for name in _ROW}


def worst_case(player: Policy) -> dict[str, Any] | None:
    """Return what a player is guaranteed as Dark from the empty board; None if nothing is known.

    A player that draws its moves may reach too many positions. From the horizon on it is then
    assumed to play perfectly, so the margin is an upper bound.
    """
    horizons: tuple[int | None, ...] = HORIZONS
    if not (isinstance(player, PerfectPolicy) or getattr(player, "is_deterministic", False)):
        if not hasattr(player, "action_probabilities"):
            return None  # it draws, and does not say with which probabilities
        horizons = HORIZONS[1:]
    for horizon in horizons:
        try:
            report = best_response(player, seat="dark", horizon=horizon, max_refutations=1)
        except SearchLimitError:
            continue
        return {
            "horizon": horizon,
            "margin": report.margin,
            "leaks": {str(ply): counts for ply, counts in report.leaks.items()},
            "refutations": list(report.refutations),
        }
    return None


def rating(players: dict[str, Policy], games: int, file: Path) -> dict[str, Any]:
    """Return the standings of a tournament, cached in a file for these players."""
    asked = {"players": list(players), "games": games}
    if file.exists():
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if content["asked"] == asked:
            return content
    report: TournamentReport = tournament(dict(players), games, progress=True)
    found = {"asked": asked, "standings": report.to_dict()["standings"]}
    file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    content = json.loads(file.read_text(encoding="utf-8"))
    return content
