"""Investigates many questions about a folder, concurrently, with one index and one budget."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from investigator.asking.budget import Budget
from investigator.engines.base import Engine, traits_of
from investigator.engines.roles import Role
from investigator.errors import (
    DamagedDocumentError,
    EngineError,
    InvestigatorError,
    ReaderError,
)
from investigator.records import (
    Answered,
    AskedQuestions,
    BatchEnded,
    Event,
    Investigation,
    Notice,
    Progressed,
    QuestionOutcome,
    Started,
    Usage,
    together,
)
from investigator.reports.wording import headline
from investigator.research.concurrency import in_order
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.open_folder import OnlyAttempt, OpenFolder, Spent, open_folder
from investigator.services.run_records import RunOptions
from investigator.store.in_memory import JointLedger
from investigator.store.journal import Runs

_CALLS_OF_A_QUESTION = 4  # usual number of concurrent calls for a question about the whole folder
_MOST_FAILURES = 3  # after this many failures without a success, the next job would probably fail as well


@dataclass(frozen=True)
class Job:
    """A question to investigate, with its new record and its options."""

    new: Investigation
    options: RunOptions


@dataclass(frozen=True)
class JobResult:
    """The outcome of a job: its investigation, the error that ended it, or the documents to read again. `kept` is True
    if a stored result was reused.
    """

    investigation: Investigation | None = None
    error: InvestigatorError | None = None
    damaged: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()
    kept: bool = False

    @property
    def failure(self) -> str:
        """Return the reason why the investigation is missing, otherwise ""."""
        return self.error.message if self.error is not None else ""


@dataclass(frozen=True)
class Batch:
    """Jobs in an open folder; `workers` of them run concurrently."""

    folder: OpenFolder
    workers: int

    def investigated(self, jobs: Sequence[Job]) -> Generator[Event, None, tuple[JobResult, ...]]:
        """Investigate the jobs and return their outcomes in order.

        Jobs whose documents have changed in the meantime are repeated once. Raises a job's error if all jobs fail, and
        the same errors as `OpenFolder.events`, except those that concern individual replies and documents.
        """
        numbered = dict(enumerate(jobs))
        done: dict[int, JobResult] = {}
        yield from self._wave(numbered, done, len(jobs))
        again = frozenset(self.folder.drifted).union(*(result.damaged for result in done.values()))
        if again:
            yield from self.folder.read(again)
            some = {number: job for number, job in numbered.items() if _is_repeated(done[number], again)}
            yield from self._wave(some, done, len(jobs), again)
        if kept := sum(result.kept for result in done.values()):
            yield Notice(text=f"{kept:,} of {len(jobs):,} questions were answered earlier; their answers are kept.")
        return tuple(done[number] for number in numbered)

    def _wave(
        self, jobs: Mapping[int, Job], done: dict[int, JobResult], total: int, again: frozenset[str] = frozenset()
    ) -> Iterator[Event]:
        seen: set[str] = set()
        with closing(in_order(lambda job: self._one(job, again), jobs.values(), self.workers)) as results:
            for (number, job), result in zip(jobs.items(), results, strict=True):
                done[number] = result
                for text in result.notices:
                    if text not in seen:
                        seen.add(text)
                        yield Notice(text=text)
                is_failing = len(done) >= _MOST_FAILURES and all(each.error for each in done.values())
                if result.error is not None and is_failing:
                    raise result.error
                yield Progressed(phase="questions", done=len(done), total=total, about=_about(job, result))

    def _one(self, job: Job, again: frozenset[str]) -> JobResult:
        notices: list[str] = []
        kept = True
        try:
            for event in self.folder.events(job.new, job.options, OnlyAttempt(self.folder, again)):
                match event:
                    case Started():
                        kept = False
                    case Notice():
                        notices.append(event.text)
                    case Answered():
                        own = () if kept else tuple(notices)
                        return JobResult(event.investigation, notices=own, kept=kept)
        except DamagedDocumentError as damage:
            return JobResult(error=damage, damaged=frozenset(damage.document_ids))
        except (EngineError, ReaderError) as error:
            return JobResult(error=error, notices=tuple(notices))
        raise AssertionError("the investigation ended without an answer")


def asked_questions(
    place: IndexedFolder, engines: Mapping[Role, Engine], records: Sequence[Investigation], options: RunOptions
) -> Iterator[Event]:
    """Ask the folder the questions of new records; the last event contains AskedQuestions.

    Each question is stored as a run. Explicit ceilings apply to the total of all questions, across all processes that
    work on them.
    """
    began, parts = time.monotonic(), place.parts
    jobs = [Job(record, options) for record in records]
    ledger = JointLedger(time.monotonic, parts.prices.price_of)
    joint = Budget(ledger, parts.settings.budget.beyond_one_question(), parts.prices.price_of)
    with open_folder(place, engines, parts.tracer(place.folder), joint) as folder:
        yield from folder.read()
        yield from _made_ready(folder, jobs, ledger)
        results = yield from Batch(folder, _at_once(place, engines)).investigated(jobs)
        for done in reversed(results):
            if done.investigation is not None:
                Runs(folder.runs).note_asked(done.investigation.id)
                break
    outcomes = tuple(
        QuestionOutcome(question=job.new.question, investigation=done.investigation, failure=done.failure)
        for job, done in zip(jobs, results, strict=True)
    )
    seconds = round(time.monotonic() - began, 3)
    yield BatchEnded(outcome=AskedQuestions(outcomes=outcomes, usage=_paid(results), seconds=seconds))


def _at_once(place: IndexedFolder, engines: Mapping[Role, Engine]) -> int:
    """Return how many questions are investigated concurrently: one by the built-in engine, because it computes
    locally.
    """
    traits = traits_of(engines[Role.ASK])
    calls = place.parts.settings.research.concurrency or traits.concurrency
    return max(1, calls // _CALLS_OF_A_QUESTION) if traits.is_model else 1


def _made_ready(folder: OpenFolder, jobs: Sequence[Job], ledger: JointLedger) -> Iterator[Event]:
    """Prepare the search, and record in the ledger what the jobs have cost so far."""
    yield from folder.parts.notices()
    yield from folder.prepare(folder.index.best_search())
    budget = folder.parts.settings.budget.beyond_one_question()
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


def _paid(results: Sequence[JobResult]) -> Usage:
    """Return the cost of the investigations, across all processes."""
    return together(*(result.investigation.usage for result in results if result.investigation is not None))


def _is_repeated(result: JobResult, documents: frozenset[str]) -> bool:
    """Return True if reading documents again may change the outcome of a job."""
    if result.damaged:
        return True
    answer = result.investigation.answer if result.investigation is not None else None
    return answer is not None and not documents.isdisjoint(answer.coverage.source_changed)


def _about(job: Job, result: JobResult) -> tuple[str, ...]:
    outcome = (
        headline(result.investigation).lower() if result.investigation is not None else f"failed: {result.failure}"
    )
    return (" ".join(job.new.question.split())[:80], outcome)
