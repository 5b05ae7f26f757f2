"""Names that measures and pages share: opening rules, modes of training, and ways to play."""

from __future__ import annotations

from mijnlieff.evaluation.benchmark import STANDARD

__all__ = ["BENCHMARK", "GRADED", "MODES", "OPENINGS", "PLAYERS", "SIMULATIONS", "WAYS"]

BENCHMARK = STANDARD
OPENINGS = ("outside", "corner", "corner_straight", "anywhere")
MODES = {"exact": "exact labels", "pure": "pure self-play"}
SIMULATIONS = 64
#: Ways to play, with their simulations.
PLAYERS = {"alone": 0, "search": SIMULATIONS, "long search": 4 * SIMULATIONS}
#: Those that are graded; the others only play as Dark.
GRADED = ("alone", "search")
WAYS = {
    name: f"{count} simulations, none solved" if count else "network alone"
    for name, count in PLAYERS.items()
}
