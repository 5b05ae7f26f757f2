"""The end of a run: a table of matches, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mijnlieff import MatchReport
from mijnlieff._util.json_text import json_text
from mijnlieff._util.tables import text_table

__all__ = ["report_json", "report_markdown", "report_table"]

_HEADINGS = (
    "opponent",
    "games",
    "wins",
    "draws",
    "losses",
    "score",
    "95 % interval",
    "Elo",
    "95 %",
)


def report_table(matches: Sequence[MatchReport]) -> str:
    """The matches as aligned text, one row each.

    Args:
        matches: of one agent against several opponents.
    """
    return text_table([_HEADINGS, *map(_cells, matches)])


def report_markdown(players: Mapping[str, Sequence[MatchReport]], about: str) -> str:
    """The matches as a Markdown page.

    Args:
        players: the matches of each way to play, by its name.
        about: a sentence on the run, for the top.
    """
    parts = [f"# Trained agent\n\n{about}"]
    for player, matches in players.items():
        rows = [_HEADINGS, ["---"] + ["--:"] * (len(_HEADINGS) - 1), *map(_cells, matches)]
        table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        parts.append(f"## {player}\n\n{table}")
    plies = next(iter(players.values()))[0].opening_plies
    parts.append(
        f"Both seats of each random opening of {plies} plies are played; the agent chooses the "
        "action that it thinks best.\n\n![Learning curve](curve.png)\n"
    )
    return "\n\n".join(parts)


def report_json(players: Mapping[str, Sequence[MatchReport]], run: dict[str, Any]) -> str:
    """The matches as JSON.

    Args:
        players: the matches of each way to play, by its name.
        run: plain values that describe the run.
    """
    content = {
        "run": run,
        "players": [
            {"player": player, "matches": [match.to_dict() for match in matches]}
            for player, matches in players.items()
        ],
    }
    return json_text(content) + "\n"


def _cells(match: MatchReport) -> tuple[str, ...]:
    total = match.total
    low, high = match.score_interval
    worse, better = match.elo_interval
    return (
        match.opponent,
        str(match.games),
        str(total.wins),
        str(total.draws),
        str(total.losses),
        f"{match.score:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{match.elo:+.0f}",
        f"{worse:+.0f} to {better:+.0f}",
    )
