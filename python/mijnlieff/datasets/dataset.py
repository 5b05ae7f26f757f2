"""Making a data set in a folder, part by part, and reading it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from mijnlieff._mijnlieff import Tablebase
from mijnlieff._util.arguments import check_type, path_of, threads_of
from mijnlieff._util.files import parse_json, part_path, write_json, write_whole
from mijnlieff._util.output import progress_bar
from mijnlieff.datasets.datasheet import datasheet
from mijnlieff.datasets.files import SUFFIXES, check_installed, read_part, write_part
from mijnlieff.datasets.games import COLUMNS, PART, Columns, play_part
from mijnlieff.datasets.recipe import Recipe
from mijnlieff.errors import DatasetError
from mijnlieff.policies.load import load_policy

__all__ = ["Dataset", "make_dataset", "open_dataset"]

_RECIPE = "recipe.json"
_DATASHEET = "README.md"


class Dataset:
    """A data set in a folder, read part by part; `make_dataset` and `open_dataset` return it.

    Attributes:
        folder: where its files are.
        recipe: what it is made of.
    """

    def __init__(self, folder: Path, recipe: Recipe) -> None:
        """Name the files, which may be missing as yet."""
        self.folder = folder
        self.recipe = recipe

    def __repr__(self) -> str:
        """Return the folder and the recipe."""
        return f"Dataset({str(self.folder)!r}, {self.recipe!r})"

    @property
    def paths(self) -> list[Path]:
        """The files of the parts, each of 500 games."""
        suffix = SUFFIXES[self.recipe.files]
        count = -(-self.recipe.games // PART)
        return [self.folder / f"games-{part:05}{suffix}" for part in range(count)]

    def parts(self) -> Iterator[Columns]:
        """Yield the columns of each part, so that memory holds one part at a time.

        Each is a dict of arrays with a row for each turn; the data sheet in the folder describes
        them.

        Raises:
            DatasetError: a part is damaged.
            OSError: a part cannot be read.
        """
        return (read_part(path, self.recipe.variant) for path in self.paths)

    def load(self) -> Columns:
        """Return the columns of all parts together.

        Raises:
            DatasetError, OSError: as `parts`.
        """
        found = list(self.parts())
        return {name: np.concatenate([part[name] for part in found]) for name in COLUMNS}


def make_dataset(
    recipe: Recipe,
    folder: str | Path,
    *,
    progress: bool = False,
    num_threads: SupportsIndex | None = None,
    tablebase: Tablebase | None = None,
) -> Dataset:
    """Play the games of a recipe and write them into a folder, 500 games at a time.

    Stopped at any moment, it goes on with the next part when it is called once more; the files are
    the same as without the stop. At the end it writes a data sheet, ``README.md``.

    Args:
        recipe: the recipe.
        folder: a new or empty folder, or one in which the same recipe was begun.
        progress: show a progress bar, or a line every ten seconds where stderr is not a
            terminal.
        num_threads: threads for the exact search, 1 to 1024; None is as many as there are cores.
        tablebase: where to look the labels up, rather than search; the files are the same.

    Raises:
        DatasetError: the folder holds something else, or its recipe cannot be read.
        TypeError: not a recipe, not a path, or a number of threads that is not an integer.
        ValueError: a player's module does not exist, the tablebase is of another game, or a number
            of threads out of range.
        CheckpointError: a player's path does not exist, or holds no network.
        PolicyError: the import of a player's module fails, a player is no policy or cannot be
            copied, or it chose an illegal action.
        MissingExtraError: pyarrow is missing.
        OSError: a file cannot be written.
    """
    check_type("recipe", recipe, Recipe)
    data = Dataset(path_of("folder", folder), recipe)
    num_threads = threads_of(num_threads)
    check_installed(recipe.files)
    for name in recipe.players:
        load_policy(name)  # before the folder is made
    is_begun = _is_begun(data)
    with progress_bar(recipe.games, "games", enabled=progress) as move_on:
        for part, path in enumerate(data.paths):
            if not path.exists():
                columns = play_part(recipe, part, num_threads, tablebase)
                if not is_begun:  # only now is it known that the recipe works
                    data.folder.mkdir(parents=True, exist_ok=True)
                    write_json(data.folder / _RECIPE, recipe.to_dict())
                    is_begun = True
                write_part(path, columns)
            move_on(min(PART, recipe.games - part * PART))
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in data.paths}
    write_whole(data.folder / _DATASHEET, datasheet(recipe, data.parts(), sums).encode())
    return data


def _is_begun(data: Dataset) -> bool:
    """Whether the folder has the recipe, rather than nothing.

    Raises:
        DatasetError: it holds something else, or its recipe cannot be read.
    """
    path = data.folder / _RECIPE
    if path.exists():
        found, wanted = _read_json(path), data.recipe.to_dict()
        for name, value in wanted.items():  # the version of the package among them
            other = found.get(name) if isinstance(found, dict) else None
            if other != value:
                raise DatasetError(
                    f"{data.folder} holds another data set: its {name} is {other!r}, not {value!r}"
                )
        return True
    # A run that is killed while it writes the recipe leaves its temporary file.
    if data.folder.exists() and set(data.folder.iterdir()) - {part_path(path)}:
        raise DatasetError(f"{data.folder} holds other files; choose a new or empty folder")
    return False


def open_dataset(folder: str | Path) -> Dataset:
    """Return the data set of a folder.

    Raises:
        DatasetError: there is none, it cannot be read, it is of another version, or it is not
            finished.
        TypeError: not a path.
    """
    folder = path_of("folder", folder)
    path = folder / _RECIPE
    if not path.exists():
        raise DatasetError(f"{folder} holds no data set: there is no {path}")
    parts = _read_json(path)
    try:
        recipe = Recipe.from_dict(parts)
    except DatasetError as error:
        raise DatasetError(f"cannot use the data set of {path}: {error}") from error
    data = Dataset(folder, recipe)
    if missing := [one for one in data.paths if not one.exists()]:
        raise DatasetError(
            f"the data set in {folder} is not finished: {len(missing)} of {len(data.paths)} files "
            f"are missing, first {missing[0].name}; the command that began it goes on with it"
        )
    return data


def _read_json(path: Path) -> Any:
    try:
        return parse_json(path.read_bytes())
    except OSError as error:
        raise DatasetError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise DatasetError(f"cannot use the data set of {path}: {error}") from error
