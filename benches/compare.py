"""Compare the speed of other libraries' board games with this package, measured in the same run.

    python benches/compare.py .venv-peers/bin/python

The argument is a Python that has them; `make bench-peers` makes one. It measures each library in a
separate process, one after the other, and this package right before each. The games differ: a step
of Othello is more work than one of Mijnlieff, a step of tic-tac-toe is less.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from mijnlieff import Variant
from mijnlieff.cli.bench import step_rate

BATCHES = [1, 1024, 4096, 16384]
PEERS = [
    *(
        ("pgx", game, size)
        for game in ("tic_tac_toe", "connect_four", "othello")
        for size in BATCHES
    ),
    *(("openspiel", game, 1) for game in ("tic_tac_toe", "connect_four", "othello")),
    *(("pettingzoo", game, 1) for game in ("tictactoe_v3", "connect_four_v3")),
]


def our_rate(games: int, seconds: float) -> float:
    """Return steps of a game in a second: one thread, flat float32 with mask, own arrays."""
    return games * step_rate(games, Variant(), seconds, num_threads=1, copy=False)


def peer_rate(python: str, peer: tuple[str, str, int], seconds: float) -> float | str:
    """Return steps of a game in a second, or the reason why it was not measured."""
    script = Path(__file__).with_name("peer_rates.py")
    command = [python, str(script), *map(str, peer), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return f"not measured: {lines[-1] if lines else f'exit code {done.returncode}'}"
    return float(done.stdout)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="a Python with pgx, open_spiel and pettingzoo")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    args = parser.parse_args()
    print(
        "Steps of one game in a second: random legal actions, observation and mask every step,\n"
        "and games that end restart. Drawing the actions is not counted.\n"
        "Ours: Mijnlieff on one thread at the same batch size. pgx uses every core there is.\n"
    )
    print(f"{'library':<11} {'game':<16} {'games':>6} {'steps':>12} {'ours':>12} {'ratio':>8}")
    for peer in PEERS:
        library, game, games = peer
        ours = our_rate(games, args.seconds)
        theirs = peer_rate(args.python, peer, args.seconds)
        line = f"{library:<11} {game:<16} {games:6}"
        if isinstance(theirs, str):
            print(line, theirs, flush=True)
        else:
            print(f"{line} {theirs:12,.0f} {ours:12,.0f} {ours / theirs:7,.1f}x", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
