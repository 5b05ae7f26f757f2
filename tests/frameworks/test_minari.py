"""Minari's data sets of games: the same steps as in the environment, and exact values."""

from __future__ import annotations

import os
import subprocess
import sys

import gymnasium
import minari
import numpy as np
import pytest
from integration_pages import run_page

from mijnlieff import Position, Variant, solve
from mijnlieff.cli.main import main
from mijnlieff.datasets import Recipe, make_dataset
from mijnlieff.evaluation.losses import ILLEGAL
from mijnlieff.integrations.minari import SteadyInfo, to_minari
from mijnlieff.policies import FunctionPolicy
from played import rows_of_games

VARIANTS = ["standard", "##../##../..##/..## corner"]


@pytest.fixture(autouse=True)
def folder_of_minari(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


class Replayed:
    """An opponent that plays the actions of a game again."""

    def __init__(self, actions):
        self.actions = actions

    def act(self, position):
        return self.actions[position.ply]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_episodes_are_those_of_the_environment(variant, observation, tmp_path):
    recipe = Recipe("minimax:2", "random", games=12, variant=variant, opening_plies=0)
    data = make_dataset(recipe, tmp_path / "games")
    made = to_minari(data, "mijnlieff/replayed-v0", observation=observation)
    columns = data.load()
    assert made.total_episodes == 12
    for rows, episode in zip(
        rows_of_games(columns), minari.load_dataset("mijnlieff/replayed-v0"), strict=True
    ):
        seat = "light" if columns["policy"][rows[0]] == 0 else "dark"
        actions = dict(
            zip(columns["ply"][rows].tolist(), columns["action"][rows].tolist(), strict=True)
        )
        env = gymnasium.make(
            "mijnlieff:Mijnlieff-v0",
            variant=variant,
            opponent=Replayed(actions),
            seat=seat,
            observation=observation,
        )
        seen, info = env.reset(seed=0)
        for step in range(len(episode)):
            assert np.array_equal(seen, episode.observations[step])
            assert np.array_equal(info["action_mask"], episode.infos["action_mask"][step])
            position = env.unwrapped.position
            exact = solve(position)
            assert episode.infos["margin"][step] == exact.margin
            values = episode.infos["action_margins"][step]
            found = {i: int(values[i]) for i in np.flatnonzero(values != ILLEGAL)}
            assert found == exact.action_margins
            seen, reward, over, cut, info = env.step(int(episode.actions[step]))
            assert (reward, over, cut) == (
                episode.rewards[step],
                episode.terminations[step],
                episode.truncations[step],
            )
        assert over and np.array_equal(seen, episode.observations[-1])
        assert np.array_equal(info["action_mask"], episode.infos["action_mask"][-1])
        score = info["score"] if seat == "light" else info["score"][::-1]
        assert episode.infos["margin"][-1] == score[0] - score[1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_recovered_environment_is_equal(variant, tmp_path):
    recipe = Recipe("perfect:0.3", "greedy", games=5, variant=variant, opening_plies=3)
    to_minari(make_dataset(recipe, tmp_path / "games"), "mijnlieff/recovered-v0", dtype="uint8")
    env = minari.load_dataset("mijnlieff/recovered-v0").recover_environment()
    same = gymnasium.make(
        "mijnlieff:Mijnlieff-v0",
        variant=variant,
        opponent="greedy",
        dtype="uint8",
        observation="flat",
        random_plies=3,
    )
    assert env.unwrapped.variant == same.unwrapped.variant == Variant.from_text(variant)
    assert env.observation_space == same.observation_space
    assert env.action_space == same.action_space
    for seed in range(5):
        first, second = env.reset(seed=seed)[0], same.reset(seed=seed)[0]
        assert np.array_equal(first, second)
        over = False
        while not over:
            action = int(env.unwrapped.action_masks().argmax())
            (first, *ours), (second, *theirs) = env.step(action), same.step(action)
            assert np.array_equal(first, second) and ours[:3] == theirs[:3]
            over = ours[1]


def test_parts_are_added_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr("mijnlieff.datasets.dataset.PART", 4)
    monkeypatch.setattr("mijnlieff.datasets.games.PART", 4)
    recipe = Recipe("random", games=11, labels="none", files="parquet")
    data = make_dataset(recipe, tmp_path / "games")
    assert len(data.paths) == 3
    made = to_minari(data, "mijnlieff/parts-v0")
    assert len(made) == 11 and [episode.id for episode in made] == list(range(11))
    assert made.total_steps == (data.load()["policy"] == 0).sum()
    assert (made[0].infos["action_margins"] == ILLEGAL).all()
    batch = made.sample_episodes(3)
    assert all(episode.terminations[-1] for episode in batch)


def test_margins_are_unknown_where_the_solver_does_not_reach(tmp_path):
    variant = "####/####/####/####/#### corner"
    recipe = Recipe("greedy", "random", games=3, variant=variant)
    made = to_minari(make_dataset(recipe, tmp_path / "games"), "mijnlieff/large-v0")
    for episode in made:
        margins, rows = episode.infos["margin"], episode.infos["action_margins"]
        known = margins != ILLEGAL
        assert not known[0] and known[-2:].all()
        assert np.array_equal((rows != ILLEGAL).any(axis=1)[:-1], known[:-1])


def test_a_name_is_used_once_and_nothing_half_written_stays(tmp_path, monkeypatch):
    data = make_dataset(Recipe("random", games=3, labels="none"), tmp_path / "games")
    to_minari(data, "mijnlieff/once-v0")
    with pytest.raises(ValueError, match="has a data set 'mijnlieff/once-v0'; choose"):
        to_minari(data, "mijnlieff/once-v0")
    assert "mijnlieff/once-v0" in minari.list_local_datasets()
    parts = [data.load(), {"game": np.zeros(1)}]
    monkeypatch.setattr(type(data), "parts", lambda self: iter(parts))
    with pytest.raises(KeyError):
        to_minari(data, "mijnlieff/half-v0")
    assert "mijnlieff/half-v0" not in minari.list_local_datasets()
    with pytest.raises(TypeError, match="data must be a Dataset, not 'games'"):
        to_minari("games", "mijnlieff/text-v0")


def test_the_command_makes_both(tmp_path):
    command = [sys.executable, "-m", "mijnlieff", "dataset", "--players", "perfect:0.3"]
    command += ["--games", "20", "--out", str(tmp_path / "games"), "--minari", "mijnlieff/cli-v0"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "mijnlieff/cli-v0: 20 episodes" in done.stdout
    assert len(minari.load_dataset("mijnlieff/cli-v0")) == 20


@pytest.mark.parametrize(
    ("name", "words"),
    [("games", "such as mijnlieff/perfect-v0"), ("mijnlieff/taken-v0", "choose another")],
)
def test_the_command_checks_the_name_before_it_plays(name, words, tmp_path, capsys):
    recipe = Recipe("random", games=2, labels="none")
    to_minari(make_dataset(recipe, tmp_path / "other"), "mijnlieff/taken-v0")
    command = ["dataset", "--players", "random", "--minari", name]
    assert main([*command, "--out", str(tmp_path / "games")]) == 2
    assert words in capsys.readouterr().err and not (tmp_path / "games").exists()


def test_behavior_is_cloned_by_its_policies(tmp_path):
    """The observations and actions of an episode go together: a table of them plays perfectly."""
    data = make_dataset(Recipe("perfect", games=30), tmp_path / "games")
    made = to_minari(data, "mijnlieff/perfect-v0", dtype="uint8")
    table = {
        seen.tobytes(): action
        for episode in made
        for seen, action in zip(episode.observations[:-1], episode.actions, strict=True)
    }
    policy = FunctionPolicy(
        lambda observations, masks: [table[row.tobytes()] for row in observations], dtype="uint8"
    )
    columns = data.load()
    for row in np.flatnonzero(columns["policy"] == 0)[:100]:
        position = Position.from_notation(str(columns["notation"][row]))
        assert policy.act(position) in solve(position).best_actions


@pytest.mark.parametrize("options", [{}, {"variants": VARIANTS}], ids=["one", "many"])
def test_infos_are_recorded(options):
    """Their collector takes infos with the same keys only."""
    env = gymnasium.make("mijnlieff:Mijnlieff-v0", **options)
    collector = minari.DataCollector(env, step_data_callback=SteadyInfo, record_infos=True)
    masks = []
    for seed in range(3):
        _, info = collector.reset(seed=seed)
        over = False
        while not over:
            masks.append(info["action_mask"])
            _, _, over, _, info = collector.step(int(info["action_mask"].argmax()))
        assert {"score", "winner", "illegal"} <= set(info)  # the caller sees them
        masks.append(info["action_mask"])
    with pytest.warns(UserWarning):  # about authors and the like
        recorded = collector.create_dataset("mijnlieff/infos-v0")
    for episode in recorded:
        assert set(episode.infos) == {"action_mask", "to_play", *(["variant"] if options else [])}
    found = np.concatenate([episode.infos["action_mask"] for episode in recorded])
    assert np.array_equal(found, masks)


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = run_page("minari.md")
    assert scope["env"].spec.id == "Mijnlieff-v0"
    assert isinstance(scope["collector"], minari.DataCollector)
