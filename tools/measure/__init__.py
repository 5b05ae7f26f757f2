"""Measure, and write JSON into ``docs/results``, never prose. Nothing is measured twice."""
