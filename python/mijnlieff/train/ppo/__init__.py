"""Learning from the results of games: proximal policy optimisation."""

from mijnlieff.train.ppo.ppo import Losses, Ppo

__all__ = ["Losses", "Ppo"]
