"""The tables and plots of the website are those that the kept results give."""

from __future__ import annotations

import re
import statistics

import pytest

pytest.importorskip("matplotlib")

import matplotlib

from tools.pages import baselines
from tools.pages.__main__ import PAGES
from tools.pages.baselines_plots import by_name, shown
from tools.pages.numbers import percent
from tools.pages.training_runs import measured as runs_of
from tools.results import DOCS, RESULTS, read_results

INCLUDED = re.compile(r"^```\{include\} (results/.*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {name: text for page in PAGES for name, text in page.files(DOCS).items()}


def test_the_kept_files_are_those_that_are_made(made):
    for name, text in made.items():
        kept = (DOCS / name).read_text("utf-8")
        drawn_by = re.search(r"Matplotlib v([\d.]+)", kept)
        if drawn_by is None or drawn_by[1] == matplotlib.__version__:  # another one draws otherwise
            assert kept == text, f"{name} differs from what the results give: make pages"


def test_every_table_that_is_made_is_on_a_page(made):
    included = [
        name for page in DOCS.glob("*.md") for name in INCLUDED.findall(page.read_text("utf-8"))
    ]
    tables = sorted(name for name in made if name.endswith(".md"))
    kept = sorted(path.relative_to(DOCS).as_posix() for path in RESULTS.rglob("*.md"))
    assert sorted(included) == tables == kept


def ended(mode: str, minutes: int, device: str | None = None) -> list[float]:
    """Return the shares of optimal moves of networks alone, at the ends of their runs."""
    return [
        run.content["curve"][-1]["alone"]
        for run in runs_of(RESULTS / "training")
        if (run.mode, run.minutes, run.device) == (mode, minutes, device)
    ]


def words_of(name: str) -> str:
    return " ".join((DOCS / name).read_text("utf-8").split())


def test_what_to_remember_of_the_baselines_has_the_figures_of_the_results():
    rows = baselines.measured(RESULTS / "baselines")
    means = {
        name: statistics.fmean(row["grade"]["optimal"] for row in group)
        for name, group in by_name(rows).items()
    }
    best = max(set(means) - {"perfect"}, key=means.__getitem__)
    guarded = [row for row in rows if row.get("worst") and row["worst"]["horizon"] is None]
    unbeaten = sorted({row["name"] for row in guarded if row["worst"]["margin"] > 0})
    losses = [-row["worst"]["margin"] for row in guarded if row["facts"]]
    text = words_of("baselines.md")
    assert f"optimal move {percent(means['random'])} of the time" in text
    assert f"a search of 6 plies {percent(means['minimax:6'])}" in text
    assert f"the best baseline here, `{shown(best)}`, {percent(means[best])}" in text
    alone = max((name for name in means if "sims" not in name and "min" in name), key=means.get)
    assert f"the best network alone in these tables, `{alone}`, {percent(means[alone])}" in text
    hour, on_a_gpu = ended("exact", 60), ended("exact", 10, "cuda")
    assert f"[{percent(max(hour))} after an hour on two cores]" in text
    assert f"[{percent(max(on_a_gpu))} on a GPU]" in text
    assert f"only {' and '.join(f'`{shown(name)}`' for name in unbeaten)} never give away" in text
    assert f"by {min(losses)} to {max(losses)} points" in text


def test_the_pages_agree_on_ten_minutes_with_exact_labels():
    shares = ended("exact", 10)
    mean = percent(statistics.fmean(shares))
    low, high = (f"{100 * bound:.1f}" for bound in (min(shares), max(shares)))
    assert f"on two cores have {mean} alone ({low} to {high})" in words_of("training.md")
    assert f"give {mean} alone instead of" in words_of("baselines.md")
    assert f"Ten minutes with exact labels give {mean} (" in words_of("guides/evaluating.md")
    assert f"finds {high} % (" in words_of("champion.md")
    rounded = f"{100 * statistics.fmean(shares):.0f} % optimal"
    assert f"{rounded} moves by the network alone" in words_of("../README.md")
    assert f"{rounded} in ten minutes" in words_of("index.md")


def test_the_census_has_the_counts_of_a_walk_through_the_first_plies():
    census, walked = (
        read_results(RESULTS / "solution" / f"{name}.json") for name in ("census", "solution")
    )
    assert census.keys() - {"facts"} == walked["positions"].keys()
    for opening, counts in walked["positions"].items():
        assert len(counts) >= 7
        found = [sum(ply) for ply in census[opening]["margins"]]
        assert found[: len(counts)] == counts
