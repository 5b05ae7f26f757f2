"""The tool that grades players on every position of the early plies, on a small board."""

from __future__ import annotations

import sys

import pytest

from mijnlieff import Board, Position, Tablebase, Variant
from tools.measure import every_position
from tools.results import read_results, write_results

SMALL = Variant(Board.from_text("##..\n####\n..##"), copies=1)


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """A function that runs the tool with options, and returns what is in its file."""
    table = tmp_path / "small.tablebase"
    Tablebase.build(table, SMALL)
    monkeypatch.setattr(every_position, "Position", lambda: Position(SMALL))
    monkeypatch.setattr(every_position, "PLAYERS", ("random",))

    def run(*options):
        line = ["tool", str(table), "--plies", "1", "--results", str(tmp_path), *options]
        monkeypatch.setattr(sys, "argv", line)
        every_position.main()
        return read_results(tmp_path / "players.json")

    return run


def test_players_are_graded_again_if_asked(tool, tmp_path):
    measured = tool()
    assert list(measured) == ["random"] and len(measured["random"]) == 2
    changed = {"random": [{"optimal": [0.0, 0.0]}] * 2}
    write_results(tmp_path / "players.json", changed)
    assert tool() == changed
    assert tool("--again", "random") == measured
    # One that was not measured yet may be asked for in the same words.
    mine = ["--again", "mine", "--player", "mine=greedy"]
    assert list(tool(*mine)) == ["random", "mine"]


def test_an_unknown_player_is_refused(tool, capsys):
    with pytest.raises(SystemExit):
        tool("--again", "greedie")
    assert "--again greedie: give what it is by --player" in capsys.readouterr().err
