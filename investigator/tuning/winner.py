"""Writes the result of a tuning run: the report, and the winner as a folder or settings file, with its lock and a
diff.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from investigator.asking.lock import TuningLock, locked, write_lock
from investigator.files import write_private
from investigator.settings import as_settings_file
from investigator.tuning.candidates import lay_templates, templates_of
from investigator.tuning.plan import TuningReport
from investigator.tuning.tables import comparison_page


def write_winner(out: Path, report: TuningReport, base: Path | None) -> None:
    """Write the report, and the winner, if any; `base` is the user's own folder of templates.

    Use the resulting `prompts/` with `--prompts`, and `settings.json` with `--settings`. Raises OSError and StoreError.
    """
    test, winner = report.result.test, report.result.winner
    write_private(out / "report.json", report.model_dump_json(indent=2).encode())
    if test is not None:
        write_private(out / "test.html", comparison_page(test).encode())
    if test is None or winner is None:
        return
    row = test.rows[test.judged_by]
    lock = TuningLock(
        model=report.model,
        templates=tuple(locked(template.name, template.text) for template in winner.templates),
        settings=winner.settings,
        data=report.data,
        seed=report.seed,
        measure=test.judged_by.value,
        questions=row.difference.questions,
        baseline=row.first,
        score=row.second,
        low=row.difference.low,
        high=row.difference.high,
        p=row.p,
    )
    if winner.templates:
        before = templates_of(base, [template.name for template in winner.templates])
        lines: list[str] = []
        for old, new in zip(before, winner.templates, strict=True):
            first, second = (f"{one.text}\n".splitlines(keepends=True) for one in (old, new))
            lines += difflib.unified_diff(first, second, f"before/{old.name}.j2", f"tuned/{new.name}.j2")
        lay_templates(out / "prompts", winner.templates, base)
        write_lock(out / "prompts", lock)
        write_private(out / "winner.diff", "".join(lines).encode("utf-8", "surrogatepass"))
    if winner.settings:
        write_private(out / "settings.json", as_settings_file(winner.settings).encode())
        write_lock(out, lock)
