"""Ratings of docs/baselines.md: on one scale, whatever is rated later and on which machine.

The built-in players, which everyone has, are rated by a tournament. Any other player plays a match
against each of them, and its rating is the most likely one with theirs held fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mijnlieff import Policy, evaluate, tournament
from mijnlieff.evaluation.ladder import fit_rating
from mijnlieff.evaluation.statistics import NORMAL_QUANTILE


def tournament_ratings(players: Mapping[str, Policy], games: int) -> dict[str, dict[str, Any]]:
    """Return the rating of each player by a tournament; their mean is 0.

    Args:
        players: the players by name.
        games: games of each match.
    """
    report = tournament(dict(players), games, progress=True).to_dict()
    return {
        one["name"]: {"elo": one["elo"], "elo_interval": one["elo_interval"]}
        for one in report["standings"]
    }


def rating_against(
    player: Policy, anchors: Mapping[str, tuple[Policy, float]], games: int
) -> dict[str, Any]:
    """Return the rating of a player by matches against others whose ratings are known.

    Args:
        player: the player to rate.
        anchors: the others by name, with their ratings in Elo points.
        games: games of each match.

    Raises:
        ValueError: it won or lost every game, so no rating is the most likely one.
    """
    scores = [
        evaluate(player, other, games, seed=number * 2**32).score
        for number, (other, _) in enumerate(anchors.values())
    ]
    elo, error = fit_rating(scores, [known for _, known in anchors.values()], games)
    reach = NORMAL_QUANTILE * error
    return {"elo": elo, "elo_interval": (elo - reach, elo + reach)}
