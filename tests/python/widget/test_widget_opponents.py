"""Who plays at a table: opponents of all kinds, in a thread that no error ends for good."""

from __future__ import annotations

import os
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from mijnlieff import IllegalMoveError
from mijnlieff._util.files import package_data
from players import First
from tables import LONG, NEW, click, table_with


def test_an_answer_to_an_action_that_was_undone_is_dropped():
    class Slow:
        def __init__(self):
            self.asked, self.may_answer = threading.Event(), threading.Event()

        def act(self, position):
            return self.act_batch([position])[0]

        def act_batch(self, positions):
            self.asked.set()
            assert self.may_answer.wait(LONG)
            return np.array([position.legal_actions()[-1] for position in positions])

    slow = Slow()
    table = table_with(opponent=slow)
    table.play("a1+")
    assert slow.asked.wait(LONG)
    assert table.state()["thinking"] and not table.state()["yourTurn"]
    with pytest.raises(IllegalMoveError, match="it is the turn of Dark, whom Slow plays"):
        table.play("a3+")
    assert table.undo()
    slow.may_answer.set()
    assert table.join(LONG)
    assert table.game.actions == []


def test_a_newer_question_does_not_wait_for_the_answer_to_an_older_one():
    # A search to the end of the game takes longer than a test waits.
    table = table_with(opponent="minimax:30")
    table.play("a1+")
    assert not table.join(0.2)
    table.undo()
    assert table.join(LONG)
    assert table.game.actions == [] and table.state()["error"] == ""
    table.play("a1+")
    assert not table.join(0.2)
    table.new_game(opponent="greedy", seat="dark")
    assert table.join(LONG) and len(table.game.actions) == 1
    table.new_game(opponent="minimax:30")
    assert not table.join(0.2)
    table.close()
    assert table.join(LONG) and table.game.actions == []


def test_a_rematch_has_other_draws_and_the_seed_gives_the_same_games_again():
    def openings(seed):
        table = table_with(opponent="random", seat="dark", seed=seed)
        games = [table.state(), *(click(table, type="rematch") for _ in range(9))]
        return [game["record"] for game in games]

    drawn = openings(3)
    assert len(set(drawn)) > 2 and openings(3) == drawn != openings(4)


def test_an_opponent_that_fails_is_shown_and_can_be_asked_again():
    class Flaky(First):
        wrong = "raise"

        def act_batch(self, positions):
            if self.wrong == "raise":
                raise SystemExit("out of order")
            if self.wrong == "illegal":
                return np.array([999])
            return super().act_batch(positions)

    flaky = Flaky()
    table = table_with(opponent=flaky)
    table.play("a1+")
    assert table.join(LONG)
    state = table.state()
    assert state["failed"] and not state["thinking"]
    assert state["error"] == "Flaky failed: SystemExit: out of order"
    state = click(table, type="show", mistakes=False)
    assert state["failed"] and state["error"] == ""  # the page still offers to ask again
    flaky.wrong = "illegal"
    state = click(table, type="again")
    assert state["failed"] and "chose action 999" in state["error"]
    flaky.wrong = ""
    state = click(table, type="again")
    assert not state["failed"] and len(state["moves"]) == 2 and state["error"] == ""


def test_a_policy_of_ones_own_can_be_chosen_again():
    own = First()
    table = table_with(opponent=own)
    new = NEW | {"rows": str(table.game.variant.board), "opening": "outside"}
    state = click(table, **new)
    assert state["opponent"] == "greedy" and own.asked == []
    table.new_game()  # against the level, which takes no place in the list
    assert table.join(LONG) and table.state()["opponent"] == "greedy"
    assert table.state()["opponents"][-1]["policy"] == "First"
    state = click(table, **new | {"opponent": "First"})
    assert state["opponent"] == "First" and len(own.asked) == 1
    assert len(state["moves"]) == 1 and state["error"] == ""

    table.new_game(opponent="rollouts:8")
    assert table.join(LONG)
    state = click(table, **new | {"opponent": "First"})
    assert "'First' is not among the opponents offered" in state["error"]
    assert state["opponents"][-1]["policy"] == "rollouts:8"


def test_a_question_goes_to_the_opponent_of_its_game():
    """Although the thread of the opponent may ask before `new_game` has returned."""

    class Late:
        def __init__(self, table):
            self.table, self.game = table, table.game

        def __getattr__(self, name):
            return getattr(self.game, name)

        def new_game(self, *arguments):
            self.game.new_game(*arguments)
            self.table._answers.wake()
            self.table._answers.join(0.2)

    table = table_with(opponent="greedy", seat="dark")
    table.game, own = Late(table), First()
    table.new_game(opponent=own)
    assert table.join(LONG)
    state = table.state()
    assert state["error"] == "" and len(own.asked) == len(state["moves"]) == 1


def test_an_opponent_may_be_a_path(tmp_path, monkeypatch):
    path = tmp_path / "champion.bin"
    path.write_bytes(package_data("champion.bin"))
    table = table_with(opponent=path, seat="dark")
    assert table.state()["opponent"] == str(path) and len(table.game.actions) == 1
    monkeypatch.chdir(tmp_path)
    path.rename(tmp_path / "random")
    table.new_game(opponent=Path("random"), seat="dark")  # not the policy of this name
    assert table.join(LONG)
    state = table.state()
    assert state["opponent"] == os.path.join(".", "random") and state["error"] == ""
    assert len(state["moves"]) == 1


def test_the_opponent_begins_when_the_person_is_dark():
    table = table_with(seat="dark")
    assert table.game.last.to_play == 1 and len(table.game.actions) == 1
    assert not table.undo()


class greedy(First):
    """Called as a level is."""


def test_an_object_is_forgotten_when_another_opponent_is_given():
    table = table_with(opponent=(own := greedy()), seat="dark")
    assert len(own.asked) == 1
    new = NEW | {"rows": str(table.game.variant.board), "opening": "outside"}
    click(table, **new)
    assert len(own.asked) == 2  # as long as it is the one that was given
    table.new_game(opponent="minimax:2")
    assert table.join(LONG)
    state = click(table, **new)
    assert state["opponent"] == "greedy" and len(own.asked) == 2 and len(state["moves"]) == 1
    gone = weakref.ref(own)
    del own
    assert gone() is None


def test_an_object_is_kept_beside_the_level_that_the_page_chose():
    table = table_with(opponent=(own := First()))
    new = NEW | {"rows": str(table.game.variant.board), "opening": "outside"}
    click(table, **new)
    table.new_game(opponent="greedy", seat="dark")  # as before, so First is offered still
    assert table.join(LONG) and table.state()["opponents"][-1]["policy"] == "First"
    click(table, **new | {"opponent": "First"})
    assert len(own.asked) == 1
    table.new_game(opponent=First())
    assert table.join(LONG)
    click(table, **new | {"opponent": "First"})
    assert len(own.asked) == 1  # another First was given in the meantime


@pytest.fixture
def thread_errors(monkeypatch):
    """What `threading.excepthook` was told."""
    errors = []
    monkeypatch.setattr(threading, "excepthook", lambda raised: errors.append(raised.exc_value))
    return errors


def test_an_error_ends_neither_the_opponent_nor_the_solver(thread_errors):
    class Refusing:
        """A native table that is in use."""

        def __init__(self, game):
            self.game = game

        def __getattr__(self, name):
            return getattr(self.game, name)

        def next_answer(self):
            raise RuntimeError("no answer")

        def next_solution(self):
            raise RuntimeError("no solution")

    table = table_with(opponent="greedy")
    game, table.game = table.game, Refusing(table.game)
    table.play(0)
    assert table.join(LONG) and len(game.actions) == 1
    assert sorted(map(str, thread_errors)) == ["no answer", "no solution"]
    table.game = game
    state = click(table, type="show", evaluation=True)
    assert len(game.actions) == 2 and state["evaluation"]["margin"] is not None
    assert len(thread_errors) == 2


def test_an_observer_that_fails_stops_nobody(thread_errors):
    table = table_with(opponent="greedy")

    def fail():
        raise RuntimeError(f"cannot show {len(table.game.actions)} actions")

    table._publish = fail
    with pytest.raises(RuntimeError, match="cannot show 1 actions"):
        table.play(0)
    assert table.join(LONG) and len(table.game.actions) == 2
    assert list(map(str, thread_errors)) == ["cannot show 2 actions"]
    table._publish = lambda: None
    table.play(int(table.game.last.legal_actions()[0]))
    assert table.join(LONG) and len(table.game.actions) == 4
