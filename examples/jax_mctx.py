"""Gumbel MuZero self-play with mctx on the game in JAX, in one file.

    python examples/jax_mctx.py

A small network learns from tree searches in games against itself. The value of the
next position belongs to the opponent, so the search discounts it by -1. At the end the network
alone, without search, meets a random player. Needs ``pip install 'mijnlieff[jax]' mctx optax``.
"""

from __future__ import annotations

import argparse
from functools import partial

import jax
import jax.numpy as jnp
import mctx
import optax

from mijnlieff import NetworkPolicy, evaluate
from mijnlieff.jax import Mijnlieff

ENV = Mijnlieff(observation="flat")
WIDTHS = [*ENV.observation_shape, 128, 128, ENV.num_actions + 1]


def network(params, observations, mask):
    """Return logits, illegal actions ruled out, and values of the player to move."""
    for weights, bias in params[:-1]:
        observations = jax.nn.relu(observations @ weights + bias)
    output = observations @ params[-1][0] + params[-1][1]
    return jnp.where(mask, output[:, 1:], jnp.finfo(jnp.float32).min), jnp.tanh(output[:, 0])


def simulate(params, key, actions, state):
    """Play an action in every game, in the form that mctx needs."""
    after = jax.vmap(ENV.step)(state, actions)
    logits, value = network(params, after.observation, after.legal_action_mask)
    reward = after.rewards[jnp.arange(len(actions)), state.current_player]
    sign = jnp.where(after.terminated, 0.0, -1.0)
    outputs = {"reward": reward, "discount": sign, "prior_logits": logits, "value": value}
    return mctx.RecurrentFnOutput(**outputs), after


@partial(jax.jit, static_argnames=("batch", "simulations"))
def play(params, key, batch, simulations):
    """Play whole games; return rows for `loss`, which have weight 0 after the end of a game."""

    def ply(state, key):
        logits, value = network(params, state.observation, state.legal_action_mask)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        mask = state.legal_action_mask
        found = mctx.gumbel_muzero_policy(params, key, root, simulate, simulations, ~mask)
        after = jax.vmap(ENV.step)(state, found.action)
        row = (state.observation, mask, found.action_weights, state.current_player)
        return after, (*row, ~state.terminated, after.rewards)

    first, *keys = jax.random.split(key, ENV.variant.max_game_length + 1)
    start = jax.vmap(ENV.init)(jax.random.split(first, batch))
    _, (*rows, player, weight, rewards) = jax.lax.scan(ply, start, jnp.stack(keys))
    result = jnp.where(player == 0, 1, -1) * rewards.sum(axis=0)[:, 0]
    return [part.reshape(-1, *part.shape[2:]) for part in (*rows, result, weight)]


def loss(params, seen, mask, policy, result, weight):
    """Return the error of policy and value."""
    logits, value = network(params, seen, mask)
    errors = optax.softmax_cross_entropy(logits, policy) + (value - result) ** 2
    return (errors * weight).sum() / jnp.maximum(weight.sum(), 1)


def main() -> None:
    """Train a network and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=80)
    parser.add_argument("--batch", type=int, default=128, help="games at once, a multiple of 8")
    for name, default in (("simulations", 16), ("games", 2000), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    key, *keys = jax.random.split(jax.random.key(args.seed), len(WIDTHS))
    layers = zip(keys, WIDTHS[:-1], WIDTHS[1:], strict=True)
    params = [(jax.random.normal(k, (i, o)) * (2 / i) ** 0.5, jnp.zeros(o)) for k, i, o in layers]
    optimizer = optax.adam(2e-3)
    moments, gradient = optimizer.init(params), jax.jit(jax.value_and_grad(loss))
    for iteration in range(args.iterations):
        key, of_play, of_order = jax.random.split(key, 3)
        rows = play(params, of_play, args.batch, args.simulations)
        for indices in jax.random.permutation(of_order, len(rows[0])).reshape(args.batch // 8, -1):
            error, slope = gradient(params, *(part[indices] for part in rows))
            change, moments = optimizer.update(slope, moments)
            params = optax.apply_updates(params, change)
        if (iteration + 1) % 10 == 0:
            print(f"iteration {iteration + 1}: loss {error:.2f}", flush=True)
    policy = NetworkPolicy(jax.jit(lambda seen, mask: network(params, seen, mask == 1)[0]))
    print(evaluate(policy, "random", games=args.games, seed=args.seed))


if __name__ == "__main__":
    main()
