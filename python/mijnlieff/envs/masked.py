"""The action mask as part of the observation, for policies that look for it there."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import DTypeLike, NDArray

__all__ = ["MaskInObservation", "SingleMaskInObservation", "VectorMaskInObservation"]

_MASK = "action_mask"
_DTYPES = ("float32", "int8", "uint8")


class MaskInObservation:
    """A wrapper that adds the action mask to the observations of an environment.

    An observation becomes a dictionary of the environment's own observation and the mask, which
    ``info["action_mask"]`` holds. Frameworks such as RLlib look for the mask there. Called with a
    single environment it makes a `gymnasium.Wrapper`, and with a vector environment, in every
    autoreset mode, a `gymnasium.vector.VectorWrapper`. Rewards, infos, seeds and games are those
    of the environment; only the entries of ``info["final_obs"]`` become dictionaries too.

    It works with any environment that has a `Discrete` action space and the mask in ``info``, also
    with those of `gymnasium.make` and `gymnasium.make_vec`.

    >>> import mijnlieff
    >>> env = mijnlieff.envs.MaskInObservation(mijnlieff.VectorEnv(4))
    >>> observations, info = env.reset(seed=0)
    >>> {name: array.shape for name, array in observations.items()}
    {'observations': (4, 56), 'action_mask': (4, 65)}

    Args:
        env: the environment, single or vector.
        key: the entry of the environment's own observation; the mask is in ``"action_mask"``.
        dtype: of the mask, ``(num_actions,)`` or ``(num_envs, num_actions)``, 1 for legal actions:
            float32, int8 or uint8.

    Raises:
        TypeError: `env` is not an environment, its actions are not `Discrete`, `key` is not a
            string, or another dtype.
        ValueError: `key` is ``"action_mask"``. Later, in the first `reset`: the environment's
            ``info`` has no mask.
    """

    def __new__(cls, env: Any = None, *args: Any, **options: Any) -> Any:
        """Choose the class that fits the environment, as `pathlib.Path` does."""
        if cls is MaskInObservation:
            vector = isinstance(env, VectorEnv)
            return super().__new__(VectorMaskInObservation if vector else SingleMaskInObservation)
        return super().__new__(cls)

    def _check(self, env: Any, kind: type, actions: object, key: str, dtype: DTypeLike) -> None:
        """Keep the settings, and the number of actions, after checking them."""
        if not isinstance(env, kind):
            raise TypeError(f"env must be a Gymnasium environment, not {env!r}")
        if not isinstance(actions, Discrete):
            raise TypeError(f"only Discrete actions can be masked, not {actions}")
        if not isinstance(key, str):
            raise TypeError(f"key must be a string, not {key!r}")
        if key == _MASK:
            raise ValueError(f"key must differ from {_MASK!r}, the entry of the mask")
        self._key = key
        self._dtype = np.dtype(dtype)
        if self._dtype not in _DTYPES:
            raise TypeError(f"masks have dtype {', '.join(_DTYPES)}, not {self._dtype}")
        self._num_actions = int(actions.n)

    def _dict_space(self, space: Space[Any]) -> Dict:
        mask = Box(0, 1, (self._num_actions,), self._dtype.type)
        return Dict({self._key: space, _MASK: mask})

    def _with_mask(self, observation: Any, mask: NDArray[Any]) -> dict[str, Any]:
        # Always a copy, as the environment may write to its own array.
        return {self._key: observation, _MASK: mask.astype(self._dtype)}

    @staticmethod
    def _mask_of(info: dict[str, Any], env: object) -> NDArray[Any]:
        if _MASK not in info:
            raise ValueError(f"the info of {env} has no {_MASK!r}, only {', '.join(info) or '{}'}")
        mask: NDArray[Any] = info[_MASK]
        return mask


class SingleMaskInObservation(
    MaskInObservation, gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs
):
    """`MaskInObservation` of a single environment."""

    def __init__(
        self, env: gymnasium.Env[Any, Any], key: str = "observations", dtype: DTypeLike = "float32"
    ) -> None:
        """Wrap the environment."""
        RecordConstructorArgs.__init__(self, key=key, dtype=dtype)
        actions = getattr(env, "action_space", None)
        self._check(env, gymnasium.Env, actions, key, dtype)
        gymnasium.Wrapper.__init__(self, env)
        self.observation_space = self._dict_space(env.observation_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new game."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(observation, self._mask_of(info, self.env)), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Play an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        seen = self._with_mask(observation, self._mask_of(info, self.env))
        return seen, reward, terminated, truncated, info


class VectorMaskInObservation(MaskInObservation, VectorWrapper):
    """`MaskInObservation` of a vector environment."""

    def __init__(
        self, env: VectorEnv[Any, Any, Any], key: str = "observations", dtype: DTypeLike = "float32"
    ) -> None:
        """Wrap the environment."""
        self._check(env, VectorEnv, env.single_action_space, key, dtype)
        VectorWrapper.__init__(self, env)
        self.single_observation_space = self._dict_space(env.single_observation_space)
        self._masks: NDArray[Any] | None = None

    @cached_property
    def observation_space(self) -> Space[Any]:  # type: ignore[override]
        """The space of a batch of observations; made on first use, as it is large."""
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start new games."""
        observations, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(observations, self._known_masks(info)), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action in every game."""
        observations, rewards, terminations, truncations, info = self.env.step(actions)
        if "final_obs" in info:
            info = {**info, "final_obs": self._final_observations(info)}
        seen = self._with_mask(observations, self._known_masks(info))
        return seen, rewards, terminations, truncations, info

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each single environment, if the vector environment can."""
        return self.env.call(name, *args, **kwargs)  # type: ignore[attr-defined, no-any-return]

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each single environment, if the vector environment can."""
        return self.env.get_attr(name)  # type: ignore[attr-defined, no-any-return]

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each single environment, if the vector environment can."""
        self.env.set_attr(name, values)  # type: ignore[attr-defined]

    def _known_masks(self, info: dict[str, Any]) -> NDArray[Any]:
        """Return the masks of all games; a reset of a few gives only theirs."""
        masks = self._mask_of(info, self.env)
        given = info.get(f"_{_MASK}")
        if self._masks is not None and given is not None and not given.all():
            masks = np.where(given[:, None], masks, self._masks)
        # A copy, as the environment may write to its own array before the next reset of a few.
        self._masks = masks.astype(np.int8)
        return self._masks

    def _final_observations(self, info: dict[str, Any]) -> NDArray[Any]:
        """Return the observations that ended games, each as a dictionary with its mask."""
        masks = self._mask_of(info["final_info"], self.env)
        seen = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(info["_final_obs"]):
            seen[i] = self._with_mask(info["final_obs"][i], masks[i])
        return seen
