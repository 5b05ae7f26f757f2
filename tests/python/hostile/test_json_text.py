"""JSON from outside: what is read, and what is refused before the parser sees it."""

from __future__ import annotations

import gc
import json

import pytest

from mijnlieff._util.files import parse_json


def test_text_and_bytes_are_read():
    assert parse_json('{"a": [1, null]}') == parse_json(b'{"a": [1, null]}') == {"a": [1, None]}


@pytest.mark.parametrize("text", ["", "[1", "nothing", b"\xff"])
def test_other_texts_are_value_errors(text):
    with pytest.raises(ValueError):
        parse_json(text)


class Watched:
    """Garbage whose finalizer needs some room on the stack."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        json.dumps({"a": [1, [2, [3]]]}, indent=1)


@pytest.mark.parametrize("brackets", ["[", '{"a":'])
def test_finalizers_can_run_while_nested_brackets_are_read(brackets):
    closing = {"[": "]", '{"a":': "}"}[brackets]
    nested = brackets * 500 + "0" + closing * 500
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        Watched()
        parse_json(nested)
        Watched()
        with pytest.raises(ValueError, match="60000 opening brackets; at most 500 are read"):
            parse_json(brackets * 60_000)
    finally:
        gc.set_threshold(*threshold)
