"""The environment with the interface of Pgx."""

from __future__ import annotations

from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import DTypeLike
from pgx import core
from pgx._src.struct import dataclass, field

from mijnlieff._mijnlieff import Variant
from mijnlieff.jax import game as rules
from mijnlieff.jax import observe as views
from mijnlieff.jax.game import GameState
from mijnlieff.jax.tables import tables_of

__all__ = ["Mijnlieff", "State"]


@dataclass
class State(core.State):
    current_player: jax.Array
    observation: jax.Array
    rewards: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    legal_action_mask: jax.Array
    _step_count: jax.Array
    _x: GameState
    _variant: Variant = field(pytree_node=False)

    @property
    def env_id(self) -> Any:
        return "mijnlieff"


class Mijnlieff(core.Env):
    def __init__(self, variant=None, *, observation="planes", dtype="float32", reward="outcome"):
        super().__init__()
        self.variant = Variant() if variant is None else variant
        self.observation = observation
        self.dtype = np.dtype(dtype)
        self.reward = reward
        self._tables = tables_of(self.variant)

    def _init(self, key):
        return self._state(
            rules.start(self._tables),
            current_player=jax.random.bernoulli(key).astype(jnp.int32),
            terminated=jnp.bool_(False),
            truncated=jnp.bool_(False),
            rewards=jnp.zeros(2, jnp.float32),
            step_count=jnp.int32(0),
        )

    def init(self, key):
        return self._init(key)

    def step(self, state, action, key=None):
        del key
        tables, before = self._tables, state._x
        action = jnp.asarray(action, jnp.int32)
        exists = (action >= 0) & (action < self.num_actions)
        ended = state.terminated | state.truncated
        illegal = ~ended & ~(exists & state.legal_action_mask[action])
        unchanged = ended | illegal
        after, over = rules.step(tables, before, action)
        over = over & ~unchanged
        margin = rules.points(tables, after.other) - rules.points(tables, after.own)
        result = margin if self.reward == "margin" else jnp.sign(margin)
        result = jnp.where(over, result, 0) - illegal
        player = state.current_player
        return self._state(
            rules.choose(unchanged, before, after),
            current_player=jnp.where(unchanged, player, 1 - player),
            terminated=state.terminated | illegal | over,
            truncated=state.truncated,
            rewards=jnp.where(jnp.arange(2) == player, result, -result).astype(jnp.float32),
            step_count=state._step_count + ~ended,
        )

    def _step(self, state, action, key):
        return self.step(state, action, key)

    def _state(self, x, *, current_player, terminated, truncated, rewards, step_count):
        mask = rules.legal_mask(self._tables, x) | terminated
        return State(
            current_player=current_player,
            observation=self._view(x, jnp.bool_(True)),
            rewards=rewards,
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=mask,
            _step_count=step_count,
            _x=x,
            _variant=self.variant,
        )

    def _view(self, x, on_turn):
        write = views.flat if self.observation == "flat" else views.planes
        return write(self._tables, x, on_turn, self.dtype)

    def _observe(self, state, player_id):
        return self._view(state._x, player_id == state.current_player)

    @property
    def id(self):
        return "mijnlieff"

    @property
    def version(self):
        return "v0"

    @property
    def num_players(self):
        return 2

    @property
    def num_actions(self):
        return self.variant.num_actions
