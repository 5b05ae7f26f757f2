"""Proximal policy optimization: learns from the results of games."""

from mijnlieff.train.ppo.ppo import Losses, Ppo

__all__ = ["Losses", "Ppo"]
