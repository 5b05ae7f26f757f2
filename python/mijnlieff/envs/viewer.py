"""The render modes that the environments share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mijnlieff._util.arguments import check_choice

if TYPE_CHECKING:
    from mijnlieff._mijnlieff import Position
    from mijnlieff.render import Window

__all__ = ["Viewer"]


class Viewer:
    """Draws positions as text or pictures, or shows them in a window.

    Args:
        mode: None, ``"ansi"`` (text), ``"rgb_array"`` (uint8 picture) or ``"human"`` (a window).
        metadata: the environment's metadata, with ``"render_modes"`` and ``"render_fps"``.

    Attributes:
        follows: whether every new position must be shown in a window.

    Raises:
        ValueError: the environment does not have this mode.
    """

    def __init__(self, mode: str | None, metadata: Mapping[str, Any]) -> None:
        """Check the mode; no window opens yet."""
        check_choice("render_mode", mode, (None, *metadata["render_modes"]))
        self._mode = mode
        self.follows = mode == "human"
        self._fps = metadata["render_fps"]
        self._window: Window | None = None

    def render(self, position: Position) -> Any:
        """Return the position as text or uint8 ``(height, width, 3)``, or show it in the window."""
        if self._mode == "ansi":
            return str(position)
        if self._mode == "rgb_array":
            from mijnlieff.render import image

            return image(position)
        if self._mode == "human":
            if self._window is None:
                from mijnlieff.render import Window

                self._window = Window(fps=self._fps)
            self._window.show(position)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the window, so that copies and pickles of environments work."""
        return {**self.__dict__, "_window": None}
