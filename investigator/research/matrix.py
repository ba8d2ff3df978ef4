"""Answers the same questions from each of several documents: one reading per document, one check per ten documents."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_row
from investigator.engines.roles import Role
from investigator.errors import EngineError, ReplayError
from investigator.language.normalise import one_line
from investigator.proof.quotes import Sources
from investigator.records import (
    CellReply,
    CellStatus,
    MatrixCell,
    RowReply,
    RowVariables,
    ShownDocument,
    Statement,
    Support,
    Trust,
    Verdict,
)
from investigator.research.answer import noted
from investigator.research.check import Check, Checking, check, judged
from investigator.research.concurrency import in_order
from investigator.research.query import located
from investigator.research.research_settings import ResearchSettings
from investigator.research.shown_documents import shown_document
from investigator.retrieval.library import Library

_CHECKED_TOGETHER = 10
Row = tuple[str, tuple[MatrixCell, ...]]
"""A document and its cells, in the order of the questions."""


@dataclass(frozen=True)
class MatrixResearch:
    """Reads documents for a matrix. Without `is_checked`, cells stay unchecked; `trust` is that of the readers.

    A document whose reading fails gets cells that are not read, and `on_failure` receives its id and the error.
    """

    client: EngineClient
    library: Library
    settings: ResearchSettings
    mission: str
    trust: Trust
    is_checked: bool = True
    on_failure: Callable[[str, EngineError], None] = lambda name, error: None

    def rows(self, questions: Sequence[str], document_ids: Sequence[str]) -> Generator[Row]:
        """Yield the row of each document, in order: as it was read, so that somebody can watch, and again when it is
        checked. Raises TemplateError, StoreError, and the signal BudgetSpent, after the rows of all readings that end.
        """
        workers = self.settings.concurrency or self.client.concurrency(Role.ASK)
        sources = Sources(self.library.document)
        spent: list[BudgetSpent] = []

        def reading(name: str) -> Row | None:
            """Read a document; None after a limit. Readings that began before are shown when they end."""
            try:
                return None if spent else self._row(name, questions, sources)
            except BudgetSpent as signal:
                spent.append(signal)
                return None

        read = in_order(reading, document_ids, workers)
        unchecked: list[Row] = []
        with closing(read):
            for row in filter(None, read):
                yield row
                unchecked.append(row)
                if len(unchecked) == _CHECKED_TOGETHER and not spent:
                    try:
                        yield from self._checked(unchecked, questions)
                    except BudgetSpent as signal:
                        spent.append(signal)
                    unchecked = []
        if spent:
            raise spent[0]
        yield from self._checked(unchecked, questions)

    def _row(self, document_id: str, questions: Sequence[str], sources: Sources) -> Row:
        limits = self.settings.query.limits(len(questions))
        shown = shown_document(self.library, document_id, questions, "", limits)
        variables = RowVariables(mission=self.mission, questions=tuple(questions), document=shown)
        try:
            reading = self.client.ask("query/row", variables, RowReply, smaller=less_to_row)
        except ReplayError:
            raise
        except EngineError as error:
            self.on_failure(document_id, error)
            return document_id, _unread(document_id, len(questions), error.message)
        if reading.value is None:
            return document_id, _unread(document_id, len(questions), "the reply could not be read")
        replies = {reply.question: reply for reply in reading.value.answers}
        return document_id, tuple(
            self._cell(number, replies.get(number), shown, sources) for number in range(1, len(questions) + 1)
        )

    def _cell(self, number: int, reply: CellReply | None, shown: ShownDocument, sources: Sources) -> MatrixCell:
        cell = MatrixCell(document_id=shown.document_id, question=number, status=CellStatus.NOT_STATED)
        if reply is None or reply.verdict is Verdict.UNREAD:
            return cell.changed(status=CellStatus.UNCLEAR, reason="the reply does not say")
        quotes, _ = located(shown, reply.quotes, sources)
        text, reason = one_line(reply.answer), one_line(reply.reason)
        if reply.verdict is Verdict.NOT_STATED and not self.trust.decides:
            unread = self.trust is Trust.UNREAD
            why = "no passage matches well, and nobody has read it" if unread else "its reader failed the grade"
            return cell.changed(status=CellStatus.UNCLEAR, reason=why, quotes=quotes)
        if reply.verdict is Verdict.NOT_STATED:
            return cell.changed(quotes=quotes, reason=reason)
        if not quotes or not text:
            return cell.changed(status=CellStatus.UNCLEAR, text=text, reason=reason or "no quote supports it")
        stated = CellStatus.STATED if reply.verdict is Verdict.ANSWERS else CellStatus.UNCLEAR
        if reply.verdict is Verdict.PREMISE_WRONG:
            stated, reason = CellStatus.UNCLEAR, reason or "the document says otherwise than the question assumes"
        status = stated if self.trust.decides else CellStatus.PASSAGES
        return cell.changed(status=status, text=text, quotes=quotes, reason=reason)

    def _checked(self, rows: Sequence[Row], questions: Sequence[str]) -> Iterator[Row]:
        """Yield rows with their statements checked; a statement that is not supported makes its cell unclear."""
        every = (cell for _, row in rows for cell in row)
        cells = [cell for cell in every if cell.text and cell.quotes and cell.support is not Support.VERBATIM]
        statements = [
            noted(Statement(text=cell.text, quotes=cell.quotes), questions[cell.question - 1]) for cell in cells
        ]
        outcome = Check()
        if self.is_checked and statements:
            asked = {number: questions[cell.question - 1] for number, cell in enumerate(cells, start=1)}
            checking = Checking(question="", questions=asked)
            outcome = check(self.client, statements, self.library.document, checking)
        after = {
            id(cell): _judged_cell(cell, judged(statement, outcome.judgements.get(number)))
            for number, (cell, statement) in enumerate(zip(cells, statements, strict=True), start=1)
        }
        for document_id, row in rows:
            yield document_id, tuple(after.get(id(cell), cell) for cell in row)


def _judged_cell(cell: MatrixCell, statement: Statement) -> MatrixCell:
    cell = cell.changed(support=statement.support, reason=cell.reason or "; ".join(statement.notes))
    if statement.support is Support.UNSUPPORTED or (
        statement.support is Support.IN_PART and cell.status is CellStatus.STATED
    ):
        return cell.changed(status=CellStatus.UNCLEAR, reason=statement.reason or "its quotes do not show it")
    return cell


def _unread(document_id: str, questions: int, reason: str) -> tuple[MatrixCell, ...]:
    return tuple(
        MatrixCell(document_id=document_id, question=number, status=CellStatus.NOT_READ, reason=reason)
        for number in range(1, questions + 1)
    )
