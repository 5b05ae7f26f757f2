"""The board of the website, played by clicks in headless Chromium."""

from __future__ import annotations

import functools
import http.server
import re
import threading
import time
from urllib.parse import parse_qs

import pytest

from browser import PATIENCE, Player, check_finished_game
from mijnlieff import Position, Variant, solve
from processes import ROOT, load_module

HEAD = """<!doctype html><meta charset="utf-8">
<meta name="viewport" content="width=device-width">"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a site with three pages, and its folder."""
    folder = tmp_path_factory.mktemp("site")
    files = load_module(ROOT / "docs" / "_ext" / "board_files.py")
    files.write(folder)
    pages = {"index": files.place(""), "play": files.place("", shared=True)}
    pages["solved"] = files.place("", "solved")
    for name, board in pages.items():
        (folder / f"{name}.html").write_text(HEAD + board)
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", folder
        server.shutdown()


@pytest.fixture
def loaded(page):
    """The names of the files that the page has loaded."""
    names = []
    page.on("response", lambda it: names.append(it.url.rpartition("/")[2]))
    return names


def state(page):
    return page.evaluate("document.querySelector('.mijnlieff-board').table.get('state')")


def new_game(player, opponent, seat):
    player.board.get_by_role("button", name="New game").click()
    player.board.get_by_label("Opponent").select_option(opponent)
    player.board.get_by_label("You play").select_option(seat)
    player.board.get_by_role("button", name="Start").click()
    player.page.wait_for_function("() => !document.querySelector('.mj-setup').checkVisibility()")


def test_nothing_heavy_is_loaded_before_a_touch(site, page, loaded):
    address, folder = site
    page.goto(address)
    player = Player(page)
    page.wait_for_load_state("networkidle")
    assert not {"core.wasm", "champion.bin", "worker.js"} & set(loaded)
    before = sum(
        (folder / "_static" / "board" / name).stat().st_size for name in set(loaded) if name
    )
    assert before < 150_000
    assert player.moves == ["b1><"] and state(page)["yourTurn"]
    player.turn()
    assert len(player.moves) >= 3
    assert "core.wasm" in loaded and "champion.bin" not in loaded


@pytest.mark.parametrize("seat", ["light", "dark"])
def test_a_game_against_the_highest_level(site, page, loaded, seat):
    page.goto(site[0])
    player = Player(page, seed=2)
    new_game(player, "champion:64", seat)
    player.wait()
    player.finish()
    check_finished_game(player, person=["light", "dark"].index(seat))
    assert "champion.bin" in loaded
    end = player.board.get_by_role("region", name="Result and review")
    assert end.locator(".mj-result").inner_text().startswith("You lost")
    end.get_by_role("button", name="Play again").click()
    player.wait_for_moves(0 if seat == "light" else 1)


def test_a_rematch_has_other_draws(site, page):
    page.goto(site[0])
    player = Player(page)
    new_game(player, "random", "dark")
    firsts = set()
    for _ in range(6):
        player.wait_for_moves(1)
        firsts.update(player.moves)
        page.evaluate("document.querySelector('.mijnlieff-board').table.send({type: 'rematch'})")
    assert len(firsts) > 1


def test_a_mistyped_board_stays_in_the_form(site, page):
    page.goto(site[0])
    player = Player(page)
    player.board.get_by_role("button", name="New game").click()
    form = player.board.get_by_role("form", name="New game")
    form.get_by_label("Board", exact=True).select_option("other")
    rows = form.get_by_label("Rows of the board")
    rows.fill("####\n###?")
    form.get_by_role("button", name="Start").click()
    form.get_by_role("alert").filter(has_text="'?'").wait_for(timeout=PATIENCE)
    assert rows.input_value() == "####\n###?"
    rows.fill("####\n####\n####")
    form.get_by_role("button", name="Start").click()
    form.wait_for(state="hidden")
    assert state(page)["game"]["rows"] == "####\n####\n####"


def test_an_answer_and_a_solution_that_are_no_longer_wanted_are_dropped(site, page):
    page.goto(site[0])
    player = Player(page, seed=6)
    new_game(player, "perfect", "light")
    player.wait()
    player.board.get_by_role("button", name="Hints").click()  # of the start, which takes seconds
    _, cell = player.choose()
    player.board.locator(f".mj-cell[data-cell='{cell}']").click()
    player.wait_for_moves(1)
    assert state(page)["thinking"]
    player.board.get_by_role("button", name="Undo").click()
    player.wait_for_moves(0)
    page.wait_for_timeout(1500)
    assert player.moves == [] and state(page)["yourTurn"]
    player.turn()
    assert len(player.moves) == 2 and state(page)["error"] == ""


def test_a_network_that_comes_late_leaves_another_opponent_alone(site, page):
    held = {}

    def hold(route):
        held[route.request.url.rpartition("/")[2]] = route

    page.route("**/champion.bin", hold)
    page.route("**/worker.js", hold)
    page.goto(site[0])
    player = Player(page)
    new_game(player, "champion:64", "dark")
    new_game(player, "minimax:2", "dark")
    deadline = time.monotonic() + PATIENCE / 1000
    while len(held) < 2 and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    for name in ("champion.bin", "worker.js"):
        held[name].continue_()
        page.wait_for_timeout(500)
    player.wait_for_moves(1)
    player.wait()
    assert state(page)["opponent"] == "minimax:2" and state(page)["error"] == ""


def test_hints_are_those_of_exact_play(site, page):
    page.goto(site[0])
    player = Player(page, seed=4)
    player.turn()
    player.board.get_by_role("button", name="Hints").click()
    player.board.locator(".mj-cell .mj-hint").first.wait_for(timeout=PATIENCE)
    solution = solve(Position.from_actions(player.moves))
    hints = state(page)["evaluation"]["hints"]
    assert hints == {str(action): margin for action, margin in solution.action_margins.items()}


def test_a_shared_game_is_shown_and_a_damaged_link_is_told(site, page):
    page.goto(f"{site[0]}/play.html#game=1.+a1%2B,+a3%3E%3C;+2.+a2%2B&variant=standard")
    player = Player(page)
    player.wait_for_moves(3)
    assert player.moves == ["a1+", "a3><", "a2+"]
    link = page.evaluate(
        "document.querySelector('.mijnlieff-board').table.get('link')"
        "(document.querySelector('.mijnlieff-board').table.get('state'))"
    )
    page.goto("about:blank")
    page.goto(link)
    player.wait_for_moves(3)
    page.goto("about:blank")
    page.goto(f"{site[0]}/play.html#game=1.+z9%2B")
    told = player.board.get_by_role("alert").filter(has_text="This link is damaged: ")
    told.filter(has_text="z9").filter(has_text="or play here").wait_for(timeout=PATIENCE)
    player.turn()
    assert len(player.moves) >= 3 and not told.is_visible()


def test_a_link_to_a_board_starts_a_game_there(site, page):
    atlas = (ROOT / "docs" / "atlas_edges.svg").read_text()
    links = re.findall(
        '<a href="(play.html#[^"]*)" aria-label="([0-9]+) [^"]*: play on this board">', atlas
    )
    assert len(links) == 60
    variants = [parse_qs(link.partition("#")[2])["variant"][0] for link, _ in links]
    assert all(Variant.from_text(text).board.num_cells == 16 for text in variants)
    page.goto(f"{site[0]}/{links[0][0]}")
    player = Player(page, seed=7)
    page.wait_for_function(
        "it => document.querySelector('.mijnlieff-board').table.get('state').game.variant === it",
        arg=variants[0],
        timeout=PATIENCE,
    )
    player.wait()
    player.turn()
    assert len(player.moves) >= 3
    page.goto("about:blank")
    page.goto(f"{site[0]}/play.html#variant=nonsense")
    told = player.board.get_by_role("alert").filter(has_text="This link is damaged: ")
    told.wait_for(timeout=PATIENCE)


def test_a_second_link_in_the_same_tab_is_opened(site, page):
    page.goto(f"{site[0]}/play.html#game=1.+a1%2B,+a3%3E%3C&variant=standard")
    player = Player(page)
    player.wait_for_moves(2)
    second = f"{site[0]}/play.html#game=1.+a1%2B,+a3%3E%3C;+2.+a2%2B&variant=standard"
    page.goto(second)
    player.wait_for_moves(3)
    assert "#game=" in page.url
    new_game(player, "greedy", "light")
    player.wait_for_moves(0)
    page.wait_for_function("() => location.hash === ''")
    page.goto(second)
    player.wait_for_moves(3)


def test_the_board_of_the_solution_shows_what_each_move_is_worth(site, page, loaded):
    page.goto(f"{site[0]}/solved.html")
    player = Player(page, seed=8)
    page.wait_for_load_state("networkidle")
    assert "core.wasm" not in loaded
    for position in (Position(), None):
        position = position or Position.from_actions(player.moves)
        solution = solve(position)
        hints = {str(action): margin for action, margin in solution.action_margins.items()}
        page.wait_for_function(
            "ply => { const { position, evaluation } = document.querySelector('.mijnlieff-board')"
            ".table.get('state'); return position.ply === ply && evaluation.hints; }",
            arg=position.ply,
            timeout=PATIENCE,
        )
        assert state(page)["evaluation"]["hints"] == hints
        assert player.board.locator(".mj-cell .mj-hint").count() > 0
        meter = player.board.get_by_role("meter")
        assert int(meter.get_attribute("aria-valuenow")) == solution.light_margin
        player.turn()


def test_an_old_browser_is_told_and_gets_a_recorded_game(site, page):
    page.add_init_script("delete window.WebAssembly")
    page.goto(site[0])
    player = Player(page)
    player.board.get_by_role("button", name="Hints").click()
    told = player.board.get_by_role("alert").filter(has_text="has no WebAssembly; use a newer one")
    told.wait_for()
    player.wait_for_moves(16)
    for ply in (2, 3):
        player.board.get_by_role("button", name="One move forward").click()
        player.board.locator(f"[aria-current=step][data-index='{ply - 1}']").wait_for()
    player.board.get_by_role("button", name="Last position").click()
    player.board.locator(".mj-status", has_text="The game is over: Light wins 4 to 1").wait_for()
    assert told.is_visible()
    end = player.board.get_by_role("region", name="Result and review")
    assert "Light gave away 6 points, Dark 10 points." in end.inner_text()


def test_a_core_that_does_not_load_can_be_tried_again(site, page):
    page.route("**/core.wasm", lambda route: route.abort())
    page.goto(site[0])
    player = Player(page)
    player.board.get_by_role("button", name="Hints").click()
    player.board.get_by_role("alert").filter(has_text="could not be loaded").wait_for()
    player.wait_for_moves(16)  # those of the recorded game
    page.unroute("**/core.wasm")
    player.board.get_by_role("button", name="Hints").click()
    player.wait_for_moves(1)
    player.turn()
    assert len(player.moves) >= 3
    assert not player.board.get_by_role("alert").is_visible()


def test_a_worker_that_does_not_start_is_told_and_can_be_asked_again(site, page):
    page.route("**/worker.js", lambda route: route.abort())
    page.goto(site[0])
    player = Player(page)
    _, cell = player.choose()
    player.board.locator(f".mj-cell[data-cell='{cell}']").click()
    player.board.get_by_role("alert").filter(has_text="minimax:2 failed").wait_for(timeout=PATIENCE)
    player.board.get_by_role("button", name="One move back").click()
    told = player.board.get_by_role("alert").filter(has_text="Casual (level 3) did not answer")
    told.wait_for()
    player.board.get_by_role("button", name="Last position").click()
    page.unroute("**/worker.js")
    player.board.get_by_role("button", name="Ask again").click()
    player.wait_for_moves(3)


def test_a_page_from_a_file_says_what_to_do(site, page):
    page.goto((site[1] / "index.html").as_uri())
    page.get_by_text("To play here, serve the folder").wait_for()


def test_it_fits_the_screen_of_a_phone(site, page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(site[0])
    player = Player(page)
    player.board.get_by_role("button", name="Skip").click()
    undo = player.board.get_by_role("button", name="Undo").bounding_box()
    assert undo["y"] + undo["height"] <= 800
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        """() => [...document.querySelectorAll(".mijnlieff button")]
            .filter(it => it.checkVisibility())
            .map(it => it.getBoundingClientRect())
            .filter(it => it.height < 44 || it.width < 44).length"""
    )
    assert small == 0
