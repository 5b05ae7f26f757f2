"""What every run writes and prints at its end."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from mijnlieff._util.files import write_json, write_whole
from mijnlieff._util.output import markdown_table, print_table
from mijnlieff.train.play.policy import solves
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.trainer import Trainer

__all__ = ["write_report"]


def write_report(
    trainer: Trainer,
    folder: RunFolder,
    title: str,
    tables: Mapping[str, Sequence[Sequence[str]]],
    end: str,
    content: Mapping[str, Any],
) -> None:
    """Write the final tables as Markdown and JSON, and print them.

    Args:
        trainer: the run.
        folder: its folder.
        title: of the page.
        tables: the cells of each table by its title, the headings first.
        end: what the page says below the tables.
        content: plain values for the JSON file, besides those that describe the run.

    Raises:
        OSError: a file cannot be written.
    """
    config, counters = trainer.config, trainer.counters
    mode = ""
    if config.algo == "alphazero":
        has_labels = solves(config, trainer.boards)
        mode = " with exact labels" if has_labels else " from the rules alone"
    about = (
        f"{counters.steps:,} actions and {counters.games:,} games of self-play{mode} in "
        f"{counters.seconds / 60:.1f} minutes, seed {config.seed}, {trainer.boards}."
    )
    run = dataclasses.asdict(counters) | {"config": dataclasses.asdict(config)}
    write_json(folder.report_json, {"run": run, **content})
    parts = [f"# {title}", about]
    for name, (headings, *rows) in tables.items():
        parts += [f"## {name}", markdown_table(headings, rows).rstrip()]
    parts += [end, "![Learning curve](curve.png)\n"]
    write_whole(folder.report_text, "\n\n".join(parts).encode())
    print(about)
    for name, cells in tables.items():
        print()
        print_table(cells, name)
    print(f"\nLearning curve: {folder.curve}")
