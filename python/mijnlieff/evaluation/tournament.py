"""Tournaments: every pair of policies plays a match, and every policy gets a rating."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import combinations
from typing import Any

from mijnlieff._mijnlieff import SEEDS, Network
from mijnlieff._util.executors import check_executor, check_picklable, map_jobs, shared
from mijnlieff._util.output import progress_bar
from mijnlieff.evaluation.match import Conditions, on_worker, play
from mijnlieff.evaluation.tournament_report import TournamentReport
from mijnlieff.policies.base import Policy
from mijnlieff.policies.load import PolicyLike, load_policy
from mijnlieff.policies.network import NetworkPolicy
from mijnlieff.rules import VariantLike

__all__ = ["schedule", "tournament"]

_SEED_STEP = 2**32
"""The distance between seeds of matches, so that tournaments of consecutive seeds share none."""


def tournament(
    policies: Mapping[str, PolicyLike],
    games: int = 1000,
    variant: VariantLike | None = None,
    opening_plies: int = 2,
    seed: int = 0,
    progress: bool = False,
    num_threads: int | None = None,
    *,
    executor: Executor | None = None,
) -> TournamentReport:
    """Play a match between every pair of policies, and rate the policies.

    The matches are those of `evaluate`, in the order of `itertools.combinations`. Match ``m`` has
    the seed ``seed + m * 2**32``, so every match has its own openings and can be repeated alone.

    Args:
        policies: two or more policies by their names in the report; each is a policy, or a name for
            `load_policy`.
        games: games of each match, a positive even number.
        variant: the variant to play; None is the standard game.
        opening_plies: random plies before the policies take over.
        seed: the seed of the openings and of built-in policies, 0 to 2**64 - 1.
        progress: show a progress bar, or a line every ten seconds where stderr is not a terminal.
        num_threads: threads for built-in policies, 1 to 1024; None is as many as there are cores,
            or 1 in each worker of an executor.
        executor: workers that play a match at a time; see `evaluate`.

    Raises:
        ValueError: fewer than two policies, or arguments that `evaluate` rejects. No game has been
            played.
        TypeError: `policies` is not a mapping with text keys, a number is not an integer, or
            `executor` is not an executor, or a policy cannot be pickled for its processes.
        PolicyError: a policy chose an illegal action; the message names the position.
        ClusterError: the executor was shut down, or its workers died.
    """
    check_executor(executor)
    conditions = Conditions.checked(games, variant, opening_plies, seed, num_threads)
    loaded = _loaded(policies)
    pairings = schedule(list(loaded), conditions)
    with progress_bar(len(pairings) * conditions.games, "games", enabled=progress) as move_on:
        if executor is None:
            finished = move_on if progress else None
            matches = [
                play(
                    _player(policies[first], loaded[first]),
                    _player(policies[second], loaded[second]),
                    match,
                    finished,
                    (first, second),
                )
                for first, second, match in pairings
            ]
        else:
            for player in loaded.values():
                check_picklable(executor, player)
            sent = {name: shared(executor, player) for name, player in loaded.items()}

            def player_of_job(name: str) -> Any:
                # Without `put` a job has the object itself, and threads would share what it
                # remembers.
                is_itself = sent[name] is loaded[name]
                return _player(policies[name], loaded[name]) if is_itself else sent[name]

            jobs = [
                (*map(player_of_job, (first, second)), on_worker(match), None, (first, second))
                for first, second, match in pairings
            ]
            matches = map_jobs(executor, play, jobs, lambda _: move_on(conditions.games))
    return TournamentReport.from_matches(matches, seed=conditions.seed)


def _loaded(policies: Mapping[str, PolicyLike]) -> dict[str, Policy]:
    """Return the policies by name; see `tournament` for them and the errors."""
    if not isinstance(policies, Mapping):
        kind = type(policies).__name__
        raise TypeError(f"policies must be a mapping of names to policies, not a {kind}")
    loaded: dict[str, Policy] = {}
    for name, policy in policies.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a policy must be a str, not {name!r}")
        loaded[name] = load_policy(policy)
    return loaded


def _player(given: PolicyLike, loaded: Policy) -> Policy:
    """Return who plays a match: a policy as it is, and one by name as if just loaded.

    A network is not loaded again: while a run goes on, its file would have another one.
    """
    if not isinstance(given, str | os.PathLike):
        return loaded
    is_network = isinstance(loaded, NetworkPolicy) and isinstance(loaded.model, Network)
    return copy.deepcopy(loaded) if is_network else load_policy(given)


def schedule(names: Sequence[str], conditions: Conditions) -> list[tuple[str, str, Conditions]]:
    """Return the matches of a tournament: the names of both policies, and the settings.

    Args:
        names: of the policies.
        conditions: the settings of the tournament.

    Raises:
        ValueError: fewer than two policies.
    """
    if len(names) < 2:
        raise ValueError(f"a tournament needs two or more policies, not {len(names)}")
    return [
        (*pair, replace(conditions, seed=(conditions.seed + number * _SEED_STEP) % SEEDS))
        for number, pair in enumerate(combinations(names, 2))
    ]
