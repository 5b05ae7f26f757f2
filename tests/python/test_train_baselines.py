"""The tool that writes docs/baselines.md, at a small size."""

from __future__ import annotations

import importlib.util
import sys
from functools import partial

import pytest

pytest.importorskip("torch")

NETWORK = "alphazero exact, 0.001 min"


@pytest.fixture
def tool(tools_on_path, monkeypatch, tmp_path):
    import baseline_measures
    import baseline_players
    import make_baselines

    monkeypatch.setattr(baseline_measures, "HORIZONS", (1, 1))
    monkeypatch.setattr(baseline_players, "LABEL_GAMES", 30)
    monkeypatch.setattr(baseline_players, "CLONING_MINUTES", 0.001)
    monkeypatch.setattr(baseline_players, "SB3_STEPS", 20 * 32 * 256)
    monkeypatch.setattr(make_baselines, "PAGE", tmp_path / "page.md")
    plots = {name: tmp_path / path.name for name, path in make_baselines.PLOTS.items()}
    monkeypatch.setattr(make_baselines, "PLOTS", plots)
    wanted = [
        one
        for one in baseline_players.baselines([0.001], [0, 1], tmp_path / "trained", 2)
        if one.name in ("random", "minimax:1", "labels", NETWORK) or one.name.startswith("sb3")
    ]
    monkeypatch.setattr(make_baselines, "baselines", lambda *_: wanted)
    return make_baselines


def test_the_page_shows_what_is_finished_and_names_the_rest(tool, monkeypatch, tmp_path, capsys):
    run = tmp_path / "runs"
    line = ["make_baselines.py", "--runs", str(run), "--games", "2"]
    monkeypatch.setattr(sys, "argv", line)
    tool.main()
    page = (tmp_path / "page.md").read_text()
    grades = page[page.index("## Grades") : page.index("## Ratings")]
    seeds = {name: f"| `{name}` | 2 |" for name in ("labels", NETWORK)}
    assert all(row in grades for row in seeds.values()) and "| `random` | 1 | 40.7 %" in grades
    assert "| `random` |" in page[page.index("## Ratings") :]
    assert "mijnlieff train --minutes 0.001 --knowledge exact --network cells" in page
    assert page.count(".svg)") == 2 and all(path.exists() for path in tool.PLOTS.values())
    has_sb3 = importlib.util.find_spec("sb3_contrib") is not None
    assert ("Not measured yet: `sb3 MaskablePPO` (seed 0 and 1)." in page) == (not has_sb3)
    assert has_sb3 or "mijnlieff[sb3]" in capsys.readouterr().out

    # A part can be made alone, without the page or without the worst cases.
    monkeypatch.setattr(sys, "argv", [*line, "--players", "minimax:9"])
    with pytest.raises(SystemExit):
        tool.main()
    assert "unknown players ['minimax:9']; choose from random, minimax:1" in capsys.readouterr().err
    (tmp_path / "page.md").unlink()
    monkeypatch.setattr(sys, "argv", [*line, "--players", "random", "--no-page"])
    tool.main()
    assert capsys.readouterr().out == "random\n" and not (tmp_path / "page.md").exists()
    other = ["--runs", str(tmp_path / "others"), "--games", "2", "--players", "random", "minimax:1"]
    monkeypatch.setattr(sys, "argv", ["make_baselines.py", *other, "--no-worst"])
    tool.main()
    assert (tmp_path / "page.md").read_text().count("| not measured yet |") == 2

    # Nothing is made twice, and without making anything the page is the same.
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    monkeypatch.setattr(sys, "argv", [*line, "--only-page"])
    tool.main()
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()} == before
    assert (tmp_path / "page.md").read_text() == page


def test_a_damaged_run_is_not_hidden(tool, tmp_path):
    from baseline_players import Baseline, _built_in

    folder = tmp_path / "random"
    folder.mkdir()
    (folder / "measures.json").write_text("{")
    player = Baseline("random", None, partial(_built_in, "random"))
    with pytest.raises(ValueError, match="Expecting"):
        tool.measured([player], tmp_path, make=True, with_worst=True)
