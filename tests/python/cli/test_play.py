"""`mijnlieff play` and `mijnlieff review`, as processes."""

import io
import json
import re
import shlex

import pytest

from commands import mijnlieff, printed
from mijnlieff import Board, Position, Tablebase, Variant, parse_record, solve
from mijnlieff.cli.main import main
from mijnlieff.cli.margins import evaluation_line
from mijnlieff.evaluation import review
from mijnlieff.render.to_text import rules_text
from played import EXAMPLE, example_record
from program_ends import raising


def test_two_policies_play_a_game_to_watch():
    text = printed("play", "--light", "minimax:2", "--dark", "random", "--seed", 3)
    record = text.splitlines()[-1]
    position = Position.from_actions(parse_record(record))
    assert position.is_over and str(position) in text
    assert text == printed("play", "--light", "minimax:2", "--dark", "random", "--seed", 3)


def test_every_seed_is_that_of_a_game():
    arguments = ["play", "--light", "random", "--dark", "random", "--seed", 2**64 - 1]
    assert Position.from_actions(parse_record(printed(*arguments).splitlines()[-1])).is_over


def test_streams_that_the_shell_closed(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert main(["play", "--light", "human", "--dark", "random"]) == 0
    monkeypatch.setattr("sys.stdout", None)
    assert main(["solve", "1. a1+, a3><"]) == 0


def test_a_person_plays_undoes_and_errs():
    typed = "undo\nhelp\na1\nb2+\n\na1+\nmoves\na1+\nundo\nd4x\nquit\nnever read\n"
    text = printed("play", "--dark", "greedy", stdin=typed)
    assert "there is no move to undo" in text
    assert text.count("Type a cell and the sign") == 2
    assert "expected a sign (+, x, <> or ><), but the text ends" in text
    told = "(b2+) is illegal: the opening rule does not allow that cell; type moves for a list"
    assert told in " ".join(text.split())
    assert "(a1+) is illegal: the cell is occupied" in text
    assert re.findall("Light plays (.*)", text) == ["a1+", "d4x"]
    assert len(re.findall("Dark plays .*", text)) == 2


def test_a_person_is_dark_and_sees_one_board_a_turn():
    text = printed("play", "--seed", 1, stdin="help\nlevels\nquit\n")
    assert text.startswith(
        "You are Dark, against Club player (level 4). With perfect play Dark wins by 1 point.\n"
    )
    assert rules_text() in text
    listed = re.findall(r"^(\d) .* (\S+) +([-+]\d+)$", text, re.MULTILINE)
    assert [number for number, _, _ in listed] == [*"12345678"]
    assert listed[3][1] == "minimax:4" and listed[7][1] == "champion:64"

    # The answer to the person's move is told, and the board is shown after it.
    text = printed("play", "1. a1+, a3><; 2. a2+", "--light", "greedy", stdin="a4<>\nquit\n")
    assert text.count("to move") == 2
    told = (
        r"points   to move\nLast move: a2\+\nLight's Straight on a2: place on a cell that shares "
        r"an unbroken row or column with it\n"
    )
    assert re.search(told + r"Dark> Dark plays a4<>\nLight plays \S+\n\n4  ", text)


def test_the_rules_are_those_of_the_board():
    board = "##.##/##.##/#####"
    text = printed("play", "--board", board, "--dark", "human", stdin="help\na3+\nmoves\nquit\n")
    assert rules_text(board) in text and "with no gap between" in text
    legal = re.search(r"^Dark> (a1\+ .*)$", text, re.M)[1].split()
    assert {name[:2] for name in legal} == {"a1", "a2", "b3"}  # d3 and e3 are behind a gap


def test_levels_choose_the_opponent():
    text = printed("play", "--level", 2, "--light", "human", stdin="quit\n")
    assert text.startswith("You are Light, against Beginner (level 2).")
    corners = ["--board", "##../##../..##/..##"]
    text = printed("play", "--level", 8, *corners, stdin="quit\n")
    assert "against Club player (level 4). The champion was trained for the standard board" in text


def test_the_end_says_who_has_won_and_what_was_scored():
    record = example_record(15)
    text = printed("play", record, "--light", "greedy", stdin="b1<>\n")
    assert "Dark plays b1<> and scores 1\n" in text and "\nYou lost by 3 points.\n" in text
    text = printed("play", record[: record.index(" 8.")], "--dark", "greedy", stdin="b3<>\n")
    assert "Light plays b3<> and scores 1\n" in text and "\nYou won by 3 points.\n" in text


def test_two_people_share_a_terminal_and_the_input_ends():
    text = printed("play", "--dark", "human", stdin="a1+\na3><\n")
    assert re.findall("(Light|Dark) plays (.*)", text) == [("Light", "a1+"), ("Dark", "a3><")]


def test_a_game_goes_on_from_a_record():
    text = printed("play", "1. a1+, a3><", "--light", "greedy", stdin="undo\nquit\n")
    assert re.findall("(Light|Dark) plays", text) == ["Light"] * text.count("plays")
    left = re.search("To go on: mijnlieff play ('.*'), with the same options\n", text)[1]
    record = shlex.split(left)[0]
    assert record.startswith("1. a1+")
    again = printed("play", record, "--light", "greedy", stdin="quit\n")
    assert str(Position.from_record(record)) in again


def test_an_error_of_a_player_leaves_the_record(tmp_path, monkeypatch, capsys):
    (tmp_path / "faulty.py").write_text(
        "class Player:\n    def act(self, position):\n        return 1 / 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("a1+\n"))
    with pytest.raises(ZeroDivisionError):
        main(["play", "--dark", "faulty:Player"])
    assert "To go on: mijnlieff play '1. a1+'" in capsys.readouterr().out


@pytest.mark.parametrize("end", [KeyboardInterrupt(), OSError("the table is gone")], ids=repr)
def test_the_record_of_a_finished_game_outlives_its_review(end, monkeypatch, capsys):
    monkeypatch.setattr("mijnlieff.cli.play.review", raising(end))
    monkeypatch.setattr("sys.stdin", io.StringIO("b1<>\n"))
    code = main(["play", example_record(15), "--light", "greedy"])
    out, err = capsys.readouterr()
    record = out.splitlines()[-1]
    assert Position.from_record(record).is_over and record.startswith("1. a1+")
    if isinstance(end, KeyboardInterrupt):
        assert (code, err) == (130, "")
    else:
        assert (code, err) == (1, "mijnlieff play: error: the table is gone\n")


def test_a_table_of_another_game_is_refused_before_the_first_move(tmp_path):
    path = tmp_path / "small"
    Tablebase.build(path, Variant(Board.from_text("##/##"), copies=1))
    for options in ([], ["--browser", "--no-open"], ["--light", "random", "--dark", "random"]):
        result = mijnlieff("play", "--tablebase", path, *options, stdin="quit\n")
        assert (result.returncode, result.stdout) == (2, "")
        assert re.fullmatch("mijnlieff play: error: .*table.*\n", result.stderr)


def test_a_whole_game_can_be_piped_in():
    variant = Position().variant
    names = [variant.action_name(action) for action in parse_record(EXAMPLE)]
    typed = "\n".join(name for name in names if name != "pass")
    text = printed("play", "--dark", "human", stdin=typed)
    assert text.endswith(EXAMPLE + "\n") and "Light wins 4-1" in text
    # At the end all moves that gave points away are listed.
    moves = [move for move in review(parse_record(EXAMPLE)) if move.loss]
    listed = re.findall(r"^(\d+)\. (\S+) +(Light|Dark) +(\d+) +([-+]\d+) ", text, re.MULTILINE)
    assert listed == [
        (
            str(move.ply // 2 + 1),
            move.name,
            ("Light", "Dark")[move.player],
            str(move.loss),
            f"{move.margin:+d}",
        )
        for move in moves
    ]
    assert len(moves) == 7 and "points given away: Light 6, Dark 10" in text


def test_a_perfect_game_has_nothing_to_review():
    actions, position = [], Position()
    while not position.is_over:
        actions.append(solve(position).best_actions[0])
        position = position.play(actions[-1])
    names = [position.variant.action_name(action) for action in actions]
    typed = "\n".join(name for name in names if name != "pass")
    text = printed("play", "--dark", "human", stdin=typed)
    assert "points given away: Light 0, Dark 0\n\n1. " in text


def test_solve_says_of_a_finished_game_who_has_won():
    record = example_record(100)
    text = printed("solve", record)
    assert text == f"{Position.from_record(record)}\n" and "Game over: " in text
    assert json.loads(printed("solve", record, "--json"))["action_margins"] == {}


def test_review_reads_an_argument_a_file_and_standard_input(tmp_path):
    record = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+"
    (tmp_path / "game.txt").write_text(record + "\n")
    table = printed("review", record)
    assert table == printed("review", "game.txt", cwd=tmp_path)
    assert table == printed("review", stdin=record) == printed("review", "-", stdin=record)
    moves = review(parse_record(record))
    lost = [sum(move.loss for move in moves if move.player == player) for player in (0, 1)]
    assert table.startswith(
        f"Compared with perfect play, points given away: Light {lost[0]}, Dark {lost[1]}\n"
    )
    assert table.count("\n") == 2 + sum(move.loss > 0 for move in moves) and any(lost)
    found = json.loads(printed("review", record, "--json"))
    assert [(move["name"], move["margin"], move["loss"]) for move in found] == [
        (move.name, move.margin, move.loss) for move in moves
    ]


def test_review_knows_the_variant():
    options = ["--opening", "corner_straight", "--board", "blocks:0,0;2,0;0,2"]
    variant = Variant(Board.from_blocks([(0, 0), (2, 0), (0, 2)]), "corner_straight")
    name = variant.action_name(Position(variant).legal_actions()[0])
    moves = review([name], variant)
    found = json.loads(printed("review", name, *options, "--json"))
    assert [move["best_margin"] for move in found] == [moves[0].best_margin]


def test_hints_and_evaluations_are_exact():
    text = printed("play", "--dark", "human", stdin="hint\na1+\neval\nquit\n")
    assert text.count("With perfect play, ") == 2
    start, position = Position(), Position().play("a1+")
    assert f"Light to move loses, margin {solve(start).margin:+d}\n" in text
    assert f"margin {solve(position).margin:+d}\n" in text
    hints = dict(re.findall(r"^ ?([-+]\d+): (.*)$", text, re.MULTILINE))
    margins = {
        start.variant.action_index(name): int(margin)
        for margin, names in hints.items()
        for name in names.split()
    }
    assert margins == dict(solve(start).action_margins)
    always = printed("play", "--dark", "human", "--eval", stdin="a1+\na3><\nquit\n")
    assert always.count("With perfect play, ") == 3


def test_endings_of_larger_boards_are_exact():
    board = "#####/#####/#####/#####"
    text = printed("play", "--board", board, "--dark", "human", stdin="hint\neval\nquit\n")
    assert text.count("exact play is for boards of up to 16 cells, and for positions with") == 2

    variant = Variant(Board.from_text(board.replace("/", "\n")))
    position, names = Position(variant), []
    while not position.is_over:
        action = int(position.legal_actions()[-1])
        if action != variant.pass_action:  # passes are played without asking
            names.append(variant.action_name(action))
        position = position.play(action)
    lines = [*names[:8], "hint", *names[8:]]
    text = printed("play", "--board", board, "--dark", "human", stdin="\n".join(lines) + "\n")
    start = Position.from_actions(names[:8], variant)
    assert f"With perfect play, {evaluation_line(start, solve(start))}" in text
    assert "Compared with perfect play from move 4 of Light on" in text
