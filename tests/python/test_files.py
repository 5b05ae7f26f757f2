"""Files that are replaced whole, and progress on standard error."""

from __future__ import annotations

import io
import os
import sys

import pytest

from mijnlieff._util.files import part_path, write_whole
from mijnlieff._util.progress import StatusBar, note, progress_bar
from mijnlieff.errors import OutputError


class TestWriteWhole:
    def test_it_creates_and_replaces(self, tmp_path):
        path = tmp_path / "file"
        for content in (b"first", b"", b"second"):
            write_whole(path, content)
            assert path.read_bytes() == content
        assert os.listdir(tmp_path) == ["file"]

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
    def test_a_full_disk_changes_nothing(self, tmp_path):
        path = tmp_path / "file"
        path.write_bytes(b"old")
        part_path(path).symlink_to("/dev/full")
        with pytest.raises(OutputError, match="No space left on device") as caught:
            write_whole(path, b"new")
        assert str(path) in str(caught.value)
        assert path.read_bytes() == b"old"
        assert os.listdir(tmp_path) == ["file"]

    def test_an_interrupt_leaves_no_temporary_file(self, tmp_path, monkeypatch):
        def interrupt(descriptor: int) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_whole(tmp_path / "file", b"new")
        assert os.listdir(tmp_path) == []

    def test_a_folder_in_the_way(self, tmp_path):
        (tmp_path / "file").mkdir()
        with pytest.raises(OutputError, match="cannot write"):
            write_whole(tmp_path / "file", b"new")
        assert os.listdir(tmp_path) == ["file"]


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


class TestProgress:
    def test_without_a_terminal_it_prints_lines(self, capsys):
        with StatusBar() as status, progress_bar(10, "games") as advance:
            status.update(0.25, "first")
            status.update(0.5, "too soon")
            status.update(1.0, "last")
            advance(3)
        captured = capsys.readouterr()
        assert captured.err == " 25%  first\n100%  last\n"
        assert captured.out == ""

    def test_on_a_terminal_it_is_a_bar(self, monkeypatch):
        pytest.importorskip("tqdm")
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        with StatusBar(0.25) as status:
            status.update(0.75, "three quarters")
        assert " 25%|" in terminal.getvalue()
        assert " 75%|" in terminal.getvalue() and "three quarters" in terminal.getvalue()

    def test_a_terminal_without_tqdm_gets_lines(self, monkeypatch):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setitem(sys.modules, "tqdm", None)
        with StatusBar() as status, progress_bar(10, "games") as advance:
            status.update(0.5, "half")
            advance(5)
        assert terminal.getvalue() == " 50%  half\n"

    def test_with_standard_error_closed_it_is_silent(self, monkeypatch, capsys):
        monkeypatch.setattr(sys, "stderr", None)
        with StatusBar() as status, progress_bar(10, "games") as advance:
            status.update(1.0, "all")
            advance(10)
        note("done")
        assert capsys.readouterr().out == ""
