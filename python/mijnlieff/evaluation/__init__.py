"""Measuring policies: matches, tournaments, grades, worst cases and reviews of single games."""

from mijnlieff.evaluation.benchmark import Benchmark, benchmark
from mijnlieff.evaluation.best_response import best_response
from mijnlieff.evaluation.best_response_report import BestResponse, BestResponseCase
from mijnlieff.evaluation.grade_report import GradeReport
from mijnlieff.evaluation.grading import grade
from mijnlieff.evaluation.match import evaluate
from mijnlieff.evaluation.match_report import MatchReport
from mijnlieff.evaluation.reviewing import ReviewedMove, review
from mijnlieff.evaluation.tournament import tournament
from mijnlieff.evaluation.tournament_report import TournamentReport

__all__ = [
    "Benchmark",
    "BestResponse",
    "BestResponseCase",
    "GradeReport",
    "MatchReport",
    "ReviewedMove",
    "TournamentReport",
    "benchmark",
    "best_response",
    "evaluate",
    "grade",
    "review",
    "tournament",
]
