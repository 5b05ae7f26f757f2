"""Train one network on many boards, and write its results into docs/generalist.md.

``make generalist`` runs it. A finished run (in ``runs/generalist``) is not repeated, and one that
was stopped is continued.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from svg_plot import save_svg

from mijnlieff.train.report.grades_plot import draw_grade_lines

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "generalist.md"
PLOT = DOCS / "generalist.svg"
BEGIN = "<!-- Results: written by tools/make_generalist.py -->\n"
END = "<!-- End of the results -->\n"
OPTIONS = "--boards arrangements:4 --holdout 0.2"
GRADED = 4800
FINAL_GAMES = 1200


def command(minutes: float) -> list[str]:
    """Return the command line of the run, without its folder."""
    return ["train", *OPTIONS.split(), "--minutes", f"{minutes:g}"]


def make(minutes: float, folder: Path) -> None:
    """Train, or resume training, unless the run is finished."""
    if (folder / "report.json").exists():
        return
    if (folder / "checkpoint.pt").exists():
        line = ["train", "--resume"]
    else:
        line = [*command(minutes), "--graded-positions", str(GRADED)]
    line += ["--final-games", str(FINAL_GAMES), "--out", str(folder)]
    subprocess.run([sys.executable, "-m", "mijnlieff", *line], check=True)


def table(head: list[str], rows: list[list[str]], texts: int) -> Iterator[str]:
    """Yield the lines of an aligned Markdown table, some columns of text and then numbers."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * width for width in widths[:texts]]
    rule += ["-" * (width - 1) + ":" for width in widths[texts:]]
    for row in (head, rule, *rows):
        cells = [
            f"{cell:>{width}}" if column >= texts else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "| " + " | ".join(cells) + " |"
    yield ""


def percent(one: dict[str, Any], name: str) -> str:
    """Return a share as text, with its interval if there is one."""
    text = f"{100 * one[name]:.1f} %"
    if one["low"] is None:
        return text
    return f"{text} ({100 * one['low']:.1f} to {100 * one['high']:.1f})"


def grades(report: dict[str, Any]) -> Iterator[str]:
    """Yield the grades of all players."""
    for group in next(iter(report["grades"].values())):
        rows = []
        for player, by_group in report["grades"].items():
            one = by_group[group]
            kept = "-" if one["kept"] is None else f"{100 * one['kept']:.1f} %"
            rows.append([player, percent(one, "optimal"), kept, f"{one['regret']:.3f}"])
        yield f"{one['boards']} {group} boards, {one['positions']:,} positions:"
        yield ""
        yield from table(["player", "optimal", "outcome kept", "regret"], rows, texts=1)


def matches(report: dict[str, Any]) -> Iterator[str]:
    """Yield the scores of the network alone."""
    groups = report["scores"]
    rows = [
        [name, *(percent(groups[group][name], "score") for group in groups)]
        for name in next(iter(groups.values()))
    ]
    yield "The score of the network alone in matches:"
    yield ""
    yield from table(["opponent", *(f"{group} boards" for group in groups)], rows, texts=1)


def boards(report: dict[str, Any]) -> Iterator[str]:
    """Yield the boards held out, with the grades of the network alone."""
    held_out = report["boards"]["unseen"]
    network = next(iter(report["grades by board"].values()))[len(report["boards"]["seen"]) :]
    yield "The boards held out, and the share of optimal actions of the network alone on each:"
    yield ""
    yield "```text"
    for start in range(0, len(held_out), 6):
        drawn = [text.splitlines() for text in held_out[start : start + 6]]
        shares = [f"{100 * one['optimal']:.1f} %" for one in network[start : start + 6]]
        height = max(map(len, drawn))
        for line in range(height):
            # Boards stand on a common line.
            rows = [
                board[line - (height - len(board))] if line >= height - len(board) else ""
                for board in drawn
            ]
            yield "   ".join(f"{row.replace('.', ' '):<8}" for row in rows).rstrip()
        yield "   ".join(f"{share:<8}" for share in shares).rstrip()
        yield ""
    yield "```"
    yield ""


def results(folder: Path, about: str) -> Iterator[str]:
    """Yield the lines of the results."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    run = report["run"]
    minutes = run["seconds"] / 60
    sentence = (
        f"This run played {run['games']:,} games ({run['steps']:,} actions) in {minutes:.0f} "
    )
    sentence += f"minutes, with seed {run['config']['seed']}. {about}"
    yield from textwrap.wrap(sentence, 118)
    yield ""
    yield "![Optimal actions on seen and unseen boards over the minutes](generalist.svg)"
    yield ""
    yield from grades(report)
    yield from matches(report)
    yield from boards(report)


def draw(folder: Path) -> None:
    """Draw the learning curve, beside the grades of minimax."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    draw_grade_lines(axes, report["curve"])
    for name, style in (("minimax:2", ":"), ("minimax:4", "--")):
        by_group = report["grades"][name]
        group = "unseen" if "unseen" in by_group else "seen"
        level = 100 * by_group[group]["optimal"]
        axes.axhline(level, color="0.4", lw=1, ls=style, label=f"{name}, {group}: {level:.1f} %")
    axes.set(xlabel="minutes")
    axes.legend(loc="lower right")
    save_svg(figure, PLOT)


def main() -> None:
    """Train and write the results into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--run", type=Path, default=Path("runs/generalist"))
    parser.add_argument(
        "--only-page", action="store_true", help="do not train, write the page from a finished run"
    )
    parser.add_argument("--about", default="", help="a sentence about the machine, for the page")
    args = parser.parse_args()
    if not args.only_page:
        make(args.minutes, args.run)
    if not (args.run / "report.json").exists():
        parser.error(f"there is no finished run in {args.run}")
    draw(args.run)
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n".join(results(args.run, args.about)).rstrip() + "\n"
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
