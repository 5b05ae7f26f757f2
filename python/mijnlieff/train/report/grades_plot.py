"""The learning curve of a run on many boards as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mijnlieff.evaluation.axes import PALETTE

__all__ = ["draw_grade_lines", "grades_figure"]

_COLORS = dict(zip(("seen", "unseen"), PALETTE, strict=False))


def grades_figure(curve: Sequence[dict[str, Any]], log: Sequence[dict[str, Any]]) -> Figure:
    """Grades, scores and losses over the minutes, as a figure not registered with pyplot.

    Args:
        curve: measurements, oldest first: `seconds`, `grades` and `scores`.
        log: rounds, oldest first: `seconds` and the losses.
    """
    figure = Figure(figsize=(9, 9), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    grades, scores, losses = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 2))
    figure.suptitle("One network on many boards")
    draw_grade_lines(grades, curve)
    minutes = [point["seconds"] / 60 for point in curve]
    for name, color in zip(curve[0]["scores"] if curve else (), PALETTE, strict=False):
        percent = [100 * point["scores"][name]["score"] for point in curve]
        scores.plot(minutes, percent, color=color, marker="o", ms=3, label=f"against {name}")
    scores.set(ylabel="score on boards\nheld out, %", ylim=(0, 102))
    for name, color in zip(("policy", "value", "margin"), PALETTE, strict=False):
        rows = [row for row in log if row[f"{name}_loss"] is not None]
        times = [row["seconds"] / 60 for row in rows]
        losses.plot(times, [row[f"{name}_loss"] for row in rows], color=color, lw=1, label=name)
    losses.set(xlabel="minutes", ylabel="loss", ylim=(0, None))
    for axes in (scores, losses):
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(loc="best")
    return figure


def draw_grade_lines(axes: Axes, curve: Sequence[dict[str, Any]]) -> None:
    """Draw the share of optimal actions on seen and unseen boards, with intervals over boards.

    Args:
        axes: where to draw.
        curve: see `grades_figure`.
    """
    minutes = [point["seconds"] / 60 for point in curve]
    for name in curve[0]["grades"] if curve else ():
        grades = [point["grades"][name] for point in curve]
        label = f"{grades[-1]['boards']} {name} boards: {100 * grades[-1]['optimal']:.1f} %"
        optimal = [100 * grade["optimal"] for grade in grades]
        axes.plot(minutes, optimal, color=_COLORS[name], marker="o", ms=3, label=label)
        if all(grade["low"] is not None for grade in grades):
            low, high = ([100 * grade[end] for grade in grades] for end in ("low", "high"))
            axes.fill_between(minutes, low, high, color=_COLORS[name], alpha=0.2, lw=0)
    axes.set(ylabel="optimal actions, %\n(band: 95 % interval over boards)")
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="lower right")
