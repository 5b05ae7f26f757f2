"""The training without its packages: what still works, and what it says."""

from __future__ import annotations

import subprocess
import sys

import pytest

HIDE = "import sys; sys.modules['{}'] = None; "


def run(hidden: str, code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", HIDE.format(hidden) + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "code",
    [
        "from mijnlieff.cli.main import main; sys.exit(main(['train', '--out', 'unused']))",
        "from mijnlieff.train import load_policy\n"
        "try: load_policy('checkpoint.pt')\n"
        "except ImportError as error: print(error, file=sys.stderr); sys.exit(1)",
    ],
    ids=["command", "load_policy"],
)
def test_without_pytorch_the_message_tells_how_to_get_it(code):
    result = run("torch", code)
    assert result.returncode == 1
    assert "torch" in result.stderr
    assert "pip install 'mijnlieff[train]'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_options_need_no_pytorch():
    result = run(
        "torch", "from mijnlieff.cli.main import main; sys.exit(main(['train', '--help']))"
    )
    assert result.returncode == 0
    assert "--minutes" in result.stdout
