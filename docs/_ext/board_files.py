"""The files of the board to play on in the website, and its place in a page.

They are the widget of the package, the core in WebAssembly (``make wasm``), and the network of the
champion, which is loaded only if it plays.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from mijnlieff import Position, solve
from mijnlieff._mijnlieff import PlayTable
from mijnlieff._util.files import package_data
from mijnlieff.render import svg
from mijnlieff.widget.art import art
from mijnlieff.widget.static_files import static_file, widget_module
from tools.pages.pictures import RECORD

WEB = Path(__file__).resolve().parents[2] / "web"
FOLDER = "_static/board"
FILES = ("site.js", "table.js", "desk.js", "engine.js", "worker.js", "core.wasm")

#: How the table of each board is made (see web/src/calls.rs), and the messages that it gets.
BOARDS: dict[str, dict[str, Any]] = {
    # Light has opened, so that the reader can answer at once.
    "play": {"variant": "standard", "opponent": "minimax:2", "seat": "dark", "first": "b1><"},
    "solved": {
        "variant": "standard",
        "opponent": "perfect",
        "seat": "both",
        "messages": [{"type": "show", "hints": True, "evaluation": True}],
    },
}

#: Modules and workers are not loaded from files, which browsers tell in the console only.
FROM_A_FILE = (
    'if (location.protocol === "file:") '
    "document.currentScript.previousElementSibling.lastElementChild.textContent = "
    '"To play here, serve the folder: python -m http.server --bind 127.0.0.1";'
)


def first_table(setup: dict[str, Any]) -> PlayTable:
    """Return the table of a board before it is touched."""
    start = Position()
    table = PlayTable(start, setup["opponent"], setup["seat"], 0)
    asked = table.next_answer()
    if asked is not None:
        table.answer(asked[3], start.variant.action_index(setup["first"]))
    for message in setup.get("messages", []):
        table.handle(json.dumps(message))
    return table


def state(table: PlayTable) -> dict[str, Any]:
    """Return what is shown of a table once everything that it wants is solved."""
    while (position := table.next_solution()) is not None:
        table.solved(position, solve(position).action_margins)
    shown: dict[str, Any] = json.loads(table.state())
    return shown


def recorded() -> list[dict[str, Any]]:
    """Return what is shown where no game can be played: a recorded one, after each move."""
    table = PlayTable(Position(), "random", "both", 0)
    table.load(RECORD)
    shown = []
    for moves in range(len(table.actions) + 1):
        table.handle(json.dumps({"type": "go", "shown": moves}))
        shown.append(state(table))
    return shown


def place(root: str, board: str = "play", shared: bool = False) -> str:
    """Return the place of a board in a page, with a picture of it and the script that fills it.

    Args:
        root: the address of the website's root, empty or ending in a slash.
        board: its name in `BOARDS`.
        shared: whether the board shows the game that the address of the page holds.
    """
    folder = f"{root}{FOLDER}"
    picture = svg(first_table(BOARDS[board]).position, size=400)
    return (
        f'<link rel="stylesheet" href="{folder}/widget.css">'
        f'<div class="mijnlieff-board" data-still="{board}.json"'
        f"{' data-shared' if shared else ''}>{picture}"
        "<p><noscript>The board needs JavaScript.</noscript></p></div>"
        f"<script>{FROM_A_FILE}</script>"
        f'<script type="module" src="{folder}/site.js"></script>'
    )


def write(site: Path) -> None:
    """Write the files into a website."""
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(WEB / name, folder / name)
    (folder / "widget.js").write_text(widget_module(), encoding="utf-8")
    (folder / "widget.css").write_text(static_file("widget.css"), encoding="utf-8")
    stills: dict[str, Any] = {
        name: {"art": art(), "state": state(first_table(setup)), "setup": setup}
        for name, setup in BOARDS.items()
    }
    for name, content in {**stills, "recorded": recorded()}.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "champion.bin").write_bytes(package_data("champion.bin"))
