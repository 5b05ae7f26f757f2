"""mijnlieff.datasets and the command: games by a recipe, with exact values."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Position, Variant, solve
from mijnlieff._util.seeds import first_game_seed
from mijnlieff.cli.main import main
from mijnlieff.datasets import Recipe, keys_of_observations, make_dataset, open_dataset
from mijnlieff.datasets.games import COLUMNS
from mijnlieff.errors import CheckpointError, DatasetError, MissingExtraError
from mijnlieff.evaluation import random_openings
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.evaluation.losses import ILLEGAL
from mijnlieff.evaluation.match import Conditions
from played import rows_of_games
from program_ends import raising

SMALL = "##../##../..##/..## anywhere 1"


@pytest.fixture
def small_parts(monkeypatch):
    for module in ("dataset", "games"):
        monkeypatch.setattr(f"mijnlieff.datasets.{module}.PART", 4)


@pytest.mark.parametrize("variant", ["standard", SMALL, "####/####/####/####/#### corner 3"])
def test_games_and_values_are_right(variant, tmp_path):
    recipe = Recipe("greedy", "random", games=10, variant=variant, seed=7)
    columns = make_dataset(recipe, tmp_path).load()
    assert list(columns) == list(COLUMNS)
    openings = random_openings(10, 2, variant, first_game_seed(7, 0))
    games = rows_of_games(columns)
    assert len(games) == 10
    for number, (rows, position) in enumerate(zip(games, openings, strict=True)):
        assert (columns["game"][rows] == number).all()
        for row in rows:
            one = {name: values[row] for name, values in columns.items()}
            assert Position.from_notation(str(one["notation"]), variant) == position
            assert one["ply"] == position.ply and one["player"] == position.to_play
            assert one["policy"] == (position.to_play + number) % 2
            assert np.array_equal(one["observation"], position.observation("flat", "uint8"))
            assert np.array_equal(one["action_mask"], position.action_mask())
            assert one["labeled"] == position.is_solvable
            values = one["action_margins"]
            if one["labeled"] and row % 5 == 0:
                exact = solve(position)
                assert one["margin"] == exact.margin
                found = {i: int(values[i]) for i in np.flatnonzero(values != ILLEGAL)}
                assert found == exact.action_margins
            elif not one["labeled"]:
                assert one["margin"] == ILLEGAL and (values == ILLEGAL).all()
            position = position.play(int(one["action"]))
        assert position.is_over
        sign = np.where(columns["player"][rows] == 0, 1, -1)
        assert np.array_equal(columns["result"][rows], sign * position.margin)
    assert columns["labeled"].any()


def test_each_player_has_both_seats(tmp_path):
    columns = make_dataset(Recipe("perfect", "random", games=20, seed=3), tmp_path).load()
    chosen = columns["action_margins"][np.arange(len(columns["game"])), columns["action"]]
    first = columns["policy"] == 0
    assert (chosen == columns["margin"])[first].all()
    assert not (chosen == columns["margin"])[~first].all()
    assert set(columns["player"][first]) == {0, 1}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_recipe_makes_the_same_files(tmp_path, small_parts):
    recipe = Recipe("perfect:0.3", games=10, seed=5, variant=SMALL)
    make_dataset(recipe, tmp_path / "one", num_threads=1)
    make_dataset(recipe, tmp_path / "two")
    make_dataset(Recipe("perfect:0.3", games=10, seed=6, variant=SMALL), tmp_path / "three")
    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two and one.keys() == three.keys()
    assert all(one[name] != three[name] for name in one)


def test_data_sets_of_consecutive_seeds_and_matches_share_no_openings(tmp_path):
    """Otherwise one would test on what was learned, if the players draw nothing."""
    seeds = 0, 1, 2
    openings = []
    for seed in seeds:
        recipe = Recipe("random", games=100, seed=seed, opening_plies=6, labels="none")
        columns = make_dataset(recipe, tmp_path / str(seed)).load()
        openings.append({str(columns["notation"][rows[0]]) for rows in rows_of_games(columns)})
    assert [len(of_seed) for of_seed in openings] == [100, 100, 100]
    match = Conditions.checked(200, None, 6, seed=0)
    of_match = random_openings(100, 6, match.variant, match.first_pair_seed)
    openings.append({start.notation for start in of_match})
    # There are millions of openings of 6 plies.
    assert len(set().union(*openings)) == 400


def test_a_stopped_run_goes_on(tmp_path, small_parts, monkeypatch):
    recipe = Recipe("perfect:0.3", games=10, variant=SMALL)
    whole = tmp_path / "whole"
    make_dataset(recipe, whole)
    stopped = tmp_path / "stopped"

    play = mijnlieff.datasets.dataset.play_part

    def stop(recipe, part, *options):
        if part == 1:
            raise KeyboardInterrupt
        return play(recipe, part, *options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("mijnlieff.datasets.dataset.play_part", stop)
        make_dataset(recipe, stopped)
    assert set(contents(stopped)) == {"recipe.json", "games-00000.npz"}
    with pytest.raises(DatasetError, match=r"2 of 3 files are missing, first games-00001.npz"):
        open_dataset(stopped)
    played = []
    monkeypatch.setattr(
        "mijnlieff.datasets.dataset.play_part",
        lambda recipe, part, *options: played.append(part) or play(recipe, part, *options),
    )
    make_dataset(recipe, stopped)
    assert played == [1, 2] and contents(stopped) == contents(whole)


def test_a_player_with_a_state_goes_on_with_the_same_games(tmp_path, small_parts, monkeypatch):
    (tmp_path / "players_that_draw.py").write_text(
        "import random\n"
        "class Drawing:\n"
        "    def __init__(self): self.random = random.Random(0)\n"
        "    def act(self, position): return self.random.choice(position.legal_actions())\n"
        "player = Drawing()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    recipe = Recipe("players_that_draw:player", games=10, variant=SMALL, labels="none")
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    data = make_dataset(recipe, whole)
    shutil.copytree(whole, stopped)
    for path in data.paths[1:]:
        (stopped / path.name).unlink()
    make_dataset(recipe, stopped)
    assert contents(stopped) == contents(whole)


def test_a_run_that_is_killed_while_it_writes_the_recipe_goes_on(tmp_path):
    (tmp_path / "recipe.json.part").write_text('{"form')
    make_dataset(Recipe("random", games=1), tmp_path)
    assert set(contents(tmp_path)) == {"recipe.json", "games-00000.npz", "README.md"}
    (tmp_path / "recipe.json").rename(tmp_path / "recipe.json.part")
    with pytest.raises(DatasetError, match="holds other files"):
        make_dataset(Recipe("random", games=1), tmp_path)


def test_the_data_sheet_counts(tmp_path, small_parts):
    data = make_dataset(Recipe("random", games=9, variant=SMALL), tmp_path)
    columns = data.load()
    sheet = (tmp_path / "README.md").read_text()
    for name, number in (
        ("games", 9),
        ("turns", len(columns["game"])),
        ("turns with a choice", (columns["action_mask"].sum(axis=1) > 1).sum()),
        ("labeled turns", columns["labeled"].sum()),
    ):
        assert f"| {name} | {number:,} |" in sheet
    assert all(name in sheet for name in COLUMNS)
    assert all(path.name in sheet for path in data.paths) and f"| variant | {SMALL} |" in sheet


def test_the_data_sheet_counts_games_that_differ(tmp_path, small_parts):
    """Over all parts, also those that start alike or have the same actions."""
    data = make_dataset(Recipe("champion", games=90, opening_plies=1, labels="none"), tmp_path)
    columns = data.load()
    games = {
        (str(columns["notation"][rows[0]]), *columns["action"][rows].tolist())
        for rows in rows_of_games(columns)
    }
    assert 1 < len(games) < 90
    assert f"| distinct games | {len(games)} |" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize("variant", ["standard", SMALL])
def test_positions_that_share_a_key_share_their_value(variant, tmp_path):
    recipe = Recipe("random", games=200, variant=variant, opening_plies=0)
    columns = make_dataset(recipe, tmp_path).load()
    board = recipe.variant.board
    keys = keys_of_observations(columns["observation"], board)
    positions = [Position.from_notation(str(it), variant) for it in columns["notation"]]
    assert keys == canonical_keys(positions)
    groups = {}
    for key, position, margin in zip(keys, positions, columns["margin"].tolist(), strict=True):
        groups.setdefault(key, []).append((position, margin))
    assert all(len({margin for _, margin in group}) == 1 for group in groups.values())
    assert any(len({position for position, _ in group}) > 1 for group in groups.values())


def test_keys_of_wrong_observations():
    board = Variant().board
    for observations, of, error, words in (
        (np.zeros((2, 56), np.float32), board, TypeError, "must be uint8, not float32"),
        (np.zeros(56, np.uint8), board, ValueError, r"must be \(B, 56\), not \(56,\)"),
        (np.zeros((2, 32), np.uint8), board, ValueError, r"must be \(B, 56\), not \(2, 32\)"),
        (np.zeros((2, 56), np.uint8), Variant(), TypeError, "board must be a Board, not"),
    ):
        with pytest.raises(error, match=words):
            keys_of_observations(observations, of)
    assert keys_of_observations(np.zeros((0, 56), np.uint8), board) == []


def test_a_data_set_is_opened_again(tmp_path, small_parts):
    recipe = Recipe("greedy", "random", games=6, variant=SMALL, opening_plies=1, labels="none")
    made = make_dataset(recipe, tmp_path / "data")
    found = open_dataset(str(tmp_path / "data"))
    assert found.recipe == made.recipe == recipe and hash(found.recipe) == hash(recipe)
    assert repr(found.recipe) == "Recipe(greedy and random, games=6, seed=0)"
    for ours, theirs in zip(made.parts(), found.parts(), strict=True):
        assert all(np.array_equal(ours[name], theirs[name]) for name in COLUMNS)
    assert not found.load()["labeled"].any()
    assert found.recipe.variant == Variant.from_text(SMALL)


def test_other_folders_are_refused(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"")
    with pytest.raises(DatasetError, match="holds other files; choose a new or empty folder"):
        make_dataset(Recipe("random", games=1), tmp_path)
    with pytest.raises(DatasetError, match="holds no data set"):
        open_dataset(tmp_path / "missing")
    folder = tmp_path / "data"
    make_dataset(Recipe("random", games=1), folder)
    with pytest.raises(DatasetError, match="another data set: its games is 1, not 2"):
        make_dataset(Recipe("random", games=2), folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    (folder / "recipe.json").write_text(json.dumps(recipe | {"mijnlieff": "0.0.1"}))
    with pytest.raises(DatasetError, match=r"its mijnlieff is '0.0.1', not "):
        make_dataset(Recipe("random", games=1), folder)
    assert open_dataset(folder).recipe.games == 1  # of another version of the package is readable


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "cannot use the data set"),
        ("[]", "version None of the format; this reads 1"),
        ('{"format": 2}', "version 2 of the format; this reads 1"),
        ('{"format": 1}', "its recipe is damaged: 'players'"),
        ('{"format": 1, "players": ["random"]}', "its recipe is damaged"),
        ('{"format": 1, "players": ["random", 5]}', "a player must be a str, not 5"),
        ('{"format": 1, "players": ["random", "random"], "games": "x"}', "its recipe is damaged"),
        (
            '{"format": 1, "players": ["random", "random"], "games": 1}',
            "it has no files, labels, opening_plies, seed, variant",
        ),
    ],
)
def test_damaged_recipes_are_told(content, words, tmp_path):
    (tmp_path / "recipe.json").write_text(content)
    with pytest.raises(DatasetError) as caught:
        open_dataset(tmp_path)
    assert words in str(caught.value) and str(tmp_path) in str(caught.value)


def test_opening_a_data_set_runs_no_code_of_its_players(tmp_path, monkeypatch):
    (tmp_path / "players_of_others.py").write_text("raise SystemExit('this module was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    make_dataset(Recipe("random", games=2, labels="none"), tmp_path / "data")
    path = tmp_path / "data" / "recipe.json"
    # A name may be that of a run in the folder where it played.
    for names in (["players_of_others:Player", "random"], ["first", "random"], ["runs/gone", "x"]):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"players": names}))
        data = open_dataset(tmp_path / "data")
        assert data.recipe.players == tuple(names) and len(data.load()["game"]) > 0
    with pytest.raises(CheckpointError, match="no file or run folder runs/gone"):
        make_dataset(data.recipe, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_damaged_recipe_is_told_by_its_file_when_a_data_set_goes_on(tmp_path):
    (tmp_path / "recipe.json").write_text("")
    with pytest.raises(DatasetError, match=r"cannot use the data set of .*recipe\.json"):
        make_dataset(Recipe("random", games=1), tmp_path)


def test_damaged_files_are_told(tmp_path):
    data = make_dataset(Recipe("random", games=5, labels="none"), tmp_path)
    (path,) = data.paths
    whole = path.read_bytes()
    other = tmp_path / "other.npz"
    np.savez(other, game=np.zeros(1))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for content in (b"", whole[:100], whole[:-50], b"text", bytes(flipped), other.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(DatasetError, match=r"games-00000.npz is damaged"):
            data.load()


@pytest.mark.parametrize(
    ("name", "spoil", "words"),
    [
        ("game", lambda values: values[0], r"column game is int64 of shape \(\), .* int64, the"),
        ("ply", lambda values: values[1:], r"column ply is int16 of shape \(\d+,\), .* \d+ turns"),
        ("ply", lambda values: values.astype(np.int32), "column ply is int32"),
        ("player", lambda values: values[0], r"column player is int8 of shape \(\)"),
        ("action_mask", np.float64, "column action_mask is float64"),
        ("action_mask", lambda values: values[:, :30], r"column .* 30\), .* int8 \(num_actions\),"),
        ("notation", lambda values: np.arange(len(values)), "column notation is int64"),
    ],
)
def test_columns_of_another_type_or_shape_are_told(name, spoil, words, tmp_path):
    data = make_dataset(Recipe("random", games=2, labels="none"), tmp_path)
    columns = data.load()
    np.savez_compressed(data.paths[0], **columns | {name: spoil(columns[name])})
    with pytest.raises(DatasetError, match=rf"games-00000.npz is damaged: its {words}"):
        data.load()


@pytest.mark.parametrize("shape", ["(True,)", f"({2**70},)"])
def test_a_shape_that_is_none_is_told(shape, tmp_path):
    data = make_dataset(Recipe("random", games=2, labels="none"), tmp_path)
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    with zipfile.ZipFile(data.paths[0], "w") as archive:
        size = len(header).to_bytes(2, "little")
        archive.writestr("game.npy", b"\x93NUMPY\x01\x00" + size + header)
    with pytest.raises(DatasetError, match=r"games-00000.npz is damaged"):
        data.load()


def test_a_recipe_that_does_not_work_leaves_nothing(tmp_path):
    """So the same folder can be named when it is mended."""
    folder = tmp_path / "data"
    for wrong in (
        Recipe("random", games=3, opening_plies=50),
        Recipe("champion", games=3, variant=SMALL),
    ):
        with pytest.raises(ValueError, match=r"opening plies|network"):
            make_dataset(wrong, folder)
        assert not folder.exists()
    assert len(make_dataset(Recipe("random", games=3), folder).load()["game"]) > 0


def test_a_folder_in_place_of_a_recipe_is_told(tmp_path):
    (tmp_path / "recipe.json").mkdir()
    recipe = Recipe("random", games=1)
    for use in (lambda: open_dataset(tmp_path), lambda: make_dataset(recipe, tmp_path)):
        with pytest.raises(DatasetError, match=r"cannot read .*recipe\.json"):
            use()


def test_an_error_of_reading_without_a_number_is_told(tmp_path, monkeypatch):
    (tmp_path / "recipe.json").touch()
    monkeypatch.setattr("pathlib.Path.read_bytes", raising(OSError("the tape is gone")))
    with pytest.raises(DatasetError, match=r"cannot read .*recipe\.json: the tape is gone"):
        open_dataset(tmp_path)


def test_wrong_arguments(tmp_path):
    recipe = Recipe("random", games=1)
    for use, error, words in (
        (lambda: make_dataset(5, tmp_path), TypeError, "recipe must be a Recipe, not 5"),
        (lambda: make_dataset(recipe, None), TypeError, "folder must be a path, not None"),
        (lambda: open_dataset(7), TypeError, "folder must be a path, not 7"),
        (lambda: open_dataset("a\0b"), ValueError, r"folder must be .* not 'a\\x00b'"),
    ):
        with pytest.raises(error, match=words):
            use()
    assert list(tmp_path.iterdir()) == []


def test_wrong_settings(tmp_path):
    for arguments, error, words in (
        ({"light": "minmax"}, ValueError, "did you mean 'minimax'"),
        ({"light": mijnlieff.RandomPolicy()}, TypeError, "a player must be a str"),
        ({"light": "random", "games": 0}, ValueError, "games must be 1 to 50000000, not 0"),
        ({"light": "random", "games": 10**30}, ValueError, "games must be 1 to 50000000, not 10"),
        ({"light": "random", "labels": "some"}, ValueError, "unknown labels 'some'"),
        ({"light": "random", "files": "csv"}, ValueError, "choose one of numpy, parquet"),
        ({"light": "random", "opening_plies": -1}, ValueError, "opening_plies must be at least 0"),
    ):
        with pytest.raises(error, match=words):
            Recipe(**arguments)


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mijnlieff\[parquet\]'"):
        make_dataset(Recipe("random", games=1, files="parquet"), tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_parquet_holds_the_same(tmp_path, small_parts):
    pytest.importorskip("pyarrow")
    numpy, parquet = (
        make_dataset(Recipe("perfect:0.3", games=6, variant=SMALL, files=files), tmp_path / files)
        for files in ("numpy", "parquet")
    )
    ours, theirs = numpy.load(), parquet.load()
    for name in COLUMNS:
        assert np.array_equal(ours[name], theirs[name]) and ours[name].dtype == theirs[name].dtype
    path = parquet.paths[0]
    whole = path.read_bytes()
    for content in (b"", whole[:100], b"PAR1" + b"x" * 100):
        path.write_bytes(content)
        with pytest.raises(DatasetError, match="is damaged"):
            parquet.load()
    rng, told = np.random.default_rng(0), 0
    for _ in range(300):  # some bytes mean nothing to a reader
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            found = parquet.load()
        except DatasetError:
            told += 1
        else:
            assert all(np.array_equal(found[name], theirs[name]) for name in COLUMNS)
    assert told > 150


def test_the_command(tmp_path, capsys):
    out = tmp_path / "games"
    command = ["dataset", "--players", "greedy", "random", "--games", "8", "--out", str(out)]
    command += ["--seed", "3", "--board", "##../##../..##/..##", "--labels", "none"]
    assert main(command) == 0
    assert "8 games in one file" in capsys.readouterr().out
    assert open_dataset(out).recipe == Recipe(
        "greedy", "random", games=8, seed=3, variant="##../##../..##/..##", labels="none"
    )
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--games", "9"]) == 1
    assert "its games is 8, not 9" in capsys.readouterr().err
    assert main(["dataset", "--players", "a", "b", "c", "--out", str(out)]) == 2
    assert "give one or two players, not 3" in capsys.readouterr().err
