"""Recorded behaviour that ours deviates from on purpose, by kind of row, each with its reason.

Each deviation is also shown by a test of its own beside the code.
"""

from __future__ import annotations

from golden_rows import Deviation

DEVIATIONS: tuple[Deviation, ...] = ()
