"""The learning curve as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mijnlieff._util.files import write_whole
from mijnlieff.evaluation.axes import PALETTE

__all__ = ["curve_figure", "draw_grades", "write_png"]


_COLORS = dict(zip(("seen", "unseen"), PALETTE, strict=False))
"""Of the groups of boards."""


def curve_figure(
    curve: Sequence[dict[str, Any]], log: Sequence[dict[str, Any]], title: str
) -> Figure:
    """Strength and losses over the actions played, as a figure not registered with pyplot.

    Args:
        curve: measurements, oldest first: `steps` and `scores`, which maps opponents to `score`,
            `low` and `high`; on many boards also `grades`, see `TrainState`.
        log: rounds, oldest first: `steps`, `policy_loss`, `value_loss`, `margin_loss`, `entropy`.
        title: a short line above the plots.
    """
    has_grades = bool(curve) and "grades" in curve[0]
    # Without pyplot there is no window system and no global state.
    figure = Figure(figsize=(9, 9 if has_grades else 7), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    heights = (3, 3, 2) if has_grades else (3, 2)
    *grades, scores, losses = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    figure.suptitle(title)
    steps = [point["steps"] / 1e6 for point in curve]
    for axes in grades:
        draw_grades(axes, steps, curve)
    _draw_scores(scores, steps, curve)
    _draw_losses(losses, log)
    return figure


def draw_grades(axes: Axes, at: Sequence[float], curve: Sequence[dict[str, Any]]) -> None:
    """Draw the share of optimal actions on seen and unseen boards, with intervals over boards.

    Args:
        axes: where to draw.
        at: where the measurements are on the axis below.
        curve: the measurements, with `grades`.
    """
    for name in curve[0]["grades"] if curve else ():
        grades = [point["grades"][name] for point in curve]
        label = f"{grades[-1]['boards']} {name} boards: {100 * grades[-1]['optimal']:.1f} %"
        optimal = [100 * grade["optimal"] for grade in grades]
        axes.plot(at, optimal, color=_COLORS[name], marker="o", ms=3, label=label)
        if all(grade["low"] is not None for grade in grades):
            low, high = ([100 * grade[end] for grade in grades] for end in ("low", "high"))
            axes.fill_between(at, low, high, color=_COLORS[name], alpha=0.2, lw=0)
    axes.set(ylabel="optimal actions, %\n(band: 95 % interval over boards)")
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="lower right")


def write_png(path: Path, figure: Figure) -> None:
    """Write a figure to a PNG file.

    Args:
        path: the file.
        figure: the figure.

    Raises:
        OSError: the file cannot be written.
    """
    file = io.BytesIO()
    figure.savefig(file, format="png")
    write_whole(path, file.getvalue())


def _draw_scores(axes: Axes, steps: Sequence[float], curve: Sequence[dict[str, Any]]) -> None:
    held_out = " on boards held out" if curve and "unseen" in curve[0].get("grades", ()) else ""
    opponents = list(curve[0]["scores"]) if curve else []
    for name, color in zip(opponents, PALETTE, strict=False):
        shown = [point["scores"][name] for point in curve]
        percent = {key: [100 * one[key] for one in shown] for key in ("score", "low", "high")}
        axes.fill_between(steps, percent["low"], percent["high"], color=color, alpha=0.2, lw=0)
        label = f"against {name}: {percent['score'][-1]:.1f} % at the end"
        axes.plot(steps, percent["score"], color=color, marker="o", ms=3, label=label)
    axes.axhline(50, color="0.5", lw=0.8, ls=":")
    axes.set(ylabel=f"score{held_out}, %\n(band: 95 % interval)", ylim=(0, 102))
    axes.grid(alpha=0.3)
    if opponents:
        axes.legend(loc="lower right")


def _draw_losses(axes: Axes, log: Sequence[dict[str, Any]]) -> None:
    log = [row for row in log if row["policy_loss"] is not None]
    steps = [row["steps"] / 1e6 for row in log]
    lines = (
        ("value_loss", "value loss"),
        ("margin_loss", "margin loss"),
        ("policy_loss", "policy loss"),
    )
    for (key, label), color in zip(lines, PALETTE, strict=False):
        axes.plot(steps, [row[key] for row in log], color=color, lw=1, label=label)
    axes.set(xlabel="actions played, millions", ylabel="loss")
    axes.grid(alpha=0.3)
    entropy = axes.twinx()
    entropy.plot(
        steps, [row["entropy"] for row in log], color="0.4", lw=1, ls="--", label="entropy"
    )
    entropy.set(ylabel="policy entropy, nats", ylim=(0, None))
    handles, labels = axes.get_legend_handles_labels()
    more_handles, more_labels = entropy.get_legend_handles_labels()
    # The lines may run anywhere in the plot, so the legend is above it.
    axes.legend(
        handles + more_handles,
        labels + more_labels,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=4,
        frameon=False,
    )
