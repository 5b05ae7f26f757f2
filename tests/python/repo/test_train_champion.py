"""The tool that makes the champion, at a small size."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

pytest.importorskip("torch")

from mijnlieff import ChampionPolicy, Network, NetworkPolicy, Position, solve
from mijnlieff.evaluation import random_openings
from tools.data import champion, champion_pool

pytestmark = pytest.mark.torch


def test_the_tool_writes_a_network_and_its_worst_cases(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(champion, "SIMULATIONS", (2, 1))
    out, log = tmp_path / "champion.bin", tmp_path / "log.jsonl"
    line = ["champion.py", "--out", str(out), "--log", str(log), "--games", "300"]
    line += ["--labels", str(tmp_path / "labels.npz"), "--samples", "20000", "--width", "16"]
    line += ["--rounds", "1", "--steps", "20", "--openings", "corner_straight"]
    monkeypatch.setattr(sys, "argv", line)
    with pytest.raises(SystemExit, match="after 1 rounds"):
        champion.main()
    assert not out.exists()  # it can still be beaten
    rounds = [Network.load(tmp_path / f"round-{number}.bin") for number in (0, 1)]
    assert rounds[0] != rounds[1]
    assert {(one.width, one.blocks) for one in rounds} == {(16, 3)}
    rows = [json.loads(row) for row in log.read_text().splitlines()]
    assert [(row["round"], row["seat"], row["simulations"]) for row in rows] == [
        (number, seat, simulations)
        for number in (0, 1)
        for seat in ("dark", "light")
        for simulations in (2, 1)
    ]
    assert [row["value"] for row in rows] == [1, 1, -1, -1] * 2
    assert all(row["wrong"] >= row["fatal"] > 0 for row in rows)
    assert "round 1: losses" in capsys.readouterr().out


def test_the_pool_settles_on_one_optimal_move():
    network = ChampionPolicy().model
    positions = [one for one in random_openings(60, 5, seed=2) if len(one.legal_actions()) > 1]
    margins = [solve(one).action_margins for one in positions]
    worst = np.array([min(row, key=row.__getitem__) for row in margins])
    best = np.array([max(row, key=row.__getitem__) for row in margins])
    for actions, is_wrong in ((best, False), (worst, True)):
        pool = champion_pool.Pool()
        met = champion_pool.Recorder(NetworkPolicy(network), list(positions), [actions])
        wrong, fatal = pool.add(met, -128, network)
        assert (wrong > 30) == is_wrong and fatal == 0
        count = len(positions)
        targets = pool.samples.targets[:count]
        assert (targets.max(axis=1) == 1).all() and (targets.sum(axis=1) == 1).all()
        turns = champion_pool.turns_of(positions)
        moved = champion_pool.MOVED[turns]
        chosen = (moved == targets.argmax(axis=1)[:, None]).argmax(axis=1)  # turned back
        for one, row, action in zip(positions, margins, chosen, strict=True):
            assert row[action] == solve(one).margin
        if is_wrong:
            assert len(pool) > count  # what follows a mistake is learned too
            assert pool.weights.max() == champion_pool.WRONG_WEIGHT
            pool.forget()
            assert pool.weights.max() < champion_pool.WRONG_WEIGHT
        else:
            assert (chosen == best).all()
            assert set(pool.weights) == {champion_pool.EARLY_WEIGHTS[11]}


def test_positions_that_a_symmetry_maps_to_each_other_are_kept_once():
    network = ChampionPolicy().model
    record, mirrored = "1. a1+, c1x", "1. d1+, b1x"
    positions = [Position.from_record(one) for one in (record, mirrored)]
    actions = [solve(one).best_actions[0] for one in positions]
    pool = champion_pool.Pool()
    for position, action in zip(positions, actions, strict=True):
        met = champion_pool.Recorder(NetworkPolicy(network), [position], [np.array([action])])
        assert pool.add(met, -128, network) == (0, 0)
    assert len(pool) == 1
    assert pool.samples.targets.sum() == 1  # the first choice stays the only target


def test_mistakes_that_cost_the_value_of_the_game_weigh_most():
    network = ChampionPolicy().model
    position = Position.from_record("1. a1+, d1+")
    solution = solve(position)
    row = solution.action_margins
    bad = min(row, key=row.__getitem__)
    assert row[bad] < solution.margin
    pool = champion_pool.Pool()
    met = champion_pool.Recorder(NetworkPolicy(network), [position], [np.array([bad])])
    assert pool.add(met, solution.margin, network) == (1, 1)
    before = champion_pool.EARLY_WEIGHTS[13]
    assert pool.weights[0] == before + champion_pool.FATAL_WEIGHT
    assert len(pool) == 1 + len(position.legal_actions())
    assert set(pool.weights[1:]) == {1 + champion_pool.AFTER_FATAL_WEIGHT}
    # A mistake that is made again weighs more.
    assert pool.add(met, solution.margin, network) == (1, 1)
    assert pool.weights[0] == before + 2 * champion_pool.FATAL_WEIGHT
    # With less to keep, the same move is wrong but not fatal.
    pool = champion_pool.Pool()
    assert pool.add(met, row[bad], network) == (1, 0)
