"""Functions from prompt to reply that stand for language models of three strengths.

They see only the prompt, as a model does, and answer the same prompt always alike. The weak one
does not read the legal moves, the others slip now and then.
"""

from __future__ import annotations

import hashlib
import random
import re

from mijnlieff import GreedyPolicy, MinimaxPolicy, Policy, Position
from mijnlieff.integrations.text import move_text
from tools.players import PIECES

__all__ = ["MODELS", "guesses", "looks_ahead", "takes_points"]


def _draws(prompt: str) -> random.Random:
    return random.Random(hashlib.blake2b(prompt.encode()).digest())


def _position(prompt: str) -> Position:
    """Return the standard position that a prompt shows."""
    (notation,) = re.findall(r"^Notation: (.*)$", prompt, re.MULTILINE)
    return Position.from_notation(notation)


def _guess(draws: random.Random) -> str:
    return f"{draws.choice('abcd')}{draws.randint(1, 4)}{draws.choice(list(PIECES))}"


def _reply(draws: random.Random, policy: Policy, prompt: str, slips: float) -> str:
    """Return a policy's move in words or brackets; sometimes a guess, or nothing that is a move."""
    if draws.random() < slips:
        return draws.choice([f"[{_guess(draws)}]", "a1+ or b1+, both are fine.", "I am not sure."])
    position = _position(prompt)
    action = policy.act(position)
    name = position.variant.action_name(action)
    return draws.choice([f"[{name}]", f"I choose {move_text(position, action)}.", f"**{name}**"])


def guesses(prompt: str) -> str:
    """Name any cell and any piece."""
    return f"My move is [{_guess(_draws(prompt))}]."


def takes_points(prompt: str) -> str:
    """Take the most points now; every fifth reply is a slip."""
    draws = _draws(prompt)
    return _reply(draws, GreedyPolicy(draws.getrandbits(64)), prompt, 0.2)


def looks_ahead(prompt: str) -> str:
    """Look four plies ahead; every twentieth reply is a slip."""
    draws = _draws(prompt)
    return _reply(draws, MinimaxPolicy(4, draws.getrandbits(64)), prompt, 0.05)


MODELS = {"guesses": guesses, "takes points": takes_points, "looks ahead": looks_ahead}
"""The models by their names in tables."""
