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
    text = " ".join((DOCS / "baselines.md").read_text("utf-8").split())
    assert f"optimal move {percent(means['random'])} of the time" in text
    assert f"a search of 6 plies {percent(means['minimax:6'])}" in text
    assert f"the best baseline here, `{shown(best)}`, {percent(means[best])}" in text
    alone = max((name for name in means if "sims" not in name and "min" in name), key=means.get)
    assert f"the best network alone, `{alone}`, {percent(means[alone])}" in text
    assert f"only {' and '.join(f'`{shown(name)}`' for name in unbeaten)} never give away" in text
    assert f"by {min(losses)} to {max(losses)} points" in text


def test_the_census_has_the_counts_of_a_walk_through_the_first_plies():
    census, walked = (
        read_results(RESULTS / "solution" / f"{name}.json") for name in ("census", "solution")
    )
    assert census.keys() - {"facts"} == walked["positions"].keys()
    for opening, counts in walked["positions"].items():
        assert len(counts) >= 7
        found = [sum(ply) for ply in census[opening]["margins"]]
        assert found[: len(counts)] == counts
