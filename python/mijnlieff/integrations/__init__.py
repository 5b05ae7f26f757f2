"""Adapters to other frameworks, each in its own module with its own extra.

Nothing is imported here: ``import mijnlieff.integrations.sb3`` needs only that framework. The
frameworks pin versions that clash, so they are best installed in separate environments.
"""
