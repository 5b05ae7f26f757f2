"""Whole runs of training on many boards."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from mijnlieff import Board, Network, NetworkPolicy, Position, SelfPlay, Variant, load_policy
from mijnlieff._mijnlieff import random_openings
from mijnlieff.cli.main import main
from mijnlieff.encoding import mask_batch
from mijnlieff.errors import CheckpointError, PolicyError, TrainingError
from mijnlieff.train import Boards, Budget, train
from mijnlieff.train.config import CURVE_OPPONENTS
from mijnlieff.train.report.rows import flat_row
from mijnlieff.train.run.boards_report import report_boards
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import export_checkpoint
from mijnlieff.train.run.run import _are_same_boards, _in_words
from tiny_runs import TINY_OPTIONS, TWO_BLOCKS, quiet, resumed, tiny, weights
from tools.pages import generalist
from tools.results import read_results, write_results


def run(folder, games=48, boards=None, **options):
    settings = options.pop("settings", {})
    return train(
        tiny(many_boards=True, **settings),
        Budget(games=games),
        folder,
        boards=boards or Boards.split(TWO_BLOCKS, 0.3),
        device="cpu",
        tensorboard=False,
        on_report=quiet,
        **options,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return folder, run(folder)


def test_a_run_grades_on_seen_and_unseen_boards(finished):
    folder, state = finished
    assert {name: grade["boards"] for name, grade in state.curve[-1]["grades"].items()} == {
        "seen": 2,
        "unseen": 1,
    }
    assert set(state.curve[-1]["scores"]) == set(CURVE_OPPONENTS)
    assert flat_row(state.log[-1])["grade_unseen"] == state.curve[-1]["grades"]["unseen"]["optimal"]
    assert (folder / "curve.png").read_bytes()[:4] == b"\x89PNG"
    listed = json.loads((folder / "boards.json").read_text())
    assert Boards.from_dict(listed) == Boards.split(TWO_BLOCKS, 0.3)
    header, *rows = (folder / "progress.csv").read_text().splitlines()
    assert "grade_unseen_low" in header
    assert {line.count(",") for line in rows} == {header.count(",")}


def test_the_same_settings_give_the_same_run(finished, tmp_path):
    folder, _ = finished
    run(tmp_path)
    assert weights(tmp_path) == weights(folder)


def test_runs_that_continue_from_one_checkpoint_are_equal(finished, tmp_path):
    folder, _ = finished
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for file in ("checkpoint.pt", "log.jsonl", "graded.npz"):
            (tmp_path / name / file).write_bytes((folder / file).read_bytes())
        state = run(tmp_path / name, games=96, resume=True)
        assert state.log[-1]["games"] == 96
    assert weights(tmp_path / "a") == weights(tmp_path / "b") != weights(folder)


GRADE = {"boards": 2, "optimal": 0.5, "low": None, "high": None}


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        (5, "grades must be an object or null, not 5"),
        ({"seen": 5}, "seen in grades must be an object, not 5"),
        (
            {"seen": GRADE | {"optimal": None}},
            "optimal in grades for seen must be a number, not None",
        ),
        (
            {"seen": GRADE, "unseen": GRADE | {"low": "0"}},
            "low in grades for unseen must be a number, not '0'",
        ),
    ],
)
def test_damaged_grades_are_named(grades, message, finished, tmp_path):
    folder, _ = finished
    checkpoint, log = (tmp_path / name for name in ("checkpoint.pt", "log.jsonl"))
    for file in (checkpoint, log):
        file.write_bytes((folder / file.name).read_bytes())
    first, *_ = log.read_text().splitlines()
    log.write_text(f"{json.dumps(json.loads(first) | {'grades': grades})}\n")
    before = log.read_bytes()
    with pytest.raises(TrainingError, match=rf"log.jsonl is damaged in line 1 \({message}"):
        run(tmp_path, games=96, resume=True)
    assert log.read_bytes() == before

    content = torch.load(checkpoint, weights_only=True)
    content["curve"][-1]["grades"] = grades
    torch.save(content, checkpoint)
    with pytest.raises(CheckpointError, match=f"checkpoint.pt is inconsistent: {message}"):
        load_policy(checkpoint)


def test_a_resumed_run_must_have_the_same_boards(finished):
    folder, _ = finished
    with pytest.raises(CheckpointError, match="trained on 2 boards"):
        run(folder, resume=True, boards=Boards.split(TWO_BLOCKS, 0.3, seed=1))
    with pytest.raises(CheckpointError, match="trained on 2 boards"):
        train(tiny(many_boards=True), Budget(games=1), folder, resume=True, on_report=quiet)


def test_a_loaded_policy_plays_on_unseen_boards_and_on_several_at_once(finished):
    folder, _ = finished
    boards = Boards.split(TWO_BLOCKS, 0.3)
    positions = [one for variant in boards.all for one in random_openings(3, 2, variant, 0)]
    for policy in (load_policy(folder), load_policy(f"{folder}:4")):
        actions = policy.act_batch(positions)
        for position, action in zip(positions, actions.tolist(), strict=True):
            assert position.action_mask()[action] == 1
            if policy.search is None:  # searches draw from new streams
                assert policy.act(position) == action
        assert policy.act_batch([]).tolist() == []
        with pytest.raises(PolicyError, match="boards that fit 4 x 4 cells"):
            policy.act(Position(Variant(Board.from_blocks([(2 * x, 0) for x in range(4)]))))
        with pytest.raises(PolicyError, match="copies"):
            policy.act(Position(Variant(boards.seen[0].board, copies=1)))
    drawing = NetworkPolicy(load_policy(folder).model, temperature=1.0)
    shares = drawing.action_probabilities(positions[:3])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert ((shares > 0) <= (mask_batch(positions[:3]) > 0)).all()


def test_a_search_on_many_boards_is_the_one_on_one_board(finished):
    """A Gumbel root, and no larger endings solved than in training (5 empty cells)."""
    policy = load_policy(f"{finished[0]}:4")
    assert "root='gumbel'" in repr(policy)
    assert policy.exact_endings == (5, 8)


def test_an_exported_network_plays_on_every_board(finished, tmp_path):
    file = tmp_path / "out.bin"
    network, _ = export_checkpoint(finished[0], file)
    boards = Boards.split(TWO_BLOCKS, 0.3)
    assert (network.variant, network.canvas, network.copies) == (None, boards.canvas, 2)
    assert network == Network.load(file)
    positions = [one for variant in boards.all for one in random_openings(5, 3, variant, 1)]
    actions = network.choose(positions, 0.0, 0, 0)
    assert (actions == load_policy(finished[0]).act_batch(positions)).mean() > 0.9
    games = SelfPlay(network, variants=boards.all, observation="planes", num_simulations=2)
    assert games.play(3).statistics.games == 3


def test_a_run_does_not_depend_on_the_workers_of_an_executor(tmp_path):
    for workers in (1, 2):
        with ThreadPoolExecutor(workers) as executor:
            state = run(tmp_path / str(workers), executor=executor, blocks=3)
        assert state.log[-1]["policy_lag"] == 1
    assert weights(tmp_path / "1") == weights(tmp_path / "2")


def test_bad_combinations_are_refused(tmp_path):
    boards = Boards.split(TWO_BLOCKS, 0.3)
    budget = Budget(games=1)
    with pytest.raises(ValueError, match="variant and boards"):
        train(tiny(many_boards=True), budget, tmp_path, variant=Variant(), boards=boards)
    with pytest.raises(ValueError, match="ppo"):
        train(tiny("ppo"), budget, tmp_path, boards=boards)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_graded_on_boards_held_out_if_there_are_none(tmp_path):
    state = run(tmp_path, games=16, boards=Boards.split(TWO_BLOCKS, 0))
    assert list(state.curve[-1]["grades"]) == ["seen"]


def test_larger_boards_are_learned_too(tmp_path):
    """Boards of 20 cells are solved where few are empty."""
    state = run(
        tmp_path,
        games=8,
        boards=Boards.split(Board.arrangements(5)[-2:], 0),
        settings={"num_envs": 8, "graded_positions": 4},
    )
    assert state.curve[-1]["grades"]["seen"]["positions"] >= 2


def test_the_command_trains_and_prints_tables(tmp_path, capfd):
    options = [f"--boards={TWO_BLOCKS}", "--holdout=0.3", "--games=16", "--graded-positions=8"]
    out = str(tmp_path / "run")
    assert main(["train", *TINY_OPTIONS, *options, "--out", out]) == 0
    printed = capfd.readouterr().out
    assert "Grades by exact play, 1 unseen boards, " in printed
    assert max(map(len, printed.partition("\nLearning")[0].splitlines()[2:])) < 80
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert set(report["grades"]["minimax:4"]) == {"seen", "unseen"}
    assert set(report["scores"]["unseen"]) == set(CURVE_OPPONENTS)
    assert "##" in (tmp_path / "run" / "report.md").read_text()
    tables = tables_of(tmp_path / "run", tmp_path / "docs")
    for group in ("seen", "unseen"):
        assert "| minimax:4 |" in tables[f"results/generalist/{group}.md"]
        assert f"{group} boards" in tables["results/generalist/matches.md"]
    assert "##" in tables["results/generalist/held_out.md"]
    assert main(["train", "--resume", "--out", out, "--boards", "arrangements:2"]) == 1
    assert "a resumed run keeps its boards" in capfd.readouterr().err


def test_boards_that_differ_are_named():
    boards = Boards.split("arrangements:3", 0.3, seed=0)
    others = [Boards.split("arrangements:3", 0.3, seed=seed) for seed in range(1, 4)]
    other = next(one for one in others if one.seen != boards.seen)
    before, asked = _in_words(boards, other)
    assert before != asked and before.startswith(str(boards)) and asked.startswith(str(other))
    assert _are_same_boards(boards, Boards(boards.seen, boards.unseen))  # however they were chosen
    before, asked = _in_words(boards, {"holdout": 0.5})
    assert (before, asked) == (f"{boards}, holdout 0.3", "holdout 0.5")


def test_the_final_tables_show_progress(finished, tmp_path, monkeypatch):
    shown = []

    @contextmanager
    def bar(total, unit, enabled):
        shown.append((unit, enabled))
        yield lambda count: None

    for module in ("grading", "match"):
        monkeypatch.setattr(f"mijnlieff.evaluation.{module}.progress_bar", bar)
    (tmp_path / "graded.npz").write_bytes((finished[0] / "graded.npz").read_bytes())
    trainer = resumed(RunFolder(finished[0]))
    report_boards(trainer, RunFolder(tmp_path), 2, 2)
    trainer.close()
    # Two players of the run and four others, and the matches on each group of boards.
    assert shown == [("positions", True)] * 6 + [("games", True)] * 2


def tables_of(folder, docs):
    """The tables of docs/generalist.md, made from the report of a run."""
    kept = docs / "results" / "generalist" / "report.json"
    write_results(kept, read_results(folder / "report.json"))
    made = generalist.files(docs)
    assert made.pop("generalist.svg").endswith("</svg>\n")
    return made


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ("--boards arrangements:2 --board standard", "--board and --boards"),
        ("--holdout 0.2", "--holdout needs --boards"),
        ("--boards arrangements:2 --holdout 0.99", "leaves no board"),
        ("--boards nothing", "unknown boards 'nothing'"),
        ("--boards arrangements:2 --algo ppo --holdout 0.5", "ppo"),
    ],
)
def test_contradicting_options_are_refused(options, part, tmp_path, capfd):
    assert main(["train", *options.split(), "--out", str(tmp_path / "run")]) != 0
    output, message = capfd.readouterr()
    assert part in message and not output
    assert not (tmp_path / "run").exists()
