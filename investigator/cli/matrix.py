"""`investigator matrix FOLDER --questions FILE`: asks each document the same questions, and shows a table. With
`--schema FILE`, it reads the typed values of a JSON Schema.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask import AskingOptions
from investigator.cli.batch import KEPT, outcome_of, questions_of
from investigator.cli.options import AsJson, Folder
from investigator.cli.output import check_report, note, print_result, write_file
from investigator.errors import SettingsError
from investigator.records import CellStatus, Matrix
from investigator.reports.export import MATRIX_FORMATS
from investigator.reports.matrix import matrix_text
from investigator.reports.schemas import Printed
from investigator.research.schema import TypedSchema, read_schema_file


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
    schema: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON Schema whose properties are read as typed values."),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Also write the table to this file (.html, .csv, .xlsx, .json or .parquet); repeatable.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask each document every question, and show the answers as a table; or read the values of a schema from each.

    A document is read once for all questions. A cell is a short answer whose quotes are proven to be in the document,
    "not stated", "unclear", or "not read"; without a language model, it shows passages. To resume a stopped table, run
    the same command again. Limits such as --max-calls apply to the whole table.

    Exit codes: 0 every document was read, 4 some documents were not read, 1 reading a document failed, 2 usage error,
    130 interrupted.
    """
    asking.check(many=True)
    if schema is not None and (questions is not None or question):
        raise SettingsError("--schema excludes questions", hint="Describe each column in the schema.")
    wanted = questions_of(questions, question or ()) if schema is None else read_schema_file(schema)
    for path in report or ():
        check_report(path, folder, tuple(MATRIX_FORMATS))
    if isinstance(wanted, TypedSchema) and wanted.unknown:
        note(f"unknown keywords of the schema are ignored: {', '.join(wanted.unknown)}")
    investigator = asking.investigator(folder)
    events = investigator.investigate_matrix(wanted, asking.run_options())
    made = outcome_of(events, investigator.parts.watch, Matrix, fresh=asking.fresh)
    for path in report or ():
        write_file(path, MATRIX_FORMATS[path.suffix.lower()](made), KEPT)
    print_result(Printed.MATRIX, made, matrix_text, as_json=as_json)
    if made.failed or made.count(CellStatus.NOT_READ):
        raise typer.Exit(1 if made.failed else 4)
