"""Measures how well questions about folders are answered: documents, evidence, answers, silence, proof and cost.

    python benchmarks/folders.py SET_DIR [SET_DIR ...] [--split dev] [--limit N] [--model PROVIDER:NAME]
                                 [--set PART.FIELD=VALUE] [--resume] [--json]

Each SET_DIR contains the folder `docs_SPLIT` and `questions.SPLIT.jsonl`. The benchmark does the same as `investigator
eval folder`, but for several folders and in one table. Indexes are kept in --workspaces; all questions are asked again
unless --resume skips those already finished.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from investigator import Investigator
from investigator.cli.progress import shown
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.folder import FolderEvaluation
from investigator.evaluation.folder_report import FolderReport
from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.questions import read_questions
from investigator.settings import load_settings


def evaluated(folder: Path, arguments: argparse.Namespace) -> FolderReport:
    """Return the figures of one folder."""
    investigator = Investigator(
        folder / f"docs_{arguments.split}",
        model=arguments.model or None,
        settings=load_settings(None, arguments.overrides),
        workspace=arguments.workspaces / f"folder-{folder.name}",
    )
    questions = read_questions(folder / f"questions.{arguments.split}.jsonl")
    evaluation = FolderEvaluation(investigator, questions, limit=arguments.limit, fresh=not arguments.resume)
    for _ in shown(evaluation.run(), sys.stderr):
        pass
    return evaluation.report()


def table(reports: dict[str, FolderReport]) -> str:
    """Return a Markdown table with a row for each measure and a column for each folder."""
    every = list(reports.values())
    rows = [("measure", *reports), ("---", *("---" for _ in every))]
    rows.append(("questions", *(f"{report.everything.questions + len(report.failures):,}" for report in every)))
    rows.append(("failed", *(f"{len(report.failures):,}" for report in every)))
    rows += [(m.label, *(_cell(report.everything.measures.get(m)) for report in every)) for m in (*Measure, *Cost)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.value:.3f} ({estimate.low:.2f} to {estimate.high:.2f})"


def main() -> None:
    """Parse the arguments, evaluate each folder and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--model", action="append", metavar="[ROLE=]PROVIDER:NAME")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="PART.FIELD=VALUE")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    reports = {folder.resolve().name: evaluated(folder.resolve(), arguments) for folder in arguments.sets}
    if arguments.json:
        print(json.dumps({name: report.model_dump(mode="json") for name, report in reports.items()}, indent=2))
    else:
        print(table(reports))


if __name__ == "__main__":
    main()
