"""Self-play in native code, with a tree search for every decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

from numpy.typing import DTypeLike

from mijnlieff._mijnlieff import (
    Canvas,
    Network,
    SearchOptions,
    SelfPlayGames,
    SelfPlaySamples,
    SelfPlayStatistics,
    Tablebase,
    Variant,
    as_variant,
    as_variants,
)
from mijnlieff.policies.network import NetworkPolicy
from mijnlieff.rules import VariantLike

__all__ = ["SelfPlay", "SelfPlaySamples", "SelfPlayStatistics"]


class SelfPlay:
    """Plays games against itself, by a tree search with a network, and returns what to learn.

    ::

        games = SelfPlay(ChampionPolicy(), num_simulations=32)
        samples = games.play(1000)
        samples.observations, samples.policy_targets, samples.margins

    Games, trees and network run in native code, without the GIL. Every game starts with 0 to
    `random_plies` random plies. Then each decision is made by a search as in `TreeSearch`, which
    keeps the part of its tree below the action played, or by the exact solver where the options
    say so. By default nothing is solved: games are played from the rules alone.

    With `variants`, each game first draws one of them. Observations, masks and policies lie on a
    canvas then, as in `VectorEnv`, and ``observation="planes"`` is needed.

    Game ``i`` draws from stream ``i`` of the seed. It depends on the settings, the seed and the
    network alone, not on the number of threads or of games at once. Each call continues with the
    next game. A call that fails or is interrupted changes nothing, and the next plays the same
    games.

    It can be pickled, with the network and the number of games played. Two threads cannot use one
    `SelfPlay` at the same time; give each its own, with its own seed.

    Args:
        network: a `Network`, or a policy with one, such as `ChampionPolicy()`, whose network alone
            is used. `Network.from_torch` makes one of a PyTorch network in training. It is
            evaluated with integers of 16 bits.
        variant: the game; None for the network's. Only the opening rule may differ from it.
        options: the settings of the searches, a `SearchOptions`, or the number of simulations;
            None has the defaults. Decisions with at most `SearchOptions.solve_roots_below` empty
            cells are made by the exact solver, which plays one of the best actions, each equally
            likely; with ``margin_weight=0`` all winning actions are best.
        variants: 1 to 65,535 variants that the network plays, in place of `variant`; each is
            equally likely, and may be listed repeatedly. With one, nothing is drawn, and the games
            of a seed are those of `variant`.
        canvas: the `Canvas` of observations, masks and policies; None is
            ``Canvas.around(variants)`` with `variants`, and else there is none.
        num_games: games played at once by all threads together.
        random_plies: the most random plies at the start; none of them ends the game.
        solve_book_roots: whether decisions in the opening book, those with up to four stones on the
            standard board with two copies, are made by the exact solver too.
        solved_temperature: how far play strays from the best actions of solved decisions, in
            points. Each game draws its own temperature ``t`` uniformly between 0 and this, and
            then plays with probabilities ``softmax(margins / t)``. Targets stay exact. At 0 one of
            the best actions is played, so mistakes are never met after a solved decision.
        observation: layout of the observations, see `Position.observation`; ``"planes"`` on a
            canvas.
        dtype: ``"uint8"`` (hands as counts) or ``"float32"`` (as shares); packed ones are uint64.
        seed: 0 to 2**64 - 1.
        num_threads: 1 to 1024; None is as many as there are cores.
        tablebase: where decisions that are made by the exact solver are looked up, rather than
            searched. With ``solve_roots_below=16`` all are, and exact labels cost next to nothing.
        changes: settings of `SearchOptions` by name, which replace those of `options`.

    Attributes:
        network: the network that plays next, a `Network`.
        variants: the variants that are played, a tuple.
        variant: the variant, if there is one; None otherwise.
        options: the settings of the searches.

    Raises:
        ValueError: a setting out of range; both `variant` and `variants`, neither with a network
            for a canvas, no variants or too many, or another layout than planes on a canvas.
        VariantError: a board does not fit the canvas.
        TypeError: `network` is neither a policy with a network nor a network, or a number is not an
            integer.
        PolicyError: the network was trained on other boards or another number of copies.
        MemoryError: there is not enough memory for the solvers.
    """

    def __init__(
        self,
        network: Network | NetworkPolicy,
        variant: VariantLike | None = None,
        options: SearchOptions | SupportsIndex | None = None,
        *,
        variants: Sequence[VariantLike] | None = None,
        canvas: Canvas | None = None,
        num_games: SupportsIndex = 512,
        random_plies: SupportsIndex = 4,
        solve_book_roots: bool = False,
        solved_temperature: float = 0.0,
        observation: Literal["planes", "flat", "packed"] = "flat",
        dtype: DTypeLike = "uint8",
        seed: SupportsIndex = 0,
        num_threads: SupportsIndex | None = None,
        tablebase: Tablebase | None = None,
        **changes: Any,
    ) -> None:
        """Check the settings."""
        self.network = _network_of(network)
        if canvas is None and variants is not None:
            canvas = Canvas.around(variants)
        self.variants = _variants(self.network, variant, variants)
        self.variant = self.variants[0] if len(self.variants) == 1 else None
        self._check_network(self.network)
        self._settings: dict[str, Any] = {
            "canvas": canvas,
            "num_games": num_games,
            "random_plies": random_plies,
            "solve_book_roots": solve_book_roots,
            "solved_temperature": solved_temperature,
            "observation": observation,
            "dtype": dtype,
            "seed": seed,
            "num_threads": num_threads,
            "tablebase": tablebase,
        }
        self._games = SelfPlayGames(self.variants, options, **self._settings, **changes)
        self.options = self._games.options

    def play(self, games: SupportsIndex) -> SelfPlaySamples:
        """Play the next games to their end.

        Runs without the GIL and stops on Ctrl-C; the next call then plays the same games.

        Args:
            games: how many, at least 1.

        Raises:
            ValueError: less than 1 game.
            PolicyError: the network gives numbers that are not finite.
            MemoryError: there is not enough memory for the games or the samples.
            RuntimeError: another thread is playing these games, or `stop` was called.
        """
        return self._games.play(self.network, games)

    def play_samples(self, samples: SupportsIndex) -> SelfPlaySamples:
        """Play the next games until they have at least this many samples.

        All games that were begun are played to their end and returned, so there are usually a few
        more samples. The number of games to begin is estimated from all games before.

        Args:
            samples: the least number of samples, at least 1.

        Raises:
            ValueError: less than 1 sample.
            PolicyError: as in `play`.
            MemoryError: as in `play`.
            RuntimeError: as in `play`.
        """
        return self._games.play_samples(self.network, samples)

    def set_network(self, network: Network | NetworkPolicy) -> None:
        """Play the next games with another network; a call in progress keeps the old one.

        Args:
            network: as in the class.

        Raises:
            TypeError: as in the class.
            PolicyError: as in the class.
        """
        native = _network_of(network)
        self._check_network(native)
        self.network = native

    def _check_network(self, network: Network) -> None:
        for variant in self.variants:
            network.check_variant(variant)

    def stop(self) -> None:
        """End the call in progress in another thread, or the next call if there is none.

        That call raises RuntimeError. Its games are lost, and the call after it plays them again.
        """
        self._games.stop()

    @property
    def games_played(self) -> int:
        """The number of games that all calls have returned; also the number of the next game.

        It can be read while another thread plays.
        """
        return self._games.progress[0]

    def __repr__(self) -> str:
        """Return the network, the settings that matter most, and the progress."""
        return (
            f"<SelfPlay by {self.network!r}, {self.options!r}, seed={self._settings['seed']!r}, "
            f"{self.games_played} games played>"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the network, the settings and the progress."""
        return {
            "network": self.network,
            "variants": self.variants,
            "options": self.options,
            "settings": self._settings,
            "progress": self._games.progress,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Continue after the games that had been played."""
        variants, settings = state["variants"], state["settings"] | {"options": state["options"]}
        played = {"variant": variants[0]} if settings["canvas"] is None else {"variants": variants}
        self.__init__(state["network"], **played, **settings)  # type: ignore[misc]
        self._games.resume(*state["progress"])


def _network_of(network: object) -> Network:
    """Return the network of a policy, or the network itself."""
    native = network.model if isinstance(network, NetworkPolicy) else network
    if isinstance(native, Network):
        return native
    raise TypeError(
        f"network must be a Network or a policy with one, not {network!r}; "
        "mijnlieff.Network.from_torch makes one of a PyTorch network"
    )


def _variants(
    network: Network, variant: VariantLike | None, variants: Sequence[VariantLike] | None
) -> tuple[Variant, ...]:
    """Return the variants that are played."""
    if variants is not None:
        if variant is not None:
            raise ValueError(f"give variant={variant!r} or variants, not both")
        return as_variants(variants)
    if variant is None:
        variant = network.variant
    if variant is None:
        raise ValueError(
            "the network plays all boards that fit its canvas: give variant or variants"
        )
    return (as_variant(variant),)
