"""Names that measures and pages share: of the game, modes and places of training, ways to play."""

from __future__ import annotations

from mijnlieff.evaluation.benchmark import STANDARD
from mijnlieff.rules import Piece

__all__ = [
    "BENCHMARK",
    "CELLS",
    "DEVICES",
    "GRADED",
    "MODES",
    "OPENINGS",
    "PIECES",
    "PLACES",
    "PLAYERS",
    "SIMULATIONS",
    "WAYS",
]

BENCHMARK = STANDARD
OPENINGS = ("outside", "corner", "corner_straight", "anywhere")
CELLS = {"a1": "corner", "b1": "edge", "b2": "center"}
"""The cells of the standard board up to symmetry."""
PIECES = {piece.sign: piece.name.capitalize() for piece in Piece}
"""The names of the types by their signs in records."""
MODES = {"exact": "exact labels", "pure": "pure self-play"}
DEVICES = "devices"
"""The folder of what devices do in a second."""
PLACES = ("a thread", "all cores", "device")
"""Where that is done: by native code, but all cores learn with PyTorch, as the device does."""
SIMULATIONS = 64
#: Ways to play, with their simulations.
PLAYERS = {"alone": 0, "search": SIMULATIONS, "long search": 4 * SIMULATIONS}
#: Those that are graded; the others only play as Dark.
GRADED = ("alone", "search")
WAYS = {
    name: f"{count} simulations, none solved" if count else "network alone"
    for name, count in PLAYERS.items()
}
