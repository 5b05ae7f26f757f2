"""The training loop: play, learn, measure and save until the budget is spent."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Self

import torch

from mijnlieff._util.output import StatusBar
from mijnlieff.errors import CheckpointError, PolicyError, TrainingError
from mijnlieff.train.alphazero import AlphaZero, Replay, SearchLosses
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.network import new_network
from mijnlieff.train.play.local import Backend, LocalBackend
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.ppo import Losses, Ppo
from mijnlieff.train.process import enough_memory, keep_memory, torch_threads
from mijnlieff.train.report.state import OnReport, TrainState
from mijnlieff.train.run.checkpoint import Checkpoint, Counters, save_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import load_weights
from mijnlieff.train.run.strength import Strength
from mijnlieff.train.source import GameSource

__all__ = ["Trainer"]

_NETWORK = "a network of width={0.width} and blocks={0.blocks}: choose fewer"
_STEP = "minibatch_size={0.minibatch_size} and width={0.width}: choose fewer"


class Trainer:
    """One run: a learner, the source of its games, and its counters.

    It learns a set of boards; one board is a set of one. With PPO, a run that is saved after any
    round and loaded again continues bit for bit as if it had not been interrupted, given the same
    machine, the same number of threads, a budget in steps or games, and no rounds played ahead by
    an executor. With a budget in minutes the schedules follow the clock, so runs differ. The replay
    buffer of AlphaZero is not saved; a resumed run fills it again.

    Attributes:
        config: the settings.
        budget: when to stop.
        boards: the boards that it learns.
        network: the network in training.
        counters: rounds, steps, games and seconds so far.
        curve: the measurements so far.
        strength: what is measured, and how it is shown.
    """

    def __init__(
        self,
        config: TrainConfig,
        budget: Budget,
        boards: Boards,
        device: torch.device | None = None,
        backend: Backend | None = None,
    ) -> None:
        """Start a run from random weights.

        Args:
            config: the settings.
            budget: when to stop.
            boards: the boards to learn.
            device: where the network computes; the CPU unless given.
            backend: where games and measurements are played; this process unless given.

        Raises:
            MemoryError: there is not enough memory for the network or the replay buffer.
        """
        self.config = config
        self.budget = budget
        self.boards = boards
        self.counters = Counters()
        self.curve: list[dict[str, Any]] = []
        self._generator = torch.Generator()
        self._generator.manual_seed(config.seed)
        with enough_memory(_NETWORK.format(config)), torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.network = new_network(boards, config).to(device or "cpu")
        self._backend = LocalBackend() if backend is None else backend
        self.strength = Strength(config, boards, self._backend.executor)
        self._source: GameSource[Any] = self._backend.source(boards, config, self._generator)
        self._method = self._new_method()

    def _new_method(self) -> AlphaZero | Ppo:
        """The learner."""
        config, network = self.config, self.network
        if config.algo == "alphazero":
            # Other devices than these two have not been tried.
            memory = network.device if network.device.type == "cuda" else None
            replay = Replay(SymmetricBoards(self.boards), config.replay_positions, memory)
            return AlphaZero(network, replay, config, self._generator, self._source)
        return Ppo(network, config, self._generator, self._source)

    @classmethod
    def resume(
        cls,
        saved: Checkpoint,
        path: Path,
        config: TrainConfig,
        budget: Budget,
        device: torch.device | None = None,
        backend: Backend | None = None,
    ) -> Self:
        """Continue a run from a checkpoint.

        Args:
            saved: the checkpoint.
            path: its file, for messages.
            config: its settings, or others with the same network.
            budget: when to stop, counted from the first start of the run.
            device: where the network computes, which may differ from before.
            backend: where games and measurements are played, which may differ from before.

        Raises:
            CheckpointError: the parts of the checkpoint do not match.
            MemoryError: there is not enough memory for the network or its optimizer.
        """
        trainer = cls(config, budget, saved.boards, device, backend)
        with enough_memory(_NETWORK.format(config)):
            load_weights(trainer.network, saved, path)
        try:
            with enough_memory(_NETWORK.format(config)):
                trainer._method.optimizer.load_state_dict(saved.optimizer)
            trainer._generator.set_state(saved.generator)
        except (RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"the optimizer or random state in {path} does not match: {error}"
            ) from error
        trainer.counters = saved.counters
        trainer.curve = saved.curve
        return trainer

    def save(self, folder: RunFolder) -> None:
        """Write a checkpoint.

        Args:
            folder: the folder of the run.

        Raises:
            OSError: it cannot be written.
        """
        save_checkpoint(
            folder.checkpoint,
            Checkpoint(
                config=self.config,
                budget=self.budget,
                boards=self.boards,
                network=self.network.state_dict(),
                optimizer=self._method.optimizer.state_dict(),
                generator=self._generator.get_state(),
                counters=self.counters,
                curve=self.curve,
            ),
        )

    @property
    def executor(self) -> Executor | None:
        """Where measurements are played; None is this process."""
        return self._backend.executor

    def close(self) -> None:
        """Close the source of the games."""
        self._source.close()

    @property
    def spent(self) -> float:
        """The spent share of the budget, 0 to 1."""
        counters = self.counters
        return self.budget.fraction(counters.seconds, counters.steps, counters.games)

    def train_round(self) -> Losses | SearchLosses:
        """Play one round and learn from it.

        Raises:
            TrainingError: a loss or a weight is NaN or infinite; the weights that led to it should
                not be saved.
            MemoryError: PyTorch lacks memory for a step.
        """
        try:
            with enough_memory(_STEP.format(self.config)), torch_threads(self.config.num_threads):
                losses, steps, games = self._method.round(self.spent, self.counters.rounds)
            # The last step of a round may diverge after its loss.
            if not all(weights.isfinite().all() for weights in self.network.parameters()):
                raise FloatingPointError("weights are not finite")
        except (FloatingPointError, PolicyError) as error:
            raise TrainingError(
                f"training diverged in round {self.counters.rounds + 1} ({error}): try a "
                f"learning rate below {self.config.learning_rate:g}"
            ) from error
        self.counters.rounds += 1
        self.counters.steps += steps
        self.counters.games += games
        return losses

    def prepare(self, folder: RunFolder, shows_progress: bool) -> None:
        """Save the run, so that there is always a checkpoint, and make what measurements need.

        Args:
            folder: the folder of the run.
            shows_progress: whether to say on standard error what takes long.

        Raises:
            OSError: a file cannot be written.
        """
        if folder.log.exists():  # with rounds after the checkpoint, if a kill came between
            folder.cut_log(self.counters.rounds)
        self.save(folder)
        self.strength.prepare(folder, shows_progress)

    def run(
        self,
        folder: RunFolder,
        progress: StatusBar | None,
        wants_stop: Callable[[], bool],
        on_report: Sequence[OnReport] = (),
    ) -> bool:
        """Train until the budget is spent; save and measure at intervals. `prepare` comes before.

        Args:
            folder: where checkpoints and the log go.
            progress: the display, if any.
            wants_stop: asked after every round; the run is saved before it stops.
            on_report: called in order after every round, once the round is in the log.

        Returns:
            True if the budget is spent, False if `wants_stop` ended the run.

        Raises:
            TrainingError: a loss or a weight is NaN or infinite; the last checkpoint is still
                valid.
            MemoryError: PyTorch lacks memory for a step.
            OSError: a file cannot be written.
        """
        if self.network.device.type == "cpu":
            keep_memory()
        log = folder.read_log()
        # Not counted: it waits for workers that are only starting.
        if not self.curve and self.spent < 1.0 and not wants_stop():
            self._measure()
        clock = saved_at = time.monotonic()
        while self.spent < 1.0 and not wants_stop():
            began = time.perf_counter()  # the other clock may stand still for 16 ms on Windows
            games, steps = self.counters.games, self.counters.steps
            try:
                losses = self.train_round()
            except TrainingError as error:
                raise TrainingError(
                    f"{error}; {folder.checkpoint} holds the last valid weights"
                ) from error
            elapsed = time.perf_counter() - began
            clock = self._count_time(clock)
            if self._measurement_is_due():
                self._measure()
                clock = self._count_time(clock)
            rates = {
                "games_per_second": round((self.counters.games - games) / elapsed, 1),
                "steps_per_second": round((self.counters.steps - steps) / elapsed, 1),
            }
            log.append(self._log_row(losses) | rates)
            folder.append_log(log[-1])
            if progress is not None:
                progress.update(self.spent, self._line(losses, **rates))
            state = TrainState(self.spent, self.spent >= 1.0 or wants_stop(), log, self.curve)
            for report in on_report:
                report(state)
            if clock - saved_at >= self.config.checkpoint_seconds:
                self.save(folder)
                saved_at = clock
        self.save(folder)
        return self.spent >= 1.0

    def _count_time(self, since: float) -> float:
        now = time.monotonic()
        self.counters.seconds += now - since
        return now

    def _measurement_is_due(self) -> bool:
        last = self.curve[-1]
        measured = self.budget.fraction(last["seconds"], last["steps"], last["games"])
        return self._parts(self.spent) > self._parts(measured)

    def _parts(self, spent: float) -> int:
        """How many of the parts of the budget between two measurements are spent."""
        return int(spent * self.config.measurements + 1e-9)  # despite errors of rounding

    def _measure(self) -> None:
        """Add a point to the curve, without any effect on training."""
        measured = self.strength.measure(self.network, self.counters.rounds)
        self.curve.append({**dataclasses.asdict(self.counters), **measured})

    def _log_row(self, losses: Losses | SearchLosses) -> dict[str, Any]:
        counters = self.counters
        row: dict[str, Any] = {
            "round": counters.rounds,
            "steps": counters.steps,
            "games": counters.games,
            "seconds": round(counters.seconds, 2),
            # A round without a gradient step has no losses (NaN), and JSON has no NaN.
            **{
                key: None if math.isnan(value) else value
                for key, value in dataclasses.asdict(losses).items()
            },
            "policy_lag": self._source.policy_lag,
        }
        is_measured = self.curve[-1]["rounds"] == counters.rounds
        return row | self.strength.entries(self.curve[-1] if is_measured else None)

    def _line(
        self, losses: Losses | SearchLosses, games_per_second: float, steps_per_second: float
    ) -> str:
        if not math.isnan(losses.policy_loss):
            learned = self.strength.losses_text(losses)
        elif not getattr(losses, "replay", 0):
            learned = "nothing to learn from yet"
        else:
            learned = "too few new positions for a step of learning"
        return (
            f"{self.strength.text(self.curve[-1])}, "
            f"{self.counters.steps / 1e6:.2f}M steps, {games_per_second:,.0f} games/s, "
            f"{steps_per_second:,.0f} steps/s, {learned}"
        )
