"""The game as RLlib environments, with the action mask in the observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from mijnlieff._util.arguments import check_choice
from mijnlieff.envs.attributes import AT_THE_END
from mijnlieff.envs.masked import SingleMaskInObservation, VectorMaskInObservation
from mijnlieff.envs.single import MijnlieffEnv
from mijnlieff.envs.vector import VectorEnv
from mijnlieff.errors import GameOverError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mijnlieff._mijnlieff import Position

__all__ = ["MaskedEnv", "MijnlieffMultiAgentEnv"]

_Flags = dict[Any, bool]  # by agent, and for "__all__"

_GAME = (
    "variant",
    "observation",
    "reward",
    "auto_pass",
    "illegal_action",
    "random_plies",
    "render_mode",
)
_MANY = ("variants", "variant_weights", "canvas")
_RESETS = "RLlib decides when games are reset"
_FLOAT = "observations are float32 for RLlib"
_NOT_IN_MULTI = {
    "opponent": "both agents are modules here: map one to a PolicyRLModule, or use MaskedEnv",
    "seat": "the policy_mapping_fn decides who plays which agent",
    "num_envs": "use num_envs_per_env_runner of config.env_runners",
    "autoreset": _RESETS,
    "dtype": _FLOAT,
    **dict.fromkeys(_MANY, "only MaskedEnv has it"),
}
_NOT_IN_MASKED = {
    "autoreset": _RESETS,
    "dtype": _FLOAT,
    "state_bytes": "only MijnlieffMultiAgentEnv has it",
}


def _checked(
    config: Mapping[str, Any] | None, names: tuple[str, ...], elsewhere: dict[str, str]
) -> dict[str, Any]:
    """Return the options in an ``env_config``, after checking their names."""
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dictionary of options, not {config!r}")
    for name in config:
        if name not in names:
            reason = elsewhere.get(name, f"choose from {', '.join(names)}")
            raise ValueError(f"unknown option {name!r} in the env_config; {reason}")
    check_choice("observation layout", config.get("observation", "flat"), ("flat", "planes"))
    return dict(config)


class MijnlieffMultiAgentEnv(MultiAgentEnv):
    """One game between agents 0, who is Light, and 1, who is Dark.

    In every step only the agent to move has an observation, ``{"observations": float32,
    "action_mask": float32 (num_actions,)}``, seen by that agent. When the game is over both have
    one, of the last position from their own side; its mask has only the pass. Both get their
    rewards then, which add up to 0, and infos with ``"score"`` int16 ``(2,)`` (Light, Dark),
    ``"winner"`` (0, 1, or -1 for a draw) and, with ``illegal_action="lose"``, ``"illegal"``, a bool
    array ``()``. The games are those of `MijnlieffEnv` with the same seed and ``opponent=None``.

    Args:
        config: the options, all with defaults. ``variant``, ``auto_pass``, ``random_plies`` and
            ``render_mode`` as in `MijnlieffEnv`; ``observation``, ``"flat"`` (the default) or
            ``"planes"``; ``reward``, ``"outcome"`` or ``"margin"``; ``illegal_action``, ``"lose"``
            (the default: -1 for the agent and 1 for the other one) or ``"raise"``. RLlib's own
            check of an environment draws actions without the mask, so ``"raise"`` also needs
            ``config.environment(disable_env_checking=True)``. With ``state_bytes=True``
            observations have the entry ``"state_bytes"``, uint8: the state of
            `mijnlieff.functional`, which a `PolicyRLModule` needs.

    Raises:
        ValueError: an option does not exist, or has an unknown value.
        TypeError: `config` is not a dictionary, or an option has a wrong type.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Make the game; `reset` starts it."""
        super().__init__()
        options = _checked(config, (*_GAME, "state_bytes"), _NOT_IN_MULTI)
        self._state_bytes = options.pop("state_bytes", False)
        if not isinstance(self._state_bytes, bool):
            raise TypeError(f"state_bytes must be True or False, not {self._state_bytes!r}")
        self._layout = options.get("observation", "flat")
        self._game = MijnlieffEnv(opponent=None, **options)
        self._player: int | None = None
        self.metadata = dict(self._game.metadata)  # RLlib writes to it
        self.render_mode = self._game.render_mode
        self.possible_agents = [0, 1]
        self.agents = [0, 1]  # also after the end, as RLlib looks there for those with rewards
        space = self._space()
        self.observation_spaces = dict.fromkeys(self.agents, space)
        actions = self._game.action_space
        self.action_spaces = dict.fromkeys(self.agents, actions)

    def _space(self) -> Dict:
        game = self._game
        assert isinstance(game.action_space, Discrete)
        spaces: dict[str, Space[Any]] = {
            "observations": game.observation_space,
            "action_mask": Box(0, 1, (int(game.action_space.n),), np.float32),
        }
        if self._state_bytes:
            words = 1 if game.variant.board.num_cells <= 16 else 5
            spaces["state_bytes"] = Box(0, 255, (8 * words,), np.uint8)
        return Dict(spaces)

    @property
    def position(self) -> Position:
        """The current position."""
        return self._game.position

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[int, Any], dict[int, Any]]:
        """Start a new game.

        Args:
            seed: restarts the random stream of ``random_plies``; None continues it.
            options: must be empty; there are no options.

        Returns:
            The observation and the info, by the agent that is to move.
        """
        observation, info = self._game.reset(seed=seed, options=options)
        self._player = int(info["to_play"])
        return {self._player: self._seen(observation, info["action_mask"])}, {self._player: {}}

    def step(
        self, action_dict: dict[int, Any]
    ) -> tuple[dict[int, Any], dict[int, float], _Flags, _Flags, dict[int, Any]]:
        """Play the action of the agent that is to move.

        Args:
            action_dict: ``{agent: action}`` with that agent only.

        Returns:
            Observations, rewards, terminations, truncations (never) and infos, by agent.

        Raises:
            ValueError: another agent acts, or none or both.
            TypeError: the actions are not a dictionary, or the action is not an integer.
            GameOverError: the game is over or was never started.
            IllegalMoveError: the action is out of range, or illegal with
                ``illegal_action="raise"``. Nothing has changed.
        """
        player = self._player
        if player is None:
            raise GameOverError("there is no game; reset the environment first")
        if not isinstance(action_dict, Mapping):
            raise TypeError(f"actions are a dictionary by agent, not {action_dict!r}")
        if set(action_dict) != {player}:
            raise ValueError(f"agent {player} is to move, not {list(action_dict)}")
        observation, reward, over, _, info = self._game.step(action_dict[player])
        if not over:
            self._player = after = int(info["to_play"])
            seen = {after: self._seen(observation, info["action_mask"])}
            return seen, {player: 0.0}, {"__all__": False}, {"__all__": False}, {after: {}}
        self._player = None
        position, mask = self.position, info["action_mask"]
        views = {it: position.observation(self._layout, np.float32, it) for it in (0, 1)}
        seen = {it: self._seen(view, mask) for it, view in views.items()}
        ends: dict[str, Any] = {name: info[name] for name in AT_THE_END if name in info}
        return (
            seen,
            {player: reward, 1 - player: -reward},
            {0: True, 1: True, "__all__": True},
            {0: False, 1: False, "__all__": False},
            {0: ends, 1: dict(ends)},
        )

    def _seen(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> dict[str, NDArray[Any]]:
        seen = {"observations": observation, "action_mask": mask.astype(np.float32)}
        if self._state_bytes:
            words = np.atleast_1d(np.asarray(self.position.to_packed(), "<u8"))
            seen["state_bytes"] = words.view(np.uint8)
        return seen

    def render(self) -> Any:
        """Return the position as text or uint8 ``(height, width, 3)``, or show it in the window."""
        return self._game.render()

    def close(self) -> None:
        """Close the window and the game; every later use raises `ClosedEnvError`."""
        self._game.close()


class MaskedEnv(SingleMaskInObservation):
    """An agent against an opponent, with the action mask in the observation.

    Observations are ``{"observations": float32, "action_mask": float32 (num_actions,)}``; rewards,
    infos and games are those of `MijnlieffEnv` with the same seed. With ``num_envs`` in the config
    it is not one game but a `VectorEnv` of native games with next-step autoreset, and game ``i``
    is that of ``seed + i``. RLlib asks for it, and says how many, after
    ``config.env_runners(gym_env_vectorize_mode="vector_entry_point")``.

    Args:
        config: the options, all with defaults. ``variant``, ``variants``, ``variant_weights``,
            ``canvas``, ``opponent`` (``"random"``), ``seat``, ``auto_pass``,
            ``random_plies`` and ``render_mode`` as in `MijnlieffEnv`; ``observation``, ``"flat"``
            or ``"planes"`` (the default on a canvas, else it is flat); ``reward``,
            ``"outcome"`` or ``"margin"``; ``illegal_action``, ``"raise"`` (the default, so that a
            module that ignores the mask fails at once) or ``"lose"``; ``num_envs``.

    Raises:
        ValueError: an option does not exist, or has an unknown value; or the opponent is None.
        TypeError: `config` is not a dictionary, or an option has a wrong type.
    """

    def __new__(cls, config: Mapping[str, Any] | None = None) -> Any:
        """Make the vector form if the config has ``num_envs``."""
        options = _masked_options(config)
        if "num_envs" not in options:
            return super().__new__(cls)
        return VectorMaskInObservation(VectorEnv(autoreset="next_step", **options))

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Make the single form."""
        super().__init__(MijnlieffEnv(**_masked_options(config)))


def _masked_options(config: Mapping[str, Any] | None) -> dict[str, Any]:
    names = (*_GAME, *_MANY, "opponent", "seat", "num_envs")
    options = {
        "opponent": "random",
        "illegal_action": "raise",
        **_checked(config, names, _NOT_IN_MASKED),
    }
    if options["opponent"] is None:
        raise ValueError(
            "MaskedEnv has one agent, so opponent=None (self-play) is not possible; "
            "use MijnlieffMultiAgentEnv"
        )
    return options
