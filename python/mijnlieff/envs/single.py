"""One game for a single agent, as a Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete

from mijnlieff._util.arguments import integer, seed_of
from mijnlieff.envs.attributes import info_of
from mijnlieff.envs.vector import VectorEnv
from mijnlieff.envs.viewer import Viewer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from mijnlieff._mijnlieff import Canvas, Position, Variant
    from mijnlieff.policies.load import PolicyLike
    from mijnlieff.rules import VariantLike

__all__ = ["MijnlieffEnv"]


class MijnlieffEnv(gymnasium.Env[Any, Any]):
    """One game against an opponent, registered as ``Mijnlieff-v0``.

    The agent plays one side, the opponent's turns happen inside `reset` and `step`, and rewards
    are for the agent. With ``opponent=None`` the agent acts for both sides, and the reward is for
    the player who acted; algorithms for a single agent do not expect that.

    It is a `VectorEnv` of one game: reset with ``seed + i``, it plays the same game as game ``i``
    of a batch reset with ``seed``.

    Args:
        variant: the game to play; None is the standard game.
        variants: 1 to 65,535 variants that new games may have, in place of ``variant``.
        variant_weights: one number for each of `variants`, finite and at least 0: a variant is
            drawn with a probability in proportion to its weight. None makes all equally likely.
        canvas: the `Canvas` of observations, masks and actions. None is ``Canvas.around(variants)``
            with ``variants``; else there is none, and actions are those of the variant.
        opponent: the player of the other side, a name or a path for `load_policy` or any `Policy`;
            None lets the agent act for both sides.
        seat: the agent's side: ``"light"``, ``"dark"``, or ``"random"``, drawn again for every
            game.
        observation: ``"flat"`` ``(3 * num_cells + 8,)``, ``"planes"`` ``(12, height, width)`` or
            ``"packed"``, one uint64; None is flat, and planes on a canvas.
        dtype: float32 or uint8, for flat and planes.
        reward: ``"outcome"`` or ``"margin"``, paid in the step that ends the game.
        auto_pass: play the agent's forced passes inside ``step``.
        illegal_action: ``"lose"`` ends the game with -1 for the agent, for tools that sample
            actions without the mask; ``"raise"`` raises `IllegalMoveError`.
        random_plies: a new game starts after 0 to this many random legal plies, each number equally
            likely; 0 starts every game at the beginning.
        render_mode: None, ``"ansi"`` (text), ``"rgb_array"`` (uint8 picture) or ``"human"`` (a
            window).

    ``info`` has ``"action_mask"`` int8 ``(num_actions,)`` and ``"to_play"`` (0 Light, 1 Dark), with
    ``variants`` the index ``"variant"``, and when the game is over ``"score"`` int16 ``(2,)``
    (Light, Dark), ``"winner"`` (0, 1, or -1 for a draw) and, with ``illegal_action="lose"``,
    ``"illegal"``, a bool array ``()``. All are arrays or numbers of NumPy, which have a ``dtype``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's name and type
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
    }

    def __init__(
        self,
        variant: VariantLike | None = None,
        *,
        variants: Sequence[VariantLike] | None = None,
        variant_weights: Sequence[float] | None = None,
        canvas: Canvas | None = None,
        opponent: PolicyLike | None = "random",
        seat: Literal["light", "dark", "random"] = "random",
        observation: Literal["flat", "planes", "packed"] | None = None,
        dtype: DTypeLike = "float32",
        reward: Literal["outcome", "margin"] = "outcome",
        auto_pass: bool = False,
        illegal_action: Literal["raise", "lose"] = "lose",
        random_plies: SupportsIndex = 0,
        render_mode: str | None = None,
    ) -> None:
        """Make the game; `reset` starts it."""
        self.render_mode = render_mode
        self._viewer = Viewer(render_mode, self.metadata)
        self._games = VectorEnv(
            1,
            variant,
            variants=variants,
            variant_weights=variant_weights,
            canvas=canvas,
            opponent=opponent,
            seat=seat,
            observation=observation,
            dtype=dtype,
            reward=reward,
            autoreset="disabled",
            auto_pass=auto_pass,
            illegal_action=illegal_action,
            random_plies=random_plies,
            num_threads=1,
        )
        self._mask: NDArray[np.int8] | None = None
        self.action_space = Discrete(self._games.num_actions)
        self.observation_space = self._games.single_observation_space

    @property
    def variant(self) -> Variant:
        """The variant of the current game."""
        return self._games.variant or self.position.variant

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The variants that games may have."""
        return self._games.variants

    @property
    def canvas(self) -> Canvas | None:
        """The canvas of observations and actions, None if there is none."""
        return self._games.canvas

    @property
    def position(self) -> Position:
        """The current position."""
        return self._games.positions()[0]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new game.

        Args:
            seed: restarts the random streams; None continues them.
            options: must be empty; there are no options.

        Returns:
            The observation and ``info``.

        Raises:
            ValueError: a seed out of range, or any option.
            TypeError: the seed is not an integer.
            PolicyError: the opponent returned something illegal; nothing has changed.
            ClosedEnvError: the environment was closed.
        """
        if options:
            raise ValueError(f"unknown reset option {next(iter(options))!r}; there are no options")
        seed = None if seed is None else seed_of(seed)
        before = self._np_random, self._np_random_seed
        try:
            super().reset(seed=seed)
            if seed is None and self._mask is None:
                seed = int(self.np_random.integers(2**63))
            observations, info = self._games.reset(seed=seed)
        except BaseException:
            self._np_random, self._np_random_seed = before
            raise
        if self._viewer.follows:
            self._viewer.render(self.position)
        return observations[0, ...], self._single(info)

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action.

        Args:
            action: 0 to ``num_actions - 1``; the last one is the pass.

        Returns:
            The observation for the side to move, the reward, whether the game is over, False (games
            are never truncated), and ``info``.

        Raises:
            IllegalMoveError: the action is out of range, or illegal with
                ``illegal_action="raise"``. Nothing has changed.
            GameOverError: the game is over or was never started.
            TypeError: the action is not an integer.
            PolicyError: the opponent returned something illegal. Nothing has changed.
            ClosedEnvError: the environment was closed.
        """
        number = integer("action", action)
        observations, rewards, terminations, _, info = self._games.step([number])
        if self._viewer.follows:
            self._viewer.render(self.position)
        over = bool(terminations[0])
        return observations[0, ...], float(rewards[0]), over, False, self._single(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool ``(num_actions,)``; sb3-contrib calls this method.

        Raises:
            gymnasium.error.ResetNeeded: no game was started.
            ClosedEnvError: the environment was closed.
        """
        masks: NDArray[np.bool_] = self._games.action_masks()[0]
        return masks

    def render(self) -> Any:
        """Return the position as text or uint8 ``(height, width, 3)``, or show it in the window."""
        return self._viewer.render(self.position)

    def close(self) -> None:
        """Close the window and the game; every later use raises `ClosedEnvError`."""
        self._viewer.close()
        self._games.close()

    def _single(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Return the info of the only game of a batch."""
        info = info_of(infos, 0)
        self._mask = info["action_mask"]
        return info
