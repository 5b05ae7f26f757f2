"""One game for two agents, as a PettingZoo environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space

from mijnlieff._mijnlieff import Position, as_variant
from mijnlieff._util.arguments import check_choice
from mijnlieff._util.extras import needs
from mijnlieff.envs.spaces import observation_space
from mijnlieff.envs.viewer import Viewer
from mijnlieff.errors import ClosedEnvError, GameOverError

with needs("the two-agent environment", "PettingZoo", "pettingzoo"):
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from mijnlieff.rules import VariantLike

__all__ = ["env", "raw_env"]


def env(**options: Any) -> AECEnv[str, Any, Any]:
    """Return the environment in PettingZoo's usual wrappers.

    An illegal action ends the game with -1 for the agent that chose it. An action out of range and
    a wrong order of calls are errors. `raw_env` documents the options.
    """
    wrapped: AECEnv[str, Any, Any] = raw_env(**options)
    for wrapper in (
        lambda game: wrappers.TerminateIllegalWrapper(game, illegal_reward=-1),
        wrappers.AssertOutOfBoundsWrapper,
        wrappers.OrderEnforcingWrapper,
    ):
        wrapped = wrapper(wrapped)
    return wrapped


class raw_env(AECEnv[str, Any, Any]):  # type: ignore[misc] # PettingZoo has no types
    """One game between ``player_0``, who is Light, and ``player_1``, who is Dark.

    Observations are ``{"observation": ..., "action_mask": int8 (num_actions,)}``, from the point of
    view of the agent that observes. Off turn, no cell is allowed and the mask is all zero, as in
    PettingZoo's own board games. Each agent gets its reward at the end of the game, and its info
    then has ``"score"`` int16 ``(2,)`` (Light, Dark) and ``"winner"`` (0, 1, or -1 for a draw).

    Args:
        variant: the game to play; None is the standard game.
        observation: ``"planes"`` ``(12, height, width)`` or ``"flat"`` ``(3 * num_cells + 8,)``.
        dtype: float32 or uint8.
        reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (own points minus the opponent's).
        render_mode: None, ``"ansi"`` (text), ``"rgb_array"`` (uint8 picture) or ``"human"`` (a
            window).

    Raises:
        ValueError: an option has an unknown value.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's name and type
        "render_modes": ["ansi", "rgb_array", "human"],
        "name": "mijnlieff_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        variant: VariantLike | None = None,
        observation: Literal["planes", "flat"] = "planes",
        dtype: DTypeLike = "float32",
        reward: Literal["outcome", "margin"] = "outcome",
        render_mode: str | None = None,
    ) -> None:
        """Make the game; `reset` starts it."""
        super().__init__()
        check_choice("observation layout", observation, ("planes", "flat"))
        check_choice("reward", reward, ("outcome", "margin"))
        self.variant = as_variant(variant)
        self.render_mode = render_mode
        self._viewer = Viewer(render_mode, self.metadata)
        self._layout: Literal["planes", "flat"] = observation
        self._dtype = np.dtype(dtype)
        self._reward = reward
        self._position = Position(self.variant)
        self._closed = False
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        actions = self.variant.num_actions
        space = observation_space([self.variant], observation, self._dtype)
        mask = Box(0, 1, (actions,), np.int8)
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: Dict({"observation": space, "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, Space[Any]] = {
            agent: Discrete(actions) for agent in self.possible_agents
        }
        self.state_space = space

    @property
    def position(self) -> Position:
        """The current position."""
        return self._position

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the agent's space, the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the agent's space, the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. The game is deterministic, so the seed is ignored, as are the options.

        Raises:
            ClosedEnvError: the environment was closed.
        """
        self._check_open()
        self._position = Position(self.variant)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        if self._viewer.follows:
            self._viewer.render(self._position)

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the observation of an agent, at its turn or off turn.

        Raises:
            ValueError: an unknown agent.
            ClosedEnvError: the environment was closed.
        """
        self._check_open()
        check_choice("agent", agent, self.possible_agents)
        position, player = self._position, self.possible_agents.index(agent)
        acts = position.to_play == player
        mask = position.action_mask() if acts else np.zeros(self.variant.num_actions, np.int8)
        seen = position.observation(self._layout, self._dtype, player)
        return {"observation": seen, "action_mask": mask}

    def state(self) -> NDArray[Any]:
        """Return the observation of the side to move.

        Raises:
            ClosedEnvError: the environment was closed.
        """
        self._check_open()
        return self._position.observation(self._layout, self._dtype)

    def step(self, action: SupportsIndex | None) -> None:
        """Play an action for the agent in `agent_selection`; None if it has terminated.

        Raises:
            IllegalMoveError: the action is illegal or out of range. Nothing has changed.
            GameOverError: there is no game; call `reset` first.
            ClosedEnvError: the environment was closed.
        """
        self._check_open()
        if not self.agents:
            raise GameOverError("there is no game; reset the environment first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._position = self._position.play(action)  # type: ignore[arg-type]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._position.is_over:
            self._finish()
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[self._position.to_play]
        if self._viewer.follows:
            self._viewer.render(self._position)

    def _finish(self) -> None:
        position = self._position
        margin = position.margin if self._reward == "margin" else np.sign(position.margin)
        self.rewards = {"player_0": float(margin), "player_1": -float(margin)}
        self.terminations = dict.fromkeys(self.agents, True)
        winner = -1 if position.winner is None else position.winner
        self.infos = {
            agent: {"score": np.array(position.score, np.int16), "winner": winner}
            for agent in self.agents
        }

    def render(self) -> Any:
        """Return the position as text or uint8 ``(height, width, 3)``, or show it in the window.

        Raises:
            ClosedEnvError: the environment was closed.
        """
        self._check_open()
        return self._viewer.render(self._position)

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvError("the environment was closed; make a new one")

    def close(self) -> None:
        """Close the window and the game."""
        self._viewer.close()
        self._closed = True
