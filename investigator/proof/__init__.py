"""Finds quotes in their sources, notes figures that no quote contains, and computes the coverage. All functions are
pure.
"""

from investigator.proof.coverage import coverage_line
from investigator.proof.quotes import Source, find_quote, verify

__all__ = ["Source", "coverage_line", "find_quote", "verify"]
