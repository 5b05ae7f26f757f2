"""A policy from a function of texts, such as a language model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position, check_playable
from mijnlieff._util.arguments import integer_from, seed_of
from mijnlieff.errors import ReplyError
from mijnlieff.integrations.text.prompts import correction_text, prompt_text
from mijnlieff.integrations.text.replies import read_move
from mijnlieff.policies.base import ActsInBatches

__all__ = ["ReplyCounts", "TextPolicy"]


@dataclass
class ReplyCounts:
    """What the replies of a model were.

    Attributes:
        moves: moves that the model was asked for.
        replies: its replies, at least one for each move.
        illegal: how many of these were no legal move, by kind, see ``KINDS``.
        fallbacks: moves for which every reply was illegal, so that a random one was played.
    """

    moves: int = 0
    replies: int = 0
    illegal: Counter[str] = field(default_factory=Counter)
    fallbacks: int = 0

    @property
    def legal_share(self) -> float:
        """Share of the replies that are legal moves; NaN if there are none."""
        return 1 - self.illegal.total() / self.replies if self.replies else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain numbers."""
        return {
            "moves": self.moves,
            "replies": self.replies,
            "legal_share": self.legal_share,
            "illegal": dict(self.illegal.most_common()),
            "fallbacks": self.fallbacks,
        }


class TextPolicy(ActsInBatches):
    """A policy that asks a function from prompt to reply, such as a language model.

    `evaluate`, `tournament`, `grade`, `best_response` and environments take it like any policy. If
    a reply does not give a legal move, the function is told what is wrong and asked again, at most
    `retries` times. If all replies are illegal, a random legal move is played, which depends only
    on the seed and the position. Where only one action is legal, such as a pass, it is played
    without asking.

    Errors that the function raises are passed on: a server that cannot be reached is not an illegal
    reply.

    >>> import mijnlieff
    >>> from mijnlieff.integrations.text import TextPolicy
    >>> policy = TextPolicy(lambda prompt: "b2+, of course", retries=1)
    >>> _ = policy.act(mijnlieff.Position())
    >>> policy.counts.to_dict()["illegal"]
    {'not allowed': 2}

    Args:
        reply: called with a prompt (`prompt_text`, or that and what was wrong); returns the reply.
        retries: how often it is asked again for one move, 0 or more.
        seed: the seed of the random moves, 0 to 2**64 - 1.
        rules: whether prompts begin with the rules.
        num_threads: how many positions of a batch it is asked about at the same time, in threads;
            more than 1 only for a function that allows it.

    Attributes:
        counts: what the replies were so far, a `ReplyCounts`. A copy, such as that of another
            process or of a `TextGame`, counts for itself.

    Raises:
        ValueError: a number is out of range.
        TypeError: `reply` cannot be called, or a number is not an integer.
    """

    def __init__(
        self,
        reply: Callable[[str], str],
        retries: SupportsIndex = 2,
        *,
        seed: SupportsIndex = 0,
        rules: bool = True,
        num_threads: SupportsIndex = 1,
    ) -> None:
        """Check the settings."""
        if not callable(reply):
            raise TypeError(f"reply must be a function from prompt to reply, not {reply!r}")
        self.reply = reply
        self.retries = integer_from("retries", retries, 0)
        self.seed = seed_of(seed)
        self.rules = rules
        self.num_threads = integer_from("num_threads", num_threads, 1)
        self.counts = ReplyCounts()

    def __repr__(self) -> str:
        """Return the function's name and the settings."""
        name = getattr(self.reply, "__qualname__", None) or repr(self.reply)
        return f"TextPolicy({name}, retries={self.retries})"

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; positions may be of several variants.

        Raises:
            GameOverError: a game is over; the message says which.
            TypeError: an item is not a `Position`.
        """
        for position in positions:
            check_playable([position])
        if self.num_threads == 1 or len(positions) < 2:
            asked = map(self._ask, positions)
            return self._counted(asked, len(positions))
        with ThreadPoolExecutor(min(self.num_threads, len(positions))) as threads:
            return self._counted(threads.map(self._ask, positions), len(positions))

    def _counted(self, asked: Any, count: int) -> NDArray[np.int64]:
        """Return the actions of answers, and count the replies, all in the caller's thread."""
        actions = np.empty(count, dtype=np.int64)
        for i, (action, replies, illegal) in enumerate(asked):
            actions[i] = action
            self.counts.moves += replies > 0
            self.counts.replies += replies
            self.counts.illegal.update(illegal)
            self.counts.fallbacks += replies > 0 and len(illegal) == replies
        return actions

    def _ask(self, position: Position) -> tuple[int, int, list[str]]:
        """Return an action, the number of replies, and the kinds of the illegal ones."""
        legal = position.legal_actions()
        if len(legal) == 1:
            return int(legal[0]), 0, []
        first = prompt = prompt_text(position, rules=self.rules)
        illegal: list[str] = []
        while len(illegal) <= self.retries:
            reply = self.reply(prompt)
            try:
                return read_move(reply, position), len(illegal) + 1, illegal
            except ReplyError as error:
                illegal.append(error.kind)
                prompt = f"{first}\n\n{correction_text(reply, error)}"
        return self._random(position, legal), len(illegal), illegal

    def _random(self, position: Position, legal: NDArray[np.int64]) -> int:
        """Return a legal action by the seed and the position, whatever was asked before."""
        text = f"{self.seed} {position.variant} {position.notation}".encode()
        number = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())
        return int(legal[number % len(legal)])
