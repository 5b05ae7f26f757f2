"""Training without its optional packages: error messages, and what still works."""

from __future__ import annotations

import os
import subprocess
from unittest.mock import patch

import pytest

from mijnlieff.cli.main import main
from mijnlieff.train.extras import SPINS, prepare_packages
from processes import run_python

pytestmark = pytest.mark.torch

HIDE = "import sys; sys.modules['{}'] = None; "


def run(hidden: str, code: str) -> subprocess.CompletedProcess[str]:
    return run_python(HIDE.format(hidden) + code)


@pytest.mark.parametrize(
    "code",
    [
        "from mijnlieff.cli.main import main; sys.exit(main(['train', '--out', 'unused']))",
        "import tempfile, zipfile; from mijnlieff import load_policy\n"
        "file = tempfile.NamedTemporaryFile()\n"
        "zipfile.ZipFile(file.name, 'w').writestr('data', 'x')\n"
        "try: load_policy(file.name)\n"
        "except ImportError as error: print(error, file=sys.stderr); sys.exit(1)",
    ],
    ids=["command", "load_policy"],
)
def test_without_pytorch_the_message_says_how_to_install_it(code):
    result = run("torch", code)
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
    code = "from mijnlieff.cli.main import main; "
    result = run("ray", code + "sys.exit(main(['train', '--ray', '--out', 'unused']))")
    assert result.returncode == 1
    assert "pip install 'mijnlieff[ray]'" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "extras"),
    [
        (["--ray"], "ray"),
        (["--tensorboard"], "tensorboard"),
        (["--ray", "--tensorboard"], "ray,tensorboard"),
    ],
)
def test_without_any_package_all_is_asked_for_at_once(options, extras):
    """These extras install PyTorch too."""
    code = "sys.modules['ray'] = None; from mijnlieff.cli.main import main; "
    arguments = ["train", *options, "--out", "unused"]
    result = run("torch", code + f"sys.exit(main({arguments}))")
    assert result.returncode == 1
    assert f"pip install 'mijnlieff[{extras}]'" in result.stderr
    assert result.stderr.count("\n") == 1


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
