"""The scripts that measure, at sizes that take no time."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

BENCHES = Path(__file__).parents[3] / "benches"

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


def test_every_script_is_tested_here():
    here = Path(__file__).read_text()
    scripts = [path for path in BENCHES.iterdir() if path.suffix in (".py", ".sh")]
    # Modules without a main part are used by these and by other tests.
    names = [it.name for it in scripts if it.suffix == ".sh" or "__main__" in it.read_text()]
    assert names
    assert [name for name in names if f'"{name}"' not in here] == []


def rows_of(script: str, *options: str) -> list[list[str]]:
    """Run a script and return the words of its rows."""
    line = [sys.executable, BENCHES / script, *options, "--threads", "1", "2", "--repetitions", "2"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, table = done.stdout.split("\n\n")
    return [line.split() for line in table.splitlines()[1:]]


def test_least_times_of_steps_are_given_for_each_size_and_number_of_threads():
    rows = rows_of("least_times.py", "--sizes", "2048")
    assert [row[:2] for row in rows] == [["2048", "1"], ["2048", "2"]]
    for _, _, step, without, _, copied, share in rows:
        assert min(float(step), float(without), float(copied)) > 0
        assert float(share.rstrip("%")) == pytest.approx(100 * float(copied) / float(step), rel=0.1)


def test_many_boards_are_measured_beside_one_board():
    line = [sys.executable, BENCHES / "many_boards.py", "--sizes", "2", "--repetitions", "1"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.split("\n\n")[1].splitlines()[1:]]
    assert [row[-4] for row in rows] == ["float32", "uint8"] * 2
    for row in rows:
        mixed, one, ratio = map(float, row[-3:])
        assert ratio == pytest.approx(mixed / one, abs=0.01)


def test_least_times_of_a_search_add_up():
    rows = rows_of("least_search_times.py", "--sizes", "80", "--simulations", "8")
    assert [row[:3] for row in rows] == [
        [root, "80", n] for root in ("puct", "gumbel") for n in "12"
    ]
    for row in rows:
        *parts, rate = (float(number.replace(",", "")) for number in row[3:])
        assert min(parts) > 0 and abs(sum(parts) * rate / 1e9 - 1) < 0.01


def test_native_self_play_is_measured_beside_a_loop():
    line = [sys.executable, BENCHES / "self_play.py", "--games", "6", "--simulations", "2"]
    done = subprocess.run([*line, "--repetitions", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.split("\n\n")[1].splitlines()[1:]]
    assert [row[0] for row in rows] == ["exact", "9/9", "9/7", "pure"]
    for row in rows:
        loop, native, ratio, evaluations = (
            float(word.strip("x").replace(",", "")) for word in row[1:]
        )
        assert min(loop, native, evaluations) > 0
        assert ratio == pytest.approx(native / loop, rel=0.2)


def test_networks_are_measured_in_all_forms():
    pytest.importorskip("torch")
    line = [sys.executable, BENCHES / "network_rates.py", "--rounds", "1", "--batch", "16"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rates = re.findall(r"^  (.*?) +([\d,]+) +([\d.]+)x$", done.stdout, re.MULTILINE)
    names = [name for name, _, _ in rates]
    native = ["native int16", "native float32"]
    both = [*native, *2 * ["torch", "torch, dense"]]
    threads = ["one thread", "one on each core"]
    assert names == [*both, *both, *native, "torch", "float32", "bfloat16", *threads]
    assert all(float(rate.replace(",", "")) > 0 for _, rate, _ in rates)


def test_other_libraries_are_measured_beside_ours(tmp_path, monkeypatch, capsys):
    for name, source in STAND_INS.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    spec = importlib.util.spec_from_file_location("compare", BENCHES / "compare.py")
    compare = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compare)
    assert {(library, game) for library, game, _ in PEERS[:3]} <= {it[:2] for it in compare.PEERS}
    monkeypatch.setattr(compare, "PEERS", PEERS)
    monkeypatch.setattr(sys, "argv", ["compare.py", sys.executable, "--seconds", "0.02"])
    # Each library is measured by "peer_rates.py" in its own process.
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert compare.main() == 0
    *rows, failed = (line.split() for line in capsys.readouterr().out.splitlines()[-len(PEERS) :])
    assert [tuple(row[:3]) for row in rows] == [(*peer[:2], str(peer[2])) for peer in PEERS[:3]]
    for row in rows:
        theirs, ours = (float(number.replace(",", "")) for number in row[3:5])
        assert ours > 0
        assert float(row[5].rstrip("x").replace(",", "")) == pytest.approx(
            ours / theirs, rel=0.01, abs=0.06
        )
    assert " ".join(failed) == "openspiel chess 1 not measured: AssertionError"


def test_instructions_are_given_for_one_step_one_simulation_and_one_node(tmp_path):
    # Stands for Valgrind, and reports a number that follows from its arguments.
    valgrind = tmp_path / "valgrind"
    valgrind.write_text(
        "#!/bin/sh\n"
        "for argument; do form=$kind kind=$argument; done\n"
        "case $* in *built/instructions*) steps=65536 ;; *) steps=32768 ;; esac\n"
        "case $form in fast) each=10 ;; general) each=25 ;; standard) each=30 ;; *) each=60\n"
        "esac\n"
        "case $kind in packed) each=$((each * 2)) ;; esac\n"
        'case $* in *" 64 "*) echo 200 ;; *) echo 100 ;; esac\n'
        'echo "==1== Collected : $((steps * each))" >&2\n'
    )
    valgrind.chmod(0o755)
    done = subprocess.run(
        ["sh", BENCHES / "count.sh", "built"],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0] == ["fast", "general"]
    assert rows[1:5] == [
        [kind, *(("20.0", "50.0") if kind == "packed" else ("10.0", "25.0"))]
        for kind in ("flat", "uint8", "packed", "sample")
    ]
    assert rows[5:7] == [[], ["standard", "blocks", "32", "64", "on_canvas", "mixed"]]
    assert rows[7:10] == [[rule, "30.0", *["60.0"] * 5] for rule in ("puct", "noisy", "gumbel")]
    assert rows[10:12] == [[], ["step", "board", "counted", "bytes", "per", "byte"]]
    assert rows[12:14] == [
        ["flat", "standard", "10.0", "100", "1.00"],
        ["flat", "16x4", "10.0", "100", "1.00"],
    ]
    assert ["uint8", "64", "10.0", "200", "2.00"] in rows
    assert rows[-4] == ["planes8", "mixed", "10.0", "100", "1.00"]
    assert rows[-3:-1] == [[], ["standard", "20", "irregular", "32", "64"]]
    assert rows[-1] == ["minimax", "30.0", *["60.0"] * 4]


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
@pytest.mark.parametrize(("portable", "code"), [(60, 0), (49, 1)])
def test_portable_code_slower_than_half_is_reported(tmp_path, portable, code):
    programs = {}
    for name, rate in (("fast", 100), ("portable", portable)):
        programs[name] = tmp_path / name
        programs[name].write_text(f"#!/bin/sh\nprintf 'steps\\t{rate}\\nsearches\\t100\\n'\n")
        programs[name].chmod(0o755)
    done = subprocess.run(
        [BENCHES / "portable.sh", programs["fast"], programs["portable"]],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (code, "")
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert rows[0] == ["steps", "100", f"{portable}", f"{portable / 100:.2f}"]
    assert rows[1] == ["searches", "100", "100", "1.00"]
    assert ("slower than half:" in done.stdout) == bool(code)
