"""The files of the board to play on in the website, and its place in a page.

They are the widget of the package, the core in WebAssembly (``make wasm``), and the network of the
champion, which is loaded only if it plays.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from mijnlieff import Position
from mijnlieff._mijnlieff import PlayTable
from mijnlieff._util.files import package_data
from mijnlieff.render import svg
from mijnlieff.widget.art import art
from mijnlieff.widget.static_files import static_file, widget_module

WEB = Path(__file__).resolve().parents[2] / "web"
FOLDER = "_static/board"
FILES = ("site.js", "table.js", "desk.js", "engine.js", "worker.js", "core.wasm")

#: A game in which Light has opened, so that the reader can answer at once.
SETUP = {"variant": "standard", "opponent": "minimax:2", "seat": "dark", "first": "b1><"}

#: Modules and workers are not loaded from files, which browsers tell in the console only.
FROM_A_FILE = (
    'if (location.protocol === "file:") '
    "document.currentScript.previousElementSibling.lastElementChild.textContent = "
    '"To play here, serve the folder: python -m http.server --bind 127.0.0.1";'
)


def still() -> dict[str, Any]:
    """Return the drawings, the state shown before anything is loaded, and how to make it."""
    start = Position()
    table = PlayTable(start, SETUP["opponent"], SETUP["seat"], 0)
    asked = table.next_answer()
    assert asked is not None
    table.answer(asked[3], start.variant.action_index(SETUP["first"]))
    return {"art": art(), "state": json.loads(table.state()), "setup": SETUP}


def place(root: str, shared: bool = False) -> str:
    """Return the place of a board in a page, with a picture of it and the script that fills it.

    Args:
        root: the address of the website's root, empty or ending in a slash.
        shared: whether the board shows the game that the address of the page holds.
    """
    folder = f"{root}{FOLDER}"
    picture = svg(Position.from_actions([SETUP["first"]]), size=400)
    return (
        f'<link rel="stylesheet" href="{folder}/widget.css">'
        f'<div class="mijnlieff-board"{" data-shared" if shared else ""}>{picture}'
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
    (folder / "still.json").write_text(json.dumps(still()), encoding="utf-8")
    (folder / "champion.bin").write_bytes(package_data("champion.bin"))
