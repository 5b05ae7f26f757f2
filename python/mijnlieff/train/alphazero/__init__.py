"""Learning from tree search, the AlphaZero way."""

from mijnlieff.train.alphazero.alphazero import AlphaZero, SearchLosses
from mijnlieff.train.alphazero.replay import Replay

__all__ = ["AlphaZero", "Replay", "SearchLosses"]
