"""Write docs/training.md: the results of training for 10 and 60 minutes, with several seeds.

``make train-report`` runs it. Finished runs (in ``runs/report``) are not repeated, so it can be
stopped and continued. The page shows all finished runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from training_measures import PLAYERS, SIMULATIONS, measures

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "training.md"
PLOT = DOCS / "training.svg"
OPPONENTS = ("random", "greedy", "minimax:2", "minimax:4", "perfect")
WAYS = {
    "alone": "network alone",
    "plain search": f"{SIMULATIONS} simulations, none solved",
    "search": f"{SIMULATIONS} simulations",
}
COLOURS = ("#0072B2", "#E69F00", "#009E73")

Run = tuple[int, int, dict[str, Any]]


def command(minutes: int, seed: int) -> list[str]:
    """Return the command line of a run, without its folder."""
    return ["train", "--minutes", str(minutes), "--seed", str(seed)]


def make(minutes: int, seed: int, folder: Path) -> None:
    """Train, or resume training, unless the run is finished."""
    if (folder / "report.json").exists():
        return
    begun = ["--resume"] if (folder / "checkpoint.pt").exists() else []
    line = [*command(minutes, seed), *begun, "--final-games", "2000", "--out", str(folder)]
    subprocess.run([sys.executable, "-m", "mijnlieff", *line], check=True)


def percent(share: float, interval: list[float] | None = None) -> str:
    """Return a share as text, with its interval if given."""
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


def matches(runs: list[Run]) -> Iterator[str]:
    """Yield the scores against the built-in policies."""
    rows = []
    for _, seed, run in runs:
        for way, reports in zip((WAYS["alone"], WAYS["search"]), run["matches"], strict=True):
            by_name = {report["opponent"]: report for report in reports}
            shown = [by_name[name] for name in OPPONENTS]
            cells = [percent(one["score"], one["score_interval"]) for one in shown]
            rows.append([str(seed), way, *cells])
    yield from table(["seed", "player", *OPPONENTS], rows)


def against_perfect_play(runs: list[Run]) -> Iterator[str]:
    """Yield the grades, and the results of Dark's games from the empty board."""
    rows = []
    for _, seed, run in runs:
        for name in PLAYERS:
            total, own = run["grades"][name]["total"], run["grades"][name]["own games"]
            dark = run["dark"][name]
            games = dark["wins"] + dark["draws"] + dark["losses"]
            rows.append(
                [
                    str(seed),
                    WAYS[name],
                    percent(total["optimal"], total["optimal_interval"]),
                    percent(total["kept"], total["kept_interval"]),
                    percent(own["optimal"], own["optimal_interval"]),
                    percent(own["kept"], own["kept_interval"]),
                    f"{total['regret']:.3f}",
                    f"{percent(dark['wins'] / games)} / {percent(dark['draws'] / games)}",
                ]
            )
    head = ["seed", "player", "optimal", "outcome kept", "optimal, own games"]
    head += ["outcome kept, own games", "regret, points", "as Dark: wins / draws"]
    yield from table(head, rows)


def by_ply(run: dict[str, Any]) -> Iterator[str]:
    """Yield the grades of a run by ply."""
    rows = []
    for ply in map(str, range(1, 14)):
        if not all(ply in run["grades"][name]["by_ply"] for name in PLAYERS):
            continue  # there are few distinct positions this early
        shown = [run["grades"][name]["by_ply"][ply] for name in PLAYERS]
        cells = [percent(row[key]) for row in shown for key in ("optimal", "kept")]
        rows.append([ply, *cells])
    head = ["ply"] + [f"{WAYS[name]}: {what}" for name in PLAYERS for what in ("optimal", "kept")]
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
    """Yield the speed of the runs, and the time of self-play and learning in a round."""
    rows = []
    for _, seed, run in runs:
        work, counters = run["work"], run["run"]
        cells = [str(seed), f"{counters['games']:,}", f"{counters['steps']:,}"]
        cells.append(f"{work['games_per_second']:.0f}")
        if "play_seconds" in work:
            cells.append(f"{work['simulations_per_second']:,.0f}")
            cells += [f"{work[name]:.2f} s" for name in ("play_seconds", "learn_seconds")]
        rows.append(cells + ["-"] * (7 - len(cells)))
    head = ["seed", "games", "actions", "games/s", "simulations/s", "self-play a round"]
    yield from table([*head, "learning a round"], rows, texts=1)


def page(runs: list[Run], positions: int, games: int, about: str) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Training results"
    yield ""
    yield "Written by `tools/make_training.py` (`make train-report`). Training starts from"
    yield "random weights and uses only self-play; self-play and learning have one thread each,"
    yield f"on {os.cpu_count()} cores. Intervals are 95 % intervals. Matches have 2,000 games,"
    yield f"both seats of each random opening. Grades have {positions:,} distinct positions,"
    yield "a third each from random play, from minimax of depth 2 and from the player's own games;"
    yield "*outcome kept* is a share of the positions whose actions differ in outcome. Searches"
    yield "solve positions with at most 9 empty cells exactly, in training and play, except where"
    yield f"the table says *none solved*. *As Dark* are {games} games from the empty board"
    yield "against perfect play, which Dark should win."
    yield ""
    if about:
        yield from (about, "")
    yield "![Scores of the network alone over the minutes of training](training.svg)"
    yield ""
    for minutes in sorted({minutes for minutes, _, _ in runs}):
        those = [run for run in runs if run[0] == minutes]
        yield f"## {minutes} minutes"
        yield ""
        yield f"`mijnlieff {' '.join(command(minutes, 0))}`, and other seeds."
        yield ""
        yield from matches(those)
        yield from against_perfect_play(those)
        yield from speed(those)
        yield f"The run with seed {those[0][1]}, by ply:"
        yield ""
        yield from by_ply(those[0][2])
        yield from mistakes(those[0][2])


def draw(runs: list[Run]) -> None:
    """Draw the learning curves of all runs."""
    lengths = sorted({minutes for minutes, _, _ in runs})
    figure = Figure(figsize=(5 * len(lengths), 4), layout="constrained")
    panels = figure.subplots(1, len(lengths), squeeze=False, sharey=True)[0]
    for axes, length in zip(panels, lengths, strict=True):
        for minutes, _, run in runs:
            if minutes != length:
                continue
            times = [point["seconds"] / 60 for point in run["curve"]]
            for name, colour in zip(OPPONENTS, COLOURS, strict=False):
                scores = [100 * point["scores"][name]["score"] for point in run["curve"]]
                axes.plot(times, scores, color=colour, lw=1.2, alpha=0.8)
        for name, colour in zip(OPPONENTS, COLOURS, strict=False):
            axes.plot([], [], color=colour, label=f"against {name}")
        axes.set(title=f"{length} minutes", xlabel="minutes", ylim=(75, 101))
        axes.grid(alpha=0.3)
    panels[0].set(ylabel="score of the network alone, %")
    panels[0].legend(loc="lower right")
    # Without a date, and with fixed names, the same runs give the same file.
    figure.savefig(PLOT, metadata={"Date": None})


def main() -> None:
    """Train and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=int, nargs="+", default=[10, 60])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--runs", type=Path, default=Path("runs/report"))
    parser.add_argument("--positions", type=int, default=6000)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument(
        "--only-page", action="store_true", help="do not train, write the page from finished runs"
    )
    parser.add_argument("--about", default="", help="a sentence about the machine, for the page")
    args = parser.parse_args()
    runs: list[Run] = []
    for minutes in args.minutes:
        for seed in args.seeds:
            folder = args.runs / f"{minutes}-minutes-seed-{seed}"
            if not args.only_page:
                make(minutes, seed, folder)
            if (folder / "report.json").exists():
                runs.append((minutes, seed, measures(folder, args.positions, args.games)))
    if not runs:
        parser.error(f"there are no finished runs in {args.runs}")
    draw(runs)
    text = "\n".join(page(runs, args.positions, args.games, args.about)).rstrip() + "\n"
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
