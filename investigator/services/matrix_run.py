"""A matrix as one run: its rows so far, the record of the run with all its statements, and the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from investigator.asking.budget import BudgetSpent
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.proof.standing import Reread, standing_quotes
from investigator.records import (
    Answer,
    AnswerStatus,
    BatchEnded,
    CellStatus,
    CheckOutcome,
    Coverage,
    Event,
    Filled,
    Investigation,
    LeftOut,
    Matrix,
    MatrixCell,
    MatrixDocument,
    MatrixTable,
    Part,
    PartStatus,
    RunFacts,
    Statement,
    StopReason,
    Support,
    Trust,
    Unreadable,
    Usage,
)
from investigator.reports.matrix import status_counts
from investigator.reports.wording import file_words
from investigator.research.answer_text import answer_text
from investigator.research.extraction import TypedResearch, valued
from investigator.research.matrix import MatrixResearch, Row
from investigator.research.schema import TypedSchema
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.open_folder import OpenFolder, open_folder, repeated
from investigator.services.run_records import MATRIX, RunOptions, scope_of

_MOST_FAILURES = 3  # after this many failures without a success, the next reading would probably fail as well
_SINCE = "it no longer contains words quoted from it; to read it again, repeat the command that made this table"
_PARTS = {CellStatus.STATED: PartStatus.ANSWERED, CellStatus.UNCLEAR: PartStatus.IN_PART}
_CHECKED = frozenset({Support.SUPPORTED, Support.IN_PART, Support.UNSUPPORTED})


@dataclass
class MatrixRun:
    """The rows of a matrix, which arrive one by one. `titles` are the readable documents of the folder, `names` the
    documents of the rows. `failed` are the documents whose reading failed, and `gaps` are what the values of a document
    may lack.
    """

    questions: tuple[str, ...]
    names: tuple[str, ...]
    titles: Mapping[str, str]
    unreadable: Mapping[str, Unreadable]
    left_out: tuple[LeftOut, ...] = ()
    schema: TypedSchema | None = None
    rows: dict[str, tuple[MatrixCell, ...]] = field(default_factory=dict)
    failed: dict[str, EngineError] = field(default_factory=dict)
    gaps: defaultdict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    stop: StopReason = StopReason.ANSWERED

    @property
    def to_read(self) -> tuple[str, ...]:
        """Return the documents of the rows that can be read."""
        return tuple(name for name in self.names if name in self.titles)

    def filled(self, rows: Iterable[Row], reread: Reread) -> Iterator[Event]:
        """Add the rows as they arrive, until a limit is reached; yield those that are new or changed. Quotes are looked
        up again in the files, which `reread` reads. Raises EngineError if the first readings all fail, FolderError and
        ReaderError.
        """
        total = len(self.to_read)
        try:
            for name, cells in rows:
                before, self.rows[name] = self.rows.get(name), (standing := _standing(cells, reread))
                if standing == before:
                    continue
                if len(self.failed) >= _MOST_FAILURES and self.failed.keys() >= self.rows.keys():
                    raise self.failed[name]
                about = (name[:80], status_counts(standing))
                yield Filled(
                    phase="documents",
                    done=len(self.rows),
                    total=total,
                    about=about,
                    document=self._document(name),
                    cells=standing,
                )
        except BudgetSpent as spent:
            self.stop = spent.reason

    def _table(self, cells: Sequence[MatrixCell]) -> MatrixTable:
        documents = tuple(map(self._document, self.names))
        if self.schema is not None:
            documents = tuple(valued(document, self._row(document.id), self.schema) for document in documents)
        return MatrixTable(
            questions=self.questions,
            documents=documents,
            cells=tuple(cells),
            columns=() if self.schema is None else self.schema.columns,
            failed=len(self.failed),
        )

    def _document(self, name: str) -> MatrixDocument:
        return MatrixDocument(id=name, title=self.titles.get(name, ""), problems=tuple(self.gaps[name]))

    def finished(self, run: Investigation, checker: str, usage: Usage, elapsed: float) -> Investigation:
        """Return the record of the run, whose answer holds the statements of all cells. `checker` is the engine that
        checks statements.
        """
        cells = [cell for name in self.names for cell in self._row(name)]
        parts = tuple(self._part(number, question) for number, question in enumerate(self.questions, start=1))
        coverage, is_read = self._coverage(is_read=run.setup.is_read), run.setup.is_read
        counted = CellStatus.STATED if is_read else CellStatus.PASSAGES
        cells_with = f"{sum(cell.status is counted for cell in cells):,} of {len(cells):,} cells"
        stop = self.stop if is_read or self.stop is not StopReason.ANSWERED else StopReason.SATURATED
        statements = [self._statement(cell) for cell in cells if cell.text and cell.quotes]
        answer = Answer(
            question=run.question,
            status=_status(cells, parts if is_read else (), is_whole=coverage.complete and is_read),
            reason=f"{cells_with} {'state an answer' if is_read else 'have passages, which nobody has judged'}.",
            details=tuple(s for s in statements if s.support is not Support.UNSUPPORTED),
            parts=parts,
            check=CheckOutcome(
                by=checker if any(cell.support in _CHECKED for cell in cells) else "",
                trust=trust_in_run(run, Role.ASK),
                withheld=tuple(s for s in statements if s.support is Support.UNSUPPORTED),
            ),
            coverage=coverage,
            run=RunFacts(
                id=run.id, engine=run.setup.engine, day=run.setup.day, stop=stop, usage=usage, elapsed=elapsed
            ),
        )
        answer = answer.changed(text=answer_text(answer))
        return run.changed(parts=parts, answer=answer, matrix=self._table(cells), usage=usage, elapsed=elapsed)

    def _coverage(self, *, is_read: bool) -> Coverage:
        done = tuple(name for name in self.to_read if name in self.rows and name not in self.failed)
        return Coverage(
            read=done if is_read else (),
            searched=() if is_read else done,
            not_opened=tuple(name for name in self.to_read if name not in done),
            unreadable=tuple(self.unreadable[name] for name in self.names if name in self.unreadable),
            left_out=self.left_out,
        )

    def _row(self, name: str) -> tuple[MatrixCell, ...]:
        if name in self.rows:
            return self.rows[name]
        file = self.unreadable.get(name)
        reason = file_words(file) if file else f"it was not read, because the limit on {self.stop} was reached"
        blank = MatrixCell(document_id=name, question=1, status=CellStatus.NOT_READ, reason=reason)
        return tuple(blank.changed(question=number) for number in range(1, len(self.questions) + 1))

    def _part(self, number: int, question: str) -> Part:
        statuses = {cell.status for cells in self.rows.values() for cell in cells if cell.question == number}
        status = next((part for cell, part in _PARTS.items() if cell in statuses), PartStatus.NOT_STATED)
        return Part(question=question, status=status)

    def _statement(self, cell: MatrixCell) -> Statement:
        name, question = self.titles.get(cell.document_id) or cell.document_id, self.questions[cell.question - 1]
        return Statement(
            text=cell.text, head=f"{name}: {question}", quotes=cell.quotes, support=cell.support, reason=cell.reason
        )


def filled_matrix(
    place: IndexedFolder,
    engines: Mapping[Role, Engine],
    records: Sequence[Investigation],
    options: RunOptions,
    schema: TypedSchema | None = None,
) -> Iterator[Event]:
    """Read each document once for the questions of new records; the last event contains a Matrix. With a schema, the
    questions are its columns, and the cells are typed.

    The matrix is one run, whose id begins with `MATRIX`: a stopped matrix resumes, and replies for unchanged documents
    are reused. A document whose reading fails leaves the others.
    """
    questions = tuple(record.question for record in records)
    whole = records[0].changed(id=MATRIX, question="\n".join(questions))
    yield from repeated(
        open_folder(place, engines), lambda folder, again: _filled(folder, whole, questions, options, again, schema)
    )


def _filled(
    folder: OpenFolder,
    whole: Investigation,
    questions: Sequence[str],
    options: RunOptions,
    again: frozenset[str],
    schema: TypedSchema | None,
) -> Iterator[Event]:
    corpus, settings = folder.index.corpus, folder.parts.settings
    titles = {name: card.title for name, card in corpus.cards().items()}
    unreadable = {file.path: file for file in corpus.unreadable()}
    every = tuple(sorted({*titles, *unreadable}))
    names = scope_of(options.only, every) or every
    matrix = MatrixRun(tuple(questions), names, titles, unreadable, corpus.left_out(), schema)
    with folder.opened(whole, options, again) as opened:
        library = yield from folder.prepare(opened.record.setup.search)
        yield from opened.started(len(matrix.names))
        client = opened.client(budget=settings.budget.beyond_one_question())
        reader: Callable[..., MatrixResearch] = MatrixResearch
        if schema is not None:
            reader = partial(TypedResearch, schema=schema, on_gap=lambda name, gap: matrix.gaps[name].setdefault(gap))
        research = reader(
            client,
            library,
            settings.research,
            opened.record.setup.mission,
            trust_in_run(opened.record, Role.ASK),
            is_checked=not settings.check.off,
            on_failure=matrix.failed.__setitem__,
        )
        rows = research.rows(questions, matrix.to_read)
        with closing(rows):  # so that no reading goes on after an error
            yield from matrix.filled(rows, opened.cited.reread)
        yield from folder.drift(opened.cited)
        yield from folder.parts.notices()
        record = matrix.finished(
            opened.record, client.name(Role.CHECK), opened.journal.usage(), opened.journal.elapsed()
        )
        opened.journal.keep_record(record)
        opened.trace.ended(record)
        yield BatchEnded(outcome=Matrix.of(record))


def trust_in_run(run: Investigation, role: Role) -> Trust:
    """Return how far the engine for a role of a run is trusted."""
    return next((used.trust for used in run.setup.engines if used.role == role), Trust.UNGRADED)


def _standing(cells: Sequence[MatrixCell], reread: Reread) -> tuple[MatrixCell, ...]:
    """Return the cells of a document with the current places of their quotes; a cell that lost one is unclear."""
    cited = dict.fromkeys(quote.document_id for cell in cells for quote in cell.quotes)
    fresh = reread(cited) if cited else {}
    standing = []
    for cell in cells:
        quotes, lost = standing_quotes(cell.quotes, lambda _: fresh)
        gone = {"status": CellStatus.UNCLEAR, "text": "", "value": None, "reason": lost[0]} if lost else {}
        standing.append(cell.changed(quotes=quotes, **gone))
    return tuple(standing)


def table_now(table: MatrixTable, reread: Reread) -> MatrixTable:
    """Return a stored table whose quotes are looked up again in the files; the values of a document that lost one are
    withheld.
    """
    cells = _standing(table.cells, reread)
    both = zip(table.cells, cells, strict=True)
    lost = {now.document_id for before, now in both if len(now.quotes) < len(before.quotes)}
    gone = {"values": None, "problems": (_SINCE,)}
    documents = tuple(each.changed(**gone) if each.id in lost else each for each in table.documents)
    return table.changed(cells=cells, documents=documents)


def _status(cells: Sequence[MatrixCell], parts: Sequence[Part], *, is_whole: bool) -> AnswerStatus:
    """Return the status of the run of a matrix; it is answered if a document answers each question, of which there
    are no `parts` if nobody read the documents.
    """
    if is_whole and parts and all(part.status is PartStatus.ANSWERED for part in parts):
        return AnswerStatus.ANSWERED
    if any(part.status is not PartStatus.NOT_STATED for part in parts):
        return AnswerStatus.ANSWERED_IN_PART
    if any(cell.status is CellStatus.PASSAGES for cell in cells):
        return AnswerStatus.PASSAGES_FOUND
    return AnswerStatus.NOT_FOUND if is_whole else AnswerStatus.NOT_FOUND_SO_FAR
