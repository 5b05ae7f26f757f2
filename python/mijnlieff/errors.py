"""The exceptions of this package. Messages name the offending value and what would be valid.

Wrong dtypes raise ``TypeError`` and wrong shapes or values ``ValueError``, as in NumPy. A file that
cannot be written and a window that cannot be opened raise ``OSError``. The classes here are for
errors that a caller may want to handle separately. They are plain Python classes, so that the
native module can raise them under every Python version.
"""

from __future__ import annotations

__all__ = [
    "BenchmarkError",
    "BoardError",
    "BookError",
    "CheckpointError",
    "ClosedEnvError",
    "ClusterError",
    "DatasetError",
    "GameOverError",
    "IllegalMoveError",
    "MijnlieffError",
    "MissingExtraError",
    "ParseError",
    "PolicyError",
    "PositionError",
    "ReplyError",
    "SearchLimitError",
    "TablebaseError",
    "TrainingError",
    "VariantError",
]


class MijnlieffError(Exception):
    """Base of every exception that this package defines."""

    def __str__(self) -> str:
        """Return the message alone; some errors have more arguments."""
        return str(self.args[0]) if self.args else ""


class BoardError(MijnlieffError, ValueError):
    """The given cells do not form a board (1 to 64 cells, blocks that do not overlap)."""


class VariantError(MijnlieffError, ValueError):
    """The opening rule or the number of copies is not valid, or the variant does not fit."""


class PositionError(MijnlieffError, ValueError):
    """The given stones, hands and turn cannot occur in any game of the variant."""


class ParseError(MijnlieffError, ValueError):
    """A text (action, record, position or board) could not be read."""


class IllegalMoveError(MijnlieffError, ValueError):
    """An action that the rules do not allow; nothing has changed.

    Attributes:
        action: the index of the illegal action.
        legal_actions: the legal actions, ascending.
        env_index: the index of the game in a batch, or None for a single position.
    """

    def __init__(
        self,
        message: str,
        action: int | None = None,
        legal_actions: list[int] | None = None,
        env_index: int | None = None,
    ) -> None:
        """Keep the fields next to the message."""
        super().__init__(message, action, legal_actions, env_index)
        self.action = action
        self.legal_actions = legal_actions
        self.env_index = env_index


class GameOverError(MijnlieffError, RuntimeError):
    """The game is over, and no action can be played until it is reset."""


class ClosedEnvError(MijnlieffError, RuntimeError):
    """The environment was closed."""


class ClusterError(MijnlieffError, RuntimeError):
    """A cluster cannot be reached, or the workers of an executor are gone."""


class PolicyError(MijnlieffError, ValueError):
    """A policy returned an illegal action, or logits of a wrong shape or with NaN."""


class BenchmarkError(MijnlieffError, RuntimeError):
    """A benchmark that comes with the package is damaged."""


class BookError(MijnlieffError, RuntimeError):
    """The book of exact margins is damaged, or of a version that this package does not read."""


class ReplyError(MijnlieffError, ValueError):
    """The reply of a language model that is not a legal move; the message tells the model why.

    Attributes:
        kind: what is wrong, one of ``mijnlieff.integrations.text.KINDS``.
    """

    def __init__(self, message: str, kind: str) -> None:
        """Keep the kind next to the message."""
        super().__init__(message, kind)
        self.kind = kind


class TablebaseError(MijnlieffError, RuntimeError):
    """A variant has no tablebase, or its file is damaged, foreign or of another version."""


class SearchLimitError(MijnlieffError, RuntimeError):
    """A search reached its node or time limit before it had an answer.

    Attributes:
        lower: the margin is proven to be at least this, for the side to move.
        upper: the margin is proven to be at most this.
    """

    def __init__(self, message: str, lower: int | None = None, upper: int | None = None) -> None:
        """Keep the bounds next to the message."""
        super().__init__(message, lower, upper)
        self.lower = lower
        self.upper = upper


class CheckpointError(MijnlieffError, ValueError):
    """A checkpoint or network file is missing, truncated, damaged, or from another program."""


class DatasetError(MijnlieffError, ValueError):
    """A data set is missing, not finished, damaged, of another version or of another recipe."""


class TrainingError(MijnlieffError, RuntimeError):
    """A training run cannot start or continue: folder in use, or losses NaN or infinite."""


class MissingExtraError(MijnlieffError, ImportError):
    """An optional dependency is missing; the message gives the command that installs it."""
