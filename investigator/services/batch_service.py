"""Asks many questions about a folder as a whole, or about each of its documents, with one process and one index."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from investigator.asking.budget import Budget
from investigator.engines.base import Engine, traits_of
from investigator.engines.roles import Role
from investigator.errors import QuestionError, expect
from investigator.records import (
    AskedQuestions,
    BatchEnded,
    Event,
    Investigation,
    Matrix,
    MatrixCell,
    MatrixDocument,
    QuestionOutcome,
    Unreadable,
    together,
)
from investigator.research.cells import cell_of, unread_cell, unreadable_cell
from investigator.services.batch import Batch, Job, JobResult, cell_job, paid
from investigator.services.index_service import IndexService
from investigator.services.open_folder import OpenFolder, Spent, open_folder
from investigator.services.parts import Parts
from investigator.services.run_records import RunOptions, engine_names, matrix_id, new_record, scope_of
from investigator.store.in_memory import JointLedger
from investigator.store.journal import Runs

_DOCUMENTS_AT_ONCE = 4  # usual number of calls in a round about the whole folder


class BatchService:
    """Investigates many questions about one folder, with an engine for each role, and stores each investigation as a
    run.

    Explicit ceilings apply to the total of all questions, across all processes that work on them.
    """

    def __init__(
        self,
        index: IndexService,
        parts: Parts,
        engines: Mapping[Role, Engine],
    ) -> None:
        self._index = index
        self._parts = parts
        self._engines = engines
        self._asked = traits_of(engines[Role.ASK])

    def ask_all(self, questions: Sequence[str], options: RunOptions) -> Iterator[Event]:
        """Ask the folder as a whole; the last event contains AskedQuestions."""
        began, parts = time.monotonic(), self._parts
        jobs = self._jobs(parts, questions, options)
        ledger = JointLedger(time.monotonic, parts.prices.price_of)
        with self._opened(parts, ledger) as folder:
            yield from folder.read()
            yield from self._made_ready(folder, jobs, ledger)
            batch = Batch(folder, "question", max(1, self._at_once // _DOCUMENTS_AT_ONCE))
            results = yield from batch.investigated(jobs)
            for done in reversed(results):
                if done.investigation is not None:
                    Runs(folder.runs).note_asked(done.investigation.id)
                    break
        outcomes = tuple(
            QuestionOutcome(question=job.new.question, investigation=done.investigation, failure=done.failure)
            for job, done in zip(jobs, results, strict=True)
        )
        seconds = round(time.monotonic() - began, 3)
        yield BatchEnded(outcome=AskedQuestions(outcomes=outcomes, usage=paid(results), seconds=seconds))

    def matrix(self, questions: Sequence[str], options: RunOptions) -> Iterator[Event]:
        """Ask each document separately; the last event contains a Matrix.

        A language model gets one round for each cell unless the settings say otherwise.
        """
        began, parts = time.monotonic(), self._parts.with_rounds(1) if self._asked.is_model else self._parts
        whole = self._jobs(parts, questions, options)
        own_id = matrix_id([job.new for job in whole])
        ledger = JointLedger(time.monotonic, parts.prices.price_of)
        with self._opened(parts, ledger) as folder:
            yield from folder.read()
            corpus = folder.index.corpus
            titles = {name: card.title for name, card in corpus.cards().items()}
            unreadable = {file.path: file for file in corpus.unreadable()}
            every = tuple(sorted({*titles, *unreadable}))
            rows = scope_of(options.only, every) or every
            jobs = [cell_job(job, name, own_id) for job in whole for name in rows if name in titles]
            yield from self._made_ready(folder, jobs, ledger)
            results = yield from Batch(folder, "cell", self._at_once).investigated(jobs)
        found = {(job.new.question, job.options.only[0]): done for job, done in zip(jobs, results, strict=True)}
        matrix = Matrix(
            questions=tuple(job.new.question for job in whole),
            documents=tuple(MatrixDocument(id=name, title=titles.get(name, "")) for name in rows),
            cells=tuple(
                _cell(name, number, found.get((job.new.question, name)), unreadable.get(name))
                for name in rows
                for number, job in enumerate(whole, start=1)
            ),
            engine=engine_names(self._engines),
            usage=paid(results),
            seconds=round(time.monotonic() - began, 3),
            failed=sum(result.error is not None for result in results),
        )
        yield BatchEnded(outcome=matrix)

    @property
    def _at_once(self) -> int:
        """Return how many concurrent calls are useful: one for the built-in engine, because it computes locally."""
        if not self._asked.is_model:
            return 1
        return self._parts.settings.method.concurrency or self._asked.concurrency

    def _jobs(self, parts: Parts, questions: Sequence[str], options: RunOptions) -> list[Job]:
        """Return one job for each distinct question. Raises QuestionError and SettingsError."""
        parts.check_prices(self._engines.values())
        if isinstance(questions, str):
            raise QuestionError("questions must be a list, not one string", hint="Put the question in a list.")
        expect(questions, Iterable, "questions", QuestionError)
        records: dict[str, Investigation] = {}
        for question in questions:
            record = new_record(question, options, self._engines, parts.settings)
            records.setdefault(" ".join(record.question.split()), record)
        if not records:
            raise QuestionError("no question given", hint="Give a file of questions, or ask one with --question.")
        self._index.check_files()
        return [Job(record, options) for record in records.values()]

    @contextmanager
    def _opened(self, parts: Parts, ledger: JointLedger) -> Iterator[OpenFolder]:
        tracer = parts.tracer(self._index.folder)
        joint = Budget(ledger, parts.settings.budget.beyond_one_question(), parts.prices.price_of)
        with open_folder(self._index, parts, self._engines, tracer, joint) as folder:
            yield folder

    def _made_ready(self, folder: OpenFolder, jobs: Sequence[Job], ledger: JointLedger) -> Iterator[Event]:
        """Prepare the search, and record in the ledger what the jobs have cost so far."""
        yield from self._parts.notices()
        yield from folder.prepare(folder.index.best_search())
        budget = self._parts.settings.budget.beyond_one_question()
        if (budget.calls, budget.tokens, budget.money, budget.seconds) == (None, None, None, None):
            return
        before = [folder.spent(job.new, job.options) for job in jobs]
        ledger.spent_before(together(*(spent.usage for spent in before)), _seconds(before))


def _seconds(before: Sequence[Spent]) -> float:
    """Return the time during which at least one of the runs was in progress; overlaps count once."""
    seconds, until = 0.0, 0.0
    for spent in sorted(before, key=lambda spent: spent.began):
        seconds += max(0.0, spent.ended - max(spent.began, until))
        until = max(until, spent.ended)
    return seconds


def _cell(name: str, number: int, result: JobResult | None, unreadable: Unreadable | None) -> MatrixCell:
    """Return the cell for a document and a question, with the outcome or the reason why the document was not asked."""
    if result is not None and result.investigation is not None:
        return cell_of(result.investigation, name, number)
    if unreadable is not None:
        return unreadable_cell(unreadable, number)
    return unread_cell(name, number, result.failure if result is not None else "it was not asked")
