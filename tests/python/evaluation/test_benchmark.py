from __future__ import annotations

import hashlib
import importlib.util
import json
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

import mijnlieff
from mijnlieff import GreedyPolicy, PerfectPolicy, Variant, benchmark, errors, grade, solve_batch
from mijnlieff.cli.main import main
from mijnlieff.evaluation.benchmark_file import SOURCES, Entry, read_benchmark, write_benchmark
from mijnlieff.evaluation.canonical import canonical_keys
from processes import ROOT
from tools.data import benchmark as tool

module = importlib.import_module("mijnlieff.evaluation.benchmark")
NAMES = ["standard-v1", "irregular-v1"]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_the_published_one(name: str) -> None:
    content = (files("mijnlieff") / "data" / f"{name}.bin").read_bytes()
    frozen = benchmark(name)
    assert set(frozen.sources.tolist()) == {"random play", "minimax 2", "strong play"}
    assert frozen.checksum == hashlib.sha256(content).hexdigest()
    assert frozen.checksum in (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")
    assert len(content) < 200_000


@pytest.mark.parametrize("name", NAMES)
def test_positions_are_balanced_and_distinct(name: str) -> None:
    frozen = benchmark(name)
    recipe = tool.RECIPES[name]
    cells = Counter(
        (position.variant, position.ply, source, bool(decisive))
        for position, source, decisive in zip(
            frozen.positions, frozen.sources.tolist(), frozen.decisive, strict=True
        )
    )
    assert set(cells.values()) == {recipe.count}
    assert len(cells) == len(recipe.variants) * len(recipe.plies) * 3 * 2
    assert len(frozen) == sum(cells.values())
    for variant in recipe.variants:
        positions = [position for position in frozen.positions if position.variant == variant]
        assert len(set(canonical_keys(positions))) == len(positions)
    assert all(len(position.legal_actions()) > 1 for position in frozen.positions)


@pytest.mark.parametrize("name", NAMES)
def test_margins_are_those_of_the_solver(name: str) -> None:
    frozen = benchmark(name)
    late = [i for i, position in enumerate(frozen.positions) if position.ply >= 7][::23]
    by_variant: dict[Variant, list[int]] = {}
    for i in late:
        by_variant.setdefault(frozen.positions[i].variant, []).append(i)
    for rows in by_variant.values():
        solved = solve_batch([frozen.positions[i] for i in rows])
        np.testing.assert_array_equal(frozen.solutions.margins[rows], solved.margins)
        np.testing.assert_array_equal(frozen.solutions.action_margins[rows], solved.action_margins)
        np.testing.assert_array_equal(frozen.solutions.action_mask[rows], solved.action_mask)
    worst = np.where(frozen.solutions.action_mask, frozen.solutions.action_margins, 99).min(axis=1)
    differs = np.sign(worst) < np.sign(frozen.solutions.margins)
    np.testing.assert_array_equal(frozen.decisive, differs)


def test_the_tool_makes_the_same_positions() -> None:
    frozen = benchmark("standard-v1")
    recipe = tool.RECIPES["standard-v1"]
    first = list(tool.bucket("standard-v1", recipe, 0, 4, 0, set()))
    positions = [mijnlieff.Position.from_actions(entry.actions) for entry in first]
    assert tuple(positions) == frozen.positions[: 2 * recipe.count]
    assert [position.last_action for position in positions] == [
        position.last_action for position in frozen.positions[: 2 * recipe.count]
    ]
    content = write_benchmark(recipe.variants, first)
    assert (files("mijnlieff") / "data" / "standard-v1.bin").read_bytes().startswith(content)


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_is_graded_on_all_positions(name: str) -> None:
    report = grade(PerfectPolicy() if name == "standard-v1" else GreedyPolicy(), name)
    frozen = benchmark(name)
    assert report.benchmark == name and report.to_dict()["benchmark"] == name
    assert report.total.positions == len(frozen)
    assert report.total.decisive == frozen.decisive.sum() == len(frozen) // 2
    assert list(report.by_source) == list(SOURCES)
    assert (report.total.optimal == 1) == (name == "standard-v1")
    assert f"{len(frozen)} positions of {name}" in str(report)


@pytest.mark.parametrize("policy", ["champion", "random"])
def test_a_grade_is_the_same_in_parts(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = grade(policy, "standard-v1")
    monkeypatch.setattr("mijnlieff.evaluation.grading._CHUNK", 100)
    assert grade(policy, "standard-v1") == whole


def test_a_file_is_read_as_it_was_written() -> None:
    variants = [Variant(), Variant(mijnlieff.Board.from_text("##.\n###"), "anywhere", 1)]
    entries = [
        Entry(0, 2, (), tuple(range(-24, 24))),
        Entry(
            1, 0, (6,), tuple(range(mijnlieff.Position(variants[1]).play(6).action_mask().sum()))
        ),
        Entry(0, 1, (0,), (-1,) * int(mijnlieff.Position().play(0).action_mask().sum())),
    ]
    content = write_benchmark(variants, entries)
    assert read_benchmark(content) == (variants, entries)
    assert content.startswith(b"MIJNBNCH\x02") and b"anywhere 1 ##./###" in content


def test_every_caller_gets_arrays_that_cannot_change() -> None:
    frozen = benchmark("irregular-v1")
    assert frozen is benchmark("irregular-v1")
    solutions = frozen.solutions
    for array in (frozen.boards, frozen.sources, solutions.action_margins, solutions.action_mask):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    said = f"<Benchmark irregular-v1: 1920 positions, SHA-256 {frozen.checksum}>"
    assert repr(frozen) == said


def test_wrong_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="unknown benchmark 'standard'; choose one of standard-v1"):
        benchmark("standard")
    with pytest.raises(ValueError, match="unknown benchmark 'easy'"):
        grade("random", "easy")
    with pytest.raises(ValueError, match="not both"):
        grade("random", "standard-v1", variant=Variant())
    with pytest.raises(ValueError, match="read-only"):
        benchmark("standard-v1").solutions.margins[0] = 1
    monkeypatch.setattr(module, "package_data", lambda name: b"other")
    with pytest.raises(errors.BenchmarkError, match="standard-v1 is damaged"):
        benchmark.__wrapped__("standard-v1")


def test_the_command_grades_on_a_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "greedy", "--positions", "standard-v1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["benchmark"] == "standard-v1"
    assert main(["grade", "greedy"]) == 0
    *_, others = capsys.readouterr().out.splitlines()
    assert others.startswith("optimal on standard-v1, others: random 40.7%, greedy 47.4%, ")
    assert main(["grade", "greedy", "--positions", "9"]) == 0
    assert "others" not in capsys.readouterr().out
    assert main(["grade", "greedy", "--positions", "standard"]) == 2
    assert "choose one of standard-v1" in capsys.readouterr().err
    assert main(["grade", "greedy", "--positions", "standard-v1", "--copies", "2"]) == 2
    assert main(["grade", "greedy", "--positions", "2"]) == 2
