"""Train one network on many boards, and keep its report in ``docs/results/generalist``.

A finished run (in ``runs/generalist``) is not repeated, and one that was stopped is continued.
`tools.pages` makes the tables and the plot.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from tools.results import RESULTS, read_results, write_results

OPTIONS = ("--boards", "arrangements:4", "--holdout", "0.2")
GRADED = 4800
FINAL_GAMES = 1200


def make(minutes: float, folder: Path) -> None:
    """Train, or resume training, unless the run is finished."""
    if (folder / "report.json").exists():
        return
    options = [*OPTIONS, "--minutes", f"{minutes:g}", "--graded-positions", str(GRADED)]
    options += ["--final-games", str(FINAL_GAMES), "--out", str(folder)]
    options += ["--resume"] if (folder / "checkpoint.pt").exists() else []
    subprocess.run([sys.executable, "-m", "mijnlieff", "train", *options], check=True)


def main() -> None:
    """Train and keep the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--run", type=Path, default=Path("runs/generalist"))
    parser.add_argument("--results", type=Path, default=RESULTS / "generalist")
    args = parser.parse_args()
    make(args.minutes, args.run)
    write_results(args.results / "report.json", read_results(args.run / "report.json"))


if __name__ == "__main__":
    main()
