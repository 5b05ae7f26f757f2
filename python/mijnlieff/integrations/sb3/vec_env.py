"""The native batch as a vectorized environment of Stable-Baselines3."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, SupportsIndex, Unpack

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from mijnlieff._mijnlieff import SEEDS
from mijnlieff._util.arguments import integer, integer_in
from mijnlieff.envs.adapted import AdaptedGames
from mijnlieff.envs.attributes import METHODS, info_of
from mijnlieff.envs.options import AGENT_OPTIONS, EnvOptions
from mijnlieff.envs.vector import VectorEnv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mijnlieff.rules import VariantLike

__all__ = ["MijnlieffVecEnv"]

_Indices = SupportsIndex | Iterable[SupportsIndex] | None


class MijnlieffVecEnv(AdaptedGames, VecEnv):
    """Many games against an opponent, as a ``VecEnv`` of Stable-Baselines3.

    Each game returns the same as in a ``DummyVecEnv`` of `MijnlieffEnv`: observations, rewards,
    dones, infos with ``"terminal_observation"``, masks and ``reset_infos``. But one `VectorEnv`
    steps all games in native code.

    Args:
        num_envs: number of games, 1 to 2**24.
        variant: the game to play; None is the standard game.
        **options: those of `VectorEnv`, except ``autoreset``, ``copy`` and packed observations.
            ``opponent`` is ``"random"`` unless given, and not None, as a ``VecEnv`` has a single
            agent; ``illegal_action`` is ``"lose"`` unless given, for algorithms without masks.

    Raises:
        ValueError: an option has an unknown value, or one that Stable-Baselines3 cannot use; the
            message says what to use instead.
        TypeError: an option does not exist or has a wrong type.

    The games are not wrapped by ``Monitor``; ``VecMonitor(env)`` adds the returns and lengths of
    games to ``infos`` and so to the log of a training run.
    """

    def __init__(
        self,
        num_envs: SupportsIndex,
        variant: VariantLike | None = None,
        **options: Unpack[EnvOptions],
    ) -> None:
        """Make the games; `reset` starts them."""
        given: EnvOptions = {**AGENT_OPTIONS, **options}
        _check_options(given)
        self._games = VectorEnv(num_envs, variant, **given)
        self._actions: ArrayLike = ()
        self._waiting = False
        self.render_mode = self._games.render_mode
        self.metadata = {key: self._games.metadata[key] for key in ("render_modes", "render_fps")}
        metadata = self.metadata
        self.observation_space = self._games.single_observation_space
        self.action_space = self._games.single_action_space
        super().__init__(self._games.num_envs, self.observation_space, self.action_space)
        self.metadata = metadata  # the base class keeps less of it

    def reset(self) -> NDArray[Any]:
        """Start new games, with the seeds of the last `seed` if it was called since the last reset.

        Returns:
            The observations ``(num_envs, ...)``; ``reset_infos`` has an info for each game.

        Raises:
            PolicyError: the opponent returned something illegal; nothing has changed.
            ClosedEnvError: the environment was closed.
        """
        unseeded = all(seed is None for seed in self._seeds)
        observations, info = self._games.reset(seed=None if unseeded else self._seeds)
        self._waiting = False
        self._reset_seeds()
        self.reset_infos = _each(info)
        return observations  # type: ignore[no-any-return]

    def step_async(self, actions: ArrayLike) -> None:
        """Take the actions that `step_wait` plays, integers ``(num_envs,)``."""
        self._actions, self._waiting = actions, True

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; games that end start again.

        Returns:
            observations: ``(num_envs, ...)``, of the next game where one ended.
            rewards: float32 ``(num_envs,)``, the agent's; 0 unless a game ended.
            dones: bool ``(num_envs,)``, whether a game ended.
            infos: for each game what `MijnlieffEnv` gives, ``"TimeLimit.truncated"``, which is
                False, and where a game ended ``"terminal_observation"``.

        Raises:
            IllegalMoveError: an action does not exist, or is illegal while ``illegal_action`` is
                "raise". No game has moved.
            GameOverError: no game was started.
            PolicyError: the opponent returned something illegal. No game has moved.
            RuntimeError: `step_async` was not called.
        """
        if not self._waiting:
            raise RuntimeError("step_wait plays the actions of step_async, which was not called")
        actions, self._actions, self._waiting = self._actions, (), False
        observations, rewards, dones, _, info = self._games.step(actions)
        infos = _each(info)
        for one in infos:
            one["TimeLimit.truncated"] = False
        if "final_info" in info:
            last = info["final_info"]
            for i in np.flatnonzero(dones).tolist():
                del infos[i]["TimeLimit.truncated"]
                self.reset_infos[i] = infos[i]
                infos[i] = {
                    **info_of(last, i),
                    "TimeLimit.truncated": False,
                    "terminal_observation": info["final_obs"][i],
                }
        return observations, rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions in the last observations, bool ``(num_envs, num_actions)``."""
        return self._games.action_masks()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Restart the streams of game ``i`` with ``seed + i`` at the next reset.

        Args:
            seed: 0 to ``2**64 - num_envs``; None draws one from NumPy's global generator.

        Returns:
            The seed of each game.

        Raises:
            ValueError: a seed is out of range.
            TypeError: the seed is not an integer.
        """
        if seed is not None:
            seed = integer_in("seed", seed, 0, SEEDS - self.num_envs)
        return super().seed(seed)  # type: ignore[no-any-return]

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next reset; as `MijnlieffEnv` has none, they must be empty.

        Args:
            options: None, a dictionary for all games, or one for each game.

        Raises:
            ValueError: there is an option, or not one dictionary for each game.
            TypeError: something else than dictionaries.
        """
        each = [options or {}] if isinstance(options, dict | None) else options
        if not isinstance(each, list) or not all(isinstance(one, dict) for one in each):
            raise TypeError(f"options are a dictionary, or a list of them, not {options!r}")
        if isinstance(options, list) and len(options) != self.num_envs:
            raise ValueError(f"{self.num_envs} games need {self.num_envs} options, not {len(each)}")
        for name in (name for one in each for name in one):
            raise ValueError(f"unknown reset option {name!r}; there are no options")

    def close(self) -> None:
        """Give the memory back; every later use raises `ClosedEnvError`."""
        self._games.close()

    def get_attr(self, attr_name: str, indices: _Indices = None) -> list[Any]:
        """Return an attribute of each of the games.

        Args:
            attr_name: ``"position"``, ``"variant"``, ``"canvas"``, ``"render_mode"``,
                ``"metadata"``, ``"observation_space"``, ``"action_space"`` and so on, one that
                `set_attr` has set, or one of the methods of `env_method`.
            indices: a game or several; None is all.

        Raises:
            AttributeError: there is no such attribute.
            IndexError: there is no such game.
            TypeError: `indices` are not integers.
        """
        chosen = self._selected(indices)
        if attr_name in METHODS:
            return [partial(self._call, attr_name, i) for i in chosen]
        return self._games._attribute(attr_name, chosen)

    def set_attr(self, attr_name: str, value: Any, indices: _Indices = None) -> None:
        """Set an attribute of each of the games; it is kept for `get_attr` and changes nothing.

        Raises:
            AttributeError: the games have an attribute of this name, which cannot be set.
            IndexError: there is no such game.
        """
        self._games._keep(attr_name, dict.fromkeys(self._selected(indices), value))

    def env_method(
        self, method_name: str, *method_args: Any, indices: _Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each of the games.

        Args:
            method_name: ``"action_masks"``, which returns bool ``(num_actions,)``, or
                ``"render"``.
            *method_args: must be empty, as neither takes an argument.
            indices: a game or several; None is all.
            **method_kwargs: must be empty.

        Raises:
            AttributeError: there is no such method.
            IndexError: there is no such game.
            TypeError: there are arguments.
        """
        results = self._games._call(method_name, method_args, method_kwargs)
        return results if indices is None else [results[i] for i in self._selected(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: _Indices = None) -> list[bool]:
        """Return False for each of the games, since wrappers of single environments do not fit."""
        return [False] * len(self._selected(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Draw every game, uint8 ``(height, width, 3)``; None without the mode "rgb_array"."""
        if self.render_mode != "rgb_array":
            warnings.warn(
                f"pictures need render_mode='rgb_array', not {self.render_mode!r}", stacklevel=2
            )
            return [None] * self.num_envs
        return self._games.render() or ()

    def _call(self, method_name: str, index: int) -> Any:
        """Call a method of one game."""
        return self.env_method(method_name, indices=index)[0]

    def _selected(self, indices: _Indices) -> list[int]:
        """Return the numbers of the selected games."""
        if indices is None:
            return list(range(self.num_envs))
        each = [indices] if np.ndim(indices) == 0 else indices  # type: ignore[arg-type]
        numbers = [integer("indices", one) for one in each]  # type: ignore[union-attr]
        for number in numbers:
            if not -self.num_envs <= number < self.num_envs:
                raise IndexError(f"there is no game {number} among {self.num_envs}")
        return [number % self.num_envs for number in numbers]


def _each(info: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is always in `info`, by game."""
    names = [name for name in ("action_mask", "to_play", "variant") if name in info]
    rows = zip(*(info[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _check_options(options: EnvOptions) -> None:
    """Refuse options of `VectorEnv` that make no sense here."""
    if options["opponent"] is None:
        raise ValueError(
            "opponent=None is self-play, but a VecEnv has a single agent; train against past "
            "selves with opponent=OpponentPool(...), or play both sides in mijnlieff.VectorEnv"
        )
    if options.get("observation") == "packed":
        raise ValueError(
            "Stable-Baselines3 converts observations to float32, which cannot hold packed ones; "
            "choose 'flat' or 'planes'"
        )
    autoreset = options.get("autoreset", "same_step")
    if getattr(autoreset, "name", autoreset) not in ("same_step", "SAME_STEP"):
        raise ValueError(
            "a VecEnv starts new games in the step that ends the old ones; leave autoreset out, or "
            f"use mijnlieff.VectorEnv for {autoreset!r}"
        )
    if options.get("copy", True) is not True:
        raise ValueError(
            "Stable-Baselines3 keeps observations for longer than a step; leave copy out, or use "
            f"mijnlieff.VectorEnv for copy={options['copy']!r}"
        )
