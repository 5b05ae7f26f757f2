"""Write docs/training.md: both modes of training, for 10 and 60 minutes, with several seeds.

``make train-report`` runs it. What was measured is kept in ``docs/results/training``, and no run
with a file there is repeated. Unfinished runs (in ``runs/report``) are resumed, so it can be
stopped and continued. The page shows all runs that were measured.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kept_results import read_results, write_results
from report_runs import RUNS, Training
from training_measures import BENCHMARK, GRADED, PLAYERS, SIMULATIONS, measures
from training_plot import draw

DOCS = Path(__file__).parents[1] / "docs"
OPPONENTS = ("random", "greedy", "minimax:2", "minimax:4", "perfect")
MODES = {"exact": "exact labels", "pure": "pure self-play"}
WAYS = {
    name: f"{count} simulations, none solved" if count else "network alone"
    for name, count in PLAYERS.items()
}


@dataclass(frozen=True)
class Run(Training):
    """A run that was measured, its kind one of `MODES`."""

    content: dict[str, Any]

    @property
    def name(self) -> str:
        """The mode and the seed, for the rows of tables."""
        return f"{MODES[self.kind]}, {self.seed}"


def percent(share: float, interval: list[float] | None = None) -> str:
    """Return a share as text, with its interval if given."""
    if math.isnan(share):
        return "-"
    if interval is None:
        return f"{100 * share:.1f} %"
    low, high = (100 * bound for bound in interval)
    return f"{100 * share:.1f} % ({low:.1f} to {high:.1f})"


def table(head: list[str], rows: list[list[str]], texts: int = 2) -> Iterator[str]:
    """Yield the lines of a Markdown table, some columns of text and then numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * texts + " ---: |" * (len(head) - texts)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def training(runs: list[Run]) -> Iterator[str]:
    """Yield how the runs were made."""
    alike: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        made = run.content["command"], run.content["processor"]
        alike.setdefault(made, []).append(str(run.seed))
    for (command, processor), seeds in alike.items():
        yield f"* seed {', '.join(seeds)}: `{command}`, on {processor}"
    for run in runs:
        if "remark" in run.content:
            yield f"* {run.name}: {run.content['remark']}"
    yield ""


def matches(runs: list[Run]) -> Iterator[str]:
    """Yield the scores against the built-in policies."""
    rows = []
    for run in runs:
        solved = f"{SIMULATIONS} simulations" + (", 9 solved" if run.kind == "exact" else "")
        for way, reports in zip((WAYS["alone"], solved), run.content["matches"], strict=True):
            by_name = {report["opponent"]: report for report in reports}
            shown = [by_name[name] for name in OPPONENTS]
            cells = [percent(one["score"], one["score_interval"]) for one in shown]
            rows.append([run.name, way, *cells])
    yield from table(["mode, seed", "player", *OPPONENTS], rows)


def against_perfect_play(runs: list[Run]) -> Iterator[str]:
    """Yield the grades, and the results of Dark's games from the empty board."""
    rows = []
    for run in runs:
        for name in GRADED:
            grades = run.content["grades"][name]
            total, own = grades["total"], grades["own games"]
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
    yield from table(head, rows)
    rows = []
    for run in runs:
        cells = []
        for dark in (run.content["dark"][name] for name in PLAYERS):
            games = dark["wins"] + dark["draws"] + dark["losses"]
            cells.append(f"{percent(dark['wins'] / games)} / {percent(dark['draws'] / games)}")
        rows.append([run.name, *cells])
    yield from table(["as Dark: wins / draws", *(WAYS[name] for name in PLAYERS)], rows, texts=1)


def by_ply(run: dict[str, Any]) -> Iterator[str]:
    """Yield the grades of a run by ply."""
    rows = []
    for ply in map(str, range(1, 14)):
        if not all(ply in run["grades"][name]["by_ply"] for name in GRADED):
            continue  # there are few distinct positions this early
        shown = [run["grades"][name]["by_ply"][ply] for name in GRADED]
        cells = [percent(row[key]) for row in shown for key in ("optimal", "kept")]
        rows.append([ply, *cells])
    head = ["ply"]
    head += [f"{WAYS[name]}: {what}" for name in GRADED for what in ("optimal", "kept")]
    yield from table(head, rows, texts=1)


def mistakes(run: dict[str, Any]) -> Iterator[str]:
    """Yield games that Dark should have won, of the strongest player with such games."""
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
    yield ""


def speed(runs: list[Run]) -> Iterator[str]:
    """Yield the speed of the runs, and where the time of a round goes."""
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
    head = ["mode, seed", "games", "games/s", "evaluations/s", "samples learnt/s"]
    head += ["positions solved", "self-play a round", "learning a round", "rest of a round"]
    yield from table(head, rows, texts=1)


def page(runs: list[Run], missing: list[str], positions: int, games: int) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Training results"
    yield ""
    yield "Written by `tools/make_training.py` (`make train-report`). Training starts from random"
    yield "weights, in two [modes](guides/training_an_agent.md#two-modes), which must not be mixed"
    yield "up: with *exact labels* the solver and the opening book give policy and margin of"
    yield "positions, and *pure self-play* is given the rules alone and solves nothing. In both,"
    yield "self-play and learning have a core each. `--network cells` is the"
    yield "[network](guides/training_an_agent.md#two-networks) with a token for each cell."
    yield ""
    yield f"Grades have {positions:,} distinct positions, a third each from random play, from"
    yield "minimax of depth 2 and from the player's own games; *outcome kept* is a share of the"
    yield f"positions whose actions differ in outcome. *As Dark* are {games} games from the empty"
    yield "board against perfect play, which Dark should win. In these tables no player solves a"
    yield "position: the search has a Gumbel root without noise. In matches, from both seats of"
    yield "each random opening, a search plays as `load_policy` does by default: after training on"
    yield "exact labels it solves positions with at most 9 empty cells."
    yield "Intervals are 95 % intervals. All figures are in `docs/results/training`, as JSON."
    yield ""
    yield "Self-play and learning of a round run at the same time. With exact labels all positions"
    yield "of the standard game are solved, so its games need no evaluations."
    yield ""
    if missing:
        yield f"Not made yet: {', '.join(missing)}. `make train-report` continues with them."
        yield ""
    yield "![Grades and losses over the minutes of training, in both modes](training.svg)"
    yield ""
    for minutes in sorted({run.minutes for run in runs}):
        those = [run for run in runs if run.minutes == minutes]
        yield f"## {minutes:g} minutes"
        yield ""
        modes = [mode for mode in MODES if any(run.kind == mode for run in those)]
        yield from training(those)
        yield from against_perfect_play(those)
        yield from matches(those)
        yield from speed(those)
        for mode in modes:
            first = next(run for run in those if run.kind == mode)
            yield f"The run with {MODES[mode]} and seed {first.seed}, by ply:"
            yield ""
            yield from by_ply(first.content)
            yield from mistakes(first.content)


def main() -> None:
    """Train and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, nargs="+", default=[10, 60])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--modes", choices=MODES, nargs="+", default=list(MODES))
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--positions", type=int, default=6000)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--points", type=int, default=12, help="points of a run on the plot")
    parser.add_argument("--final-games", type=int, default=2000)
    parser.add_argument(
        "--only-page", action="store_true", help="do not train, write the page from what there is"
    )
    parser.add_argument("--docs", type=Path, default=DOCS, help="for page, plot and results")
    args = parser.parse_args()
    asked = {"positions": args.positions, "games": args.games}
    runs: list[Run] = []
    missing: list[str] = []
    for minutes in args.minutes:
        for seed in args.seeds:
            for mode in args.modes:
                training = Training(mode, minutes, seed, args.runs)
                kept = args.docs / "results" / "training" / f"{training.folder.name}.json"
                content = read_results(kept)
                if not (content or args.only_page):
                    training.make(args.points, args.final_games)
                    content = measures(training, **asked)
                    write_results(kept, content)
                if content and content["asked"] != asked:
                    parser.error(f"{kept} has {content['asked']}, not {asked}; remove it first")
                if content:
                    runs.append(Run(mode, minutes, seed, args.runs, content))
                else:
                    missing.append(f"`{training.folder.name}`")
    if not runs:
        parser.error(f"no run was measured yet: {', '.join(missing)}")
    draw(runs, MODES, WAYS, BENCHMARK, args.docs / "training.svg")
    text = "\n".join(page(runs, missing, args.positions, args.games)).rstrip() + "\n"
    (args.docs / "training.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
