"""The plots of docs/baselines.md."""

from __future__ import annotations

import statistics
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from mijnlieff.evaluation.axes import BLUE, GREEN, ORANGE
from tools.pages.plots import svg_text

COLORS = {"ppo": GREEN, "alphazero exact": BLUE, "alphazero pure": ORANGE}
GRAY = "#6b6b6b"

Row = dict[str, Any]


def by_name(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of each player, one for each seed."""
    players: dict[str, list[Row]] = {}
    for row in rows:
        players.setdefault(row["name"], []).append(row)
    return players


def shown(name: str) -> str:
    """Return a player's name as the page has it: with a remark if its search solves endings."""
    solves = name == "champion:64" or (name.startswith("alphazero exact") and name.endswith("sims"))
    return name + " + solver" * solves


def draw_grades(rows: list[Row], name: str) -> str:
    """Return the grades of all players, with intervals, as SVG for a file of this name."""
    groups = by_name(rows)
    order = sorted(
        groups,
        key=lambda player: statistics.fmean(row["grade"]["optimal"] for row in groups[player]),
    )
    figure = Figure(figsize=(7, 1 + 0.28 * len(order)), layout="constrained")
    axes = figure.subplots()
    for place, player in enumerate(order):
        color = COLORS.get(player.partition(",")[0], GRAY)
        for row in groups[player]:
            share = 100 * row["grade"]["optimal"]
            low, high = (100 * bound for bound in row["grade"]["optimal_interval"])
            axes.plot([low, high], [place, place], color=color, lw=1.5, alpha=0.6)
            axes.plot(share, place, "o", color=color, ms=4)
    axes.set_yticks(range(len(order)), [*map(shown, order)])
    axes.set(xlabel="optimal moves on standard-v1, %", xlim=(35, 101))
    axes.grid(axis="x", alpha=0.3)
    return svg_text(figure, name)


def draw_curves(rows: list[Row], name: str) -> str:
    """Return the learning curves as SVG for a file of this name."""
    learned = [row for row in rows if row["curve"]]
    figure = Figure(figsize=(9, 4), layout="constrained")
    for axes, key, label in zip(
        figure.subplots(1, 2, sharey=True),
        ("minutes", "steps"),
        ("minutes", "steps (actions played)"),
        strict=True,
    ):
        for row in learned:
            color = COLORS[row["name"].partition(",")[0]]
            points = [(one[key], 100 * one["optimal"]) for one in row["curve"] if one["steps"]]
            axes.plot(*zip(*points, strict=True), color=color, lw=1.1, alpha=0.8)
        axes.set(xscale="log", xlabel=label)
        axes.xaxis.set_minor_formatter(NullFormatter())
        if key == "minutes":
            axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(alpha=0.3)
    for kind in dict.fromkeys(row["name"].partition(",")[0] for row in learned):
        axes.plot([], [], color=COLORS[kind], label=kind)
    if learned:
        axes.legend(loc="lower right")
    figure.axes[0].set(ylabel="optimal moves of the network alone, %")
    return svg_text(figure, name)
