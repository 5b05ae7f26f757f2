"""The native table of a game, which the threads of the opponent and the solver use as well."""

from __future__ import annotations

import json

import pytest

from mijnlieff import Board, IllegalMoveError, Position, Variant
from mijnlieff._mijnlieff import PlayTable

TINY = Variant(Board.from_text("##/##"), copies=1)


def test_others_use_the_table_while_an_action_is_read():
    game = PlayTable(Position(), "random", "both", 0)
    seen = []

    class Slow:
        def __index__(self):
            game.show("hints", True)
            seen.append((game.next_answer(), game.next_solution(), game.actions))
            return 0

    game.play(Slow())
    assert seen == [(None, Position(), [])] and game.actions == [0]


def test_an_action_of_a_game_that_has_ended_meanwhile_is_refused():
    game = PlayTable(Position(), "random", "both", 0)

    class Late:
        def __index__(self):
            game.new_game(Position(TINY))
            return 12  # a4+, on a board without a4

    with pytest.raises(IllegalMoveError):
        game.play(Late())
    assert (game.variant, game.actions) == (TINY, [])


def test_any_text_of_an_error_is_shown():
    game = PlayTable(Position(), "random", "dark", 0)
    *_, version = game.next_answer()
    assert game.answer(version, None, "no \ud800")
    assert json.loads(game.state())["error"].startswith("random failed: no \ufffd")
    game.solved(Position(), None, "no \udcff")
    told = json.loads(game.state())["error"]
    assert told.startswith("the position could not be solved: no \ufffd")
