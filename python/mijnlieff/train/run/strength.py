"""What a run measures of its network while it learns: matches on one board, grades on many."""

from __future__ import annotations

from typing import Any, Protocol

from mijnlieff._util.files import write_json
from mijnlieff._util.output import note
from mijnlieff.evaluation.benchmark import Benchmark
from mijnlieff.evaluation.board_scores import scores_on
from mijnlieff.evaluation.grading import grade
from mijnlieff.policies import NetworkPolicy
from mijnlieff.train.alphazero import SearchLosses
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import CURVE_OPPONENTS, TrainConfig
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.local import Backend
from mijnlieff.train.play.measure import Matches
from mijnlieff.train.ppo import Losses
from mijnlieff.train.process import torch_threads
from mijnlieff.train.report.grades_plot import grades_figure
from mijnlieff.train.report.plot import curve_figure, write_png
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.graded import graded_positions, plain_grade

__all__ = ["Strength", "strength_of"]

Point = dict[str, Any]
"""A point of the learning curve, as plain values."""


class Strength(Protocol):
    """Measures the network of a run, draws its curve, and tells of both."""

    def prepare(self, folder: RunFolder, shows_progress: bool) -> None:
        """Make what is needed, before the clock of the run starts.

        Args:
            folder: the folder of the run.
            shows_progress: whether to say on standard error what takes long.

        Raises:
            OSError: a file cannot be written.
        """
        ...

    def measure(self, network: CellNetwork, rounds: int) -> Point:
        """Measure the network without any effect on training.

        Args:
            network: the network.
            rounds: the rounds so far, which vary the seed.
        """
        ...

    def entries(self, point: Point | None) -> dict[str, Any]:
        """What the log says about a round that ended with this measurement, or with none."""
        ...

    def losses_text(self, losses: Losses | SearchLosses) -> str:
        """The losses that matter, in words."""
        ...

    def text(self, point: Point) -> str:
        """A measurement in words."""
        ...

    def draw(self, folder: RunFolder, curve: list[Point]) -> None:
        """Draw the learning curve into the run's folder.

        Raises:
            OSError: the file cannot be written.
        """
        ...


def strength_of(config: TrainConfig, boards: Boards, backend: Backend) -> Strength:
    """What a run measures.

    Args:
        config: its settings.
        boards: its boards.
        backend: where its matches are played.
    """
    return _Scores(config, boards, backend) if boards.canvas is None else _Grades(config, boards)


class _Scores:
    """Scores against built-in players on the board of the run."""

    def __init__(self, config: TrainConfig, boards: Boards, backend: Backend) -> None:
        self._config = config
        self._variant = boards.seen[0]
        self._backend = backend

    def prepare(self, folder: RunFolder, shows_progress: bool) -> None:
        pass

    def measure(self, network: CellNetwork, rounds: int) -> Point:
        config = self._config
        matches = Matches(
            self._variant, CURVE_OPPONENTS, config.measurement_games, config.seed + rounds
        )
        scores = {
            match.opponent: {
                "score": match.score,
                "low": match.score_interval[0],
                "high": match.score_interval[1],
            }
            for match in self._backend.measure(network, matches)
        }
        return {"scores": scores}

    def entries(self, point: Point | None) -> dict[str, Any]:
        return {} if point is None else {"scores": point["scores"]}

    def losses_text(self, losses: Losses | SearchLosses) -> str:
        return (
            f"loss policy {losses.policy_loss:+.3f} value {losses.value_loss:.3f}, "
            f"entropy {losses.entropy:.2f}"
        )

    def text(self, point: Point) -> str:
        scores = point["scores"]
        random, minimax = scores["random"]["score"], scores["minimax:2"]["score"]
        return f"random {random:.1%}, minimax 2 {minimax:.1%}"

    def draw(self, folder: RunFolder, curve: list[Point]) -> None:
        title = "Learning Mijnlieff by self-play"
        write_png(folder.curve, curve_figure(curve, folder.read_log(), title))


class _Grades:
    """Grades by exact play on seen and unseen boards, and scores against built-in players."""

    def __init__(self, config: TrainConfig, boards: Boards) -> None:
        self._config = config
        self._boards = boards
        self._graded: Benchmark | None = None

    def prepare(self, folder: RunFolder, shows_progress: bool) -> None:
        config, boards = self._config, self._boards
        write_json(folder.boards, boards.to_dict())
        if shows_progress and not folder.graded.exists():
            note("drawing positions for the grades, and solving them once")
        self._graded = graded_positions(folder.graded, boards, config.graded_positions, config.seed)

    def measure(self, network: CellNetwork, rounds: int) -> Point:
        assert self._graded is not None  # prepared at the start of the run
        config = self._config
        policy = NetworkPolicy(network)
        with torch_threads(1):
            report = grade(policy, self._graded, config.seed, by="board")
            scores = scores_on(
                self._boards.unseen or self._boards.seen,
                policy,
                CURVE_OPPONENTS,
                config.measurement_games,
                config.seed + rounds,
            )
        return {
            "scores": {name: score.to_dict() for name, score in scores.items()},
            "grades": {name: plain_grade(row) for name, row in report.by_group.items()},
        }

    def entries(self, point: Point | None) -> dict[str, Any]:
        if point is None:
            return {"grades": None}
        return {"scores": point["scores"], "grades": point["grades"]}

    def losses_text(self, losses: Losses | SearchLosses) -> str:
        return f"loss policy {losses.policy_loss:+.3f} margin {losses.margin_loss:.3f}"

    def text(self, point: Point) -> str:
        grades = ", ".join(
            f"{name} {grade['optimal']:.1%}" for name, grade in point["grades"].items()
        )
        return f"optimal on boards {grades}"

    def draw(self, folder: RunFolder, curve: list[Point]) -> None:
        write_png(folder.curve, grades_figure(curve, folder.read_log()))
