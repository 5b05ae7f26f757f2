"""Many games as a native environment of PufferLib, in PufferLib's own buffers."""

from __future__ import annotations

from typing import Any, SupportsIndex, Unpack

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from mijnlieff._util.arguments import integer_in, seed_of
from mijnlieff._util.extras import needs
from mijnlieff._util.seeds import first_game_seed
from mijnlieff.envs.adapted import AdaptedGames
from mijnlieff.envs.options import AGENT_OPTIONS, EnvOptions
from mijnlieff.envs.vector import VectorEnv
from mijnlieff.rules import VariantLike

with needs("mijnlieff.integrations.pufferlib", "PufferLib", "pufferlib"):
    import pufferlib

__all__ = ["MijnlieffPufferEnv"]


class MijnlieffPufferEnv(AdaptedGames, pufferlib.PufferEnv):
    """Many games, stepped together in native code, as a ``PufferEnv``.

    Against an opponent each game has one agent. With ``opponent=None`` it has two, agent ``2 * i``
    Light and agent ``2 * i + 1`` Dark of game ``i``: both see every position from their own side
    and get their own reward at the end, so that algorithms need no change of sign. The action of
    the side that is not to move is ignored; its mask allows the pass alone, and its entry of
    PufferLib's ``masks`` is False.

    PufferLib knows no action masks, so a row of the observations is the flat observation and the
    mask behind it; `split` takes them apart. Games that end start again in the same step.

    Args:
        num_envs: number of games, 1 to 2**24.
        variant: the game to play; None is the standard game.
        buf: the buffers to write to, as PufferLib's vectorization passes them; None makes them.
        seed: the seed of the first `reset` without one. PufferLib gives its environments seeds one
            apart, so each seed here stands for separate streams, and not for ``seed + i``.
        report_interval: steps between two infos, at least 1.
        **options: those of `VectorEnv`, except ``autoreset``, ``copy`` and packed observations.
            ``opponent`` is ``"random"`` unless given, and ``illegal_action`` is ``"lose"``. Planes
            are flattened too.

    Raises:
        ValueError: an option has an unknown value, or one that PufferLib cannot work with.
        TypeError: an option does not exist or has a wrong type.

    Attributes:
        num_agents: agents of all games together.

    ``step`` and ``reset`` return the buffers: observations ``(num_agents, size + num_actions)`` in
    the dtype of the games, rewards float32, terminals and truncations (never) bool
    ``(num_agents,)``, and a list with an info after every `report_interval` steps: ``games``, how
    many ended, and the means over them of ``episode_return`` (against an opponent the agent's, else
    Light's) and ``episode_length``, in actions.
    """

    def __init__(
        self,
        num_envs: SupportsIndex = 64,
        variant: VariantLike | None = None,
        *,
        buf: dict[str, NDArray[Any]] | None = None,
        seed: int | None = 0,
        report_interval: SupportsIndex = 32,
        **options: Unpack[EnvOptions],
    ) -> None:
        """Make the games; `reset` starts them."""
        given: EnvOptions = {**AGENT_OPTIONS, **options}
        _check_options(given)
        self._report_interval = integer_in("report_interval", report_interval, 1, 2**31)
        given["copy"] = False  # the next step writes to PufferLib's buffers anyway
        self._games = VectorEnv(num_envs, variant, **given)
        self._seed = seed if seed is None else seed_of(seed)
        space: Any = self._games.single_observation_space
        self.num_actions = self._games.num_actions
        self.observation_shape: tuple[int, ...] = space.shape
        self._size = int(np.prod(space.shape))
        self._sides = 1 if given["opponent"] is not None else 2
        high = np.concatenate([space.high.ravel(), np.ones(self.num_actions, space.dtype)])
        self.single_observation_space = Box(np.zeros_like(high), high, dtype=space.dtype.type)
        self.single_action_space = self._games.single_action_space
        self.num_agents = self._games.num_envs * self._sides
        super().__init__(buf)
        self._rows = np.arange(self._games.num_envs)
        self._mover = np.zeros(self._games.num_envs, np.intp)  # who moves, in self-play
        self._other_side = _other_side(space.shape)
        self._lengths = np.zeros(self._games.num_envs, np.int64)
        self._clear_report()

    def split(self, rows: Any) -> tuple[Any, Any]:
        """Return the observations and the masks of rows, arrays or tensors alike.

        Args:
            rows: ``(..., size + num_actions)``.

        Returns:
            The observations ``(..., *observation_shape)`` and the masks ``(..., num_actions)``,
            which is 1 for legal actions.
        """
        seen = rows[..., : self._size].reshape(*rows.shape[:-1], *self.observation_shape)
        return seen, rows[..., self._size :]

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], list[dict[str, float]]]:
        """Start new games; without a seed from that of the constructor at first, then go on.

        Raises:
            ValueError: the seed is out of range.
            TypeError: the seed is not an integer.
            PolicyError: the opponent returned something illegal. Nothing has changed.
        """
        seed = self._seed if seed is None else seed_of(seed)
        first = None if seed is None else first_game_seed(seed) >> 1
        observations, info = self._games.reset(seed=first)
        self._seed = None
        self._lengths[:] = 0
        self._clear_report()
        self._show(observations, info)
        self.rewards[:] = 0
        self.terminals[:] = self.truncations[:] = False
        return self.observations, []

    def step(self, actions: ArrayLike) -> tuple[Any, Any, Any, Any, list[dict[str, float]]]:
        """Play an action of every agent that is to move, integers ``(num_agents,)``.

        Raises:
            ValueError: the actions have a wrong shape.
            IllegalMoveError: an action does not exist, or is illegal with
                ``illegal_action="raise"``. No game has moved.
            GameOverError: no game was started.
            PolicyError: the opponent returned something illegal. No game has moved.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_agents,):
            raise ValueError(f"actions have shape ({self.num_agents},), not {chosen.shape}")
        if self._sides == 2:
            mover = self._mover
            chosen = chosen.reshape(-1, 2)[self._rows, mover]
        observations, rewards, ended, _, info = self._games.step(chosen)
        paid = self.rewards.reshape(-1, self._sides)
        if self._sides == 2:
            paid[self._rows, mover] = rewards
            paid[self._rows, 1 - mover] = -rewards
        else:
            paid[:, 0] = rewards
        self.terminals.reshape(-1, self._sides)[:] = ended[:, None]
        self._lengths += 1
        if ended.any():
            self._ended += int(ended.sum())
            self._returns += float(paid[ended, 0].sum())
            self._actions += int(self._lengths[ended].sum())
            self._lengths[ended] = 0
        self._show(observations, info)
        return self.observations, self.rewards, self.terminals, self.truncations, self._report()

    def close(self) -> None:
        """Give the memory of the games back; later steps raise `ClosedEnvError`."""
        self._games.close()

    def _show(self, observations: NDArray[Any], info: dict[str, Any]) -> None:
        """Write observations and masks to the buffer."""
        rows = self.observations.reshape(-1, self._sides, self._size + self.num_actions)
        seen = observations.reshape(len(rows), -1)
        if self._sides == 1:
            rows[:, 0, : self._size], rows[:, 0, self._size :] = seen, info["action_mask"]
            return
        self._mover = mover = info["to_play"].astype(np.intp)
        rows[self._rows, mover, : self._size] = seen
        rows[self._rows, mover, self._size :] = info["action_mask"]
        swapped, allowed = self._other_side
        other = seen[:, swapped]
        other[:, allowed] = 0
        rows[self._rows, 1 - mover, : self._size] = other
        rows[self._rows, 1 - mover, self._size : -1] = 0
        rows[self._rows, 1 - mover, -1] = 1  # the pass
        acts = self.masks.reshape(-1, 2)
        acts[:, 0], acts[:, 1] = mover == 0, mover == 1

    def _clear_report(self) -> None:
        self._steps = self._ended = self._actions = 0
        self._returns = 0.0

    def _report(self) -> list[dict[str, float]]:
        """Return what ended since the last report, if one is due."""
        self._steps += 1
        if self._steps < self._report_interval or not self._ended:
            return []
        report = {
            "games": float(self._ended),
            "episode_return": self._returns / self._ended,
            "episode_length": self._actions / self._ended,
        }
        self._clear_report()
        return [report]


def _other_side(shape: tuple[int, ...]) -> tuple[NDArray[np.intp], slice]:
    """Return the columns of an observation as the other player sees them, and those to clear.

    Off turn, no cell is allowed.
    """
    if len(shape) == 1:
        cells = (shape[0] - 8) // 3
        bounds, hand = [cells, 2 * cells, 3 * cells, 3 * cells], 4
    else:
        cells = shape[1] * shape[2]
        bounds, hand = [cells, 2 * cells, 3 * cells, 4 * cells], 4 * cells
    columns = np.arange(bounds[-1] + 2 * hand)
    own, opposing, allowed, exist, hands = np.split(columns, bounds)
    swapped = np.concatenate([opposing, own, allowed, exist, hands[hand:], hands[:hand]])
    return swapped, slice(bounds[1], bounds[2])


def _check_options(options: EnvOptions) -> None:
    for name in ("autoreset", "copy"):
        if name in options:
            raise ValueError(
                f"{name}={options[name]!r}: games start again in the step that ends them, and "
                "results are in PufferLib's buffers; leave the option out"
            )
    if options.get("observation") == "packed":
        raise ValueError(
            "observation='packed' has no place for the mask behind it; choose 'flat' or 'planes'"
        )
