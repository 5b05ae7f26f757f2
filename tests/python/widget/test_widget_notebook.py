"""The widget without a browser: its traits, and what a notebook can do with them."""

from __future__ import annotations

import asyncio
import re
import time

import pytest

import mijnlieff
from mijnlieff import Board, Position, Variant, VariantError
from processes import ROOT, run_python

try:
    import anywidget  # noqa: F401
    import traitlets
except ImportError:
    traitlets = None

needs_anywidget = pytest.mark.skipif(traitlets is None, reason="anywidget is not installed")


def test_without_anywidget_the_error_says_how_to_install_it():
    code = "import sys; sys.modules['anywidget'] = None\nfrom mijnlieff import Widget"
    result = run_python(code)
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert "MissingExtraError" in last and "pip install 'mijnlieff[widget]'" in last


def wait_for_answer(widget, count):
    assert widget._table.join(60)
    assert len(widget.actions) == count


@needs_anywidget
def test_the_examples_of_the_page_run(capsys):
    page = ROOT / "docs" / "play.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/play.md", "exec"), scope)
        scope["widget"]._table.join(60)
    scope["widget"].close()
    assert len(blocks) == 2 and capsys.readouterr().out.startswith("1 ")


@needs_anywidget
def test_position_is_a_trait():
    widget = mijnlieff.Widget(opponent="perfect", seat="light")
    seen = []
    widget.observe(lambda change: seen.append(change["new"]), "position")
    widget.play("a1+")
    wait_for_answer(widget, 2)
    assert [position.ply for position in seen] == [1, 2]
    assert widget.position == Position.from_record(widget.record)
    assert widget.undo()
    assert widget.position.ply == 0 and not widget.undo()
    widget.close()


@needs_anywidget
def test_setting_the_position_starts_a_game_there():
    widget = mijnlieff.Widget(opponent="perfect", seat="light")
    start = Position.from_actions(["a1+", "a3><"])
    widget.position = start
    assert widget.state["firstPly"] == 2 and widget.actions == []
    ring = Position(Variant(Board.from_text("###\n#.#\n###")))
    widget.position = ring
    assert widget.position is ring and widget.state["game"]["width"] == 3
    large = Position(Variant(Board.from_text("#####\n" * 4)))
    with pytest.raises(ValueError, match="perfect play needs a board of up to 16 cells"):
        widget.position = large
    with pytest.raises(traitlets.TraitError, match="position"):
        widget.position = "a1+"
    assert widget.position is ring
    widget.new_game(large, "greedy", seat="both")
    assert widget.position is large
    widget.close()


@needs_anywidget
def test_records_can_be_loaded_and_aids_switched():
    widget = mijnlieff.Widget(Variant(copies=3), seat="both")
    widget.load("1. a1+, a3><", Variant())
    assert widget._table.join(60)
    assert (widget.record, widget.state["marked"]) == ("1. a1+, a3><", True)
    widget.show(hints=True)
    assert widget._table.join(60)
    assert widget.state["evaluation"]["hints"]
    widget.close()


@needs_anywidget
def test_the_default_opponent():
    assert mijnlieff.Widget().state["opponent"] == "champion:64"
    assert mijnlieff.Widget().state["seat"] == "dark"  # which can win
    assert mijnlieff.Widget(opponent=None).state["opponent"] == "champion:64"
    assert mijnlieff.Widget(Variant(copies=3)).state["opponent"] == "minimax:4"


@needs_anywidget
def test_messages_reach_the_game():
    widget = mijnlieff.Widget(seat="both")
    widget._handle_custom_msg({"type": "play", "ply": 0, "action": 0}, [])
    assert widget.record == "1. a1+"
    widget._handle_custom_msg({"type": "nonsense"}, [])
    assert "nonsense" in widget.state["error"]
    widget.close()


@needs_anywidget
@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (["a1+"], VariantError, r'"a1\+" is not a variant because of "a1\+"'),
        ([4], TypeError, "position_or_variant must be a Variant, or its text or dict, not 4"),
        ([None, "genius"], ValueError, "unknown policy 'genius'"),
        ([None, 7], TypeError, "a policy is a name, a path or an object"),
        ([Variant(Board.from_text("#" * 17)), "perfect"], ValueError, "up to 16 cells"),
    ],
)
def test_bad_arguments(arguments, error, match):
    with pytest.raises(error, match=match):
        mijnlieff.Widget(*arguments)


@needs_anywidget
def test_observers_run_in_the_thread_of_the_event_loop():
    """As in a notebook, where they may print or set other widgets."""

    async def cell():
        import threading

        widget = mijnlieff.Widget(opponent="perfect", seat="light")
        threads = []
        widget.observe(lambda change: threads.append(threading.get_ident()), "position")
        widget.play("a1+")
        deadline = time.monotonic() + 60
        while len(threads) < 2 and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        widget.close()
        return threads, threading.get_ident()

    threads, own = asyncio.run(cell())
    assert threads == [own, own]
