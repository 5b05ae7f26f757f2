"""Policies by name: built-in ones, networks in files, and objects of Python modules."""

from __future__ import annotations

import difflib
import importlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex, TypeAlias

from mijnlieff._mijnlieff import GreedyPolicy, MinimaxPolicy, Network, PerfectPolicy, RandomPolicy
from mijnlieff._util.arguments import seed_of
from mijnlieff.errors import CheckpointError, PolicyError
from mijnlieff.policies.base import ActPolicy, BatchPolicy, Policy, whole_policy
from mijnlieff.policies.champion import ChampionPolicy
from mijnlieff.policies.network import NetworkPolicy
from mijnlieff.policies.rollouts import RolloutPolicy
from mijnlieff.policies.searches import ending_options

__all__ = [
    "POLICY_FORMS",
    "PolicyLike",
    "check_policy_name",
    "load_policy",
    "name_of_path",
    "policy_name",
]

#: What functions that take a policy accept: a name or a path for `load_policy`, a policy, or an
#: object that has only one of its methods.
PolicyLike: TypeAlias = str | os.PathLike[str] | Policy | ActPolicy | BatchPolicy

POLICY_FORMS = (
    "random, greedy, minimax[:DEPTH], perfect[:EPSILON], rollouts:SIMULATIONS, "
    "champion[:SIMULATIONS], RUN_OR_FILE[:SIMULATIONS] (a run of `mijnlieff train`, its "
    "checkpoint, or a file of `mijnlieff export`), or MODULE:OBJECT"
)
"""The grammar of `load_policy` in a line."""


@dataclass(frozen=True)
class _Form:
    """What a name stands for: `make` gets the seed, and the number behind the colon if given."""

    make: Callable[..., Policy]
    number: type[int] | type[float] | None = None
    example: str = ""
    needs_number: bool = False


_FORMS = {
    "random": _Form(RandomPolicy),
    "greedy": _Form(GreedyPolicy),
    "minimax": _Form(lambda seed, depth=2: MinimaxPolicy(depth, seed), int, "minimax:4"),
    "perfect": _Form(PerfectPolicy, float, "perfect:0.1"),
    "rollouts": _Form(
        lambda seed, count: RolloutPolicy(count, seed), int, "rollouts:100", needs_number=True
    ),
    "champion": _Form(
        lambda seed, count=0: ChampionPolicy(seed, search=count or None), int, "champion:64"
    ),
}

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_OBJECT = re.compile(f"({_NAME}):({_NAME})")
_NETWORK_FILE = b"MIJNNETW"
_CHECKPOINT = b"PK"  # a zip archive, as PyTorch writes it
_IN_FOLDER = ("checkpoint.pt", "network.bin")
"""What a folder is searched for: a run has a checkpoint, a published network its file."""


def load_policy(policy: PolicyLike, seed: SupportsIndex = 0) -> Policy:
    """Return the policy that a name or a path stands for, or the policy itself.

    ========================== ====================================================================
    ``random``, ``greedy``     `RandomPolicy`, `GreedyPolicy`
    ``minimax:DEPTH``          `MinimaxPolicy`; ``minimax`` looks 2 plies ahead
    ``perfect:EPSILON``        `PerfectPolicy`; ``perfect`` never errs
    ``rollouts:SIMULATIONS``   `mijnlieff.policies.RolloutPolicy`
    ``champion:SIMULATIONS``   `ChampionPolicy` with a tree search; ``champion`` plays without
    ``PATH:SIMULATIONS``       a trained network with a tree search; ``PATH`` plays without. The
                               path is that of a run of ``mijnlieff train``, of its checkpoint, of
                               a file written by ``mijnlieff export``, or of a folder with such a
                               file named ``network.bin``, as from the Hugging Face Hub.
    ``MODULE:OBJECT``          an object with ``act`` or ``act_batch``, or what it returns when it
                               is called, from a module that can be imported
    ========================== ====================================================================

    A search by the network of a run solves positions near the end exactly where the run learned
    from exact values, as far as it did. One by the champion or a network in a file solves those
    with at most 9 empty cells, whatever the network has learned from.

    Args:
        policy: the name or path, or a policy. Of an object with only ``act`` or only ``act_batch``
            the other method is made. A file with the name of a built-in policy needs its folder,
            such as ``./random``.
        seed: the seed of a policy made from a name or a path, 0 to 2**64 - 1.

    Raises:
        ValueError: an unknown name, a module that does not exist, or a number or the seed out of
            range.
        TypeError: neither a name nor a path nor a policy, or the seed is not an integer.
        CheckpointError: the path does not exist, or it is neither a run nor a checkpoint nor a
            network nor a folder with one, or is damaged.
        PolicyError: the import of the module fails, it has no such object, or that is not a policy.
        MissingExtraError: the path is that of a checkpoint, and PyTorch is not installed.
    """
    if not isinstance(policy, str | os.PathLike):
        return whole_policy(policy)
    seed = seed_of(seed)
    text = os.fsdecode(policy)
    kind, colon, number = text.partition(":")
    if isinstance(policy, str) and kind in _FORMS:
        return _built_in(kind, number if colon else None, seed)
    if os.path.exists(text):
        return _from_path(Path(text), 0, seed)
    path, _, number = text.rpartition(":")
    if path and number.isdecimal() and os.path.exists(path):
        return _from_path(Path(path), int(number), seed)
    if path.endswith(".py") and os.path.isfile(path):
        file = Path(path).with_suffix("")
        module = file.name if file.is_absolute() else ".".join(file.parts)
        raise ValueError(
            f"{path} is not a network; MODULE:OBJECT has the module without .py, such as "
            f"{module}:{number}"
        )
    # A package may come with the network of its player.
    is_package = os.path.exists(os.path.join(path, "__init__.py"))
    if path and (os.path.isfile(path) or (_networks_in(Path(path)) and not is_package)):
        raise ValueError(
            f"{number!r} is not a number of simulations: a network takes one, such as {path}:64"
        )
    if names := _OBJECT.fullmatch(text):
        return _from_module(text, *names.groups())
    missing = _path_of(text)
    if isinstance(policy, os.PathLike) or _looks_like_path(missing):
        raise CheckpointError(f"there is no file or run folder {missing}")
    raise _names_nothing(text)


def check_policy_name(name: str) -> None:
    """Raise for a name that stands for no policy, without reading a file or importing a module.

    `load_policy` may still refuse the name: its path may be missing, and its module have no policy.

    Raises:
        ValueError: an unknown name, or a number out of range.
    """
    kind, colon, number = name.partition(":")
    if kind in _FORMS:
        _built_in(kind, number if colon else None, 0)
        return
    path = _path_of(name)
    is_path = _looks_like_path(path) or os.path.exists(path)
    if not is_path and _OBJECT.fullmatch(name) is None:
        raise _names_nothing(name)


def name_of_path(path: str | os.PathLike[str]) -> str:
    """Return a path as a name for `load_policy` that is not that of a built-in policy."""
    name = os.fsdecode(path)
    return name if os.path.dirname(name) else os.path.join(os.curdir, name)


def _path_of(text: str) -> str:
    """Return a path without the number of simulations."""
    path, _, number = text.rpartition(":")
    return path if path and number.isdecimal() else text


def _looks_like_path(text: str) -> bool:
    """Whether a text names a folder, or has a suffix as files have."""
    return Path(text).name != text or bool(Path(text).suffix)


def policy_name(policy: PolicyLike, loaded: Policy) -> str:
    """Return the name of a policy in reports: as it was given, or the `repr` of an object.

    A search that solves endings is named ``"... + solver"``: its moves are not the network's alone.
    """
    if not isinstance(policy, str | os.PathLike):
        return repr(policy)
    solves = getattr(loaded, "exact_endings", None) is not None
    return os.fsdecode(policy) + " + solver" * solves


def _built_in(kind: str, argument: str | None, seed: int) -> Policy:
    """Return a built-in policy; `argument` is what follows the colon, None without one."""
    form = _FORMS[kind]
    if argument is None:
        if form.needs_number:
            raise ValueError(f"the policy {kind!r} needs a number, such as {form.example}")
        return form.make(seed)
    if form.number is None:
        raise ValueError(f"the policy {kind!r} takes no number: not '{kind}:{argument}'")
    try:
        number = form.number(argument)
    except ValueError:
        wanted = "an integer" if form.number is int else "a number"
        raise ValueError(
            f"{argument!r} is not {wanted}: the policy {kind!r} takes one, such as {form.example}"
        ) from None
    return form.make(seed, number)


def _from_path(path: Path, num_simulations: int, seed: int) -> Policy:
    """Return the player of a folder, a checkpoint or an exported network; the path exists."""
    if path.is_dir():
        found = _networks_in(path)
        if not found:
            raise CheckpointError(
                f"the folder {path} holds no run and no network: there is no "
                f"{' and no '.join(_IN_FOLDER)}"
            )
        path = found[0]
    if path.is_fifo():  # it would wait for a writer
        raise CheckpointError(f"cannot read {path}: not a regular file")
    try:
        with path.open("rb") as file:
            start = file.read(len(_NETWORK_FILE))
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror or error}") from error
    if start == _NETWORK_FILE:
        search = ending_options(num_simulations) if num_simulations else None
        return NetworkPolicy(Network.load(path), search=search, seed=seed)
    if not start.startswith(_CHECKPOINT):
        raise CheckpointError(
            f"{path} is truncated, or not a checkpoint of `mijnlieff train` or a network of "
            "`mijnlieff export`"
        )
    from mijnlieff.train.extras import require_train_extra

    require_train_extra("torch")
    from mijnlieff.train.run.policy import policy_from_checkpoint

    return policy_from_checkpoint(path, num_simulations, seed)


def _networks_in(folder: Path) -> list[Path]:
    """Return the files of a folder that hold its network, the first one first."""
    # `Path.exists` fails for names that are too long.
    return [file for name in _IN_FOLDER if os.path.exists(file := folder / name)]


def _from_module(text: str, module: str, name: str) -> Policy:
    """Return an object of a module, or what it returns, as a policy."""
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        is_policy = isinstance(found, ActPolicy | BatchPolicy) and not isinstance(found, type)
        if callable(found) and not is_policy:
            found = found()
        return whole_policy(found)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise _unknown(text, f"there is no module {error.name!r}") from None
        raise PolicyError(f"cannot load the policy {text!r}: {error}") from error
    except Exception as error:  # the module may do anything
        reason = f"{type(error).__name__}: {error}"
        raise PolicyError(f"cannot load the policy {text!r}: {reason}") from error


def _names_nothing(text: str) -> ValueError:
    return _unknown(text, f"there is no file or run folder {_path_of(text)!r} either")


def _unknown(text: str, reason: str) -> ValueError:
    """Return the error about a name, which tells the nearest known one."""
    kind, colon, argument = text.partition(":")
    near = difflib.get_close_matches(kind.lower(), _FORMS, 1)
    hint = f"; did you mean {near[0] + colon + argument!r}?" if near else f"; choose {POLICY_FORMS}"
    return ValueError(f"unknown policy {text!r}, and {reason}{hint}")
