"""The game as text: for language models as players, and for puzzles to train or test them.

Nothing here needs another package. Any function from a prompt to a reply is a player:

>>> import mijnlieff
>>> from mijnlieff.integrations.text import TextPolicy
>>> policy = TextPolicy(lambda prompt: "I place a Puller on a1.", retries=0)
>>> policy.act(mijnlieff.Position())
48
"""

from mijnlieff.integrations.text.chat import ChatModel
from mijnlieff.integrations.text.game import TextGame
from mijnlieff.integrations.text.policy import ReplyCounts, TextPolicy
from mijnlieff.integrations.text.prompts import correction_text, prompt_text
from mijnlieff.integrations.text.puzzles import (
    Puzzle,
    Puzzles,
    puzzles,
    sample_of,
)
from mijnlieff.integrations.text.replies import KINDS, read_move
from mijnlieff.render.to_text import move_text, moves_text, position_text, rules_text

__all__ = [
    "KINDS",
    "ChatModel",
    "Puzzle",
    "Puzzles",
    "ReplyCounts",
    "TextGame",
    "TextPolicy",
    "correction_text",
    "move_text",
    "moves_text",
    "position_text",
    "prompt_text",
    "puzzles",
    "read_move",
    "rules_text",
    "sample_of",
]
