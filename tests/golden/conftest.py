"""Reports how many recorded rows our code answers as recorded, after a run over them."""

from __future__ import annotations

from collections import Counter

import pytest
from golden_rows import DEVIATES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line about the rows, and one for each ground for a deviation; with -v, one for each reason."""
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, [])]
    same = Counter(report.outcome for report in reports if "[" in report.nodeid and "tests/golden/" in report.nodeid)
    skips = [report.longrepr for report in terminalreporter.stats.get("skipped", [])]
    texts = [text[2].partition(DEVIATES)[2] for text in skips if isinstance(text, tuple) and DEVIATES in text[2]]
    total = same.total() + len(texts)
    if texts:
        terminalreporter.write_line(
            f"recorded rows: {same['passed']} of {total} as recorded ({same['passed'] / total:.1%}), "
            f"{len(texts)} deviate on purpose, {same['failed']} differ"
        )
        lines = texts if terminalreporter.verbosity > 0 else [text.partition(": ")[0] for text in texts]
        for line, number in Counter(lines).most_common():
            terminalreporter.write_line(f"  {number:>3}  {line}")
