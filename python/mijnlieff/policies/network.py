"""A policy that plays by a network, with or without a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mijnlieff._mijnlieff import (
    Canvas,
    Network,
    Position,
    SearchOptions,
    TreeSearch,
    check_playable,
    common_variant,
    mask_batch,
    observe_batch,
    own_actions,
)
from mijnlieff._util.arguments import integer_from, number_from_zero, seed_of, threads_of
from mijnlieff.policies.base import ActsInGames, variants_of
from mijnlieff.policies.model import FunctionModel, Layout, Model, checked_logits
from mijnlieff.policies.searches import Searches, play_options, search_with
from mijnlieff.policies.streams import decision_seeds, gumbel_noise

__all__ = ["NetworkPolicy"]


class NetworkPolicy(ActsInGames):
    """Plays by a network, or by a tree search with one.

    The network is a `Network`, one in training by `mijnlieff.train`, any other
    `mijnlieff.policies.Model`, or a function. A function is called as ``fn(observations, masks)``
    with NumPy arrays: observations ``(B, ...)`` and int8 masks ``(B, num_actions)``. It returns
    logits ``(B, num_actions)``, or a tuple of logits and values ``(B,)`` for the side to move,
    which a search needs. They may be anything that NumPy converts to arrays of real numbers, and
    PyTorch tensors.

    Illegal actions are masked by the policy, so their logits do not matter. A wrong shape or dtype,
    a logit that is NaN or +inf, and -inf for every legal action of a position raise `PolicyError`.

    A `Network` plays in native code, without the GIL, and decision ``n`` draws from stream ``n`` of
    the seed. Searches do so too, by any network. Draws by others come from a generator that
    advances by one row of numbers for each position. So the same positions in the same order get
    the same actions, however they are split into batches.

    Policies are equal if their networks and settings are; the number of decisions made so far is
    pickled, but not compared.

    Args:
        model: the network or function.
        temperature: 0 plays the legal action with the largest logit (the first of equal ones);
            above 0, actions are drawn with probabilities ``softmax(logits / temperature)``.
        search: None plays by the network alone. `SearchOptions`, or a number of simulations, search
            before every decision and play the best action: there is no ``temperature`` then, and
            those of the options and ``dirichlet_share`` have no effect.
        seed: of the random draws, 0 to 2**64 - 1.
        observation: the layout of observations for a function, see `Position.observation`; None is
            flat, and planes on a canvas.
        dtype: their dtype, float32 or uint8.
        canvas: for a function, None for positions of one variant at a time, or a `Canvas` for
            positions of any variants that fit: it is shown planes and masks of the canvas and
            returns logits for its actions.
        batch_size: the most positions passed to the network at once, without a search.
        num_threads: of the search and of a `Network` in it, 1 to 1024; None is as many as there are
            cores.

    Attributes:
        model: the network; a function as a `Model`.
        search: the options of the search, or None.

    Raises:
        ValueError: a number out of range, both a search and a temperature, an unknown layout, a
            canvas and another layout than planes, a layout or a canvas for a network that knows its
            own, or a search by a network that is not shown float32.
        TypeError: `model` is neither a network nor a function, or a setting has a wrong type.
    """

    def __init__(
        self,
        model: Model | Callable[[NDArray[Any], NDArray[np.int8]], Any],
        *,
        temperature: float = 0.0,
        search: SearchOptions | SupportsIndex | None = None,
        seed: SupportsIndex = 0,
        observation: Layout | None = None,
        dtype: DTypeLike | None = None,
        canvas: Canvas | None = None,
        batch_size: SupportsIndex = 4096,
        num_threads: SupportsIndex | None = None,
    ) -> None:
        """Check the settings."""
        if not isinstance(model, Model):
            kind = "float32" if dtype is None else dtype
            model = FunctionModel(model, observation, kind, canvas)
        elif any(one is not None for one in (observation, dtype, canvas)):
            raise ValueError(
                f"{model!r} knows what it is shown: leave out observation, dtype and canvas"
            )
        self.model: Model = model
        self.temperature = number_from_zero("temperature", temperature)
        self.seed = seed_of(seed)
        self.batch_size = integer_from("batch_size", batch_size, 1)
        threads = threads_of(num_threads)
        self.search = None if search is None else play_options(search)
        self._searches: Searches | None = None
        if self.search is not None:
            if self.temperature:
                raise ValueError(
                    f"a search plays its best action, so temperature must be 0, not {temperature!r}"
                )
            if model.observation != "packed" and np.dtype(model.dtype) != np.float32:
                raise ValueError(f"a search shows float32, and {model!r} needs {model.dtype}")
            self._searches = Searches(self.search, self.seed, model.observation, threads)
        self._generator = np.random.default_rng(self.seed)
        self._decisions = 0

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, indices of each position's own variant.

        Without a canvas all positions are of one variant. If anything is raised, no decision is
        counted, and no draw.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the network cannot play the variant, or it returned something from which no
                legal action can be taken; the message says what, and in which position.
            ValueError: positions of several variants without a canvas.
            VariantError: a board does not fit the canvas.
        """
        return self._act(positions, None)

    def _act(
        self, positions: Sequence[Position], games: NDArray[np.uint64] | None
    ) -> NDArray[np.int64]:
        if not len(positions):
            return np.empty(0, dtype=np.int64)
        self._check(positions)
        seeds = None
        if games is not None and (self._searches is not None or self.temperature > 0):
            seeds = decision_seeds(self.seed, positions, games)
        if self._searches is None and isinstance(self.model, Network) and seeds is None:
            actions = self.model.choose(positions, self.temperature, self.seed, self._decisions)
            self._decisions += len(positions) * (games is None)
            return actions
        chosen = self._choose(positions, seeds)
        canvas = self.model.canvas
        return chosen if canvas is None else own_actions(positions, chosen, canvas)

    @property
    def is_deterministic(self) -> bool:
        """Whether equal positions always get the same action, as far as the network does so.

        A search that solves positions draws one of their best actions.
        """
        solves = self.search is not None and self.search.solve_roots_below > 0
        return self.temperature == 0 and not solves

    @property
    def exact_endings(self) -> tuple[int, int] | None:
        """Where it keeps the exact margin, see `best_response`; None if it solves nothing."""
        return None if self._searches is None else self._searches.exact_endings

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        """Return the probability of every action, float64 ``(B, num_actions)``.

        The columns are the actions of the variant. Only where a policy with a canvas is asked about
        positions of several variants, they are the actions of the canvas, as rows have one length.
        The best actions of a position that the search solves are equally likely. No decision is
        counted.

        Raises:
            GameOverError: as in `act_batch`.
            PolicyError: as in `act_batch`.
            ValueError: no positions, or positions of several variants without a canvas.
            VariantError: as in `act_batch`.
        """
        self._check(positions)
        canvas = self.model.canvas
        if self._searches is not None:
            shares = self._searches.probabilities(positions, canvas, self._run_search)
        elif self.temperature == 0:
            num_actions = (canvas or positions[0].variant).num_actions
            shares = np.eye(num_actions)[self._choose(positions)]
        else:
            shares = np.concatenate(
                [_softmax(logits, self.temperature) for logits in self._logits(positions)]
            )
        variants = variants_of(positions)
        if canvas is None or len(variants) > 1:
            return shares
        return shares[:, canvas.actions(variants.pop())]

    def _check(self, positions: Sequence[Position]) -> None:
        """Raise unless the model can play in all positions."""
        canvas = self.model.canvas
        if canvas is None:
            self.model.check_variant(common_variant(positions))
        else:
            for variant in variants_of(positions):
                self.model.check_variant(variant)
        check_playable(positions, canvas)

    def _choose(
        self, positions: Sequence[Position], seeds: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        """Return actions, of the canvas if there is one; seeds are those of the decisions."""
        if self._searches is not None:
            return self._searches.choose(positions, self.model.canvas, self._run_search, seeds)
        chosen: list[NDArray[np.int64]] = []
        before = self._generator.bit_generator.state
        try:
            for logits in self._logits(positions):
                if self.temperature > 0:
                    if seeds is None:
                        noise = self._generator.gumbel(size=logits.shape)
                    else:
                        rows, seeds = np.split(seeds, [len(logits)])
                        noise = gumbel_noise(rows, logits.shape[1])
                    # The largest of logits with Gumbel noise is a draw from their softmax.
                    logits = _scaled(logits, self.temperature) + noise
                chosen.append(logits.argmax(axis=1))
        except BaseException:
            self._generator.bit_generator.state = before
            raise
        return np.concatenate(chosen)

    def _run_search(self, search: TreeSearch) -> None:
        evaluate: Callable[..., Any] = self.model.evaluate
        if isinstance(self.model, Network) and self._searches is not None:
            evaluate = partial(evaluate, num_threads=self._searches.num_threads)
        search_with(evaluate, search)

    def _logits(self, positions: Sequence[Position]) -> Iterator[NDArray[np.float64]]:
        """Yield the logits of parts of the positions, with -inf for illegal actions."""
        model = self.model
        for start in range(0, len(positions), self.batch_size):
            part = positions[start : start + self.batch_size]
            masks = mask_batch(part, model.canvas)
            shown = observe_batch(part, model.observation, model.dtype, model.canvas)
            yield checked_logits(model.evaluate(shown, masks), masks, start)

    def __repr__(self) -> str:
        """Return the network and the settings; those that are the defaults are left out."""
        model = self.model
        shown = model.arguments() if isinstance(model, FunctionModel) else repr(model)
        if "\n" in shown:  # PyTorch shows every layer on its own line
            shown = type(model).__name__
        return f"NetworkPolicy({', '.join([shown, *self._settings()])})"

    def _settings(self) -> list[str]:
        defaults = {"seed": 0, "temperature": 0.0, "search": None}
        values = {name: getattr(self, name) for name in defaults}
        return [f"{name}={values[name]!r}" for name in defaults if values[name] != defaults[name]]

    def __eq__(self, other: object) -> bool:
        """Whether the other policy has the same network and settings."""
        if not isinstance(other, NetworkPolicy):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        """Return a hash that is equal for equal policies."""
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        return self.model, self.seed, self.temperature, self.search


def _softmax(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities ``softmax(logits / temperature)`` along the last axis."""
    weights = np.exp(_scaled(logits, temperature))
    shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _scaled(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return logits over the temperature, less the largest of each row.

    So the largest are 0 at any temperature. Without that, low ones would give infinities and NaN.
    """
    with np.errstate(over="ignore"):  # logits far below the largest may become -inf
        scaled: NDArray[np.float64] = (logits - logits.max(axis=1, keepdims=True)) / temperature
    return scaled
