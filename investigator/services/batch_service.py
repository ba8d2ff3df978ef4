"""Asks many questions about a folder as a whole, or about each of its documents, with one process and one index."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing

from investigator.asking.budget import Budget
from investigator.engines.base import Engine, traits_of
from investigator.engines.roles import Role
from investigator.errors import QuestionError, expect
from investigator.records import AskedQuestions, BatchEnded, Event, Investigation, QuestionOutcome, together
from investigator.research.matrix import MatrixResearch
from investigator.services.batch import Batch, Job, paid
from investigator.services.index_service import IndexService
from investigator.services.matrix_run import MATRIX, blank_matrix, trust_in_run
from investigator.services.open_folder import OpenFolder, Spent, open_folder
from investigator.services.parts import Parts
from investigator.services.run_records import RunOptions, new_record, valid_question
from investigator.store.in_memory import JointLedger
from investigator.store.journal import Runs

_CALLS_OF_A_QUESTION = 4  # usual number of concurrent calls for a question about the whole folder


class BatchService:
    """Investigates many questions about one folder, with an engine for each role; each question, or the whole matrix,
    is stored as a run.

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

    def ask_all(self, questions: Sequence[str], options: RunOptions) -> Iterator[Event]:
        """Ask the folder as a whole; the last event contains AskedQuestions."""
        began, parts = time.monotonic(), self._parts
        jobs = [Job(self._record(question, options), options) for question in self._distinct(questions)]
        ledger = JointLedger(time.monotonic, parts.prices.price_of)
        joint = Budget(ledger, parts.settings.budget.beyond_one_question(), parts.prices.price_of)
        with open_folder(self._index, parts, self._engines, parts.tracer(self._index.folder), joint) as folder:
            yield from folder.read()
            yield from self._made_ready(folder, jobs, ledger)
            results = yield from Batch(folder, self._at_once).investigated(jobs)
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
        """Read each document once for all questions; the last event contains a Matrix.

        The matrix is one run, whose id begins with `MATRIX`: a stopped matrix resumes, and replies for unchanged
        documents are reused. A document whose reading fails leaves the others.
        """
        parts = self._parts
        distinct = self._distinct(questions)
        whole = self._record(distinct[0], options).changed(question="\n".join(distinct))
        with open_folder(self._index, parts, self._engines, parts.tracer(self._index.folder)) as folder:
            yield from folder.mending(lambda again: self._filled(folder, whole, distinct, options, again))

    def _filled(
        self,
        folder: OpenFolder,
        whole: Investigation,
        questions: Sequence[str],
        options: RunOptions,
        again: frozenset[str],
    ) -> Iterator[Event]:
        matrix, settings = blank_matrix(questions, options.only, folder.index.corpus), self._parts.settings
        with folder.opened(whole, options, again, kind=MATRIX) as opened:
            yield from folder.prepare(opened.record.setup.search)
            yield from opened.started(len(matrix.names))
            client = opened.client(budget=settings.budget.beyond_one_question())
            research = MatrixResearch(
                client,
                folder.library(opened.record.setup.search),
                settings.research,
                opened.record.setup.mission,
                trust_in_run(opened.record, Role.ASK),
                is_checked=not settings.check.off,
                on_failure=matrix.note_failure,
            )
            rows = research.rows(questions, matrix.to_read)
            with closing(rows):  # so that no reading goes on after an error
                yield from matrix.filled(rows, opened.cited.reread)
            yield from folder.drift(opened.cited)
            yield from self._parts.notices()
            record = matrix.finished(
                opened.record, client.name(Role.CHECK), opened.journal.usage(), opened.journal.elapsed()
            )
            opened.journal.keep_record(record)
            opened.trace.ended(record)
            yield BatchEnded(outcome=matrix.table(record))

    @property
    def _at_once(self) -> int:
        """Return how many questions are investigated concurrently: one by the built-in engine, because it computes
        locally.
        """
        traits = traits_of(self._engines[Role.ASK])
        calls = self._parts.settings.research.concurrency or traits.concurrency
        return max(1, calls // _CALLS_OF_A_QUESTION) if traits.is_model else 1

    def _record(self, question: str, options: RunOptions) -> Investigation:
        return new_record(question, options, self._engines, self._parts.settings, self._parts.trust_of)

    def _distinct(self, questions: Sequence[str]) -> tuple[str, ...]:
        """Return the distinct questions. Raises QuestionError, SettingsError and FolderError."""
        self._parts.check_prices(self._engines.values())
        if isinstance(questions, str):
            raise QuestionError("questions must be a list, not one string", hint="Put the question in a list.")
        expect(questions, Iterable, "questions", QuestionError)
        distinct: dict[str, str] = {}
        for question in questions:
            valid = valid_question(question)
            distinct.setdefault(" ".join(valid.split()), valid)
        if not distinct:
            raise QuestionError("no question given", hint="Give a file of questions, or ask one with --question.")
        self._index.check_files()
        return tuple(distinct.values())

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
