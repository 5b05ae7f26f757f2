"""Try built packages as a user gets them.

    python tools/release/smoke_test.py dist/*.whl dist/*.tar.gz

Each is installed by pip into a new virtual environment, and tested from an empty folder. Without
arguments the installed package is tested as it is.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def try_in_new_environment(package: Path) -> None:
    """Install a wheel or source distribution and test it.

    Raises:
        subprocess.CalledProcessError: it cannot be installed, or fails a test.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment, empty = Path(folder, "venv"), Path(folder, "empty")
        venv.create(environment, with_pip=True)
        empty.mkdir()
        scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
        python = scripts / Path(sys.executable).name
        if not python.exists():
            python = scripts / "python"
        test = shutil.copy(__file__, folder)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(package.resolve())], check=True, cwd=empty)
        subprocess.run([python, "-I", test], check=True, cwd=empty)
        if left := list(empty.iterdir()):
            raise SystemExit(f"the tests left files behind: {left}")


def try_installed() -> None:
    """Test the package of this Python.

    Raises:
        AssertionError: a result is wrong.
    """
    import gymnasium
    import numpy as np

    import mijnlieff

    folder = Path(mijnlieff.__file__).parent
    assert folder.is_relative_to(sys.prefix), f"{folder} is not in {sys.prefix}"
    assert (folder / "py.typed").exists() and (folder / "_mijnlieff.pyi").exists()

    position = mijnlieff.Position()
    while not position.is_over:
        position = position.play(int(position.legal_actions()[0]))
    assert position.margin == position.score[0] - position.score[1]

    games = mijnlieff.VectorEnv(64)
    observations, info = games.reset(seed=0)
    for _ in range(40):
        observations, *_, info = games.step(games.sample_actions())
    assert observations.shape == (64, 56) and info["action_mask"].any(axis=1).all()
    single = gymnasium.make("mijnlieff:Mijnlieff-v0", opponent="greedy")
    single.reset(seed=0)

    assert mijnlieff.solve(mijnlieff.Position()).margin == -1  # looked up in the book
    late = mijnlieff.evaluation.random_openings(1, plies=9, seed=0)[0]
    assert mijnlieff.solve(late).margin == mijnlieff.solve_batch([late]).margins[0]

    champion = mijnlieff.ChampionPolicy(search=16)
    action = champion.act(late)
    assert late.action_mask()[action] == 1
    network = mijnlieff.ChampionPolicy().act_batch(
        mijnlieff.evaluation.random_openings(32, plies=2)
    )
    assert network.dtype == np.int64 and network.shape == (32,)

    command = [sys.executable, "-I", "-m", "mijnlieff", "--version"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == f"mijnlieff {mijnlieff.__version__}\n", printed
    assert re.fullmatch(r"\d+\.\d+\.\d+", mijnlieff.__version__)


def main(packages: list[Path]) -> int:
    """Try the packages, or the installed one if none is given."""
    if not packages:
        try_installed()
    for package in packages:
        try_in_new_environment(package)
        print(f"{package.name}: good")
    return 0


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
