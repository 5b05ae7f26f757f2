"""Training without its optional packages: error messages, and what still works."""

from __future__ import annotations

import os
import subprocess
from unittest.mock import patch

import pytest

from commands import error_without
from mijnlieff.cli.main import main
from mijnlieff.train.extras import SPINS, prepare_packages
from processes import run_python

pytestmark = pytest.mark.torch

HIDE = "import sys; sys.modules['{}'] = None; "


def run(hidden: str, code: str) -> subprocess.CompletedProcess[str]:
    return run_python(HIDE.format(hidden) + code)


@pytest.mark.parametrize(
    ("packages", "options", "extras"),
    [
        ("torch", "", "train"),
        # These extras install PyTorch too, so all is asked for at once.
        ("torch ray", "--ray", "ray"),
        ("torch ray", "--tensorboard", "tensorboard"),
        ("torch ray", "--ray --tensorboard", "ray,tensorboard"),
    ],
)
def test_without_pytorch_the_message_says_how_to_install_it(packages, options, extras):
    error = error_without(packages, "train", *options.split(), "--out", "unused")
    assert "torch" in error
    assert f"pip install 'mijnlieff[{extras}]'" in error


def test_a_network_of_pytorch_asks_for_it():
    result = run(
        "torch",
        "import tempfile, zipfile; from mijnlieff import load_policy\n"
        "file = tempfile.NamedTemporaryFile()\n"
        "zipfile.ZipFile(file.name, 'w').writestr('data', 'x')\n"
        "try: load_policy(file.name)\n"
        "except ImportError as error: print(error, file=sys.stderr); sys.exit(1)",
    )
    assert result.returncode == 1
    assert "torch" in result.stderr
    assert "pip install 'mijnlieff[train]'" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, ("PASSIVE", str(SPINS))),
        ({"GOMP_SPINCOUNT": "7"}, ("PASSIVE", "7")),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, ("ACTIVE", None)),
    ],
    ids=["default", "looks", "policy"],
)
def test_threads_that_wait_look_for_work_and_then_sleep(given, wanted):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    names = "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"
    with patch.dict(os.environ):
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(given)
        prepare_packages(None)
        assert tuple(os.environ.get(name) for name in names) == wanted


def test_without_ray_the_message_says_how_to_install_it():
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    error = error_without("ray", "train", "--ray", "--out", "unused")
    assert "pip install 'mijnlieff[ray]'" in error


@pytest.mark.parametrize("option", ["--ray-workers=2", "--ray-lag=0", "--ray-address=auto"])
def test_options_of_ray_need_it(option, tmp_path, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    assert main(["train", option, "--out", str(tmp_path / "run")]) == 2
    out, error = capsys.readouterr()
    assert f"{option.partition('=')[0]} needs --ray" in error and error.count("\n") == 1
    assert out == ""
    assert not (tmp_path / "run").exists()


def test_options_need_no_pytorch():
    result = run(
        "torch", "from mijnlieff.cli.main import main; sys.exit(main(['train', '--help']))"
    )
    assert result.returncode == 0
    assert "--minutes" in result.stdout
