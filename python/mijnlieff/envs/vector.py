"""Many games at once: the native batch as a Gymnasium vector environment."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal, NoReturn, SupportsIndex

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete, Space
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from mijnlieff._mijnlieff import (
    MAX_ENVS,
    BatchEnv,
    BuiltinPolicy,
    Canvas,
    Position,
    as_variant,
    as_variants,
)
from mijnlieff._util.arguments import check_choice, integer_in, seed_of
from mijnlieff.envs.attributes import GameAttributes
from mijnlieff.envs.game_numbers import GameNumbers
from mijnlieff.envs.outside import play_outside
from mijnlieff.envs.spaces import observation_space
from mijnlieff.envs.viewer import Viewer
from mijnlieff.errors import ClosedEnvError
from mijnlieff.policies.base import GamePolicy, act_checked
from mijnlieff.policies.load import PolicyLike, load_policy
from mijnlieff.policies.network import NetworkPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from mijnlieff._mijnlieff import Variant
    from mijnlieff.rules import VariantLike

__all__ = ["VectorEnv"]

_AUTORESET = {
    "same_step": AutoresetMode.SAME_STEP,
    "next_step": AutoresetMode.NEXT_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class _Closed:
    """Takes the place of the batch of a closed environment; any use raises an error."""

    def __getattr__(self, name: str) -> NoReturn:
        raise ClosedEnvError("the environment was closed; make a new one")


class VectorEnv(GameAttributes, GymnasiumVectorEnv[Any, Any, Any]):
    """Many games, of one variant or of many, stepped together in native code.

    Without an opponent it is self-play: every step acts for the side to move of every game,
    observations are seen by that side, and the reward belongs to the player who acted. With an
    opponent the agent plays one side of each game; the other side's turns happen inside ``step``,
    and the reward is the agent's.

    With ``variants`` every new game, also one that starts inside ``step``, first draws its variant
    from its own stream. Observations are planes on a `Canvas` that all boards fit, masks and
    actions are those of the canvas, and ``info["variant"]`` says which variant each game has.

    Game ``i`` has its own random streams, made from ``seed + i``. So the same seed gives
    the same games whatever ``num_envs`` and ``num_threads``, and the same as `MijnlieffEnv`.

    Args:
        num_envs: number of games, 1 to 2**24.
        variant: the game to play; None is the standard game.
        variants: 1 to 65,535 variants that new games may have, in place of ``variant``; a variant
            may be listed repeatedly.
        variant_weights: one number for each of `variants`, finite and at least 0: a variant is
            drawn with a probability in proportion to its weight. None makes all equally likely.
        canvas: the `Canvas` of observations, masks and actions. None is ``Canvas.around(variants)``
            with ``variants``; else there is none, and actions are those of the variant.
        opponent: None for self-play; a name or a path for `load_policy`, or any `Policy`.
            ``"random"``, ``"greedy"``, ``"minimax:DEPTH"`` and ``"perfect:EPSILON"``, which are
            built-in policies, play natively and draw from the games' streams. Any other policy is
            asked for all waiting games at once; a `GamePolicy` is told the games' numbers.
            Policies see positions and return actions of each position's own variant, also on a
            canvas. A perfect one keeps a table for each of up to four variants; more share the
            memory of one, see `set_table_bytes`.
        seat: the agent's side against an opponent: ``"light"``, ``"dark"``, or ``"random"``, drawn
            again for every game.
        observation: ``"flat"`` ``(N, 3 * num_cells + 8)``, ``"planes"`` ``(N, 12, height, width)``
            or ``"packed"`` ``(N,)`` uint64 (see `mijnlieff.encoding.expand_packed`). None is flat,
            and planes on a canvas, where there is nothing else.
        dtype: float32 or uint8, for flat and planes.
        reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (own points minus the opponent's), paid
            in the step that ends a game.
        autoreset: ``"same_step"``, ``"next_step"`` or ``"disabled"``, or Gymnasium's
            `AutoresetMode`.
        auto_pass: play forced passes inside ``step`` instead of asking for them.
        illegal_action: ``"raise"`` an `IllegalMoveError` before any game has moved, or ``"lose"``:
            that game ends, and the player who acted gets -1.
        random_plies: a new game starts after 0 to this many random legal plies, each number equally
            likely, drawn from the game's own stream; 0 starts every game at the beginning. Below
            ``variant.max_game_length``, the smallest of all variants.
        num_threads: 1 to 1024; None is as many as there are cores. Batches of fewer than 2,048
            games use one. So does self-play of fewer than 16,384 games by default, because there a
            thread that waits for a core costs more than it saves.
        copy: True returns new arrays from every step; False returns the environment's own arrays,
            which the next step overwrites.
        render_mode: None, ``"ansi"`` (text) or ``"rgb_array"`` (uint8 pictures).

    Raises:
        ValueError: an option has an unknown value; the message lists the valid ones. Also both
            ``variant`` and ``variants``, no variants or too many, or numbers that are not weights.
        TypeError: an option has a wrong type.
        VariantError: packed observations of a board they cannot hold, or a board does not fit the
            canvas.
        PolicyError: the network of the opponent cannot play a variant that is drawn.

    Attributes:
        variants: the variants that games may have, a tuple.
        variant: the variant, None if there are several.
        canvas: the canvas, None if there is none.
        num_actions: the number of actions of the canvas, or of the variant.

    ``info`` always has ``"action_mask"``, int8 ``(N, num_actions)``, no row of which is ever all
    zero, and ``"to_play"``, int8 ``(N,)``, both for the returned observations. With ``variants`` it
    has ``"variant"``, int64 ``(N,)``, the index of the variant of the observed game. If a game
    ended in the step it also has ``"score"`` int16 ``(N, 2)`` (Light, Dark), ``"winner"`` int8
    ``(N,)`` (0 Light, 1 Dark, -1 a draw), with ``illegal_action="lose"`` ``"illegal"`` bool
    ``(N,)``, and in same-step mode ``"final_obs"``, an object array of observations, and
    ``"final_info"``, a dictionary of the same names for the last positions; its ``"action_mask"``,
    which has only the pass, is to read only. As in Gymnasium, the same name with an underscore is
    the bool ``(N,)`` mask of the games that have a value.

    ``gymnasium.make_vec`` makes this class unless told to use another vectorization, with the
    defaults of `MijnlieffEnv`: a random opponent, and illegal actions lose.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's name and type
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: SupportsIndex,
        variant: VariantLike | None = None,
        *,
        variants: Sequence[VariantLike] | None = None,
        variant_weights: Sequence[float] | None = None,
        canvas: Canvas | None = None,
        opponent: PolicyLike | None = None,
        seat: Literal["light", "dark", "random"] = "random",
        observation: Literal["flat", "planes", "packed"] | None = None,
        dtype: DTypeLike = "float32",
        reward: Literal["outcome", "margin"] = "outcome",
        autoreset: Literal["same_step", "next_step", "disabled"] | AutoresetMode = "same_step",
        auto_pass: bool = False,
        illegal_action: Literal["raise", "lose"] = "raise",
        random_plies: SupportsIndex = 0,
        num_threads: SupportsIndex | None = None,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Make the games; `reset` starts them."""
        super().__init__()
        self.num_envs = integer_in("num_envs", num_envs, 1, MAX_ENVS)
        self.variants = _variants(variant, variants, variant_weights)
        self.variant = self.variants[0] if len(self.variants) == 1 else None
        if canvas is not None and not isinstance(canvas, Canvas):
            raise TypeError(f"canvas must be a Canvas or None, not {canvas!r}")
        if canvas is None and variants is not None:
            canvas = Canvas.around(self.variants)
        self.canvas = canvas
        if observation is None:
            observation = "flat" if canvas is None else "planes"
        self.autoreset_mode = _autoreset_mode(autoreset)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self._viewer = Viewer(render_mode, self.metadata)
        player = None if opponent is None else load_policy(opponent)
        # A built-in policy plays inside the native step; any other is asked from here.
        self._policy = None if isinstance(player, BuiltinPolicy) else player
        is_told = isinstance(player, GamePolicy)
        self._numbers = GameNumbers.none_started(self.num_envs) if is_told else None
        self._options: dict[str, Any] = {
            "variant_weights": variant_weights,
            "canvas": canvas,
            "with_variant_index": variants is not None,
            "opponent": player,
            "seat": seat,
            "observation": observation,
            "dtype": dtype,
            "reward": reward,
            "autoreset": self.autoreset_mode.name.lower(),
            "auto_pass": auto_pass,
            "illegal_action": illegal_action,
            "random_plies": random_plies,
            "num_threads": num_threads,
            "copy": copy,
        }
        self._batch: BatchEnv = BatchEnv(self.num_envs, self.variants, **self._options)
        if isinstance(player, NetworkPolicy):  # others can only be asked for actions
            weights = [1] * len(self.variants) if variant_weights is None else variant_weights
            for drawn in compress(self.variants, weights):
                player.model.check_variant(drawn)
        self._seeded = False
        self.num_actions = self.variants[0].num_actions if canvas is None else canvas.num_actions
        self.single_action_space = Discrete(self.num_actions)
        self.single_observation_space = observation_space(self.variants, observation, dtype, canvas)

    @cached_property
    def action_space(self) -> MultiDiscrete:  # type: ignore[override]
        """The space of a batch of actions; made on first use, as it is large."""
        return MultiDiscrete(np.full(self.num_envs, self.num_actions))

    @cached_property
    def observation_space(self) -> Space[Any]:  # type: ignore[override]
        """The space of a batch of observations; made on first use, as it is four batches large."""
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start new games.

        Args:
            seed: an integer restarts the streams of game ``i`` with ``seed + i``; a list gives one
                for each game, None leaves its streams as they are. Without a seed the streams
                continue; before the first seed they start from the system's entropy.
            options: ``{"reset_mask": mask}`` with a bool array ``(num_envs,)`` resets only those
                games.

        Returns:
            The observations and ``info``.

        Raises:
            ValueError: a seed is negative or above 2**64 - 1, a list or mask has a wrong length, a
                mask selects nothing, or an option does not exist.
            TypeError: a seed is not an integer, or the mask not a bool array.
            PolicyError: the opponent returned something illegal; nothing has changed.
        """
        mask = _reset_mask(options, self.num_envs)
        seeds = _seeds(seed)
        batch = self._batch
        before = self._np_random, self._np_random_seed, self._seeded, self._numbers

        def restore() -> None:
            self._np_random, self._np_random_seed, self._seeded, self._numbers = before

        try:
            super().reset(seed=seeds if isinstance(seeds, int) else None)
            self._seed_from_entropy()
            if self._policy is None:
                return batch.reset(seeds, mask)
        except BaseException:
            restore()
            raise

        def start(call: int) -> None:
            batch.start_reset(seeds, mask, call)
            self._numbers = self._numbers and self._numbers.after_reset(seeds, mask)

        return play_outside(batch, start, self._ask, batch.finish_reset, restore)

    def step(self, actions: ArrayLike) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action in every game.

        Args:
            actions: integers of any type ``(num_envs,)``, each in ``0..num_actions``; the last one
                passes. Games that start again in this step (autoreset "next_step") take any.

        Returns:
            observations: see the class, from the side that is to move now.
            rewards: float32 ``(num_envs,)``, for the player who acted; 0 unless the game ended.
            terminations: bool ``(num_envs,)``, whether the game ended in this step.
            truncations: bool ``(num_envs,)``, always False.
            info: see the class.

        Raises:
            IllegalMoveError: an action does not exist, or is illegal while ``illegal_action`` is
                "raise". ``env_index`` says in which game. No game has moved.
            GameOverError: a game has ended and was not reset, or none was started.
            TypeError: the actions are not integers.
            ValueError: the actions have a wrong shape.
            PolicyError: the opponent returned something illegal. No game has moved.
            ClosedEnvError: the environment was closed.
        """
        return self._step_asking(actions, None)

    def _step_asking(
        self, actions: ArrayLike, asked: NDArray[np.bool_] | None
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action in every game, and ask a Python opponent only about those of the mask.

        In the others any legal action is its answer, for a caller that takes their step back.
        """
        batch = self._batch
        if self._policy is None:
            return batch.step(actions)
        ask = partial(self._ask, asked=asked)
        start = partial(batch.start_step, actions)
        result = play_outside(batch, start, ask, batch.finish_step)
        if self._numbers is not None:
            restart = self.autoreset_mode == AutoresetMode.SAME_STEP
            self._numbers = self._numbers.after_step(result[2], restart=restart)
        return result

    def sample_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for each game, all equally likely.

        Each game has a separate random stream for these draws.

        Returns:
            int64 ``(num_envs,)``; the pass for games that are over.

        Raises:
            gymnasium.error.ResetNeeded: no game was started.
            ClosedEnvError: the environment was closed.
        """
        return self._batch.sample_actions()

    def positions(self) -> list[Position]:
        """Return the position of each game."""
        return self._batch.positions()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions in the last observations, bool ``(num_envs, num_actions)``.

        They are those of ``info["action_mask"]``, in a new array. Frameworks that mask actions,
        such as sb3-contrib, call this method.

        Raises:
            gymnasium.error.ResetNeeded: no game was started.
            ClosedEnvError: the environment was closed.
        """
        return self._batch.action_masks().view(np.bool_)

    def set_positions(
        self, positions: Sequence[Position], *, mask: NDArray[np.bool_] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Put games at positions; the agent takes the side to move.

        The random streams continue. A pass that is forced in a given position is asked for, even
        with ``auto_pass``.

        Args:
            positions: one for each game, or for each that the mask selects, in the order of the
                games; of this environment's variant, or one of its variants, and not over. Where
                a variant is listed repeatedly, the first of its indices counts.
            mask: bool ``(num_envs,)``, the games to put at positions; the others stay as they are.
                None selects all.

        Returns:
            The observations and ``info``, as `reset` does.

        Raises:
            ValueError: the number of positions is not that of the games, or the mask has a wrong
                length or selects nothing. Nothing has changed.
            GameOverError: the mask leaves out games, and they were never started.
            PositionError: a position is over or of another variant. Nothing has changed.
            TypeError: an item is not a `Position`, or the mask is not a bool array. Nothing has
                changed.
        """
        chosen = None if mask is None else _game_mask("mask", mask, self.num_envs)
        view = self._batch.set_positions(list(positions), chosen)
        self._seed_from_entropy()
        self._numbers = self._numbers and self._numbers.after_reset(None, chosen)
        return view

    def _seed_from_entropy(self) -> None:
        """Give every game streams that differ from run to run, before the first seeds."""
        if not self._seeded:
            seed = int(self.np_random.integers(2**63))
            self._batch.seed(seed)
            self._numbers = self._numbers and self._numbers.after_seed(seed)
            self._seeded = True

    def render(self) -> tuple[Any, ...] | None:
        """Draw every game: texts, or uint8 ``(height, width, 3)`` pictures; None without a mode.

        Pictures of boards of different shapes have different shapes.
        """
        if self.render_mode is None:
            return None
        return tuple(map(self._viewer.render, self.positions()))

    def close_extras(self, **kwargs: Any) -> None:
        """Give the memory back; every later use raises `ClosedEnvError`."""
        self._batch = _Closed()  # type: ignore[assignment]

    def _ask(
        self, waiting: list[Position], asked: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the opponent's actions in the pending games; those not asked about get any."""
        policy = self._policy
        assert policy is not None
        if asked is None and self._numbers is None:
            return act_checked(policy, waiting)
        games, restarts = self._batch.pending_games()
        numbers = None if self._numbers is None else self._numbers.of(games, restarts)
        if asked is None:
            return act_checked(policy, waiting, numbers)
        actions = np.array([position.legal_actions()[0] for position in waiting])
        due = asked[games]
        if due.any():
            positions = [waiting[i] for i in np.flatnonzero(due)]
            actions[due] = act_checked(policy, positions, None if numbers is None else numbers[due])
        return actions

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the native batch, and the state of its games."""
        state = self.__dict__.copy()
        batch = state.pop("_batch")
        state["games"] = None if self.closed else batch.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make a new native batch and restore its games."""
        games = state.pop("games")
        self.__dict__.update(state)
        if games is None:
            self._batch = _Closed()  # type: ignore[assignment]
        else:
            self._batch = BatchEnv(self.num_envs, self.variants, **self._options)
            self._batch.restore(games)


def _variants(
    variant: VariantLike | None,
    variants: Sequence[VariantLike] | None,
    weights: Sequence[float] | None,
) -> tuple[Variant, ...]:
    """Return the variants that the options name, after checking which of them are given."""
    if variants is None:
        if weights is not None:
            raise ValueError("variant_weights need variants, which are not given")
        if isinstance(variant, list | tuple):
            raise TypeError(f"give several variants as variants=, not variant={variant!r:.60}")
        return (as_variant(variant),)
    if variant is not None:
        raise ValueError(f"give variant={variant!r} or variants, not both")
    checked = as_variants(variants)
    Canvas.around(checked)  # refuses an empty list
    return checked


def _autoreset_mode(autoreset: str | AutoresetMode) -> AutoresetMode:
    if isinstance(autoreset, AutoresetMode):
        return autoreset
    check_choice("autoreset", autoreset, _AUTORESET)
    return _AUTORESET[autoreset]


def _seeds(seed: int | Sequence[int | None] | None) -> int | list[int | None] | None:
    if seed is None:
        return None
    if not isinstance(seed, (list, tuple, np.ndarray)) or getattr(seed, "ndim", 1) == 0:
        return seed_of(seed)
    return [None if one is None else seed_of(one) for one in seed]


def _reset_mask(options: dict[str, Any] | None, num_envs: int) -> list[bool] | None:
    """Return the mask in the options, checked as Gymnasium's own environments check it."""
    unknown = sorted(set(options or ()) - {"reset_mask"})
    if unknown:
        raise ValueError(f"unknown reset option {unknown[0]!r}; the only one is 'reset_mask'")
    if not options:
        return None
    return _game_mask("options['reset_mask']", options["reset_mask"], num_envs)


def _game_mask(name: str, mask: Any, num_envs: int) -> list[bool]:
    """Return a mask of games as a list, after checking it."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = mask.dtype if isinstance(mask, np.ndarray) else type(mask).__name__
        raise TypeError(f"{name} must be a NumPy array of bool, not {kind}")
    if mask.shape != (num_envs,):
        raise ValueError(f"{name} must have shape ({num_envs},), not {mask.shape}")
    if not mask.any():
        raise ValueError(f"{name} selects no game")
    chosen: list[bool] = mask.tolist()
    return chosen
