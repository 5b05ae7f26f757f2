"""The example of offline learning, with a data set of Minari and a loss of TorchRL."""

from __future__ import annotations

import re

from processes import printed_by_script


def test_the_example_learns_from_games(tmp_path):
    options = ("--games", 200, "--steps", 300)
    printed = printed_by_script(
        "examples/offline_learning.py", *options, MINARI_DATASETS_PATH=str(tmp_path)
    )
    shares = re.findall(r"^(.*): ([\d.]+)% optimal, regret ([\d.]+)$", printed, re.MULTILINE)
    assert [name for name, _, _ in shares] == ["behavior cloning", "conservative Q-learning"]
    assert all(float(share) > 42 for _, share, _ in shares)  # a random player has 40.7 %
