"""Puts the drawings of a game into one SVG that moves, without scripts.

The drawings share most of their shapes. So every shape is written once, and a style shows it while
it is part of the current drawing. Without animation, or if the reader prefers reduced motion, the
picture shows the end of the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter

from mijnlieff import Position
from mijnlieff.render import svg

SECONDS = 1.1
LAST_SECONDS = 4.0


def animated_svg(positions: Sequence[Position], title: str) -> str:
    """Return one SVG element that shows the positions in turn, again and again.

    Args:
        positions: of one variant, so that all drawings have the same size.
        title: read out by screen readers.
    """
    drawings = [svg(position).splitlines() for position in positions]
    opening = drawings[0][0]
    start = opening[: opening.index(" role=")]
    font = opening[opening.index(" font-family=") :]
    frames = [lines[3:-1] for lines in drawings]
    order: TopologicalSorter[str] = TopologicalSorter()
    shown: dict[str, set[int]] = {}
    for number, shapes in enumerate(frames):
        for shape, before in zip(shapes, [None, *shapes], strict=False):
            order.add(shape, *([] if before is None else [before]))
            shown.setdefault(shape, set()).add(number)

    names: dict[tuple[bool, ...], str] = {}
    body = []
    for shape in order.static_order():
        visible = tuple(number in shown[shape] for number in range(len(frames)))
        if all(visible):
            body.append(shape)
            continue
        name = names.setdefault(visible, f"s{len(names)}")
        tag, rest = shape.split(" ", 1)
        hidden = "" if visible[-1] else ' visibility="hidden"'
        body.append(f'{tag} class="{name}"{hidden} {rest}')
    seconds = SECONDS * (len(frames) - 1) + LAST_SECONDS
    styles = [_style(name, visible, seconds) for visible, name in names.items()]
    still = "@media (prefers-reduced-motion:reduce){*{animation:none!important}}"
    head = f'{start} role="img" aria-label="{title}"{font}'
    return "\n".join(
        [head, f"<title>{title}</title>", "<style>", *styles, still, "</style>", *body, "</svg>"]
    )


def _style(name: str, visible: tuple[bool, ...], seconds: float) -> str:
    """Return the animation of the shapes that are part of these drawings."""
    steps = []
    for number, now in enumerate(visible):
        if number == 0 or now != visible[number - 1]:
            share = 100 * SECONDS * number / seconds
            steps.append(f"{share:.3f}%{{visibility:{'visible' if now else 'hidden'}}}")
    rule = f".{name}{{animation:{name} {seconds:g}s step-end infinite}}"
    return f"{rule}@keyframes {name}{{{''.join(steps)}}}"
