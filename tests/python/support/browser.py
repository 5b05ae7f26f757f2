"""A headless Chromium, a JupyterLab, and a player who clicks.

The ``conftest.py`` of all tests imports the fixtures ``browser`` and ``page``.
"""

from __future__ import annotations

import json
import os
import random
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from mijnlieff import Position, solve

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60_000  # ms; a busy machine may be slow


def chromium() -> str | None:
    """Where Chromium is, or None."""
    paths = map(shutil.which, [os.environ.get("CHROMIUM", ""), *NAMES])
    return next((path for path in paths if path), None)


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium; without one, or without Playwright, the test is skipped."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if chromium() is None:
        pytest.skip("there is no Chromium (Debian: chromium)")
    with sync_api.sync_playwright() as playwright:
        options = {"executable_path": chromium(), "args": ["--no-sandbox"]}
        with playwright.chromium.launch(**options) as running:
            yield running


@pytest.fixture
def page(browser):
    """A page of a fresh profile; errors in its scripts fail the test."""
    errors = []
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        opened = context.new_page()
        opened.on("pageerror", lambda error: errors.append(str(error)))
        yield opened
    assert errors == []


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[str]:
    """A JupyterLab whose files are in the folder; gives its address, which ends in the token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    settings = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": folder / "files",
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": token,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    # A question about news would cover the notebook.
    config = folder / "JUPYTER_CONFIG_DIR" / "labconfig" / "page_config.json"
    config.parent.mkdir(parents=True)
    disabled = {"@jupyterlab/apputils-extension:announcements": True}
    config.write_text(json.dumps({"disabledExtensions": disabled}))
    # The user's own Jupyter settings must not matter.
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {name: str(folder / name) for name in homes}
    command = [sys.executable, "-m", "jupyterlab"]
    command += [f"--{name}={value}" for name, value in settings.items()]
    with (
        (folder / "lab.log").open("w") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as lab,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/api?token={token}", lab, folder / "lab.log")
            yield f"{address}/lab/tree/{{}}?token={token}"
        finally:
            lab.terminate()
            lab.wait(60)


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError as error:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text()) from error
            time.sleep(0.1)


def write_notebook(path: Path, source: str) -> None:
    """Write a notebook of one cell."""
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "widget",
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {
        "cells": [cell],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))


class Player:
    """Plays on a page that shows the widget, by clicks and by what can be seen."""

    def __init__(self, page, seed: int = 0) -> None:
        self.page = page
        self.board = page.locator(".mijnlieff")
        self.random = random.Random(seed)
        self.board.locator(".mj-board").wait_for(timeout=PATIENCE)

    @property
    def moves(self) -> list[str]:
        """The names of all moves, without their marks."""
        names = self.board.locator(".mj-move").evaluate_all(
            "them => them.map(it => it.dataset.name)"
        )
        return list(names)

    def marks(self) -> list[tuple[str, int]]:
        """The mark of each move and the points that it gives away, once all of them are known."""
        self.page.wait_for_function(
            "() => !document.querySelector('.mj-move:not([data-loss])')", timeout=PATIENCE
        )
        texts = self.board.locator(".mj-move").evaluate_all(
            "them => them.map(it => it.querySelector('.mj-mark')?.textContent ?? '')"
        )
        found = [re.fullmatch(r"(\?+) \u2212(\d+)", text) for text in texts]
        return [(match[1], int(match[2])) if match else ("", 0) for match in found]

    @property
    def score(self) -> tuple[int, int]:
        """The points of Light and Dark."""
        light, dark = (
            int(self.board.locator(f".mj-tray[data-player={name}] .mj-score").inner_text())
            for name in ("light", "dark")
        )
        return light, dark

    @property
    def status(self) -> str:
        return self.board.locator(".mj-status").inner_text()

    def wait(self) -> None:
        """Wait until it is the person's turn or the game is over."""
        self.page.wait_for_function(
            """() => {
                const board = document.querySelector(".mijnlieff");
                return board.querySelector(".mj-playable, .mj-pass:not([hidden])")
                    || board.querySelector(".mj-status").textContent.includes("game is over");
            }""",
            timeout=PATIENCE,
        )

    def choose(self) -> tuple[int, int] | None:
        """Click a piece, and return it with one of the cells for it; None for a forced pass."""
        if self.board.locator(".mj-pass").is_visible():
            return None
        pieces = self.board.locator(".mj-piece[role=radio]:not([aria-disabled])")
        piece = pieces.nth(self.random.randrange(pieces.count()))
        piece.click()
        cells = self.board.locator(".mj-playable")
        cell = cells.nth(self.random.randrange(cells.count()))
        return int(piece.get_attribute("data-piece")), int(cell.get_attribute("data-cell"))

    def turn(self) -> None:
        """Play one action, and wait for the answer."""
        count = len(self.moves)
        chosen = self.choose()
        if chosen is None:
            self.board.locator(".mj-pass").click()
        else:
            self.board.locator(f".mj-cell[data-cell='{chosen[1]}']").click()
        self.page.wait_for_function(
            "count => document.querySelectorAll('.mj-move').length > count",
            arg=count,
            timeout=PATIENCE,
        )
        self.wait()

    def wait_for_moves(self, count: int) -> None:
        """Wait until there are so many moves."""
        self.page.wait_for_function(
            "count => document.querySelectorAll('.mj-move').length === count",
            arg=count,
            timeout=PATIENCE,
        )

    def finish(self) -> None:
        """Play to the end of the game."""
        self.wait()
        while "game is over" not in self.status:
            self.turn()


def check_finished_game(player: Player, person: int) -> Position:
    """Score, marks and moves on the page are those of the core, and the opponent was perfect."""
    position = Position()
    for move, (mark, loss) in zip(player.moves, player.marks(), strict=True):
        solution = solve(position)
        action = position.variant.action_index(move)
        margin = solution.action_margins[action]
        assert loss == solution.margin - margin
        changed = np.sign(margin) != np.sign(solution.margin)
        assert mark == ("" if loss == 0 else "??" if changed else "?")
        assert loss == 0 or position.to_play == person
        position = position.play(action)
    assert position.is_over
    assert player.score == position.score
    light, dark = position.score
    assert f"{max(light, dark)} to {min(light, dark)}" in player.status
    return position
