"""The tables and the plot of docs/training.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mijnlieff._util.output import markdown_table
from tools.pages.numbers import percent, percents
from tools.pages.training_plot import draw
from tools.pages.training_runs import Run, measured
from tools.players import DEVICES, GRADED, MODES, PLACES, PLAYERS, SIMULATIONS, WAYS
from tools.results import read_results

__all__ = ["files"]

OPPONENTS = ("random", "greedy", "minimax:2", "minimax:4", "perfect")


def summary(runs: list[Run]) -> str:
    """Return the means over seeds, a row for each length, mode, device and network."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for run in runs:
        alike = f"{run.minutes:g}", run.kind, run.network
        groups.setdefault(alike, []).append(run.content)
    rows = []
    for alike, seeds in groups.items():
        cells = [[one["grades"][way]["total"]["optimal"] for one in seeds] for way in GRADED]
        alone = [{it["opponent"]: it["score"] for it in one["matches"][0]} for one in seeds]
        cells.append([scores["minimax:4"] for scores in alone])
        rows.append([*alike, str(len(seeds)), *map(percents, cells)])
    head = [
        "minutes",
        "mode",
        "units, blocks",
        "seeds",
        *(f"optimal, {WAYS[way]}" for way in GRADED),
    ]
    head.append(f"{WAYS['alone']} against `minimax:4`")
    return markdown_table(head, rows, num_texts=3)


def made(runs: list[Run]) -> str:
    """Return how the runs were made, as a list."""
    alike: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        by = run.content["command"], run.content["processor"]
        alike.setdefault(by, []).append(str(run.seed))
    lines = [
        f"* seed {', '.join(seeds)}: `{command}`, on {processor}\n"
        for (command, processor), seeds in alike.items()
    ]
    lines += [f"* {run.name}: {run.content['remark']}\n" for run in runs if "remark" in run.content]
    return "".join(lines)


def matches(runs: list[Run]) -> str:
    """Return the scores against the built-in policies."""
    rows = []
    for run in runs:
        solved = f"{SIMULATIONS} simulations" + (", 9 solved" if run.mode == "exact" else "")
        for way, reports in zip((WAYS["alone"], solved), run.content["matches"], strict=True):
            by_name = {report["opponent"]: report for report in reports}
            shown = [by_name[name] for name in OPPONENTS]
            cells = [percent(one["score"], one["score_interval"]) for one in shown]
            rows.append([run.name, way, *cells])
    return markdown_table(["mode, seed", "player", *OPPONENTS], rows, num_texts=2)


def grades(runs: list[Run]) -> str:
    """Return the grades."""
    rows = []
    for run in runs:
        for name in GRADED:
            graded = run.content["grades"][name]
            total, own = graded["total"], graded["own games"]
            rows.append(
                [
                    run.name,
                    WAYS[name],
                    percent(total["optimal"], total["optimal_interval"]),
                    percent(total["kept"], total["kept_interval"]),
                    percent(own["optimal"], own["optimal_interval"]),
                    percent(own["kept"], own["kept_interval"]),
                    f"{total['regret']:.3f}",
                ]
            )
    head = ["mode, seed", "player", "optimal", "outcome kept", "optimal, own games"]
    head += ["outcome kept, own games", "regret, points"]
    return markdown_table(head, rows, num_texts=2)


def as_dark(runs: list[Run]) -> str:
    """Return the results of Dark's games from the empty board."""
    rows = []
    for run in runs:
        cells = []
        for dark in (run.content["dark"][name] for name in PLAYERS):
            games = dark["wins"] + dark["draws"] + dark["losses"]
            cells.append(f"{percent(dark['wins'] / games)} / {percent(dark['draws'] / games)}")
        rows.append([run.name, *cells])
    return markdown_table(["as Dark: wins / draws", *(WAYS[name] for name in PLAYERS)], rows)


def by_ply(run: dict[str, Any]) -> str:
    """Return the grades of a run by ply."""
    rows = []
    for ply in map(str, range(1, 14)):
        if not all(ply in run["grades"][name]["by_ply"] for name in GRADED):
            continue  # there are few distinct positions this early
        shown = [run["grades"][name]["by_ply"][ply] for name in GRADED]
        cells = [percent(row[key]) for row in shown for key in ("optimal", "kept")]
        rows.append([ply, *cells])
    head = ["ply"]
    head += [f"{WAYS[name]}: {what}" for name in GRADED for what in ("optimal", "kept")]
    return markdown_table(head, rows)


def mistakes(run: dict[str, Any]) -> Iterator[str]:
    """Yield lines on games that Dark should have won, of the strongest player with such games."""
    for name in reversed(PLAYERS):
        dark = run["dark"][name]
        if not dark["examples"]:
            yield f"As Dark ({WAYS[name]}) it never gave away the win from the empty board."
            continue
        plies = dark["given away at ply"].items()
        away = ", ".join(f"{n} time{'s' * (n > 1)} at ply {ply}" for ply, n in plies)
        yield f"As Dark ({WAYS[name]}) it gave away the win at these plies: {away}. For example:"
        yield ""
        for one in dark["examples"]:
            best = " ".join(f"`{move}`" for move in one["best"][:4])
            more = " ..." if one["best"][4:] else ""
            yield (
                f"* after `{one['record']}` it played `{one['played']}`, which leads to a "
                f"{one['then']}; best: {len(one['best'])} of {one['legal']} actions, {best}{more}"
            )
        break


def speed(runs: list[Run]) -> str:
    """Return the speed of the runs, and where the time of a round goes."""
    rows = []
    for run in runs:
        work = run.content["work"]
        busy = max(work["play"], work["learn"])
        rows.append(
            [
                run.name,
                f"{run.content['played']:,}",
                f"{work['games a second']:,.0f}",
                f"{work['evaluations a second']:,.0f}",
                f"{work['samples a second']:,.0f}",
                f"{100 * work['solved']:.0f} %",
                *(f"{work[name]:.2f} s" for name in ("play", "learn")),
                f"{max(0.0, work['round'] - busy):.2f} s",
            ]
        )
    head = ["mode, seed", "games", "games/s", "evaluations/s", "samples learned/s"]
    head += ["positions solved", "self-play a round", "learning a round", "rest of a round"]
    return markdown_table(head, rows)


def of_length(runs: list[Run]) -> str:
    """Return all tables of the runs of one length, and of the first run in each mode by ply."""
    parts = [made(runs), grades(runs), as_dark(runs), matches(runs), speed(runs)]
    for mode in MODES:
        first = next((run for run in runs if run.mode == mode), None)
        if first is not None:
            parts.append(f"The run with {first.kind} and seed {first.seed}, by ply:\n")
            parts.append(by_ply(first.content))
            parts.append("\n".join(mistakes(first.content)) + "\n")
    return "\n".join(parts)


def devices(results: Path) -> str:
    """Return what devices do in a second beside the processor, a table for each."""
    tables = []
    for file in sorted((results / DEVICES).glob("*.json")):
        content = read_results(file)
        rates: dict[tuple[str, int], dict[str, float]] = {}
        for what, count, place, rate in content["rows"]:
            rates.setdefault((what, count), {})[place] = rate
        rows = [
            [what, f"{count:,}", *(f"{of[it]:,.0f}" if it in of else "" for it in PLACES)]
            for (what, count), of in sorted(rates.items())
        ]
        head = [f"a second, on {content['machine']}", "at once", *PLACES]
        tables.append(markdown_table(head, rows))
    return "\n".join(tables)


def files(docs: Path) -> dict[str, str]:
    """Return the tables and the plot by their paths in ``docs``."""
    results = docs / "results" / "training"
    runs = measured(results)
    made = {"training.svg": draw(runs, "training.svg")}
    if found := devices(results):
        made["results/training/devices.md"] = found
    made["results/training/summary.md"] = summary(runs)
    for minutes in dict.fromkeys(run.minutes for run in runs):
        of_these = [run for run in runs if run.minutes == minutes]
        made[f"results/training/{minutes:g}-minutes.md"] = of_length(of_these)
    return made
