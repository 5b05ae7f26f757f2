"""Messages for optional packages that are missing or too old."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

import mijnlieff
from commands import error_without
from mijnlieff._util.extras import needs
from mijnlieff.errors import MissingExtraError
from processes import ROOT


def test_a_missing_package_is_named_with_its_command():
    with pytest.raises(MissingExtraError) as caught, needs("the adapter", "SB3", "sb3"):
        raise ImportError("no module")
    message = "the adapter needs SB3 (no module): pip install 'mijnlieff[sb3]'"
    assert str(caught.value) == message
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    with pytest.raises(MissingExtraError) as kept, needs("another", "package", "extra"):
        raise caught.value
    assert str(kept.value) == message


def test_versions_are_compared_as_numbers(monkeypatch):
    monkeypatch.setattr("mijnlieff._util.extras.version", lambda name: "2.10.0a1")
    with needs("the adapter", "frame", "frame", "frame>=2.9", "other>=2.10"):
        pass
    found = r"frame 2\.11 or newer, not 2\.10\.0a1"
    with pytest.raises(MissingExtraError, match=found), needs("it", "it", "it", "frame>=2.11"):
        raise ImportError("what an old package lacks")


def test_a_missing_distribution_is_named():
    missing = "surely-missing"
    with pytest.raises(MissingExtraError) as caught:
        with needs("the adapter", missing, "frame", f"{missing}>=1"):
            pass
    expected = "the adapter needs surely-missing: pip install 'mijnlieff[frame]'"
    assert str(caught.value) == expected


PACKAGE = Path(mijnlieff.__file__).parent
ADAPTERS = [
    f"mijnlieff.integrations.{path.stem}"
    for path in sorted((PACKAGE / "integrations").iterdir())
    if not path.name.startswith("_")
    and path.name != "text"  # which needs no framework
    and (path.suffix == ".py" or (path / "__init__.py").exists())
] + ["mijnlieff.jax"] * (PACKAGE / "jax").exists()
FRAMEWORKS = (
    "jax",
    "minari",
    "open_spiel",
    "openenv",
    "pgx",
    "pufferlib",
    "pyspiel",
    "ray",
    "sb3_contrib",
    "stable_baselines3",
    "tensordict",
    "textarena",
    "tianshou",
    "torchrl",
    "verifiers",
)


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters_without_their_framework_say_how_to_install_it(name, monkeypatch):
    for framework in FRAMEWORKS:
        for loaded in [it for it in sys.modules if it.partition(".")[0] == framework]:
            monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setitem(sys.modules, framework, None)
    for loaded in [it for it in sys.modules if f"{it}.".startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    with pytest.raises(MissingExtraError) as caught:
        importlib.import_module(name)
    command = re.search(r"pip install (?:--upgrade )?'mijnlieff\[([\w-]+)\]'$", str(caught.value))
    assert command, caught.value
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert command[1] in project["project"]["optional-dependencies"]


@pytest.mark.parametrize(
    ("packages", "command", "extra"),
    [
        ("shtab", "dev completion bash", "terminal"),
        ("tornado tornado.httpserver", "play --browser", "browser"),
    ],
)
def test_commands_without_a_package_say_how_to_install_it(packages, command, extra):
    error = error_without(packages, *command.split())
    assert f"pip install 'mijnlieff[{extra}]'" in error
