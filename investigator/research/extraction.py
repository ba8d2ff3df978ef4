"""Reads the typed values of a schema from documents: one reading per document, and none for records in a table whose
headings are the names of their columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, islice
from typing import Any

from pydantic import JsonValue

from investigator.asking.fitting import less_to_row
from investigator.asking.repair import anything
from investigator.errors import EngineError, ReplayError
from investigator.language.normalise import one_line
from investigator.proof.quotes import Sources, quote_at, whole_rows
from investigator.records import (
    CellReply,
    CellStatus,
    Document,
    ExtractedCell,
    ExtractedDocument,
    Extraction,
    ExtractReply,
    ExtractVariables,
    Matrix,
    MatrixCell,
    MatrixDocument,
    ShownDocument,
    Support,
    Table,
    TableCell,
    ValueReply,
    Verdict,
)
from investigator.research.matrix import MatrixResearch, Row
from investigator.research.research_settings import ReadingLimits
from investigator.research.schema import Property, TypedSchema
from investigator.research.shown_documents import shown_document
from investigator.research.typed_values import cell_value, typed

MOST_RECORDS = 1_000
"""Maximum number of records read from the tables of a document."""
READ_FROM_TABLE = "read from the table"
_LIMITS = ReadingLimits(characters=24_000, whole_characters=24_000)
_MOST_PROBLEMS = 5


@dataclass(frozen=True, kw_only=True)
class TypedResearch(MatrixResearch):
    """Reads documents for the columns of a schema. `on_notice` receives what the values of a document may lack."""

    schema: TypedSchema
    on_notice: Callable[[str], None]

    def _row(self, document_id: str, questions: Sequence[str], sources: Sources) -> Row:
        rows, is_cut = table_records(self.library.document(document_id), self.schema)
        if is_cut:
            self.on_notice(f"{document_id}: only the first {len(rows):,} rows of its table were read as records.")
        own = self.schema.properties
        left = [number for number, each in enumerate(own, start=1) if not (rows and each.column.of_records)]
        cells = [cell for batch in self.schema.batches(left) for cell in self._read(document_id, batch, sources)]
        cells += [cell for row in rows for cell in row]
        return document_id, tuple(sorted(cells, key=lambda cell: (cell.record, cell.question)))

    def _read(self, document_id: str, batch: Sequence[int], sources: Sources) -> Sequence[ExtractedCell]:
        """Return the cells of columns that are read together."""
        properties = {place: self.schema.properties[number - 1] for place, number in enumerate(batch, start=1)}
        columns = tuple(own.column for own in properties.values())
        queries = [column.question for column in columns]
        shown = shown_document(self.library, document_id, queries, "", _LIMITS)
        variables = ExtractVariables(mission=self.mission, columns=columns, document=shown)
        problem_with = (lambda reply: _problem(reply, properties)) if self.trust.decides else anything
        try:
            reading = self.client.ask(
                "query/extract", variables, ExtractReply, smaller=less_to_row, problem_with=problem_with
            )
        except ReplayError:
            raise
        except EngineError as error:
            self.on_failure(document_id, error)
            return [_blank(document_id, number, CellStatus.NOT_READ, error.message) for number in batch]
        if reading.value is None:
            reason = "the reply could not be read"
            return [_blank(document_id, number, CellStatus.NOT_READ, reason) for number in batch]
        if any(column.of_records for column in columns):
            partly = "only passages of it were read" if not shown.whole or reading.in_part else reading.problem
            self.on_notice(f"{document_id}: records may be missing: {partly}") if partly else None
        entries = _joined(reading.value.cells, properties)
        cells = [self._typed_cell(batch[entry.column - 1], entry, shown, sources) for entry in entries]
        return _complete(_settled(cells), document_id, batch, self.schema)

    def _typed_cell(self, number: int, entry: ValueReply, shown: ShownDocument, sources: Sources) -> ExtractedCell:
        own, words = self.schema.properties[number - 1], "; ".join(entry.values)
        answer = f"{words} {entry.unit}".strip() if words or self.trust.decides else " ".join(entry.quotes)
        silence = "the document does not state it" if shown.whole else "not in the passages that were read"
        reason = entry.reason or (silence if entry.verdict is Verdict.NOT_STATED else "")
        reply = CellReply(question=number, verdict=entry.verdict, quotes=entry.quotes, answer=answer, reason=reason)
        cell, value, unit = self._cell(number, reply, shown, sources), None, one_line(entry.unit)
        if cell.status is CellStatus.STATED:
            try:
                value = typed(own, entry.values, entry.unit)
            except ValueError as error:
                cell = cell.changed(status=CellStatus.UNCLEAR, reason=f"not a value of its type: {error}")
            else:
                unit = own.column.unit or unit
        return _extracted(cell, record=entry.record, value=value, unit=unit)


def _extracted(cell: MatrixCell, **fields: object) -> ExtractedCell:
    return ExtractedCell.model_validate({**{name: getattr(cell, name) for name in MatrixCell.model_fields}, **fields})


def _blank(document_id: str, number: int, status: CellStatus, reason: str, record: int = 0) -> ExtractedCell:
    return ExtractedCell(document_id=document_id, question=number, status=status, reason=reason, record=record)


def _joined(entries: Iterable[ValueReply], properties: Mapping[int, Property]) -> list[ValueReply]:
    """Return the entries for known columns, each once: of a list all values together, and with a record number only if
    the column has records.
    """
    joined: dict[tuple[object, ...], ValueReply] = {}
    for entry in entries:
        if (own := properties.get(entry.column)) is None:
            continue
        is_value = entry.verdict is not Verdict.NOT_STATED
        record = max(entry.record, int(is_value)) if own.column.of_records else 0
        key = (entry.column, record, *(() if own.column.is_list else (entry.values, entry.unit)))
        if (before := joined.get(key)) is not None and own.column.is_list:
            values, quotes = (*before.values, *entry.values), (*before.quotes, *entry.quotes)
            entry = before.changed(values=tuple(dict.fromkeys(values)), quotes=tuple(dict.fromkeys(quotes)))
        joined[key] = entry.changed(record=record)
    return list(joined.values())


def _problem(reply: ExtractReply, properties: Mapping[int, Property]) -> str:
    """Return the values that are not of the type of their column, or ""."""
    faults = []
    for entry in reply.cells:
        own = properties.get(entry.column)
        if own is not None and entry.verdict is Verdict.ANSWERS:
            try:
                typed(own, entry.values, entry.unit)
            except ValueError as error:
                faults.append(f"column {entry.column} ({own.column.name}): {error}")
    return "; ".join(faults[:_MOST_PROBLEMS])


def _settled(cells: Iterable[ExtractedCell]) -> Iterator[ExtractedCell]:
    """Yield a cell for each value: the stated one, or all if the document states different values."""
    groups: dict[tuple[int, int], list[ExtractedCell]] = {}
    for cell in cells:
        groups.setdefault((cell.record, cell.question), []).append(cell)
    for group in groups.values():
        stated = [cell for cell in group if cell.status is CellStatus.STATED]
        distinct = {repr(cell.value): cell for cell in reversed(stated)}
        if len(distinct) < 2:
            yield (stated or group)[0]
            continue
        texts = "; ".join(cell.text for cell in stated)
        reason = f"the document gives different values: {texts}"
        yield from (cell.changed(status=CellStatus.UNCLEAR, reason=reason) for cell in stated)


def _complete(
    cells: Iterable[ExtractedCell], document_id: str, batch: Sequence[int], schema: TypedSchema
) -> Sequence[ExtractedCell]:
    """Return the cells with those that the reply leaves out; columns of records have none of the document itself."""
    cells = list(cells)
    known = {(cell.record, cell.question) for cell in cells}
    records = sorted({record for record, _ in known if record})
    kept = [
        cell
        for cell in cells
        if cell.record or not records or not schema.properties[cell.question - 1].column.of_records
    ]
    for number in batch:
        wanted = records if records and schema.properties[number - 1].column.of_records else [0]
        for record in (record for record in wanted if (record, number) not in known):
            kept.append(_blank(document_id, number, CellStatus.UNCLEAR, "the reply does not say", record))
    return kept


def table_records(document: Document, schema: TypedSchema) -> tuple[list[list[ExtractedCell]], bool]:
    """Return the rows of the tables whose headings are the names of all columns of records, a record each, and True if
    there are more. Without such a table, or if a row sums up those above it, or a cell is empty or has no single value
    of its column, there are none.
    """
    own = {number: each for number, each in enumerate(schema.properties, start=1) if each.column.of_records}
    records: list[list[ExtractedCell]] = []
    for table in document.tables if own else ():
        if (places := _places(table, document.text, own)) is None:
            continue
        first = len(records)
        body = (cell for cell in table.cells if cell.row >= table.header_rows)
        for _, row in groupby(body, key=lambda cell: cell.row):
            if len(records) == MOST_RECORDS:
                return records, True
            try:
                records.append(_record(document, {cell.column: cell for cell in row}, places, own, len(records) + 1))
            except ValueError:
                return [], False
        if _has_sum(records[first:]):
            return [], False
        if not table.complete:
            return records, True
    return records, False


def _has_sum(records: Sequence[Sequence[ExtractedCell]]) -> bool:
    """Return True if all numbers of a row are the sums of those above it."""
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for above, record in enumerate(records):
        numbers = {cell.question: Fraction(str(cell.value)) for cell in record if type(cell.value) in (int, float)}
        is_sum = bool(numbers) and all(sums[question] == number for question, number in numbers.items())
        if is_sum and (above > 1 or (above and len(records) == 2)):
            return True
        for question, number in numbers.items():
            sums[question] += number
    return False


def _places(table: Table, text: str, own: Mapping[int, Property]) -> dict[int, tuple[int, str]] | None:
    """Return the place and the heading of each column in a table; None unless each has exactly one."""
    headings: dict[int, list[str]] = {}
    for cell in table.cells:
        if cell.row >= table.header_rows:
            break
        for column in range(cell.column, cell.column + cell.columns):
            headings.setdefault(column, []).append(text[cell.start : cell.end])
    places: dict[int, tuple[int, str]] = {}
    for number, each in own.items():
        names = set(map(_form, each.names))
        matching = [place for place, texts in headings.items() if names & set(map(_form, texts))]
        if len(matching) != 1:
            return None
        places[number] = matching[0], " ".join(headings[matching[0]])
    return places if len({place for place, _ in places.values()}) == len(places) else None


def _form(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _record(
    document: Document,
    row: Mapping[int, TableCell],
    places: Mapping[int, tuple[int, str]],
    own: Mapping[int, Property],
    record: int,
) -> list[ExtractedCell]:
    """Return the cells of a row. Raises ValueError if one has no single value."""
    if any(cell.rows > 1 or cell.columns > 1 for cell in row.values()):
        raise ValueError("a cell spans others")
    span = min(cell.start for cell in row.values()), max(cell.end for cell in row.values())
    quote = quote_at(document, *whole_rows(document.text, *span))
    cells = []
    for number, (place, heading) in places.items():
        if (cell := row.get(place)) is None and not own[number].is_nullable:
            raise ValueError("an empty cell")
        if cell is None:
            cells.append(_blank(document.id, number, CellStatus.NOT_STATED, "the cell is empty", record))
            continue
        text = document.text[cell.start : cell.end]
        value, unit = cell_value(own[number], text, heading)
        made = _blank(document.id, number, CellStatus.STATED, READ_FROM_TABLE, record)
        support = Support.VERBATIM
        cells.append(made.changed(text=one_line(text), quotes=(quote,), support=support, value=value, unit=unit))
    return cells


def extraction_of(matrix: Matrix, schema: TypedSchema) -> Extraction:
    """Return the typed values in the cells of a matrix, document by document."""
    cells: dict[str, list[ExtractedCell]] = {document.id: [] for document in matrix.documents}
    for cell in matrix.cells:
        cells[cell.document_id].append(cell if isinstance(cell, ExtractedCell) else _extracted(cell))
    documents = [_extracted_document(document, tuple(cells[document.id]), schema) for document in matrix.documents]
    shared = {name: getattr(matrix, name) for name in ("id", "engine", "checked_by", "usage", "seconds", "failed")}
    return Extraction(columns=schema.columns, documents=tuple(documents), **shared)


def _extracted_document(
    document: MatrixDocument, cells: tuple[ExtractedCell, ...], schema: TypedSchema
) -> ExtractedDocument:
    made = ExtractedDocument(document=document.id, title=document.title, cells=cells)
    if all(cell.status is CellStatus.NOT_READ for cell in cells):
        return made
    values = values_of(schema, cells)
    errors = islice(schema.validator.iter_errors(values), _MOST_PROBLEMS)
    problems = (
        f"{error.json_path}: {'it is required, but not stated' if error.instance is None else error.message[:200]}"
        for error in errors
    )
    return made.changed(values=values, problems=tuple(dict.fromkeys(problems)))


def values_of(schema: TypedSchema, cells: Iterable[ExtractedCell]) -> JsonValue:
    """Return the stated values of a document in the form of the schema."""
    stated = {(cell.record, cell.question): cell.stated for cell in cells}
    items: dict[int, dict[str, Any]] = {record: {} for record, _ in sorted(stated)}
    places = [
        (target, own, stated.get((record, number)))
        for number, own in enumerate(schema.properties, start=1)
        for record, target in items.items()
        if bool(record) is own.column.of_records
    ]
    for target, own, value in sorted(places, key=lambda place: place[2] is None):  # null only beside what is stated
        _put(target, own, value)
    of_document = items.pop(0, {})
    records: list[JsonValue] = list(items.values())
    if schema.records_at == ():
        return records
    if schema.records_at:
        *above, name = schema.records_at
        target = of_document
        for part in above:
            target = target.setdefault(part, {})
        target[name] = records
    return of_document


def _put(target: dict[str, Any], own: Property, value: JsonValue) -> None:
    *above, name = own.path
    for part in above:
        if value is None and part not in target:
            return
        target = target.setdefault(part, {})
    if value is not None or own.is_nullable or own.is_required:
        target[name] = value
