"""Games as plain arrays: every state is a position, and every step is that of a position."""

from __future__ import annotations

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    IllegalMoveError,
    Position,
    PositionError,
    Variant,
    VariantError,
    VectorEnv,
    functional,
)
from reference import OPENINGS

LARGE = Variant(Board.from_text("#####\n" * 4))


BOARDS = {
    "full": "####\n" * 4,
    "gaps": "##..\n####\n..##\n.#.#",
    "cell": "#",
    "20": "#####\n" * 4,
    "32": "########\n" * 4,
    "64": "########\n" * 8,
}
VARIANTS = [
    pytest.param(Variant(Board.from_text(text), opening, copies), id=f"{name}-{opening}-{copies}")
    for number, (name, text) in enumerate(BOARDS.items())
    for opening, copies in zip(OPENINGS, np.roll([2, 3, 127, 1], number).tolist(), strict=True)
]


def sides(positions):
    return np.array([position.to_play for position in positions], np.int8)


def check_views(states, positions, variant):
    """Everything but steps, beside the positions."""
    masks = [
        np.ones(variant.num_actions, np.int8) if position.is_over else position.action_mask()
        for position in positions
    ]
    np.testing.assert_array_equal(functional.legal_mask(states, variant), masks)
    assert np.array_equal(functional.to_play(states, variant), sides(positions))
    scores = functional.score(states, variant)
    assert scores.dtype == np.int16
    assert [tuple(row) for row in scores.tolist()] == [position.score for position in positions]
    fits = variant.board.num_cells <= 16 and variant.copies <= 3
    layouts = [("flat", "float32"), ("planes", "uint8"), *([("packed", None)] if fits else [])]
    for layout, dtype in layouts:
        for player in (None, 0, 1):
            seen = functional.observe(states, layout, dtype, variant, player=player)
            expected = [position.observation(layout, dtype, player) for position in positions]
            assert seen.dtype == expected[0].dtype
            np.testing.assert_array_equal(seen, expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_are_those_of_positions(variant):
    rng = np.random.default_rng(5)
    # From 128 on, states of boards of 16 cells and fewer are stepped in another form.
    games = 130 if variant.copies == 2 and variant.board.num_cells <= 16 else 4
    words = 1 if variant.board.num_cells <= 16 else 5
    positions = [Position(variant)] * games
    states = functional.init(games, variant)
    assert (states.dtype, states.shape) == (np.uint64, (games, words)[: 1 if words == 1 else 2])
    over = np.zeros(games, bool)
    while not over.all():
        check_views(states, positions, variant)
        actions = np.array(
            [
                -5 if position.is_over else rng.choice(position.legal_actions())
                for position in positions
            ]
        )
        after = [
            position if position.is_over else position.play(action)
            for position, action in zip(positions, actions, strict=True)
        ]
        for reward in ("outcome", "margin"):
            before = states.copy()
            following, rewards, terminated = functional.step(
                states, actions, variant, reward=reward
            )
            assert np.array_equal(states, before)
            assert (rewards.dtype, terminated.dtype) == (np.float32, np.bool_)
            margins = np.array([position.margin for position in after])
            own = np.where(sides(positions) == 0, margins, -margins)
            paid = np.sign(own) if reward == "outcome" else own
            ended = np.array([position.is_over for position in after])
            assert np.array_equal(rewards, np.where(ended & ~over, paid, 0))
            assert np.array_equal(terminated, ended)
        assert np.array_equal(following[over], states[over])
        positions, states, over = after, following, ended
        packed = [position.to_packed() for position in positions]
        assert np.array_equal(states, np.array(packed, np.uint64))
        assert np.array_equal(functional.from_positions(positions), states)
        for text, word, read in zip(
            [position.notation for position in positions],
            packed,
            functional.to_positions(states, variant),
            strict=True,
        ):
            assert read.notation == text
            assert Position.from_packed(word, variant).notation == text
    check_views(states, positions, variant)


def test_the_words_are_as_documented():
    # a1+ is a Straight of Light on cell 0, a3>< a Puller of Dark on cell 8.
    states, _, _ = functional.step(functional.init(1), [0])
    assert states.tolist() == [1 | 1 << 52 | 2 << 58]
    states, _, _ = functional.step(states, [3 * 16 + 8])
    assert states.tolist() == [1 | 8 << 26 | 2 << 52 | 10 << 58]
    corner = Variant(LARGE.board, "corner")
    states, _, _ = functional.step(functional.init(1, corner), [0], corner)
    assert states.tolist() == [[1, 0, 0, 0, 1 | 2 << 8]]
    states, _, _ = functional.step(states, [3 * 20 + 10], corner)
    assert states.tolist() == [[1, 1 << 10, 1 << 10, 1 << 10, 2 | 12 << 8]]


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_are_those_of_a_vector_env(variant):
    env = VectorEnv(300, variant, illegal_action="lose", reward="margin")
    observations, info = env.reset(seed=3)
    states, over = functional.init(300, variant), np.zeros(300, bool)
    while not over.all():
        going = ~over  # the others have restarted in the environment
        seen = functional.observe(states, variant=variant)
        assert np.array_equal(seen[going], observations[going])
        mask = functional.legal_mask(states, variant)
        assert np.array_equal(mask[going], info["action_mask"][going])
        assert mask[over].all()
        actions = env.sample_actions()
        actions[::50] = variant.pass_action  # nearly always illegal
        states, rewards, over = functional.step(
            states, actions, variant, reward="margin", illegal_action="lose"
        )
        observations, expected, ended, _, info = env.step(actions)
        assert np.array_equal(rewards, np.where(going, expected, 0))
        assert np.array_equal(over, ended | ~going)


def test_players_see_the_same_from_their_sides():
    position = Position().play("a1+").play("a3><").play("a2x")
    cells = 16
    for layout, dtype in (("planes", "float32"), ("flat", "uint8"), ("packed", None)):
        own = position.observation(layout, dtype, player=1)
        assert np.array_equal(own, position.observation(layout, dtype))
    other = position.observation("flat", "uint8", player=0)
    own = position.observation("flat", "uint8")
    assert np.array_equal(other[:cells], own[cells : 2 * cells])
    assert np.array_equal(other[cells : 2 * cells], own[:cells])
    assert not other[2 * cells : 3 * cells].any()
    assert np.array_equal(other[3 * cells :], np.roll(own[3 * cells :], 4))
    packed = position.observation("packed", player=0)
    expanded = mijnlieff.encoding.expand_packed(packed)
    assert np.array_equal(expanded, position.observation("flat", "float32", player=0))
    with pytest.raises(ValueError, match="player must be 0 to 1, not 2"):
        position.observation(player=2)
    with pytest.raises(TypeError, match="player must be an integer, not True"):
        position.observation(player=True)


@pytest.mark.parametrize("dtype", ["float64", "uint8", object, None])
def test_packed_observations_are_uint64_whatever_the_dtype(dtype):
    states = functional.init(3)
    packed = functional.observe(states, "packed", dtype)
    assert packed.dtype == np.uint64
    assert np.array_equal(packed, functional.observe(states, "packed"))


def test_an_illegal_action_names_the_game_and_changes_nothing():
    states, actions = functional.init(5), np.zeros(5, np.int64)
    actions[3] = 64
    with pytest.raises(IllegalMoveError, match=r"game 3: action 64 \(pass\) is illegal") as caught:
        functional.step(states, actions)
    assert (caught.value.env_index, caught.value.action) == (3, 64)
    assert caught.value.legal_actions == Position().legal_actions().tolist()
    assert not states.any()
    for action in (65, 128, 2**40, -1, 2**63, 10**30):
        for games in (2, 200):  # few are stepped in another form than many
            with pytest.raises(IllegalMoveError, match=f"game 1: action {action} does not exist"):
                functional.step(functional.init(games), [0, action, *[0] * (games - 2)])


def test_the_first_error_is_told_whatever_the_threads():
    states, actions = functional.init(5000), np.zeros(5000, np.int64)
    states[4000], actions[4500] = 7, 65
    with pytest.raises(PositionError, match=r"state 4000 \(0x7\): impossible position: "):
        functional.step(states, actions, num_threads=3)
    actions[2000], actions[1500] = -1, 64
    with pytest.raises(IllegalMoveError, match=r"game 1500: action 64 \(pass\) is illegal"):
        functional.step(states, actions, num_threads=3)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_lost_by_an_illegal_action_is_over(variant):
    start = Position(variant)
    opening = start.legal_actions()[0]
    states, rewards, terminated = functional.step(
        functional.init(2, variant),
        [variant.pass_action, opening],
        variant,
        reward="margin",
        illegal_action="lose",
    )
    assert (rewards[0], terminated[0]) == (-1.0, True)
    again, rewards, terminated = functional.step(states[:1], [opening], variant)
    assert np.array_equal(again, states[:1])
    assert (rewards[0], terminated[0]) == (0.0, True)
    assert functional.legal_mask(states, variant)[0].all()
    seen = functional.observe(states, variant=variant)[0]
    assert np.array_equal(seen, start.observation("flat"))
    message = "state 0: an illegal action has ended the game"
    with pytest.raises(PositionError, match=message):
        functional.to_positions(states, variant)
    with pytest.raises(PositionError, match=message):
        Position.from_packed(states[0], variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_number_that_no_action_has_never_loses(variant):
    opening = Position(variant).legal_actions()[0]
    env = VectorEnv(2, variant, illegal_action="lose")
    env.reset(seed=0)
    states = functional.init(2, variant)
    for number in (variant.num_actions, 999, -1):
        message = f"game 1: action {number} does not exist"
        actions = [variant.pass_action, number]
        with pytest.raises(IllegalMoveError, match=message):
            functional.step(states, actions, variant, illegal_action="lose")
        with pytest.raises(IllegalMoveError, match=message):
            env.step(actions)
    # Nor does it matter in a game that is over.
    states, _, _ = functional.step(
        states, [variant.pass_action, opening], variant, illegal_action="lose"
    )
    functional.step(states, [999, variant.pass_action], variant, illegal_action="lose")


WORDS = [
    (6561, "bits 0 to 12 hold 6561, four cells are at most 6560"),
    (1, "impossible position: Light has 1 stones after only 0 turns"),
    (1 << 52, "1 turns have been played, but the last one is not given"),
    (1 | 3 << 52 | 2 << 58, "2 passes are more than the 0 that 1 placements leave room for"),
    (19 << 58, "the last turn is 19, it must be 0 .none., 1 .pass. or 2 to 17"),
    (1 | 1 << 52 | 3 << 58, "the last turn needs a Straight of Light on cell 1"),
    (2**64 - 1, "bits 0 to 12 hold 8191"),
    # SSDD/PPLL/ssdd/ppl. pass 17
    (0x5132F331A65C2CE, "the last turn is a pass, but Light had no pieces left"),
]


@pytest.mark.parametrize(("word", "message"), WORDS)
def test_words_that_are_not_states_are_refused(word, message):
    states, many = functional.init(3), functional.init(200)  # which are read in another form
    states[2] = many[2] = word
    for call in (
        lambda: functional.step(states, [0, 0, 0]),
        lambda: functional.step(many, np.zeros(200, np.int64)),
        lambda: functional.legal_mask(states),
        lambda: functional.legal_mask(many),
        lambda: functional.observe(states),
        lambda: functional.to_play(states),
        lambda: functional.score(states),
        lambda: functional.to_positions(states),
    ):
        with pytest.raises(PositionError, match=rf"state 2 \({word:#x}\): .*{message}"):
            call()
    with pytest.raises(PositionError, match=message):
        Position.from_packed(word)


def test_rows_that_are_not_states_are_refused():
    row = LARGE.board.num_cells
    for words, message in [
        ([1 << row, 0, 0, 0, 0], "stone on cell 20, but the board has only 20 cells"),
        ([1, 1, 0, 0, 0], "cell 0 has a stone of Light and one of Dark"),
        ([0, 0, 2, 0, 0], "cell 1 has a type but not a stone"),
        ([0, 0, 0, 0, 1 << 15], "its bits 15 to 62 must be 0"),
        ([0, 0, 0, 0, 22 << 8], "the last turn is 22"),
    ]:
        states = np.array([words], np.uint64)
        with pytest.raises(PositionError, match=message):
            functional.legal_mask(states, LARGE)
        with pytest.raises(PositionError, match=message):
            Position.from_packed(states[0], LARGE)


def test_bad_arguments():
    states = functional.init(3)
    cases = [
        (lambda: functional.step(states.astype(np.int64), [0] * 3), TypeError, "uint64, not int64"),
        (lambda: functional.legal_mask(np.zeros(3)), TypeError, "uint64, not float64"),
        (lambda: functional.legal_mask(0), TypeError, "uint64, not int64"),
        (lambda: functional.legal_mask(np.uint64(0)), ValueError, r"shape \(n,\), not \(\)"),
        (lambda: functional.legal_mask(states[None]), ValueError, r"\(n,\), not \(1, 3\)"),
        (lambda: functional.legal_mask(states, LARGE), ValueError, r"\(n, 5\), not \(3,\)"),
        (lambda: functional.step(states, [0, 0]), ValueError, r"shape \(3,\), one for each game"),
        (lambda: functional.step(states, [0.5] * 3), TypeError, "must be an integer|be integers"),
        (lambda: functional.step(states, [0] * 3, reward="points"), ValueError, "unknown reward"),
        (
            lambda: functional.step(states, [0] * 3, illegal_action="pass"),
            ValueError,
            "unknown illegal_action",
        ),
        (lambda: functional.step(states, [0] * 3, num_threads=0), ValueError, "1 to 1024"),
        (lambda: functional.step(states, [0] * 3, 2), TypeError, "Variant"),
        (lambda: functional.observe(states, "pixels"), ValueError, "unknown observation layout"),
        (lambda: functional.observe(states, dtype="int8"), TypeError, "float32 or uint8"),
        (lambda: functional.observe(states, player=2), ValueError, "player must be 0 to 1"),
        (
            lambda: functional.observe(states, "packed", variant=Variant(copies=4)),
            VariantError,
            "at most 16 cells and 3 copies",
        ),
        (lambda: functional.init(-1), ValueError, "n must be 0 to"),
        (lambda: functional.init(1.5), TypeError, "n must be an integer"),
        (lambda: functional.init(2**62), MemoryError, "not enough memory for the states"),
        (lambda: functional.from_positions([]), ValueError, "the list of positions is empty"),
        (lambda: Position.from_packed(-1), ValueError, "word must be 0 to"),
        (lambda: Position.from_packed(2**64), ValueError, "word must be 0 to"),
        (lambda: Position.from_packed("0"), TypeError, "word must be an integer"),
        (lambda: Position.from_packed(0, LARGE), TypeError, "must be uint64"),
        (lambda: Position.from_packed(states, LARGE), ValueError, r"shape \(5,\), not \(3,\)"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


def test_any_layout_in_memory_and_any_number_of_states():
    env = VectorEnv(600)
    env.reset(seed=0)
    for _ in range(10):
        env.step(env.sample_actions())
    states = functional.from_positions(env.positions())
    every = states[::-3]
    assert np.array_equal(functional.legal_mask(every), functional.legal_mask(states)[::-3])
    assert functional.observe(states[:0]).shape == (0, 56)
    assert functional.legal_mask(functional.init(0, LARGE), LARGE).shape == (0, 81)
    records = np.zeros(len(states), [("done", "?"), ("state", "u8"), ("action", "i8")])
    records["state"], records["action"] = states, functional.legal_mask(states).argmax(axis=1)
    assert np.array_equal(functional.observe(records["state"]), functional.observe(states))
    stepped = functional.step(records["state"], records["action"])[0]
    assert np.array_equal(stepped, functional.step(states, records["action"].copy())[0])
    empty, rewards, terminated = functional.step(states[:0], np.zeros(0, np.int64))
    assert (len(empty), len(rewards), len(terminated)) == (0, 0, 0)


@pytest.mark.parametrize("variant", [Variant(), LARGE], ids=["small", "large"])
def test_threads_change_nothing(variant):
    rng = np.random.default_rng(5)

    def choose(states):
        mask = functional.legal_mask(states, variant)
        return (mask * rng.random(mask.shape)).argmax(axis=1)

    states = functional.init(3000, variant)
    for turn in range(20):  # to positions of many stages of a game
        some = states[turn % 7 :: 1 + turn % 3]
        some[...] = functional.step(some, choose(some), variant)[0]
    actions = choose(states)
    results = [
        (
            functional.observe(states, variant=variant, player=1, num_threads=threads),
            functional.legal_mask(states, variant, num_threads=threads),
            *functional.step(states, actions, variant, num_threads=threads),
        )
        for threads in (1, 2, 5)
    ]
    for other in results[1:]:
        for one, result in zip(results[0], other, strict=True):
            assert np.array_equal(one, result)
