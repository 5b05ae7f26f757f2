"""Measure how well every baseline of the package plays, and what it costs.

What was measured is kept in ``docs/results/baselines`` and is not repeated, nor is training that is
finished (in ``runs/baselines``, and in ``runs/report`` the runs of `tools.measure.training`). So it
can be stopped and continued, and made part by part by ``--minutes``, ``--seeds`` and ``--players``.
`tools.pages` makes the tables and plots.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mijnlieff import MissingExtraError
from tools.measure.baseline_measures import Measure, measure, worst_case
from tools.measure.baseline_players import Baseline, baselines
from tools.measure.baseline_ratings import rating_against, tournament_ratings
from tools.measure.runs import RUNS
from tools.results import RESULTS, read_results, write_results


def measure_all(
    wanted: list[Baseline], results: Path, runs: Path, parts: Mapping[str, Measure]
) -> None:
    """Make and measure players, except those that need what is not installed.

    Args:
        wanted: the players.
        results: the folder of their measures.
        runs: the folder of their own files.
        parts: what is measured of one seed of each player, of one that has been trained on this
            machine if there is one. The ratings of built-in players are kept apart.
    """
    seeds: dict[str, list[Baseline]] = {}
    for baseline in wanted:
        seeds.setdefault(baseline.name, []).append(baseline)
    for group in seeds.values():
        known = {name for one in group for name in read_results(results / one.results)}
        all_parts = dict(parts)
        if group[0].is_built_in:
            all_parts.pop("rating", None)
        lacking = {name: part for name, part in all_parts.items() if name not in known}
        chosen = next((one for one in group if one.is_made(runs / one.folder)), None)
        if lacking and chosen is None:
            chosen, lacking = group[0], all_parts  # it is made once more, so all are its own
        for one in group:
            print(one.folder, flush=True)
            more = lacking if one is chosen else {}
            try:
                measure(one, results / one.results, runs / one.folder, more)
            except MissingExtraError as error:
                print(f"{one.folder}: {error}")


def rate_built_in(players: list[Baseline], file: Path, games: int) -> dict[str, Any]:
    """Return the ratings of the players of the package, kept in a file."""
    if not file.exists():
        made = {one.name: one.make(file.parent) for one in players}
        write_results(file, {"games": games, "ratings": tournament_ratings(made, games)})
    return read_results(file)


def main() -> None:
    """Make and measure the players."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, nargs="+", default=[1, 10, 60])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument(
        "--players", nargs="+", help="measure these alone: names, up to a comma, as in the tables"
    )
    parser.add_argument("--runs", type=Path, default=Path("runs/baselines"))
    parser.add_argument("--trained", type=Path, default=RUNS, help="the folder of training runs")
    parser.add_argument("--games", type=int, default=100, help="games of each match")
    parser.add_argument("--final-games", type=int, default=2000, help="at the end of training")
    parser.add_argument("--results", type=Path, default=RESULTS / "baselines")
    parser.add_argument("--no-worst", action="store_true", help="leave the worst cases for later")
    args = parser.parse_args()
    players = list(baselines(args.minutes, args.seeds, args.trained, args.final_games))
    wanted = players
    if args.players is not None:
        known = dict.fromkeys(one.name.partition(",")[0] for one in players)
        if unknown := set(args.players) - set(known):
            parser.error(f"unknown players {sorted(unknown)}; choose from {', '.join(known)}")
        wanted = [one for one in players if one.name.partition(",")[0] in args.players]
    built_in = [one for one in players if one.is_built_in]
    ratings = rate_built_in(built_in, args.results / "ratings.json", args.games)
    anchors = {
        one.name: (one.make(args.runs), ratings["ratings"][one.name]["elo"]) for one in built_in
    }
    parts: dict[str, Measure] = {
        "rating": lambda player: rating_against(player, anchors, ratings["games"])
    }
    if not args.no_worst:
        parts["worst"] = worst_case
    measure_all(wanted, args.results, args.runs, parts)


if __name__ == "__main__":
    main()
