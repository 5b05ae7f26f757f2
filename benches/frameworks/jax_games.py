"""Measure the game in JAX beside three games of Pgx, in one run.

    python benches/frameworks/jax_games.py

Prints steps per second for each way to play, and each rate as a share of that of connect four.
Every step gives observation, mask, rewards and the end of the game; actions are random and legal.
The games take turns, and all rounds of a game play the same actions. The least time of each step,
or of each scan, counts, since other load on the machine only makes it longer. Where the machine is
never quiet, measure the processor's time on one core:

    taskset -c 0 python benches/frameworks/jax_games.py --clock processor

- `step`: calls of the compiled step for a batch. Drawing the actions is not counted.
- `reset`: the same with Pgx's automatic reset.
- `replay`: a compiled scan with automatic reset, of actions that were drawn before.
- `scan`: the same, which draws the actions too, by one random number for each game.
- `pgx`: the same scan with Pgx's `act_randomly`, which draws a number for every action: 65 for each
  game of Mijnlieff, and 7 of connect four.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pgx
from pgx.experimental import act_randomly, auto_reset

from mijnlieff.cli.timing import Measured, Work, measure, timed
from mijnlieff.jax import Mijnlieff

PLIES = 16
#: Actions whose legal ones are counted together.
BLOCK = 16
GAMES = {
    "connect four": lambda: pgx.make("connect_four"),
    "tic-tac-toe": lambda: pgx.make("tic_tac_toe"),
    "othello": lambda: pgx.make("othello"),
    "mijnlieff": Mijnlieff,
    "mijnlieff uint8": lambda: Mijnlieff(dtype="uint8"),
    "mijnlieff flat": lambda: Mijnlieff(observation="flat"),
}
REFERENCE = "connect four"
Round = Callable[[], Sequence[float]]
Clock = Callable[[], float]


def draw(key: jax.Array, mask: jax.Array) -> jax.Array:
    """Return a random legal action for each game, from one random number for each."""
    # First the block of 16 actions, then the action in it. Sums up to each one are products, which
    # on a CPU take less time than cumsum.
    games, count = mask.shape
    blocks = -(-count // BLOCK)
    ones = jnp.pad(mask.astype(jnp.float32), ((0, 0), (0, blocks * BLOCK - count)))
    ones = ones.reshape(games, blocks, BLOCK)
    sums = ones.sum(axis=2)
    up_to = sums @ jnp.triu(jnp.ones((blocks, blocks), jnp.float32))
    number = jnp.floor(jax.random.uniform(key, (games,)) * up_to[:, -1])
    block = (up_to <= number[:, None]).sum(axis=1, keepdims=True)
    number -= jnp.take_along_axis(up_to - sums, block, axis=1)[:, 0]
    ones = jnp.take_along_axis(ones, block[:, :, None], axis=1)[:, 0]
    up_to = ones @ jnp.triu(jnp.ones((BLOCK, BLOCK), jnp.float32))
    return block[:, 0] * BLOCK + (up_to <= number[:, None]).sum(axis=1)


def by_calls(env: Any, games: int, clock: Clock, reset: bool) -> Round:
    """Return a round of calls from Python; it gives the seconds of each step."""
    one = auto_reset(env.step, env.init) if reset else env.step
    step = jax.jit(jax.vmap(one))
    keys = jax.random.split(jax.random.key(0), games)
    start = jax.jit(jax.vmap(env.init))(keys)

    def play() -> list[float]:
        random, state, spent = np.random.default_rng(0), start, []
        for _ in range(PLIES):
            mask = np.asarray(state.legal_action_mask)
            actions = (random.random(mask.shape, np.float32) * mask).argmax(axis=1)
            actions = actions.astype(np.int32)
            begin = clock()
            state = jax.block_until_ready(step(state, actions, keys))
            spent.append(clock() - begin)
        return spent

    return play


def by_scan(
    env: Any,
    games: int,
    clock: Clock,
    choose: Callable[[jax.Array, jax.Array], jax.Array],
    drawn_before: bool = False,
) -> Round:
    """Return a round of one scan with automatic reset; it gives its seconds."""
    step = jax.vmap(auto_reset(env.step, env.init))

    def ply(state: Any, given: tuple[jax.Array, jax.Array | None]) -> tuple[Any, Any]:
        key, actions = given
        first, second = jax.random.split(key)
        if actions is None:
            actions = choose(first, state.legal_action_mask)
        state = step(state, actions, jax.random.split(second, games))
        return state, (state.rewards, state.terminated, actions)

    scan = jax.jit(lambda state, given: jax.lax.scan(ply, state, given))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    keys = jax.random.split(jax.random.key(1), PLIES)
    actions = scan(state, (keys, None))[1][2] if drawn_before else None

    def run() -> None:
        jax.block_until_ready(scan(state, (keys, actions)))

    return lambda: [timed(run, clock=clock)]


CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
WAYS: dict[str, Callable[[Any, int, Clock], Round]] = {
    "step": lambda *given: by_calls(*given, reset=False),
    "reset": lambda *given: by_calls(*given, reset=True),
    "replay": lambda *given: by_scan(*given, draw, drawn_before=True),
    "scan": lambda *given: by_scan(*given, draw),
    "pgx": lambda *given: by_scan(*given, act_randomly),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each way and game")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    args = parser.parse_args()
    device = jax.devices()[0]
    print(f"{args.games:,} games on {device.platform} ({device.device_kind}), M steps/s")
    print(f"{'':<16}" + "".join(f" {way:>7} {'ratio':>6}" for way in args.ways))
    columns: list[dict[str, Measured]] = []
    for way in args.ways:
        plays = {
            name: WAYS[way](env(), args.games, CLOCKS[args.clock]) for name, env in GAMES.items()
        }
        works = [Work(name, args.games * PLIES, play) for name, play in plays.items()]
        columns.append(measure(works, args.seconds))
    for name in GAMES:
        cells = (
            f" {found[name].rate / 1e6:7.2f} {found[name].ratio(found[REFERENCE]):6.2f}"
            for found in columns
        )
        print(f"{name:<16}" + "".join(cells))


if __name__ == "__main__":
    main()
