"""The game behind the widget and the page: playing, undoing, reviewing, without either of them."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Board, GameOverError, IllegalMoveError, Position, Variant, load_policy, solve
from mijnlieff.widget import Line, Table
from mijnlieff.widget.exact import Exact, loss_of

RING = "..##..\n..##..\n##..##\n##..##\n..##..\n..##.."
LONG = 60


def table_with(start=None, opponent="perfect", seat="light", **options):
    """A table that has begun and waits for the person."""
    states = []
    table = Table(start or Position(), opponent, seat, lambda: states.append(1), **options)
    table.states = states
    table.begin()
    assert table.join(LONG)
    return table


def play_out(table, rng):
    while not table.line.last.is_over:
        table.play(int(rng.choice(table.line.last.legal_actions())))
        assert table.join(LONG)


def click(table, **message):
    table.handle(message)
    assert table.join(LONG)
    return table.state()


def test_a_line_steps_and_cuts():
    line = Line(Position(), mijnlieff.parse_record("1. a1+, a3><; 2. a2+"))
    assert (line.shown, line.is_live, line.last.ply) == (3, True, 3)
    line.show(1)
    assert (line.position.ply, line.is_live) == (1, False)
    line.play(int(line.last.legal_actions()[0]))
    assert (line.shown, len(line.actions)) == (1, 4)
    line.show(-5)
    assert line.shown == 0
    line.show(99)
    assert line.is_live
    line.cut(2)
    assert (line.record, line.shown) == ("1. a1+, a3><", 2)
    action = int(line.last.legal_actions()[0])
    assert Line(line.last, [action]).record == line.variant.action_name(action)


@pytest.mark.parametrize("seat", ["light", "dark"])
def test_a_game_against_a_perfect_opponent(seat):
    """The opponent never gives anything away, and the person's losses are those of `solve`."""
    table = table_with(seat=seat)
    play_out(table, np.random.default_rng(3))
    state = table.state()
    assert state["marked"] and state["position"]["isOver"]
    assert tuple(state["position"]["score"]) == table.line.last.score
    person = ["light", "dark"].index(seat)
    position = Position()
    lost = 0
    for move in state["moves"]:
        action = position.variant.action_index(move["name"])
        solution = solve(position)
        margins = solution.action_margins
        assert move["loss"] == solution.margin - margins[action]
        assert move["blunder"] == (np.sign(margins[action]) < np.sign(solution.margin))
        assert move["loss"] == 0 or position.to_play == person
        lost += move["loss"]
        position = position.play(action)
    assert lost > 0
    sign = 1 if seat == "light" else -1
    assert sign * position.margin == sign * solve(Position()).margin - lost


def test_undo_goes_back_to_the_persons_last_choice():
    table = table_with()
    assert not table.undo()
    table.play("a1+")
    assert table.join(LONG) and len(table.line.actions) == 2
    assert table.undo() and table.line.actions == []
    both = table_with(seat="both")
    both.play("a1+")
    both.play("a3><")
    assert both.undo() and both.line.record == "1. a1+"


def test_undo_skips_forced_passes():
    rng = np.random.default_rng(0)
    for _ in range(200):
        table = table_with(opponent="random", seat="light", seed=int(rng.integers(1000)))
        play_out(table, rng)
        moves = table.state()["moves"]
        if any(move["pass"] for move in moves if move["player"] == 0):
            break
    while table.undo():
        table.join(0)
        position = table.line.last
        assert position.to_play == 0
        assert position.legal_actions().tolist() != [position.variant.pass_action]
    assert table.line.actions == []


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
    assert table.line.actions == []


def test_an_opponent_that_fails_is_shown_and_can_be_asked_again():
    class Flaky:
        wrong = "raise"

        def act(self, position):
            return self.act_batch([position])[0]

        def act_batch(self, positions):
            if self.wrong == "raise":
                raise SystemExit("out of order")
            if self.wrong == "illegal":
                return np.array([999])
            return np.array([position.legal_actions()[0] for position in positions])

    flaky = Flaky()
    table = table_with(opponent=flaky)
    table.play("a1+")
    assert table.join(LONG)
    state = table.state()
    assert state["failed"] and not state["thinking"]
    assert state["error"] == "Flaky failed: SystemExit: out of order"
    flaky.wrong = "illegal"
    state = click(table, type="again")
    assert state["failed"] and "chose action 999" in state["error"]
    flaky.wrong = ""
    state = click(table, type="again")
    assert not state["failed"] and len(state["moves"]) == 2 and state["error"] == ""


def test_the_opponent_begins_when_the_person_is_dark():
    table = table_with(seat="dark")
    assert table.line.last.to_play == 1 and len(table.line.actions) == 1
    assert not table.undo()


def test_messages_of_the_page():
    table = table_with()
    state = click(table, type="play", ply=0, action=0)
    assert state["moves"][0]["name"] == "a1+"
    late = click(table, type="play", ply=0, action=1)  # the second of two clicks
    assert late["moves"] == state["moves"] and late["error"] == ""
    back = click(table, type="go", shown=1)
    assert back["shown"] == 1 and not back["isLive"] and not back["yourTurn"]
    assert click(table, type="go", shown=0)["position"]["ply"] == 0
    again = click(table, type="resume")
    assert again["moves"] == [] and again["yourTurn"]
    new = click(
        table, type="new", seat="both", opponent="greedy", rows=RING, opening="anywhere", copies="3"
    )
    assert table.line.variant == Variant(Board.from_text(RING), "anywhere", 3)
    assert (new["seat"], new["opponent"]) == ("both", "greedy")
    assert click(table, type="undo")["moves"] == []


NEW = {
    "type": "new",
    "seat": "dark",
    "opponent": "greedy",
    "rows": "####",
    "opening": "corner",
    "copies": 2,
}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (None, "a message is an object, not None"),
        ({"type": "dance"}, "there is no message 'dance'"),
        ({"type": "play", "ply": 0, "action": 5}, "action 5 (b2+) is illegal"),
        ({"type": "load", "record": "1. z9+"}, "z9"),
        (NEW | {"seat": "left"}, "there is no seat 'left'; choose light, dark, both"),
        (
            NEW | {"opponent": "perfect", "rows": "#" * 20},
            "perfect play needs a board of up to 16 cells, and this one has 20",
        ),
        (NEW | {"opponent": "genius"}, "'genius' is not among the opponents offered"),
        (NEW | {"rows": "#?"}, "'?'"),
        (NEW | {"opening": "middle"}, "middle"),
        (NEW | {"copies": "many"}, "many"),
        ({"type": "new"}, "rows"),
    ],
)
def test_what_is_wrong_with_a_message_is_shown_and_changes_nothing(message, told):
    table = table_with()
    before = table.state()
    table.handle(message)
    after = table.state()
    assert told in after["error"]
    for name in ("game", "position", "moves", "seat", "opponent"):
        assert after[name] == before[name]


def test_hints_and_evaluation_are_exact():
    table = table_with(seat="both")
    for action in ["a1+", "a3><", "a2+"]:
        table.play(action)
    state = click(table, type="show", hints=True, evaluation=True)
    solution = solve(table.line.last)
    assert state["evaluation"]["margin"] == -solution.margin  # Light's, and Dark is to move
    assert state["evaluation"]["hints"] == {
        str(action): margin for action, margin in solution.action_margins.items()
    }
    earlier = click(table, type="go", shown=1)
    assert earlier["evaluation"]["margin"] == -solve(table.line.position).margin
    assert click(table, type="show", hints=False, evaluation=False)["evaluation"] is None


def test_a_loaded_record_is_marked():
    record = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+"
    table = table_with()
    state = click(table, type="load", record=record)
    assert (state["record"], state["seat"], state["shown"]) == (record, "both", 6)
    line = Line.from_record(record, Variant())
    for position, action, move in zip(line.positions, line.actions, state["moves"], strict=False):
        assert (move["loss"], move["blunder"]) == loss_of(solve(position), action)
    assert any(move["loss"] for move in state["moves"])


@pytest.mark.parametrize("rows", ["#" * 20, "\n".join(["########"] * 8), "##.##\n##.##\n..###"])
def test_any_board_can_be_played(rows):
    variant = Variant(Board.from_text(rows))
    assert str(variant.board) == rows
    table = table_with(Position(variant), opponent="champion:64")
    table.show(hints=True, evaluation=True)
    play_out(table, np.random.default_rng(1))
    state = table.state()
    assert state["opponent"] == "minimax:4" and "standard board" in state["note"]
    assert state["marked"] and state["evaluation"]["margin"] == table.line.last.margin
    known = [position.is_solvable for position in table.line.positions]
    assert [move["loss"] is not None for move in state["moves"]] == known[:-1]
    assert state["position"]["exact"] == known[-1]
    assert click(table, type="go", shown=0)["position"]["exact"] == known[0]
    assert json.loads(json.dumps(state)) == state


def test_a_game_may_start_anywhere():
    start = Position.from_actions(["a1+", "a3><", "a2+"])
    table = table_with(start, seat="dark", opponent=load_policy("greedy"))
    assert table.state()["firstPly"] == 3
    action = int(start.legal_actions()[0])
    table.play(action)
    assert table.join(LONG)
    names = [start.variant.action_name(it) for it in table.line.actions]
    assert table.state()["record"] == ", ".join(names) and len(names) == 2
    with pytest.raises(ValueError, match="there is no seat 'north'"):
        table.new_game(seat="north")
    assert len(table.line.actions) == 2
    table.new_game()
    assert table.join(LONG) and table.line.start == Position()


def test_errors_of_the_person():
    table = table_with(seat="both")
    with pytest.raises(IllegalMoveError):
        table.play("b2+")
    with pytest.raises(mijnlieff.ParseError):
        table.play("z1+")
    with pytest.raises(ValueError, match="there is no aid 'luck'; choose hints"):
        table.show(luck=True)
    play_out(table, np.random.default_rng(0))
    with pytest.raises(GameOverError):
        table.play(0)


def test_a_position_that_cannot_be_solved_is_told(monkeypatch):
    def fail(position):
        raise mijnlieff.SearchLimitError("the search needs more than the time allowed")

    monkeypatch.setattr(Exact, "solve", staticmethod(fail))
    table = table_with()
    state = click(table, type="show", evaluation=True)
    assert "could not be solved" in state["error"]
    assert state["evaluation"] == {"margin": None, "hints": None, "pending": False}


def test_only_the_latest_solutions_are_kept():
    exact = Exact()
    positions = mijnlieff.evaluation.random_openings(2000, plies=8, seed=0)
    for position in positions:
        exact.keep(position, None)
    assert exact.missing(positions[-500:]) is None
    assert exact.missing(positions[:1]) is positions[0]


def test_a_closed_table_stays_as_it_is():
    table = table_with()
    table.close()
    table.play("a1+")
    assert table.join(LONG)
    assert len(table.line.actions) == 1
