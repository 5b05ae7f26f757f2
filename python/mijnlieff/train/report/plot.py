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

__all__ = ["curve_figure", "write_png"]


def curve_figure(
    curve: Sequence[dict[str, Any]], log: Sequence[dict[str, Any]], title: str
) -> Figure:
    """Scores and losses over the actions played, as a figure that is not registered with pyplot.

    Args:
        curve: measurements, oldest first: `steps` and `scores`, which maps opponents to `score`,
            `low` and `high`.
        log: rounds, oldest first: `steps`, `policy_loss`, `value_loss`, `margin_loss`, `entropy`.
        title: a short line above the plots.
    """
    # Without pyplot there is no window system and no global state.
    figure = Figure(figsize=(9, 7), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    scores, losses = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    figure.suptitle(title)
    _draw_scores(scores, curve)
    _draw_losses(losses, log)
    return figure


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


def _draw_scores(axes: Axes, curve: Sequence[dict[str, Any]]) -> None:
    steps = [point["steps"] / 1e6 for point in curve]
    opponents = list(curve[0]["scores"]) if curve else []
    for name, color in zip(opponents, PALETTE, strict=False):
        shown = [point["scores"][name] for point in curve]
        percent = {key: [100 * one[key] for one in shown] for key in ("score", "low", "high")}
        axes.fill_between(steps, percent["low"], percent["high"], color=color, alpha=0.2, lw=0)
        label = f"against {name}: {percent['score'][-1]:.1f} % at the end"
        axes.plot(steps, percent["score"], color=color, marker="o", ms=3, label=label)
    axes.axhline(50, color="0.5", lw=0.8, ls=":")
    axes.set(ylabel="score, % (band: 95 % interval)", ylim=(0, 102))
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
