"""The core in WebAssembly answers as the native one does; it is made by `make wasm`."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import mijnlieff
from mijnlieff import Board, Position, Variant, load_policy, solve_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.widget import Table
from processes import ROOT

WEB = ROOT / "web"
WASM = WEB / "core.wasm"
CHAMPION = Path(mijnlieff.__file__).parent / "data" / "champion.bin"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
OLD = "core.wasm is not of this source: run `make wasm`"


def answers(requests):
    """The answers of a core, which has the champion's network."""
    return run_node("answer.mjs", requests, str(CHAMPION))


def run_node(program, requests, *arguments):
    command = ["node", str(Path(__file__).with_name(program)), str(WEB), *arguments]
    done = subprocess.run(command, input=json.dumps(requests), capture_output=True, text=True)
    assert done.returncode == 0, f"{OLD}: {done.stderr}"
    return json.loads(done.stdout)


def asked(position, **fields):
    variant = str(position.variant)
    return {"variant": variant, "position": position.notation, **fields}


def openings(count, plies):
    """Positions of several plies; the first ones take long without a book."""
    parts = [random_openings(count // len(plies), plies=ply, seed=ply) for ply in plies]
    return [position for part in parts for position in part]


def test_it_is_small_enough_for_a_page():
    assert len(gzip.compress(WASM.read_bytes())) < 500_000


@needs_node
def test_the_solver_has_a_table():
    """In 32 bits too; its size does not change an answer."""
    position = random_openings(1, plies=4, seed=1)[0]
    before, _, after = answers([("memory", {}), ("solve", asked(position)), ("memory", {})])
    assert after - before > 32 << 20, OLD


@needs_node
def test_the_margins_of_2000_positions_are_equal():
    positions = openings(2000, range(5, 13))
    found = answers([("solve", asked(position)) for position in positions])
    assert len(found) == 2000
    batch = solve_batch(positions)
    rows = zip(batch.action_margins.tolist(), batch.action_mask.tolist(), strict=True)
    for answer, (margins, mask) in zip(found, rows, strict=True):
        pairs = enumerate(zip(margins, mask, strict=True))
        expected = {str(action): margin for action, (margin, legal) in pairs if legal}
        assert answer["margins"] == expected, OLD


@needs_node
def test_the_margins_of_the_start_are_equal():
    variants = [
        Variant(),
        Variant(Board.from_text("##/##"), copies=1),
        Variant(opening="corner_straight"),
    ]
    found = answers([("solve", asked(Position(variant))) for variant in variants])
    for variant, answer in zip(variants, found, strict=True):
        solution = mijnlieff.solve(Position(variant))
        expected = {str(action): margin for action, margin in solution.action_margins.items()}
        assert answer["margins"] == expected, OLD


@needs_node
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("champion:64", 2000),
        ("champion", 400),
        ("random", 400),
        ("greedy", 400),
        ("minimax:2", 400),
        ("minimax:4", 200),
        ("minimax:6", 40),
        ("perfect", 400),
    ],
)
def test_the_moves_of_every_level_are_equal(name, count):
    positions = openings(count, range(3 if name != "perfect" else 5, 11))
    requests = [
        ("choose", asked(position, opponent=name, seed=7, decision=number))
        for number, position in enumerate(positions)
    ]
    played = [answer["action"] for answer in answers(requests)]
    expected = load_policy(name, seed=7).act_batch(positions).tolist()
    assert played == expected, OLD


@needs_node
def test_a_table_says_the_same():
    table = Table(Position(), "minimax:2", "light", lambda: None)
    messages = [
        {"type": "play", "ply": 0, "action": 0},
        {"type": "show", "evaluation": True},
        {"type": "nonsense"},
        {"type": "load", "record": "1. a1+, a3><; 2. a2+, a4<>"},
        {"type": "go", "shown": 2},
        {"type": "rematch"},
    ]
    start = {
        "variant": "standard",
        "opponent": "minimax:2",
        "seat": "light",
        "seed": 0,
        "first": "",
    }
    found = answers([("table", start), *(("handle", {"message": message}) for message in messages)])
    states = [json.loads(table.game.state())]
    for message in messages:
        table.game.handle(json.dumps(message))
        states.append(json.loads(table.game.state()))
    assert [answer["state"] for answer in found] == states, OLD


@needs_node
def test_levels_of_the_page_are_those_of_the_package():
    levels = [
        it["policy"]
        for it in Table(Position(), "random", "light", lambda: None).state()["opponents"]
    ]
    position = Position.from_actions(["a1+", "a3><", "a2+", "a4<>", "b2><"])
    requests = [("choose", asked(position, opponent=name, seed=0, decision=0)) for name in levels]
    legal = position.legal_actions().tolist()
    assert all(answer["action"] in legal for answer in answers(requests)), OLD


@needs_node
@pytest.mark.parametrize("module", [True, "no module"])
def test_a_worker_tells_why_a_call_fails(module):
    """Nobody waits for the core and the network, so the next call that fails tells their errors."""
    position = Position.from_actions(["a1+", "a3><", "a2+", "a4<>", "b2><"])
    fields = asked(position, opponent="champion", seed=0, decision=0)
    messages = [
        {"module": module},
        {"network": [1, 2, 3]},
        {"id": 1, "call": "choose", "fields": fields},
        {"id": 2, "call": "solve", "fields": asked(position)},
    ]
    chosen, solved = run_node("worker.mjs", messages)
    assert (chosen["id"], solved["id"]) == (1, 2)
    if module is True:
        assert "network" in chosen["error"] and "not loaded" not in chosen["error"]
        assert solved["found"]["margins"]
    else:
        assert "WebAssembly.instantiate()" in chosen["error"]
        assert solved["error"] == chosen["error"]


@needs_node
def test_a_damaged_network_is_told_only_where_it_is_needed_and_only_until_one_is_loaded():
    position = Position.from_actions(["a1+", "a3><", "a2+", "a4<>", "b2><"])
    fields = {"seed": 0, "decision": 0}
    champion = {"call": "choose", "fields": asked(position, opponent="champion", **fields)}
    nonsense = {"call": "choose", "fields": asked(position, opponent="nonsense", **fields)}
    messages = [
        {"module": True},
        {"network": [1, 2, 3]},
        {"id": 1, **nonsense},
        {"id": 2, "call": "solve", "fields": {"variant": "standard", "position": "damaged"}},
        {"id": 3, **champion},
        {"network": list(CHAMPION.read_bytes())},
        {"id": 4, **champion},
        {"id": 5, **nonsense},
    ]
    other, solved, damaged, chosen, again = run_node("worker.mjs", messages)
    assert "nonsense" in other["error"] and again["error"] == other["error"]
    assert "damaged" in solved["error"]
    assert "network" in damaged["error"] and damaged["error"] != other["error"]
    assert chosen["found"]["action"] in position.legal_actions()
