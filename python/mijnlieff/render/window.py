"""A window that shows positions, using pygame-ce."""

from __future__ import annotations

import importlib
import os
from typing import Any, SupportsIndex

from mijnlieff._mijnlieff import Position
from mijnlieff._util.extras import needs
from mijnlieff.errors import MissingExtraError
from mijnlieff.render.sizes import size_of
from mijnlieff.render.to_image import image

__all__ = ["Window"]

_PROMPT = "PYGAME_HIDE_SUPPORT_PROMPT"


class Window:
    """A window for render mode ``human``, opened when the first position is shown.

    Args:
        title: the title of the window.
        size: longer side of the drawing in pixels, 32..8192; None for the natural size.
        fps: the most positions shown per second; None for no limit.

    Raises:
        ValueError: `size` or `fps` is out of range.
        TypeError: `size` is not an integer.
    """

    def __init__(
        self,
        *,
        title: str = "Mijnlieff",
        size: SupportsIndex | None = None,
        fps: float | None = None,
    ) -> None:
        """Check the settings; no window opens yet."""
        if fps is not None and not fps > 0:
            raise ValueError(f"fps must be above 0, or None for no limit, not {fps!r}")
        self._title = title
        self._size = size_of(size)
        self._fps = fps
        self._pygame: Any = None
        self._window: Any = None
        self._clock: Any = None
        self._dismissed = False

    @property
    def is_open(self) -> bool:
        """Whether the window is open."""
        return self._window is not None

    def show(self, position: Position) -> bool:
        """Draw a position, and wait first if the previous one was shown only a moment ago.

        If the user closes the window, it stays closed: the program continues, and this method does
        nothing until `close` is called.

        Returns:
            Whether the window is open.

        Raises:
            OSError: there is no display to open a window on.
            MissingExtraError: pygame-ce or Pillow is not installed.
            TypeError: not a `Position`.
        """
        if self._dismissed:
            return False
        frame = image(position, size=self._size)
        height, width, _ = frame.shape
        if self._window is None:
            self._open(width, height)
        elif tuple(self._window.size) != (width, height):
            self._window.size = (width, height)
        if self._close_clicked():
            self.close()
            self._dismissed = True
            return False
        picture = self._pygame.image.frombuffer(frame.tobytes(), (width, height), "RGB")
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()
        if self._fps is not None:
            self._clock.tick(self._fps)
        return True

    def close(self) -> None:
        """Close the window, if there is one; showing a position opens a new one."""
        self._dismissed = False
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _open(self, width: int, height: int) -> None:
        """Import pygame on first use, and open the window."""
        if self._pygame is None:
            self._pygame = _load_pygame()
        _start_display(self._pygame)
        self._window = self._pygame.Window(self._title, (width, height))
        self._clock = self._pygame.time.Clock()

    def _close_clicked(self) -> bool:
        """Read the pending events; return whether the close button was clicked."""
        pygame = self._pygame
        clicked = False
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                clicked = True
            elif event.type == pygame.WINDOWCLOSE:
                if event.window is self._window:
                    clicked = True
                elif event.window is not None:
                    pygame.event.post(event)  # it belongs to another window
        return clicked


def _load_pygame() -> Any:
    """Import pygame without the message that it prints."""
    before = os.environ.get(_PROMPT)
    os.environ[_PROMPT] = "1"
    try:
        with needs("the window", "pygame-ce", "render"):
            pygame = importlib.import_module("pygame")
    finally:
        if before is None:
            del os.environ[_PROMPT]
        else:
            os.environ[_PROMPT] = before
    if not hasattr(pygame, "Window"):
        raise MissingExtraError(
            f"the window needs pygame-ce, and pygame {pygame.version.ver} is installed: "
            "pip uninstall pygame, then pip install 'mijnlieff[render]'"
        )
    return pygame


def _start_display(pygame: Any) -> None:
    """Start pygame's display, unless it is already running.

    Without a screen, SDL draws into memory. As in Gymnasium's own environments, that is not an
    error: Gymnasium's checker opens a window for every environment.
    """
    if pygame.display.get_init():
        return
    try:
        pygame.display.init()
    except pygame.error as error:
        raise OSError(
            f"cannot open a window ({error}); without a display use render mode rgb_array or ansi"
        ) from error
