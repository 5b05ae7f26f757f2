"""The environment with the interface of Pgx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import DTypeLike
from pgx import core

from mijnlieff._mijnlieff import Position, as_variant, common_variant, mask_batch, observe_batch
from mijnlieff._util.arguments import check_choice, integer_in
from mijnlieff.jax import game as rules
from mijnlieff.jax.state import State, check_state, game_of
from mijnlieff.jax.tables import tables_of
from mijnlieff.rules import VariantLike

if TYPE_CHECKING:
    from mijnlieff.jax.game import GameState

__all__ = ["Mijnlieff"]


class Mijnlieff(core.Env):
    """Mijnlieff as a `pgx.Env`: pure functions of states, for one game or, by `jax.vmap`, many.

    **Players.** Pgx players are 0 and 1. `init` draws from its key which of them is Light. Light
    moves first, so it is ``state.current_player`` of the new game. Players alternate strictly: a
    pass is an action.

    **Actions** are those of `Variant`: ``piece * num_cells + cell``, the last one passes.

    **Observations** are those of `Position.observation`, of the player to move. Planes have the
    axes of Pgx's games, ``(height, width, 12)``, row 0 the lowest;
    ``jnp.moveaxis(observation, -1, -3)`` has those of the package, ``(12, height, width)``.

    **The end.** A finished game stays as it is: `step` takes any action, rewards are 0, and every
    action is legal. An illegal action, or one that does not exist, ends the game: the player who
    chose it gets -1 and the other 1, and the position stays as it was.

    Environments are equal when their arguments are.

    Args:
        variant: the game; None is the standard game.
        observation: ``"planes"`` or ``"flat"`` ``(3 * num_cells + 8,)``.
        dtype: float32 (hands as shares of `Variant.copies`) or uint8 (hands as counts).
        reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (own points minus the opponent's).

    Raises:
        TypeError: `variant` is not a variant, or another dtype.
        ValueError: an unknown layout or reward.
    """

    def __init__(
        self,
        variant: VariantLike | None = None,
        *,
        observation: Literal["planes", "flat"] = "planes",
        dtype: DTypeLike = "float32",
        reward: Literal["outcome", "margin"] = "outcome",
    ) -> None:
        """Make the tables of the variant."""
        super().__init__()
        self.variant = as_variant(variant)
        check_choice("observation layout", observation, ("planes", "flat"))
        check_choice("reward", reward, ("outcome", "margin"))
        self.observation = observation
        self.reward = reward
        self._tables = tables_of(self.variant)
        # What every game starts with. Automatic resets would otherwise compute it in every step.
        first = Position(self.variant)
        seen = first.observation(observation, dtype)
        self.dtype = seen.dtype
        self._first_observation = self._axes(seen)
        self._first_mask = first.action_mask().astype(bool)

    def __repr__(self) -> str:
        """Return the arguments."""
        return (
            f"Mijnlieff({self.variant!r}, observation={self.observation!r}, "
            f"dtype={self.dtype.name!r}, reward={self.reward!r})"
        )

    def __eq__(self, other: object) -> bool:
        """Compare the arguments."""
        return isinstance(other, Mijnlieff) and self._arguments == other._arguments

    def __hash__(self) -> int:
        """Return the hash of the arguments."""
        return hash(self._arguments)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.variant, self.observation, self.dtype, self.reward

    def init(self, key: jax.Array) -> State:
        """Return the start of a game.

        Args:
            key: a JAX key, which decides which of the players is Light.
        """
        return State(
            # The same for floats of 32 and 64 bits, unlike a draw of a Boolean.
            current_player=(jax.random.bits(key, dtype=jnp.uint32) & 1).astype(jnp.int32),
            observation=jnp.asarray(self._first_observation),
            rewards=jnp.zeros(2, jnp.float32),
            terminated=jnp.bool_(False),
            truncated=jnp.bool_(False),
            legal_action_mask=jnp.asarray(self._first_mask),
            _step_count=jnp.int32(0),
            _x=rules.start(self._tables),
            _variant=self.variant,
        )

    def step(self, state: State, action: jax.Array, key: jax.Array | None = None) -> State:
        """Return the state after an action.

        Args:
            state: of one game; see `jax.vmap` for a batch.
            action: an integer, any dtype. JAX cuts integers off to 32 bits before a compiled or
                batched function sees them, unless 64 bits are enabled.
            key: without effect, as nothing is drawn; Pgx's wrappers pass it.

        Raises:
            TypeError: `action` is not an integer, or `state` not a `State`.
            ValueError: an array in place of one action or one game, or another variant.
        """
        self._check(state)
        chosen = self._action(action)
        tables, before, player = self._tables, state._x, state.current_player
        ended = state.terminated | state.truncated
        exists = (chosen >= 0) & (chosen < self.num_actions)
        illegal = ~ended & ~(exists & state.legal_action_mask[chosen])
        unchanged = ended | illegal
        after, over = rules.step(tables, before, chosen)
        over = over & ~unchanged
        margin = rules.points(tables, after.other) - rules.points(tables, after.own)
        result = margin if self.reward == "margin" else jnp.sign(margin)
        result = jnp.where(over, result, 0) - illegal
        game = rules.choose(unchanged, before, after)
        terminated = state.terminated | illegal | over
        following: State = state.replace(
            current_player=jnp.where(unchanged, player, 1 - player),
            observation=self._view(game, jnp.bool_(True)),
            rewards=jnp.where(jnp.arange(2) == player, result, -result).astype(jnp.float32),
            terminated=terminated,
            legal_action_mask=rules.legal_mask(tables, game) | terminated,
            _step_count=state._step_count + ~ended,
            _x=game,
        )
        return following

    def observe(self, state: State, player_id: jax.Array | None = None) -> jax.Array:
        """Return what a player sees of a state; off turn no cell is allowed.

        Args:
            state: of one game.
            player_id: a Pgx player, 0 or 1; None is the one to move.

        Raises:
            TypeError: `state` is not a `State`, or `player_id` not an integer.
            ValueError: there is no such player, an array in place of one player or one game, or
                another variant.
        """
        self._check(state)
        if player_id is None:
            return self._observe(state, state.current_player)
        if isinstance(player_id, int | np.integer):  # the value of others may not be known yet
            player_id = integer_in("player_id", player_id, 0, 1)
        return self._observe(state, _scalar("player_id", player_id))

    def from_position(self, position: Position, light_player: int = 0) -> State:
        """Return the state of a position, to start a game or a search from it.

        Args:
            position: of the variant of the environment; it may be over.
            light_player: the Pgx player who is Light, 0 or 1.

        Raises:
            TypeError: `position` is not a `Position`, or `light_player` not an integer.
            ValueError: the position is of another variant, or there is no such player.
        """
        states = self.from_positions([position], light_player)
        state: State = jax.tree.map(lambda leaf: leaf[0], states)
        return state

    def from_positions(self, positions: Sequence[Position], light_player: int = 0) -> State:
        """Return the states of positions as a batch, see `from_position`.

        Raises:
            TypeError: an item is not a `Position`, or `light_player` not an integer.
            ValueError: no positions, positions of another variant, or there is no such player.
        """
        if common_variant(positions) != self.variant:
            raise ValueError(
                f"the positions are of {positions[0].variant!r}, but the environment is of "
                f"{self.variant!r}"
            )
        light_player = integer_in("light_player", light_player, 0, 1)
        game = game_of(positions)
        over = np.array([position.is_over for position in positions])
        state = State(
            current_player=(game.plies % 2 ^ light_player).astype(np.int32),
            observation=self._axes(observe_batch(positions, self.observation, self.dtype)),
            rewards=np.zeros((len(positions), 2), np.float32),
            terminated=over,
            truncated=np.zeros(len(positions), bool),
            legal_action_mask=mask_batch(positions).astype(bool) | over[:, None],
            _step_count=game.plies,
            _x=game,
            _variant=self.variant,
        )
        return jax.tree.map(jnp.asarray, state)  # type: ignore[no-any-return]

    @property
    def id(self) -> Any:
        """The id, ``"mijnlieff"``; `pgx.make` knows only Pgx's own games."""
        return "mijnlieff"

    @property
    def version(self) -> str:
        """The version of the environment, that of ``Mijnlieff-v0``."""
        return "v0"

    @property
    def num_players(self) -> int:
        """2."""
        return 2

    @property
    def num_actions(self) -> int:
        """The number of actions, see `Variant`."""
        return self.variant.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The shape of one observation."""
        return tuple(self._first_observation.shape)

    def _check(self, state: State) -> None:
        """Raise unless a state is of this game; all of it is known when a function is traced."""
        check_state(state)
        if state.terminated.ndim:
            raise ValueError(
                f"the state is a batch of shape {state.terminated.shape}; use jax.vmap for a batch"
            )
        if state._variant != self.variant:
            raise ValueError(
                f"the state is of {state._variant!r}, but the environment is of {self.variant!r}"
            )

    def _action(self, action: Any) -> jax.Array:
        """Return an action as int32; one that does not exist stays so."""
        if isinstance(action, int | np.integer) and not 0 <= action < self.num_actions:
            action = -1  # JAX would take the low bits of a number that is too large
        action = _scalar("action", action)
        if action.dtype.itemsize > 4:  # its low bits alone may be an action
            action = jnp.where((action < 0) | (action >= self.num_actions), -1, action)
        return action.astype(jnp.int32)

    def _view(self, game: GameState, on_turn: jax.Array) -> jax.Array:
        write = rules.flat if self.observation == "flat" else rules.planes
        return write(self._tables, game, on_turn, self.dtype)

    def _axes(self, observations: Any) -> Any:
        """Return observations of the core with the axes of Pgx."""
        return np.moveaxis(observations, -3, -1) if self.observation == "planes" else observations

    # The methods that Pgx asks for; `init`, `step` and `observe` above replace those that call
    # them, since the observation of a new game is known and one branch is enough for every step.
    def _init(self, key: jax.Array) -> State:
        return self.init(key)

    def _step(self, state: State, action: jax.Array, key: jax.Array | None) -> State:
        return self.step(state, action, key)

    def _observe(self, state: State, player_id: jax.Array) -> jax.Array:
        return self._view(state._x, player_id == state.current_player)


def _scalar(name: str, value: Any) -> jax.Array:
    """Return an argument that is one integer as an array without axes."""
    if value is None or isinstance(value, str):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    number = jnp.asarray(value)
    if not jnp.issubdtype(number.dtype, jnp.integer):
        raise TypeError(f"{name} must be an integer, not {number.dtype}")
    if number.ndim:
        raise ValueError(
            f"{name} must be one integer, not an array of shape {number.shape}; use jax.vmap for "
            "a batch of games"
        )
    return number
