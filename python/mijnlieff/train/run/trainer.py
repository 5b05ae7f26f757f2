"""The training loop: self-play, learning, measuring, saving, until the budget is spent."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import torch

from mijnlieff import Variant
from mijnlieff.errors import CheckpointError, TrainingError
from mijnlieff.train.alphazero import AlphaZero, SearchLosses
from mijnlieff.train.config import CURVE_OPPONENTS, Budget, TrainConfig
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.ppo import Losses, Ppo
from mijnlieff.train.report.progress import Progress
from mijnlieff.train.report.state import OnReport, TrainState
from mijnlieff.train.run.checkpoint import Checkpoint, Counters, save_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.measure import measure
from mijnlieff.train.run.policy import load_weights
from mijnlieff.train.run.threads import torch_threads

__all__ = ["Trainer"]


class Trainer:
    """One run: a learner, its games, and how far they have come.

    The state changes only in `train_round`, and depends on nothing but itself: a run that is saved
    after any round and loaded again goes on bit for bit as it would have, given the same machine,
    the same number of threads and a budget in steps or games. A budget in minutes steers the
    schedules by the clock, which never runs twice alike. The replay buffer of AlphaZero is not
    saved: such a run, taken up again, fills it anew.

    Attributes:
        config: the settings.
        budget: when to stop.
        variant: the game.
        network: what is trained.
        counters: how far the run has come.
        curve: the measurements so far.
    """

    def __init__(
        self,
        config: TrainConfig,
        budget: Budget,
        variant: Variant,
        device: torch.device | None = None,
    ) -> None:
        """Start a run from fresh weights.

        Args:
            config: the settings.
            budget: when to stop.
            variant: the game.
            device: where the network computes; the processor unless given.
        """
        self.config = config
        self.budget = budget
        self.variant = variant
        self.counters = Counters()
        self.curve: list[dict[str, Any]] = []
        self._generator = torch.Generator()
        self._generator.manual_seed(config.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            network = PolicyValueNetwork(variant, config.width, config.blocks)
        self.network = network.to(device or "cpu")
        method: type[Ppo | AlphaZero] = AlphaZero if config.algo == "alphazero" else Ppo
        self._method = method(self.network, variant, config, self._generator)

    @classmethod
    def resume(
        cls,
        saved: Checkpoint,
        path: Path,
        config: TrainConfig,
        budget: Budget,
        device: torch.device | None = None,
    ) -> Self:
        """Take up a run where a checkpoint left it.

        Args:
            saved: the checkpoint.
            path: its file, for messages.
            config: its settings, or others with the same network.
            budget: when to stop, counted from the very start of the run.
            device: where the network computes, which may be another than before.

        Raises:
            CheckpointError: its parts do not fit together.
        """
        trainer = cls(config, budget, saved.variant, device)
        load_weights(trainer.network, saved, path)
        try:
            trainer._method.optimizer.load_state_dict(saved.optimizer)
            trainer._generator.set_state(saved.generator)
        except (RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(
                f"the optimiser or the random state in {path} does not fit: {error}"
            ) from error
        trainer.counters = saved.counters
        trainer.curve = saved.curve
        return trainer

    def save(self, folder: RunFolder) -> None:
        """Write a checkpoint.

        Args:
            folder: of the run.

        Raises:
            OutputError: it cannot be written.
        """
        save_checkpoint(
            folder.checkpoint,
            Checkpoint(
                config=self.config,
                budget=self.budget,
                variant=self.variant,
                network=self.network.state_dict(),
                optimizer=self._method.optimizer.state_dict(),
                generator=self._generator.get_state(),
                counters=self.counters,
                curve=self.curve,
            ),
        )

    def close(self) -> None:
        """Close the environment."""
        self._method.close()

    @property
    def spent(self) -> float:
        """Share of the budget that is spent, 0 to 1."""
        counters = self.counters
        return self.budget.fraction(counters.seconds, counters.steps, counters.games)

    def train_round(self) -> Losses | SearchLosses:
        """Play one round and learn from it.

        Raises:
            TrainingError: a loss is not a finite number; the weights, which led to it, are not
                worth saving.
        """
        try:
            with torch_threads(self.config.threads):
                losses, steps, games = self._method.round(self.spent)
        except FloatingPointError as error:
            raise TrainingError(
                f"training diverged in round {self.counters.rounds + 1} ({error}): try a "
                f"learning rate below {self.config.learning_rate:g}"
            ) from error
        self.counters.rounds += 1
        self.counters.steps += steps
        self.counters.games += games
        return losses

    def run(
        self,
        folder: RunFolder,
        progress: Progress | None,
        wants_stop: Callable[[], bool],
        on_report: Sequence[OnReport] = (),
    ) -> bool:
        """Train until the budget is spent, saving and measuring on the way.

        Args:
            folder: where checkpoints and the log go.
            progress: the display, if any.
            wants_stop: asked after every round; the run is saved before it stops.
            on_report: called in turn after every round, when it is in the log.

        Returns:
            Whether the budget is spent, rather than the run stopped before.

        Raises:
            TrainingError: the losses are no numbers any more; the last checkpoint is still good.
            OutputError: a file cannot be written.
        """
        # The first checkpoint comes before the first round: there is always one to fall back to.
        self.save(folder)
        log = folder.read_log()
        clock = saved_at = time.monotonic()
        while self.spent < 1.0 and not wants_stop():
            if not self.curve:
                self._measure()
            began = time.monotonic()
            games, steps = self.counters.games, self.counters.steps
            try:
                losses = self.train_round()
            except TrainingError as error:
                raise TrainingError(f"{error}; {folder.checkpoint} is from before") from error
            elapsed = time.monotonic() - began
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
        # The end is always measured; floats may fall short of it by a rounding error.
        return self.spent >= min(1.0, measured + 1.0 / self.config.measurements)

    def _measure(self) -> None:
        """Add a point to the curve; changes nothing that training depends on."""
        config, counters = self.config, self.counters
        matches = measure(
            self.network,
            self.variant,
            CURVE_OPPONENTS,
            config.measurement_games,
            seed=config.seed + counters.rounds,
        )
        scores = {
            match.opponent: {
                "score": match.score,
                "low": match.score_interval[0],
                "high": match.score_interval[1],
            }
            for match in matches
        }
        self.curve.append({**dataclasses.asdict(counters), "scores": scores})

    def _log_row(self, losses: Losses | SearchLosses) -> dict[str, Any]:
        counters = self.counters
        row: dict[str, Any] = {
            "round": counters.rounds,
            "steps": counters.steps,
            "games": counters.games,
            "seconds": round(counters.seconds, 2),
            # Nothing has been learnt in a first round that only plays; JSON knows no NaN.
            **{
                key: None if math.isnan(value) else value
                for key, value in dataclasses.asdict(losses).items()
            },
        }
        if self.curve[-1]["rounds"] == counters.rounds:
            row["scores"] = self.curve[-1]["scores"]
        return row

    def _line(
        self, losses: Losses | SearchLosses, games_per_second: float, steps_per_second: float
    ) -> str:
        scores = self.curve[-1]["scores"]
        return (
            f"{self.counters.steps / 1e6:.2f}M steps, {games_per_second:,.0f} games/s, "
            f"{steps_per_second:,.0f} steps/s, loss policy {losses.policy_loss:+.3f} "
            f"value {losses.value_loss:.3f}, entropy {losses.entropy:.2f}, "
            f"random {scores['random']['score']:.1%}, minimax 2 {scores['minimax:2']['score']:.1%}"
        )
