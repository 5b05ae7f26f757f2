"""Data sets for Minari, with masks and the exact value of every action."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import DTypeLike

from mijnlieff._mijnlieff import Position, observe_batch
from mijnlieff._util.arguments import check_type
from mijnlieff._util.extras import needs
from mijnlieff.datasets.dataset import Dataset
from mijnlieff.datasets.games import Columns
from mijnlieff.datasets.recipe import Recipe
from mijnlieff.envs.attributes import AT_THE_END
from mijnlieff.evaluation.losses import ILLEGAL
from mijnlieff.policies.model import Layout

with needs("mijnlieff.integrations.minari", "Minari", "minari", "minari>=0.5.3"):
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage import get_dataset_path

__all__ = ["SteadyInfo", "check_dataset_id", "to_minari"]


class SteadyInfo(minari.StepDataCallback):
    """Records of every ``info`` what all of them have, as the ``step_data_callback`` of Minari.

    With ``record_infos=True`` Minari needs the same keys in every ``info``, and the environment
    tells ``score``, ``winner`` and ``illegal`` at the end only. The reward tells who won.
    """

    def __call__(self, env: gymnasium.Env[Any, Any], **step: Any) -> dict[str, Any]:
        """Return the data of a step."""
        data: dict[str, Any] = super().__call__(env, **step)
        data["info"] = {
            name: value for name, value in data["info"].items() if name not in AT_THE_END
        }
        return data


def check_dataset_id(dataset_id: str) -> None:
    """Raise unless Minari takes a new data set of this name.

    Raises:
        ValueError: Minari has one of this name, or the name is wrong.
    """
    try:
        parse_dataset_id(dataset_id)
    except (TypeError, ValueError):  # a TypeError where the version is missing
        raise ValueError(
            f"{dataset_id!r} is not a name of a Minari data set, such as mijnlieff/perfect-v0"
        ) from None
    if get_dataset_path(dataset_id).exists():  # as Minari itself asks
        raise ValueError(
            f"Minari has a data set {dataset_id!r}; choose another name, or delete it by "
            f"minari delete {dataset_id}"
        )


def to_minari(
    data: Dataset,
    dataset_id: str,
    *,
    observation: Layout = "flat",
    dtype: DTypeLike = "float32",
) -> minari.MinariDataset:
    """Write a data set into Minari's folder, part by part.

    Each game is an episode of the first player of the recipe, in ``Mijnlieff-v0`` against the
    second; `recover_environment` returns that environment. Rewards are 1, 0 and -1 at the end.
    ``infos`` have, for each observation, ``action_mask`` int8 ``(num_actions,)`` (when the game is
    over it has the pass alone, as in the environment), ``action_margins`` int16 ``(num_actions,)``
    and ``margin`` int16, the exact margins for the agent, at the end that of the game. They are
    -32768 for illegal actions, and where a position is not labeled: without labels in the recipe,
    or where it is not solvable, see `Position.is_solvable`.

    Args:
        data: a finished data set, see `make_dataset` and `open_dataset`.
        dataset_id: its name in Minari, such as ``mijnlieff/perfect-v0``.
        observation: the layout of observations, ``"flat"`` or ``"planes"``.
        dtype: their dtype, float32 or uint8.

    The environment has the second player of the recipe as its opponent, so a module that the recipe
    names is imported here.

    Raises:
        ValueError: Minari has a data set of this name, the name or the layout is wrong, or the
            second player's module does not exist.
        CheckpointError: the second player's path does not exist, or holds no network.
        PolicyError: the import of the second player's module fails, or it has no such policy.
        TypeError: not a `Dataset`.
        DatasetError, OSError: a part cannot be read, or the data set cannot be written.
    """
    check_type("data", data, Dataset)
    check_dataset_id(dataset_id)
    env = _environment(data.recipe, observation, dtype)
    made = None
    try:
        for columns in data.parts():
            buffers = list(_episodes(columns, data.recipe, observation, dtype))
            if made is not None:
                made.update_dataset_from_buffer(buffers)
                continue
            with warnings.catch_warnings():
                # Minari asks for an author's e-mail address and a link to the code.
                warnings.filterwarnings("ignore", category=UserWarning)
                made = minari.create_dataset_from_buffers(
                    dataset_id,
                    buffers,
                    env=env,
                    algorithm_name=data.recipe.players[0],
                    author="mijnlieff",
                    description=f"Games of Mijnlieff with exact values, of {data.recipe!r}.",
                    requirements=["mijnlieff"],
                )
    except BaseException:
        # Minari makes the folder before it writes the first episode.
        if (begun := get_dataset_path(dataset_id)).exists():
            shutil.rmtree(begun)
        raise
    finally:
        env.close()
    return made


def _environment(recipe: Recipe, observation: Layout, dtype: DTypeLike) -> gymnasium.Env[Any, Any]:
    """Return the environment of the games, whose settings are JSON."""
    return gymnasium.make(
        "mijnlieff:Mijnlieff-v0",
        variant=str(recipe.variant),
        opponent=recipe.players[1],
        observation=observation,
        dtype=np.dtype(dtype).name,
        random_plies=recipe.opening_plies,
    )


def _episodes(
    columns: Columns, recipe: Recipe, observation: Layout, dtype: DTypeLike
) -> Iterator[EpisodeBuffer]:
    """Yield an episode of each game in which the first player had a turn."""
    ends = np.flatnonzero(np.append(columns["game"][1:] != columns["game"][:-1], True))
    actions = np.arange(recipe.variant.num_actions)
    pass_alone = (actions == recipe.variant.pass_action).astype(np.int8)[None]
    no_margins = np.full_like(actions, ILLEGAL, dtype=np.int16)[None]
    start = 0
    for end in ends.tolist():
        rows = np.arange(start, end + 1)
        own = rows[columns["policy"][rows] == 0]
        start = end + 1
        if not len(own):
            continue
        positions = [
            Position.from_notation(str(columns["notation"][row]), recipe.variant)
            for row in (*own, end)
        ]
        positions[-1] = positions[-1].play(int(columns["action"][end]))
        result = columns["result"][own[-1]]
        rewards = np.zeros(len(own), dtype=np.float64)
        rewards[-1] = np.sign(result)
        over = np.arange(len(own)) == len(own) - 1
        yield EpisodeBuffer(
            observations=observe_batch(positions, observation, dtype),
            actions=columns["action"][own].astype(np.int64),
            rewards=rewards,
            terminations=over,
            truncations=np.zeros_like(over),
            infos={
                "action_mask": np.concatenate([columns["action_mask"][own], pass_alone]),
                "action_margins": np.concatenate([columns["action_margins"][own], no_margins]),
                "margin": np.append(columns["margin"][own], result),
            },
        )
