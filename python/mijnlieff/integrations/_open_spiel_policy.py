"""Policies as OpenSpiel's; apart from the game, as importing theirs takes over a second."""

from __future__ import annotations

from open_spiel.python import policy as spiel_policy

from mijnlieff.integrations.open_spiel import MijnlieffGame, MijnlieffState, PolicyBot
from mijnlieff.policies.load import PolicyLike

__all__ = ["SpielPolicy"]


class SpielPolicy(spiel_policy.Policy):
    """A policy as a ``policy.Policy`` of OpenSpiel, for exploitability and tabular evaluation.

    Its action in a position has probability 1. It is asked once for each position, so that a policy
    that draws its actions is evaluated as one of the deterministic policies that it may be.

    Args:
        game: the game.
        policy: a policy, or its name for `mijnlieff.load_policy`.
        seed: the seed of a policy made from a name.

    Raises:
        TypeError: the game is not ``python_mijnlieff``.
    """

    def __init__(self, game: MijnlieffGame, policy: PolicyLike, *, seed: int = 0) -> None:
        """Make the policy, for both players."""
        if not isinstance(game, MijnlieffGame):
            raise TypeError(f"the game must be python_mijnlieff, not {game!r}")
        super().__init__(game, [0, 1])
        self._bot = PolicyBot(policy, seed=seed)
        self._chosen: dict[str, int] = {}

    def __repr__(self) -> str:
        """Return the policy."""
        return f"SpielPolicy({self._bot.policy!r})"

    def action_probabilities(
        self, state: MijnlieffState, player_id: int | None = None
    ) -> dict[int, float]:
        """Return the probability of every legal action: 1 for one of them, and 0.

        Raises:
            PolicyError: the policy chose an illegal action.
            TypeError: a state of another game, or of another variant.
        """
        # Positions of variants may look alike, and the reward and the layout change no action.
        if not isinstance(state, MijnlieffState) or state.position.variant != self.game.variant:
            raise TypeError(
                f"SpielPolicy plays states of {self.game}, not those of {state.get_game()}"
            )
        if (key := state.observation_string(0)) not in self._chosen:
            self._chosen[key] = self._bot.step(state)
        return {action: float(action == self._chosen[key]) for action in state.legal_actions()}
