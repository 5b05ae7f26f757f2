"""The plots of docs/solution.md: how many positions each ply has, and their margins."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from mijnlieff.evaluation.axes import BLUE, GREEN, ORANGE, PURPLE
from tools.pages.plots import svg_text

OPENINGS = {"outside": BLUE, "anywhere": GREEN, "corner": ORANGE, "corner_straight": PURPLE}
#: The most points of a margin.
LARGEST = 7
#: From this margin on the color is darkest: losses are orange, wins blue, draws gray.
_DRAWN = 5


def draw(content: dict[str, Any], name: str) -> str:
    """Return the plots as SVG.

    Args:
        content: the counts.
        name: the name of the file.
    """
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for opening, color in OPENINGS.items():
        counts = [sum(ply) for ply in content[opening]["margins"]]
        left.plot(range(len(counts)), counts, "o-", ms=3, color=color, label=opening)
    left.set(
        yscale="log", xlabel="ply", ylabel="positions up to symmetry", title="Reachable positions"
    )
    left.grid(alpha=0.3)
    left.legend()
    plies = content["outside"]["margins"]
    below = [0.0] * len(plies)
    for margin in range(-_DRAWN, _DRAWN + 1):
        shares = [_share(counts, margin) for counts in plies]
        label = f"{margin:+d}" if margin else "0"
        if abs(margin) == _DRAWN:
            label += " or more" if margin > 0 else " or less"
        right.bar(range(len(plies)), shares, 0.9, below, color=_color(margin), label=label)
        below = [start + share for start, share in zip(below, shares, strict=True)]
    right.set(xlabel="ply", ylim=(0, 1), title="Margin of the side to move, outside")
    right.yaxis.set_major_formatter(PercentFormatter(1))
    handles, labels = right.get_legend_handles_labels()
    right.legend(
        handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8
    )
    return svg_text(figure, name)


def _share(counts: list[int], margin: int) -> float:
    """Return the share of a margin; the outermost have those beyond them too."""
    at = margin + LARGEST
    if abs(margin) < _DRAWN:
        return counts[at] / sum(counts)
    return sum(counts[at:] if margin > 0 else counts[: at + 1]) / sum(counts)


def _color(margin: int) -> tuple[float, float, float]:
    if margin == 0:
        return (0.75, 0.75, 0.75)
    end = (0.0, 0.25, 0.55) if margin > 0 else (0.65, 0.25, 0.0)
    strength = 0.25 + 0.75 * abs(margin) / _DRAWN
    red, green, blue = (1 - strength * (1 - part) for part in end)
    return (red, green, blue)
