"""What a run measures of its network while it learns: matches, and on many boards grades."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

from mijnlieff._mijnlieff import Network
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
from mijnlieff.train.ppo import Losses
from mijnlieff.train.report.plot import curve_figure, write_png
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.graded import graded_positions, plain_grade

__all__ = ["Strength"]

Point = dict[str, Any]
"""A point of the learning curve, as plain values."""


class Strength:
    """Measures the network of a run, draws its curve, and tells of both.

    A run on one board is measured by scores against built-in players. One on many boards has such
    scores on those held out, if there are any, and grades by exact play on all.

    Args:
        config: the settings of the run.
        boards: its boards.
        executor: where it is measured; None is this process.
    """

    def __init__(self, config: TrainConfig, boards: Boards, executor: Executor | None) -> None:
        """Keep what is measured; `prepare` draws the positions for grades."""
        self._config = config
        self._boards = boards
        self._executor = executor
        self._has_grades = boards.canvas is not None
        self._graded: Benchmark | None = None

    def prepare(self, folder: RunFolder, shows_progress: bool) -> None:
        """Make what is needed, before the clock of the run starts.

        Args:
            folder: the folder of the run.
            shows_progress: whether to say on standard error what takes long.

        Raises:
            OSError: a file cannot be written.
        """
        if not self._has_grades:
            return
        config, boards = self._config, self._boards
        write_json(folder.boards, boards.to_dict())
        if shows_progress and not folder.graded.exists():
            note("drawing positions for the grades, and solving them once")
        self._graded = graded_positions(
            folder.graded, boards, config.graded_positions, config.seed, progress=shows_progress
        )

    def measure(self, network: CellNetwork, rounds: int) -> Point:
        """Measure the network without any effect on training.

        Args:
            network: the network.
            rounds: the rounds so far, which vary the seed.
        """
        config, boards, executor = self._config, self._boards, self._executor
        policy = NetworkPolicy(Network.from_torch(network))
        scores = scores_on(
            boards.unseen or boards.seen,
            policy,
            CURVE_OPPONENTS,
            config.measurement_games,
            config.seed + rounds,
            executor=executor,
        )
        point: Point = {"scores": {name: score.to_dict() for name, score in scores.items()}}
        if self._has_grades:
            assert self._graded is not None  # prepared at the start of the run
            report = grade(policy, self._graded, config.seed, by="board", executor=executor)
            grades = {name: plain_grade(row) for name, row in report.by_group.items()}
            point["grades"] = grades
        return point

    def entries(self, point: Point | None) -> dict[str, Any]:
        """What the log says about a round that ended with this measurement, or with none."""
        if point is None:
            return {"grades": None} if self._has_grades else {}
        return {name: point[name] for name in ("scores", "grades") if name in point}

    def losses_text(self, losses: Losses | SearchLosses) -> str:
        """The losses that matter, in words."""
        text = f"loss policy {losses.policy_loss:+.3f} "
        if self._has_grades:
            return f"{text}margin {losses.margin_loss:.3f}"
        return f"{text}value {losses.value_loss:.3f}, entropy {losses.entropy:.2f}"

    def text(self, point: Point) -> str:
        """A measurement in words."""
        if self._has_grades:
            shares = [f"{name} {one['optimal']:.1%}" for name, one in point["grades"].items()]
            return f"optimal on boards {', '.join(shares)}"
        random, minimax = (point["scores"][name]["score"] for name in ("random", "minimax:2"))
        return f"random {random:.1%}, minimax 2 {minimax:.1%}"

    def draw(self, folder: RunFolder, curve: list[Point]) -> None:
        """Draw the learning curve into the run's folder.

        Raises:
            OSError: the file cannot be written.
        """
        title = (
            "One network on many boards" if self._has_grades else "Learning Mijnlieff by self-play"
        )
        write_png(folder.curve, curve_figure(curve, folder.read_log(), title))
