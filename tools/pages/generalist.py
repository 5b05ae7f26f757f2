"""The tables and the plot of docs/generalist.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from mijnlieff._util.output import markdown_table
from mijnlieff.train.report.plot import draw_grades
from tools.pages.numbers import percent
from tools.pages.plots import svg_text
from tools.results import read_results

__all__ = ["files"]

COLUMNS = 6


def share(one: dict[str, Any], name: str) -> str:
    """Return a share as text, with its interval if there is one."""
    return percent(one[name], None if one["low"] is None else [one["low"], one["high"]])


def grades(report: dict[str, Any], group: str) -> str:
    """Return the grades of all players on a group of boards."""
    rows = []
    for player, by_group in report["grades"].items():
        one = by_group[group]
        kept = "-" if one["kept"] is None else percent(one["kept"])
        rows.append([player, share(one, "optimal"), kept, f"{one['regret']:.3f}"])
    return markdown_table(["player", "optimal", "outcome kept", "regret"], rows)


def matches(report: dict[str, Any]) -> str:
    """Return the scores of the network alone."""
    groups = report["scores"]
    rows = [
        [name, *(share(groups[group][name], "score") for group in groups)]
        for name in next(iter(groups.values()))
    ]
    return markdown_table(["opponent", *(f"{group} boards" for group in groups)], rows)


def boards(report: dict[str, Any]) -> str:
    """Return the boards held out, with the grades of the network alone."""
    held_out = report["boards"]["unseen"]
    network = next(iter(report["grades by board"].values()))[len(report["boards"]["seen"]) :]
    lines = ["```text"]
    for start in range(0, len(held_out), COLUMNS):
        drawn = [text.splitlines() for text in held_out[start : start + COLUMNS]]
        shares = [percent(one["optimal"]) for one in network[start : start + COLUMNS]]
        height = max(map(len, drawn))
        for line in range(height):
            # Boards stand on a common line.
            rows = [
                board[line - (height - len(board))] if line >= height - len(board) else ""
                for board in drawn
            ]
            lines.append("   ".join(f"{row.replace('.', ' '):<8}" for row in rows).rstrip())
        lines += ["   ".join(f"{share:<8}" for share in shares).rstrip(), ""]
    return "\n".join([*lines, "```", ""])


def draw(report: dict[str, Any], name: str) -> str:
    """Return the learning curve as SVG, beside the grades of minimax."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    curve = report["curve"]
    draw_grades(axes, [point["seconds"] / 60 for point in curve], curve)
    for player, style in (("minimax:2", ":"), ("minimax:4", "--")):
        by_group = report["grades"][player]
        group = "unseen" if "unseen" in by_group else "seen"
        level = 100 * by_group[group]["optimal"]
        axes.axhline(level, color="0.4", lw=1, ls=style, label=f"{player}, {group}: {level:.1f} %")
    axes.set(xlabel="minutes")
    axes.legend(loc="lower right")
    return svg_text(figure, name)


def files(docs: Path) -> dict[str, str]:
    """Return the tables and the plot by their paths in ``docs``."""
    report = read_results(docs / "results" / "generalist" / "report.json")
    made = {
        "results/generalist/matches.md": matches(report),
        "results/generalist/held_out.md": boards(report),
        "generalist.svg": draw(report, "generalist.svg"),
    }
    for group in next(iter(report["grades"].values())):
        made[f"results/generalist/{group}.md"] = grades(report, group)
    return made
