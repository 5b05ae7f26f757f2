"""What docs/solution.md says about forced passes, and the script that finds it out."""

from __future__ import annotations

import re
from itertools import groupby

import numpy as np

from mijnlieff import Position, VectorEnv, parse_record
from processes import ROOT
from tools.measure import forced_passes as script

PASS = 64


def longest_row(actions: list[int]) -> int:
    """Passes of one player in a row, in the plainest way: every other action is theirs."""
    turns = (actions[player::2] for player in range(2))
    rows = [len(list(row)) for turn in turns for action, row in groupby(turn) if action == PASS]
    return max(rows, default=0)


def random_game(seed: int) -> list[int]:
    env = VectorEnv(1)
    env.reset(seed=seed)
    actions: list[int] = []
    while True:
        action = env.sample_actions()
        actions.append(int(action[0]))
        if env.step(action)[2][0]:
            return actions


def test_rows_of_random_games_are_counted_right():
    expected = np.bincount([longest_row(random_game(seed)) for seed in range(150)], minlength=9)
    for batch in (64, 150, 1000):
        assert script.random_rows(150, batch).tolist() == expected.tolist()


def test_no_row_is_longer_than_the_bound():
    rows = script.Rows()
    assert rows.bound[2, 2, 2, 2].max() == 8
    assert all(bound[-1] == 0 for bound in rows.bound.values())
    met = 0
    for seed in range(300):
        actions = random_game(seed)
        position = Position()
        for ply, action in enumerate(actions):
            # Passes of the opponent from here on, until they can play.
            answers = actions[ply + 1 :: 2]
            row = next((i for i, answer in enumerate(answers) if answer != PASS), len(answers))
            taken = sum(1 << cell for cell in np.flatnonzero(position.stones).tolist())
            hand = tuple(position.hands[position.to_play].tolist())
            if action != PASS:
                assert row <= rows.bound[hand][taken]
                met = max(met, row)
            position = position.play(action)
    assert met >= 2


def test_the_page_shows_a_game_with_the_longest_row():
    page = (ROOT / "docs" / "solution.md").read_text(encoding="utf-8")
    length, record = re.search(r"at most (\d) times in a row[^`]*`([^`]*#)`", page).groups()
    assert longest_row(parse_record(record)) == int(length) == 5
