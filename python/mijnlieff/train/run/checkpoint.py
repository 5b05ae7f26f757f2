"""Checkpoint files: everything that a run needs to continue exactly.

A checkpoint is a PyTorch file of plain values and tensors, read with `weights_only=True`: opening
one from elsewhere runs no code, and reads no more than the file is large. It is replaced whole, so
a kill at any moment leaves a valid file.
"""

from __future__ import annotations

import dataclasses
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mijnlieff._util.arguments import check_type, integer_from, number_from_zero
from mijnlieff._util.files import write_whole
from mijnlieff.errors import CheckpointError, MijnlieffError
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.report.rows import check_grades, check_scores

__all__ = ["Checkpoint", "Counters", "load_checkpoint", "save_checkpoint"]

FORMAT = "mijnlieff-train"
VERSION = 2


@dataclass(slots=True)
class Counters:
    """How far a run has come.

    Attributes:
        rounds: finished rounds.
        steps: actions played.
        games: games finished.
        seconds: wall time in the training loop, over all sessions.
    """

    rounds: int = 0
    steps: int = 0
    games: int = 0
    seconds: float = 0.0


_COUNTERS = tuple(entry.name for entry in dataclasses.fields(Counters))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a checkpoint file.

    Attributes:
        config: the run's settings.
        budget: when to stop.
        boards: the boards that it learns.
        network: the weights by name.
        optimizer: the optimizer's state.
        generator: state of the random generator, uint8.
        counters: how far the run has come.
        curve: the measurements so far, oldest first, as plain values.
    """

    config: TrainConfig
    budget: Budget
    boards: Boards
    network: dict[str, Tensor]
    optimizer: dict[str, Any]
    generator: Tensor
    counters: Counters
    curve: list[dict[str, Any]]


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; an older one stays valid until the new one is complete.

    Args:
        path: the file.
        checkpoint: the content.

    Raises:
        OSError: the file cannot be written.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "config": dataclasses.asdict(checkpoint.config),
        "budget": dataclasses.asdict(checkpoint.budget),
        "boards": checkpoint.boards.to_dict(),
        "network": checkpoint.network,
        "optimizer": checkpoint.optimizer,
        "generator": checkpoint.generator,
        "counters": dataclasses.asdict(checkpoint.counters),
        "curve": checkpoint.curve,
    }
    file = io.BytesIO()
    torch.save(content, file)
    write_whole(path, file.getvalue())


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Args:
        path: the file.

    Raises:
        CheckpointError: the file is missing, truncated, damaged, of another program or version, or
            its parts do not match; the message names the file and the fault.
    """
    content = _read(path)
    try:
        for name in ("config", "budget", "boards", "network", "optimizer"):
            check_type(name, content[name], dict)
        boards = Boards.from_dict(content["boards"])
        return Checkpoint(
            config=TrainConfig.from_dict(content["config"]),
            budget=Budget(**content["budget"]),
            boards=boards,
            network=dict(content["network"]),
            optimizer=dict(content["optimizer"]),
            generator=content["generator"],
            counters=_counters("counters", content["counters"]),
            curve=_curve(content["curve"], has_grades=boards.canvas is not None),
        )
    except KeyError as error:
        raise CheckpointError(f"checkpoint {path} has no entry {error}") from error
    # Entries of other types may raise more than what is wrong with values.
    except (
        AttributeError,
        IndexError,
        TypeError,
        ValueError,
        RuntimeError,
        MijnlieffError,
    ) as error:
        raise CheckpointError(f"checkpoint {path} is inconsistent: {error}") from error


def _counters(name: str, saved: object) -> Counters:
    """Return counters; every entry must be there, since a run goes on from them."""
    if not isinstance(saved, dict) or saved.keys() != set(_COUNTERS):
        raise ValueError(f"{name} must have the entries {', '.join(_COUNTERS)}, not {saved!r:.80}")
    rounds, steps, games = (
        integer_from(f"{entry} in {name}", saved[entry], 0)
        for entry in ("rounds", "steps", "games")
    )
    seconds = number_from_zero(f"seconds in {name}", saved["seconds"])
    return Counters(rounds, steps, games, seconds)


def _curve(saved: object, *, has_grades: bool) -> list[dict[str, Any]]:
    """Return measurements, each with counters and scores, and on many boards with grades."""
    check_type("curve", saved, list)
    assert isinstance(saved, list)
    for number, point in enumerate(saved):
        name = f"measurement {number} of curve"
        check_type(name, point, dict)
        _counters(name, {entry: point[entry] for entry in _COUNTERS if entry in point})
        check_scores(point["scores"])
        if has_grades:
            check_grades(point["grades"])
    return saved


def _read(path: Path) -> dict[str, Any]:
    try:
        # PyTorch files are zip archives, whose checksums tell damaged files from foreign ones.
        with zipfile.ZipFile(path) as archive:
            _check_size(path, archive)
            damaged = archive.testzip()
        if damaged is not None:
            raise CheckpointError(f"checkpoint {path} is damaged: {damaged} fails its checksum")
        content = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint {path}") from None
    except zipfile.BadZipFile as error:
        raise CheckpointError(
            f"checkpoint {path} is truncated or not a checkpoint: {error}"
        ) from error
    except OSError as error:
        raise CheckpointError(
            f"cannot read checkpoint {path}: {error.strerror or error}"
        ) from error
    except CheckpointError:
        raise
    except Exception as error:  # PyTorch does not document what foreign bytes raise
        reason = str(error).partition("\n")[0]
        raise CheckpointError(f"{path} is not a checkpoint of this program: {reason}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CheckpointError(f"{path} is a PyTorch file, but not a checkpoint of mijnlieff train")
    if content.get("version") != VERSION:
        raise CheckpointError(
            f"checkpoint {path} has format version {content.get('version')!r}; this program reads "
            f"version {VERSION}: start a new run with mijnlieff train"
        )
    return content


def _check_size(path: Path, archive: zipfile.ZipFile) -> None:
    """Raise if the content is larger than the file: PyTorch compresses nothing."""
    size, inflated = path.stat().st_size, sum(entry.file_size for entry in archive.infolist())
    if inflated > size:
        raise CheckpointError(
            f"checkpoint {path} inflates to {inflated} bytes, more than the {size} of the file"
        )
