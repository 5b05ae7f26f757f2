"""Draw ``docs/widget.png``: ``python -m tools.pages.widget_picture``.

It shows the widget in headless Chromium, and needs the extra ``test-browser``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tools.results import DOCS, ROOT

sys.path.append(str(ROOT / "tests" / "python" / "support"))
from browser import PATIENCE, Player, chromium

# Mistakes of both kinds, and after them good, worse and bad cells for Light's Puller.
RECORD = "1. b4<>, b2x; 2. c3<>, a3<>; 3. d2+, c2<>"


def main() -> None:
    """Write the picture."""
    command = [sys.executable, "-m", "mijnlieff", "play", "--browser", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            [url] = re.findall(r"http://\S+", server.stdout.readline())
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=chromium(), args=["--no-sandbox"]
                )
                page = browser.new_page(viewport={"width": 1000, "height": 900})
                page.goto(url)
                draw(page, DOCS / "widget.png")
        finally:
            server.terminate()


def draw(page: Page, path: Path) -> None:
    """Show a game with hints, evaluation and mistakes, and write the picture to a file."""
    board = Player(page).board
    board.locator("summary", has_text="Record").click()
    board.get_by_label("Record of the game").fill(RECORD)
    board.get_by_role("button", name="Load").click()
    page.wait_for_function(
        "() => document.querySelectorAll('.mj-move[data-loss]').length === 6", timeout=PATIENCE
    )
    board.locator("summary", has_text="Record").click()
    for aid in ("Hints", "Evaluation"):
        board.get_by_role("button", name=aid).click()
    board.locator(".mj-cell .mj-hint").first.wait_for()
    board.locator(".mj-piece[role=radio]").nth(3).click()
    page.mouse.move(0, 0)
    page.evaluate("() => document.activeElement.blur()")
    page.locator(".mijnlieff").screenshot(path=path, animations="disabled")


if __name__ == "__main__":
    main()
