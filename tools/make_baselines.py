"""Write docs/baselines.md: how well every baseline of the package plays, and what it costs.

``make baselines`` runs it. What is finished (in ``runs/baselines``, and in ``runs/report`` the runs
of docs/training.md) is not repeated, so it can be stopped and continued, and made part by part by
``--minutes``, ``--seeds`` and ``--players``. Only what is finished is shown, and the page says what
is not.
"""

from __future__ import annotations

import argparse
import statistics
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from baseline_measures import BENCHMARK, measures, rating
from baseline_players import Baseline, baselines
from make_training import percent, table
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from report_runs import RUNS

from mijnlieff import MissingExtraError, Policy

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "baselines.md"
PLOTS = {"grades": DOCS / "baselines_grades.svg", "curves": DOCS / "baselines_curves.svg"}
COLOURS = {"ppo": "#009E73", "alphazero exact": "#0072B2", "alphazero pure": "#E69F00"}
GREY = "#6b6b6b"

Row = dict[str, Any]


def by_name(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of each player, one for each seed."""
    players: dict[str, list[Row]] = {}
    for row in rows:
        players.setdefault(row["name"], []).append(row)
    return players


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


def worst_cases(rows: list[Row], standings: dict[str, Any]) -> Iterator[str]:
    """Yield the table of ratings and worst cases, of the first seed of each player."""
    ratings = {one["name"]: one for one in standings["standings"]}
    cells = []
    for name, group in by_name(rows).items():
        first = group[0]
        one, worst = ratings[name], first.get("worst")
        low, high = one["elo_interval"]
        line = [f"`{name}`", f"{one['elo']:+.0f} ({low:+.0f} to {high:+.0f})"]
        if worst is None:
            cells.append([*line, "-" if "worst" in first else "not measured yet", "-", "-"])
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
        cells.append([f"`{name}`", lines, steps, minutes, f"{known[0]['weights']:,}"])
    head = ["player", "made by", "million steps or labels", "minutes", "parameters"]
    yield from table(head, cells)


def remember(rows: list[Row]) -> Iterator[str]:
    """Yield the paragraph to remember, in the figures of the page."""
    means = {
        name: statistics.fmean(row["grade"]["optimal"] for row in group)
        for name, group in by_name(rows).items()
    }
    best = max(set(means) - {"perfect"}, key=means.__getitem__)
    searcher = max((name for name in means if name.startswith("minimax")), key=means.__getitem__)
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
            f"Among those whose every game was followed, {names} cannot be made to lose the win "
            "that Dark has from the empty board; all others can."
        )
    else:
        text += (
            "Yet none of them is guaranteed the win that Dark has from the empty board: there is "
            "room at the top, and it can be measured exactly."
        )
    yield from textwrap.wrap(text, 95)
    yield ""


def page(
    rows: list[Row], standings: dict[str, Any], missing: list[Baseline], about: str
) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Baselines"
    yield ""
    yield "Written by `tools/make_baselines.py` (`make baselines`). Every player is graded on the"
    yield f"same positions, [`{BENCHMARK}`](benchmark.md), so your agent's grade can be put beside"
    yield "these: `mijnlieff grade my_agent.pt --positions standard-v1`."
    yield ""
    yield from remember(rows)
    if about:
        yield from (about, "")
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
    yield "exact`, fitted for five minutes to the best moves of 290,000 solved positions, none of"
    yield "them in the benchmark. `alphazero exact` learns from solved positions too and"
    yield "`alphazero pure` is given the rules alone, see [training results](training.md)."
    yield "Networks play their most likely action; *sims* are simulations of a tree search, which"
    yield "solves positions with at most nine empty cells, but none in `alphazero pure`."
    yield ""
    yield from grades(rows)
    yield "## Ratings and worst cases"
    yield ""
    yield "Ratings are Elo points from a tournament of all players below (the first seed of each),"
    yield f"{standings['asked']['games']} games a match, with 95 % intervals. The rest is"
    yield "[`best_response`](best_response.md): the margin that a player is guaranteed as Dark from"
    yield "the empty board, where perfect play wins by one point, and its leaks: positions in which"
    yield "it gives the win away. Players that draw among several moves are followed in all their"
    yield "draws, but only up to a ply; after it they are assumed to play perfectly. Players that"
    yield "draw without known probabilities have no worst case. `perfect` draws among its best"
    yield "moves and sets no traps, so others can win more often against weak players."
    yield ""
    yield from worst_cases(rows, standings)
    yield "## Costs"
    yield ""
    yield "The runs of AlphaZero are those of [training results](training.md), with self-play and"
    yield "learning on a core each; where the seeds had different settings, there are several"
    yield "commands. The others had one core; the minutes of `labels` and `sb3 MaskablePPO` are"
    yield "processor time."
    yield ""
    yield from costs(rows)
    if any(row["curve"] for row in rows):
        yield "## Learning curves"
        yield ""
        yield "The grade of the network alone, over minutes and over steps."
        yield ""
        yield "![Grades over minutes and steps of training](baselines_curves.svg)"
        yield ""


def draw(rows: list[Row]) -> None:
    """Draw the grades of all players, and the learning curves."""
    groups = by_name(rows)
    order = sorted(
        groups, key=lambda name: statistics.fmean(row["grade"]["optimal"] for row in groups[name])
    )
    figure = Figure(figsize=(7, 1 + 0.28 * len(order)), layout="constrained")
    axes = figure.subplots()
    for place, name in enumerate(order):
        colour = COLOURS.get(name.partition(",")[0], GREY)
        for row in groups[name]:
            share = 100 * row["grade"]["optimal"]
            low, high = (100 * bound for bound in row["grade"]["optimal_interval"])
            axes.plot([low, high], [place, place], color=colour, lw=1.5, alpha=0.6)
            axes.plot(share, place, "o", color=colour, ms=4)
    axes.set_yticks(range(len(order)), order)
    axes.set(xlabel="optimal moves, %", xlim=(35, 101))
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(PLOTS["grades"], metadata={"Date": None})
    learnt = [row for row in rows if row["curve"]]
    if not learnt:
        return
    figure = Figure(figsize=(9, 4), layout="constrained")
    for axes, key, label in zip(
        figure.subplots(1, 2, sharey=True),
        ("minutes", "steps"),
        ("minutes", "steps (actions played)"),
        strict=True,
    ):
        for row in learnt:
            colour = COLOURS[row["name"].partition(",")[0]]
            points = [(one[key], 100 * one["optimal"]) for one in row["curve"] if one["steps"]]
            axes.plot(*zip(*points, strict=True), color=colour, lw=1.1, alpha=0.8)
        axes.set(xscale="log", xlabel=label)
        axes.xaxis.set_minor_formatter(NullFormatter())
        if key == "minutes":
            axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(alpha=0.3)
    for name in dict.fromkeys(row["name"].partition(",")[0] for row in learnt):
        axes.plot([], [], color=COLOURS[name], label=name)
    axes.legend(loc="lower right")
    figure.axes[0].set(ylabel="optimal moves of the network alone, %")
    figure.savefig(PLOTS["curves"], metadata={"Date": None})


def measured(
    wanted: list[Baseline], root: Path, *, make: bool, with_worst: bool
) -> tuple[list[Row], dict[str, Policy], list[Baseline]]:
    """Return the measures, the players to rate, and the players that are missing."""
    rows: list[Row] = []
    players: dict[str, Policy] = {}
    missing: list[Baseline] = []
    for baseline in wanted:
        kept = root / baseline.folder / "measures.json"
        try:
            if not (make or kept.exists()):
                raise MissingExtraError("it has not been made")
            print(baseline.folder, flush=True)
            is_first = baseline.name not in players
            row = measures(baseline, root, with_worst=with_worst and is_first)
            if is_first:  # raises too if what plays it is not installed
                players[baseline.name] = baseline.make(root / baseline.folder)
            rows.append(row)
        except MissingExtraError as error:
            print(f"{baseline.folder}: {error}")
            missing.append(baseline)
    return rows, players, missing


def main() -> None:
    """Make and measure the players, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, nargs="+", default=[1, 10, 60])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument(
        "--players", nargs="+", help="in place of all: names, up to a comma, as in the tables"
    )
    parser.add_argument("--runs", type=Path, default=Path("runs/baselines"))
    parser.add_argument("--trained", type=Path, default=RUNS, help="the folder of training runs")
    parser.add_argument("--games", type=int, default=100, help="games of each match")
    parser.add_argument("--final-games", type=int, default=2000, help="at the end of training")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--only-page", action="store_true", help="make no player")
    parts.add_argument("--no-page", action="store_true", help="make and measure players only")
    parser.add_argument("--about", default="", help="a sentence about the machine, for the page")
    parser.add_argument("--no-worst", action="store_true", help="leave the worst cases for later")
    args = parser.parse_args()
    wanted = list(baselines(args.minutes, args.seeds, args.trained, args.final_games))
    if args.players is not None:
        known = dict.fromkeys(one.name.partition(",")[0] for one in wanted)
        if unknown := set(args.players) - set(known):
            parser.error(f"unknown players {sorted(unknown)}; choose from {', '.join(known)}")
        wanted = [one for one in wanted if one.name.partition(",")[0] in args.players]
    make = not args.only_page
    worst = make and not args.no_worst
    rows, players, missing = measured(wanted, args.runs, make=make, with_worst=worst)
    if not rows:
        parser.error(f"there are no measured players in {args.runs}")
    if args.no_page:
        return
    standings = rating(players, args.games, args.runs / "tournament.json")
    draw(rows)
    text = "\n".join(page(rows, standings, missing, args.about)).rstrip() + "\n"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
