"""The programs that measure speed, at sizes that take no time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mijnlieff
from benches import games, networks, peers, searches, speed
from mijnlieff.cli import bench
from mijnlieff.evaluation import random_openings
from processes import ROOT

#: Modules that stand for other libraries, as far as the measurement uses them: every game has three
#: actions, the first of which is illegal, and ends after nine.
STAND_INS = {
    "jax": """
import types
import numpy as np
jit = vmap = lambda function: function  # the functions of the other stand-in take batches
random = types.SimpleNamespace(PRNGKey=int, split=lambda key, count: np.arange(count))
""",
    "pgx/__init__": """
import types
import numpy as np
def state_of(turns):
    mask = np.tile([False, True, True], (len(turns), 1))
    return types.SimpleNamespace(
        legal_action_mask=mask, observation=mask, rewards=turns, terminated=turns == 9, turns=turns
    )
class Env:
    def init(self, keys):
        return state_of(np.zeros(len(keys), int))
    def step(self, state, actions, keys):
        assert state.legal_action_mask[np.arange(len(keys)), actions].all()
        return state_of(np.where(state.terminated, 0, state.turns + 1))
def make(game):
    assert game == "othello"
    return Env()
""",
    "pgx/experimental": "auto_reset = lambda step, init: step",
    "pyspiel": """
class State:
    turns = 0
    def legal_actions(self): return [1, 2]
    def legal_actions_mask(self): return [0, 1, 1]
    def observation_tensor(self, player): return [0.0]
    def current_player(self): return 0
    def is_terminal(self): return self.turns == 9
    def returns(self): assert self.turns == 9
    def apply_action(self, action):
        assert action > 0 and self.turns < 9
        self.turns += 1
class Game:
    new_initial_state = State
def load_game(name):
    assert name == "connect_four"
    return Game
""",
    "pettingzoo/__init__": "",
    "pettingzoo/classic": """
class Env:
    turns = 9
    def reset(self, seed=None): self.turns = 0
    def last(self): return {"action_mask": [0, 1, 1]}, 0.0, self.turns == 9, False, {}
    def step(self, action):
        assert action > 0 and self.turns < 9
        self.turns += 1
class tictactoe_v3:
    env = Env
""",
}
PEERS = [
    ("pgx", "othello", 8),
    ("openspiel", "connect_four", 1),
    ("pettingzoo", "tictactoe_v3", 1),
    ("openspiel", "chess", 1),
]


CASES = [name for name in speed.CASES if name not in speed.ASKED_FOR]
Lines = dict[str, tuple[float, float, str | None]]


@pytest.fixture
def lines_of(monkeypatch, capsys):
    """Runs a case at small sizes; rate, ratio and reference, by the name of the line."""
    small = {
        games: {"GAMES": 256, "FEW": 8, "MIXED": 24, "SIZES": (1, 300)},
        searches: {"SELF_PLAY_GAMES": 6, "SIMULATIONS": 2, "LATENCIES": 3, "BATCH": 40},
        networks: {"BATCH": 16},
        bench: {"_TREES": 40, "_SIMULATIONS": 8, "_STEPS": 8},
    }
    for module, sizes in small.items():
        for name, size in sizes.items():
            monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(searches, "START", random_openings(1, 8)[0])

    def lines_of(case: str) -> Lines:
        monkeypatch.setattr(sys, "argv", ["speed", case, "--seconds", "0"])
        assert speed.main() == 0
        pattern = r"  (.+?) +([-\d,.]+)/s +[-\d.]+ [num]s(?: +([-\d,.]+) x (.+))?"
        title, *lines = filter(None, capsys.readouterr().out.splitlines())
        assert title == case
        found = [re.fullmatch(pattern, line).groups() for line in lines]
        assert len({name for name, *_ in found}) == len(found)
        return {
            name: (number(rate), number(ratio or "1"), beside)
            for name, rate, ratio, beside in found
        }

    return lines_of


def number(text: str) -> float:
    return float(text.replace(",", ""))


def run(module: str, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.parametrize("case", CASES)
def test_each_figure_stands_beside_its_reference(case, lines_of):
    lines = lines_of(case)
    assert any(beside is not None for _, _, beside in lines.values())
    for name, (rate, ratio, beside) in lines.items():
        # What an end adds is the slope of a line, which chance may turn where games are few.
        assert rate > 0 or name in ("a step without an end", "what the end of a game adds")
        # The ratios of boards are of the bytes that are written.
        if beside is not None and case != "boards":
            assert ratio == pytest.approx(rate / lines[beside][0], rel=0.05, abs=0.001)


def test_boards_are_compared_by_the_bytes_that_they_write(lines_of):
    lines = lines_of("boards")
    rates = [lines[f"flat uint8, {board}"][0] for board in ("16 cells", "20 cells")]
    written = [3 * cells + 8 + 4 * cells + 1 for cells in (16, 20)]
    expected = rates[1] * written[1] / (rates[0] * written[0])
    assert lines["flat uint8, 20 cells"][1] == pytest.approx(expected, rel=0.02)


def test_the_phases_of_a_search_add_up(lines_of):
    lines = lines_of("search")
    for root in ("puct", "gumbel"):
        phases = ("restart", "select", "update", "results")
        times = [1 / lines[f"{root}: {phase}"][0] for phase in phases]
        assert sum(times) == pytest.approx(1 / lines[root][0], rel=0.02)


@pytest.mark.torch
def test_networks_are_measured_beside_pytorch(lines_of):
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    lines = lines_of("network")
    torch.set_num_threads(threads)
    for name in ("64 units, 2 blocks", "96 units, 3 blocks", "192 units, 4 blocks"):
        # `make bench-network` leaves the program that measures this limit.
        reference = networks.PRODUCTS if networks.PEAK.exists() else f"{name}: torch"
        assert lines[f"{name}: native"][2] == reference
        assert lines[f"{name}: learned, bfloat16"][2] == f"{name}: learned, float32"


def test_an_unknown_case_is_refused_with_those_there_are():
    said = run("benches.speed", "steps", "fly", code=2).stderr
    assert f"unknown case 'fly'; choose from {', '.join(speed.CASES)}" in said


@pytest.mark.parametrize(("least", "code"), [("0.001", 0), ("1000", 1)])
def test_another_build_is_measured_in_turns(least, code):
    folder = str(Path(mijnlieff.__file__).parents[1])
    options = ["functional", "--seconds", "0", "--beside", folder, "--at-least", least]
    said = run("benches.speed", *options, code=code).stdout
    rows = re.findall(r"^(.+?) +([\d,]+) +([\d,]+) +([\d.]+)$", said, re.MULTILINE)
    assert [row[0] for row in rows] == [
        "VectorEnv.step",
        "step",
        "legal_mask",
        "observe",
        "all three",
    ]
    for _, this, other, share in rows:
        assert number(share) == pytest.approx(number(other) / number(this), abs=0.01)
    assert ("has less than 1000.0 of the rate in:" in said) == bool(code)


def test_rates_are_printed_as_json():
    rates = json.loads(run("benches.speed", "functional", "--seconds", "0", "--json").stdout)
    assert min(rates.values()) > 0 and "all three" in rates


def test_other_libraries_are_measured_beside_ours(tmp_path, monkeypatch, capsys):
    for name, source in STAND_INS.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    assert {(library, game) for library, game, _ in PEERS[:3]} <= {it[:2] for it in peers.PEERS}
    monkeypatch.setattr(peers, "PEERS", PEERS)
    monkeypatch.setattr(sys, "argv", ["peers", sys.executable, "--seconds", "0.02"])
    # Each library is measured in its own process.
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    assert peers.main() == 0
    *rows, failed = (line.split() for line in capsys.readouterr().out.splitlines()[-len(PEERS) :])
    assert [tuple(row[:3]) for row in rows] == [(*peer[:2], str(peer[2])) for peer in PEERS[:3]]
    for row in rows:
        theirs, ours = (float(number.replace(",", "")) for number in row[3:5])
        assert ours > 0
        assert float(row[5].rstrip("x").replace(",", "")) == pytest.approx(
            ours / theirs, rel=0.01, abs=0.06
        )
    assert " ".join(failed) == "openspiel chess 1 not measured: AssertionError"
