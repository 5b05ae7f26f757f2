"""The game in TextArena, for two language models, or for one against a policy.

Importing this module registers the environments ``Mijnlieff-v0``, ``Mijnlieff-v0-train`` and
``Mijnlieff-v0-raw``, which differ in what a player is shown, as TextArena's own do.
"""

from __future__ import annotations

import re
from typing import Any, SupportsIndex

from mijnlieff._mijnlieff import Position, Variant, as_variant
from mijnlieff._util.arguments import integer_from
from mijnlieff._util.extras import needs
from mijnlieff.errors import ReplyError
from mijnlieff.integrations.text.replies import read_move
from mijnlieff.policies.base import act_checked
from mijnlieff.policies.load import PolicyLike, load_policy
from mijnlieff.render.to_text import move_text, position_text, rules_text
from mijnlieff.rules import PLAYERS, VariantLike, must_pass

with needs("mijnlieff.integrations.textarena", "TextArena", "textarena", "textarena>=0.7"):
    import textarena as ta
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
    from textarena.wrappers import GameBoardObservationWrapper, LLMObservationWrapper

__all__ = ["MijnlieffEnv", "PolicyAgent"]


class MijnlieffEnv(ta.Env):
    """A game of two players, of whom player 0 is Light.

    Replies are read by `read_move`. What is wrong with an illegal one is told to the player, who
    loses after more than `error_allowance` of them in a turn. Forced passes are played without
    asking. Rewards are 1, 0 and -1.

    Args:
        variant: the variant; None is the standard game.
        error_allowance: illegal replies in a turn that are forgiven.

    Raises:
        ValueError: the allowance is negative.
        TypeError: not a variant, or the allowance is not an integer.
    """

    def __init__(
        self, variant: VariantLike | None = None, error_allowance: SupportsIndex = 1
    ) -> None:
        """Check the settings; the game begins with `reset`."""
        self.variant: Variant = as_variant(variant)
        self.error_allowance = integer_from("error_allowance", error_allowance, 0)

    def get_board_str(self) -> str:
        """Return the board, for TextArena's render wrappers."""
        return str(self.position)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a game.

        Args:
            num_players: 2.
            seed: not needed, as nothing is drawn; TextArena seeds Python's random numbers by it.
        """
        self.position = Position(self.variant)
        self.state = ta.TwoPlayerState(
            num_players=num_players, seed=seed, error_allowance=self.error_allowance
        )
        self.state.reset(
            game_state={},
            player_prompt_function=self._prompt,
            role_mapping=dict(enumerate(PLAYERS)),
        )
        self._show()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the move that a reply names, for the player to move.

        Returns:
            Whether the game is over, and TextArena's info.
        """
        player, position = self.state.current_player_id, self.position
        self.state.add_observation(
            from_id=player,
            message=action,
            observation_type=ta.ObservationType.PLAYER_ACTION,
        )
        try:
            chosen = read_move(action, position)
        except ReplyError as error:
            self.state.set_invalid_move(reason=f"{error}.")
        else:
            self._play(chosen)
            while not self.position.is_over and must_pass(self.position):
                self._play(self.variant.pass_action)
            if self.position.is_over:
                self._end()
        rotates = self.position.is_over or self.position.to_play != player
        done, info = self.state.step(rotate_player=rotates)
        if not done:
            self._show()
        return done, info

    def _play(self, action: int) -> None:
        name, player = self.variant.action_name(action), PLAYERS[self.position.to_play]
        words = f" ({move_text(self.position, action)})" if name != "pass" else ""
        self.position = self.position.play(action)
        self.state.add_observation(
            message=f"{player} played {name}{words}.",
            observation_type=ta.ObservationType.GAME_ACTION_DESCRIPTION,
        )

    def _end(self) -> None:
        points = "{}-{}".format(*self.position.score)
        winner = self.position.winner
        if winner is None:
            self.state.set_draw(reason=f"The game is a draw, {points}.")
        else:
            reason = f"{PLAYERS[winner]} wins, {points}."
            self.state.set_winner(player_id=winner, reason=reason)

    def _show(self) -> None:
        """Show the position to the player to move."""
        self.state.add_observation(
            to_id=self.state.current_player_id,
            message=position_text(self.position),
            observation_type=ta.ObservationType.GAME_BOARD,
        )
        self.state.game_state = {"notation": self.position.notation, "board": str(self.position)}

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        return (
            f"You are {PLAYERS[player_id]}, player {player_id}, in a game of Mijnlieff.\n\n"
            f"{rules_text(self.variant)}\n\n"
            "In each turn, choose the move that is best for you, and end your reply with it in "
            "brackets, such as [a1+]."
        )


class PolicyAgent(ta.Agent):
    """A policy as an agent, so that a model can play any built-in player.

    It finds the position in what an environment of the same variant shows.

    Args:
        policy: a policy, or a name for `load_policy`.
        variant: the variant; None is the standard game.
        seed: the seed of a policy made from its name.

    Raises:
        ValueError, TypeError: as `load_policy`.
    """

    def __init__(
        self,
        policy: PolicyLike,
        variant: VariantLike | None = None,
        *,
        seed: SupportsIndex = 0,
    ) -> None:
        """Make the policy."""
        self.policy = load_policy(policy, seed)
        self.variant: Variant = as_variant(variant)

    def __call__(self, observation: str) -> str:
        """Return the policy's move in brackets.

        Raises:
            ValueError: the observation shows no position.
            PositionError, ParseError: it shows one of another variant.
        """
        shown = re.findall(r"^Notation: (.+)$", str(observation), re.MULTILINE)
        if not shown:
            raise ValueError("the observation shows no position of Mijnlieff (Notation: ...)")
        position = Position.from_notation(shown[-1], self.variant)
        action = int(act_checked(self.policy, [position])[0])
        return f"[{self.variant.action_name(action)}]"


def _register() -> None:
    if "Mijnlieff-v0" not in ENV_REGISTRY:  # the module may be imported once more
        register_with_versions(
            id="Mijnlieff-v0",
            entry_point=f"{__name__}:MijnlieffEnv",
            wrappers={
                "default": [LLMObservationWrapper],
                "-train": [GameBoardObservationWrapper],
            },
        )


_register()
