"""The benchmark that measures the same games again and again."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benches" / "least_times.py"


def test_least_times_are_those_of_a_step_and_of_an_end():
    options = ["--sizes", "64", "--threads", "1", "2", "--repetitions", "2"]
    done = subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert [row[:2] for row in rows] == [["64", "1"], ["64", "2"]]
    for _, _, step, without, _, copied, share in rows:
        assert float(step) > 0 < float(copied) and float(without) <= float(step) + 0.1
        assert abs(float(share.rstrip("%")) - 100 * float(copied) / float(step)) < 5
