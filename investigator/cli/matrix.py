"""`investigator matrix FOLDER --questions FILE`: asks each document the same questions, and shows a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask import AskingOptions
from investigator.cli.batch import KEPT, outcome_of, questions_of
from investigator.cli.options import AsJson, Folder
from investigator.cli.output import check_report, print_result, write_file
from investigator.errors import RunError
from investigator.records import CellStatus, Matrix
from investigator.reports.export import matrix_csv, matrix_xlsx
from investigator.reports.html import matrix_page
from investigator.reports.inert import inert_json_prose
from investigator.reports.matrix import matrix_text
from investigator.reports.schemas import Printed, stamped

_FORMATS: Mapping[str, Callable[[Matrix], bytes]] = {
    ".html": lambda matrix: matrix_page(matrix).encode("utf-8"),
    ".csv": lambda matrix: matrix_csv(matrix).encode("utf-8-sig"),
    ".xlsx": matrix_xlsx,
    ".json": lambda matrix: inert_json_prose(stamped(Printed.MATRIX, matrix, indent=2)).encode("utf-8"),
}


def matrix(
    folder: Folder,
    asking: AskingOptions,
    question: Annotated[
        list[str] | None, typer.Option("--question", metavar="QUESTION", help="A question; repeatable.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Questions: .txt (one per line), .csv (column question), .jsonl (field question)."
        ),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Also write the table to this file: .html, .csv, .xlsx or .json; repeatable."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask each document every question, and show the answers as a table.

    A document is read once for all questions. A cell is a short answer whose quotes are proven to be in the document,
    "not stated", "unclear", or "not read"; without a language model, it shows passages. To resume a stopped table, run
    the same command again. Limits such as --max-calls apply to the whole table.

    Exit codes: 0 every document was read, 4 some documents were not read, 1 reading a document failed, 2 usage error,
    130 interrupted.
    """
    every = questions_of(questions, question or ())
    asking.check(many=True)
    for path in report or ():
        check_report(path, folder, tuple(_FORMATS))
    investigator = asking.investigator(folder)
    events = investigator.investigate_matrix(every, asking.run_options())
    made = outcome_of(events, investigator.parts.watch, fresh=asking.fresh)
    if not isinstance(made, Matrix):
        raise RunError("the matrix ended without a table", hint=KEPT)
    for path in report or ():
        write_file(path, _FORMATS[path.suffix.lower()](made), KEPT)
    print_result(Printed.MATRIX, made, matrix_text, as_json=as_json)
    if made.failed or made.count(CellStatus.NOT_READ):
        raise typer.Exit(1 if made.failed else 4)
