"""Grade a model behind an OpenAI-compatible address, or write the puzzles.

python -m mijnlieff.integrations.text grade http://localhost:8000/v1 MODEL --positions 300
python -m mijnlieff.integrations.text puzzles --out puzzles.jsonl
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from mijnlieff._util.files import json_text
from mijnlieff._util.output import print_table, run_program
from mijnlieff.evaluation.grading import grade
from mijnlieff.evaluation.match import evaluate
from mijnlieff.integrations.text.chat import ChatModel
from mijnlieff.integrations.text.policy import ReplyCounts, TextPolicy
from mijnlieff.integrations.text.puzzles import puzzles, sample_of
from mijnlieff.integrations.text.replies import KINDS

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run the command and return the exit code.

    Args:
        argv: the arguments; None is those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m mijnlieff.integrations.text", description="Mijnlieff for language models."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_grade(commands)
    _add_puzzles(commands)

    def run() -> None:
        args = parser.parse_args(argv)
        args.run(args)

    return run_program(parser.prog, run)


def _add_grade(commands: Any) -> None:
    command = commands.add_parser("grade", help="compare a model with exact play")
    command.add_argument("url", help="the address, such as http://localhost:8000/v1")
    command.add_argument("model", help="the name of the model")
    _add_positions(command, 300)
    command.add_argument("--opponent", metavar="POLICY", help="play a match against it as well")
    command.add_argument("--games", type=int, default=20, help="of the match (default: 20)")
    command.add_argument(
        "--retries", type=int, default=2, help="questions after an illegal reply (default: 2)"
    )
    command.add_argument(
        "--num-threads", type=int, default=4, help="requests at the same time (default: 4)"
    )
    command.add_argument("--temperature", type=float, help="of the model (default: the server's)")
    command.add_argument("--max-tokens", type=int, help="of a reply (default: the server's)")
    command.add_argument("--json", action="store_true", help="print JSON instead of tables")
    command.set_defaults(run=_grade)


def _add_puzzles(commands: Any) -> None:
    command = commands.add_parser("puzzles", help="write prompts and answers as JSON lines")
    command.add_argument("--out", type=Path, required=True, metavar="FILE")
    _add_positions(command, None)
    command.set_defaults(run=lambda args: puzzles(_positions(args)).write(args.out))


def _add_positions(command: argparse.ArgumentParser, default: int | None) -> None:
    command.add_argument(
        "--benchmark",
        default="standard-v1",
        help="standard-v1 or irregular-v1 (default: standard-v1)",
    )
    command.add_argument(
        "--positions",
        type=int,
        default=default,
        help=f"how many of it, evenly spread (default: {default or 'all'})",
    )


def _positions(args: argparse.Namespace) -> Any:
    return args.benchmark if args.positions is None else sample_of(args.benchmark, args.positions)


def _grade(args: argparse.Namespace) -> None:
    fields = {"temperature": args.temperature, "max_tokens": args.max_tokens}
    options = {name: value for name, value in fields.items() if value is not None}
    policy = TextPolicy(
        ChatModel(args.url, args.model, **options), args.retries, num_threads=args.num_threads
    )
    report = grade(policy, _positions(args), progress=True, name=args.model)
    shown: dict[str, Any] = {"grade": report}
    counts = {"grade": policy.counts}
    if args.opponent is not None:
        policy.counts = counts["match"] = ReplyCounts()
        shown["match"] = evaluate(policy, args.opponent, games=args.games, progress=True)
    if args.json:
        found = {name: one.to_dict() for name, one in shown.items()}
        print(json_text(found | {"replies": {name: it.to_dict() for name, it in counts.items()}}))
        return
    for name, one in shown.items():
        one.print()
        _print_replies(counts[name])


def _print_replies(counts: ReplyCounts) -> None:
    kinds = [[kind, f"{number}"] for kind, number in counts.illegal.most_common()]
    print_table(
        [["", "replies"], *kinds, ["legal", f"{counts.replies - counts.illegal.total()}"]],
        f"Legal replies {counts.legal_share:.1%}, of {counts.replies} for {counts.moves} moves",
        f"{counts.fallbacks} moves were random, as no reply was legal"
        + "".join(f"\n{kind}: {KINDS[kind]}" for kind, _ in kinds),
    )


if __name__ == "__main__":
    sys.exit(main())
