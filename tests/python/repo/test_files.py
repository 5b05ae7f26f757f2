"""Files that are replaced whole."""

from __future__ import annotations

import os

import pytest

from mijnlieff._util.files import part_path, write_whole


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
        with pytest.raises(OSError, match="No space left on device") as caught:
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
        with pytest.raises(OSError, match="cannot write"):
            write_whole(tmp_path / "file", b"new")
        assert os.listdir(tmp_path) == ["file"]
