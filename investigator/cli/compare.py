"""`investigator compare A B`: compares two templates, models or settings on the same questions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.options import AsJson, CommonOptions
from investigator.cli.output import check_report, note, print_result, resumable, write_file
from investigator.cli.progress import display_on
from investigator.evaluation.folder import check_outside
from investigator.evaluation.measures import JUDGING, Measure, judging_measure
from investigator.evaluation.questions import read_questions
from investigator.reports.schemas import Printed
from investigator.tuning.bench import FolderBench, Setup, side_of
from investigator.tuning.comparison import compare as compared_sides
from investigator.tuning.tables import comparison_page, comparison_text

Documents = Annotated[Path, typer.Option("--docs", metavar="DIR", help="Folder of documents.")]
Questions = Annotated[Path, typer.Option(metavar="FILE.jsonl", help="Questions with their known answers.")]
Judged = Annotated[
    str, typer.Option("--measure", metavar="NAME", help=f"The measure that decides: {', '.join(JUDGING)}.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed for all random choices.")]


def setup_of(common: CommonOptions) -> Setup:
    """Return the setup that the common options describe. Raises SettingsError if the settings cannot be used."""
    common.settings.load()
    return Setup(
        prompts=common.prompts,
        model=tuple(common.model or ()),
        settings_file=common.settings.file,
        overrides=common.settings.changes,
    )


RESUMED = "all outcomes so far are kept; run the same command again to resume."
_KEPT = "The outcomes are kept: the same command shows them again."


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A folder of templates, settings, a model, or 'default'.")],
    b: Annotated[str, typer.Argument(metavar="B", help="What to compare A with: the same kinds of values.")],
    docs: Documents,
    questions: Questions,
    common: CommonOptions,
    measure: Judged = Measure.RIGHT.value,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N questions.")] = None,
    repeat: Annotated[
        int, typer.Option(metavar="N", min=1, help="Ask each question N times without the cache, and report the noise.")
    ] = 1,
    seed: Seed = 0,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write the comparison to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask the same questions with A and with B, and report which is better, or how many questions would decide it.

    A and B are each a folder of templates, a settings file, changes such as "research.rounds=2", a model, or 'default'
    for no change. The other options apply to both sides. The questions file has the same format as for eval. To
    resume a stopped comparison, run the same command again.
    """
    if report is not None:
        check_report(report, docs)
    judge, base = judging_measure(measure), setup_of(common)
    first, second = side_of(a, base), side_of(b, base)
    examined = read_questions(questions, note)[:limit]
    with resumable(RESUMED), display_on(sys.stderr) as display:
        bench = FolderBench(docs, workspace=common.workspace, tell=display.show)
        for side in (second, first):  # check both sides before the first question is asked
            check_outside(questions, bench.investigator(side))
        comparison = compared_sides((a, first), (b, second), examined, bench, measure=judge, repeat=repeat, seed=seed)
    if report is not None:
        write_file(report, comparison_page(comparison).encode("utf-8"), _KEPT)
    print_result(Printed.COMPARISON, comparison, comparison_text, as_json=as_json)
