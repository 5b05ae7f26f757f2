"""mijnlieff.integrations.text.game.TextGame: a game of a model against a policy as texts."""

from __future__ import annotations

import random
import threading

import pytest

from mijnlieff import Position, RandomPolicy, Variant
from mijnlieff.errors import GameOverError, PolicyError
from mijnlieff.integrations.text import TextGame, prompt_text
from mijnlieff.policies import OpponentPool
from mijnlieff.rules import must_pass


def finished(**options):
    game = TextGame(**options)
    prompts = []
    while not game.is_over:
        prompts.append(game.prompt)
        game.play(f"[{game.prompt.rpartition('Legal moves: ')[2].split()[0]}]")
    return game, prompts


@pytest.mark.parametrize("variant", ["standard", "##/## anywhere 1", "##../##../..##/..##"])
def test_a_game_is_played_to_its_end(variant):
    outcomes = set()
    for seed in range(20):
        game, prompts = finished(variant=variant, seed=seed)
        end = game.position
        assert end.is_over and not game.forfeited and not game.illegal
        own = end.score[game.seat] - end.score[1 - game.seat]
        assert game.margin == own and game.outcome == (own > 0) - (own < 0)
        assert str(end) in game.prompt and "Choose" not in game.prompt
        assert all("played" in prompt for prompt in prompts[1:])
        outcomes.add(game.outcome)
        again, _ = finished(variant=variant, seed=seed)
        assert again.position == end and again.seat == game.seat
    assert len(outcomes) > 1 or Variant.from_text(variant).max_margin == 0


def test_seats_are_as_asked():
    assert {TextGame(seed=seed).seat for seed in range(10)} == {0, 1}
    light, dark = TextGame(seat="light"), TextGame(seat="dark")
    assert light.prompt == prompt_text(Position()) and light.position.ply == 0
    assert (dark.seat, dark.position.ply) == (1, 1)
    name = dark.position.variant.action_name(dark.position.last_action)
    assert dark.prompt.startswith(f"Light played {name}.\n\nMijnlieff is")


def test_forced_passes_are_played_without_asking():
    passed = 0
    for seed in range(40):
        game = TextGame(RandomPolicy(seed), seed=seed)
        while not game.is_over:
            assert not must_pass(game.position) and game.position.to_play == game.seat
            game.play(game.prompt.rpartition("Legal moves: ")[2].split()[0])
            passed += "You played pass." in game.prompt
    assert passed > 0


def test_illegal_replies_are_told_and_lose_at_last():
    game = TextGame(seat="light", retries=2)
    game.play("b2+")
    assert "b2 is not allowed in this turn" in game.prompt and not game.is_over
    assert game.prompt.endswith(prompt_text(game.position))
    game.play(None)
    game.play("a1+")  # legal replies are counted once more from 0
    for reply in ("a1+", "", "?"):
        assert not game.is_over
        game.play(reply)
    assert game.is_over and game.forfeited and game.outcome == -1 and game.margin == 0
    assert game.prompt.startswith("You lose, after 3 illegal replies; the last: it names no move")
    assert game.illegal == {"not allowed": 1, "no text": 1, "taken": 1, "no move": 2}
    with pytest.raises(GameOverError):
        game.play("b1+")


def test_an_error_of_the_opponent_leaves_the_game_as_it_was():
    class Failing:
        """Fails in its second turn, once."""

        turns = 0

        def act(self, position):
            self.turns += 1
            if self.turns == 2:
                raise ConnectionError("no server")
            return position.legal_actions()[0]

    game = TextGame(Failing(), seat="dark", retries=1)
    game.play("?")
    before, prompt = game.position, game.prompt
    move = f"[{prompt.rpartition('Legal moves: ')[2].split()[0]}]"
    with pytest.raises(ConnectionError, match="no server"):
        game.play(move)
    assert (game.position, game.prompt) == (before, prompt)
    game.play("?")
    assert game.forfeited  # the illegal reply before the error counts

    game = TextGame(Failing(), seat="dark")
    with pytest.raises(ConnectionError, match="no server"):
        game.play(move)
    game.play(move)
    assert game.position.ply == 3 and game.position.to_play == game.seat


class Drawing:
    """A policy with its own generator, which knows nothing of games."""

    def __init__(self):
        self.random = random.Random(0)

    def act(self, position):
        return self.random.choice(position.legal_actions())


@pytest.mark.parametrize(
    ("make", "draws_by_the_game"),
    [
        (lambda: RandomPolicy(3), True),
        (lambda: OpponentPool([RandomPolicy(1), RandomPolicy(2)]), True),
        (lambda: OpponentPool([Drawing(), Drawing()]), False),
        (Drawing, False),
    ],
)
def test_a_seed_gives_the_same_game_against_an_object(make, draws_by_the_game):
    opponent = make()
    first, *others, last = (
        finished(opponent=opponent, seat="dark", seed=seed)[1] for seed in (0, 1, 2, 0)
    )
    assert first == last == finished(opponent=make(), seat="dark", seed=0)[1]
    assert (first not in others) == draws_by_the_game  # the others start in the same state


def test_a_pool_keeps_its_player_for_the_whole_game():
    asked = []

    class Named:
        def __init__(self, name):
            self.name = name

        def act(self, position):
            asked.append(self.name)
            return position.legal_actions()[0]

    pool, players = OpponentPool([Named("one"), Named("other")]), []
    for seed in range(12):
        finished(opponent=pool, seed=seed)
        assert len(asked) > 3 and len(set(asked)) == 1
        players.append(asked[0])
        asked.clear()
    assert set(players) == {"one", "other"}


def test_an_opponent_that_cannot_be_copied_is_told():
    class Connected:
        def __init__(self):
            self.lock = threading.Lock()

        def act(self, position):
            return position.legal_actions()[0]

    class Shared(Connected):
        def __deepcopy__(self, memo):
            return self

    with pytest.raises(PolicyError, match=r"Connected object .* cannot be copied.*__deepcopy__"):
        TextGame(Connected())
    assert finished(opponent=Shared())[0].is_over


def test_the_rules_are_told_once_or_always():
    for repeat_rules in (False, True):
        _, (first, *others) = finished(repeat_rules=repeat_rules)
        assert "Mijnlieff is a board game" in first
        assert {"Mijnlieff is a board game" in it for it in others} == {repeat_rules}


def test_wrong_settings():
    with pytest.raises(ValueError, match="unknown seat 'left'; choose one of light, dark, random"):
        TextGame(seat="left")
    with pytest.raises(ValueError, match=r"unknown policy 'minmax:2'.*did you mean 'minimax:2'"):
        TextGame("minmax:2")
