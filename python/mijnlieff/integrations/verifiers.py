"""The game as an environment of verifiers: puzzles with exact values, or games against a policy.

Importing this module adds the taskset ``mijnlieff`` to those that verifiers finds in this process.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Literal

from mijnlieff._util.extras import needs
from mijnlieff.errors import ReplyError
from mijnlieff.integrations.text.game import TextGame
from mijnlieff.integrations.text.puzzles import Puzzle, puzzles, sample_of

with needs("mijnlieff.integrations.verifiers", "verifiers", "verifiers", "verifiers>=0.4"):
    import httpx
    import verifiers.v1 as vf
    from pydantic import Field
    from verifiers.v1.dialects.chat import message_to_wire
    from verifiers.v1.utils.loaders import resolve_env_config

__all__ = ["MijnlieffEnv", "MijnlieffHarness", "MijnlieffTaskset", "load_environment"]


class MijnlieffConfig(vf.TasksetConfig):
    """What the tasks are."""

    reward: Literal["regret", "result"] = "regret"
    """``regret``: each task is a position of a benchmark, and the reward is minus the points that
    the reply loses, by exact play. ``result``: each task is a game, which pays 1, 0 or -1."""
    benchmark: str = "standard-v1"
    """Where positions come from."""
    num_tasks: int = Field(1000, ge=1)
    """Positions, evenly spread over the benchmark, or games."""
    opponent: str = "random"
    """The policy of games, a name for `load_policy`."""
    variant: str = "standard"
    """The variant of games."""
    seat: Literal["light", "dark", "random"] = "random"
    """The model's seat in games."""
    retries: int = Field(2, ge=0)
    """Illegal replies for one move of a game that are answered by what is wrong."""
    seed: int = Field(0, ge=0)
    """The seed of the first game; the others count on from it."""


class MijnlieffData(vf.TaskData):
    """A puzzle, or the seed of a game."""

    puzzle: dict[str, Any] | None = None
    seed: int = 0


class MijnlieffTask(vf.Task[MijnlieffData]):
    """One task; `MijnlieffEnv` scores it."""


class MijnlieffTaskset(vf.Taskset[MijnlieffTask, MijnlieffConfig]):
    """Puzzles of a frozen benchmark, or games."""

    def load(self) -> Iterator[MijnlieffTask]:
        """Yield the tasks."""
        config = self.config
        if config.reward == "result":
            for number in range(config.num_tasks):
                name = f"{config.opponent}#{number}"
                data = MijnlieffData(name=name, seed=config.seed + number)
                yield MijnlieffTask(data, config.task)
            return
        for number, puzzle in enumerate(puzzles(sample_of(config.benchmark, config.num_tasks))):
            data = MijnlieffData(
                name=f"{config.benchmark}#{number}", prompt=puzzle.prompt, puzzle=asdict(puzzle)
            )
            yield MijnlieffTask(data, config.task)


class MijnlieffHarness(vf.Harness[vf.HarnessConfig]):
    """A conversation without tools, in this process: a game needs no program and no container."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask the model once."""
        system, prompt = self.resolve_prompt(data)
        messages = [] if system is None else [{"role": "system", "content": system}]
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [message_to_wire(message) for message in prompt or ()]
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(
                f"{endpoint}/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": messages},
            )
        return vf.ProgramResult(int(not answer.is_success), "", answer.text)


class MijnlieffEnvConfig(vf.EnvConfig):
    """The model, which plays as ``player``."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class MijnlieffEnv(vf.Env[MijnlieffEnvConfig]):
    """One reply to a puzzle, or a game to its end, and its reward."""

    async def run(self, task: MijnlieffTask, agents: vf.Agents) -> None:
        """Run and score a task."""
        async with agents.player.interaction(task) as interaction:
            if task.data.puzzle is None:
                reward, metrics = await self._game(interaction, task.data.seed)
            else:
                segment = await interaction.turn()
                reward, metrics = _score(Puzzle(**task.data.puzzle), segment.last_reply)
        interaction.trace.record_reward(self.taskset.config.reward, reward)
        interaction.trace.record_metrics(metrics)

    async def _game(self, interaction: vf.Interaction, seed: int) -> tuple[float, dict[str, float]]:
        """Play a game; one that the model does not finish is lost."""
        config = self.taskset.config
        # A search may take seconds, in which other games go on.
        game = await asyncio.to_thread(
            TextGame,
            config.opponent,
            variant=config.variant,
            seat=config.seat,
            retries=config.retries,
            repeat_rules=False,
            seed=seed,
        )
        while not game.is_over:
            segment = await interaction.turn(game.prompt)
            if segment.terminated:
                break
            await asyncio.to_thread(game.play, segment.last_reply)
        metrics = {
            "margin": float(game.margin),
            "illegal_replies": float(game.illegal.total()),
            "finished": float(game.is_over and not game.forfeited),
        }
        return float(game.outcome if game.is_over else -1), metrics


def _score(puzzle: Puzzle, reply: str) -> tuple[float, dict[str, float]]:
    """Return reward and metrics of a reply to a puzzle; an illegal one is worse than any move."""
    try:
        regret = puzzle.regret(reply)
    except ReplyError:
        margins = puzzle.margins.values()
        return float(min(margins) - max(margins) - 1), {"legal": 0.0, "optimal": 0.0}
    return -float(regret), {"legal": 1.0, "optimal": float(regret == 0)}


def load_environment(reward: Literal["regret", "result"] = "regret", **settings: Any) -> vf.Env:
    """Return the environment, for trainers and evaluations of verifiers.

    Args:
        reward: ``"regret"`` for puzzles, or ``"result"`` for games.
        **settings: other fields of the taskset: `benchmark`, `num_tasks`, `opponent`, `variant`,
            `seat`, `retries`, `seed`.

    Raises:
        ValidationError: pydantic's error about an unknown field or a wrong value; a ValueError.
    """
    taskset = {"id": "mijnlieff", "reward": reward, **settings}
    return vf.load_environment(resolve_env_config({"taskset": taskset}))


# verifiers imports a taskset and its harness by name, from its own packages or from the top level.
for _kind in ("tasksets", "harnesses"):
    sys.modules[f"verifiers.v1.{_kind}.mijnlieff"] = sys.modules[__name__]
