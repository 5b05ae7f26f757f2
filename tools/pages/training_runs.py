"""The runs that docs/training.md shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mijnlieff.train.presets import preset
from tools.players import MODES
from tools.results import read_results

__all__ = ["Run", "measured"]


@dataclass(frozen=True)
class Run:
    """A run that was measured."""

    mode: str
    """One of `MODES`."""
    minutes: float
    seed: int
    content: dict[str, Any]
    device: str | None = None
    """Where the network learned, if not on the processor."""

    @property
    def name(self) -> str:
        """The mode and the seed, for the rows of tables."""
        return f"{self.kind}, {self.seed}"

    @property
    def kind(self) -> str:
        """The mode, and the device if there is one."""
        return MODES[self.mode] + (f" on {self.device}" if self.device else "")

    @property
    def network(self) -> str:
        """The units and blocks of the network."""
        asked = dict(re.findall(r"--(width|blocks) (\d+)", self.content["command"]))
        sizes = preset("alphazero", self.mode, many_boards=False) | asked
        return f"{sizes['width']}, {sizes['blocks']}"


def measured(results: Path) -> list[Run]:
    """Return the runs in a folder of results, by length, seed and mode."""
    runs = []
    for file in results.glob("*.json"):
        named = re.fullmatch(r"(\w+)-([\d.]+)-minutes(?:-([\w-]+))?-seed-(\d+)", file.stem)
        assert named, f"{file} is not named after a run"
        mode, minutes, device, seed = named.groups()
        runs.append(Run(mode, float(minutes), int(seed), read_results(file), device))
    order = list(MODES)
    return sorted(runs, key=lambda it: (it.minutes, it.device or "", it.seed, order.index(it.mode)))
