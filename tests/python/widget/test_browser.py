"""Games played by clicks in headless Chromium: in JupyterLab and on the page of the server."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys

import pytest

from browser import (
    PATIENCE,
    Player,
    check_finished_game,
    jupyter_lab,
    write_notebook,
)
from mijnlieff import Position, solve

pytest.importorskip("anywidget")
pytest.importorskip("tornado")
if importlib.util.find_spec("jupyterlab") is None:
    pytest.skip("jupyterlab is not installed", allow_module_level=True)

STANDARD = Position().variant
DIAGONAL = "##....../##....../..##..../..##..../....##../....##../......##/......##"
# An observer, as in users' notebooks, writes to a file what the widget shows.
NOTEBOOK = """
import json, pathlib, threading, mijnlieff
def write(change):
    position = change["new"]
    news = {"score": position.score, "notation": position.notation}
    news["in_main_thread"] = threading.current_thread() is threading.main_thread()
    pathlib.Path("news.json").write_text(json.dumps(news))
widget = mijnlieff.Widget(opponent="perfect", seat="light")
widget.observe(write, "position")
widget
"""


class Command:
    """Starts `mijnlieff play --browser` and returns the address of its page."""

    def __init__(self):
        self.processes = []

    def __call__(self, *arguments):
        command = [sys.executable, "-m", "mijnlieff", "play", "--browser", "--no-open", *arguments]
        self.processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return re.search(r"http://\S+", self.processes[-1].stdout.readline())[0]

    def end(self):
        for process in self.processes:
            process.terminate()
            process.communicate(timeout=60)


@pytest.fixture
def address():
    command = Command()
    yield command
    command.end()


def test_a_game_in_jupyter_lab(page, tmp_path):
    write_notebook(tmp_path / "files" / "game.ipynb", NOTEBOOK)
    with jupyter_lab(tmp_path) as url:
        page.goto(url.format("game.ipynb"))
        page.locator(".jp-CodeCell .cm-content").first.click(timeout=PATIENCE)
        idle = page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")
        idle.wait_for(timeout=PATIENCE)
        page.keyboard.press("Shift+Enter")
        player = Player(page, seed=1)
        player.finish()
        position = check_finished_game(player, person=0)
        news = json.loads((tmp_path / "files" / "news.json").read_text())
        assert tuple(news["score"]) == position.score
        assert news["notation"] == position.notation
        assert news["in_main_thread"]
        assert Position.from_actions(player.moves) == position
        assert "widget" in page.locator(".jp-CodeCell .cm-content").first.inner_text()

        # Keys of the widget are not JupyterLab's: 1 would turn the cell into a heading.
        cells = page.locator(".jp-Cell").count()
        player.board.get_by_role("button", name="Undo").click()
        page.wait_for_function(
            "() => !document.querySelector('.mj-status').textContent.includes('over')"
        )
        for key in ("1", "b", "d", "d", "ArrowDown"):
            page.keyboard.press(key)
        assert page.locator(".jp-Cell").count() == cells
        assert page.locator(".jp-MarkdownCell").count() == 0

        page.evaluate("document.body.dataset.jpThemeLight = 'false'")
        page.locator(".mijnlieff[data-theme=dark]").wait_for()


@pytest.mark.parametrize("seat", ["light", "dark"])
def test_a_game_on_the_page(page, address, seat):
    other = {"light": "dark", "dark": "light"}[seat]
    page.goto(address(f"--{seat}", "human", f"--{other}", "perfect"))
    player = Player(page, seed=2)
    player.finish()
    check_finished_game(player, person=["light", "dark"].index(seat))


def test_stepping_reviewing_and_undoing(page, address):
    page.goto(address("--dark", "perfect"))
    player = Player(page, seed=3)
    player.turn()
    player.turn()
    board, moves = player.board, player.moves
    board.get_by_role("button", name="One move back").click()
    page.wait_for_function(
        "() => document.querySelector('.mj-status').textContent.includes('Turn 2 of 2')"
    )
    current = board.locator("[aria-current=step]")
    assert current.get_attribute("data-name") == moves[2]
    assert re.match(moves[2][:2] + ".*, [A-Z][a-z]+, ply 3, ", current.get_attribute("aria-label"))
    assert current.inner_text().startswith(moves[2][:2]) and current.locator("svg").count() == 1
    assert board.locator(".mj-playable").count() == 0
    board.get_by_role("button", name=", ply 2").click()
    board.get_by_role("button", name="Play on from here").click()
    player.wait_for_moves(2)
    board.get_by_role("button", name="Undo").click()
    player.wait_for_moves(0)

    record = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+"
    board.locator("summary", has_text="Record").click()
    board.get_by_label("Record of the game").fill(record)
    board.get_by_role("button", name="Load").click()
    player.wait_for_moves(6)
    position = Position()
    for move, (_, loss) in zip(player.moves, player.marks(), strict=True):
        solution = solve(position)
        action = STANDARD.action_index(move)
        assert loss == solution.margin - solution.action_margins[action]
        position = position.play(action)

    board.get_by_role("button", name="First position").click()
    page.wait_for_function(
        "() => document.querySelector('.mj-status').textContent.includes('Before the first move')"
    )
    board.get_by_label("Record of the game").fill("1. nonsense")
    board.get_by_role("button", name="Load").click()
    board.get_by_role("alert").filter(has_text="nonsense").wait_for()
    assert player.moves == moves_of(record)
    board.get_by_role("button", name="Last position").click()
    board.get_by_role("alert").filter(has_text="nonsense").wait_for(state="hidden")
    assert board.get_by_label("Record of the game").input_value() == "1. nonsense"


def test_a_record_is_shown_whole_and_can_be_taken_back(page, address):
    record = "1. a1+, a3><; 2. a2+, a4<>"
    page.goto(address(record, "--dark", "greedy"))
    player = Player(page)
    board = player.board
    assert player.moves == moves_of(record)
    board.get_by_role("button", name="First position").click()
    page.wait_for_function(
        "() => document.querySelector('.mj-status').textContent.includes('Before the first move')"
    )
    board.get_by_role("button", name="Last position").click()
    board.get_by_role("button", name="Undo").click()
    player.wait_for_moves(2)
    board.get_by_role("button", name="Undo").click()
    player.wait_for_moves(0)


def moves_of(record):
    return re.findall(r"[a-d][1-4](?:\+|x|<>|><)", record)


def test_hints_are_those_of_exact_play(page, address):
    page.goto(address("--dark", "perfect"))
    player = Player(page, seed=4)
    player.turn()
    board = player.board
    board.get_by_role("button", name="Evaluation").click()
    board.get_by_role("button", name="Hints").click()
    board.locator(".mj-cell .mj-hint").first.wait_for()
    position = Position.from_actions(player.moves)
    solution = solve(position)
    meter = board.get_by_role("meter")
    assert int(meter.get_attribute("aria-valuenow")) == solution.margin
    for piece in board.locator(".mj-piece[role=radio]:not([aria-disabled])").all():
        piece.click()
        kind = int(piece.get_attribute("data-piece"))
        for cell in board.locator(".mj-playable").all():
            action = 16 * kind + int(cell.get_attribute("data-cell"))
            margin = solution.action_margins[action]
            hint = cell.locator(".mj-hint")
            assert int(hint.inner_text().replace("\N{MINUS SIGN}", "-")) == margin
            assert (hint.get_attribute("data-quality") == "best") == (margin == solution.margin)


def test_another_board_from_the_form(page, address):
    page.goto(address("--dark", "perfect"))
    player = Player(page)
    board = player.board
    board.get_by_role("button", name="New game").click()
    board.get_by_label("Board", exact=True).select_option("other")
    board.get_by_label("Rows of the board").fill("#" * 8 + "\n##.#..##\n" + "#" * 8)
    board.get_by_label("Opponent").select_option("minimax:2")
    board.get_by_label("You play").select_option("dark")
    board.get_by_label("Opening").select_option("anywhere")
    board.get_by_role("button", name="Start").click()
    page.wait_for_function("() => document.querySelectorAll('.mj-cell').length === 21")
    player.wait()
    board.get_by_role("button", name="Hints").click()
    limits = board.get_by_text("endings of at most 14 empty cells")
    limits.wait_for()
    assert board.locator(".mj-mark").count() == 0
    player.finish()
    limits.wait_for(state="hidden")  # the ending can be solved

    board.get_by_role("button", name="New game").click()
    board.get_by_label("Opponent").select_option("perfect")
    board.get_by_role("button", name="Start").click()
    board.get_by_role("alert").filter(has_text="up to 16 cells").wait_for()
    form = board.get_by_role("form", name="New game")
    assert form.is_visible()  # with what was typed
    assert "##.#..##" in form.get_by_label("Rows of the board").input_value()
    form.get_by_label("Opponent").select_option("greedy")
    form.get_by_role("button", name="Start").click()
    form.wait_for(state="hidden")


def test_the_board_explains_a_game(page, address):
    """What the last piece demands, the lines that score, and what was given away at the end."""
    page.goto(address("--light", "minimax:2", "--dark", "human"))
    player = Player(page, seed=3)
    player.wait()
    board = player.board
    demands = {
        "+": "place on a cell that shares an unbroken row or column with it",
        "x": "place on a cell that shares an unbroken diagonal with it",
        "<>": "place on a cell that does not touch it",
        "><": "place on a cell that touches it, orthogonally or diagonally",
    }
    name = player.moves[-1]
    cell, sign = name[:2], name[2:]
    demand = board.locator(".mj-demand").inner_text()
    assert demand.startswith("Light's ") and f" on {cell}: {demands[sign]}" in demand
    assert "Choose one of your pieces" in board.locator(".mj-coach").inner_text()
    board.get_by_role("button", name="Skip").click()
    assert not board.locator(".mj-coach").is_visible()
    board.locator("summary", has_text="Rules").click()
    assert board.locator(".mj-pieces svg").count() == 4

    player.finish()
    lost = {"??": 0, "?": 0, "": 0}
    for number, (mark, loss) in enumerate(player.marks()):
        lost[mark] += loss if number % 2 else 0
    end = board.get_by_role("region", name="Result and review")
    light, dark = player.score
    word = "A draw" if light == dark else f"You {'won' if dark > light else 'lost'} by"
    assert end.locator(".mj-result").inner_text().startswith(word)
    total = sum(lost.values())
    assert f"gave away {total} point" in end.inner_text()
    assert end.get_by_role("img", name="Value with perfect play").count() == 1
    # A line of n stones is drawn through all of them, and scores n - 2.
    assert board.locator(".mj-cell:has(.mj-run)").count() >= (3 if light + dark else 0)
    before = len(player.moves)
    end.get_by_role("button", name="show the position before it").first.click()
    assert board.locator("[aria-current=step]").count() <= 1 and len(player.moves) == before
    # The table answers; a state that never comes is an error of the wait.
    earlier = re.compile("Turn .* of |Before the first move")
    board.locator(".mj-status", has_text=earlier).wait_for(timeout=PATIENCE)
    end.get_by_role("button", name="Play again").click()
    player.wait_for_moves(1)
    assert not end.is_visible()


def test_a_game_by_keyboard_alone(page, address):
    """Each thing that has the focus shows it, has a name and a role, and says what is wanted."""
    page.goto(address("--dark", "perfect"))
    player = Player(page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == (
        "a1: empty, allowed"
    )
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement.dataset.name"
    assert page.evaluate(focused) == "b2"
    page.keyboard.press("Enter")  # b2 is not allowed
    page.keyboard.press("ArrowDown")
    page.keyboard.press("3")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    player.wait_for_moves(2)
    assert player.moves[0] == "b1<>"
    assert page.evaluate(focused) == "b1"  # the focus stays where it was
    said = player.board.get_by_role("status").inner_text()
    assert re.search(r"Dark played \S+\. Light to move: your turn\. .* cells? allowed: ", said)
    page.keyboard.press("u")
    player.wait_for_moves(0)

    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, textarea, summary")]
            .filter(it => it.checkVisibility())
            .filter(it => !(it.getAttribute("aria-label") || it.textContent.trim()
                || it.labels?.length)).length"""
    )
    assert unnamed == 0
    grid = player.board.get_by_role("grid")
    assert grid.get_by_role("row").count() == 4 and grid.get_by_role("gridcell").count() == 16


def test_arrow_keys_reach_every_cell_of_parts_that_meet_at_corners(page, address):
    page.goto(address("--dark", "greedy", "--board", DIAGONAL))
    player = Player(page)
    player.wait()
    reached, waiting = set(), ["0"]
    while waiting:
        cell = waiting.pop()
        if cell in reached:
            continue
        reached.add(cell)
        for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
            player.board.locator(f".mj-cell[data-cell='{cell}']").focus()
            page.keyboard.press(key)
            waiting.append(page.evaluate("document.activeElement.dataset.cell"))
    assert len(reached) == 16


@pytest.mark.parametrize(
    "board",
    ["/".join(["####"] * 4), "/".join(["########"] * 8), "#" * 64],
    ids=["standard", "largest", "longest"],
)
def test_it_fits_a_phone_and_follows_the_theme(page, address, board):
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    page.goto(address("--dark", "greedy", "--board", board))
    player = Player(page)
    player.turn()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    smallest = player.board.locator(".mj-cell").first.bounding_box()
    assert min(smallest["width"], smallest["height"]) >= 34
    color = "getComputedStyle(document.querySelector('.mijnlieff')).backgroundColor"
    dark = page.evaluate(color)
    page.emulate_media(color_scheme="light")
    page.locator(".mijnlieff[data-theme=light]").wait_for()
    assert page.evaluate(color) != dark


def test_a_lost_connection_is_told_and_a_second_page_shows_the_same_game(page, address):
    url = address("--dark", "perfect")
    page.goto(url)
    player = Player(page)
    player.turn()
    other = page.context.new_page()
    other.goto(url)
    assert Player(other).moves == player.moves
    other.close()
    page.reload()
    assert Player(page).moves == player.moves
    address.end()
    page.get_by_role("alert").filter(has_text="connection to mijnlieff is lost").wait_for()
