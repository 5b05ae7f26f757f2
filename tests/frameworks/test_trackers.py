"""Trackers of experiments, settings from files and sweeps: the page, and what it has written."""

from __future__ import annotations

import logging
import re
import sqlite3

import pytest
import yaml
from integration_pages import run_page

from mijnlieff import Network
from mijnlieff.train import TrainConfig


@pytest.fixture
def scope(tmp_path, monkeypatch):
    """What the blocks of the page define, run in an empty folder without network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    (tmp_path / "runs").mkdir()
    yield run_page("trackers.md")
    logging.shutdown()


def test_the_page_leaves_what_it_says(scope, tmp_path):
    runs = tmp_path / "runs"
    assert list((runs / "tracked").glob("tensorboard/events.out.tfevents.*"))
    assert list(runs.glob("wandb/offline-run-*/*.wandb"))
    with sqlite3.connect(runs / "mlflow.db") as database:
        metrics = dict(database.execute("select key, count(*) from metrics group by key"))
    assert {"policy_loss", "score/random", "games"} <= set(metrics)
    assert metrics["games"] == 2  # a row for each round
    assert scope["config"] == TrainConfig.of(
        "ppo", num_envs=64, width=32, learning_rate=0.006, measurement_games=20, measurements=1
    )
    assert len(scope["study"].trials) == 2
    assert 1e-3 <= scope["study"].best_params["rate"] <= 1e-2
    card = (runs / "hub" / "README.md").read_text("utf-8")
    header, body = re.fullmatch(r"---\n(.*?)---\n(.*)", card, re.DOTALL).groups()
    assert yaml.safe_load(header)["library_name"] == "mijnlieff" and "95% interval" in body
    assert Network.load(runs / "hub" / "network.bin")


def test_a_number_that_yaml_reads_as_a_text_is_refused():
    with pytest.raises(ValueError, match=r"learning_rate .*'6e-3'"):
        TrainConfig.of("ppo", **yaml.safe_load("learning_rate: 6e-3"))
    assert TrainConfig.of("ppo", **yaml.safe_load("learning_rate: 6.0e-3")).learning_rate == 0.006
