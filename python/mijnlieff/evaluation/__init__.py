"""Measuring policies: matches, tournaments, grades, worst cases and reviews of single games."""

from mijnlieff._mijnlieff import play_match, random_openings
from mijnlieff.evaluation.benchmark import Benchmark, benchmark
from mijnlieff.evaluation.best_response import best_response
from mijnlieff.evaluation.best_response_report import BestResponse, BestResponseCase
from mijnlieff.evaluation.grade_report import GradeReport, GradeRow
from mijnlieff.evaluation.grading import grade
from mijnlieff.evaluation.losses import ActionLosses
from mijnlieff.evaluation.match import evaluate
from mijnlieff.evaluation.match_report import MatchReport, SeatRecord
from mijnlieff.evaluation.reviewing import ReviewedMove, review
from mijnlieff.evaluation.tournament import tournament
from mijnlieff.evaluation.tournament_report import Standing, TournamentReport

__all__ = [
    "ActionLosses",
    "Benchmark",
    "BestResponse",
    "BestResponseCase",
    "GradeReport",
    "GradeRow",
    "MatchReport",
    "ReviewedMove",
    "SeatRecord",
    "Standing",
    "TournamentReport",
    "benchmark",
    "best_response",
    "evaluate",
    "grade",
    "play_match",
    "random_openings",
    "review",
    "tournament",
]
