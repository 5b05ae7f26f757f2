"""The drawings: right parts in right numbers, inside their frame, from either backend."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from drawn_positions import EIGHT_ROWS, POSITIONS, after
from mijnlieff import Board, Piece, Position, Variant
from mijnlieff.errors import MissingExtraError
from mijnlieff.render import Window, image, svg
from mijnlieff.render.scene import scene
from mijnlieff.render.to_text import moves_text, position_text
from played import example, finished
from processes import run_python

SVG = "{http://www.w3.org/2000/svg}"


def parts(text: str) -> list[str | None]:
    return [element.get("data-part") for element in ElementTree.fromstring(text)]


def texts(text: str, part: str) -> list[str | None]:
    root = ElementTree.fromstring(text)
    return [element.text for element in root if element.get("data-part") == part]


@pytest.fixture(params=POSITIONS)
def position(request: pytest.FixtureRequest) -> Position:
    return POSITIONS[request.param]


def test_svg_has_every_stone_and_mark(position: Position) -> None:
    drawn = parts(svg(position))
    num_stones = int(np.count_nonzero(position.stones))
    num_cells, pass_action = position.variant.board.num_cells, position.variant.pass_action
    assert drawn.count("cell") == num_cells
    assert drawn.count("stone") == drawn.count("stone-sign") == num_stones
    placements = set(position.legal_actions().tolist()) - {pass_action}
    assert drawn.count("open") == len({action % num_cells for action in placements})
    assert drawn.count("hand") == drawn.count("hand-sign") == drawn.count("count") == 8
    passed = position.last_action in (None, pass_action)
    assert drawn.count("last") == (0 if passed else 1)
    assert drawn.count("tray-to-move") == (0 if position.is_over else 1)


def test_everything_lies_inside_the_frame(position: Position) -> None:
    drawing = scene(position)
    for shape in drawing.shapes:
        left, top, right, bottom = shape.bounds()
        assert left >= 0, shape
        assert top >= 0, shape
        assert right <= drawing.width + 1e-9, shape
        assert bottom <= drawing.height + 1e-9, shape
    root = ElementTree.fromstring(svg(position))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert (width, height) == pytest.approx((drawing.width, drawing.height), abs=0.01)


@pytest.mark.parametrize(
    ("shape", "record", "status"),
    [
        ("#", "", "Light to move"),
        ("##", "a1<> pass", "Dark passed, Light to move"),
        ("#/#", "a1<> pass", "Dark passed, Light to move"),
        ("#/#/#", "a1+ a2<> pass", "Light passed, Dark to move"),
        ("##/##", "a1+ b1<> pass", "Light passed, Dark to move"),
        ("#" * 64, "a1+ c1x pass", "Light passed, Dark to move"),
    ],
)
def test_the_longest_writing_fits(shape: str, record: str, status: str) -> None:
    position = after(shape, record, copies=127)
    assert texts(svg(position), "status") == [status]
    drawing = scene(position)
    for shape_drawn in drawing.shapes:
        left, _, right, _ = shape_drawn.bounds()
        assert left >= 0, shape_drawn
        assert right <= drawing.width, shape_drawn


def test_trays_neither_touch_each_other_nor_the_board(position: Position) -> None:
    shapes = scene(position).shapes
    trays = [shape.bounds() for shape in shapes if shape.part in ("tray", "tray-to-move")]
    cells = [shape.bounds() for shape in shapes if shape.part in ("cell", "column", "row")]
    boxes = [*trays, *cells]
    for index, tray in enumerate(trays):
        for box in boxes[index + 1 :]:
            assert tray[2] <= box[0] or box[2] <= tray[0] or tray[3] <= box[1] or box[3] <= tray[1]


def test_svg_of_the_example_game() -> None:
    text = svg(POSITIONS["middle"])
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "Mijnlieff, 4x4. Light to move. Score: Light 1, Dark 0"
    assert root.get("aria-label") == title.text
    description = root.find(f"{SVG}desc")
    assert description is not None
    assert description.text == (
        "Light stones: a1+ a2+ b2>< d2>< c3<>; hand: 0 + 2 x 1 <> 0 ><. "
        "Dark stones: c1x c2+ a3>< d3+ a4<>; hand: 0 + 1 x 1 <> 1 ><. Allowed cells: d1 b3 d4."
    )
    assert texts(text, "column") == ["a", "b", "c", "d"]
    assert texts(text, "row") == ["1", "2", "3", "4"]
    assert texts(text, "count") == ["0", "2", "1", "0", "0", "1", "1", "1"]


def test_svg_can_share_a_page() -> None:
    text = svg(POSITIONS["middle"])
    for forbidden in (" id=", "<style", "<script", "class=", "href", "url("):
        assert forbidden not in text


def test_signs_differ() -> None:
    paths = set()
    start = Position(Variant(opening="anywhere"))
    for piece in Piece:
        root = ElementTree.fromstring(svg(start.play(f"b2{piece.sign}")))
        paths |= {path.get("d") for path in root if path.get("data-part") == "stone-sign"}
    assert len(paths) == len(Piece)


def test_cells_stand_where_their_names_say() -> None:
    shapes = scene(Position.from_actions(["d1x", "a4+"])).shapes
    d1, a4 = (shape.bounds() for shape in shapes if shape.part == "stone")
    assert d1[0] > a4[2]
    assert d1[1] > a4[3]


@pytest.mark.parametrize(
    ("position", "status"),
    [
        (POSITIONS["start"], "Light to move"),
        (example(1), "Dark to move"),
        (POSITIONS["passed"], "Dark passed, Light to move"),
        (POSITIONS["must pass"], "Dark must pass"),
        (after("#/#/#", "a1+ a2<>"), "Light must pass"),
        (POSITIONS["over"], "Light wins 4-1"),
        (finished(after(EIGHT_ROWS, copies=8)), "Dark wins 17-13"),
        (finished(after("#####/#####/#####/#####")), "Draw 2-2"),
    ],
)
def test_status(position: Position, status: str) -> None:
    text = svg(position)
    assert texts(text, "status") == [status]
    assert f"{status}. Score" in text


def test_the_coordinates_are_those_of_the_notation() -> None:
    board = Board.from_text("\n".join(["#" * 32] * 2))
    drawn = svg(Position(Variant(board)))
    letters, numbers = texts(drawn, "column"), texts(drawn, "row")
    assert letters[:2] + letters[25:28] == ["a", "b", "z", "aa", "ab"]
    names = [f"{letters[x]}{numbers[y]}" for x, y in board.cells]
    assert names == [board.cell_name(cell) for cell in range(board.num_cells)]


def test_a_column_without_cells_has_no_letter() -> None:
    drawn = svg(Position(Variant(Board.from_text(".##\n#.#\n..."), "anywhere", 1)))
    assert texts(drawn, "column") == ["a", "b", "c"]
    assert texts(svg(after("#.#", "a1+")), "column") == ["a", "c"]


def test_image(position: Position) -> None:
    frame = image(position, size=240)
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3
    assert max(frame.shape) == 240
    assert frame.flags.writeable
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 20
    assert np.array_equal(frame, image(position, size=240))


def test_images_of_a_game_share_a_shape_and_differ() -> None:
    frames = [image(POSITIONS[name]) for name in ("start", "middle", "passed", "over")]
    assert {frame.shape for frame in frames} == {(506, 354, 3)}
    for one, other in pairwise(frames):
        assert not np.array_equal(one, other)


def test_image_and_svg_agree_on_the_stones() -> None:
    """The color of the image at a stone's rim is the one that the SVG says."""
    root = ElementTree.fromstring(svg(POSITIONS["middle"]))
    frame = image(POSITIONS["middle"])
    stones = [stone for stone in root if stone.get("data-part") == "stone"]
    assert len(stones) == 10
    for stone in stones:
        x = round(float(stone.attrib["cx"]) + 0.7 * float(stone.attrib["r"]))
        y = round(float(stone.attrib["cy"]) - 0.3 * float(stone.attrib["r"]))
        fill = list(bytes.fromhex(stone.attrib["fill"][1:]))
        assert frame[y, x].tolist() == fill


def test_sizes() -> None:
    position = POSITIONS["middle"]
    assert image(position, size=np.int64(800)).shape == (800, 560, 3)
    root = ElementTree.fromstring(svg(position, size=800))
    assert (root.get("width"), root.get("height")) == ("560", "800")
    assert max(image(POSITIONS["long"]).shape) == 1280
    for draw in (svg, image):
        for wrong in (31, 0, -5, 8193):
            with pytest.raises(ValueError, match=f"32 to 8192 pixels, not {wrong}"):
                draw(position, size=wrong)
        with pytest.raises(TypeError):
            draw(position, size=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="32 to 8192 pixels, not 9000"):
        Window(size=9000)
    with pytest.raises(TypeError, match="size must be an integer, not 'x'"):
        Window(size="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, "a1+", Variant()], ids=repr)
@pytest.mark.parametrize("show", [svg, image, Window().show, position_text, moves_text])
def test_only_positions_are_shown(show, wrong) -> None:
    with pytest.raises(TypeError, match="position must be a Position, not"):
        show(wrong)


def run_strictly(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that finds the package and the helpers."""
    path = os.pathsep.join(sys.path)
    return run_python(code, flags=("-W", "error"), PYTHONPATH=path, **environment)


def test_drawing_libraries_are_imported_on_first_use() -> None:
    result = run_strictly(
        "import sys, mijnlieff.render\n"
        "assert not {'PIL', 'pygame'} & set(sys.modules), sorted(sys.modules)\n"
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


def test_missing_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(
        MissingExtraError, match=r"Pillow \(.*PIL.*\): pip install 'mijnlieff\[render\]'"
    ):
        image(POSITIONS["start"])
    assert svg(POSITIONS["start"])


def test_missing_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.delenv("PYGAME_HIDE_SUPPORT_PROMPT", raising=False)
    window = Window()
    with pytest.raises(
        MissingExtraError, match=r"pygame-ce \(.*\): pip install 'mijnlieff\[render\]'"
    ):
        window.show(POSITIONS["start"])
    assert "PYGAME_HIDE_SUPPORT_PROMPT" not in os.environ
    assert not window.is_open


@pytest.fixture
def dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.usefixtures("dummy_display")
def test_window_shows_and_closes() -> None:
    window = Window(size=300)
    assert not window.is_open
    assert window.show(POSITIONS["start"])
    assert window.show(POSITIONS["middle"])
    assert window.is_open
    assert window.show(POSITIONS["long"])  # another board, another size
    window.close()
    window.close()
    assert not window.is_open
    assert window.show(POSITIONS["start"])
    window.close()


@pytest.mark.usefixtures("dummy_display")
def test_window_shows_the_image() -> None:
    import pygame

    window = Window(size=300)
    window.show(POSITIONS["middle"])
    shown = pygame.surfarray.array3d(window._window.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, image(POSITIONS["middle"], size=300))
    window.close()


@pytest.mark.usefixtures("dummy_display")
def test_the_close_button_closes_its_window_only() -> None:
    import pygame

    first, second = Window(size=100), Window(size=100)
    first.show(POSITIONS["start"])
    second.show(POSITIONS["start"])
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=second._window))
    assert first.show(POSITIONS["middle"])
    assert not second.show(POSITIONS["middle"])
    assert not second.is_open
    assert not second.show(POSITIONS["middle"])  # stays away until closed
    assert first.show(POSITIONS["middle"])
    second.close()
    assert second.show(POSITIONS["middle"])
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not second.show(POSITIONS["middle"])
    first.close()
    second.close()


@pytest.mark.usefixtures("dummy_display")
def test_window_waits_between_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    ticks: list[float] = []  # frames per second that pygame's clock is asked for
    monkeypatch.setattr(pygame.time, "Clock", lambda: SimpleNamespace(tick=ticks.append))
    window = Window(size=64, fps=20)
    window.show(POSITIONS["start"])
    window.show(POSITIONS["middle"])
    assert ticks == [20, 20]
    window.close()
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="fps must be above 0"):
            Window(fps=wrong)


def test_window_without_a_display_draws_into_memory() -> None:
    """As Gymnasium's own environments do: its checker opens a window wherever it runs."""
    result = run_strictly(
        "import os\n"
        "for name in ('DISPLAY', 'WAYLAND_DISPLAY', 'SDL_VIDEODRIVER', 'SDL_VIDEO_DRIVER'):\n"
        "    os.environ.pop(name, None)\n"
        "from mijnlieff.render import Window\n"
        "from drawn_positions import POSITIONS\n"
        "window = Window()\n"
        "print(window.show(POSITIONS['start']))\n"
        "window.close()\n"
    )
    assert (result.returncode, result.stdout) == (0, "True\n"), result.stderr


def test_unknown_driver_says_so() -> None:
    result = run_strictly(
        "from mijnlieff.render import Window\n"
        "from drawn_positions import POSITIONS\n"
        "Window().show(POSITIONS['start'])\n",
        SDL_VIDEODRIVER="nonsense",
    )
    assert result.returncode != 0
    assert "OSError: cannot open a window (nonsense not available)" in result.stderr
    assert "Hello from" not in result.stdout
