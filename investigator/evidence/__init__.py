"""Finds quotes in their sources, checks claims against their quotes, and computes the coverage. All functions are
pure.
"""

from investigator.evidence.claims import prove
from investigator.evidence.coverage import coverage_line
from investigator.evidence.quotes import Source, find_quote, verify

__all__ = ["Source", "coverage_line", "find_quote", "prove", "verify"]
