"""Ratings of docs/baselines.md: on one scale, whatever is rated later and on which machine.

The built-in players, which everyone has, are rated by a tournament. Any other player plays a match
against each of them, and its rating is the most likely one with theirs held fixed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mijnlieff import Policy, evaluate, tournament
from mijnlieff.evaluation.statistics import ELO_SCALE, NORMAL_QUANTILE

_FARTHEST = 4000.0


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


def fit_rating(scores: list[float], ratings: list[float], games: int) -> tuple[float, float]:
    """Return the most likely rating of a player and its standard error, in Elo points.

    The model and the error are those of `mijnlieff.tournament`. The expected score rises with the
    rating, so halving an interval finds where it is the score that was reached.

    Args:
        scores: the mean score of each match, 0 to 1.
        ratings: the rating of each opponent.
        games: games of each match.

    Raises:
        ValueError: all scores are 0 or all are 1.
    """
    total = math.fsum(scores)
    if total in (0, len(scores)):
        raise ValueError(f"a score of {total:g} in {len(scores)} matches fits no finite rating")

    def expected(elo: float) -> list[float]:
        return [1 / (1 + math.exp((other - elo) / ELO_SCALE)) for other in ratings]

    low, high = min(ratings) - _FARTHEST, max(ratings) + _FARTHEST
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(expected(middle)) < total else (low, middle)
    information = games * math.fsum(share * (1 - share) for share in expected(low))
    return low, ELO_SCALE / math.sqrt(information)
