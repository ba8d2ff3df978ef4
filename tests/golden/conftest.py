"""Reports how many recorded rows our code answers as recorded, after a run over them."""

from __future__ import annotations

from collections import Counter

import pytest
from golden_rows import DEVIATES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line about the rows, and one for each kind of reason for a deviation; with -v, one for each reason."""
    reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, [])]
    same = Counter(report.outcome for report in reports if "[" in report.nodeid and "tests/golden/" in report.nodeid)
    reasons = Counter(
        report.longrepr[2].partition(DEVIATES)[2]
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and DEVIATES in report.longrepr[2]
    )
    total = same.total() + reasons.total()
    if total > same.total():
        terminalreporter.write_line(
            f"recorded rows: {same['passed']} of {total} as recorded ({same['passed'] / total:.1%}), "
            f"{reasons.total()} deviate on purpose, {same['failed']} differ"
        )
        grounds = Counter[str]()
        for reason, number in reasons.items():
            grounds[reason.partition(": ")[0]] += number
        for ground, number in grounds.most_common():
            terminalreporter.write_line(f"  {number:>3}  {ground}")
        if terminalreporter.verbosity > 0:
            for reason, number in reasons.most_common():
                terminalreporter.write_line(f"  {number:>3}  {reason}")
