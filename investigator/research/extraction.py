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
    Column,
    Document,
    ExtractReply,
    ExtractVariables,
    MatrixCell,
    MatrixDocument,
    ShownDocument,
    Support,
    TableCell,
    ValueReply,
    Verdict,
)
from investigator.research.matrix import MatrixResearch, Row
from investigator.research.research_settings import ReadingLimits
from investigator.research.schema import Property, TypedSchema
from investigator.research.shown_documents import shown_document
from investigator.research.typed_values import Given, UnitError, cell_value, given_by, typed

MOST_RECORDS = 1_000
"""Maximum number of records read from the tables of a document."""
READ_FROM_TABLE = "read from the table"
_LIMITS = ReadingLimits(characters=24_000, whole_characters=24_000)
_UNREAD = "the rows of its table were not read as records"
_MOST_PROBLEMS = 5
_BEST = (CellStatus.STATED, CellStatus.PASSAGES, CellStatus.UNCLEAR, CellStatus.NOT_STATED)


@dataclass(frozen=True, kw_only=True)
class TypedResearch(MatrixResearch):
    """Reads documents for the columns of a schema. `on_gap` receives a document and what its values may lack."""

    schema: TypedSchema
    on_gap: Callable[[str, str], None]

    def _row(self, document_id: str, questions: Sequence[str], sources: Sources) -> Row:
        rows, gap = table_records(self.library.document(document_id), self.schema)
        if gap and (rows or not self.trust.decides):
            self.on_gap(document_id, gap)
        own, cells = self.schema.properties, [cell for row in rows for cell in row]
        left = [number for number, each in enumerate(own, start=1) if not (rows and each.column.of_records)]
        for batch in self.schema.batches(left):
            cells += self._read(document_id, batch, sources)
        return document_id, tuple(sorted(cells, key=lambda cell: (cell.record, cell.question)))

    def _read(self, document_id: str, batch: Sequence[int], sources: Sources) -> Iterator[MatrixCell]:
        """Yield the cells of columns that are read together."""
        own = [self.schema.properties[number - 1] for number in batch]
        columns = tuple(each.column for each in own)
        shown = shown_document(self.library, document_id, [column.question for column in columns], "", _LIMITS)
        variables = ExtractVariables(mission=self.mission, columns=columns, document=shown)
        problem_with = (lambda reply: _problem(reply, own)) if self.trust.decides else anything
        try:
            reading = self.client.ask(
                "query/extract", variables, ExtractReply, smaller=less_to_row, problem_with=problem_with
            )
        except ReplayError:
            raise
        except EngineError as error:
            self.on_failure(document_id, error)
            yield from (_cell(document_id, number, CellStatus.NOT_READ, error.message) for number in batch)
            return
        if reading.value is None:
            reason = "the reply could not be read"
            yield from (_cell(document_id, number, CellStatus.NOT_READ, reason) for number in batch)
            return
        if any(column.of_records for column in columns):
            partly = "only passages of it were read" if not shown.whole or reading.in_part else reading.problem
            self.on_gap(document_id, f"records may be missing: {partly}") if partly else None
        entries = _entries(reading.value.cells, columns)
        records = sorted({record for _, record in entries if record})
        for place, number in enumerate(batch, start=1):
            for record in records if records and columns[place - 1].of_records else [0]:
                cells = [self._typed_cell(number, each, shown, sources) for each in entries[place, record]]
                cells = cells or [_cell(document_id, number, CellStatus.UNCLEAR, "the reply does not say")]
                settled = _listed if columns[place - 1].is_list else _settled
                yield settled(cells).changed(record=record)

    def _typed_cell(self, number: int, entry: ValueReply, shown: ShownDocument, sources: Sources) -> MatrixCell:
        own, words = self.schema.properties[number - 1], "; ".join(entry.values)
        answer = f"{words} {entry.unit}".strip() if words or self.trust.decides else " ".join(entry.quotes)
        silence = "the document does not state it" if shown.whole else "not in the passages that were read"
        reason = entry.reason or (silence if entry.verdict is Verdict.NOT_STATED else "")
        reply = CellReply(question=number, verdict=entry.verdict, quotes=entry.quotes, answer=answer, reason=reason)
        cell = self._cell(number, reply, shown, sources)
        if cell.status is not CellStatus.STATED:
            return cell
        try:
            value = typed(own, entry.values, entry.unit, [quote.text for quote in cell.quotes])
        except ValueError as error:
            wrong = "" if isinstance(error, UnitError) else "not a value of its type: "
            return cell.changed(status=CellStatus.UNCLEAR, reason=f"{wrong}{error}")
        return cell.changed(value=value, unit=own.column.unit or one_line(entry.unit))


def _cell(document_id: str, number: int, status: CellStatus, reason: str, **fields: object) -> MatrixCell:
    own = {"document_id": document_id, "question": number, "status": status, "reason": reason}
    return MatrixCell.model_validate({**own, **fields})


def _entries(
    replies: Iterable[ValueReply], columns: Sequence[Column]
) -> defaultdict[tuple[int, int], list[ValueReply]]:
    """Return the entries by column and record."""
    entries: defaultdict[tuple[int, int], list[ValueReply]] = defaultdict(list)
    for entry in replies:
        if not 1 <= entry.column <= len(columns):
            continue
        column, least = columns[entry.column - 1], int(entry.verdict is not Verdict.NOT_STATED)
        entries[entry.column, max(entry.record, least) if column.of_records else 0].append(entry)
    return entries


def _problem(reply: ExtractReply, own: Sequence[Property]) -> str:
    """Return the values that are not of the type of their column, or ""."""
    faults = []
    for entry in reply.cells:
        if 1 <= entry.column <= len(own) and entry.verdict is Verdict.ANSWERS:
            each = own[entry.column - 1]
            try:
                typed(each, entry.values, entry.unit, entry.quotes)
            except UnitError:
                continue  # the document states it so; to ask again would lose the value
            except ValueError as error:
                faults.append(f"column {entry.column} ({each.column.name}): {error}")
    return "; ".join(faults[:_MOST_PROBLEMS])


def _settled(cells: Sequence[MatrixCell]) -> MatrixCell:
    """Return the cell that states the value; if several state different values, an unclear one with all quotes."""
    stated = [cell for cell in cells if cell.status is CellStatus.STATED]
    if len({repr(cell.value) for cell in stated}) < 2:
        return (stated or cells)[0]
    reason = f"the document gives different values: {'; '.join(cell.text for cell in stated)}"
    quotes = tuple(dict.fromkeys(quote for cell in stated for quote in cell.quotes))
    return _cell(cells[0].document_id, cells[0].question, CellStatus.UNCLEAR, reason, quotes=quotes)


def _listed(cells: Sequence[MatrixCell]) -> MatrixCell:
    """Return one cell with the entries of a list that are stated, or the best ones; the reason names the others."""
    best = min((cell.status for cell in cells), key=_BEST.index)
    own = list({(repr(cell.value or cell.text), cell.quotes): cell for cell in cells if cell.status is best}.values())
    others = [f"{cell.text}: {cell.reason}" for cell in cells if cell.status not in (best, CellStatus.NOT_STATED)]
    reasons = dict.fromkeys(cell.reason for cell in own if cell.reason)
    return own[0].changed(
        text="; ".join(cell.text for cell in own if cell.text),
        quotes=tuple(dict.fromkeys(quote for cell in own for quote in cell.quotes)),
        reason="; ".join((*reasons, *(f"left out: {other}" for other in others))),
        value=[each for cell in own if isinstance(cell.value, list) for each in cell.value] or own[0].value,
    )


def table_records(document: Document, schema: TypedSchema) -> tuple[list[list[MatrixCell]], str]:
    """Return the rows of the tables whose headings are the names of all columns of records, a record each, and what is
    missing: rows above the limit, or all, if a row sums up or averages others, a unit is not clear, or a cell is empty
    or has no single value of its column.
    """
    own = {number: each for number, each in enumerate(schema.properties, start=1) if each.column.of_records}
    records: list[list[MatrixCell]] = []
    for table in document.tables if own else ():
        headings: defaultdict[int, list[str]] = defaultdict(list)
        for cell in table.cells:
            for place in range(cell.column, cell.column + cell.columns) if cell.row < table.header_rows else ():
                headings[place].append(document.text[cell.start : cell.end])
        if (places := _places(headings, own)) is None:
            continue
        caption = [document.text[table.caption.start : table.caption.end]] if table.caption is not None else []
        first = len(records)
        body = (cell for cell in table.cells if cell.row >= table.header_rows)
        rows = [{cell.column: cell for cell in row} for _, row in groupby(body, key=lambda cell: cell.row)]
        is_cut = len(records) + len(rows) > MOST_RECORDS or not table.complete
        try:
            given = {n: given_by(own[n], [*caption, *headings[place]]) for n, place in places.items()}
            for row in rows[: MOST_RECORDS - first]:
                of_row = _record(document, row, places, given, own)
                records.append([cell.changed(record=len(records) + 1) for cell in of_row])
        except ValueError as error:
            return [], f"{_UNREAD}: {error}"
        if _has_sum(records[first:]):
            return [], f"{_UNREAD}: a row sums up or averages others"
        if is_cut:
            return records, f"only the first {len(records):,} rows of its table were read as records"
    return records, ""


def _places(headings: Mapping[int, Sequence[str]], own: Mapping[int, Property]) -> dict[int, int] | None:
    """Return the place of each column in a table; None unless each has exactly one of its own."""
    places: dict[int, int] = {}
    for number, each in own.items():
        names = set(map(_form, each.names))
        matching = [place for place, texts in headings.items() if names & set(map(_form, texts))]
        if len(matching) != 1 or matching[0] in places.values():
            return None
        places[number] = matching[0]
    return places


def _form(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _record(
    document: Document,
    row: Mapping[int, TableCell],
    places: Mapping[int, int],
    given: Mapping[int, Given],
    own: Mapping[int, Property],
) -> Iterator[MatrixCell]:
    """Yield the cells of a row. Raises ValueError if one has no single value."""
    if any(cell.rows > 1 or cell.columns > 1 for cell in row.values()):
        raise ValueError("a cell spans others")
    span = min(cell.start for cell in row.values()), max(cell.end for cell in row.values())
    quotes = (quote_at(document, *whole_rows(document.text, *span)),)
    for number, place in places.items():
        if (cell := row.get(place)) is not None:
            text = document.text[cell.start : cell.end]
            value, unit = cell_value(own[number], text, given[number])
            fields = {"text": one_line(text), "quotes": quotes, "support": Support.VERBATIM}
            yield _cell(document.id, number, CellStatus.STATED, READ_FROM_TABLE, value=value, unit=unit, **fields)
        elif own[number].is_nullable:
            yield _cell(document.id, number, CellStatus.NOT_STATED, "the cell is empty")
        else:
            raise ValueError(f"a cell of {own[number].column.name} is empty")


def _has_sum(records: Sequence[Sequence[MatrixCell]]) -> bool:
    """Return True if all numbers of a row are the sums of those above it, or those of the first or last row the sums or
    averages of all others.
    """
    rows = [
        {cell.question: Fraction(str(cell.value)) for cell in record if type(cell.value) in (int, float)}
        for record in records
    ]
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for above, own in enumerate(rows):
        is_sum = bool(own) and all(sums[question] == number for question, number in own.items())
        if is_sum and (above > 1 or (above and len(rows) == 2)):
            return True
        for question, number in own.items():
            sums[question] += number
    for own, others in ((rows[0], rows[1:]), (rows[-1], rows[:-1])) if len(rows) > 2 else ():
        rest = {question: sums[question] - number for question, number in own.items()}
        means = {question: number / len(others) for question, number in rest.items()}
        rounded = ({question: round(mean, places) for question, mean in means.items()} for places in (1, 2))
        if own and (own == rest or (len(others) > 2 and own not in others and own in (means, *rounded))):
            return True
    return False


def valued(document: MatrixDocument, cells: Sequence[MatrixCell], schema: TypedSchema) -> MatrixDocument:
    """Return a document with the values in its cells, and where they do not fit the schema."""
    if all(cell.status is CellStatus.NOT_READ for cell in cells):
        return document
    values = _values(cells, schema)
    errors = islice(schema.validator.iter_errors(values), _MOST_PROBLEMS)
    problems = (
        f"{error.json_path}: {'it is required, but not stated' if error.instance is None else error.message[:200]}"
        for error in errors
    )
    return document.changed(values=values, problems=(*document.problems, *dict.fromkeys(problems)))


def _values(cells: Sequence[MatrixCell], schema: TypedSchema) -> JsonValue:
    root: dict[str, Any] = {}
    records: dict[int, dict[str, Any]] = {cell.record: {} for cell in cells if cell.record}
    for cell in sorted(cells, key=lambda cell: cell.stated is None):  # null only beside what is stated
        own = schema.properties[cell.question - 1]
        if bool(cell.record) is own.column.of_records:
            _put(records[cell.record] if cell.record else root, own, cell.stated)
    if schema.records_at == ():
        return list(records.values())
    if schema.records_at:
        *above, name = schema.records_at
        target = root
        for part in above:
            target = target.setdefault(part, {})
        target[name] = list(records.values())
    return root


def _put(target: dict[str, Any], own: Property, value: JsonValue) -> None:
    *above, name = own.path
    for part in above:
        if value is None and part not in target:
            return
        target = target.setdefault(part, {})
    if value is not None or own.is_nullable or own.is_required:
        target[name] = value
