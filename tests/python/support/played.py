"""Games that tests start from, the example of the rules and random ones, and games in data sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from example_game import RECORD as EXAMPLE
from mijnlieff import Position, RandomPolicy, Variant, format_record, parse_record


def example(plies: int | None = None) -> Position:
    """The example game after so many plies; None is its end."""
    return Position.from_actions(parse_record(EXAMPLE)[:plies])


def example_record(plies: int) -> str:
    """The record of the example game up to so many plies."""
    return format_record(parse_record(EXAMPLE)[:plies])


def actions_of(record: str, variant: Variant) -> list[int]:
    """The actions of a record, also of one that begins with the notation of its start."""
    _, colon, moves = record.partition(": ")
    if colon:
        return [variant.action_index(move) for move in moves.split(", ")]
    return parse_record(record, variant)


def finished(start: Position | None = None) -> Position:
    """The end of a game in which both sides play their first legal action."""
    position = start or Position()
    while not position.is_over:
        position = position.play(int(position.legal_actions()[0]))
    return position


def rows_of_games(columns: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The rows of each game in the columns of a data set."""
    starts = np.flatnonzero(columns["game"][1:] != columns["game"][:-1]) + 1
    return np.split(np.arange(len(columns["game"])), starts)


def late(variant: Variant, empty: int, seed: int) -> Position:
    """An unfinished position of a random game with at most so many empty cells."""
    player = RandomPolicy(seed)
    while True:
        position = Position(variant)
        while not position.is_over:
            if (position.stones == 0).sum() <= empty:
                return position
            position = position.play(player.act(position))


def whole_games(variant: Variant, count: int, seed: int = 0) -> list[list[Position]]:
    """The positions of random games, the last ones included."""
    rng = np.random.default_rng(seed)
    games = []
    for _ in range(count):
        game = [Position(variant)]
        while not game[-1].is_over:
            game.append(game[-1].play(int(rng.choice(game[-1].legal_actions()))))
        games.append(game)
    return games


def open_games(variant: Variant, count: int, seed: int = 0) -> list[list[Position]]:
    """The positions of random games, without the last ones, in which nothing can be played."""
    return [game[:-1] for game in whole_games(variant, count, seed)]


def games(variant: Variant, count: int, seed: int = 0) -> list[Position]:
    """The positions of `whole_games` one after the other."""
    return [position for game in whole_games(variant, count, seed) for position in game]


def playable(variant: Variant, count: int, seed: int = 0) -> list[Position]:
    """The positions of `open_games` one after the other."""
    return [position for game in open_games(variant, count, seed) for position in game]
