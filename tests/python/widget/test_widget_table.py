"""The game behind the widget and the page: playing, undoing, reviewing, without either of them."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Board, GameOverError, IllegalMoveError, Position, Variant, load_policy, solve
from mijnlieff._mijnlieff import PlayTable
from mijnlieff.widget import Table
from processes import ROOT
from tables import LONG, NEW, click, table_with

RING = "..##..\n..##..\n##..##\n##..##\n..##..\n..##.."


def play_out(table, rng):
    while not table.game.last.is_over:
        table.play(int(rng.choice(table.game.last.legal_actions())))
        assert table.join(LONG)


@pytest.mark.parametrize("seat", ["light", "dark"])
def test_a_game_against_a_perfect_opponent(seat):
    """The opponent never gives anything away, and the person's losses are those of `solve`."""
    table = table_with(seat=seat)
    play_out(table, np.random.default_rng(3))
    state = table.state()
    assert state["marked"] and state["position"]["isOver"]
    assert tuple(state["position"]["score"]) == table.game.last.score
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
    assert table.join(LONG) and len(table.game.actions) == 2
    assert table.undo() and table.game.actions == []
    both = table_with(seat="both")
    both.play("a1+")
    both.play("a3><")
    assert both.undo() and both.game.record == "1. a1+"


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
        position = table.game.last
        assert position.to_play == 0
        assert position.legal_actions().tolist() != [position.variant.pass_action]
    assert table.game.actions == []


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
    assert table.game.variant == Variant(Board.from_text(RING), "anywhere", 3)
    assert (new["seat"], new["opponent"]) == ("both", "greedy")
    assert new["number"] > again["number"] == state["number"]  # the form waits for another one
    assert click(table, type="undo")["moves"] == []


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (None, "a message is an object, not null"),
        ({"type": "dance"}, "there is no message 'dance'"),
        ({"type": "play", "ply": 0, "action": 5}, "action 5 (b2+) is illegal"),
        ({"type": "load", "record": "1. z9+"}, "z9"),
        (NEW | {"seat": "left"}, 'unknown seat "left"; choose one of light, dark, both'),
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
    for name in ("number", "game", "position", "moves", "seat", "opponent"):
        assert after[name] == before[name]


def test_hints_and_evaluation_are_exact():
    table = table_with(seat="both")
    for action in ["a1+", "a3><", "a2+"]:
        table.play(action)
    state = click(table, type="show", hints=True, evaluation=True)
    solution = solve(table.game.last)
    assert state["evaluation"]["margin"] == -solution.margin  # Light's, and Dark is to move
    assert state["evaluation"]["hints"] == {
        str(action): margin for action, margin in solution.action_margins.items()
    }
    earlier = click(table, type="go", shown=1)
    assert earlier["evaluation"]["margin"] == -solve(table.game.position).margin
    assert click(table, type="show", hints=False, evaluation=False)["evaluation"] is None


def test_a_loaded_record_is_marked():
    record = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+"
    table = table_with()
    state = click(table, type="load", record=record)
    assert (state["record"], state["seat"], state["shown"]) == (record, "both", 6)
    positions = table.game.positions
    assert len(positions) == 7
    for position, action, move in zip(
        positions[:-1], table.game.actions, state["moves"], strict=True
    ):
        solution = solve(position)
        margin = solution.action_margins[action]
        assert move["loss"] == solution.margin - margin
        assert move["blunder"] == (np.sign(margin) < solution.outcome)
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
    assert state["marked"] and state["evaluation"]["margin"] == table.game.last.margin
    known = [position.is_solvable for position in table.game.positions]
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
    names = [start.variant.action_name(it) for it in table.game.actions]
    assert table.state()["record"] == ", ".join(names) and len(names) == 2
    with pytest.raises(ValueError, match='unknown seat "north"'):
        table.new_game(seat="north")
    assert len(table.game.actions) == 2
    table.new_game()
    assert table.join(LONG) and table.game.positions[0] == Position()


def test_a_game_may_go_on_after_the_moves_of_a_record():
    record = "1. a1+, a3><; 2. a2+"
    table = table_with(opponent="greedy", actions=mijnlieff.parse_record(record))
    state = table.state()
    assert state["record"].startswith(f"{record}, ") and len(state["moves"]) == 4
    assert (state["firstPly"], state["shown"]) == (0, 4)
    assert click(table, type="go", shown=1)["position"]["ply"] == 1
    assert table.undo() and table.game.record == "1. a1+, a3><"
    assert table.undo() and table.game.actions == []
    with pytest.raises(IllegalMoveError, match=r"^move 2: "):
        Table(Position(), "greedy", "light", lambda: None, actions=[0, 0])


def test_errors_of_the_person():
    table = table_with(seat="both")
    with pytest.raises(IllegalMoveError):
        table.play("b2+")
    with pytest.raises(mijnlieff.ParseError):
        table.play("z1+")
    with pytest.raises(ValueError, match='unknown aid "luck"; choose one of hints'):
        table.show(luck=True)
    play_out(table, np.random.default_rng(0))
    with pytest.raises(GameOverError):
        table.play(0)


def test_a_position_that_cannot_be_solved_is_told_and_can_be_tried_again(monkeypatch):
    start = Position(Variant(Board.from_text("###\n###\n###"), "anywhere", 1))
    monkeypatch.setattr("mijnlieff.widget.table._SECONDS", 0.0)
    table = table_with(start, seat="both")
    state = click(table, type="show", evaluation=True)
    assert "could not be solved: the search needs more than the time" in state["error"]
    assert state["evaluation"] == {"margin": None, "hints": None, "pending": False}
    monkeypatch.undo()
    assert click(table, type="go", shown=0)["evaluation"]["margin"] is None
    click(table, type="show", evaluation=False)
    state = click(table, type="show", evaluation=True)
    assert state["evaluation"]["margin"] == solve(start).margin and state["error"] == ""


def test_a_newer_position_does_not_wait_until_an_older_one_is_solved(monkeypatch):
    begun, ended = threading.Event(), []

    def watched(position, **options):
        begun.set()
        try:
            solution = solve(position, **options)
        except KeyboardInterrupt:
            ended.append("stopped")
            raise
        ended.append("solved")
        return solution

    monkeypatch.setattr("mijnlieff.widget.table.solve", watched)
    slow = Position(Variant(opening="anywhere", copies=16))
    table = Table(slow, "random", "both", lambda: None)
    table.show(hints=True)
    assert begun.wait(LONG)
    table.new_game(Position())
    assert table.join(LONG)
    assert ended == ["stopped", "solved"]
    state = table.state()
    assert state["evaluation"]["margin"] == -1 and state["error"] == ""


def test_a_closed_table_stays_as_it_is():
    table = table_with()
    table.close()
    table.play("a1+")
    assert table.join(LONG)
    assert len(table.game.actions) == 1


def test_levels_are_rated_as_the_tournament_of_the_baselines_did():
    table = table_with(opponent="rollouts:8", seat="both")
    *levels, own = table.state()["opponents"]
    assert [level["level"] for level in levels] == list(range(1, 9))
    measured = (ROOT / "docs" / "results" / "baselines" / "worst_cases.md").read_text()
    rated = re.findall(r"^\| `(\S+)(?: \+ solver)?` \| ([+-]?\d+) \(", measured, flags=re.MULTILINE)
    ratings = {name: int(rating) for name, rating in rated}
    assert {level["policy"]: level["rating"] for level in levels}.items() <= ratings.items()
    assert [level["rating"] for level in levels] == sorted(level["rating"] for level in levels)
    page = (ROOT / "docs" / "play.md").read_text()
    for level in levels:
        rating = f"{level['rating']:+}".replace("-", "\N{MINUS SIGN}")
        row = f"| {level['level']} | {level['name']} | `{level['policy']}` | {rating} |"
        assert row in page
    assert own == {"policy": "rollouts:8", "name": "rollouts:8", "level": None, "rating": None}


def test_a_drawn_seat_is_one_or_the_other_and_depends_on_the_seed():
    seats = [Table(Position(), "random", "drawn", lambda: None, seed=seed) for seed in range(20)]
    drawn = [table.game.seat for table in seats]
    assert set(drawn) == {"light", "dark"}
    again = [Table(Position(), "random", "drawn", lambda: None, seed=seed) for seed in range(20)]
    assert [table.game.seat for table in again] == drawn


def test_a_drawn_seat_is_drawn_again_for_each_game():
    table = table_with(opponent="random", seat="drawn")
    clicked, called = set(), set()
    for _ in range(20):
        clicked.add(click(table, type="rematch")["seat"])
        table.new_game()
        assert table.join(LONG)
        called.add(table.game.seat)
        assert table.state()["askedSeat"] == "drawn"
    assert clicked == called == {"light", "dark"}
    table.new_game(seat="both")
    assert click(table, type="rematch")["seat"] == "both"


@pytest.mark.parametrize(
    ("record", "demand"),
    [
        ("", "Light opens: any piece, on a cell at the edge"),
        ("1. a1+", "Light's Straight on a1: place on a cell that {Straight}"),
        ("1. a1x", "Light's Diagonal on a1: place on a cell that {Diagonal}"),
        ("1. a1+, a3><", "Dark's Puller on a3: place on a cell that {Puller}"),
        ("1. a1+, a3<>", "Dark's Pusher on a3: place on a cell that {Pusher}"),
    ],
)
def test_the_page_says_what_the_last_piece_demands_in_the_words_of_the_rules(record, demand):
    page = (ROOT / "docs" / "rules.md").read_text()
    rules = dict(re.findall(r"^\| (\w+) \| `[+x<>]+` \| (.+) \|$", page, flags=re.MULTILINE))
    assert len(rules) == 4
    table = table_with(seat="both")
    table.load(record)
    assert table.state()["position"]["demand"] == demand.format(**rules)


@pytest.mark.parametrize(
    "rows", ["/".join(["####"] * 4), "/".join(["########"] * 8), "##.##/#####"]
)
def test_runs_and_scored_points_are_those_of_the_score(rows):
    table = table_with(Position(Variant(Board.from_text(rows), "anywhere")), "greedy", "both")
    play_out(table, np.random.default_rng(5))
    state = table.state()
    for player, runs in enumerate(state["position"]["runs"]):
        scored = sum(move["scored"] for move in state["moves"] if move["player"] == player)
        assert sum(len(run) - 2 for run in runs) == scored == state["position"]["score"][player]
        stones = state["position"]["stones"]
        assert all(stones[cell] == player + 1 for run in runs for cell in run)
    assert "demand" in state["position"] and state["position"]["demand"] == ""


def test_the_end_says_who_won_and_what_was_given_away():
    table = table_with(opponent="perfect", seat="dark", seed=3)
    play_out(table, np.random.default_rng(1))
    state = table.state()
    margin = -table.game.last.margin
    assert state["result"]["margin"] == margin < 0
    points = f"{-margin} point" + "s" * (margin < -1)
    assert state["result"]["text"] == f"You lost by {points}"
    lost = [i for i, move in enumerate(state["moves"]) if move["loss"]]
    assert state["result"]["mistakes"] == lost
    total = sum(state["moves"][i]["loss"] for i in lost)
    first = lost[0] // 2 + 1
    assert state["result"]["review"] == f"You gave away {total} points, the first at move {first}."
    values = [
        position.margin if position.is_over else solve(position).light_margin
        for position in table.game.positions
    ]
    assert state["values"] == values
    again = click(table, type="rematch")
    assert len(again["moves"]) == 1 and again["result"] is None and again["seat"] == "dark"
    other = click(table, type="rematch", variant="##/## anywhere 1")
    assert (other["game"]["variant"], other["seat"]) == ("##/## anywhere 1", "dark")
    damaged = click(table, type="rematch", variant="nonsense")
    assert "nonsense" in damaged["error"] and damaged["moves"] == other["moves"]


def test_who_wins_with_perfect_play_is_said_where_it_is_known():
    assert solve(Position()).light_margin == -1
    told = table_with().state()["game"]["perfectPlay"]
    assert told == "With perfect play Dark wins by 1 point."
    assert table_with(Position(Variant(copies=3))).state()["game"]["perfectPlay"] == ""


def test_a_shared_game_brings_its_variant():
    ring = Variant(Board.from_text(RING), "corner", 3)
    state = click(table_with(), type="load", variant=str(ring), record="1. c1+")
    assert (state["game"]["variant"], state["record"]) == (str(ring), "1. c1+")
    told = click(table_with(), type="load", variant="nonsense", record="")["error"]
    assert "nonsense" in told


def test_margins_that_lack_the_action_played_tell_no_loss():
    game = PlayTable(Position(), "random", "both", 0)
    game.play("a1+")
    game.solved(Position(), {1: 0})
    (move,) = json.loads(game.state())["moves"]
    assert move["loss"] is None and move["blunder"] is False
