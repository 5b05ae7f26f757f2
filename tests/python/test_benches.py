"""The benchmarks that measure the same games and searches again and again."""

import subprocess
import sys
from pathlib import Path

BENCHES = Path(__file__).parents[2] / "benches"


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
        assert min(float(step), float(without), float(copied), float(share.rstrip("%"))) > 0


def test_least_times_of_a_search_add_up():
    rows = rows_of("least_search_times.py", "--sizes", "80", "--simulations", "8")
    assert [row[:3] for row in rows] == [
        [root, "80", n] for root in ("puct", "gumbel") for n in "12"
    ]
    for row in rows:
        *parts, rate = (float(number.replace(",", "")) for number in row[3:])
        assert min(parts) > 0 and abs(sum(parts) * rate / 1e9 - 1) < 0.01
