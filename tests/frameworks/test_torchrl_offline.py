"""The example of offline learning, with a data set of Minari and a loss of TorchRL."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "offline_learning.py"


def test_the_example_learns_from_games(tmp_path):
    surroundings = os.environ | {"MINARI_DATASETS_PATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, EXAMPLE, "--games", "200", "--steps", "300"],
        capture_output=True,
        text=True,
        timeout=500,
        env=surroundings,
    )
    assert done.returncode == 0, done.stderr
    shares = re.findall(r"^(.*): ([\d.]+)% optimal, regret ([\d.]+)$", done.stdout, re.MULTILINE)
    assert [name for name, _, _ in shares] == ["behavior cloning", "conservative Q-learning"]
    assert all(float(share) > 42 for _, share, _ in shares)  # a random player has 40.7 %
