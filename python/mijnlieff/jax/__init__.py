"""The game in JAX, with the interface of Pgx.

`Mijnlieff` is a `pgx.Env` for every variant: boards of 1 to 64 cells in any shape, all openings,
any number of copies. Its functions are pure and call nothing outside JAX, so `jax.jit`, `jax.vmap`
and `jax.lax.scan` apply, and games run on the device where the network is.

>>> import jax
>>> from mijnlieff.jax import Mijnlieff, to_positions
>>> env = Mijnlieff()
>>> state = jax.vmap(env.init)(jax.random.split(jax.random.key(0), 3))
>>> state = jax.jit(jax.vmap(env.step))(state, state.legal_action_mask.argmax(axis=1))
>>> [position.notation for position in to_positions(state)]
['..../..../..../S... a1 1', '..../..../..../S... a1 1', '..../..../..../S... a1 1']

It needs jax and pgx (``pip install 'mijnlieff[jax]'``).
"""

from mijnlieff._util.extras import needs

with needs("mijnlieff.jax", "JAX and Pgx", "jax", "jax>=0.7", "pgx>=2.6"):
    from mijnlieff.jax.env import Mijnlieff
    from mijnlieff.jax.state import State, to_position, to_positions

__all__ = ["Mijnlieff", "State", "to_position", "to_positions"]
