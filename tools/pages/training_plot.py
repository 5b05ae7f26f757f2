"""The plot of docs/training.md: losses and grades over the time of training."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mijnlieff.evaluation.axes import BLUE, GREEN, ORANGE, PURPLE
from tools.pages.plots import svg_text
from tools.pages.training_runs import Run
from tools.players import BENCHMARK, WAYS

COLORS = {"exact": BLUE, "pure": ORANGE}
#: Of runs on a device.
DEVICE_COLORS = {"exact": PURPLE, "pure": GREEN}
STYLES = {"alone": "-", "search": "--"}
_LOSSES = {"policy_loss": "policy loss, nats", "margin_loss": "margin loss"}


def draw(runs: Sequence[Run], name: str) -> str:
    """Return the losses and grades of all runs as SVG, a column for each length.

    Args:
        runs: the runs.
        name: the name of the file.
    """
    lengths = sorted({run.minutes for run in runs})
    size = (5.5 * max(1.5, len(lengths)), 8)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(_LOSSES) + 1, len(lengths), squeeze=False, sharex="col")
    for column, length in enumerate(lengths):
        top, *others = panels[:, column]
        for run in runs:
            if run.minutes == length:
                _draw_run(run, top, others)
        top.set(title=f"{length:g} minutes", ylabel=f"optimal on {BENCHMARK}, %")
        for axes, label in zip(others, _LOSSES.values(), strict=True):
            axes.set(ylabel=label, ylim=(0, None))
        others[-1].set(xlabel="minutes")
        for axes in (top, *others):
            axes.grid(alpha=0.3)
    kinds = {run.kind: _color(run) for run in runs}
    for (kind, color), (way, style) in itertools.product(kinds.items(), STYLES.items()):
        panels[0, 0].plot([], [], style, color=color, label=f"{kind}, {WAYS[way]}")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return svg_text(figure, name)


def _color(run: Run) -> str:
    return (DEVICE_COLORS if run.device else COLORS)[run.mode]


def _draw_run(run: Run, top: Axes, others: Sequence[Axes]) -> None:
    line = {"color": _color(run), "lw": 1.2, "alpha": 0.8}
    curve, losses = run.content["curve"], run.content["losses"]
    for way, style in STYLES.items():
        shares = [100 * point[way] for point in curve]
        top.plot([point["seconds"] / 60 for point in curve], shares, style, **line)
    for axes, name in zip(others, _LOSSES, strict=True):
        axes.plot([it["seconds"] / 60 for it in losses], [it[name] for it in losses], **line)
