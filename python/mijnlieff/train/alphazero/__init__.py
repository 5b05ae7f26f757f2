"""Learning from tree search, the AlphaZero way."""

from mijnlieff.train.alphazero.alphazero import AlphaZero, Replay, SearchLosses

__all__ = ["AlphaZero", "Replay", "SearchLosses"]
