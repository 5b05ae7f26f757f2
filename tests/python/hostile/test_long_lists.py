"""What a sequence says of its length is not believed: the items count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mijnlieff as m

POSITION = m.Position()


class Boastful(list):
    """A list that claims to be longer than any memory."""

    def __len__(self) -> int:
        return 2**62


def started() -> m.VectorEnv:
    env = m.VectorEnv(2)
    env.reset()
    return env


TAKERS: dict[str, Callable[[object], object]] = {
    "mask_batch": m.encoding.mask_batch,
    "observe_batch": m.encoding.observe_batch,
    "from_blocks": m.Board.from_blocks,
    "TreeSearch": m.TreeSearch,
    "restart": lambda positions: m.TreeSearch([POSITION], 1).restart(positions),
    "act_batch": m.RandomPolicy().act_batch,
    "the champion's act_batch": m.ChampionPolicy().act_batch,
    "rollout": m.envs.rollout,
    "play_match": lambda openings: m._mijnlieff.play_match(
        openings, m.RandomPolicy(), m.GreedyPolicy()
    ),
    "solve_batch": lambda positions: m._mijnlieff.Solver(m.Variant(), 1 << 20).solve_batch(
        positions
    ),
    "set_positions": lambda positions: started()._batch.set_positions(positions),
    "reset mask": lambda mask: started()._batch.reset(None, mask),
    "reset seeds": lambda seeds: started()._batch.reset(seeds),
    "restore": lambda games: started()._batch.restore((True, games)),
}


@pytest.mark.parametrize("name", TAKERS)
@pytest.mark.parametrize("length", [10**12, 2**62])
def test_the_first_item_is_looked_at_first(name, length):
    given = range(length)
    if name == "reset seeds":
        given = Boastful(["seed"])
    with pytest.raises(TypeError, match=r"(item|position) 0|'int'|'str'"):
        TAKERS[name](given)


@pytest.mark.parametrize("length", [10**12, 2**62])
def test_actions_are_played_as_they_come(length):
    # The fourth action rules the fifth out.
    for take in (m.Position.from_actions, m.format_record):
        with pytest.raises(m.errors.IllegalMoveError, match="move 5: action 4"):
            take(range(length))


def test_lists_that_boast_are_as_long_as_they_are():
    positions = Boastful([POSITION, POSITION])
    assert m.encoding.mask_batch(positions).shape == (2, 65)
    assert len(m.TreeSearch(positions, 1)) == 2
    assert m.envs.rollout(positions)[1].shape == (2, 1)
    actions = ["a1+", "a3><"]
    position = m.Position.from_actions(actions)
    assert m.Position.from_actions(Boastful(actions)) == position
    assert m.format_record(Boastful(actions)) == m.format_record(actions)


def test_any_sequence_will_do():
    array = np.empty(2, dtype=object)
    array[:] = [POSITION, POSITION]
    for positions in ((POSITION, POSITION), array):
        assert m.encoding.mask_batch(positions).shape == (2, 65)


@pytest.mark.parametrize("given", ["aa", 3, {0: POSITION}, {POSITION}, iter([POSITION])])
def test_what_is_not_a_sequence_is_refused(given):
    with pytest.raises(TypeError, match=r"must be a list of Position"):
        m.encoding.mask_batch(given)
