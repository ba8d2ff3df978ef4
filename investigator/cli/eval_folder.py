"""`investigator eval folder`: measures how well questions about a folder are answered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.options import AsJson, CommonOptions
from investigator.cli.output import print_result, tell
from investigator.cli.progress import shown
from investigator.evaluation.folder import EvaluationOptions, FolderEvaluation
from investigator.evaluation.questions import read_questions
from investigator.evaluation.tables import folder_text
from investigator.reports.schemas import Printed


def eval_folder(
    docs: Annotated[Path, typer.Option(metavar="DIR", help="Folder of documents.")],
    questions: Annotated[Path, typer.Option(metavar="FILE.jsonl", help="Questions with their known answers.")],
    common: CommonOptions,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N questions.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write the outcomes to this file; by default it is in the workspace."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything again; do not resume.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask each question of a file and measure the documents, evidence, answers, unanswered questions, proof and cost.

    Each row has id and question, and any of: answers, answerable, doc_ids, evidence, key_numbers, key_points, kind,
    scope, evidence_pages_one_based or evidence_pages_zero_based. Only the given fields are measured. If it is stopped,
    the same command resumes it; failed questions are asked again.
    """
    investigator = common.investigator(docs, common.settings.load())
    options = EvaluationOptions(limit=limit, out=out, fresh=fresh)
    evaluation = FolderEvaluation(investigator, read_questions(questions), options)
    evaluation.check_outside(questions)
    try:
        for _ in shown(evaluation.run(), sys.stderr):
            pass
    except KeyboardInterrupt as stop:
        again = "run the same command without --fresh to resume." if fresh else "run the same command again to resume."
        where = f" in {evaluation.file}" if evaluation.file else ""
        tell(f"interrupted: {evaluation.finished} outcomes are kept{where}; {again}")
        raise typer.Exit(130) from stop
    report = evaluation.report()
    print_result(Printed.FOLDER_EVALUATION, report, folder_text, as_json=as_json)
