"""A policy that plays each game by one of several others, such as an agent's past selves."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position
from mijnlieff._util.arguments import integer_from, number_from_zero, seed_of
from mijnlieff.errors import PolicyError
from mijnlieff.policies.base import ActsInBatches, Policy, act_checked
from mijnlieff.policies.load import PolicyLike, load_policy
from mijnlieff.policies.streams import game_keys

__all__ = ["OpponentPool"]

_Member = tuple[Policy, float]


class OpponentPool(ActsInBatches):
    """A policy that plays each game by one of several others, its members.

    As the opponent of an environment it draws a member for every new game, and keeps it until the
    game ends. Members can be added at any time; they take part from the next new games on. So an
    agent can be trained against its past selves.

    The draw depends only on the pool's seed, the members and their weights, and the game's number,
    which the environment makes of the game's seed. Members with ``act_games``, such as built-in
    policies, networks and searches, draw by the game as well. Other members draw in the order in
    which they are asked, and so does everyone in ``act_batch``, where the games are not known.
    Give each environment its own pool: two with the same seed have games with the same numbers,
    which one pool cannot tell apart.

    >>> import mijnlieff
    >>> pool = mijnlieff.policies.OpponentPool(["random", "greedy"], limit=10, seed=0)
    >>> pool.add(mijnlieff.MinimaxPolicy(2), weight=2)
    >>> env = mijnlieff.VectorEnv(64, opponent=pool)

    Args:
        players: members that stay.
        weights: one for each of these players; None is 1 each. A member is drawn with a probability
            in proportion to its weight.
        limit: how many of the members added later are kept, at least 1. When another is added, the
            oldest of them leaves, but finishes the games that it plays. None keeps all.
        seed: of the draws, 0 to 2**64 - 1.

    Raises:
        ValueError: an unknown name, not one weight for each player, a weight that is not above 0
            and finite, a limit below 1, or a seed out of range.
        TypeError: something is not a policy, or a number has a wrong type.
    """

    def __init__(
        self,
        players: Sequence[PolicyLike] = (),
        *,
        weights: Sequence[float] | None = None,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        """Take the players."""
        if isinstance(players, str):
            raise TypeError(f"players must be a list, such as [{players!r}]")
        if not isinstance(players, Sequence):
            raise TypeError(f"players must be a list of policies, not {players!r}")
        if not isinstance(weights, Sequence | np.ndarray | None):
            raise TypeError(f"weights must be a list of numbers, not {weights!r}")
        each = [1.0] * len(players) if weights is None else list(weights)
        if len(each) != len(players):
            raise ValueError(f"{len(players)} players need as many weights, not {len(each)}")
        self.limit = None if limit is None else integer_from("limit", limit, 1)
        self.seed = seed_of(seed)
        self._players = [_member(*pair) for pair in zip(players, each, strict=True)]
        self._added: deque[_Member] = deque(maxlen=self.limit)
        self._generator = np.random.default_rng(self.seed)
        # Who plays which game, and the ply of its last position. Games that end are not reported:
        # once there are many, those that were not seen since the last time are forgotten.
        self._playing: dict[int, tuple[Policy, int]] = {}
        self._played_before: dict[int, tuple[Policy, int]] = {}
        self._largest_batch = 64

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._players) + len(self._added)

    def __repr__(self) -> str:
        """Return the number of members and the settings."""
        return f"OpponentPool({len(self)} members, limit={self.limit}, seed={self.seed})"

    @property
    def members(self) -> tuple[Policy, ...]:
        """The players that stay, then the members added later from the oldest to the newest."""
        return tuple(policy for policy, _ in (*self._players, *self._added))

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of `members`."""
        return tuple(weight for _, weight in (*self._players, *self._added))

    def add(self, policy: PolicyLike, weight: float = 1.0) -> None:
        """Add a member; beyond the limit, the oldest of those added leaves.

        Copy a policy that goes on learning before you add it, or the member changes with it.

        Raises:
            ValueError: an unknown name, the pool itself, a pool that has it as a member at any
                depth, or the weight is not above 0 and finite.
            TypeError: not a policy, or the weight is not a number.
        """
        member = _member(policy, weight)
        if _leads_to(member[0], self):
            raise ValueError(
                "a pool cannot be its own member, nor that of a pool among its members: "
                f"{policy!r} leads back to it"
            )
        self._added.append(member)

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, by a member drawn for each position.

        Without the numbers of the games, positions of the same game may get different members.

        Raises:
            PolicyError: as in `act_games`.
        """
        draws = self._generator.random(len(positions))
        return self._act([self._drawn(draw) for draw in draws.tolist()], positions, None)

    def act_games(
        self, positions: Sequence[Position], games: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, by one member for each game.

        Args:
            positions: the positions.
            games: the numbers of their games, uint64 ``(B,)``.

        Raises:
            PolicyError: the pool is empty, or a member returned something illegal.
        """
        mixed = game_keys(self.seed, games)
        draws = (mixed >> np.uint64(11)) * 2.0**-53
        rows = zip(games.tolist(), draws.tolist(), positions, strict=True)
        members = [self._member_in(game, draw, position.ply) for game, draw, position in rows]
        self._largest_batch = max(self._largest_batch, len(positions))
        if len(self._playing) > 16 * self._largest_batch:
            self._playing, self._played_before = {}, self._playing
        # Pools among the members must not draw by the same numbers.
        return self._act(members, positions, mixed)

    def _member_in(self, game: int, draw: float, ply: int) -> Policy:
        """Return the member that plays a game, which is new if it was at a later ply before."""
        found = self._playing.get(game) or self._played_before.get(game)
        member = found[0] if found is not None and found[1] < ply else self._drawn(draw)
        self._playing[game] = member, ply
        return member

    def _drawn(self, draw: float) -> Policy:
        """Return the member for a number from 0 to 1."""
        if not len(self):
            raise PolicyError("the opponent pool is empty; add a policy before it plays")
        weights = np.array(self.weights)
        bounds = np.cumsum(weights / weights.max())  # the sum could be infinite
        place = int(np.searchsorted(bounds, draw * bounds[-1], side="right"))
        return self.members[min(place, len(self) - 1)]

    def _act(
        self,
        members: list[Policy],
        positions: Sequence[Position],
        games: NDArray[np.uint64] | None,
    ) -> NDArray[np.int64]:
        """Return what the members choose, each asked about all of its positions at once."""
        actions = np.empty(len(positions), np.int64)
        rows: dict[int, list[int]] = {}
        for row, member in enumerate(members):
            rows.setdefault(id(member), []).append(row)
        for chosen in rows.values():
            theirs = [positions[row] for row in chosen]
            numbers = None if games is None else games[chosen]
            actions[chosen] = act_checked(members[chosen[0]], theirs, numbers)
        return actions


def _member(policy: PolicyLike, weight: float) -> _Member:
    """Return a policy with its weight, after checking both."""
    return load_policy(policy), number_from_zero("weight", weight, without_zero=True)


def _leads_to(policy: Policy, pool: OpponentPool) -> bool:
    """Whether a policy is this pool, or a pool with it among its members at any depth."""
    if not isinstance(policy, OpponentPool):
        return False
    return policy is pool or any(_leads_to(member, pool) for member in policy.members)
