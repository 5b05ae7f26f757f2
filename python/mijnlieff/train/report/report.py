"""The final table of a run, as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mijnlieff._util.files import json_text
from mijnlieff._util.output import markdown_table, print_table
from mijnlieff.evaluation import MatchReport

__all__ = ["print_report", "report_json", "report_markdown"]

# With the widest cells a row has 79 characters, so a terminal of 80 columns shows a table.
_HEADINGS = ("opponent", "wins", "draws", "losses", "score", "95% interval", "Elo", "95%")


def print_report(player: str, matches: Sequence[MatchReport]) -> None:
    """Print the matches as a table, one row each.

    Args:
        player: the name of the agent, shown above.
        matches: its matches, one per opponent, all of the same length.
    """
    title = f"{player}, {matches[0].games} games against each"
    print_table([_HEADINGS, *map(_cells, matches)], title)


def report_markdown(
    players: Mapping[str, Sequence[MatchReport]], strength: Sequence[Sequence[str]], about: str
) -> str:
    """The matches as a Markdown page.

    Args:
        players: matches by player, such as the network with and without search.
        strength: the cells of the table of grades and ratings, the headings first.
        about: a sentence about the run, shown first.
    """
    parts = [f"# Trained agent\n\n{about}"]
    for player, matches in players.items():
        table = markdown_table(_HEADINGS, map(_cells, matches))
        parts.append(f"## {player}\n\n{table.rstrip()}")
    parts.append(f"## Grade and rating\n\n{markdown_table(strength[0], strength[1:]).rstrip()}")
    match = next(iter(players.values()))[0]
    parts.append(
        f"Every match has {match.games} games. Each random opening of {match.opening_plies} plies "
        "is played twice, with seats exchanged; the agent always plays its best action.\n\n"
        "![Learning curve](curve.png)\n"
    )
    return "\n\n".join(parts)


def report_json(
    players: Mapping[str, Sequence[MatchReport]],
    grades: Mapping[str, dict[str, Any] | None],
    run: dict[str, Any],
) -> str:
    """The matches as JSON.

    Args:
        players: matches by player, such as the network with and without search.
        grades: the grade of each player as plain values, None without one.
        run: plain values that describe the run.
    """
    content = {
        "run": run,
        "players": [
            {
                "player": player,
                "matches": [match.to_dict() for match in matches],
                "grade": grades[player],
            }
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
        str(total.wins),
        str(total.draws),
        str(total.losses),
        f"{match.score:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{match.elo:+.0f}",
        f"{worse:+.0f} to {better:+.0f}",
    )
