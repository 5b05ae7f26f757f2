"""One network for many boards, and what it is worth on a board that it has never seen.

Run it with ``pip install 'mijnlieff[train]'``::

    python examples/train_generalist.py --minutes 5

``mijnlieff train --boards arrangements:4 --holdout 0.2`` is the same on the command line.
"""

import argparse

from mijnlieff import grade, load_policy
from mijnlieff.train import Boards, Budget, TrainConfig, TrainState, train


def show(state: TrainState) -> None:
    """Print the grades whenever they are measured."""
    if "scores" in state.log[-1] or state.is_last:
        grades = state.curve[-1]["grades"]
        shares = ", ".join(f"{name} {grade['optimal']:.1%}" for name, grade in grades.items())
        print(f"{state.log[-1]['games']:,} games, optimal actions: {shares}", flush=True)


def main() -> None:
    """Train, and grade the result on a board that was held out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", default="arrangements:4")
    parser.add_argument("--holdout", type=float, default=0.2)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--graded-positions", type=int, default=1200)
    parser.add_argument("--out", default="runs/generalist-example")
    args = parser.parse_args()

    # A fifth of the 60 boards of four blocks is held out; no game is played on these.
    boards = Boards.split(args.boards, args.holdout, seed=0)
    config = TrainConfig.of(
        "alphazero", many_boards=True, seed=0, graded_positions=args.graded_positions
    )
    train(config, Budget(minutes=args.minutes), args.out, boards=boards, on_report=show)

    # The network plays on every board that fits its canvas, in any orientation.
    policy = load_policy(args.out)
    unseen = boards.unseen[0]
    print(f"\nA board held out:\n{unseen.board}\n")
    for player, name in ((policy, "the network"), ("minimax:2", "minimax of depth 2")):
        print(f"{name}: {grade(player, 60, variant=unseen).total.optimal:.1%} optimal actions")


if __name__ == "__main__":
    main()
