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

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
    @pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "link to itself"])
    def test_what_is_not_a_file_is_not_replaced(self, kind, tmp_path):
        path, pipe = tmp_path / "file", tmp_path / "pipe"
        if kind == "pipe":
            os.mkfifo(path)
        else:
            os.mkfifo(pipe)
            path.symlink_to("pipe" if "pipe" in kind else "file")
        before = {name: os.lstat(tmp_path / name).st_ino for name in os.listdir(tmp_path)}
        with pytest.raises(OSError, match=rf"cannot write {path}: not a regular file"):
            write_whole(path, b"new")
        assert {name: os.lstat(tmp_path / name).st_ino for name in os.listdir(tmp_path)} == before

    @pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
    @pytest.mark.parametrize("exists", [True, False])
    def test_a_link_stays_one(self, exists, tmp_path):
        (tmp_path / "folder").mkdir()
        target, link = tmp_path / "folder" / "target", tmp_path / "link"
        if exists:
            target.write_bytes(b"old")
        link.symlink_to(os.path.join("folder", "target"))
        write_whole(link, b"new")
        assert link.is_symlink() and target.read_bytes() == b"new"
        assert os.listdir(tmp_path / "folder") == ["target"]
