"""Trains one network on many boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mijnlieff._util.files import write_whole
from mijnlieff._util.json_text import json_text
from mijnlieff._util.progress import StatusBar, note
from mijnlieff.evaluation.benchmark import Benchmark
from mijnlieff.evaluation.board_scores import scores_on
from mijnlieff.evaluation.grading import grade
from mijnlieff.train.alphazero import AlphaZero, SearchLosses
from mijnlieff.train.alphazero.boards_replay import BoardReplay
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import CURVE_OPPONENTS
from mijnlieff.train.network.canvas import CanvasNetwork
from mijnlieff.train.play.board_games import BoardGames
from mijnlieff.train.play.boards_policy import CanvasPolicy
from mijnlieff.train.ppo import Losses
from mijnlieff.train.process import torch_threads
from mijnlieff.train.report.grades_plot import draw_grades
from mijnlieff.train.report.state import OnReport
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.graded import graded_positions, plain_grade
from mijnlieff.train.run.trainer import Trainer
from mijnlieff.train.source import GameSource

__all__ = ["BoardsTrainer"]


class BoardsTrainer(Trainer):
    """A run whose games are on many boards, and which is graded on boards it never sees.

    Two runs that continue from the same checkpoint are equal bit for bit, given the same machine,
    the same number of threads and a budget in steps or games. The replay buffer is not saved; a
    resumed run fills it again.
    """

    variant: Boards
    network: CanvasNetwork

    _graded: Benchmark | None = None

    def _new_network(self) -> CanvasNetwork:
        config, side = self.config, self.variant.side
        return CanvasNetwork(
            side, side, self.variant.copies, config.width, config.blocks, config.heads
        )

    def _new_method(self) -> tuple[GameSource[Any], AlphaZero]:
        config = self.config
        games = BoardGames(self.variant, config, self._generator)
        replay = BoardReplay(games.turned, config.replay_positions)
        return games, AlphaZero(self.network, replay, config, self._generator, games)

    def run(
        self,
        folder: RunFolder,
        progress: StatusBar | None,
        wants_stop: Callable[[], bool],
        on_report: Sequence[OnReport] = (),
    ) -> bool:
        """See `Trainer.run`; before the clock starts, positions are drawn and solved for grades."""
        write_whole(folder.boards, (json_text(self.variant.to_dict()) + "\n").encode())
        if progress is not None and not folder.graded.exists():
            note("drawing positions for the grades, and solving them once")
        self.graded(folder)
        return super().run(folder, progress, wants_stop, on_report)

    def graded(self, folder: RunFolder) -> Benchmark:
        """The positions on which the run is graded, from the run's folder or made and kept there.

        Args:
            folder: the folder of the run.

        Raises:
            OutputError: the file cannot be written.
        """
        if self._graded is None:
            config = self.config
            self._graded = graded_positions(
                folder.graded, self.variant, config.graded_positions, config.seed
            )
        return self._graded

    def draw(self, folder: RunFolder) -> None:
        """See `Trainer.draw`."""
        draw_grades(folder.curve, self.curve, folder.read_log())

    def _measured(self) -> dict[str, Any]:
        assert self._graded is not None  # made at the start of the run
        config = self.config
        policy = CanvasPolicy(self.network)
        with torch_threads(1):
            report = grade(policy, self._graded, config.seed, by="board")
            scores = scores_on(
                self.variant.unseen or self.variant.seen,
                policy,
                CURVE_OPPONENTS,
                config.measurement_games,
                config.seed + self.counters.rounds,
            )
        return {
            "scores": {name: score.to_dict() for name, score in scores.items()},
            "grades": {name: plain_grade(row) for name, row in report.by_group.items()},
        }

    def _log_row(self, losses: Losses | SearchLosses) -> dict[str, Any]:
        row = super()._log_row(losses)
        return row | {"grades": self.curve[-1]["grades"] if "scores" in row else None}

    def _losses_text(self, losses: Losses | SearchLosses) -> str:
        return f"loss policy {losses.policy_loss:+.3f} margin {losses.margin_loss:.3f}"

    def _strength_text(self) -> str:
        grades = ", ".join(
            f"{name} {grade['optimal']:.1%}" for name, grade in self.curve[-1]["grades"].items()
        )
        return f"optimal on boards {grades}"
