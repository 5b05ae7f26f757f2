"""Records and boards in files and on standard input, as different systems write them."""

import io
import os
import sys
import threading

import pytest

from mijnlieff import Board, parse_record
from mijnlieff.cli.main import main
from mijnlieff.cli.options import actions_of, parse_board
from mijnlieff.cli.parser import parse
from mijnlieff.train.boards import boards_named

RECORD = "1. a1+, a3><; 2. a2+\n"
BOARD = "##\n##\n"


def actions(record):
    return actions_of(parse(["solve", str(record)]))


def standard_input(content):
    return io.TextIOWrapper(io.BytesIO(content), "ascii")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_texts_as_editors_of_any_system_write_them(encoding, newline, tmp_path, monkeypatch):
    record, board = tmp_path / "record", tmp_path / "board"
    record.write_text(RECORD, encoding, newline=newline)
    board.write_text(BOARD, encoding, newline=newline)
    monkeypatch.setattr("sys.stdin", standard_input(record.read_bytes()))
    assert actions(record) == actions("-") == parse_record(RECORD)
    assert parse_board(str(board)) == Board.from_text(BOARD)
    assert boards_named(str(board)) == [Board.from_text(BOARD)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_record_may_come_from_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[RECORD])
    writer.start()
    assert actions(pipe) == parse_record(RECORD)
    writer.join()
    assert actions(os.devnull) == []


def test_what_is_no_text_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    utf_16 = RECORD.encode("utf-16")
    (tmp_path / "utf16").write_bytes(utf_16)
    (tmp_path / "dir").mkdir()
    monkeypatch.setattr("sys.stdin", standard_input(utf_16))
    for arguments, code, words in [
        (["utf16"], 2, "error: utf16 is not UTF-8 text"),
        (["-"], 2, "error: standard input is not UTF-8 text"),
        (["--board", "utf16"], 2, "or a readable file (utf16 is not UTF-8 text)"),
        (["dir"], 1, "error: dir: "),
    ]:
        assert main(["solve", *arguments]) == code
        errors = capsys.readouterr().err
        assert words in errors and errors.count("\n") == 1 and "Errno" not in errors
    with pytest.raises(ValueError, match="utf16 is not UTF-8 text"):
        boards_named("utf16")
