"""Writes the result of a tuning run: the report, and the winner as a folder or settings file, with its lock and a
diff.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from investigator.asking.lock import TuningLock, locked, write_lock
from investigator.files import write_private
from investigator.settings import as_settings_file
from investigator.tuning.candidates import Variant, lay_templates, templates_of
from investigator.tuning.comparison import MeasureRow
from investigator.tuning.plan import TuningReport
from investigator.tuning.tables import comparison_page

PROMPTS, SETTINGS, DIFF, REPORT, PAGE = "prompts", "settings.json", "winner.diff", "report.json", "test.html"


def write_winner(out: Path, report: TuningReport, base: Path | None) -> None:
    """Write the report, and the winner, if any; `base` is the user's own folder of templates.

    Use the resulting `prompts/` with `--prompts`, and `settings.json` with `--settings`. Raises OSError and StoreError.
    """
    test, winner = report.result.test, report.result.winner
    write_private(out / REPORT, report.model_dump_json(indent=2).encode())
    row = test.row(report.result.measure) if test is not None else None
    if test is not None:
        write_private(out / PAGE, comparison_page(test).encode())
    if winner is None or row is None:
        return
    lock = _lock(report, winner, row)
    if winner.templates:
        lay_templates(out / PROMPTS, winner.templates, base)
        write_lock(out / PROMPTS, lock)
        write_private(out / DIFF, _diff(winner, base).encode("utf-8", "surrogatepass"))
    if winner.settings:
        write_private(out / SETTINGS, as_settings_file(winner.settings).encode())
        write_lock(out, lock)


def _lock(report: TuningReport, winner: Variant, row: MeasureRow) -> TuningLock:
    return TuningLock(
        model=report.model,
        templates=tuple(locked(template.name, template.text) for template in winner.templates),
        settings=winner.settings,
        data=report.data,
        seed=report.result.seed,
        measure=report.result.measure.value,
        questions=row.questions,
        baseline=row.paired.first,
        score=row.paired.second,
        low=row.paired.difference.low,
        high=row.paired.difference.high,
        p=row.paired.p,
    )


def _diff(winner: Variant, base: Path | None) -> str:
    lines: list[str] = []
    for old, new in zip(templates_of(base, [one.name for one in winner.templates]), winner.templates, strict=True):
        before, after = (one.text.splitlines(keepends=True) for one in (old, new))
        lines += difflib.unified_diff(before, after, f"before/{old.name}.j2", f"tuned/{new.name}.j2")
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
