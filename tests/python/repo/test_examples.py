"""Examples that a user copies from must be right."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mijnlieff import VectorEnv
from processes import ROOT, load_module

pytestmark = pytest.mark.torch

EXAMPLES = ROOT / "examples"


def load(name):
    return load_module(EXAMPLES / f"{name}.py")


def output_of(name, *options):
    """What a script prints; it must print nothing else and not fail."""
    command = [sys.executable, "-W", "error", EXAMPLES / f"{name}.py", *map(str, options)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}  # networks this small are slower with more
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_example_is_tested():
    """Here, or with its framework."""
    tests = [Path(__file__), *(ROOT / "tests" / "frameworks").glob("test_*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in tests)
    names = [path.stem for path in EXAMPLES.glob("*.py")]
    assert len(names) > 3
    assert [name for name in names if not re.search(rf"""["/]{name}(\.py)?["']""", text)] == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short_and_say_how_to_run_them(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= (100 if is_for_a_framework(path) else 200)
    assert f"python examples/{path.name}" in ast.get_docstring(ast.parse(text))


def is_for_a_framework(path):
    return "mijnlieff.integrations" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["numpy", "cpu"])
def test_what_is_expanded_on_a_device_is_what_the_environment_gives(name):
    if name == "cpu":
        pytest.importorskip("torch")
    example = load("packed_on_device")
    device = example.Device(name)
    packed_env, flat_env = VectorEnv(64, observation="packed"), VectorEnv(64)
    packed, _ = packed_env.reset(seed=0)
    flat, info = flat_env.reset(seed=0)
    for _ in range(40):
        seen, legal = map(device.fetch, device.see(packed))
        assert seen.dtype == np.float32 and np.array_equal(seen, flat)
        assert np.array_equal(legal, info["action_mask"].astype(bool))
        actions = flat_env.sample_actions()
        packed = packed_env.step(actions)[0]
        flat, _, _, _, info = flat_env.step(actions)
    assert example.play(device, games=64, steps=40) > 64


def test_the_device_example_says_what_it_moved():
    said = output_of("packed_on_device", "--device", "numpy", "--games", 32, "--steps", 50)
    pattern = r"1,600 steps and (\d+) games on numpy: 12,800 bytes moved .* instead of 462,400\n"
    assert int(re.fullmatch(pattern, said)[1]) > 32


def test_a_network_learns_from_labels():
    pytest.importorskip("torch")
    said = output_of("learn_from_labels", "--positions", 4000, "--epochs", 4, "--graded", 150)
    losses = [float(it) for it in re.findall(r"cross entropy ([\d.]+)$", said, flags=re.MULTILINE)]
    assert len(losses) == 4 and losses == sorted(losses, reverse=True)
    grades = re.findall(r"^optimal ([\d.]+)% ", said, flags=re.MULTILINE)
    before, after = map(float, grades)
    assert after > before + 10


def test_one_network_learns_many_boards(tmp_path):
    pytest.importorskip("torch")
    options = ("--boards", "arrangements:2:corners", "--holdout", 0.3, "--minutes", 0.02)
    text = output_of("train_generalist", *options, "--graded-positions", 12, "--out", tmp_path)
    assert re.search(r"games, optimal actions: seen [\d.]+%, unseen [\d.]+%", text)
    assert re.search(r"A board held out:\n[.#]+\n", text)
    assert len(re.findall(r": [\d.]+% optimal actions", text)) == 2


@pytest.mark.slow
def test_ppo_by_self_play_learns():
    pytest.importorskip("torch")
    options = ("--steps", 200_000, "--envs", 256, "--games", 300)
    text = output_of("ppo_selfplay", *options)
    updates = re.findall(r"^ *([\d,]+) actions, [\d,]+/s, entropy [\d.]+$", text, re.MULTILINE)
    assert len(updates) == 24 and updates[-1] == "196,608"
    scores = [float(it) for it in re.findall(r"score against \w+: ([\d.]+) \(", text)]
    assert len(scores) == 2 and min(scores) > 0.6  # a random player scores about 0.5 and 0.3


def test_advantages_of_self_play_are_those_of_the_package():
    torch = pytest.importorskip("torch")
    from mijnlieff.train.ppo.advantage import signed_advantages

    example = load("ppo_selfplay")
    draw = torch.Generator().manual_seed(0)
    rewards, values = (torch.randn(n, 7, generator=draw) for n in (30, 31))
    ends = (torch.rand(30, 7, generator=draw) < 0.2).float()
    ours = example.advantages_of(rewards, values, ends)
    theirs = signed_advantages(
        rewards[..., None],
        values[..., None],
        torch.arange(31)[:, None].expand(31, 7) % 2,
        ends.bool(),
        torch.ones(30, 7, dtype=torch.bool),
        example.GAMMA,
        example.GAE_LAMBDA,
    )
    torch.testing.assert_close(ours, theirs[..., 0])
