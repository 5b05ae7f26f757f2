"""The native part of the package; import its names from `mijnlieff`."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, Self, SupportsFloat, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import disjoint_base

from mijnlieff.rules import VariantLike

__all__ = [
    "EXACT_CELLS",
    "EXACT_ENDING",
    "FULL_MARGIN",
    "MARGIN_UNIT",
    "MAX_ENVS",
    "MAX_THREADS",
    "SEEDS",
    "BatchEnv",
    "BestResponseResult",
    "BestResponseSearch",
    "Board",
    "BuiltinPolicy",
    "Canvas",
    "GreedyPolicy",
    "LeafBatch",
    "Line",
    "MinimaxPolicy",
    "Network",
    "PerfectPolicy",
    "PlayTable",
    "Position",
    "RandomPolicy",
    "SavedGame",
    "SearchOptions",
    "SelfPlayGames",
    "SelfPlaySamples",
    "SelfPlayStatistics",
    "Solution",
    "Solver",
    "Stop",
    "Tablebase",
    "TreeSearch",
    "Variant",
    "__version__",
    "as_variant",
    "as_variants",
    "canonical_counts",
    "check_playable",
    "common_variant",
    "format_record",
    "from_positions",
    "init",
    "integer",
    "integer_in",
    "legal_mask",
    "mask_batch",
    "num_cores",
    "observe",
    "observe_batch",
    "own_actions",
    "own_masks",
    "parse_record",
    "perft",
    "play_match",
    "random_openings",
    "rollout",
    "score",
    "seed_of",
    "set_table_bytes",
    "solve",
    "solver_for",
    "step",
    "threads_of",
    "to_play",
    "to_positions",
]

EXACT_CELLS: Final[int]
"""
The most cells of a board of which every position can be solved.
"""

EXACT_ENDING: Final[int]
"""
The most empty cells of a position that can be solved on any board.
"""

FULL_MARGIN: Final[float]
"""
A margin of this many points, or more, counts in full in a tree search.
"""

MARGIN_UNIT: Final[float]
"""
Points per unit of a network's margin, so that both of its values are of similar size.
"""

MAX_ENVS: Final[int]
"""
The largest batch of games; beyond it a mistyped number would take all memory.
"""

MAX_THREADS: Final[int]
"""
The most threads that a call may ask for.
"""

SEEDS: Final[int]
"""
The number of seeds, 2**64.
"""

__version__: Final[str]
"""
The version of the package.
"""

@final
class BatchEnv:
    """The native part of `mijnlieff.VectorEnv`, which documents the options and results.

    The games must be reset before the first step.

    With an opponent that is not a built-in policy, the caller plays the other side: `start_step` or
    `start_reset`, then `answer` for the `pending` positions until there are none, then
    `finish_step` or `finish_reset`, or `roll_back` to abort. In between, `seed`, `reset`, `step`,
    `set_positions` and `restore` raise RuntimeError. Each start has a different `call`, a number
    above 0, so that the caller that was refused does not abort what another one has started.

    Views are ``(observations, info)``, steps ``(observations, rewards, terminations, truncations,
    info)``. A batch serves one thread at a time; RuntimeError tells a second one.

    Raises:
        ValueError: a number out of range or an unknown option; the message gives those that
            exist.
        TypeError: an option of a wrong type.
        VariantError: packed observations of a board they cannot hold, or a board does not fit
            the canvas.
    """
    def __new__(
        cls,
        /,
        num_envs: SupportsIndex,
        variants: Sequence[VariantLike],
        *,
        variant_weights: Sequence[float] | None,
        canvas: Canvas | None,
        with_variant_index: bool,
        opponent: object,
        seat: str,
        observation: str,
        dtype: DTypeLike,
        reward: str,
        autoreset: str,
        auto_pass: bool,
        illegal_action: str,
        random_plies: SupportsIndex,
        num_threads: SupportsIndex | None,
        copy: bool,
    ) -> BatchEnv: ...
    def action_masks(self, /) -> NDArray[np.int8]:
        """The legal actions of each game, int8 ``(num_envs, num_actions)``."""
    def answer(self, /, actions: ArrayLike) -> None:
        """Play the opponent's action in every pending game; some may then be pending again.

        Actions are those of each game's own variant, also on a canvas.
        """
    def finish_reset(self, /) -> tuple[NDArray[Any], dict[str, Any]]:
        """End the reset under way and return its results."""
    def finish_step(
        self, /
    ) -> tuple[
        NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """End the step under way and return its results."""
    def observe(self, /) -> tuple[NDArray[Any], dict[str, Any]]:
        """The current observations and ``info``."""
    def pending(self, /) -> list[Position]:
        """The positions in which the outside opponent must act, in the order of the games."""
    def pending_games(self, /) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The pending games, int64 ``(B,)``, and whether each restarted in this step, bool."""
    def positions(self, /) -> list[Position]:
        """The position of each game."""
    def reset(
        self, /, seeds: int | list[int | None] | None = None, mask: list[bool] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start new games, all or those that the mask selects.

        Raises:
            ValueError: not one seed for each game, or a mask of another length. Nothing has
                changed.
        """
    def restore(self, /, state: tuple[bool, list[SavedGame]]) -> None:
        """Restore a state that `state` returned."""
    def roll_back(self, /, call: SupportsIndex) -> bool:
        """Abort the step or reset that this call has started: everything is as before it.

        Returns:
            Whether it was under way.
        """
    def sample_actions(self, /) -> NDArray[np.int64]:
        """A random legal action for each game, int64 ``(num_envs,)``."""
    def seed(self, /, seed: SupportsIndex) -> None:
        """Restart the streams of the games, game ``i`` with ``seed + i``."""
    def set_positions(
        self, /, positions: Sequence[Position], mask: list[bool] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Put games at positions, all or those that the mask selects, and return the new view.

        Raises:
            ValueError: not one position for each of these games, or a mask of another length.
            GameOverError: the mask leaves out games, and they were never started.
            PositionError: a position is over or of another variant.
        """
    def start_reset(
        self, /, seeds: int | list[int | None] | None, mask: list[bool] | None, call: SupportsIndex
    ) -> None:
        """Start new games; those that `pending` lists then wait for `answer`.

        Raises:
            ValueError: as `reset`.
        """
    def start_step(self, /, actions: ArrayLike, call: SupportsIndex) -> None:
        """Play the agent's actions; the games that `pending` lists then wait for `answer`."""
    def state(self, /) -> tuple[bool, list[SavedGame]]:
        """Whether the batch has started, and all its games, for pickles."""
    def step(
        self, /, actions: ArrayLike
    ) -> tuple[
        NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Play one action in every game.

        Raises:
            IllegalMoveError: an action does not exist or is illegal; no game has moved.
            GameOverError: a game is over, or none was started.
            TypeError: the actions are not integers.
            ValueError: the actions have a wrong shape.
        """

@final
class BestResponseResult:
    """What a `BestResponseSearch` has found."""
    @property
    def margins(self, /) -> list[int]:
        """The margins that are guaranteed from the starts, for the player examined."""
    @property
    def mistakes(self, /) -> list[tuple[int, int, int]]:
        """Where the outcome was given away: ply, positions that kept it, positions that did not."""
    @property
    def positions(self, /) -> list[int]:
        """How many positions were reached at each ply."""
    @property
    def refutations(self, /) -> list[Line]:
        """Lines on which the outcome is given away."""
    @property
    def worst(self, /) -> Line:
        """A game with the least margin."""

@final
class BestResponseSearch:
    """The native part of `mijnlieff.best_response`, which documents the options and results.

    Call `ask`, and `answer` or `answer_with_sets`, until `ask` returns no positions, then `finish`.
    After an error the search has ended, and its methods raise RuntimeError.

    Args:
        starts: positions of one variant.
        player: who is examined: 0 Light, 1 Dark.
        exact_cells: up to this many empty cells the player keeps the exact margin, None for
            nowhere,
        exact_margin: if that is at most this many points, won or lost.
        horizon: from this ply on, the player is taken to keep the exact margin.
        least_margin: a position keeps the outcome if its exact margin is at least this; with
            None, there is nothing to give away.
        max_positions: the most positions to keep.
        num_threads: threads for the exact search.
        tablebase: a `Tablebase` to look exact margins up in.

    Raises:
        BoardError: the board has more than 16 cells.
        GameOverError: a game is over.
        ValueError: no start, several variants, or an unknown player.
    """
    def __new__(
        cls,
        /,
        starts: Sequence[Position],
        player: SupportsIndex,
        *,
        exact_cells: SupportsIndex | None,
        exact_margin: SupportsIndex,
        horizon: SupportsIndex | None,
        least_margin: SupportsIndex | None,
        max_positions: SupportsIndex,
        num_threads: SupportsIndex | None,
        tablebase: Tablebase | None,
    ) -> BestResponseSearch: ...
    def answer(self, /, actions: NDArray[np.int64]) -> None:
        """Take the action chosen in each of these positions, int64 ``(B,)``.

        Raises:
            PolicyError: an action is not legal.
            SearchLimitError: there are more than `max_positions` positions.
        """
    def answer_with_sets(self, /, possible: NDArray[np.bool_]) -> None:
        """Take the actions that may be chosen in these positions, bool ``(B, num_actions)``.

        Raises:
            PolicyError: an action is not legal, or a position has none.
            SearchLimitError: there are more than `max_positions` positions.
        """
    def ask(self, /, most: SupportsIndex) -> tuple[int, int, list[Position]]:
        """The current ply, the number of its positions, and those in which actions are needed.

        Raises:
            SearchLimitError: there are more than `max_positions` positions.
        """
    def finish(self, /, max_refutations: SupportsIndex) -> BestResponseResult:
        """The results; nothing can be asked afterwards.

        Raises:
            RuntimeError: `ask` has not given an empty list yet.
        """

@final
class Board:
    """A set of 1 to 64 unit cells, numbered along the row from ``a1``, then up.

    Boards are immutable and equal when they have the same cells, wherever the grid starts. Make
    one with `standard`, `from_blocks` or `from_text`.
    """
    def __copy__(self, /) -> Board: ...
    def __deepcopy__(self, /, _memo: Any) -> Board: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @staticmethod
    def arrangements(blocks: SupportsIndex = 4, corners: bool = False) -> list[Board]:
        """Return every board that can be laid out with a number of 2x2 blocks.

        Each board comes once up to rotation and reflection, in a fixed order: flat ones first, each
        lying on its longer side. Runs without the GIL and stops on Ctrl-C.

        Args:
            blocks: number of blocks, 1 to 6. The four blocks of one box make 60 boards, five blocks
                467 and six 4,226.
            corners: False joins each block to the others along at least one edge of a cell; True
                also allows joints at a corner (145 boards of four blocks).

        Raises:
            ValueError: ``blocks`` is not 1 to 6.
            TypeError: ``blocks`` is not an integer.
        """
    def cell_name(self, /, cell: SupportsIndex) -> str:
        """The name of a cell, such as ``a1``.

        Raises:
            IndexError: the board has no such cell.
        """
    @property
    def cells(self, /) -> tuple[tuple[int, int], ...]:
        """The ``(x, y)`` of every cell by cell number; ``(0, 0)`` is the lower left corner."""
    @staticmethod
    def from_blocks(blocks: Sequence[Sequence[int]]) -> Board:
        """A board of 2x2 blocks, given by the ``(x, y)`` of their lower left corners.

        Raises:
            BoardError: an empty list, blocks that overlap, more than 64 cells, or a side over 64.
        """
    @staticmethod
    def from_text(text: str) -> Board:
        """The board with this text.

        Args:
            text: the rows from the top, ``#`` a cell and ``.`` a gap, separated by line breaks or
                ``/``; or ``standard``; or ``blocks:0,0;2,2``, as for `from_blocks`.

        Raises:
            BoardError: another character, rows of different lengths, no cell or more than 64, or as
                for `from_blocks`.
            ParseError: the text has a lone surrogate.
        """
    @property
    def height(self, /) -> int:
        """Rows of the bounding box."""
    @property
    def num_cells(self, /) -> int:
        """How many cells exist, 1 to 64."""
    @staticmethod
    def random(
        blocks: SupportsIndex = 4,
        rng: SupportsIndex | np.random.Generator | None = None,
        corners: bool = False,
    ) -> Board:
        """Return a random board of a number of 2x2 blocks.

        The blocks hang together. The board grows from one block. Each further block goes to one of
        the free places that are joined to a block already there, each place equally likely. So a
        board is as likely as its rotations and reflections, but boards that can grow in more ways
        are more likely than others. Choose from `arrangements` for boards that are all equally
        likely.

        Args:
            blocks: number of blocks, 1 to 16.
            rng: a seed, 0 to 2**64 - 1, which gives the same board on every machine; a generator,
                from which one number is drawn; or None for a different board each time.
            corners: False joins each block to another along at least one edge of a cell; True also
                allows joints at a corner.

        Raises:
            ValueError: ``blocks`` is not 1 to 16, or the seed is out of range.
            TypeError: ``blocks`` is not an integer, or ``rng`` is none of these.
        """
    @staticmethod
    def standard() -> Board:
        """The 4x4 board."""
    @property
    def symmetries(self, /) -> NDArray[np.int64]:
        """Where each cell goes under each symmetry, int64 ``(k, num_cells)``.

        Row 0 is the identity; 1 <= k <= 8, and k = 8 on the standard board. An observation ``x``
        by cell turns into ``y`` with ``y[symmetries[k]] = x``.
        """
    def to_text(self, /) -> str:
        """Return the rows for `from_text`, one on each line: ``#`` a cell, ``.`` a gap."""
    @property
    def width(self, /) -> int:
        """Columns of the bounding box."""

@disjoint_base
class BuiltinPolicy:
    """Base class of the built-in policies; make one of its subclasses.

    Decision ``n`` of a policy draws from stream ``n`` of its seed. So the same calls give the same
    actions, and cutting a list of positions into batches changes nothing. Policies are equal when
    kind, depth or epsilon, and seed are; how many decisions they have made is pickled, but not
    compared.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __reduce__(self, /) -> tuple[type[Self], tuple[Any, ...], int]: ...
    def __repr__(self, /) -> str: ...
    def __setstate__(self, /, decisions: SupportsIndex) -> None: ...
    def act(self, /, position: Position) -> int:
        """The action this policy plays.

        Raises:
            GameOverError: the game is over; no decision is counted.
            TypeError: `position` is not a `Position`.
        """
    def act_batch(self, /, positions: Sequence[Position]) -> NDArray[np.int64]:
        """The actions this policy plays, int64 ``(B,)``; positions may be of several variants.

        Runs without the GIL and stops on Ctrl-C; perfect play and deep searches run on all cores.

        Raises:
            GameOverError: a game is over, the message says which; no decision is counted.
            TypeError: an item is not a `Position`.
        """
    def act_games(
        self, /, positions: Sequence[Position], games: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The actions this policy plays in games of these numbers, both ``(B,)``.

        What is drawn depends on the seed, the game and the ply alone. No decision is counted.

        Raises:
            GameOverError: a game is over, the message says which.
            ValueError: another number of games than positions.
            TypeError: an item is not a `Position`, or `games` is not uint64.
        """
    def action_probabilities(self, /, positions: Sequence[Position]) -> NDArray[np.float64]:
        """The probability of every action, float64 ``(B, num_actions)``.

        All positions are of one variant. No decision is counted. Runs without the GIL and stops
        on Ctrl-C.

        Raises:
            GameOverError: a game is over, the message says which.
            ValueError: no positions, or positions of several variants.
            TypeError: an item is not a `Position`.
        """
    @property
    def seed(self, /) -> int:
        """The seed."""
    def with_seed(self, /, seed: SupportsIndex) -> Self:
        """A policy of the same kind with this seed, and no decision made yet."""

@final
class Canvas:
    """A rectangle of cells that boards of different shapes share.

    It gives learners that see many boards observations and actions of one shape.
    A board lies in the lower left corner: its cell ``(x, y)`` is the cell in row ``y`` and column
    ``x``. Observations have the layout ``"planes"`` with the height and width of the canvas;
    cells that a board lacks are 0 in plane 3 and in all planes of cells; the planes of the hands
    are constant over the whole canvas. Actions are ``type * height * width + y * width + x``, and
    the last one passes. Canvases are immutable.

    Args:
        height: rows, 1 to 64.
        width: columns, 1 to 64.

    Raises:
        ValueError: a side is not 1 to 64.
        TypeError: a side is not an integer.
    """
    def __copy__(self, /) -> Canvas: ...
    def __deepcopy__(self, /, _memo: Any) -> Canvas: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, height: SupportsIndex, width: SupportsIndex) -> Canvas: ...
    def __reduce__(self, /) -> tuple[type, tuple[int, int]]: ...
    def __repr__(self, /) -> str: ...
    def actions(self, /, variant: VariantLike) -> NDArray[np.int64]:
        """The canvas's index of each action of a variant, int64 ``(variant.num_actions,)``.

        Raises:
            VariantError: the board does not fit.
        """
    @staticmethod
    def around(variants: Sequence[VariantLike]) -> Canvas:
        """The smallest canvas that holds the boards of all these variants.

        Raises:
            ValueError: the list is empty.
            TypeError: an item is not a variant.
        """
    @property
    def height(self, /) -> int:
        """Rows."""
    @property
    def num_actions(self, /) -> int:
        """Number of action indices, ``4 * height * width + 1``."""
    @property
    def observation_shape(self, /) -> tuple[int, int, int]:
        """The shape of one observation, ``(12, height, width)``."""
    @property
    def pass_action(self, /) -> int:
        """The index of the pass, the last action."""
    def variant_action(self, /, variant: VariantLike, action: SupportsIndex) -> int:
        """The variant's index of an action of the canvas.

        Raises:
            IndexError: the canvas has no such action, or the board no cell there.
            VariantError: the board does not fit.
            TypeError: the action is not an integer.
        """
    @property
    def width(self, /) -> int:
        """Columns."""

@final
class GreedyPolicy(BuiltinPolicy):
    """Plays an action with the largest margin right after it; ties are broken at random.

    It looks one ply ahead, so it takes points where it can, and does not see what it allows.

    Args:
        seed: 0 to 2**64 - 1.
    """
    def __new__(cls, /, seed: SupportsIndex = 0) -> GreedyPolicy: ...

@final
class LeafBatch:
    """The positions of a `TreeSearch` that wait for the network.

    The search writes the next leaves over both arrays: copy what must last.
    """
    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def action_mask(self, /) -> NDArray[np.int8]:
        """The legal actions, int8 ``(B, num_actions)``: 1 = legal."""
    @property
    def observation(self, /) -> NDArray[Any]:
        """The observations, ``(B, ...)``, in the layout of the search."""

@final
class Line:
    """Actions from one of the starts of a `BestResponseSearch`."""
    @property
    def actions(self, /) -> list[int]:
        """The actions played from there."""
    @property
    def start(self, /) -> int:
        """The index of the start."""

@final
class MinimaxPolicy(BuiltinPolicy):
    """Plays a best action of a search to a fixed depth; ties are broken at random.

    The value of the positions at that depth, and of finished games, is the margin: the points of
    the side to move minus those of the opponent. Alpha-beta pruning finds every best action, and
    each is equally likely. A pass counts as a ply. Depth 1 is `GreedyPolicy`.

    Args:
        depth: plies to look ahead, 1 to 64.
        seed: 0 to 2**64 - 1.

    Raises:
        ValueError: a depth or seed out of range.
    """
    def __new__(cls, /, depth: SupportsIndex, seed: SupportsIndex = 0) -> MinimaxPolicy: ...
    @property
    def depth(self, /) -> int:
        """Plies looked ahead."""

@final
class Network:
    """A trained network, evaluated natively; immutable, equal when its file is.

    It knows the positions of the board and the number of copies of a variant, whatever the opening
    rule, or those of every board that fits a canvas. It is a `mijnlieff.policies.Model`, so
    `NetworkPolicy` plays by it. `load` reads a file of ``mijnlieff export``, which
    ``docs/champion.md`` describes byte by byte, and `from_torch` takes the weights of a network in
    training.

    Args:
        file: the content of a file, as `to_bytes` gives it.

    Raises:
        CheckpointError: the bytes are not exactly those of a network of this version, or it would
            take more than 2 GiB of memory when it is ready to evaluate.
        MemoryError: memory does not suffice.
    """
    def __copy__(self, /) -> Network: ...
    def __deepcopy__(self, /, _memo: Any) -> Network: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, file: bytes) -> Network: ...
    def __reduce__(self, /) -> tuple[type, tuple[bytes]]: ...
    def __repr__(self, /) -> str: ...
    @property
    def blocks(self, /) -> int:
        """Residual blocks."""
    @property
    def canvas(self, /) -> Canvas | None:
        """The canvas of its observations, whose boards it plays; None if it is for one variant."""
    def check_variant(self, /, variant: VariantLike) -> None:
        """Raise unless the network knows the board and the number of copies of a variant.

        Raises:
            PolicyError: it was trained on other boards or another number of copies.
        """
    def choose(
        self,
        /,
        positions: Sequence[Position],
        temperature: SupportsFloat | SupportsIndex,
        seed: SupportsIndex,
        first: SupportsIndex,
    ) -> NDArray[np.int64]:
        """An action for each position, int64 ``(B,)``.

        At temperature 0 the legal action with the largest logit, above 0 a draw from
        ``softmax(logits / temperature)``. Position ``i`` draws from stream ``first + i`` of the
        seed. Positions may be of several variants if the network is for a canvas; actions are those
        of each position's own variant.

        Raises:
            GameOverError: a game is over, the message says which.
            PolicyError: another board or number of copies, or a logit that is not finite.
            ValueError: no positions, positions of several variants if the network is for one, or a
                number out of range.
            TypeError: a number of another type.
        """
    @property
    def copies(self, /) -> int:
        """Pieces of each type that each player starts with."""
    @property
    def dtype(self, /) -> Literal["float32"]:
        """The dtype of its observations."""
    def evaluate(
        self,
        /,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8] | NDArray[np.bool_] | None = None,
        *,
        num_threads: SupportsIndex | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions, given as observations, by products of integers of 16 bits.

        The outputs for a position depend neither on the rest of the batch, nor on the threads, nor
        on the processor. Runs without the GIL and stops on Ctrl-C.

        Args:
            observations: float32 ``(B, 3 * num_cells + 8)``, flat; on a canvas ``(B, 12, height,
                width)``, planes. Entries for cells that are above 0 count as 1, and shares of
                hands are rounded to whole pieces.
            masks: int8 or bool ``(B, num_actions)``, the legal actions. The others get the logit
                -inf; None leaves all as they are.
            num_threads: None for one per core.

        Returns:
            Logits float32 ``(B, num_actions)``, and values float32 ``(B, 2)`` for the side to move:
            expected outcome (-1 to 1) and expected final margin in units of 4 points. Without
            masks, logits of a canvas are 0 where the board has no cell.

        Raises:
            ValueError: the observations or masks have another shape, or observations on a canvas
                show no board.
            TypeError: the observations are not a float32 array, or the masks no int8 or bool array.
            MemoryError: memory does not suffice.
        """
    @staticmethod
    def from_torch(module: Any) -> Network:
        """The native form of a network of `mijnlieff.train`, with its current weights.

        Args:
            module: the PyTorch module, on any device; later training does not change the result.

        Raises:
            CheckpointError: a weight is not finite.
            TypeError: another module.
        """
    def half(self, /) -> Network:
        """The network with weights rounded to 16 bits, whose file is half as large.

        Its outputs differ a little, since they are those of the rounded weights.

        Raises:
            CheckpointError: a weight is too large for 16 bits; the message says which.
            MemoryError: memory does not suffice.
        """
    @property
    def heads(self, /) -> int:
        """Kernels of each block."""
    @staticmethod
    def load(path: str | PathLike[str]) -> Network:
        """Read a network from a file.

        Args:
            path: a file written by `save` or ``mijnlieff export``.

        Raises:
            CheckpointError: the file is missing, truncated, damaged, too large, or from another
                program or version; the message names the file and the reason.
            MemoryError: memory does not suffice.
        """
    @property
    def num_weights(self, /) -> int:
        """The number of learned parameters."""
    @property
    def observation(self, /) -> Literal["flat", "planes"]:
        """The layout of its observations."""
    @staticmethod
    def of_cells(
        variant: VariantLike,
        units: SupportsIndex,
        blocks: SupportsIndex,
        heads: SupportsIndex,
        weights: NDArray[np.float32],
    ) -> Network:
        """The network with these weights.

        Args:
            variant: that it was trained on.
            units: numbers for each cell in every layer, a multiple of `heads`.
            blocks: residual blocks of a convolution over the cells and two layers for each cell.
            heads: kernels of each block; each serves an equal part of the units.
            weights: float32 ``(num_weights,)``: weights and biases, layer by layer.

        Raises:
            CheckpointError: 0 units or heads, heads that cannot share the units equally, not as
                many weights as the layers need, one that is not finite, or more than 2 GiB of
                memory needed.
            MemoryError: memory does not suffice.
        """
    @staticmethod
    def on_canvas(
        canvas: Canvas,
        copies: SupportsIndex,
        units: SupportsIndex,
        blocks: SupportsIndex,
        heads: SupportsIndex,
        weights: NDArray[np.float32],
    ) -> Network:
        """The network with these weights for all boards that fit a canvas.

        Args:
            canvas: that it was trained on.
            copies: pieces of each type that each player starts with, 1 to 127.
            units: as in `of_cells`, and so are the others.
            blocks: residual blocks.
            heads: kernels of each block.
            weights: float32 ``(num_weights,)``.

        Raises:
            CheckpointError: as in `of_cells`, and so is MemoryError.
            VariantError: an impossible number of copies.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """Write the network to a file, which is replaced whole or not at all.

        Args:
            path: the file to create or replace.

        Raises:
            OSError: the file cannot be written; the message names it.
        """
    def to_bytes(self, /) -> bytes:
        """The file, as the constructor reads it."""
    @property
    def variant(self, /) -> Variant | None:
        """The variant that it was trained on; None if it is for all boards that fit a canvas."""
    @property
    def weights(self, /) -> NDArray[np.float32]:
        """All weights and biases, layer by layer, as `of_cells` takes them; a copy."""
    @property
    def width(self, /) -> int:
        """Units of a cell in every layer."""

@final
class PerfectPolicy(BuiltinPolicy):
    """Plays an action that keeps the exact margin, each such action equally likely.

    With probability `epsilon` it plays any legal action instead, each equally likely (that may be a
    best one), so one number sets how strong it is.

    Boards of more than 16 cells may take very long. The first decision raises
    `BookError` when the book that comes with the package is damaged.

    Args:
        seed: 0 to 2**64 - 1.
        epsilon: 0 to 1.
        tablebase: a `Tablebase` to look margins up in, rather than search; the actions are the
            same. A decision raises ValueError where it is of another board or number of copies.

    Raises:
        ValueError: a seed or an epsilon out of range.
        TypeError: an epsilon that is not a number.
    """
    def __new__(
        cls,
        /,
        seed: SupportsIndex = 0,
        epsilon: SupportsFloat | SupportsIndex = 0.0,
        tablebase: Tablebase | None = None,
    ) -> PerfectPolicy: ...
    @property
    def epsilon(self, /) -> float:
        """The share of decisions made at random."""

@final
class PlayTable:
    """A game, its players, and the exact values found so far.

    It starts no thread: whoever has it asks for work, does it, and brings the results back.

    Args:
        start: the first position.
        opponent: the name of a policy, or what an object is to be called.
        seat: ``"light"``, ``"dark"``, ``"both"`` or ``"drawn"``.
        seed: draws seats.
        is_perfect: None if `opponent` names a policy; of an object, whether it plays perfectly.
        actions: those that were played from `start` on, and can be taken back.

    Raises:
        IllegalMoveError: an action is illegal; the message says which.
        GameOverError: the game is over before the last action.
        ParseError: a text is not an action; the message says which.
        ValueError: an unknown seat, or perfect play on a board of more than 16 cells.
    """
    def __new__(
        cls,
        /,
        start: Position,
        opponent: str,
        seat: str,
        seed: SupportsIndex,
        is_perfect: bool | None = None,
        actions: Sequence[SupportsIndex | str] | None = None,
    ) -> PlayTable: ...
    @property
    def actions(self, /) -> list[int]:
        """The actions so far."""
    def answer(
        self, /, version: SupportsIndex, action: SupportsIndex | None, error: str | None = None
    ) -> bool:
        """Play the opponent's action, or tell of its failure.

        Returns:
            False if the game has changed since the question of this version.
        """
    def check_variant(self, /, variant: VariantLike) -> None:
        """Raise unless the opponent can play a variant.

        Raises:
            ValueError: perfect play on a board of more than 16 cells.
        """
    @property
    def choice(self, /) -> str:
        """The opponent that was chosen."""
    def handle(self, /, message: str) -> None:
        """Act on a message of the page, JSON; errors are shown to the person."""
    @property
    def last(self, /) -> Position:
        """The last position, where the game goes on."""
    def load(self, /, record: str, variant: VariantLike | None = None) -> None:
        """Load a game to step through, with its mistakes marked; the person plays both sides.

        Args:
            record: such as ``"1. a1+, a3><; 2. a2+, a4<>"``.
            variant: its variant; None for the one at the table.

        Raises:
            ParseError: the text is not a record.
            IllegalMoveError: a move is illegal; the message says which.
            ValueError: perfect play on a board of more than 16 cells.
        """
    def new_game(
        self,
        /,
        start: Position | None = None,
        seat: str | None = None,
        opponent: str | None = None,
        is_perfect: bool | None = None,
    ) -> None:
        """Start a new game.

        Args:
            start: its first position; None for the start of the same variant.
            seat: None for the same as was asked for before; ``"drawn"`` is drawn again.
            opponent: None for the same as before.
            is_perfect: as in the class.

        Raises:
            ValueError: as in the class; nothing has changed.
        """
    def next_answer(self, /) -> tuple[Position, str, int, int] | None:
        """What the opponent has to answer; None if it is not its turn.

        Returns:
            The position, the name of the policy that plays, the number of the game at this table,
            and the version for `answer`.
        """
    def next_solution(self, /) -> Position | None:
        """The next position whose margins are wanted, if there is one."""
    def play(self, /, action: SupportsIndex | str) -> None:
        """Play an action for the person.

        Raises:
            IllegalMoveError: the action is illegal, or it is the opponent's turn.
            GameOverError: the game is over.
            ParseError: a text that is not an action.
        """
    @property
    def position(self, /) -> Position:
        """The position that is shown."""
    @property
    def positions(self, /) -> list[Position]:
        """The first position, and the one after each action."""
    @property
    def record(self, /) -> str:
        """The game as a record; only its actions if it did not begin at the start of a game."""
    def renew(self, /) -> None:
        """Drop answers that are still on their way."""
    @property
    def seat(self, /) -> str:
        """The side of the person."""
    def show(self, /, aid: str, on: bool) -> None:
        """Switch an aid on or off.

        Raises:
            ValueError: there is no such aid.
        """
    def solved(
        self, /, position: Position, margins: dict[int, int] | None, error: str | None = None
    ) -> None:
        """Take the margin after each action of a position, or why it could not be solved."""
    def state(self, /) -> str:
        """Everything that a page shows, as JSON."""
    def undo(self, /) -> bool:
        """Take back everything since the person's last choice; return False if there is none."""
    @property
    def variant(self, /) -> Variant:
        """The variant that is played."""

@final
class Position:
    """The state of a game; immutable, every method returns a new one.

    Positions are equal when they have the same future: same variant, stones by player, hands,
    allowed cells and side to move. Which type lies where, the last action and the ply are not
    compared.

    Args:
        variant: the standard game unless given.
    """
    def __copy__(self, /) -> Position: ...
    def __deepcopy__(self, /, _memo: Any) -> Position: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, variant: VariantLike | None = None) -> Position: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str, Variant]]: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def _repr_svg_(self, /) -> str: ...
    def action_mask(self, /, canvas: Canvas | None = None) -> NDArray[np.int8]:
        """int8 ``(num_actions,)``: 1 = legal; all 0 when the game is over.

        Args:
            canvas: None for the actions of the variant, or a canvas for its actions.

        Raises:
            VariantError: the board does not fit the canvas.
        """
    @staticmethod
    def from_actions(
        actions: Sequence[SupportsIndex | str], variant: VariantLike | None = None
    ) -> Position:
        """The position after these actions, indices or texts, from the start.

        Raises:
            IllegalMoveError: an action is illegal; the message says which.
            GameOverError: the game is over before the last action.
            ParseError: a text is not an action; the message says which.
            TypeError: not a list of actions; `from_record` takes a text.
        """
    @staticmethod
    def from_notation(text: str, variant: VariantLike | None = None) -> Position:
        """The position with this text, see `notation`.

        Raises:
            ParseError: the text does not fit the board.
            PositionError: no game reaches the position; the message gives every reason found.
        """
    @staticmethod
    def from_packed(
        word: SupportsIndex | NDArray[np.uint64], variant: VariantLike | None = None
    ) -> Position:
        """The position with these words, see `to_packed`.

        Args:
            word: an integer of 64 bits; uint64 ``(5,)`` on boards of more than 16 cells.
            variant: the standard game unless given.

        Raises:
            PositionError: no position has these words; the message gives every reason found.
            ValueError: the integer has more than 64 bits, or the array a wrong shape.
            TypeError: not an integer, or not uint64.
        """
    @staticmethod
    def from_record(record: str, variant: VariantLike | None = None) -> Position:
        """The position after a game record such as ``"1. a1+, a3><; 2. a2+, a4<>"``.

        Raises:
            ParseError: the text is not a record, or stops in the middle of a turn.
            IllegalMoveError: a move is illegal; the message says which.
        """
    @property
    def hands(self, /) -> NDArray[np.int8]:
        """Pieces left, int8 ``(2, 4)``, by player and piece type."""
    @property
    def is_over(self, /) -> bool:
        """Whether the game is over."""
    @property
    def is_solvable(self, /) -> bool:
        """Whether an exact answer about the position is within reach of `solve`.

        That is so on boards of up to 16 cells, and on larger ones for endings with at most 14 empty
        cells. `solve` tries all other positions too, but may take very long.
        """
    @property
    def last_action(self, /) -> int | None:
        """The action that led here; None at the start."""
    def legal_actions(self, /) -> NDArray[np.int64]:
        """The legal action indices, int64, ascending; empty when the game is over."""
    @property
    def margin(self, /) -> int:
        """The points of Light minus those of Dark."""
    @property
    def notation(self, /) -> str:
        """The position as one line: board, last action, number of plies so far.

        Rows from the top, separated by ``/``; ``.`` empty, ``_`` no cell; ``S`` Straight, ``D``
        Diagonal, ``P`` Pusher, ``L`` puLler, upper case for Light; then a cell, ``pass`` or ``-``;
        then the ply, which also says who moves next.
        """
    def observation(
        self,
        /,
        layout: Literal["planes", "flat", "packed"] = "planes",
        dtype: DTypeLike | None = None,
        player: SupportsIndex | None = None,
        canvas: Canvas | None = None,
    ) -> NDArray[Any]:
        """The full state as numbers, seen by the side to move or by one player.

        Args:
            layout: ``"planes"`` ``(12, height, width)``, row 0 the lowest: own stones, opposing
                stones, cells allowed now, cells that exist, and a constant plane for each piece
                type in the own hand (4) and the opposing hand (4). ``"flat"``
                ``(3 * num_cells + 8,)``: own, opposing, allowed, own hand, opposing hand.
                ``"packed"`` ``()``: one uint64, see `mijnlieff.encoding.expand_packed`.
            dtype: float32 (hands as shares of `Variant.copies`; the default) or uint8 (hands as
                counts). A packed observation is always uint64.
            player: None for the view of the side to move, 0 for Light's and 1 for Dark's. Off turn
                no cell is allowed.
            canvas: the planes of a canvas instead of those of the board.

        Raises:
            ValueError: unknown layout or player, or a canvas and another layout than planes.
            TypeError: another dtype.
            VariantError: packed, but more than 16 cells or 3 copies, or the board does not fit the
                canvas.
        """
    @property
    def pieces(self, /) -> NDArray[np.int8]:
        """int8 ``(num_cells,)``: the piece type of each stone, -1 where the cell is empty."""
    def play(self, /, action: SupportsIndex | str) -> Position:
        """The position after this action, an index or a text such as ``"a1+"``.

        Raises:
            IllegalMoveError: the action is illegal or does not exist.
            GameOverError: the game is over.
            ParseError: the text is not an action.
        """
    @property
    def ply(self, /) -> int:
        """Actions so far, passes included."""
    @property
    def score(self, /) -> tuple[int, int]:
        """The points of Light and of Dark so far."""
    @property
    def stones(self, /) -> NDArray[np.int8]:
        """int8 ``(num_cells,)``: 0 empty, 1 Light, 2 Dark."""
    def to_packed(self, /) -> Any:
        """The position as a state of `mijnlieff.functional`.

        An int on boards of up to 16 cells, else uint64 ``(5,)``. It holds all that `notation`
        holds, and `mijnlieff.functional` documents its format. It is not the packed observation,
        which lacks the seat.
        """
    @property
    def to_play(self, /) -> int:
        """Who acts next: 0 Light, 1 Dark."""
    @property
    def variant(self, /) -> Variant:
        """The variant that is played."""
    @property
    def winner(self, /) -> int | None:
        """0 Light, 1 Dark; None for a draw and while the game is not over."""

@final
class RandomPolicy(BuiltinPolicy):
    """Plays any legal action, each equally likely.

    Args:
        seed: 0 to 2**64 - 1.
    """
    def __new__(cls, /, seed: SupportsIndex = 0) -> RandomPolicy: ...

@final
class SavedGame:
    """A game of a batch, with all that its future depends on."""
    def __new__(
        cls,
        /,
        variant: SupportsIndex,
        notation: str,
        streams: tuple[SupportsIndex, SupportsIndex],
        seat: SupportsIndex,
        over: bool,
        fresh: bool,
    ) -> SavedGame: ...
    def __reduce__(self, /) -> tuple[type, tuple[Any, ...]]: ...
    @property
    def fresh(self, /) -> bool:
        """Whether the agent has not acted in it yet."""
    @property
    def notation(self, /) -> str:
        """Its position, as `Position.notation` writes it."""
    @property
    def over(self, /) -> bool:
        """Whether it has ended and waits for its reset."""
    @property
    def seat(self, /) -> int:
        """The agent's side, 0 or 1; not used in self-play."""
    @property
    def streams(self, /) -> tuple[int, int]:
        """The states of its stream and of that of its sampled actions."""
    @property
    def variant(self, /) -> int:
        """The index of its variant."""

@final
class SearchOptions:
    """How a tree search works; `TreeSearch`, `SelfPlay` and policies that search take it.

    It is immutable, equal when all settings are, and can be pickled. The settings of the root that
    is not used are checked too, and have no effect.

    ``root="gumbel"`` samples `max_considered` actions without replacement, visits them by
    sequential halving, and follows the improved policy below the root (Danihelka et al. 2022,
    "Policy improvement by planning with Gumbel"; values are weighed as they are, not rescaled).
    ``root="puct"`` follows upper confidence bounds weighted by the policy everywhere (Silver et al.
    2017); an action without visits counts with the value of its node so far. Neither tries actions
    whose logit is -inf, and no noise changes that.

    Args:
        num_simulations: of each search, the evaluation of the root not counted.
        root: ``"gumbel"`` or ``"puct"``.
        c_puct: weight of the policy against the values, for PUCT.
        temperature: 0 chooses the best action. Gumbel: scale of the noise at the root. PUCT:
            actions are drawn in proportion to visits to the power of 1 over this.
        max_considered: actions that Gumbel samples at the root, 1 to 1024.
        c_visit: Gumbel's values weigh ``(c_visit + most visits) * c_scale``.
        c_scale: see `c_visit`.
        backup: how Gumbel's values of simulations make up those of the positions above. ``"mean"``:
            as their mean, so that actions count by their visits. ``"policy"``: actions with visits
            count by the improved policy, so what was only tried out costs a position nothing. The
            network's own value counts as one more visit.
        dirichlet_alpha: concentration of the noise in the root's policy, for PUCT.
        dirichlet_share: share of that noise in the root's policy, 0 to 1, for PUCT.
        margin_weight: the value of a finished game is ``(1 - w) * outcome + w * margin / 8``, the
            last term limited to -1 and 1. So is that of a leaf for which the network gives an
            outcome and a margin. If it gives one value, that should be of the same kind: 0 suits
            one that predicts the outcome alone.
        solve_roots_below: roots with at most this many empty cells are solved exactly and not
            searched; 0 solves none.
        solve_leaves_below: the same for positions below the root, which then need no network.

    Raises:
        ValueError: a setting out of range.
        TypeError: a setting of another type.
    """
    def __copy__(self, /) -> SearchOptions: ...
    def __deepcopy__(self, /, _memo: Any) -> SearchOptions: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(
        cls,
        /,
        num_simulations: SupportsIndex = 64,
        root: str = "gumbel",
        *,
        c_puct: SupportsFloat | SupportsIndex = 1.5,
        temperature: SupportsFloat | SupportsIndex = 1.0,
        max_considered: SupportsIndex = 16,
        c_visit: SupportsFloat | SupportsIndex = 50.0,
        c_scale: SupportsFloat | SupportsIndex = 0.5,
        backup: str = "mean",
        dirichlet_alpha: SupportsFloat | SupportsIndex = 0.5,
        dirichlet_share: SupportsFloat | SupportsIndex = 0.0,
        margin_weight: SupportsFloat | SupportsIndex = 0.5,
        solve_roots_below: SupportsIndex = 0,
        solve_leaves_below: SupportsIndex = 0,
    ) -> SearchOptions: ...
    def __reduce__(self, /) -> tuple[Any, Any]: ...
    def __repr__(self, /) -> str: ...
    @property
    def backup(self, /) -> Literal["mean", "policy"]:
        """How Gumbel's values of simulations make up those of the positions above."""
    @property
    def c_puct(self, /) -> float:
        """Weight of the policy against the values, for PUCT."""
    @property
    def c_scale(self, /) -> float:
        """Weight of Gumbel's values against the logits."""
    @property
    def c_visit(self, /) -> float:
        """Added to the most visits in the weight of Gumbel's values."""
    @property
    def dirichlet_alpha(self, /) -> float:
        """Concentration of the noise in the root's policy, for PUCT."""
    @property
    def dirichlet_share(self, /) -> float:
        """Share of that noise in the root's policy, for PUCT."""
    @property
    def margin_weight(self, /) -> float:
        """Share of the margin, as opposed to the outcome, in the value of a position."""
    @property
    def max_considered(self, /) -> int:
        """Actions that Gumbel samples at the root."""
    @property
    def num_simulations(self, /) -> int:
        """Simulations of each search."""
    def replace(self, /, **changes: Any) -> SearchOptions:
        """The same options but for some.

        Args:
            changes: new values by name.

        Raises:
            ValueError: as in the class.
            TypeError: as in the class, or an option that does not exist.
        """
    @property
    def root(self, /) -> Literal["gumbel", "puct"]:
        """``"gumbel"`` or ``"puct"``."""
    @property
    def solve_leaves_below(self, /) -> int:
        """The most empty cells of positions below the root that are solved."""
    @property
    def solve_roots_below(self, /) -> int:
        """The most empty cells of roots that are solved."""
    @property
    def temperature(self, /) -> float:
        """How random the choice of an action is."""

@final
class SelfPlayGames:
    """The native part of `mijnlieff.SelfPlay`, which documents the settings.

    It serves one thread at a time; RuntimeError tells a second one.
    """
    def __new__(
        cls,
        /,
        variants: Sequence[VariantLike],
        options: SearchOptions | SupportsIndex | None,
        *,
        canvas: Canvas | None,
        num_games: SupportsIndex,
        random_plies: SupportsIndex,
        solve_book_roots: bool,
        solved_temperature: SupportsFloat | SupportsIndex,
        observation: str,
        dtype: DTypeLike,
        seed: SupportsIndex,
        num_threads: SupportsIndex | None,
        tablebase: Tablebase | None,
        **changes: Any,
    ) -> SelfPlayGames: ...
    @property
    def options(self, /) -> SearchOptions:
        """The settings of its searches."""
    def play(self, /, network: Network, games: SupportsIndex) -> SelfPlaySamples:
        """Play the next games."""
    def play_samples(self, /, network: Network, samples: SupportsIndex) -> SelfPlaySamples:
        """Play the next games until they have this many samples."""
    @property
    def progress(self, /) -> tuple[int, int]:
        """The games and the samples of all calls that have returned."""
    def resume(self, /, games: SupportsIndex, samples: SupportsIndex) -> None:
        """Go on after this many games with this many samples."""
    def stop(self, /) -> None:
        """End the call that plays, or else the next one."""

@final
class SelfPlaySamples:
    """The decisions of finished games, one per row: game after game, and in each ply after ply.

    Random plies and forced passes are not decisions. All points of view are that of the side to
    move, except in `game_margins`.
    """

    __match_args__: Final[tuple[str, ...]]
    def __len__(self, /) -> int: ...
    def __new__(
        cls,
        /,
        observations: NDArray[Any],
        action_masks: NDArray[np.int8],
        policy_targets: NDArray[np.float32],
        action_margins: NDArray[np.int16],
        root_values: NDArray[np.float32],
        margins: NDArray[np.int16],
        exact: NDArray[np.bool_],
        variants: NDArray[np.int64],
        to_play: NDArray[np.int8],
        plies: NDArray[np.int16],
        games: NDArray[np.int64],
        game_margins: NDArray[np.int16],
        game_plies: NDArray[np.int16],
        first_game: SupportsIndex,
        statistics: SelfPlayStatistics,
    ) -> SelfPlaySamples: ...
    def __reduce__(self, /) -> tuple[type, tuple[Any, ...]]: ...
    def __repr__(self, /) -> str: ...
    @property
    def action_margins(self, /) -> NDArray[np.int16]:
        """Int16 ``(B, num_actions)``, exact margins of legal actions, for the side to move.

        The smallest int16 for illegal actions, and in positions that were not solved. Without a
        ``solved_temperature`` only the best actions are found, and no margins are kept.
        """
    @property
    def action_masks(self, /) -> NDArray[np.int8]:
        """Int8 ``(B, num_actions)``, 1 where legal."""
    @property
    def exact(self, /) -> NDArray[np.bool_]:
        """Bool ``(B,)``: whether the position was solved, so policy, value and margin are exact."""
    @property
    def first_game(self, /) -> int:
        """The number of the first game of the call, which may have no decisions."""
    @property
    def game_margins(self, /) -> NDArray[np.int16]:
        """Int16 ``(G,)``, Light's points less Dark's at the end of each game of the call."""
    @property
    def game_plies(self, /) -> NDArray[np.int16]:
        """Int16 ``(G,)``, plies of each game of the call."""
    @property
    def games(self, /) -> NDArray[np.int64]:
        """Int64 ``(B,)``, the number of the game; the first of a `SelfPlay` is 0.

        Numbers go on from call to call, so ``games - first_game`` are the rows of `game_margins`
        and `game_plies`.
        """
    @property
    def margins(self, /) -> NDArray[np.int16]:
        """Int16 ``(B,)``, points: under perfect play if the position was solved.

        Otherwise those of the next solved position of the game, or at its end if there is none.
        """
    @property
    def observations(self, /) -> NDArray[Any]:
        """``(B, ...)`` in the layout and dtype of the `SelfPlay`; packed ones uint64 ``(B,)``."""
    @property
    def outcomes(self, /) -> NDArray[np.int8]:
        """The signs of the margins, int8 ``(B,)``: 1 is won for the side to move."""
    @property
    def plies(self, /) -> NDArray[np.int16]:
        """Int16 ``(B,)``, plies played before."""
    @property
    def policy_targets(self, /) -> NDArray[np.float32]:
        """Float32 ``(B, num_actions)``, the policy to learn; rows sum to 1.

        In a solved position it is uniform over the best actions. Actions are those of the canvas if
        there is one.
        """
    @property
    def root_values(self, /) -> NDArray[np.float32]:
        """Float32 ``(B,)``, the value that the search or the solver gives, -1 to 1.

        The margin has the share `SearchOptions.margin_weight` in it.
        """
    @property
    def statistics(self, /) -> SelfPlayStatistics:
        """How much work was done."""
    @property
    def to_play(self, /) -> NDArray[np.int8]:
        """Int8 ``(B,)``, 0 for Light and 1 for Dark."""
    @property
    def variants(self, /) -> NDArray[np.int64]:
        """Int64 ``(B,)``, the index of the game's variant."""

@final
class SelfPlayStatistics:
    """How much work was done for some samples.

    The counts of leaves and evaluations depend on which games are played at once, and so on the
    number of threads; the others do not. Immutable, and equal to others with the same counts.
    """

    __match_args__: Final[tuple[str, ...]]
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(
        cls,
        /,
        games: SupportsIndex,
        plies: SupportsIndex,
        searched_roots: SupportsIndex,
        solved_roots: SupportsIndex,
        simulations: SupportsIndex,
        evaluations: SupportsIndex,
        shared_evaluations: SupportsIndex,
        recalled_evaluations: SupportsIndex,
        solved_leaves: SupportsIndex,
    ) -> SelfPlayStatistics: ...
    def __reduce__(self, /) -> tuple[type, tuple[Any, ...]]: ...
    def __repr__(self, /) -> str: ...
    @property
    def evaluations(self, /) -> int:
        """Positions that the network evaluated."""
    @property
    def games(self, /) -> int:
        """Games played."""
    @property
    def plies(self, /) -> int:
        """Plies of all games, random ones and passes included."""
    @property
    def recalled_evaluations(self, /) -> int:
        """Leaves that had been evaluated before in the same call."""
    @property
    def searched_roots(self, /) -> int:
        """Decisions made by a search."""
    @property
    def shared_evaluations(self, /) -> int:
        """Leaves that another tree had reached at the same time."""
    @property
    def simulations(self, /) -> int:
        """Simulations of all searches."""
    @property
    def solved_leaves(self, /) -> int:
        """Leaves whose value the exact solver found."""
    @property
    def solved_roots(self, /) -> int:
        """Decisions made by the exact solver."""

@final
class Solution:
    """The exact value of a position: its margin under perfect play, and that of every action.

    Immutable, and equal to others with the same attributes.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __new__(
        cls,
        /,
        margin: SupportsIndex,
        action_margins: dict[int, int],
        nodes: SupportsIndex,
        to_play: SupportsIndex,
    ) -> Solution: ...
    def __reduce__(self, /) -> tuple[type, tuple[int, Any, int, int]]: ...
    def __repr__(self, /) -> str: ...
    @property
    def action_margins(self, /) -> dict[int, int]:
        """The margin after each legal action, for the side to move, in a new dict.

        It is empty when the game is over.
        """
    @property
    def best_actions(self, /) -> list[int]:
        """The actions that keep the margin, ascending."""
    @property
    def light_margin(self, /) -> int:
        """The margin as `Position.margin` counts it: Light's points minus Dark's."""
    @property
    def margin(self, /) -> int:
        """Own points minus the opponent's at the end of the game, for the side to move."""
    @property
    def nodes(self, /) -> int:
        """Positions searched; 0 if the book had the answer."""
    @property
    def outcome(self, /) -> int:
        """1 when the side to move wins, 0 for a draw, -1 when it loses."""
    @property
    def to_play(self, /) -> int:
        """The side to move, 0 Light, 1 Dark."""

@final
class Solver:
    """The native part of `mijnlieff.solve`, `mijnlieff.solve_batch` and `PerfectPolicy`.

    Solves positions of the board and number of copies of a variant. The opening rule does not
    matter, unless one of the two is ``"corner_straight"``.

    Args:
        variant: which board, number of copies and opening rule.
        table_bytes: the most memory for the large table, see `set_table_bytes`.
        book: the bytes of a book file; used for the standard board with 2 copies.

    Raises:
        BookError: the bytes are not a book of this version.
    """
    def __new__(
        cls, /, variant: VariantLike, table_bytes: SupportsIndex, book: bytes | None = None
    ) -> Solver: ...
    def __repr__(self, /) -> str: ...
    @property
    def book_positions(self, /) -> int:
        """The number of positions in the book."""
    def solve(
        self,
        /,
        position: Position,
        max_nodes: SupportsIndex | None = None,
        max_seconds: SupportsFloat | SupportsIndex | None = None,
    ) -> Solution:
        """The exact value of a position, see `mijnlieff.solve`.

        Raises:
            SearchLimitError: a limit was reached.
            ValueError: another board or number of copies, or a limit that is negative or NaN.
            TypeError: `position` is not a `Position`, `max_nodes` not an integer, or `max_seconds`
                not a number.
        """
    def solve_batch(
        self,
        /,
        positions: Sequence[Position],
        num_threads: SupportsIndex | None = None,
        max_nodes: SupportsIndex | None = None,
        max_seconds: SupportsFloat | SupportsIndex | None = None,
    ) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int8]]:
        """Margins int16 ``(B,)``, margins of actions int16 and mask int8 ``(B, num_actions)``.

        Raises:
            SearchLimitError: a limit was reached.
            ValueError: as `solve`, or a number of threads that is not 1 to 1024.
            TypeError: as `solve`.
        """
    @property
    def table_bytes(self, /) -> int:
        """The memory of the tables, in bytes."""

@final
class Stop:
    """Stops work of the core in another thread.

    That thread works in the context ``with stop:``. Once another one has called `set`, long work of
    the core there ends soon, as on Ctrl-C: with `KeyboardInterrupt`.
    """
    def __enter__(self, /) -> None: ...
    def __exit__(self, /, *_raised: object) -> None: ...
    def __new__(cls, /) -> Stop: ...
    def set(self, /) -> None:
        """Stop the work in the context, also what begins later."""

@final
class Tablebase:
    """The exact margin of every position of one board and number of copies, in a file.

    The file of the standard game has 2.27 GB and serves all opening rules. Give the object as
    ``tablebase=`` to whatever else would ask the exact solver: nothing is searched then.

    ::

        table = Tablebase.build("standard.tablebase")  # once; then Tablebase.open
        table.margins(positions)
        solve(position, tablebase=table).best_actions

    The file is mapped into memory, so reading is fast once the system keeps it there. Each block of
    64 KiB is checked when it is read for the first time. The file must not be changed while it is
    open: where it is cut short meanwhile, the system ends the process with the signal SIGBUS. It
    may be deleted or renamed; copies of the object are itself. It can be pickled: the other process
    opens the same path. Several threads may use it at once.
    """
    def __copy__(self, /) -> Tablebase: ...
    def __deepcopy__(self, /, _memo: Any) -> Tablebase: ...
    def __reduce__(self, /) -> tuple[Any, ...]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def build(
        path: str | PathLike[str],
        variant: VariantLike | None = None,
        *,
        num_threads: SupportsIndex | None = None,
        progress: Callable[[int, int, int], object] | None = None,
    ) -> Tablebase:
        """Build the table of a variant into a new file, and open it.

        It grows as ``PATH.partial``, from the last stones to the first, and gets its name when it
        is whole. A partial file is continued: after Ctrl-C, a kill or a full disk, the next call
        loses at most the rows with one number of stones. Ctrl-C in the last moment leaves the whole
        file, which `open` opens. `size` says beforehand what it takes. Runs without the GIL and
        stops on Ctrl-C.

        Args:
            path: where to write it; there must be no file yet.
            variant: None is the standard game. The opening rule does not matter.
            num_threads: 1 to 1024; None is as many as there are cores. The file does not depend on
                it.
            progress: called now and then, from another thread, with the bytes that are done, all
                bytes, and the number of stones of the rows in work. An exception ends the build.

        Raises:
            FileExistsError: there is something at `path`.
            OSError: the file cannot be written, or another process is building it.
            TablebaseError: the variant has more than 16 cells or 3 copies, or margins of more than
                7 points.
            MemoryError: memory does not suffice.
        """
    def census(
        self,
        /,
        variant: VariantLike | None = None,
        *,
        facts: bool = False,
        num_threads: SupportsIndex | None = None,
    ) -> dict[str, NDArray[Any]]:
        """Count the positions that can be reached in games, by ply and by margin.

        Positions count in which a cell is empty and the game is not over, up to symmetry, once for
        every ply at which games reach them. All values are of the side to move. For the standard
        game that takes minutes of processor time, and 5 GB of memory. Runs without the GIL and
        stops on Ctrl-C.

        Args:
            variant: the game, of which the opening rule matters; None is the standard game.
            facts: whether to find out more than the margins.
            num_threads: 1 to 1024; None is as many as there are cores.

        Returns:
            Arrays by name, with a row for each ply. ``"margins"``: int64 ``(plies, 15)``, how many
            positions have the margins -7 to 7. ``"as_they_are"``: int64 ``(plies,)``, how many
            there are if symmetric ones are not one.

            With facts, int64 ``(plies,)``: ``"passes"``, positions in which the side to move has to
            pass; ``"can_block"``, in which it can make the opponent pass; ``"block_decides"``, in
            which only that keeps the outcome; ``"single_saving"``, in which one of several actions
            keeps a win or a draw; ``"actions"``, their legal actions.
            ``"swings"``: int64 ``(plies, 15)``, how many have so many points between the best and
            the worst action. float64 ``(plies,)``, means over the positions for an action drawn
            uniformly: ``"best_share"``, how likely it is best; ``"kept_share"``, how likely it
            keeps the outcome; ``"regret"``, its loss in points, and ``"outcome_regret"``, in
            outcomes. ``"hardest"`` and ``"widest"``: int64 ``(plies, 6)``, a position with a single
            saving action among the most, and one with the largest swing: that number, the cells of
            the side to move, of the opponent, and the allowed ones as bits, and both hands with two
            bits for each type. Of no ply, where a position counts once: ``"forced"``, int64, how
            many begin so many turns in a row with a single legal action each; ``"most_forced"``,
            one with the most; and ``"exchanges"``, float64 ``(4, 4)``, the mean change of the
            margin where a piece of the row's type, in the hand of the side to move, were one of
            the column's.

        Raises:
            ValueError: the table is not of this variant.
            TablebaseError: the table is damaged.
        """
    def check(self, /) -> None:
        """Read the whole file and compare all checksums.

        Raises:
            TablebaseError: it is damaged.
        """
    def margins(
        self, /, positions: Sequence[Position], num_threads: SupportsIndex | None = None
    ) -> NDArray[np.int16]:
        """The margins of many positions of one variant, int16 ``(B,)``, for the side to move.

        `solve_batch` with ``tablebase=`` gives those of all actions too. Runs without the GIL and
        stops on Ctrl-C.

        Args:
            positions: finished games are allowed; their margin is the result.
            num_threads: 1 to 1024; None is as many as there are cores.

        Raises:
            ValueError: no positions, several variants, or one that the table is not of.
            TablebaseError: the table is damaged.
        """
    @staticmethod
    def open(path: str | PathLike[str]) -> Tablebase:
        """Open the table in a file.

        Args:
            path: a file that `build` has made.

        Raises:
            TablebaseError: the file is not a whole table of this version.
            OSError: it cannot be read.
        """
    @property
    def path(self, /) -> Path:
        """The file, as an absolute path."""
    def serves(self, /, variant: VariantLike) -> bool:
        """Whether it holds the positions of a variant: those of any opening rule."""
    @staticmethod
    def size(variant: VariantLike | None = None) -> dict[str, int]:
        """What the table of a variant takes, before it is built.

        Args:
            variant: None is the standard game.

        Returns:
            ``"rows"``, one for every way to place and hold pieces; ``"values"``, one for each empty
            cell of a row; ``"file_bytes"``; and ``"build_bytes"``, the most memory that building
            takes.

        Raises:
            TablebaseError: it has no table, see `build`.
        """
    @property
    def variant(self, /) -> Variant:
        """Its variant, with the opening rule ``"anywhere"``; every rule has the same table."""

@disjoint_base
class TreeSearch:
    """Tree search over many positions at once, with native trees and an outside network.

    ::

       search = TreeSearch(positions, num_simulations=32)
       while (batch := search.select()) is not None:
           search.update(*network(batch.observation, batch.action_mask))
       search.actions, search.policy_targets, search.root_values

    A simulation goes down a tree to a position that is not in it yet. A finished game has its exact
    value, and forced passes are skipped. All other new positions wait for the network: at most one
    leaf for each tree, equal ones once. Values are for the side to move, and so are their signs.

    A tree depends on its position, its seed and the evaluations alone.

    A search serves one thread at a time; RuntimeError tells a second one, and whoever asks for the
    results of a search that is not done.

    Args:
        positions: of one variant, or with a canvas of any that fit; none of them finished.
        options: a `SearchOptions`, or the number of simulations; None has the defaults.
        seed: of the first tree, 0 to 2**64 - 1; tree ``i`` has ``seed + i``. Or the seed of each
            tree, uint64 ``(B,)``.
        num_threads: 1 to 1024; None is as many as there are cores.
        observation: layout of the leaves, see `Position.observation`; numbers are float32. None is
            ``"flat"``, and ``"planes"`` with a canvas.
        canvas: a `Canvas` for positions of several variants. Leaves are shown as its planes, and
            its actions number all masks, logits and results. Each tree is the one that a search of
            positions of its own variant has on the same canvas, given the same evaluations.
        changes: settings of `SearchOptions` by name, which replace those of `options`.

    Raises:
        ValueError: no position, several variants without a canvas, a canvas and another layout than
            planes, seeds of another shape, or a setting out of range.
        TypeError: seeds that are not uint64.
        VariantError: a board does not fit the canvas; the message says which position's.
        GameOverError: a position is finished; the message says which.
    """
    def __len__(self, /) -> int:
        """The number of trees."""
    def __new__(
        cls,
        /,
        positions: Sequence[Position],
        options: SearchOptions | SupportsIndex | None = None,
        *,
        seed: SupportsIndex | NDArray[np.uint64] = ...,
        num_threads: SupportsIndex | None = None,
        observation: str | None = None,
        canvas: Canvas | None = None,
        **changes: Any,
    ) -> Self: ...
    def __repr__(self, /) -> str: ...
    @property
    def actions(self, /) -> NDArray[np.int64]:
        """The action that each search has chosen, int64 ``(B,)``."""
    def nodes(self, /, tree: SupportsIndex) -> list[dict[str, Any]]:
        """The nodes of one tree, each before its children.

        Returns:
            Dicts with ``actions`` (from the root, forced passes left out), ``visits``, ``value``
            (for the side to move at the node before, at the root for its own, see
            `SearchOptions.backup`), ``prior`` and ``exact``.

        Raises:
            IndexError: there is no such tree.
            TypeError: `tree` is not an integer.
        """
    @property
    def options(self, /) -> SearchOptions:
        """The settings of the search."""
    @property
    def policy_targets(self, /) -> NDArray[np.float32]:
        """The policy to learn, float32 ``(B, num_actions)``; rows sum to 1.

        The improved policy (Gumbel), or the shares of the visits (PUCT).
        """
    def restart(self, /, positions: Sequence[Position]) -> None:
        """Start the next searches, from as many positions as there are trees.

        If a new position follows the root of its tree by one action and the passes that it forces,
        the tree keeps that subtree; new simulations are added to it. With a canvas, positions may
        be of variants that the search has not seen yet. It keeps the tables of all variants seen;
        they may be 65,535 in all.

        Raises:
            ValueError: another number of positions, or another variant without a canvas.
            VariantError: a board does not fit the canvas.
            GameOverError: a position is finished.
            MemoryError: memory does not suffice; nothing has changed.
            KeyboardInterrupt: Ctrl-C with many trees; `select` has the leaves of the old searches,
                or starts the new ones.
        """
    @property
    def root_noise(self, /) -> NDArray[np.float32]:
        """The noise at the roots, float32 ``(B, num_actions)``.

        Noise on the logits (Gumbel), or the policy with noise in it (PUCT); 0 for illegal actions
        and those whose logit is -inf.
        """
    @property
    def root_values(self, /) -> NDArray[np.float32]:
        """The value of each root for its side to move, float32 ``(B,)``.

        The mean of all simulations and of the network's own value, or what `SearchOptions.backup`
        makes of them.
        """
    def run_with_rollouts(self, /) -> None:
        """Run all simulations with random games instead of a network.

        All legal actions get equal prior probability, and the value of a leaf is the result of one
        game of random actions from there.

        Raises:
            MemoryError: the trees cannot grow; the next call continues where this one ended.
        """
    def select(self, /) -> LeafBatch | None:
        """Simulate until every tree needs the network or is done.

        Returns:
            The leaves to evaluate, or None when all searches are done. Called again without an
            update it returns the same leaves.

        Raises:
            KeyboardInterrupt: Ctrl-C; the search can be continued.
            MemoryError: the trees cannot grow; the next call continues where this one ended.
        """
    @property
    def solved(self, /) -> NDArray[np.bool_]:
        """Whether a root has been solved, bool ``(B,)``.

        It has no visits then, its value is exact, and its policy is uniform over the best actions.
        """
    @property
    def tree_bytes(self, /) -> int:
        """The memory that the trees take, in bytes."""
    def update(self, /, logits: ArrayLike, values: ArrayLike) -> None:
        """Take the network's evaluation of the leaves of the last `select`.

        Args:
            logits: ``(B, num_actions)``, those of illegal actions are not read; real numbers, a
                PyTorch tensor if you like. The search never tries an action with -inf; at
                least one legal action of each leaf needs a logit above that.
            values: for the side to move at the leaf, as `Model.evaluate` returns them: ``(B,)``,
                -1 to 1; or ``(B, 2)``, the expected outcome, -1 to 1, and the expected margin in
                units of 4 points, which `SearchOptions.margin_weight` mixes.

        Raises:
            PolicyError: a wrong shape or dtype, NaN, infinity, a value or outcome more than 0.001
                out of range, or no legal action with a logit above -inf; nothing has changed.
            RuntimeError: no leaf waits.
            MemoryError: some trees cannot grow; `select` has the leaves of those again.
            KeyboardInterrupt: Ctrl-C with many trees; as for `MemoryError`.
        """
    @property
    def visit_counts(self, /) -> NDArray[np.int32]:
        """Visits of each action of the roots, int32 ``(B, num_actions)``, kept ones included."""

@final
class Variant:
    """The fixed parts of a game: board, opening rule, pieces of each type.

    Wherever a variant is expected, its text (see `from_text`) or its dict (see `to_dict`) may be
    given instead.

    Args:
        board: the standard 4x4 board unless given.
        opening: where Light may open: ``"outside"`` any piece on a cell with an orthogonal
            neighbor missing, ``"corner"`` any piece on a corner cell, ``"corner_straight"`` a
            Straight on a corner cell, ``"anywhere"`` any piece anywhere.
        copies: pieces of each of the four types that each player starts with, 1 to 127.

    Raises:
        VariantError: an unknown opening or an impossible number of copies.
        ParseError: the opening has a lone surrogate.
    """
    def __copy__(self, /) -> Variant: ...
    def __deepcopy__(self, /, _memo: Any) -> Variant: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(
        cls, /, board: Board | None = None, opening: str = "outside", copies: SupportsIndex = 2
    ) -> Variant: ...
    def __reduce__(self, /) -> tuple[type, tuple[Board, str, int]]: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str:
        """Return the text that `from_text` reads."""
    def action_index(self, /, name: str) -> int:
        """The action with this text.

        Raises:
            ParseError: the text is neither a cell of the board with a sign nor a pass.
        """
    def action_name(self, /, action: SupportsIndex) -> str:
        """The text of an action, such as ``a1+`` or ``pass``.

        Raises:
            IndexError: there is no such action.
        """
    @property
    def action_symmetries(self, /) -> NDArray[np.int64]:
        """Where each action goes under each symmetry of the board, int64 ``(k, num_actions)``."""
    @property
    def board(self, /) -> Board:
        """The board."""
    @property
    def copies(self, /) -> int:
        """Pieces of each type that each player starts with."""
    @staticmethod
    def from_dict(parts: Mapping[str, Any]) -> Variant:
        """The variant with these parts, as `to_dict` returns them.

        Args:
            parts: ``"board"``, a text as for `Board.from_text`, ``"opening"`` and ``"copies"``. A
                missing one is that of the standard game.

        Raises:
            VariantError: another part, an unknown opening or an impossible number of copies.
            BoardError: the text is not a board.
            TypeError: something else than a mapping, or a part of another type.
        """
    @staticmethod
    def from_text(text: str) -> Variant:
        """The variant with this text, such as ``standard corner 3``.

        Args:
            text: a board as for `Board.from_text`, an opening and a number of copies, in this order
                and separated by blanks. Each may be left out, but not all: the others are those of
                the standard game.

        >>> from mijnlieff import Variant
        >>> Variant.from_text("corner") == Variant(opening="corner")
        True
        >>> str(Variant.from_text("blocks:0,0;2,1 3"))
        '..##/####/##.. 3'

        Raises:
            VariantError: an unknown word or an impossible number of copies.
            BoardError: what stands in the place of the board is not one.
            ParseError: the text has a lone surrogate.
        """
    @property
    def max_game_length(self, /) -> int:
        """The most actions, passes included, that a game can have."""
    @property
    def max_margin(self, /) -> int:
        """A bound for the margin of a game: it is between ``-max_margin`` and ``max_margin``.

        On boards of up to 16 cells it is the most points that all stones of a player can score
        wherever they lie, on larger ones the points of the whole board.
        """
    @property
    def num_actions(self, /) -> int:
        """Number of action indices, ``4 * num_cells + 1``; 65 on the standard board."""
    def observation_shape(self, /, layout: str) -> tuple[int, ...]:
        """The shape of one observation in a layout, see `Position.observation`.

        Raises:
            ValueError: unknown layout.
            VariantError: packed, but more than 16 cells or 3 copies.
        """
    @property
    def opening(self, /) -> str:
        """The opening rule."""
    @property
    def pass_action(self, /) -> int:
        """The index of the pass, the last action."""
    def to_dict(self, /) -> dict[str, Any]:
        """Return ``board`` (the text of its rows), ``opening`` and ``copies``, for JSON.

        >>> from mijnlieff import Board, Variant
        >>> Variant(Board.from_text("###"), "corner", copies=1).to_dict()
        {'board': '###', 'opening': 'corner', 'copies': 1}
        """

def as_variant(variant: VariantLike | None, name: str = "variant") -> Variant:
    """The variant that an argument gives; None is the standard game.

    Raises:
        TypeError: something else; the message has the `name` of the argument.
        VariantError: a text or dict that is not a variant.
        BoardError: its board is not one.
    """

def as_variants(variants: Sequence[VariantLike]) -> tuple[Variant, ...]:
    """The variants that an argument gives, as for `as_variant`.

    Raises:
        TypeError: not a list of variants.
        VariantError: a text or dict that is not a variant.
        BoardError: its board is not one.
    """

def canonical_counts(variant: VariantLike, plies: SupportsIndex) -> list[int]:
    """How many positions, up to symmetry, a variant has after 0, 1, ... `plies` actions.

    Finished games count. The list ends where no game is longer. Memory grows with the count: 6
    plies of the standard game take about 2 GB.

    Raises:
        ValueError: more than 16 cells or 3 copies.
    """

def check_playable(positions: Sequence[Position], canvas: Canvas | None = None) -> None:
    """Raise unless a policy can be asked about these positions.

    No game may be over, and all positions are of one variant, or their boards fit the canvas.
    Policies that cut a call into parts check all positions before the first part.

    Raises:
        GameOverError: a game is over; the message says which.
        ValueError: there are no positions, or without a canvas positions of several variants.
        TypeError: an item is not a `Position`.
        VariantError: a board does not fit the canvas.
    """

def common_variant(positions: Sequence[Position]) -> Variant:
    """The variant that all positions share.

    Raises:
        ValueError: no positions, or positions of different variants.
        TypeError: an item is not a `Position`.
    """

def format_record(
    actions: Sequence[SupportsIndex | str], variant: VariantLike | None = None
) -> str:
    """The record of a game from the first action, ``#`` after the end of a finished one.

    Raises:
        IllegalMoveError: an action is illegal; the message says which.
        GameOverError: the game is over before the last action.
        ParseError: a text is not an action; the message says which.
        TypeError: not a list of actions.
    """

def from_positions(positions: Sequence[Position]) -> NDArray[np.uint64]:
    """Return the states of positions of one variant, uint64 ``(n,)`` or ``(n, 5)``.

    Raises:
        ValueError: no positions, or positions of different variants.
        TypeError: an item is not a `Position`.
    """

def init(n: SupportsIndex, variant: VariantLike | None = None) -> NDArray[np.uint64]:
    """Return the states of new games.

    Args:
        n: number of games, 0 or more.
        variant: the game; None is the standard game.

    Returns:
        uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells; all zero.

    Raises:
        ValueError: `n` is negative.
        TypeError: `n` is not an integer, or `variant` is not a variant.
        MemoryError: there is not enough memory.
    """

def integer(name: str, value: object) -> int:
    """The integer that an argument stands for.

    Args:
        name: of the argument, for the message.
        value: anything with ``__index__`` except booleans, which are nearly always a flag in the
            wrong place.

    Raises:
        TypeError: the value is not an integer, or a boolean.
    """

def integer_in(name: str, value: object, least: SupportsIndex, most: SupportsIndex) -> int:
    """The integer that an argument stands for, if it is `least` to `most`.

    Args:
        name: of the argument, for the message.
        value: as in `integer`.
        least: from 0.
        most: to 2**64 - 1.

    Raises:
        TypeError: as `integer`.
        ValueError: out of that range.
    """

def legal_mask(
    states: ArrayLike,
    variant: VariantLike | None = None,
    *,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int8]:
    """Return the legal actions of each state.

    Args:
        states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells.
        variant: the game; None is the standard game.
        num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
            cores.

    Returns:
        int8 ``(n, num_actions)``, 1 for every legal action. Where the game is over all are 1, as
        any action may be given to `step`.

    Raises:
        PositionError: a word is not a state of the variant; the message gives its number and value.
        TypeError: `states` is not uint64.
        ValueError: `states` has a wrong shape.
        MemoryError: there is not enough memory.
    """

def mask_batch(positions: Sequence[Position], canvas: Canvas | None = None) -> NDArray[np.int8]:
    """The action masks of several positions, int8 ``(B, num_actions)``.

    Without a canvas all positions are of one variant; with one, actions are those of the canvas.
    Runs without the GIL.

    Raises:
        ValueError: no positions, or positions of different variants without a canvas.
        TypeError: an item is not a `Position`.
        VariantError: a board does not fit the canvas.
    """

def num_cores() -> int:
    """The cores that this process may use; ``num_threads=None`` means as many threads."""

def observe(
    states: ArrayLike,
    layout: Literal["flat", "planes", "packed"] = "flat",
    dtype: DTypeLike = ...,
    variant: VariantLike | None = None,
    *,
    player: SupportsIndex | None = None,
    num_threads: SupportsIndex | None = None,
) -> NDArray[Any]:
    """Return the observation of each state.

    Layouts and dtypes are those of `Position.observation`. A game that an illegal action has ended
    is seen as it was before.

    Args:
        states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells.
        layout: ``"flat"`` ``(n, 3 * num_cells + 8)``, ``"planes"`` ``(n, 12, height, width)`` or
            ``"packed"`` uint64 ``(n,)``.
        dtype: float32 (the default) or uint8; ``"packed"`` ignores it.
        variant: the game; None is the standard game.
        player: None for the view of the side to move, 0 for Light's and 1 for Dark's. Off turn no
            cell is allowed.
        num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
            cores.

    Returns:
        An array of that shape and dtype.

    Raises:
        PositionError: a word is not a state of the variant; the message gives its number and value.
        VariantError: packed, but more than 16 cells or 3 copies.
        TypeError: `states` is not uint64, or another dtype.
        ValueError: `states` has a wrong shape, or an unknown layout or player.
        MemoryError: there is not enough memory.
    """

def observe_batch(
    positions: Sequence[Position],
    layout: Literal["planes", "flat", "packed"] | None = None,
    dtype: DTypeLike | None = None,
    canvas: Canvas | None = None,
) -> NDArray[Any]:
    """The observations of several positions, ``(B, ...)``.

    Layouts and dtypes are those of `Position.observation`; the default layout is ``"flat"``, and
    ``"planes"`` with a canvas. Without a canvas all positions are of one variant. Runs without the
    GIL.

    Raises:
        ValueError: no positions, positions of different variants without a canvas, an unknown
            layout, or a canvas and another layout than planes.
        TypeError: an item is not a `Position`, or another dtype.
        VariantError: packed, but more than 16 cells or 3 copies, or a board does not fit the
            canvas.
    """

def own_actions(
    positions: Sequence[Position], actions: ArrayLike, canvas: Canvas
) -> NDArray[np.int64]:
    """The actions of positions of any variants that actions of a canvas stand for, int64 ``(B,)``.

    Raises:
        IndexError: the canvas has no such action, or the board no cell there.
        ValueError: not one action for each position.
        TypeError: the actions are not integers, or an item is not a `Position`.
        VariantError: a board does not fit the canvas.
    """

def own_masks(positions: Sequence[Position]) -> NDArray[np.int8]:
    """The action masks of positions of any variants, int8 ``(B, most)``.

    Each row has the actions of the position's own variant; zeros fill up the shorter ones.

    Raises:
        TypeError: an item is not a `Position`.
    """

def parse_record(text: str, variant: VariantLike | None = None) -> list[int]:
    """The actions of a game record; every one is played, so the game is legal.

    Raises:
        ParseError: the text is not a record, or stops in the middle of a turn.
        IllegalMoveError: a move is illegal; the message says which.
    """

def perft(position: Position, depth: SupportsIndex) -> int:
    """The number of sequences of exactly `depth` actions; finished games have no continuation.

    Runs without the GIL and stops on Ctrl-C.

    Raises:
        ValueError: `depth` is negative.
        TypeError: `position` is not a `Position`, or `depth` not an integer.
    """

def play_match(
    openings: Sequence[Position],
    policy: BuiltinPolicy,
    opponent: BuiltinPolicy,
    seed: SupportsIndex = 0,
    first: SupportsIndex = 0,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int64]:
    """Margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.

    Each opening is played twice, with the seats exchanged. Opening ``i`` draws from streams of
    ``seed + first + i`` and of the seeds of the policies, whatever the number of threads; the
    decisions that the policies count for themselves do not change. Runs without the GIL and stops
    on Ctrl-C.

    Raises:
        ValueError: no openings, openings of several variants, or a number out of range.
        TypeError: an opening is not a `Position`.
        GameOverError: an opening is finished.
    """

def random_openings(
    count: SupportsIndex,
    plies: SupportsIndex,
    variant: VariantLike | None = None,
    seed: SupportsIndex = 0,
    first: SupportsIndex = 0,
) -> list[Position]:
    """Positions after `plies` uniformly random actions, none of them finished.

    Opening ``i`` is that of seed ``seed + first + i`` (modulo 2**64), so seeds less than `count`
    apart share openings. One whose game ends on the way is drawn again.

    Raises:
        ValueError: a thousand games in a row ended before `plies` actions, or a number out of
            range.
        MemoryError: memory does not suffice.
    """

def rollout(
    positions: Sequence[Position],
    repeats: SupportsIndex = 1,
    seed: SupportsIndex = 0,
    num_threads: SupportsIndex | None = None,
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Play positions to the end at random and return the points and the numbers of plies.

    Every action is drawn from the legal ones, each equally likely. Repeat ``r`` of position ``i``
    is number ``n = i * repeats + r`` and draws from stream 1 of ``seed + n``, as game ``n`` of a
    `VectorEnv` does in ``sample_actions``. Runs without the GIL and stops on Ctrl-C.

    Args:
        positions: of one variant; one that is over stays as it is.
        repeats: games from each position, at least 1.
        seed: 0 to 2**64 - 1.
        num_threads: 1 to 1024; None is as many as there are cores.

    Returns:
        The points of Light and Dark at the end, int16 ``(B, repeats, 2)``, and the actions it took,
        int16 ``(B, repeats)``.

    Raises:
        ValueError: no position or positions of several variants, no game or more than 2**28, or a
            number of threads out of range.
        TypeError: an item is not a `Position`, or a number not an integer.
    """

def score(
    states: ArrayLike,
    variant: VariantLike | None = None,
    *,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int16]:
    """Return the points of Light and of Dark in each state so far, int16 ``(n, 2)``.

    Arguments and errors are those of `legal_mask`.
    """

def seed_of(seed: object) -> int:
    """A seed, 0 to 2**64 - 1.

    Raises:
        TypeError: as `integer`.
        ValueError: out of that range.
    """

def set_table_bytes(count: SupportsIndex) -> None:
    """Set the most memory that the table of a solver may take, in bytes; the default is 64 MiB.

    Existing solvers are dropped. A table takes the largest power of two that fits, less on boards
    too small to fill it, and at least 32 MiB with more than 3 copies on 16 cells. On larger boards
    it limits, roughly, the memory of the map that each search makes. Beside a table of 16 MiB or
    more, searches from at most 11 empty cells have one of 4 MiB.

    The next search makes the table, and raises MemoryError if the system does not have the memory.
    The system hands out the memory only as entries are stored.

    Raises:
        ValueError: the number is below 1.
        TypeError: it is not an integer.
    """

def solve(
    position: Position,
    *,
    max_nodes: SupportsIndex | None = None,
    max_seconds: SupportsFloat | SupportsIndex | None = None,
    tablebase: Tablebase | None = None,
) -> Solution:
    """The exact margin of a position and of every legal action, for the side to move.

    Any position of a board of up to 16 cells takes at most some 20 seconds with up to 3 copies, and
    so does a position of a larger board with at most 14 empty cells. Others may take very long;
    give a limit. What is known without a search, from the book of the standard game or a tablebase,
    is answered whatever the limit. Runs without the GIL and stops on Ctrl-C.

    >>> import mijnlieff
    >>> mijnlieff.solve(mijnlieff.Position()).margin  # Light is to move: Dark wins by one point
    -1

    Args:
        position: any position.
        max_nodes: the most positions to search.
        max_seconds: the most time to search, in seconds; infinity means no limit.
        tablebase: a `Tablebase` to look the margins up in, rather than search.

    Raises:
        SearchLimitError: a limit was reached; the error holds the bounds proven so far.
        ValueError: `max_nodes` or `max_seconds` is negative, `max_seconds` is NaN, or the tablebase
            is of another board or number of copies.
        TablebaseError: the tablebase is damaged.
        TypeError: `position` is not a `Position`, `max_nodes` not an integer, or `max_seconds` not
            a number.
        BookError: the book that comes with the package is damaged.
    """

def solver_for(variant: VariantLike, tablebase: Tablebase | None = None) -> Solver:
    """The solver for positions of this variant, which the whole package shares.

    There is one for each board and number of copies, and another one for the opening rule
    ``corner_straight``. It is made on first use; the four used last are kept. With a tablebase it
    is one that looks positions up, and is not kept.

    Raises:
        BookError: the book that comes with the package is damaged.
        ValueError: the tablebase is of another board or number of copies.
    """

def step(
    states: ArrayLike,
    actions: ArrayLike,
    variant: VariantLike | None = None,
    *,
    reward: Literal["outcome", "margin"] = "outcome",
    illegal_action: Literal["raise", "lose"] = "raise",
    num_threads: SupportsIndex | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.bool_]]:
    """Play an action in each state.

    Runs without the GIL and stops on Ctrl-C.

    Args:
        states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells; unchanged.
        actions: integers ``(n,)``; those of games that are over are ignored.
        variant: the game; None is the standard game.
        reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (own points minus the opponent's), for
            the player who acted. It is 0 unless the step ends the game.
        illegal_action: what an illegal action does: ``"raise"`` an error, or ``"lose"`` the game at
            once with reward -1. A number that no action has always raises.
        num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
            cores.

    Returns:
        The next states, a new array like `states`; the rewards, float32 ``(n,)``; and whether each
        game is over, bool ``(n,)``.

    Raises:
        IllegalMoveError: an action does not exist, or is illegal and does not lose; the first one
            is in the fields of the error, and its number in ``env_index``.
        PositionError: a word is not a state of the variant; the message gives its number and value.
        TypeError: `states` is not uint64, or `actions` are not integers.
        ValueError: a wrong shape, or an unknown option.
        MemoryError: there is not enough memory.
    """

def threads_of(num_threads: object) -> int | None:
    """A number of threads, 1 to 1024, or None where the caller gave none.

    Raises:
        TypeError: as `integer`.
        ValueError: out of that range.
    """

def to_play(
    states: ArrayLike,
    variant: VariantLike | None = None,
    *,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int8]:
    """Return who acts next in each state, int8 ``(n,)``: 0 Light, 1 Dark.

    Arguments and errors are those of `legal_mask`.
    """

def to_positions(states: ArrayLike, variant: VariantLike | None = None) -> list[Position]:
    """Return the position of each state, with all that `Position.notation` holds.

    Raises:
        PositionError: a word is not a state of the variant, or an illegal action has ended the
            game, which a position cannot show.
        TypeError: `states` is not uint64.
        ValueError: `states` has a wrong shape.
        MemoryError: there is not enough memory.
    """
