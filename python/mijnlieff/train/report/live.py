"""The learning curve in a notebook, redrawn while a run goes on."""

from __future__ import annotations

import io
import time
from typing import Any

from mijnlieff.errors import DisplayError, MissingExtraError
from mijnlieff.train.extras import require_train_extra
from mijnlieff.train.report.state import TrainState

__all__ = ["LivePlot"]

_DPI = 90
_WIDTH = 760
"""Pixels of a notebook's page; a little fewer than those of the picture."""


class LivePlot:
    """Shows scores and losses below a notebook's cell, one figure that follows the run.

    Give it to `mijnlieff.train.train` as ``on_report``. One plot is for one run.
    """

    def __init__(
        self, seconds: float = 5.0, title: str = "Learning Mijnlieff by self-play"
    ) -> None:
        """Look for the notebook; shows nothing yet.

        Args:
            seconds: between two drawings, which take about a third of a second each; the last
                state of the run is drawn in any case.
            title: of the figure.

        Raises:
            MissingExtraError: IPython or matplotlib is not installed.
            DisplayError: this is no notebook.
            ValueError: `seconds` is negative or not a number.
        """
        if not seconds >= 0:
            raise ValueError(f"seconds must be a number from 0, not {seconds!r}")
        require_train_extra("matplotlib")
        try:
            import IPython
        except ImportError as error:
            raise MissingExtraError(
                f"a live plot needs a notebook's IPython ({error}): "
                "pip install 'mijnlieff[notebooks]'"
            ) from error
        if IPython.get_ipython() is None:
            raise DisplayError(
                "a live plot needs a notebook around it; without one, leave it out: "
                "the run draws curve.png into its folder"
            )
        self._seconds = seconds
        self._title = title
        self._handle: Any = None
        self._next = 0.0

    def __call__(self, state: TrainState) -> None:
        """Draw the run, unless it was drawn a moment ago.

        Args:
            state: of the run.
        """
        if time.monotonic() < self._next and not state.is_last:
            return
        from IPython.display import Image, display

        from mijnlieff.train.report.plot import curve_figure

        png = io.BytesIO()
        curve_figure(state.curve, state.log, self._title).savefig(png, format="png", dpi=_DPI)
        # A picture, because only some set-ups of notebooks know how to show a bare figure.
        image = Image(png.getvalue(), width=_WIDTH)
        if self._handle is None:
            self._handle = display(image, display_id=True)
        else:
            self._handle.update(image)
        self._next = time.monotonic() + self._seconds
