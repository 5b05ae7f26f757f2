"""The game in OpenSpiel: importing this module registers ``python_mijnlieff``.

>>> import pyspiel
>>> import mijnlieff.integrations.open_spiel
>>> game = pyspiel.load_game("python_mijnlieff(opening=corner)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[0])

Parameters of the game, in the string or as a dict:

- ``board``: the rows of the board from the top, ``#`` a cell and ``.`` a gap, separated by ``/``;
- ``opening`` and ``copies``: as in `mijnlieff.Variant`;
- ``reward``: ``outcome`` (1, 0 or -1) or ``margin`` (points);
- ``observation``: ``planes`` or ``flat``, the layout of the observation tensor.

Player 0 is Light. Observations belong to the player who asks, at its turn or off turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Board, Position, Variant, as_variant, check_playable, mask_batch
from mijnlieff._util.arguments import check_choice
from mijnlieff._util.extras import needs
from mijnlieff.errors import PolicyError
from mijnlieff.policies.base import ActsInBatches, act_checked, check_actions
from mijnlieff.policies.load import PolicyLike, load_policy
from mijnlieff.rules import VariantLike

with needs("mijnlieff.integrations.open_spiel", "OpenSpiel", "open-spiel", "open-spiel>=2.0"):
    import pyspiel

__all__ = [
    "BotPolicy",
    "MijnlieffGame",
    "MijnlieffState",
    "PolicyBot",
    "SpielPolicy",  # noqa: F822 - made on first use
    "load_game",
]

_DEFAULTS: dict[str, Any] = {
    "board": Board.standard().to_text().replace("\n", "/"),
    "opening": "outside",
    "copies": 2,
    "reward": "outcome",
    "observation": "planes",
}
_GAME_TYPE = pyspiel.GameType(
    short_name="python_mijnlieff",
    long_name="Mijnlieff",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULTS,
)


class MijnlieffGame(pyspiel.Game):
    """The rules of one variant; made by ``pyspiel.load_game`` or `load_game`.

    Attributes:
        variant: the variant that is played.
        reward: ``"outcome"`` or ``"margin"``.
        observation: ``"planes"`` or ``"flat"``.

    Raises:
        BoardError: the board is not one.
        VariantError: an unknown opening, or an impossible number of copies.
        ValueError: an unknown reward or observation.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Check the parameters, of which OpenSpiel has checked the names and types."""
        settings = _DEFAULTS | (params or {})
        rows = settings["board"] = settings["board"].strip().replace("\n", "/")
        check_choice("reward", settings["reward"], ("outcome", "margin"))
        check_choice("observation", settings["observation"], ("planes", "flat"))
        board = Board.from_text(rows)
        self.variant = Variant(board, settings["opening"], settings["copies"])
        self.reward: Literal["outcome", "margin"] = settings["reward"]
        self.observation: Literal["planes", "flat"] = settings["observation"]
        best = 1.0 if self.reward == "outcome" else float(self.variant.max_margin)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.variant.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-best,
            max_utility=best,
            utility_sum=0.0,
            max_game_length=self.variant.max_game_length,
        )
        super().__init__(_GAME_TYPE, info, settings)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickle the parameters; OpenSpiel would lose the attributes."""
        return _restore_game, (str(self),)

    def new_initial_state(self, state: Position | str | None = None) -> MijnlieffState:
        """Return the state at the start, or in a position, whose history is then empty.

        Args:
            state: a position of this variant, or its notation; None is the start of the game.

        Raises:
            ValueError: a position of another variant.
            ParseError: a text that is not the notation of a position.
            PositionError: the notation of a position that cannot occur in this variant.
            TypeError: something else than a position.
        """
        if state is None:
            position = Position(self.variant)
        elif isinstance(state, str):
            position = Position.from_notation(state, self.variant)
        elif isinstance(state, Position):
            position = state
            if position.variant != self.variant:
                raise ValueError(
                    f"this game plays {self.variant!r}, but the position is of {position.variant!r}"
                )
        else:
            raise TypeError(
                f"a state starts from a position or its notation, not {type(state).__name__}"
            )
        return MijnlieffState(self, position)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> _PositionObserver | _HistoryObserver:
        """Return an observer: of the position, or of the actions for perfect recall.

        Raises:
            ValueError: parameters; the layout is one of the game.
        """
        if params:
            raise ValueError(
                f"the observer takes no parameters, not {params!r}; the game has the parameter "
                "observation"
            )
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _PositionObserver(self)
        return _HistoryObserver(iig_obs_type.public_info)


class MijnlieffState(pyspiel.State):
    """A position with the actions that led to it.

    Attributes:
        position: the current position.
        start: the position before the first action of the history.
    """

    def __init__(self, game: MijnlieffGame, position: Position) -> None:
        """Start from a position; `MijnlieffGame.new_initial_state` checks it."""
        super().__init__(game)
        self.position = self.start = position
        self._margin_counts = game.reward == "margin"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickle the game and the state as OpenSpiel serializes them."""
        return _restore_state, (pyspiel.serialize_game_and_state(self.get_game(), self),)

    def current_player(self) -> int:
        """Return 0 for Light, 1 for Dark, or ``pyspiel.PlayerId.TERMINAL`` after the end."""
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.position.to_play

    def _legal_actions(self, player: int) -> list[int]:
        actions: list[int] = self.position.legal_actions().tolist()
        return actions

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.variant.action_name(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Return what Light and Dark have got: zeros before the end, then opposite numbers."""
        if not self.position.is_over:
            return [0.0, 0.0]
        margin = float(self.position.margin)
        light = margin if self._margin_counts else float(np.sign(margin))
        return [light, -light]

    def __str__(self) -> str:
        """Return the board, as of a position."""
        return str(self.position)


def _restore_game(text: str) -> MijnlieffGame:
    """Read what a pickled game wrote."""
    game: MijnlieffGame = pyspiel.load_game(text)
    return game


def _restore_state(text: str) -> MijnlieffState:
    """Read what a pickled state wrote."""
    state: MijnlieffState = pyspiel.deserialize_game_and_state(text)[1]
    return state


class _PositionObserver:
    """The current position as seen by a player, as a tensor and as its notation."""

    def __init__(self, game: MijnlieffGame) -> None:
        shape = game.variant.observation_shape(game.observation)
        self._layout = game.observation
        self.tensor = np.zeros(np.prod(shape), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: MijnlieffState, player: int) -> None:
        self.dict["observation"][...] = state.position.observation(self._layout, player=player)

    def string_from(self, state: MijnlieffState, player: int) -> str:
        return state.position.notation


class _HistoryObserver:
    """The actions so far; nothing is private."""

    tensor = None

    def __init__(self, public: bool) -> None:
        self._public = public
        self.dict: dict[str, NDArray[np.float32]] = {}

    def set_from(self, state: MijnlieffState, player: int) -> None:
        """Do nothing, as there is no tensor."""

    def string_from(self, state: MijnlieffState, player: int) -> str:
        if not self._public:
            return ""
        names = map(state.position.variant.action_name, state.history())
        return ", ".join([*([state.start.notation] if state.start.ply else []), *names])


def load_game(
    variant: VariantLike | None = None,
    *,
    reward: Literal["outcome", "margin"] = "outcome",
    observation: Literal["planes", "flat"] = "planes",
) -> MijnlieffGame:
    """Return the game of a variant, as ``pyspiel.load_game`` returns it for its parameters.

    Args:
        variant: the variant; None is the standard game.
        reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (points).
        observation: the layout of the observation tensor.

    Raises:
        ValueError: an unknown reward or observation.
        TypeError: something else than a variant.
    """
    parts = as_variant(variant).to_dict()
    rules = parts | {"board": parts["board"].replace("\n", "/")}
    settings = rules | {"reward": reward, "observation": observation}
    game: MijnlieffGame = pyspiel.load_game(_GAME_TYPE.short_name, settings)
    return game


class PolicyBot(pyspiel.Bot):
    """A policy as a bot of OpenSpiel, for both seats.

    Args:
        policy: a policy, or its name for `mijnlieff.load_policy`.
        seed: the seed of a policy made from a name.
    """

    def __init__(self, policy: PolicyLike, *, seed: int = 0) -> None:
        """Make the policy."""
        super().__init__()
        self.policy = load_policy(policy, seed=seed)

    def __repr__(self) -> str:
        """Return the policy."""
        return f"PolicyBot({self.policy!r})"

    def restart_at(self, state: MijnlieffState) -> None:
        """Do nothing: a policy looks at the position only."""

    def step(self, state: MijnlieffState) -> int:
        """Return the action of the policy.

        Raises:
            PolicyError: the policy chose an illegal action.
            TypeError: a state of another game.
        """
        if not isinstance(state, MijnlieffState):
            raise TypeError(
                f"PolicyBot plays states of {_GAME_TYPE.short_name}, not {type(state).__name__}"
            )
        return int(act_checked(self.policy, [state.position])[0])


class BotPolicy(ActsInBatches):
    """A bot of OpenSpiel as a policy, for `mijnlieff.evaluate`, `grade` and environments.

    Games interleave, so the bot gets every position by its ``restart_at``.

    Args:
        game: the game that the bots were made for.
        light: the bot that plays Light, and Dark too unless `dark` is given.
        dark: the bot that plays Dark, for bots that play one seat only.

    Raises:
        TypeError: the game is not ``python_mijnlieff``, or a bot is not one.
    """

    def __init__(
        self, game: MijnlieffGame, light: pyspiel.Bot, dark: pyspiel.Bot | None = None
    ) -> None:
        """Check the game and the bots."""
        if not isinstance(game, MijnlieffGame):
            raise TypeError(f"the game must be {_GAME_TYPE.short_name}, not {game!r}")
        self.game = game
        self.bots = (light, light if dark is None else dark)
        for bot in self.bots:
            if not isinstance(bot, pyspiel.Bot):
                raise TypeError(f"a bot must be a pyspiel.Bot, not {type(bot).__name__}")

    def __repr__(self) -> str:
        """Return the classes of the bots."""
        light, dark = (type(bot).__name__ for bot in self.bots)
        return f"BotPolicy({light})" if light == dark else f"BotPolicy({light}, {dark})"

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the bot's actions, int64 ``(B,)``, asked one after the other.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the bot chose an illegal action, or cannot start from a position.
            ValueError: a position of another variant than the game's.
        """
        if not len(positions):
            return np.empty(0, np.int64)
        check_playable(positions)
        chosen = [self._ask(position) for position in positions]
        return check_actions(self, chosen, positions, mask_batch(positions))

    def _ask(self, position: Position) -> Any:
        state = self.game.new_initial_state(position)
        bot = self.bots[position.to_play]
        try:
            bot.restart_at(state)
        except pyspiel.SpielError as error:
            raise PolicyError(
                f"{type(bot).__name__} has no restart_at, so it cannot play from a position"
            ) from error
        return bot.step(state)


def __getattr__(name: str) -> Any:
    if name == "SpielPolicy":
        from mijnlieff.integrations._open_spiel_policy import SpielPolicy

        return SpielPolicy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


pyspiel.register_game(_GAME_TYPE, MijnlieffGame)
