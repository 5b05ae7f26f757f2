"""The tables and plots of docs/baselines.md."""

from __future__ import annotations

import re
from pathlib import Path

from mijnlieff._util.output import markdown_table
from tools.pages.baselines_plots import Row, by_name, draw_curves, draw_grades, shown
from tools.pages.numbers import percent, percents, signed, spread
from tools.results import read_results

__all__ = ["files", "measured"]

#: Kinds of players, in the order of the tables.
KINDS = (
    "random",
    "greedy",
    "minimax",
    "rollouts",
    "labels",
    "sb3 MaskablePPO",
    "ppo",
    "alphazero exact",
    "alphazero pure",
    "champion",
    "perfect",
)


def measured(results: Path) -> list[Row]:
    """Return what was measured of each player and seed, weak kinds of players first."""
    rows = [read_results(file) for file in results.glob("*.json") if file.stem != "ratings"]
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[int, list[float], int]:
    name = row["name"]
    kind = re.split("[:,]", name)[0]
    numbers = [float(number) for number in re.findall(r"[\d.]+", name[len(kind) :])]
    return KINDS.index(kind), numbers, row["seed"] or 0


def grades(rows: list[Row]) -> str:
    """Return the table of grades: intervals of the positions, or the range over the seeds."""
    cells = []
    for name, group in by_name(rows).items():
        total = [row["grade"] for row in group]
        shares = []
        for key in ("optimal", "kept"):
            if len(group) == 1:
                shares.append(percent(total[0][key], total[0][f"{key}_interval"]))
            else:
                shares.append(percents([one[key] for one in total]))
        regret = spread([one["regret"] for one in total], ".3f")
        cells.append([f"`{shown(name)}`", str(len(group)), *shares, regret])
    return markdown_table(
        ["player", "seeds", "optimal on standard-v1", "outcome kept", "regret, points"],
        cells,
        num_texts=2,
    )


def worst_cases(rows: list[Row], ratings: Row) -> str:
    """Return the table of ratings and worst cases, each of one seed of a player."""
    built_in = ratings["ratings"]
    cells = []
    for name, group in by_name(rows).items():
        rating = built_in.get(name) or first_with("rating", group)
        line = [f"`{shown(name)}`", "not measured yet"]
        if rating is not None:
            low, high = rating["elo_interval"]
            line[1] = f"{rating['elo']:+.0f} ({low:+.0f} to {high:+.0f})"
        worst = first_with("worst", group)
        if worst is None:
            is_measured = any("worst" in row for row in group)
            cells.append([*line, "-" if is_measured else "not measured yet", "-", "-"])
            continue
        bounded = worst["horizon"] is not None
        mistakes = {ply: away for ply, (_, away) in worst["mistakes"].items() if away}
        by_ply = ", ".join(f"{away:,} at {ply}" for ply, away in mistakes.items()) or "none"
        if bounded:
            by_ply += f" (before ply {worst['horizon']})"
        game = f"`{worst['refutations'][0]}`" if worst["refutations"] else "-"
        margin = signed(worst["margin"])
        cells.append([*line, f"at most {margin}" if bounded else margin, by_ply, game])
    head = ["player", "rating", "guaranteed as Dark", "mistakes by ply", "shortest refutation"]
    remark = f"{ratings['remark']}\n\n" if "remark" in ratings else ""
    return remark + markdown_table(head, cells, num_texts=2)


def first_with(part: str, group: list[Row]) -> Row | None:
    """Return a part of the first seed that has it."""
    found: Row | None = next((row[part] for row in group if row.get(part)), None)
    return found


def costs(rows: list[Row]) -> str:
    """Return the table of what the trained players cost."""
    cells = []
    for name, group in by_name(rows).items():
        known = [row["facts"] for row in group if row["facts"]]
        if not known:
            continue
        steps = spread([fact["steps"] / 1e6 for fact in known], ".2f")
        minutes = spread([fact["seconds"] / 60 for fact in known], ".1f")
        lines = ", ".join(dict.fromkeys(f"`{fact['command']}`" for fact in known))
        processors = ", ".join(dict.fromkeys(fact["processor"] for fact in known))
        weights = f"{known[0]['weights']:,}"
        cells.append([f"`{shown(name)}`", lines, processors, steps, minutes, weights])
    head = ["player", "made by", "processor", "million steps or labels", "minutes", "parameters"]
    made = markdown_table(head, cells, num_texts=3)
    remarks = [
        f"* `{row['name']}`, seed {row['seed']}: {row['remark']}\n"
        for row in rows
        if "remark" in row
    ]
    return made + "\n" * bool(remarks) + "".join(remarks)


def files(docs: Path) -> dict[str, str]:
    """Return the tables and plots by their paths in ``docs``."""
    folder = docs / "results" / "baselines"
    rows = measured(folder)
    ratings = read_results(folder / "ratings.json")
    return {
        "results/baselines/grades.md": grades(rows),
        "results/baselines/worst_cases.md": worst_cases(rows, ratings),
        "results/baselines/costs.md": costs(rows),
        "baselines_grades.svg": draw_grades(rows, "baselines_grades.svg"),
        "baselines_curves.svg": draw_curves(rows, "baselines_curves.svg"),
    }
