"""Imports between modules: no circles, and optional packages only where they are expected."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mijnlieff

ROOT = Path(mijnlieff.__file__).parent

# Modules, or whole packages, that may import an optional package at module level. Everything else
# imports it inside a function, or not at all.
OPTIONAL = {
    "torch": {
        "mijnlieff.integrations.rllib",
        "mijnlieff.integrations.sb3.policy",
        "mijnlieff.integrations.torchrl",
        "mijnlieff.train.alphazero",
        "mijnlieff.train.network",
        "mijnlieff.train.play",
        "mijnlieff.train.ppo",
        "mijnlieff.train.process",
        "mijnlieff.train.run",
    },
    "matplotlib": {"mijnlieff.train.report.plot"},
    "pettingzoo": {"mijnlieff.envs.aec"},
    "tensordict": {"mijnlieff.integrations.torchrl"},
    "torchrl": {"mijnlieff.integrations.torchrl"},
    "ray": {"mijnlieff.integrations.ray", "mijnlieff.integrations.rllib"},
    "rich": set(),
    "shtab": set(),
    "anywidget": {"mijnlieff.widget.notebook"},
    "traitlets": {"mijnlieff.widget.notebook"},
    "tornado": {"mijnlieff.widget.server"},
    "IPython": set(),
    "stable_baselines3": {"mijnlieff.integrations.sb3"},
    "PIL": set(),
    "pufferlib": {"mijnlieff.integrations.pufferlib"},
    "pyspiel": {"mijnlieff.integrations.open_spiel"},
    "open_spiel": {"mijnlieff.integrations._open_spiel_policy"},
    "pygame": set(),
    "tensorboard": set(),
    "jax": {"mijnlieff.jax"},
    "textarena": {"mijnlieff.integrations.textarena"},
    "openenv": {"mijnlieff.integrations.openenv"},
    "minari": {"mijnlieff.integrations.minari"},
    "pyarrow": set(),
    "verifiers": {"mijnlieff.integrations.verifiers"},
    "pydantic": {"mijnlieff.integrations.openenv", "mijnlieff.integrations.verifiers"},
    "httpx": {"mijnlieff.integrations.verifiers"},
    "pgx": {"mijnlieff.jax"},
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
NATIVE = "mijnlieff._mijnlieff"


def is_for_types_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def top_level_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Import statements that run when the module is imported, also those within if and try."""
    found, waiting = [], list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.orelse if is_for_types_only(node) else ast.iter_child_nodes(node)
            waiting += [child for child in body if isinstance(child, ast.stmt | ast.excepthandler)]
    return found


def imported(name: str) -> set[str]:
    """Full names of the modules whose import the module asks for."""
    names = set()
    for node in top_level_imports(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            continue
        assert node.level == 0  # ruff sees to it
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            names.add(inner if inner in MODULES or inner == NATIVE else node.module)
    return names


IMPORTS = {name: imported(name) for name in MODULES}


def circle_from(start: str, imports: dict[str, set[str]]) -> list[str] | None:
    """A path of imports that leads from a module back to it."""
    paths, seen = [[start]], set()
    while paths:
        path = paths.pop()
        for name in sorted(imports.get(path[-1], ())):
            if name == start:
                return [*path, name]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return None


def test_the_walk_sees_imports():
    """Samples of each form, so that the tests below cannot pass by seeing nothing."""
    assert len(MODULES) > 50
    assert "mijnlieff.train.settings" in IMPORTS["mijnlieff.train.config"]
    assert "mijnlieff.errors" in IMPORTS["mijnlieff"]  # from mijnlieff import errors
    assert "torch" in IMPORTS["mijnlieff.train.network.trunk"]  # import torch
    assert "mijnlieff.render.to_svg" in IMPORTS["mijnlieff.render"]  # from ... import ...
    assert "mijnlieff" not in IMPORTS["mijnlieff.train"]  # for types only
    assert "IPython" not in IMPORTS["mijnlieff.train.report.live"]  # in a function
    assert "msvcrt" in IMPORTS["mijnlieff.train.run.lock"]  # in an if


def test_the_search_finds_circles():
    chain = {"a": {"b", "x"}, "b": {"c"}, "c": {"y"}}
    assert circle_from("a", chain) is None
    assert circle_from("a", chain | {"c": {"y", "a"}}) == ["a", "b", "c", "a"]
    assert circle_from("a", {"a": {"b"}, "b": {"c"}, "c": {"b"}}) is None  # one that avoids it


def test_no_modules_import_each_other():
    """Nor longer circles. A package may import its own files; they do not import from it in turn,
    since they would find it half loaded.
    """
    circles = [circle for name in MODULES if (circle := circle_from(name, IMPORTS))]
    assert circles == []


def folder_of(name: str, parent: str) -> str | None:
    """The folder or module right below a package that a module belongs to."""
    rest = name.removeprefix(f"{parent}.")
    return rest.partition(".")[0] if rest != name else None


@pytest.mark.parametrize("parent", ["mijnlieff", "mijnlieff.train"])
def test_folders_import_one_way(parent):
    """Also where no two modules do, since a reader goes from folder to folder."""
    imports: dict[str, set[str]] = {}
    for name, others in IMPORTS.items():
        if folder := folder_of(name, parent):
            found = {folder_of(other, parent) for other in others} - {None, folder}
            imports.setdefault(folder, set()).update(found)
    assert len(imports) > 5
    circles = [circle for name in imports if (circle := circle_from(name, imports))]
    assert circles == []


def test_nobody_inside_imports_the_face():
    """The package's own modules import from where a name is made; `mijnlieff` is for users."""
    importers = [name for name in MODULES if name != "mijnlieff" and "mijnlieff" in IMPORTS[name]]
    assert importers == []


NEEDS_TORCH = 'pytest.importorskip("' + 'torch")'


def test_files_and_tests_that_need_pytorch_have_its_marker():
    """`make test-train` runs what is marked; `make test-notebooks` has the notebooks."""
    paths = [path for path in Path(__file__).parents[1].rglob("test_*.py")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    need = {name for name, text in texts.items() if NEEDS_TORCH in text} - {"test_notebooks_run.py"}
    assert len(need) > 5
    whole = {name for name, text in texts.items() if "\npytestmark = pytest.mark.torch\n" in text}
    assert whole <= need
    # Where a file is not marked as a whole, each test that needs PyTorch is.
    for name in need - whole:
        lines = texts[name].splitlines()
        marks, needs = lines.count("@pytest.mark.torch"), texts[name].count(NEEDS_TORCH)
        assert marks == needs, name


@pytest.mark.parametrize("package", OPTIONAL)
def test_optional_packages_are_imported_where_they_are_expected(package):
    importers = {
        name
        for name, others in IMPORTS.items()
        if any(other.partition(".")[0] == package for other in others)
    }
    expected = {
        name
        for name in MODULES
        if any(f"{name}.".startswith(f"{folder}.") for folder in OPTIONAL[package])
    }
    assert importers <= expected
    for folder in OPTIONAL[package]:  # an entry that is no longer needed
        assert any(f"{name}.".startswith(f"{folder}.") for name in importers), folder


# Imports each module as the first of the package, in a child of a process that has loaded only
# other packages.
FIRST = """
import importlib, os, sys
for package in ("numpy", "gymnasium", "pettingzoo", "torch", "matplotlib.figure"):
    try:
        importlib.import_module(package)
    except ImportError:
        pass
failed = []
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(name)
assert "mijnlieff" not in sys.modules
sys.exit(len(failed))
"""


def needed_packages(name: str) -> set[str]:
    """Top-level packages that load when the module is imported, and so the packages it is in."""
    seen, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        parent = module.rpartition(".")[0]
        for other in IMPORTS.get(module, set()) | ({parent} & MODULES.keys()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return {other.partition(".")[0] for other in seen}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows cannot fork")
def test_every_module_can_be_imported_first():
    missing = {package for package in OPTIONAL if importlib.util.find_spec(package) is None}
    names = [name for name in MODULES if not needed_packages(name) & missing]
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIRST, *names],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert len(names) > 40
