"""Asks an agent a file of questions, turn by turn, and measures and stores the outcome of each."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from investigator.asking.budget import Budget, BudgetSpent
from investigator.errors import EvaluationDataError, QuestionError, RunError
from investigator.evaluation.folder_report import FolderReport, folder_report
from investigator.evaluation.lines import RecordFile
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome, cost_of, share_parsed
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import scores, search_scores
from investigator.investigator import Investigator
from investigator.proof.quotes import quote_at
from investigator.records import (
    Answer,
    Answered,
    AnswerStatus,
    Event,
    Investigation,
    Notice,
    Progressed,
    Record,
    Started,
    Support,
)
from investigator.services.run_records import RunOptions
from investigator.store.workspace import Workspace

_RANKED_DOCUMENTS, _PASSAGES = 3, 5
_HINT = "Choose another file with --out, or start over with --fresh."

_Ask = Callable[[str, RunOptions], Iterator[Event]]


class TakesTurns(Protocol):
    """A world: in each turn, a teacher asks, an agent replies, and the reply is graded."""

    def parley(self) -> None:
        """Run one turn."""
        ...

    def epoch_done(self) -> bool:
        """Return True if a pass through the data has ended."""
        ...


def turns(world: TakesTurns, count: int | None = None) -> Iterator[int]:
    """Let a world run through its data once, or for at most `count` turns, and yield the number of turns so far."""
    done = 0
    while not world.epoch_done() and (count is None or done < count):
        world.parley()
        done += 1
        yield done


class EvaluationOptions(Record):
    """Options for evaluating a file of questions. Only the first `limit` questions are asked. Outcomes are stored in
    `out`, by default a file in the workspace named after a hash of everything that they depend on. Existing outcomes
    are reused, except those of failed questions. `fresh` asks everything again; a `repetition`, counted from 1, is a
    separate evaluation that reuses no replies.
    """

    limit: int | None = None
    out: Path | None = None
    fresh: bool = False
    repetition: int = 0


class FolderEvaluation:
    """A world whose teacher is a file of questions, and whose agent is an investigator, who is asked as by a user.

    `joint` is the budget, if any, that the investigator shares with other investigators. `outcomes` are keyed by
    question id, and `file` stores them. Raises EvaluationDataError if outcomes would be stored inside the folder.
    """

    def __init__(
        self,
        investigator: Investigator,
        questions: Sequence[Question],
        options: EvaluationOptions | None = None,
        *,
        joint: Budget | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.investigator = investigator
        self.outcomes: dict[str, Outcome] = {}
        self.file: Path | None = None
        self._options = options or EvaluationOptions()
        self._every = tuple(questions)
        self._questions = self._every[: self._options.limit]
        self._pending: list[Question] = []
        self._searched: dict[str, dict[Measure, float]] = {}
        self._joint = joint
        self._clock = clock
        if self._options.out is not None:
            self.file = self._options.out.expanduser().absolute()
            self.check_outside(self.file)

    def check_outside(self, file: Path) -> None:
        """Raise EvaluationDataError for a file that would be read as one of the folder's documents."""
        inside = file.expanduser().resolve()
        if inside.is_relative_to(self.investigator.workspace.resolve()):
            return
        if inside.is_relative_to(self.investigator.folder.resolve()):
            raise EvaluationDataError(
                f"{file} is inside the folder of documents and would be read as one of them",
                hint="Keep questions and outcomes outside the folder.",
            )

    def run(self) -> Iterator[Event]:
        """Read the folder, rank its documents for each question, and then ask the questions; `report` returns the
        results. If a question fails, its error is stored as its outcome and the next question is asked, but a UserError
        ends the run. Raises EvaluationDataError, the errors of `Investigator.investigate`, and BudgetSpent if the joint
        budget stops an investigation.
        """
        yield from self.investigator.index(vectors=True)
        if absent := self._open_file():
            yield Notice(text=absent)
        self.outcomes = self._kept()
        if self.outcomes:
            existing = f"{len(self.outcomes):,} of {len(self._questions):,} outcomes already exist: {self.file}"
            yield Notice(text=existing)
        self._pending = [question for question in self._questions if question.id not in self.outcomes]
        if not self._pending:
            return
        self._rank()
        began = self._clock()
        with self.investigator.opened() as self._ask:
            for done in turns(self):
                yield self._progress((self._clock() - began) / done)

    def parley(self) -> None:
        """Ask the next question, and store the outcome. Raises the errors of `run`."""
        outcome = self._outcome(self._pending[0])
        self._file.append(outcome)
        self.outcomes[outcome.id] = outcome
        del self._pending[0]

    def epoch_done(self) -> bool:
        return not self._pending

    def report(self) -> FolderReport:
        """Return the results for all questions with an outcome."""
        return folder_report(self._questions, self.outcomes, self.investigator.engine_name)

    def _open_file(self) -> str:
        """Choose the file for the outcomes of exactly this evaluation, and return a warning if documents are missing;
        the folder must have been read.
        """
        parts = self.investigator.parts
        with Workspace(self.investigator.workspace, write=False) as workspace:
            stored = parts.folder_index(self.investigator.folder, workspace).stored
            absent = _not_there(self._every, stored.document_ids())
            documents = stored.fingerprint()
        depends_on = (
            *(question.model_dump_json() for question in self._every),
            self.investigator.engine_name,
            parts.settings.model_dump_json(),
            parts.embedder.name,
            parts.prompts.fingerprint(),
            documents,
            *((f"repetition {self._options.repetition}",) if self._options.repetition else ()),
        )
        self._evaluation = hashlib.sha256("\0".join(depends_on).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.file = self.file or self.investigator.workspace / "evaluations" / f"{self._evaluation}.jsonl"
        self._file = RecordFile(self.file, Outcome, "the outcome of a question", _HINT)
        return absent

    def _kept(self) -> dict[str, Outcome]:
        """Return the stored outcomes of these questions, except failures; the last one of a question counts."""
        if self._options.fresh:
            self._file.begin_anew()
        kept = {outcome.id: outcome for outcome in self._file.read()}
        if any(outcome.evaluation != self._evaluation for outcome in kept.values()):
            problem = f"{self.file} contains outcomes of other questions, documents, models or settings"
            raise EvaluationDataError(problem, hint=_HINT)
        return {q.id: kept[q.id] for q in self._questions if q.id in kept and not kept[q.id].failure}

    def _rank(self) -> None:
        """Measure the search alone for each pending question."""
        with self.investigator.library() as library:
            for question in self._pending:
                documents = [card.document_id for card in library.cards((question.asked,))[:_RANKED_DOCUMENTS]]
                passages = [(one.document_id, one.text) for one in library.passages((question.asked,))[:_PASSAGES]]
                self._searched[question.id] = search_scores(question, documents, passages)

    def _outcome(self, question: Question) -> Outcome:
        blank = Outcome(evaluation=self._evaluation, id=question.id)
        whole, began = False, self._clock()
        try:
            options = RunOptions(fresh=self._options.fresh, repetition=self._options.repetition)
            for event in self._ask(question.asked, options):
                whole |= isinstance(event, Started) and not event.resumed
                if self._joint is not None and self._joint.refused is not None:
                    raise BudgetSpent(self._joint.refused)  # an incomplete investigation must not be measured
                if isinstance(event, Answered):
                    seconds = self._clock() - began
                    return self._measured(question, blank, event.investigation, seconds if whole else None)
        except (QuestionError, RunError) as error:
            return blank.changed(failure=f"{type(error).__name__}: {error.message}")
        return blank.changed(failure="the investigation ended without an answer")

    def _measured(self, question: Question, blank: Outcome, run: Investigation, seconds: float | None) -> Outcome:
        answer, calls = run.answer, self.investigator.calls(run.id)
        citations = answer.citations if answer else ()
        held = self.investigator.cited_documents(run)
        outcome = blank.changed(
            run_id=run.id,
            status=answer.status if answer else AnswerStatus.NOT_FOUND_SO_FAR,
            **(_statements(answer) if answer else {}),
            citations=citations,
            proven=sum(q.document_id in held and quote_at(held[q.document_id], q.start, q.end) == q for q in citations),
            confidence=max((memory.point or 0 for memory in run.memories if memory.quotes), default=0),
            usage=run.usage,
            cost=cost_of(calls, self.investigator.parts.prices.price_of),
            seconds=seconds,
        )
        parsed = share_parsed(calls)
        found = scores(question, outcome) | self._searched[question.id]
        return outcome.changed(scores=found | ({Measure.PARSED: parsed} if parsed is not None else {}))

    def _progress(self, seconds: float) -> Progressed:
        outcomes = self.outcomes.values()
        failed = sum(bool(one.failure) for one in outcomes)
        answered, silent = sum(one.answered for one in outcomes), sum(one.silent for one in outcomes)
        about = [
            f"answered {answered}",
            f"passages found {len(outcomes) - answered - silent - failed}",
            f"not found {silent}",
            *([f"failed {failed}"] if failed else []),
            f"{seconds:.1f} s per question",
        ]
        return Progressed(phase="questions", done=len(outcomes), total=len(self._questions), about=tuple(about))


def _statements(answer: Answer) -> dict[str, object]:
    """Return the text of an answer, and the numbers of its statements."""
    shown = answer.statements
    return {
        "answer": " ".join(f"{one.head}: {one.text}" if one.head else one.text for one in shown),
        "statements": len(shown),
        "unsupported": sum(one.support not in (Support.VERBATIM, Support.SUPPORTED) for one in shown),
        "withheld": len(answer.check.withheld),
    }


def _not_there(questions: Sequence[Question], documents: Sequence[str]) -> str:
    """Return a warning if right documents that the questions name are missing from the folder, otherwise ""."""
    named = dict.fromkeys(name for question in questions for name in sorted(question.documents))
    held = set(documents)
    missing = [name for name in named if name not in held]
    if not missing:
        return ""
    return f"{len(missing):,} of {len(named):,} right documents are not in the folder, such as {missing[0]}."
