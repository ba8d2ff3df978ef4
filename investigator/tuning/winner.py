"""Writes the result of a tuning run: the report, and the winner as a folder or settings file, with its lock and a
diff.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from investigator.asking.lock import TuningLock, locked, write_lock
from investigator.errors import StoreError
from investigator.files import make_private_folder, write_private
from investigator.settings import as_settings_file
from investigator.tuning.arena import lay_templates, templates_of
from investigator.tuning.pages import comparison_page
from investigator.tuning.records import TuningReport
from investigator.tuning.trials import Variant

PROMPTS, SETTINGS, DIFF, REPORT, PAGE = "prompts", "settings.json", "winner.diff", "report.json", "test.html"


def write_winner(out: Path, report: TuningReport, base: Path | None) -> None:
    """Write the report, and the winner, if any; `base` is the user's own folder of templates.

    Use the resulting `prompts/` with `--prompts`, and `settings.json` with `--settings`. Raises StoreError.
    """
    result = report.result
    try:
        make_private_folder(out)
        write_private(out / REPORT, report.model_dump_json(indent=2).encode())
        if result.test is not None:
            write_private(out / PAGE, comparison_page(result.test).encode())
        if result.winner is None:
            return
        lock = _lock(report, result.winner)
        if result.winner.templates:
            lay_templates(out / PROMPTS, result.winner.templates, base)
            write_lock(out / PROMPTS, lock)
            write_private(out / DIFF, _diff(result.winner, base).encode("utf-8", "surrogatepass"))
        if result.winner.settings:
            write_private(out / SETTINGS, as_settings_file(result.winner.settings).encode())
            write_lock(out, lock)
    except OSError as error:
        raise StoreError(f"the winner cannot be written to {out}: {error.strerror}") from error


def _lock(report: TuningReport, winner: Variant) -> TuningLock:
    test = report.result.test
    row = test.row(report.result.measure) if test is not None else None
    if row is None:
        raise AssertionError("the winner has no test result")
    return TuningLock(
        model=report.model,
        templates=tuple(locked(one.name, one.text) for one in winner.templates),
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
