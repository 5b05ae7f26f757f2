"""The package as a whole: stubs, documentation, import, long calls."""

from __future__ import annotations

import copy
import doctest
import importlib
import inspect
import itertools
import json
import pickle
import re
import sys
from pathlib import Path

import pytest

import mijnlieff
from interrupts import needs_signals
from processes import printed_by, run_python

PACKAGE = Path(inspect.getfile(mijnlieff)).parent


def test_the_stub_knows_every_type():
    """Where PyO3 does not, it writes a name of `_typeshed`, or nothing, which mypy finds."""
    assert "_typeshed" not in (PACKAGE / "_mijnlieff.pyi").read_text(encoding="utf-8")


def test_every_public_name_is_documented():
    for name in mijnlieff.__all__:
        value = getattr(mijnlieff, name)
        if inspect.isclass(value) or callable(value):
            assert value.__doc__, name


#: The names for users; everything else has its own module.
FACE = """
Board Variant Position Piece Canvas MijnlieffEnv VectorEnv
RandomPolicy GreedyPolicy MinimaxPolicy PerfectPolicy ChampionPolicy NetworkPolicy Network Policy
load_policy TreeSearch SearchOptions SelfPlay
solve solve_batch Tablebase evaluate grade review best_response tournament benchmark
parse_record format_record functional encoding errors __version__
""".split()

#: The modules that the face is taken from, and that have more names for users.
MODULES = ["envs", "evaluation", "policies", "rules", "self_play", "solving"]

#: The modules, and the class, that are imported when they are first asked for.
LAZY = ["datasets", "integrations", "jax", "mijnlieff_v0", "render", "train", "widget", "Widget"]


def test_the_face_of_the_package_is_this_list():
    assert sorted(mijnlieff.__all__) == sorted([*FACE, *mijnlieff.errors.__all__])
    shown = set(dir(mijnlieff))
    assert {*mijnlieff.__all__, *MODULES, "integrations", "render", "train", "widget"} <= shown
    assert shown <= {*mijnlieff.__all__, *MODULES, *LAZY}
    assert all(inspect.ismodule(getattr(mijnlieff, name)) for name in MODULES)
    with pytest.raises(AttributeError, match="no attribute 'Gadget'"):
        _ = mijnlieff.Gadget


def test_modules_load_when_they_are_first_asked_for():
    code = f"""
import importlib.util, sys
import mijnlieff
lazy = {LAZY}
assert not [name for name in lazy if f"mijnlieff.{{name}}" in sys.modules]
needed = {{"Widget": "anywidget", "jax": "pgx", "mijnlieff_v0": "pettingzoo"}}
for name in lazy:
    package = needed.get(name)
    found = package is None or importlib.util.find_spec(package) is not None
    assert (name in dir(mijnlieff)) == found, name
    try:
        value = getattr(mijnlieff, name)
    except mijnlieff.MissingExtraError as error:
        assert not found, name
        assert "pip install 'mijnlieff[" in str(error)
        assert error.__cause__ is None and error.__suppress_context__
    else:
        assert found and value.__name__.endswith(name)
"""
    result = run_python(code)
    assert result.returncode == 0, result.stderr


#: Runs in a new interpreter and reports the effects of the import, those of dependencies left out.
IMPORT = """
import json, os, sys, threading
import numpy, gymnasium, gymnasium.envs.registration, gymnasium.vector
events = []
sys.addaudithook(lambda event, arguments: events.append((event, [str(it) for it in arguments])))
before = set(sys.modules)
import mijnlieff
report = {
    "modules": sorted(set(sys.modules) - before),
    "events": list(events),
    "threads": threading.active_count(),
    "tasks": len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1,
}
print(json.dumps(report))
"""


@pytest.fixture(scope="module")
def importing() -> dict[str, list]:
    # NumPy's BLAS starts its own threads unless told not to.
    printed = printed_by(IMPORT, flags=("-W", "error"), OPENBLAS_NUM_THREADS="1")
    assert printed.count("\n") == 1, "the import has printed something"
    return json.loads(printed)


def test_import_takes_little_beside_its_dependencies(importing):
    """It imports nothing but its own modules and light ones of the standard library."""
    own = {name for name in importing["modules"] if name.split(".")[0] == "mijnlieff"}
    others = {name.split(".")[0] for name in importing["modules"]} - {"mijnlieff"}
    assert {"mijnlieff", "mijnlieff._mijnlieff"} < own
    assert not own & {"mijnlieff.train", "mijnlieff.cli", "mijnlieff.aec"}
    assert others <= sys.stdlib_module_names
    heavy = {"argparse", "asyncio", "email", "html", "multiprocessing", "statistics", "tkinter"}
    heavy |= {"unittest", "zipfile"}
    assert not others & heavy


def test_import_reads_no_data_and_starts_nothing(importing):
    assert (importing["threads"], importing["tasks"]) == (1, 1)
    opened = [Path(arguments[0]) for event, arguments in importing["events"] if event == "open"]
    assert any(path.is_relative_to(PACKAGE) for path in opened), "the hook is silent"
    assert not any(path.is_relative_to(PACKAGE / "data") for path in opened)
    kinds = {event for event, _ in importing["events"]}
    started = ("subprocess.", "os.fork", "os.posix_spawn", "os.exec", "os.system", "socket.")
    assert not [kind for kind in kinds if kind.startswith((*started, "_thread.start"))]


def modules_with_examples() -> list[str]:
    """Names of the modules whose source has examples, `mijnlieff` itself first."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        needs_framework = parts[1] == "integrations" and parts[2] != "text"
        if needs_framework or parts[1] == "jax":  # tests/frameworks runs theirs
            continue
        if re.search(r"^ *>>> ", path.read_text(), flags=re.MULTILINE):
            found.append(".".join(part for part in parts if part != "__init__"))
    return sorted(found)


@pytest.mark.parametrize("name", modules_with_examples())
def test_docstring_examples_run(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0
    examples = re.findall(r"^ *>>> ", inspect.getsource(module), flags=re.MULTILINE)
    # Those of native functions in the module are run too.
    assert result.attempted >= len(examples) > 0


def test_rules_objects_are_values():
    board = mijnlieff.Board.from_blocks([(5, -3), (7, -1), (8, 1)])
    variant = mijnlieff.Variant(board, "anywhere", copies=3)
    position = mijnlieff.Position.from_actions(["a1+", "a2x"], variant)
    names = {"Board": mijnlieff.Board, "Variant": mijnlieff.Variant, "Position": mijnlieff.Position}
    for value in (board, variant, position):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(value, protocol)) == value
        for twin in (copy.copy(value), copy.deepcopy(value), eval(repr(value), names)):
            assert twin == value
            assert hash(twin) == hash(value)
        assert copy.copy(value) is value is copy.deepcopy([value])[0]  # it cannot change
        assert value != "something else"
        with pytest.raises((AttributeError, TypeError)):
            value.opening = "corner"
    assert mijnlieff.Variant() != variant
    assert mijnlieff.Position(variant) != position
    restored = pickle.loads(pickle.dumps(position))
    assert (restored.ply, restored.last_action) == (position.ply, position.last_action)


def legal_line(actions):
    """The position after these actions, or None when one is illegal."""
    try:
        return mijnlieff.Position.from_actions(actions)
    except mijnlieff.IllegalMoveError:
        return None


def test_equality_ignores_what_no_rule_reads_again():
    """Light's two stones change places in time, or their types on the board."""
    swapped_in_time = swapped_types = 0
    signs = [piece.sign for piece in mijnlieff.Piece]
    for one_sign, other_sign, last in itertools.product(signs, signs, ["d4+", "d1<>", "d2+"]):
        one = legal_line(["b4" + one_sign, "a3x", "c1" + other_sign, last])
        other = legal_line(["c1" + other_sign, "a3x", "b4" + one_sign, last])
        retyped = legal_line(["b4" + other_sign, "a3x", "c1" + one_sign, last])
        if one is not None and other is not None:
            assert one == other and hash(one) == hash(other)
            swapped_in_time += 1
        if one is not None and retyped is not None:
            assert one == retyped and hash(one) == hash(retyped)
            swapped_types += list(one.pieces) != list(retyped.pieces)
    assert swapped_in_time > 0
    assert swapped_types > 0


def test_piece_is_the_index_everywhere():
    position = mijnlieff.Position().play("a1><")
    assert mijnlieff.Piece(int(position.pieces[0])) is mijnlieff.Piece.PULLER
    assert position.hands[0][mijnlieff.Piece.PULLER] == 1
    assert [piece.sign for piece in mijnlieff.Piece] == ["+", "x", "<>", "><"]


@needs_signals
def test_ctrl_c_stops_a_long_call_and_leaves_all_well():
    code = """
import mijnlieff, os, signal, threading
handler = signal.getsignal(signal.SIGINT)
for _ in range(2):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        mijnlieff.rules.perft(mijnlieff.Position(), 12)
    except KeyboardInterrupt:
        print("stopped", mijnlieff.rules.perft(mijnlieff.Position(), 2))
print(signal.getsignal(signal.SIGINT) is handler, threading.active_count())
"""
    result = run_python(code)
    assert result.stdout == "stopped 1152\n" * 2 + "True 1\n", result.stderr
