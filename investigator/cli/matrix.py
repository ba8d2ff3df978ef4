"""`investigator matrix FOLDER --questions FILE`: asks each document the same questions, and shows a table. With
`--schema FILE`, it reads the typed values of a JSON Schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask import AskingOptions
from investigator.cli.batch import KEPT, outcome_of, questions_of
from investigator.cli.options import AsJson, Folder
from investigator.cli.output import check_report, note, print_result, write_file
from investigator.errors import RunError, SettingsError
from investigator.investigator import Investigator
from investigator.records import CellStatus, Event, Extraction, Matrix
from investigator.reports.export import MATRIX_FORMATS
from investigator.reports.extraction import (
    extraction_csv,
    extraction_parquet,
    extraction_text,
    extraction_xlsx,
    parquet_library,
)
from investigator.reports.inert import inert_json_prose
from investigator.reports.matrix import matrix_text
from investigator.reports.schemas import Printed, stamped
from investigator.research.extraction import extraction_of
from investigator.research.schema import TypedSchema, read_schema_file

_TYPED_FORMATS: Mapping[str, Callable[[Extraction], bytes]] = {
    ".csv": lambda extraction: extraction_csv(extraction).encode("utf-8-sig"),
    ".xlsx": extraction_xlsx,
    ".json": lambda extraction: inert_json_prose(stamped(Printed.EXTRACTION, extraction, indent=2)).encode("utf-8"),
    ".parquet": extraction_parquet,
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
    schema: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON Schema whose properties are read as typed values."),
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Also write the table to this file: .html (questions only), .csv, .xlsx, .json or, with --schema, "
            ".parquet; repeatable.",
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
    made: Matrix | Extraction
    if schema is None:
        made = table = _asked(folder, asking, questions_of(questions, question or ()), report or ())
        print_result(Printed.MATRIX, table, matrix_text, as_json=as_json)
    elif questions is None and not question:
        made = values = _extracted(folder, asking, read_schema_file(schema), report or ())
        print_result(Printed.EXTRACTION, values, extraction_text, as_json=as_json)
    else:
        raise SettingsError("--schema excludes questions", hint="Describe each column in the schema.")
    if made.failed or made.count(CellStatus.NOT_READ):
        raise typer.Exit(1 if made.failed else 4)


def _asked(folder: Path, asking: AskingOptions, questions: Sequence[str], reports: Sequence[Path]) -> Matrix:
    for path in reports:
        check_report(path, folder, tuple(MATRIX_FORMATS))
    investigator = asking.investigator(folder)
    matrix = _outcome(investigator, investigator.investigate_matrix(questions, asking.run_options()), asking)
    for path in reports:
        write_file(path, MATRIX_FORMATS[path.suffix.lower()](matrix), KEPT)
    return matrix


def _extracted(folder: Path, asking: AskingOptions, schema: TypedSchema, reports: Sequence[Path]) -> Extraction:
    for path in reports:
        check_report(path, folder, tuple(_TYPED_FORMATS))
    if any(path.suffix.lower() == ".parquet" for path in reports):
        parquet_library()
    if schema.unknown:
        note(f"unknown keywords of the schema are ignored: {', '.join(schema.unknown)}")
    investigator = asking.investigator(folder)
    matrix = _outcome(investigator, investigator.investigate_schema(schema, asking.run_options()), asking)
    extraction = extraction_of(matrix, schema)
    for path in reports:
        write_file(path, _TYPED_FORMATS[path.suffix.lower()](extraction), KEPT)
    return extraction


def _outcome(investigator: Investigator, events: Iterator[Event], asking: AskingOptions) -> Matrix:
    made = outcome_of(events, investigator.parts.watch, fresh=asking.fresh)
    if not isinstance(made, Matrix):
        raise RunError("the matrix ended without a table", hint=KEPT)
    return made
