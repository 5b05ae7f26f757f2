"""The worst case of a policy: the margin it is guaranteed against every opponent."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    EXACT_CELLS,
    BestResponseSearch,
    PerfectPolicy,
    Position,
    Tablebase,
    common_variant,
    mask_batch,
)
from mijnlieff._util.arguments import check_choice, integer, integer_from, threads_of
from mijnlieff._util.output import LineClock, progress_bar
from mijnlieff.errors import BoardError, GameOverError, PolicyError
from mijnlieff.evaluation.best_response_report import BestResponse, BestResponseCase, record_of
from mijnlieff.policies.base import Policy, act_checked, legal_names
from mijnlieff.policies.load import PolicyLike, load_policy, policy_name
from mijnlieff.solving import solve, solve_batch

__all__ = ["MAX_POSITIONS", "best_response"]

_SEATS = {"light": (0,), "dark": (1,), "both": (0, 1)}
MAX_POSITIONS = 20_000_000
"""The most positions to keep unless told otherwise: about 1.2 GB."""
_BATCH = 1 << 15
"""Positions that the policy is asked about at once."""
_ASKED_TWICE = 64
"""Positions of a batch asked again, where a policy does not say that it never draws."""
_ANY_MARGIN = 2**31 - 1

_Endings: TypeAlias = tuple[int | None, int]
"""Where exact margins are known to be kept: up to so many empty cells, and so many points."""
_NO_ENDINGS: _Endings = (None, 0)
_Answer = Callable[[BestResponseSearch, list[Position]], None]


def best_response(
    policy: PolicyLike,
    *,
    seat: Literal["light", "dark", "both"] = "dark",
    start: Position | Sequence[Position] | None = None,
    max_positions: int = MAX_POSITIONS,
    max_refutations: int = 1000,
    settle: bool = True,
    horizon: int | None = None,
    progress: bool = False,
    num_threads: int | None = None,
    name: str | None = None,
    tablebase: Tablebase | None = None,
) -> BestResponse:
    """Return the exact guarantees of a policy against every opponent.

    All moves of the opponent are followed, turn by turn, and the policy is asked for its own moves.
    Equal positions of a turn are searched once; symmetric positions do not count as equal. So the
    policy must choose the same moves in equal positions (see `Position`), whatever moves led there.

    A policy that draws its moves at random needs a method ``action_probabilities(positions)`` that
    returns the probability of every action, ``(B, num_actions)``. Then all actions with a
    probability above 0 are followed, and the result holds for the unluckiest draws. The built-in
    policies and networks have this method. If the policy's attribute ``is_deterministic`` is true,
    it is only asked for actions. A policy without either is asked about some positions twice, to
    find out whether it draws.

    A policy may also have an attribute ``exact_endings``, a tuple ``(empty_cells, margin)``: it
    keeps the exact margin in every position with at most this many empty cells and an exact margin
    of at most this many points, won or lost. There the solver gives the guarantee. Searches that
    solve endings have the attribute, and `PerfectPolicy` is treated as if it had.

    >>> import mijnlieff
    >>> report = mijnlieff.best_response("perfect")
    >>> report.margin, report.value  # Dark is guaranteed its win by one point
    (1, 1)

    Args:
        policy: a policy, or a name for `load_policy`.
        seat: the seat of the policy: ``"light"``, ``"dark"`` or ``"both"``.
        start: a position, or several of one variant; None is the start of the standard game.
        max_positions: the most positions of one seat to keep, at about 60 bytes each.
        max_refutations: the most refutations to return.
        settle: whether to believe `exact_endings`. False asks the policy until the games are over.
        horizon: from this ply on, the policy is not asked but assumed to play perfectly. That may
            take far fewer positions. Mistakes before it are exact, and the margin is an upper bound
            of the guarantee. None asks until the end.
        progress: show a progress bar, or a line every ten seconds where stderr is not a terminal.
        num_threads: threads for the exact search, 1 to 1024; None is as many as there are cores.
        name: the name of the policy in the report; None is the name as it was given, or the `repr`
            of an object.
        tablebase: where to look exact margins up, rather than search.

    Raises:
        ValueError: an unknown policy or seat, no start, starts of several variants, or a number out
            of range.
        TypeError: a start is not a `Position`, or a number is not an integer.
        BoardError: the board has more than 16 cells.
        GameOverError: a start is a finished game.
        PolicyError: the policy draws at random and does not give probabilities, or it chose an
            illegal action.
        SearchLimitError: more than `max_positions` positions can be reached.
    """
    check_choice("seat", seat, _SEATS)
    max_positions = integer_from("max_positions", max_positions, 1)
    max_refutations = integer_from("max_refutations", max_refutations, 0)
    num_threads = threads_of(num_threads)
    horizon = None if horizon is None else integer_from("horizon", horizon, 0)
    examined = load_policy(policy)
    starts = _starts(start)
    answer = _answerer(examined)
    cells, margin = _exact_endings(examined) if settle else _NO_ENDINGS
    values = solve_batch(starts, num_threads, tablebase=tablebase).margins.astype(int)
    to_play = np.array([position.to_play for position in starts])
    cases: list[BestResponseCase] = []
    positions: Counter[int] = Counter()
    mistakes: dict[int, tuple[int, int]] = {}
    refutations: list[tuple[int, str]] = []
    for player in _SEATS[seat]:
        signs = np.where(to_play == player, 1, -1)
        outcomes = np.sign(signs * values)
        # Whether a move gives the outcome away depends on the outcome to keep.
        for outcome in np.unique(outcomes):
            chosen = np.flatnonzero(outcomes == outcome)
            group = [starts[i] for i in chosen]
            search = BestResponseSearch(
                group,
                player,
                exact_cells=cells,
                exact_margin=margin,
                horizon=horizon,
                least_margin=None if outcome < 0 else int(outcome),
                max_positions=max_positions,
                num_threads=num_threads,
                tablebase=tablebase,
            )
            _run(search, answer, progress)
            found = search.finish(max_refutations)
            # Beyond the horizon, the policy may play worse than is assumed.
            rest = PerfectPolicy(tablebase=tablebase) if horizon is not None else examined
            worst = found.worst
            game = _to_the_end(rest, player, group[worst.start], worst.actions, tablebase)
            for number, (i, guaranteed) in enumerate(zip(chosen, found.margins, strict=True)):
                cases.append(
                    BestResponseCase(
                        seat=("light", "dark")[player],
                        start=starts[i],
                        margin=guaranteed,
                        value=int(signs[i] * values[i]),
                        worst_game=game if number == worst.start else None,
                    )
                )
            positions.update(dict(enumerate(found.positions)))
            for ply, kept, given_away in found.mistakes:
                before = mistakes.get(ply, (0, 0))
                mistakes[ply] = (before[0] + kept, before[1] + given_away)
            refutations += [
                (
                    group[line.start].ply + len(line.actions),
                    record_of(group[line.start], line.actions),
                )
                for line in found.refutations
            ]
    refutations.sort(key=operator.itemgetter(0))
    return BestResponse(
        policy=name or policy_name(policy, examined),
        seat=seat,
        horizon=horizon,
        cases=tuple(cases),
        positions={ply: count for ply, count in sorted(positions.items()) if count},
        mistakes=dict(sorted(mistakes.items())),
        refutations=tuple(record for _, record in refutations[:max_refutations]),
    )


def _run(search: BestResponseSearch, answer: _Answer, progress: bool) -> None:
    """Ask the policy until nothing is left to ask."""
    clock = LineClock()
    ply, count, positions = search.ask(_BATCH)
    while positions:
        current, unit = ply, f"positions after {ply} turns"
        with progress_bar(count, unit, enabled=progress, clock=clock) as move_on:
            while positions and ply == current:
                answer(search, positions)
                move_on(len(positions))
                ply, count, positions = search.ask(_BATCH)


def _starts(start: Position | Sequence[Position] | None) -> list[Position]:
    """Return the positions to start from, after checking them."""
    if start is None:
        start = Position()
    if isinstance(start, Position):
        start = [start]
    if not isinstance(start, Iterable):
        raise TypeError(f"start must be a Position or several, not {start!r}")
    starts = list(start)
    variant = common_variant(starts)
    cells = variant.board.num_cells
    if cells > EXACT_CELLS:
        raise BoardError(
            f"best_response needs a board of at most {EXACT_CELLS} cells, this one has {cells}"
        )
    for i, position in enumerate(starts):
        if position.is_over:
            raise GameOverError(f"start {i}: the game is over")
    return starts


def _answerer(policy: Policy) -> _Answer:
    """Return the function that asks the policy and passes its answer on."""
    deterministic = getattr(policy, "is_deterministic", None)
    if deterministic:
        return lambda search, asked: search.answer(act_checked(policy, asked))
    if hasattr(policy, "action_probabilities"):
        return lambda search, asked: search.answer_with_sets(_possible(policy, asked))
    if deterministic is not None:
        raise PolicyError(_drawing(policy))

    def ask_some_twice(search: BestResponseSearch, asked: list[Position]) -> None:
        actions = act_checked(policy, asked)
        again = act_checked(policy, asked[:_ASKED_TWICE])
        if not np.array_equal(actions[:_ASKED_TWICE], again):
            raise PolicyError(_drawing(policy))
        search.answer(actions)

    return ask_some_twice


def _drawing(policy: Policy) -> str:
    return (
        f"{policy!r} draws its moves at random; its worst case needs a method "
        "action_probabilities(positions), which returns the probability of every action"
    )


def _possible(policy: Policy, positions: list[Position]) -> NDArray[np.bool_]:
    """Return the actions with a probability above 0, bool ``(B, num_actions)``."""
    probabilities = np.asarray(policy.action_probabilities(positions))  # type: ignore[attr-defined]
    expected = (len(positions), positions[0].variant.num_actions)
    if probabilities.shape != expected or probabilities.dtype.kind not in "fiub":
        raise PolicyError(
            f"action_probabilities of {policy!r} returned an array of dtype {probabilities.dtype} "
            f"and shape {probabilities.shape}; it must return numbers of shape {expected}"
        )
    if not (np.isfinite(probabilities).all() and (probabilities >= 0).all()):
        raise PolicyError(f"action_probabilities of {policy!r} must be finite and at least 0")
    possible = np.ascontiguousarray(probabilities > 0)
    legal = mask_batch(positions).astype(bool)
    for i in np.flatnonzero((possible & ~legal).any(axis=1) | ~possible.any(axis=1)):
        raise PolicyError(
            f"{policy!r} may choose {np.flatnonzero(possible[i]).tolist()} in position {i}, "
            f"{positions[i]!r}, where only {np.flatnonzero(legal[i]).tolist()} are legal: "
            f"{legal_names(positions[i])}"
        )
    return possible


def _exact_endings(policy: Policy) -> _Endings:
    """Return where the policy is known to keep the exact margin.

    Raises:
        TypeError: it says so by something else than two integers.
    """
    if isinstance(policy, PerfectPolicy):
        return (EXACT_CELLS, _ANY_MARGIN) if policy.epsilon == 0 else _NO_ENDINGS
    endings = getattr(policy, "exact_endings", None)
    if endings is None:
        return _NO_ENDINGS
    if not isinstance(endings, Sequence) or len(endings) != 2:
        raise TypeError(
            f"exact_endings must be two integers, (empty_cells, margin), not {endings!r}"
        )
    cells, margin = (integer("exact_endings", number) for number in endings)
    return min(max(cells, 0), EXACT_CELLS), min(max(margin, 0), _ANY_MARGIN)


def _to_the_end(
    policy: Policy,
    player: int,
    start: Position,
    actions: Sequence[int],
    tablebase: Tablebase | None,
) -> str:
    """Return the record of a game, continued by the policy and perfect play of the opponent."""
    actions = list(actions)
    position = reduce(Position.play, actions, start)
    while not position.is_over:
        own = position.to_play == player
        if own:
            action = int(act_checked(policy, [position])[0])
        else:
            action = solve(position, tablebase=tablebase).best_actions[0]
        actions.append(action)
        position = position.play(action)
    return record_of(start, actions)
