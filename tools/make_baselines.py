"""Write docs/baselines.md: how well every baseline of the package plays, and what it costs.

``make baselines`` runs it. What was measured is kept in ``docs/results/baselines`` and is not
repeated, nor is training that is finished (in ``runs/baselines``, and in ``runs/report`` the runs
of docs/training.md). So it can be stopped and continued, and made part by part by ``--minutes``,
``--seeds`` and ``--players``. Only what was measured is shown, and the page says what was not.
"""

from __future__ import annotations

import argparse
import statistics
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from baseline_measures import BENCHMARK, Measure, measure, worst_case
from baseline_players import Baseline, baselines
from baseline_plots import Row, by_name, draw_curves, draw_grades
from baseline_ratings import rating_against, tournament_ratings
from kept_results import read_results, write_results
from make_training import percent, table
from report_runs import RUNS

from mijnlieff import MissingExtraError

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "baselines.md"
RESULTS = DOCS / "results" / "baselines"
PLOTS = {"grades": DOCS / "baselines_grades.svg", "curves": DOCS / "baselines_curves.svg"}


def spread(values: list[float], shown: str, unit: str = "") -> str:
    """Return the mean of some seeds, with the least and the largest value if they differ."""
    mean = format(statistics.fmean(values), shown)
    low, high = format(min(values), shown), format(max(values), shown)
    return f"{mean}{unit}" + (f" ({low} to {high})" if low != high else "")


def grades(rows: list[Row]) -> Iterator[str]:
    """Yield the table of grades: intervals of the positions, or the range over the seeds."""
    cells = []
    for name, group in by_name(rows).items():
        total = [row["grade"] for row in group]
        shares = []
        for key in ("optimal", "kept"):
            if len(group) == 1:
                shares.append(percent(total[0][key], total[0][f"{key}_interval"]))
            else:
                shares.append(spread([100 * one[key] for one in total], ".1f", " %"))
        regret = spread([one["regret"] for one in total], ".3f")
        cells.append([f"`{name}`", str(len(group)), *shares, regret])
    yield from table(["player", "seeds", "optimal", "outcome kept", "regret, points"], cells)


def worst_cases(rows: list[Row], built_in: Row) -> Iterator[str]:
    """Yield the table of ratings and worst cases, each of one seed of a player."""
    cells = []
    for name, group in by_name(rows).items():
        rating = built_in.get(name) or first_with("rating", group)
        line = [f"`{name}`", "not measured yet"]
        if rating is not None:
            low, high = rating["elo_interval"]
            line[1] = f"{rating['elo']:+.0f} ({low:+.0f} to {high:+.0f})"
        worst = first_with("worst", group)
        if worst is None:
            is_measured = any("worst" in row for row in group)
            cells.append([*line, "-" if is_measured else "not measured yet", "-", "-"])
            continue
        bounded = worst["horizon"] is not None
        leaks = {ply: away for ply, (_, away) in worst["leaks"].items() if away}
        shown = ", ".join(f"{away:,} at {ply}" for ply, away in leaks.items()) or "none"
        if bounded:
            shown += f" (before ply {worst['horizon']})"
        game = f"`{worst['refutations'][0]}`" if worst["refutations"] else "-"
        margin = f"{worst['margin']:+d}" if worst["margin"] else "0"
        cells.append([*line, f"at most {margin}" if bounded else margin, shown, game])
    head = ["player", "rating", "guaranteed as Dark", "leaks by ply", "shortest refutation"]
    yield from table(head, cells)


def first_with(part: str, group: list[Row]) -> Row | None:
    """Return a part of the first seed that has it."""
    found: Row | None = next((row[part] for row in group if row.get(part)), None)
    return found


def costs(rows: list[Row]) -> Iterator[str]:
    """Yield the table of what the trained players cost."""
    cells = []
    for name, group in by_name(rows).items():
        known = [row["facts"] for row in group if row["facts"]]
        if not known:
            continue
        steps = spread([fact["steps"] / 1e6 for fact in known], ".2f")
        minutes = spread([fact["seconds"] / 60 for fact in known], ".1f")
        lines = ", ".join(dict.fromkeys(f"`{fact['command']}`" for fact in known))
        processors = ", ".join(dict.fromkeys(fact["processor"] for fact in known))
        weights = f"{known[0]['weights']:,}"
        cells.append([f"`{name}`", lines, processors, steps, minutes, weights])
    head = ["player", "made by", "processor", "million steps or labels", "minutes", "parameters"]
    yield from table(head, cells, texts=3)
    remarks = [row for row in rows if "remark" in row]
    for row in remarks:
        yield f"* `{row['name']}`, seed {row['seed']}: {row['remark']}"
    if remarks:
        yield ""


def remember(rows: list[Row]) -> Iterator[str]:
    """Yield the paragraph to remember, in the figures of the page."""
    means = {
        name: statistics.fmean(row["grade"]["optimal"] for row in group)
        for name, group in by_name(rows).items()
    }
    searchers = [name for name in means if name.startswith("minimax")]
    if "random" not in means or not searchers:
        return  # the rest of the page is to come
    searcher = max(searchers, key=means.__getitem__)
    best = max(set(means) - {"perfect"}, key=means.__getitem__)
    guarded = [row for row in rows if row.get("worst") and row["worst"]["horizon"] is None]
    unbeaten = sorted({row["name"] for row in guarded if row["worst"]["margin"] > 0} - {"perfect"})
    text = (
        f"**What to remember.** A random player finds an optimal move {percent(means['random'])} "
        f"of the time, a search of {searcher.partition(':')[2]} plies {percent(means[searcher])}, "
        f"and the best baseline here, `{best}`, {percent(means[best])}. "
    )
    if unbeaten:
        names = " and ".join(f"`{name}`" for name in unbeaten)
        text += (
            f"Of those whose every game was followed, only {names} and `perfect` never give away "
            "the win that Dark has from the empty board."
        )
    else:
        text += (
            "Yet none of them is guaranteed the win that Dark has from the empty board: there is "
            "room at the top, and it can be measured exactly."
        )
    losses = [-row["worst"]["margin"] for row in guarded if row["facts"]]
    if losses and min(losses) > 0:
        text += (
            " Among them, every trained network that plays without a search can be made to lose, "
            f"by {min(losses)} to {max(losses)} points."
        )
    yield from textwrap.wrap(text, 95)
    yield ""


def page(rows: list[Row], ratings: Row, missing: list[Baseline]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Baselines"
    yield ""
    yield "Written by `tools/make_baselines.py` (`make baselines`). Every player is graded on the"
    yield f"same positions, [`{BENCHMARK}`](benchmark.md), so your agent's grade can be put beside"
    yield "these: `mijnlieff grade my_agent.pt --positions standard-v1`. All figures are in"
    yield "`docs/results/baselines`, as JSON."
    yield ""
    yield from remember(rows)
    if missing:
        lacking: dict[str, list[str]] = {}
        for one in missing:
            seeds = lacking.setdefault(one.name, [])
            if one.seed is not None:
                seeds.append(str(one.seed))
        names = ", ".join(
            f"`{name}`" + (f" (seed {' and '.join(seeds)})" if seeds else "")
            for name, seeds in lacking.items()
        )
        text = f"Not measured yet: {names}. `make baselines` continues with them."
        yield from (*textwrap.wrap(text, 95, break_on_hyphens=False), "")
    yield "![Shares of optimal moves of all players](baselines_grades.svg)"
    yield ""
    yield "## Grades"
    yield ""
    yield "*Optimal* is the share of positions in which the action keeps the exact margin, *outcome"
    yield "kept* the share of decisive positions in which it keeps the outcome. Brackets hold 95 %"
    yield "intervals where a player was measured once, and the least and the largest value where"
    yield "there are several seeds. `labels` is behaviour cloning: the network of `alphazero"
    yield "exact`, fitted for five minutes to the best moves of 300,000 solved positions, none of"
    yield "them in the benchmark. `alphazero exact` learns from solved positions too and"
    yield "`alphazero pure` is given the rules alone, see [training results](training.md)."
    yield "Networks play their most likely action; *sims* are simulations of a tree search, which"
    yield "solves positions with at most nine empty cells, but none in `alphazero pure`."
    yield ""
    yield from grades(rows)
    yield "## Ratings and worst cases"
    yield ""
    yield "Ratings are Elo points with 95 % intervals. A tournament rates the built-in players."
    yield f"Any other player plays {ratings['games']} games against each of them, while their"
    yield "ratings are held fixed. The rest is [`best_response`](best_response.md): the margin"
    yield "that a player is guaranteed as Dark from the empty board, where perfect play wins by"
    yield "one point, and its leaks: positions in which it gives the win away. Players that draw"
    yield "among several moves are followed in all their draws, but only up to a ply; after it"
    yield "they are assumed to play perfectly. So are searches that solve nothing, because each"
    yield "of their moves takes long. Players that draw without known probabilities have no worst"
    yield "case. Where there are several seeds, one of them was rated and followed. `perfect`"
    yield "draws among its best moves and sets no traps, so others can win more often against"
    yield "weak players."
    yield ""
    if "remark" in ratings:
        yield from (ratings["remark"], "")
    yield from worst_cases(rows, ratings["ratings"])
    yield "## Costs"
    yield ""
    yield "AlphaZero is trained as for [training results](training.md), with self-play and"
    yield "learning on a core each; where the seeds had different settings, there are several"
    yield "commands. The others had one core; the minutes of `labels` and `sb3 MaskablePPO` are"
    yield "processor time."
    yield ""
    yield from costs(rows)
    if any(row["curve"] for row in rows):
        yield "## Learning curves"
        yield ""
        yield "The grade of the network alone, over minutes and over steps. How many steps a minute"
        yield "has depends on the processor (see [Costs](#costs)); what a step teaches does not."
        yield ""
        yield "![Grades over minutes and steps of training](baselines_curves.svg)"
        yield ""


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


def rate_built_in(players: list[Baseline], file: Path, games: int) -> Row:
    """Return the ratings of the players of the package, kept in a file."""
    if not file.exists():
        made = {one.name: one.make(file.parent) for one in players}
        write_results(file, {"games": games, "ratings": tournament_ratings(made, games)})
    return read_results(file)


def main() -> None:
    """Make and measure the players, and write the page."""
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
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--only-page", action="store_true", help="make no player")
    output.add_argument("--no-page", action="store_true", help="make and measure players only")
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
    ratings = read_results(RESULTS / "ratings.json") or {"games": args.games, "ratings": {}}
    if not args.only_page:
        ratings = rate_built_in(built_in, RESULTS / "ratings.json", args.games)
        anchors = {
            one.name: (one.make(args.runs), ratings["ratings"][one.name]["elo"]) for one in built_in
        }
        parts: dict[str, Measure] = {
            "rating": lambda player: rating_against(player, anchors, ratings["games"])
        }
        if not args.no_worst:
            parts["worst"] = worst_case
        measure_all(wanted, RESULTS, args.runs, parts)
    found = [read_results(RESULTS / one.results) for one in players]
    rows = [content for content in found if content]
    if not rows:
        parser.error(f"there are no measured players in {RESULTS}")
    if args.no_page:
        return
    missing = [one for one, content in zip(players, found, strict=True) if not content]
    draw_grades(rows, PLOTS["grades"])
    draw_curves(rows, PLOTS["curves"])
    text = "\n".join(page(rows, ratings, missing)).rstrip() + "\n"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
