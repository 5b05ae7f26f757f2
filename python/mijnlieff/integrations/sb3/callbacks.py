"""A callback that fills an opponent pool with an agent's past selves."""

from __future__ import annotations

from stable_baselines3.common.callbacks import BaseCallback

from mijnlieff._util.arguments import integer_from, number_from_zero
from mijnlieff.integrations.sb3.policy import SB3Policy
from mijnlieff.policies import OpponentPool

__all__ = ["SnapshotCallback"]


class SnapshotCallback(BaseCallback):
    """Adds copies of the model to an `OpponentPool` at regular intervals while it learns.

    Args:
        pool: the pool; give it to the environment as its opponent.
        every: steps between two copies, counted over all games; at least 1. The first copy is taken
            after this many steps.
        weight: the weight of the copies in the pool.
        deterministic: whether the copies play their best action or draw from their probabilities,
            which makes games more varied.
        verbose: 1 prints a line for each copy.

    Raises:
        TypeError: not a pool, `every` is not an integer, or `weight` not a number.
        ValueError: `every` is below 1, or `weight` not above 0 and finite. When training starts:
            `deterministic` is False, but the algorithm has no probabilities of actions.
    """

    def __init__(
        self,
        pool: OpponentPool,
        every: int,
        *,
        weight: float = 1.0,
        deterministic: bool = False,
        verbose: int = 0,
    ) -> None:
        """Check the settings."""
        super().__init__(verbose)
        if not isinstance(pool, OpponentPool):
            raise TypeError(f"pool must be an OpponentPool, not {pool!r}")
        self.pool = pool
        self.every = integer_from("every", every, 1)
        self.weight = number_from_zero("weight", weight, without_zero=True)
        self.deterministic = deterministic
        self.taken = 0
        self._last: int | None = None

    def _on_training_start(self) -> None:
        """Count from here, unless the model goes on from where this callback saw it last."""
        SB3Policy(self.model, deterministic=self.deterministic)  # raises for other algorithms now
        if self._last is None or self.num_timesteps < self._last:
            self._last = self.num_timesteps

    def _on_step(self) -> bool:
        """Take a copy if it is time."""
        if self.num_timesteps - (self._last or 0) >= self.every:
            self._last = self.num_timesteps
            seed = self.taken
            copied = SB3Policy(self.model, deterministic=self.deterministic, frozen=True, seed=seed)
            self.pool.add(copied, self.weight)
            self.taken += 1
            if self.verbose:
                print(f"step {self.num_timesteps}: {len(self.pool)} opponents in the pool")
        return True
