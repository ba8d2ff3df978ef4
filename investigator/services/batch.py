"""Investigates many questions about a folder, concurrently, with one index and one budget."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from investigator.asking.budget import Budget, BudgetSettings
from investigator.engines.base import Engine, traits_of
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, EngineError, InvestigatorError, ReaderError
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
    together,
)
from investigator.reports.wording import headline
from investigator.research.concurrency import in_order
from investigator.services.indexed_folder import IndexedFolder, mended
from investigator.services.open_folder import OpenFolder, open_folder
from investigator.services.parts import Parts
from investigator.services.run_records import RunOptions
from investigator.store.in_memory import JointLedger
from investigator.store.journal import Runs

_CALLS_OF_A_QUESTION = 4  # usual number of concurrent calls for a question about the whole folder
_MOST_FAILURES = 3  # after this many failures without a success, the next question would probably fail as well


@dataclass(frozen=True)
class Result:
    """The outcome of a question: its investigation, or the error that ended it. `is_kept` is True if a stored answer
    was reused.
    """

    investigation: Investigation | None = None
    error: InvestigatorError | None = None
    notices: tuple[str, ...] = ()
    is_kept: bool = False

    @property
    def failure(self) -> str:
        """Return the reason why the investigation is missing, otherwise ""."""
        return self.error.message if self.error is not None else ""

    def is_repeated(self, documents: frozenset[str]) -> bool:
        """Return True if reading these documents again may change the outcome."""
        if isinstance(self.error, DamagedDocumentError):
            return True
        answer = self.investigation.answer if self.investigation is not None else None
        return answer is not None and not documents.isdisjoint(answer.coverage.source_changed)


def asked_questions(
    place: IndexedFolder, engines: Mapping[Role, Engine], records: Sequence[Investigation], options: RunOptions
) -> Iterator[Event]:
    """Ask the folder the questions of new records; the last event contains AskedQuestions. The run of the last one
    becomes `last`. Raises the errors of `answers_in`, and those of `Investigator.investigate` that concern the whole
    folder.
    """
    began = time.monotonic()
    with open_folder(place, engines) as folder:
        yield from folder.read()
        yield from place.parts.notices()
        asked = yield from answers_in(folder, records, options)
        if runs := [each.investigation for each in asked.outcomes if each.investigation is not None]:
            Runs(folder.runs).note_asked(runs[-1].id)
    yield BatchEnded(outcome=asked.changed(seconds=round(time.monotonic() - began, 3)))


def answers_in(
    folder: OpenFolder, records: Sequence[Investigation], options: RunOptions
) -> Generator[Event, None, AskedQuestions]:
    """Ask an open folder the questions of new records, and return the outcomes.

    Each question is stored as a run. Explicit ceilings apply to the total of all questions, across all processes that
    work on them. Questions whose documents have changed in the meantime are repeated once. Raises the error of a
    question if the first ones all fail.
    """
    ceilings = folder.parts.settings.budget.beyond_one_question()
    ledger, folder.joint = joint_budget(folder.parts, ceilings)
    results: dict[int, Result] = {}
    yield from folder.prepare(folder.index.best_search())
    note_spent(folder, records, options, ledger, ceilings)
    yield from wave(folder, dict(enumerate(records)), options, results)
    if again := to_read_again(folder, results):
        yield from folder.read(again)
        some = {number: records[number] for number, result in results.items() if result.is_repeated(again)}
        yield from wave(folder, some, options, results, again)
    if kept := sum(result.is_kept for result in results.values()):
        yield Notice(text=f"{kept:,} of {len(records):,} questions were answered earlier; their answers are kept.")
    outcomes = tuple(
        QuestionOutcome(question=new.question, investigation=result.investigation, failure=result.failure)
        for new, result in zip(records, results.values(), strict=True)
    )
    runs = (each.investigation for each in outcomes if each.investigation is not None)
    return AskedQuestions(outcomes=outcomes, usage=together(*(run.usage for run in runs)))


def joint_budget(parts: Parts, ceilings: BudgetSettings) -> tuple[JointLedger, Budget]:
    """Return a budget for the total of many questions, and the ledger of their cost."""
    ledger = JointLedger(time.monotonic, parts.prices.price_of)
    return ledger, Budget(ledger, ceilings, parts.prices.price_of)


def to_read_again(folder: OpenFolder, results: Mapping[int, Result]) -> frozenset[str]:
    """Return the documents that changed while the questions of these results were asked."""
    damaged = (r.error.document_ids for r in results.values() if isinstance(r.error, DamagedDocumentError))
    return frozenset(folder.drifted).union(*damaged)


def wave(
    folder: OpenFolder,
    records: Mapping[int, Investigation],
    options: RunOptions,
    results: dict[int, Result],
    again: frozenset[str] = frozenset(),
    phase: str = "questions",
) -> Iterator[Event]:
    """Investigate numbered records, and add their results; yield the progress of the phase and each distinct notice
    once. Raises the error of a question if the first ones all fail.
    """
    traits, seen = traits_of(folder.engines[Role.ASK]), set[str]()
    calls = folder.parts.settings.research.concurrency or traits.concurrency
    workers = max(1, calls // _CALLS_OF_A_QUESTION) if traits.is_model else 1  # the built-in engine computes locally
    total = max(len(records), len(results))

    def asked(new: Investigation) -> Result:
        return mended(lambda _: _result(folder, new, options, again))  # once more if shards are lost

    with closing(in_order(asked, records.values(), workers)) as arriving:
        for (number, new), result in zip(records.items(), arriving, strict=True):
            results[number] = result
            yield from (Notice(text=text) for text in dict.fromkeys(result.notices) if text not in seen)
            seen.update(result.notices)
            if result.error and len(results) >= _MOST_FAILURES and all(each.error for each in results.values()):
                raise result.error
            outcome = headline(result.investigation).lower() if result.investigation else f"failed: {result.failure}"
            about = (" ".join(new.question.split())[:80], outcome)
            yield Progressed(phase=phase, done=len(results), total=total, about=about)


def _result(folder: OpenFolder, new: Investigation, options: RunOptions, again: frozenset[str]) -> Result:
    """Return the outcome of a question. Raises ShardLostError."""
    notices: list[str] = []
    is_kept = True
    try:
        for event in folder.investigated(new, options, again):
            match event:
                case Started():
                    is_kept = False
                case Notice():
                    notices.append(event.text)
                case Answered():
                    own = () if is_kept else tuple(notices)
                    return Result(event.investigation, notices=own, is_kept=is_kept)
    except DamagedDocumentError as error:
        return Result(error=error)
    except (EngineError, ReaderError) as error:
        return Result(error=error, notices=tuple(notices))
    raise AssertionError("the investigation ended without an answer")


def note_spent(
    folder: OpenFolder,
    records: Sequence[Investigation],
    options: RunOptions,
    ledger: JointLedger,
    budget: BudgetSettings,
    again: frozenset[str] = frozenset(),
) -> None:
    """Add what earlier processes and attempts have spent on the questions, if a ceiling applies to their total.
    Overlapping times count once.
    """
    if (budget.calls, budget.tokens, budget.money, budget.seconds) == (None, None, None, None):
        return
    before = [folder.spent(new, options, again) for new in records]
    seconds, until = 0.0, 0.0
    for spent in sorted(before, key=lambda spent: spent.began):
        seconds += max(0.0, spent.ended - max(spent.began, until))
        until = max(until, spent.ended)
    ledger.spent_before(together(*(spent.usage for spent in before)), seconds)
