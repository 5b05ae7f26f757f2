"""The game as an OpenEnv server: a language model plays a policy over HTTP and WebSocket.

python -m mijnlieff.integrations.openenv --opponent minimax:2 --port 8000
"""

from __future__ import annotations

import argparse
import secrets
import sys
from functools import partial
from typing import Any, SupportsIndex
from uuid import uuid4

from mijnlieff._mijnlieff import __version__, as_variant
from mijnlieff._util.arguments import check_choice
from mijnlieff._util.extras import needs
from mijnlieff._util.output import run_program
from mijnlieff.errors import GameOverError
from mijnlieff.integrations.text.game import SEATS, TextGame
from mijnlieff.policies.load import PolicyLike
from mijnlieff.render.to_text import moves_text
from mijnlieff.rules import PLAYERS, VariantLike

with needs("mijnlieff.integrations.openenv", "OpenEnv", "openenv", "openenv-core>=0.3"):
    from openenv.core.env_server import http_server
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
    from pydantic import Field

__all__ = [
    "MijnlieffAction",
    "MijnlieffEnvironment",
    "MijnlieffObservation",
    "MijnlieffState",
    "create_app",
    "main",
]

REWARDS = ("outcome", "margin")


class MijnlieffAction(Action):
    """A reply of the model; the last move that it names is played."""

    message: str = Field(..., description="A reply that names a move, such as 'I play [a1+]'")


class MijnlieffObservation(Observation):
    """What the model is shown; ``reward`` is 0 until the game is over."""

    prompt: str = Field(..., description="What to ask the model; at the end, how the game ended")
    notation: str = Field(..., description="The position, as Position.from_notation reads it")
    legal_moves: list[str] = Field(..., description="The names of the legal moves")


class MijnlieffState(State):
    """The state of a game, ``step_count`` of which are replies."""

    seat: str = Field(..., description="Who the model is, Light or Dark")
    variant: str = Field(..., description="The variant, as Variant.from_text reads it")
    notation: str = Field(..., description="The position")
    score: tuple[int, int] = Field(..., description="The points of Light and of Dark")
    illegal: dict[str, int] = Field(..., description="Illegal replies so far, by kind")
    forfeited: bool = Field(..., description="Whether the model lost by illegal replies")


class MijnlieffEnvironment(Environment[MijnlieffAction, MijnlieffObservation, MijnlieffState]):
    """A game of the client's model against a policy, see `TextGame`.

    Args:
        opponent: a policy, or a name for `load_policy`; every game has its own copy.
        variant: the variant; None is the standard game.
        seat: the model's seat, ``"light"``, ``"dark"`` or ``"random"``.
        retries: illegal replies for one move that are answered by what is wrong; one more loses.
        reward: what the end pays, ``"outcome"`` (1, 0, -1) or ``"margin"`` in points. A game lost
            by illegal replies pays -1, or minus the largest margin of the variant.

    Raises:
        ValueError: an unknown policy, seat or reward, or negative retries.
        TypeError: not a policy or a variant.
        PolicyError: the opponent cannot be copied, or it chose an illegal action.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        opponent: PolicyLike = "random",
        *,
        variant: VariantLike | None = None,
        seat: str = "random",
        retries: SupportsIndex = 2,
        reward: str = "outcome",
    ) -> None:
        """Check the settings, and begin a game, so that there always is one."""
        super().__init__()
        check_choice("reward", reward, REWARDS)
        self._reward = reward
        self._variant = as_variant(variant)
        self._begin = partial(TextGame, opponent, variant=self._variant, seat=seat, retries=retries)
        self.reset()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> MijnlieffObservation:
        """Begin a game.

        Args:
            seed: the seed of the game, see `TextGame`; None draws one.
            episode_id: its name; None makes one.
            **kwargs: nothing else, as the opponent is the server's.

        Raises:
            ValueError: another argument.
            PolicyError: the opponent chose an illegal action.
        """
        if kwargs:
            raise ValueError(f"reset takes seed and episode_id, not {', '.join(sorted(kwargs))}")
        self._game = self._begin(seed=secrets.randbits(64) if seed is None else seed)
        self._episode, self._replies = episode_id or str(uuid4()), 0
        return self._observation()

    def step(
        self, action: MijnlieffAction, timeout_s: float | None = None, **kwargs: Any
    ) -> MijnlieffObservation:
        """Play the move that a reply names, and the opponent's answer; or say what is wrong.

        If the opponent raises an error, nothing has been played.

        Raises:
            GameOverError: the game is over.
            PolicyError: the opponent chose an illegal action.
        """
        if self._game.is_over:
            raise GameOverError("the game is over; reset begins another")
        self._game.play(action.message)
        self._replies += 1
        return self._observation()

    @property
    def state(self) -> MijnlieffState:
        """The state of the game."""
        game = self._game
        return MijnlieffState(
            episode_id=self._episode,
            step_count=self._replies,
            seat=PLAYERS[game.seat],
            variant=str(self._variant),
            notation=game.position.notation,
            score=game.position.score,
            illegal=dict(game.illegal),
            forfeited=game.forfeited,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """Return name, description and version."""
        return EnvironmentMetadata(
            name="mijnlieff",
            description="The board game Mijnlieff: a model plays a policy, and exact play says how "
            "good each of its moves is.",
            version=__version__,
        )

    def _observation(self) -> MijnlieffObservation:
        game = self._game
        return MijnlieffObservation(
            prompt=game.prompt,
            notation=game.position.notation,
            legal_moves=[] if game.is_over else moves_text(game.position).split(),
            done=game.is_over,
            reward=float(self._paid()),
        )

    def _paid(self) -> int:
        if self._reward == "outcome":
            return self._game.outcome
        return -self._variant.max_margin if self._game.forfeited else self._game.margin


def create_app(
    opponent: PolicyLike = "random", *, max_games: SupportsIndex = 64, **options: Any
) -> Any:
    """Return a server as a FastAPI application, for ``uvicorn`` or a space of Hugging Face.

    Args:
        opponent: a policy, or a name for `load_policy`.
        max_games: the most games at the same time, each with its own client.
        **options: ``variant``, ``seat``, ``retries`` and ``reward`` of `MijnlieffEnvironment`.

    Raises:
        ValueError, TypeError, PolicyError: as `MijnlieffEnvironment`, before anything is served.
    """
    make = partial(MijnlieffEnvironment, opponent, **options)
    make()
    return http_server.create_app(
        make,
        MijnlieffAction,
        MijnlieffObservation,
        env_name="mijnlieff",
        max_concurrent_envs=int(max_games),
    )


def main(argv: list[str] | None = None) -> int:
    """Serve games until Ctrl-C, and return the exit code.

    Args:
        argv: the arguments; None is those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m mijnlieff.integrations.openenv",
        description="Serve games against a policy to language models.",
    )
    parser.add_argument("--opponent", default="random", help="a policy (default: random)")
    parser.add_argument("--variant", help="the text of a variant (default: standard)")
    parser.add_argument("--seat", choices=SEATS, default="random", help="of the model")
    parser.add_argument("--reward", choices=REWARDS, default="outcome")
    parser.add_argument("--retries", type=int, default=2, help="after an illegal reply")
    parser.add_argument("--max-games", type=int, default=64, help="at the same time")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=8000)

    def serve() -> None:
        options = vars(parser.parse_args(argv))
        host, port = options.pop("host"), options.pop("port")
        app = create_app(**options)
        import uvicorn

        uvicorn.run(app, host=host, port=port)

    return run_program(parser.prog, serve)


if __name__ == "__main__":
    sys.exit(main())
