"""The learning curve in a notebook, redrawn during a run."""

from __future__ import annotations

import io
import time
from typing import Any

from mijnlieff._util.extras import needs
from mijnlieff.train.extras import require_train_extra
from mijnlieff.train.report.state import TrainState

__all__ = ["LivePlot"]

_DPI = 90
_WIDTH = 760
"""Width of the picture in a notebook, in pixels; it is drawn slightly larger."""


class LivePlot:
    """Shows scores and losses below a notebook's cell, in one figure that follows the run.

    Pass it to `mijnlieff.train.train` as ``on_report``. Each run needs a new plot.
    """

    def __init__(
        self, seconds: float = 5.0, title: str = "Learning Mijnlieff by self-play"
    ) -> None:
        """Find the notebook, without showing anything.

        Args:
            seconds: time between two drawings, which take about a third of a second each; the last
                state of the run is always drawn.
            title: the title of the figure.

        Raises:
            MissingExtraError: IPython or matplotlib is not installed.
            RuntimeError: this is not a notebook.
            ValueError: `seconds` is negative or not a number.
        """
        if not seconds >= 0:
            raise ValueError(f"seconds must be a number from 0, not {seconds!r}")
        require_train_extra("matplotlib")
        with needs("a live plot", "a notebook's IPython", "notebooks"):
            import IPython
        if IPython.get_ipython() is None:
            raise RuntimeError(
                "a live plot works only in a notebook; elsewhere leave it out: "
                "the run writes curve.png to its folder"
            )
        self._seconds = seconds
        self._title = title
        self._handle: Any = None
        self._next = 0.0

    def __call__(self, state: TrainState) -> None:
        """Draw the run, unless the last drawing is more recent than `seconds`.

        Args:
            state: the state of the run.
        """
        if time.monotonic() < self._next and not state.is_last:
            return
        from IPython.display import Image, display

        from mijnlieff.train.report.plot import curve_figure

        png = io.BytesIO()
        curve_figure(state.curve, state.log, self._title).savefig(png, format="png", dpi=_DPI)
        # A PNG, because not every notebook can display a figure.
        image = Image(png.getvalue(), width=_WIDTH)
        if self._handle is None:
            self._handle = display(image, display_id=True)
        else:
            self._handle.update(image)
        self._next = time.monotonic() + self._seconds
