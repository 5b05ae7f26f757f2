"""tools/release/test_frameworks.py: what its rows install and test, and what its table tells."""

from __future__ import annotations

import configparser
import re
import sys

import pytest

from processes import ROOT
from tools.release import test_frameworks as tool


def test_rows_install_the_package_and_its_extras():
    rows = {row.name: row for row in tool.ENVIRONMENTS}
    assert len(rows) == len(tool.ENVIRONMENTS)
    for row in rows.values():
        found = tool.requirements(row)
        names = [re.split(r"[\[<>=]", requirement)[0] for requirement in found]
        assert {"numpy", "gymnasium", "pytest", "pytest-timeout"} <= set(names)
        assert set(row.shown) & set(names)  # others come with those
        assert not any("mijnlieff" in requirement for requirement in found)
        assert all((ROOT / "tests" / "python" / name).exists() for name in row.more_tests)


def test_the_oldest_versions_are_the_minimum_versions():
    rows = {row.name: row for row in tool.ENVIRONMENTS}
    for package in ("gymnasium", "pettingzoo"):
        row = rows[f"{package}-oldest"]
        (minimum,) = {
            re.match(rf"{package}>=([\d.]+)", requirement)[1]
            for requirement in tool.requirements(row)
            if requirement.startswith(f"{package}>=")
        }
        assert any(pin.startswith(f"{package}=={minimum}") for pin in row.pins)
        assert f"{package}-newest" in rows


def test_every_adapter_has_a_row():
    folder = ROOT / "python" / "mijnlieff" / "integrations"
    # text needs no framework, and is tested in tests/python.
    adapters = {path.stem for path in folder.iterdir() if not path.name.startswith("_")} - {"text"}
    assert adapters and adapters <= {row.framework for row in tool.ENVIRONMENTS}


def rows_named_in(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    (names,) = re.findall(r'test-frameworks FRAMEWORKS="(.*)"', text)
    return tool.choose(names.split())


def test_ci_names_rows():
    oldest_and_newest = {
        f"{package}-{age}"
        for package in ("gymnasium", "pettingzoo")
        for age in ("oldest", "newest")
    }
    chosen = {row.name for row in rows_named_in(".ci/run")}
    assert oldest_and_newest | {"sb3", "open_spiel"} <= chosen


def test_the_workflow_names_all_rows():
    assert rows_named_in(".github/workflows/test.yml") == list(tool.ENVIRONMENTS)


def test_names_choose_rows():
    assert tool.choose([]) == list(tool.ENVIRONMENTS)
    assert [row.name for row in tool.choose(["jax", "pettingzoo-oldest"])] == [
        "pettingzoo-oldest",
        "jax",
    ]
    with pytest.raises(SystemExit, match="unknown framework 'sb4'; choose agilerl, gymnasium"):
        tool.choose(["sb3", "sb4"])


def test_every_test_file_belongs_to_a_row():
    rows = {row.framework: tool.own_tests(row) for row in tool.ENVIRONMENTS}
    found = [path for paths in rows.values() for path in paths if (ROOT / path).exists()]
    files = (ROOT / "tests" / "frameworks").glob("test_*.py")
    assert sorted(found) == sorted(path.relative_to(ROOT) for path in files)
    assert [path.stem for path in rows["rllib"]] == ["test_rllib", "test_rllib_modules"]


def test_tests_find_the_helpers_of_the_tests_of_the_package():
    folder = ROOT / "tests" / "frameworks"
    settings = configparser.ConfigParser()
    settings.read(folder / "pytest.ini")
    shared = (folder / settings["pytest"]["pythonpath"]).resolve()
    helpers = {path.stem: path for path in (ROOT / "tests" / "python").rglob("*.py")}
    used = 0
    for file in folder.glob("*.py"):
        for name in re.findall(r"^(?:from|import) (\w+)", file.read_text("utf-8"), re.MULTILINE):
            if name in helpers:
                assert helpers[name].parent == shared, (file, name)
                used += 1
    assert used


def test_a_missing_test_file_is_a_failure():
    row = tool.Environment("new", "new_framework", (), ())
    (line,) = tool.check("no uv", row, sys.executable)
    assert (line.check, line.result, line.failed) == ("test_new_framework", "missing", True)


def test_an_installation_that_fails_is_a_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "FOLDER", tmp_path)
    row = tool.Environment("old", "gymnasium", (), ())
    (line,) = tool.check(str(tmp_path / "no uv"), row, sys.executable)
    assert (line.check, line.result, line.failed) == ("install", "failed", True)


REPORT = """<testsuites><testsuite>
<testcase classname="tests.frameworks.test_a" name="test_one[x]" time="1.5"/>
<testcase classname="tests.frameworks.test_a" name="test_one[y]" time="1"><failure/></testcase>
<testcase classname="tests.frameworks.test_a" name="test_two" time="0"><skipped/></testcase>
<testcase classname="tests.python.envs.test_env" name="test_one" time="1"/>
<testcase classname="tests.python.envs.test_env" name="test_two[z]" time="2"/>
<testcase classname="" name="tests.frameworks.test_b" time="0"><error/></testcase>
</testsuite></testsuites>"""


def test_the_table_takes_parameters_and_files_together(tmp_path, capsys):
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    found = list(tool.read_report(path))
    assert found == [
        ("test_one", "1 failed, 1 passed", 2.5, True),
        ("test_two", "1 skipped", 0.0, False),
        ("test_env", "2 passed", 3.0, False),
        ("test_b (import)", "1 failed", 0.0, True),
    ]
    tool.print_table([tool.Check("a", "a 1.0", "3.11.7", *row) for row in found])
    head, first, second, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["environment", "versions", "Python", "check", "result", "s"]
    assert first.split()[:4] == ["a", "a", "1.0", "3.11.7"]
    assert second.startswith("  ") and second.index("test_two") == first.index("test_one")
