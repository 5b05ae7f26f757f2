"""What docs/baselines.md says about a player: grade, worst case, learning curve and cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mijnlieff import NetworkPolicy, PerfectPolicy, Policy, SearchLimitError, best_response, grade
from tools.measure.baseline_players import Baseline, curve, facts
from tools.players import BENCHMARK
from tools.results import read_results, write_results

#: Where the search for the worst case stops asking, tried in this order; None is the end.
HORIZONS = (None, 5, 3)
#: The same for searches that solve nothing: all their simulations in a million positions are days.
SEARCH_HORIZON = 7
Measure = Callable[[Policy], dict[str, Any] | None]
_ROW = ("optimal", "optimal_interval", "kept", "kept_interval", "regret", "regret_interval")


def measure(baseline: Baseline, kept: Path, folder: Path, parts: Mapping[str, Measure]) -> None:
    """Make or train a player and save all its measures.

    They are saved after each part. If a part is missing and the trained player was deleted since,
    it is trained again, and everything is measured again.

    Args:
        baseline: the player.
        kept: the file of its measures.
        folder: the folder of the player's own files.
        parts: what is measured beside grade, facts and learning curve.

    Raises:
        MissingExtraError: the player needs a package that is not installed.
    """
    content = read_results(kept)
    if content and parts.keys() <= content.keys():
        return
    if not baseline.is_made(folder):
        content = {}
    folder.mkdir(parents=True, exist_ok=True)
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
        write_results(kept, content)
    for name, part in parts.items():
        if name not in content:
            content[name] = part(player)
            write_results(kept, content)


def _grade(player: Policy) -> dict[str, Any]:
    total = grade(player, positions=BENCHMARK).to_dict()["total"]
    return {name: total[name] for name in _ROW}


def worst_case(player: Policy) -> dict[str, Any] | None:
    """Return what a player is guaranteed as Dark from the empty board; None if nothing is known.

    A player that draws its moves may reach too many positions, and a search may take too long for
    each. From the horizon on they are then assumed to play perfectly, so the margin is an upper
    bound. A search that draws only in endings that it solves is followed in all its draws there.
    """
    horizons: tuple[int | None, ...] = HORIZONS
    if isinstance(player, NetworkPolicy) and player.search is not None:
        if player.exact_endings is None:
            horizons = (SEARCH_HORIZON,)
    elif not (isinstance(player, PerfectPolicy) or getattr(player, "is_deterministic", False)):
        if not hasattr(player, "action_probabilities"):
            return None  # it draws, and does not say with which probabilities
        horizons = HORIZONS[1:]
    for horizon in horizons:
        try:
            report = best_response(
                player, seat="dark", horizon=horizon, max_refutations=1, progress=True
            )
        except SearchLimitError:
            continue
        return {
            "horizon": horizon,
            "margin": report.margin,
            "mistakes": {str(ply): counts for ply, counts in report.mistakes.items()},
            "refutations": list(report.refutations),
        }
    return None
