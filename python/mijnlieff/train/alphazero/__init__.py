"""Learning from tree search, the AlphaZero way."""

from mijnlieff.train.alphazero.alphazero import AlphaZero, SearchLosses

__all__ = ["AlphaZero", "SearchLosses"]
