"""Grades by exact play and scores of matches on many boards, also on boards held out."""
