"""The network of policy and values: one for a board, or for all boards that fit a canvas."""

from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network.cells import (
    ILLEGAL_LOGIT,
    CellNetwork,
    check_finite,
    masked_log_softmax,
    share_hands,
)

__all__ = [
    "ILLEGAL_LOGIT",
    "CellNetwork",
    "check_finite",
    "masked_log_softmax",
    "new_network",
    "share_hands",
]


def new_network(boards: Boards, config: TrainConfig) -> CellNetwork:
    """A network with random weights from PyTorch's global generator.

    Args:
        boards: the boards of a run.
        config: its settings.
    """
    sizes = config.width, config.blocks, config.heads
    scope = boards.seen[0] if boards.canvas is None else boards.canvas
    return CellNetwork(scope, *sizes, copies=boards.copies)
