"""A game of a model against a policy, as prompts and replies."""

from __future__ import annotations

from collections import Counter
from typing import Any, SupportsIndex

import numpy as np

from mijnlieff._mijnlieff import Position, as_variant
from mijnlieff._util.arguments import check_choice, integer_from, seed_of
from mijnlieff.errors import GameOverError, ReplyError
from mijnlieff.integrations.text.prompts import correction_text, prompt_text
from mijnlieff.integrations.text.replies import read_move
from mijnlieff.policies.base import act_checked, own_copy
from mijnlieff.policies.load import PolicyLike, load_policy
from mijnlieff.policies.streams import mix
from mijnlieff.rules import PLAYERS, VariantLike, must_pass

__all__ = ["SEATS", "TextGame"]

SEATS = ("light", "dark", "random")
"""The seats that a model may be given."""


class TextGame:
    """A game of a model against a policy: ask for `prompt`, give the reply to `play`.

    Forced passes are played without asking. The model loses when it gives more than `retries`
    illegal replies for one move.

    >>> from mijnlieff.integrations.text import TextGame
    >>> game = TextGame("greedy", seat="light")
    >>> while not game.is_over:
    ...     legal = game.prompt.rpartition("Legal moves: ")[2].split()
    ...     game.play(legal[0])
    >>> game.outcome in (-1, 0, 1)
    True

    Args:
        opponent: a policy, or a name for `load_policy`. The game has its own copy, so the same
            seed gives the same game, also against a policy with its own generator, which starts
            every game in the state that it has.
        variant: the variant; None is the standard game.
        seat: the model's seat, ``"light"``, ``"dark"``, or ``"random"`` by the seed.
        retries: illegal replies for one move that are answered by what is wrong.
        repeat_rules: whether every prompt begins with the rules, or, for a conversation, only the
            first one.
        seed: 0 to 2**64 - 1, the seed of a random seat and of an opponent made from a name, and the
            number of the game for a `GamePolicy`.

    Attributes:
        seat: the model's seat, 0 Light or 1 Dark.
        position: the position; the model is to move unless the game is over.
        prompt: what to ask the model now, and at the end what happened.
        illegal: the model's illegal replies, by kind.
        forfeited: whether the model lost by illegal replies.

    Raises:
        ValueError: an unknown seat or policy, or a number out of range.
        TypeError: a number is not an integer, or not a policy or a variant.
        PolicyError: the opponent cannot be copied, or it chose an illegal action.
    """

    def __init__(
        self,
        opponent: PolicyLike = "random",
        *,
        variant: VariantLike | None = None,
        seat: str = "random",
        retries: SupportsIndex = 2,
        repeat_rules: bool = True,
        seed: SupportsIndex = 0,
    ) -> None:
        """Begin the game; if the model is Dark, the opponent has moved."""
        check_choice("seat", seat, SEATS)
        seed = seed_of(seed)
        self.retries = integer_from("retries", retries, 0)
        self.opponent = own_copy(load_policy(opponent, seed))
        self._number = mix(np.array([seed], np.uint64))
        drawn = int(np.random.default_rng(seed).integers(2))
        self.seat = drawn if seat == "random" else SEATS.index(seat)
        self.illegal: Counter[str] = Counter()
        self.forfeited = False
        self._repeat_rules = repeat_rules
        self._answer(Position(as_variant(variant)), [], rules=True)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.forfeited or self.position.is_over

    @property
    def outcome(self) -> int:
        """1 if the model won, -1 if it lost, 0 for a draw and while the game goes on."""
        return -1 if self.forfeited else int(np.sign(self.margin))

    @property
    def margin(self) -> int:
        """The model's points minus those of the opponent; 0 while the game goes on."""
        if not self.position.is_over:
            return 0
        return -self.position.margin if self.seat else self.position.margin

    def play(self, reply: Any) -> None:
        """Play the move that a reply names, and the opponent's answer; or say what is wrong.

        If the opponent raises an error, nothing has been played.

        Raises:
            GameOverError: the game is over.
            PolicyError: the opponent chose an illegal action.
        """
        if self.is_over:
            raise GameOverError("the game is over")
        try:
            action = read_move(reply, self.position)
        except ReplyError as error:
            self.illegal[error.kind] += 1
            self._wrong += 1
            self.forfeited = self._wrong > self.retries
            self.prompt = f"{correction_text(reply, error)}\n\n{self._asked(self._repeat_rules)}"
            if self.forfeited:
                self.prompt = f"You lose, after {self._wrong} illegal replies; the last: {error}."
            return
        name = self.position.variant.action_name(action)
        self._answer(self.position.play(action), [f"You played {name}."], self._repeat_rules)

    def _answer(self, position: Position, events: list[str], rules: bool) -> None:
        """Play on until the model has a choice; the prompt tells these events first."""
        name = position.variant.action_name
        while not position.is_over:
            mine = position.to_play == self.seat
            if must_pass(position):
                action = position.variant.pass_action
            elif mine:
                break
            else:
                action = int(act_checked(self.opponent, [position], self._number)[0])
            who = "You" if mine else PLAYERS[position.to_play]
            events.append(f"{who} played {name(action)}.")
            position = position.play(action)
        # Only now, as the opponent may have raised an error.
        self.position, self._wrong = position, 0
        told = f"{' '.join(events)}\n\n" if events else ""
        self.prompt = f"{told}{self._asked(rules)}"

    def _asked(self, rules: bool) -> str:
        """Return the question, or the end of the game."""
        position = self.position
        return str(position) if position.is_over else prompt_text(position, rules=rules)
