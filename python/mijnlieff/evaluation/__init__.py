"""Measuring policies: matches, tournaments and grades; and reviews of single games."""

from mijnlieff.evaluation.grade_report import GradeReport
from mijnlieff.evaluation.grading import grade
from mijnlieff.evaluation.match import evaluate
from mijnlieff.evaluation.match_report import MatchReport
from mijnlieff.evaluation.reviewing import ReviewedMove, review
from mijnlieff.evaluation.tournament import tournament
from mijnlieff.evaluation.tournament_report import TournamentReport

__all__ = [
    "GradeReport",
    "MatchReport",
    "ReviewedMove",
    "TournamentReport",
    "evaluate",
    "grade",
    "review",
    "tournament",
]
