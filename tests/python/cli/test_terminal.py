"""Tables and progress on terminals, with and without rich, and in pipes."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from mijnlieff import Board, Position, Variant, evaluate
from mijnlieff._util.output import (
    LineClock,
    note,
    print_table,
    progress_bar,
    status_bar,
    text_table,
)
from mijnlieff.cli.play_terminal import print_position

ROWS = [["player", "wins", "losses"], ["greedy", "10", "2"], ["[red]", "7", "5"]]
TEXT = "player  wins  losses\ngreedy    10       2\n[red]      7       5"
LIST = "greedy\n  wins    10\n  losses  2\n[red]\n  wins    7\n  losses  5"


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch):
    """A function that gives a new terminal in place of a standard stream."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def replace(stream: str, columns: int = 80) -> Terminal:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("LINES", "24")
        made = Terminal()
        monkeypatch.setattr(sys, stream, made)
        return made

    return replace


@pytest.fixture
def without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make rich look as if it were not installed."""
    for name in ("rich.console", "rich.table", "rich.live"):
        monkeypatch.setitem(sys.modules, name, None)


class TestTables:
    def test_columns_are_aligned(self):
        assert text_table(ROWS) == TEXT

    def test_a_pipe_gets_plain_text_whatever_its_width(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "10")
        monkeypatch.setenv("FORCE_COLOR", "1")
        print_table(ROWS, "title", "note")
        assert capsys.readouterr().out == f"title\n{TEXT}\nnote\n"

    @pytest.mark.usefixtures("without_rich")
    def test_a_terminal_without_rich_gets_plain_text(self, terminal):
        stream = terminal("stdout")
        print_table(ROWS, "title")
        assert stream.getvalue() == f"title\n{TEXT}\n"

    @pytest.mark.usefixtures("without_rich")
    def test_a_narrow_terminal_without_rich_gets_a_list(self, terminal):
        stream = terminal("stdout", columns=19)
        print_table(ROWS, "title", "a note of several words")
        assert stream.getvalue() == f"title\n{LIST}\na note of several\nwords\n"

    def test_a_terminal_with_rich_gets_a_table(self, terminal):
        pytest.importorskip("rich")
        stream = terminal("stdout")
        print_table(ROWS, "title", "note")
        lines = stream.getvalue()
        assert "\x1b[1m" in lines and "title" in lines and "─" in lines
        # What is written in cells is not markup.
        assert "[red]" in lines and lines.endswith("note\n")

    def test_a_narrow_terminal_with_rich_gets_a_list(self, terminal):
        pytest.importorskip("rich")
        stream = terminal("stdout", columns=19)
        print_table(ROWS, "title")
        assert stream.getvalue() == f"title\n{LIST}\n"

    @pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_colors_can_be_turned_off(self, terminal, monkeypatch, name, value):
        stream = terminal("stdout")
        monkeypatch.setenv(name, value)
        print_table(ROWS, "title")
        assert "\x1b" not in stream.getvalue() and "greedy" in stream.getvalue()

    def test_reports_print_what_they_are_as_text(self, capsys):
        report = evaluate("greedy", "random", games=4)
        report.print()
        assert capsys.readouterr().out == f"{report}\n"


class TestBoards:
    def test_a_pipe_gets_the_text_of_the_position(self, capsys):
        position = Position.from_actions(["a1+", "a3><"])
        print_position(position)
        assert capsys.readouterr().out == f"\n{position}\n"

    @pytest.mark.parametrize("rows", ["####\n####\n####\n####", "#" * 30 + "\n" + "#" * 30])
    def test_a_terminal_shows_stones_allowed_cells_and_the_last_move(self, terminal, rows):
        pytest.importorskip("rich")
        names = ["a1+", "a2><"]
        stream = terminal("stdout")
        position = Position.from_actions(names, Variant(Board.from_text(rows)))
        print_position(position)
        text = stream.getvalue()
        assert "\x1b[1;33mL+\x1b[0m" in text  # a stone of Light
        assert "\x1b[1;7;36mD><\x1b[0m" in text  # the last one, of Dark
        allowed = len(position.legal_actions()) // 4
        assert text.count("\x1b[1;32m*\x1b[0m") == allowed > 0
        assert re.sub(r"\x1b\[[\d;]*m", "", text) == f"\n{position}\n"

    @pytest.mark.parametrize("name", ["a1+", "b2x", "d1+", "e1><"])
    def test_the_last_move_is_marked_beside_an_empty_column(self, terminal, name):
        pytest.importorskip("rich")
        variant = Variant(Board.from_text("##.##/##.##"), opening="anywhere")
        stream = terminal("stdout")
        position = Position.from_actions([name], variant)
        print_position(position)
        text = stream.getvalue()
        assert f"\x1b[1;7;33mL{name[2:]}\x1b[0m" in text
        assert re.sub(r"\x1b\[[\d;]*m", "", text) == f"\n{position}\n"


class TestProgress:
    def test_without_a_terminal_it_prints_lines(self, capsys, monkeypatch):
        monkeypatch.setattr(time, "monotonic", lambda: 0.0)
        with status_bar() as status, progress_bar(10, "games") as advance:
            status.update(0.25, "first")
            status.update(0.5, "too soon")
            status.update(1.0, "last")
            advance(3)
        captured = capsys.readouterr()
        assert captured.err == " 25%  first\n100%  last\n"
        assert captured.out == ""

    def test_without_a_terminal_long_work_prints_a_line_now_and_then(self, capsys, monkeypatch):
        now = time.monotonic()
        with progress_bar(10, "games") as advance:
            for seconds in (1, 12, 15, 23):
                monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: now + seconds)
                advance(2)
        assert capsys.readouterr().err == " 40%  4/10 games\n 80%  8/10 games\n"

    def test_short_bars_with_one_clock_print_a_line_now_and_then(self, capsys, monkeypatch):
        now = time.monotonic()
        clock = LineClock()
        for seconds in (4, 8, 12, 16, 20, 24):
            with progress_bar(10, f"games of part {seconds}", clock=clock) as advance:
                monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: now + seconds)
                advance(5)
        lines = capsys.readouterr().err.splitlines()
        assert lines == [" 50%  5/10 games of part 12", " 50%  5/10 games of part 24"]

    def test_on_a_terminal_it_is_a_bar(self, terminal):
        pytest.importorskip("rich")
        stream = terminal("stderr")
        with status_bar(0.25) as status:
            assert " 25%" in stream.getvalue() and "━" in stream.getvalue()
            note("a line above it")
            status.update(0.75, "three quarters")
        assert "a line above it\n" in stream.getvalue()
        assert " 75%" in stream.getvalue() and "three quarters" in stream.getvalue()
        assert sys.stderr is stream

    def test_a_bar_is_no_wider_than_the_terminal(self, terminal):
        pytest.importorskip("rich")
        stream = terminal("stderr", columns=40)
        with status_bar(0.25) as status:
            status.update(0.5, "many words " * 10)
        last = [line for line in stream.getvalue().splitlines() if "many" in line][-1]
        visible = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", last)
        assert visible.startswith(" 50%") and visible.rstrip().endswith("…")
        assert len(visible) <= 40

    def test_work_that_is_soon_done_shows_no_bar(self, terminal, monkeypatch):
        monkeypatch.setattr(time, "monotonic", lambda: 0.0)
        stream = terminal("stderr")
        with progress_bar(10, "games") as advance:
            advance(10)
        assert stream.getvalue() == ""

    def test_work_that_takes_longer_shows_a_bar_that_disappears(self, terminal, monkeypatch):
        pytest.importorskip("rich")
        stream = terminal("stderr")
        with progress_bar(10, "games") as advance:
            later = time.monotonic() + 2
            monkeypatch.setattr(time, "monotonic", lambda: later)
            advance(5)
            assert " 50%" in stream.getvalue() and "5/10 games" in stream.getvalue()
        assert stream.getvalue().endswith("\x1b[2K")  # erases the line

    @pytest.mark.usefixtures("without_rich")
    def test_a_terminal_without_rich_gets_lines(self, terminal):
        stream = terminal("stderr")
        with status_bar() as status, progress_bar(10, "games") as advance:
            status.update(0.5, "half")
            advance(5)
        assert stream.getvalue() == " 50%  half\n"

    def test_with_standard_error_closed_it_is_silent(self, monkeypatch, capsys):
        monkeypatch.setattr(sys, "stderr", None)
        with status_bar() as status, progress_bar(10, "games") as advance:
            status.update(1.0, "all")
            advance(10)
        note("done")
        assert capsys.readouterr().out == ""
