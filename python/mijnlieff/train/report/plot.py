"""The learning curve as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mijnlieff.errors import OutputError

__all__ = ["curve_figure", "draw_curve"]

# Okabe and Ito's colours, told apart by colour-blind readers too.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")


def curve_figure(
    curve: Sequence[dict[str, Any]], log: Sequence[dict[str, Any]], title: str
) -> Figure:
    """Scores and losses over the actions played, as a figure that pyplot knows nothing of.

    Args:
        curve: measurements, oldest first: `steps` and `scores`, which maps opponents to `score`,
            `low` and `high`.
        log: rounds, oldest first: `steps`, `policy_loss`, `value_loss`, `margin_loss`, `entropy`.
        title: a short line for the top.
    """
    # Without pyplot, no window system and no global state come into play.
    figure = Figure(figsize=(9, 7), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    scores, losses = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    figure.suptitle(title)
    _draw_scores(scores, curve)
    _draw_losses(losses, log)
    return figure


def draw_curve(
    path: Path, curve: Sequence[dict[str, Any]], log: Sequence[dict[str, Any]], title: str
) -> None:
    """Draw `curve_figure` into a file.

    Args:
        path: the PNG file.
        curve: as there.
        log: as there.
        title: as there.

    Raises:
        OutputError: the file cannot be written.
    """
    try:
        curve_figure(curve, log, title).savefig(path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def _draw_scores(axes: Axes, curve: Sequence[dict[str, Any]]) -> None:
    steps = [point["steps"] / 1e6 for point in curve]
    opponents = list(curve[0]["scores"]) if curve else []
    for name, colour in zip(opponents, _COLOURS, strict=False):
        shown = [point["scores"][name] for point in curve]
        percent = {key: [100 * one[key] for one in shown] for key in ("score", "low", "high")}
        axes.fill_between(steps, percent["low"], percent["high"], color=colour, alpha=0.2, lw=0)
        label = f"against {name}: {percent['score'][-1]:.1f} % at the end"
        axes.plot(steps, percent["score"], color=colour, marker="o", ms=3, label=label)
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
    for (key, label), colour in zip(lines, _COLOURS, strict=False):
        axes.plot(steps, [row[key] for row in log], color=colour, lw=1, label=label)
    axes.set(xlabel="actions played, millions", ylabel="loss")
    axes.grid(alpha=0.3)
    entropy = axes.twinx()
    entropy.plot(
        steps, [row["entropy"] for row in log], color="0.4", lw=1, ls="--", label="entropy"
    )
    entropy.set(ylabel="policy entropy, nats", ylim=(0, None))
    handles, labels = axes.get_legend_handles_labels()
    more_handles, more_labels = entropy.get_legend_handles_labels()
    # Above the lines, which may run anywhere in here.
    axes.legend(
        handles + more_handles,
        labels + more_labels,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=4,
        frameon=False,
    )
