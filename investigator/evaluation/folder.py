"""Measures how well the whole method answers a file of questions about a folder."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

from investigator.asking.budget import Budget, BudgetSpent
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import EvaluationDataError, QuestionError, RunError
from investigator.evaluation.evidence_match import stands
from investigator.evaluation.folder_report import FolderReport, folder_report
from investigator.evaluation.outcomes import Outcome, OutcomeFile, Ranking, UsedReplies, used_replies
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import evidence_in
from investigator.investigator import Investigator
from investigator.records import (
    Answer,
    Answered,
    AnswerStatus,
    Event,
    Forecast,
    Investigation,
    Notice,
    Progressed,
    Quote,
    Record,
    Started,
    Support,
)
from investigator.retrieval.library import Library
from investigator.services.run_records import RunOptions
from investigator.store.past_calls import calls_of, usual_seconds
from investigator.store.workspace import Workspace

_RANKED_DOCUMENTS = 10
_PASSAGES = 5

_Ask = Callable[[str, RunOptions], Iterator[Event]]


class EvaluationOptions(Record):
    """Options for evaluating a file of questions. Only the first `limit` questions are asked. Outcomes are stored in
    `out`, by default a file in the workspace named after a hash of everything that they depend on. Existing outcomes
    are reused, except those of failed questions. `fresh` asks everything again; a `repetition`, counted from 1, is a
    separate evaluation that reuses no replies. If `ranked` is True, the ranking by the search alone is measured as
    well.
    """

    limit: int | None = None
    out: Path | None = None
    fresh: bool = False
    repetition: int = 0
    ranked: bool = True


class FolderEvaluation:
    """Asks an investigator each question in a file, as a user would, and records and measures the outcomes.

    `joint` is the budget, if any, that the investigator shares with other investigators. The vectors of all passages
    are computed before the first question. Raises EvaluationDataError if outcomes would be stored inside the folder.
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
        self._investigator = investigator
        self._options = options or EvaluationOptions()
        self.workspace = investigator.workspace
        self._every = tuple(questions)
        self._questions = self._every[: self._options.limit]
        out = self._options.out
        self._out = out.expanduser().absolute() if out is not None else None
        self._joint = joint
        self._clock = clock
        self._outcomes: dict[str, Outcome] = {}
        self._absent = ""
        if self._out is not None:
            self.check_outside(self._out)

    @property
    def finished(self) -> int:
        """Return the number of questions with an outcome."""
        return len(self._outcomes)

    @property
    def outcomes(self) -> Mapping[str, Outcome]:
        """Return the outcomes so far, keyed by question id."""
        return self._outcomes

    @property
    def engine_name(self) -> str:
        """Return the name of the engine, or one name per role if they differ."""
        return self._investigator.engine_name

    @property
    def engines(self) -> Mapping[Role, Engine]:
        """Return the engine for each role, so that other evaluations can use the same models."""
        return self._investigator.engines

    def usual_seconds(self, engine: Engine) -> float | None:
        """Return the mean duration of an engine's calls in earlier runs, in seconds; None if there were no calls."""
        with Workspace(self.workspace, write=False, store=self._investigator.parts.settings.store) as workspace:
            return usual_seconds(workspace.runs, engine.name)

    @property
    def file(self) -> Path | None:
        """Return the file of outcomes; None before `run` has read the folder."""
        return self._out

    def check_outside(self, file: Path) -> None:
        """Raise EvaluationDataError for a file that would be read as one of the folder's documents."""
        inside = file.expanduser().resolve()
        if inside.is_relative_to(self.workspace.resolve()):
            return
        if inside.is_relative_to(self._investigator.folder.resolve()):
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
        yield from self._investigator.index(vectors=True)
        file = self._open_file()
        if self._absent:
            yield Notice(text=self._absent)
        kept = {} if self._options.fresh else file.read()
        if self._options.fresh:
            file.begin_anew()
        self._outcomes = {q.id: kept[q.id] for q in self._questions if q.id in kept and not kept[q.id].failure}
        pending = [question for question in self._questions if question.id not in self._outcomes]
        if self._outcomes:
            yield Notice(
                text=f"{len(self._outcomes):,} of {len(self._questions):,} outcomes already exist: {file.path}"
            )
        rankings = (yield from self._ranked(pending)) if pending and self._options.ranked else {}
        if not pending:
            return
        began = self._clock()
        with self._investigator.opened() as ask:
            for done, question in enumerate(pending, start=1):
                outcome = self._ask(ask, question, rankings.get(question.id), file.evaluation)
                file.append(outcome)
                self._outcomes[question.id] = outcome
                yield self._progress((self._clock() - began) / done)

    def forecast(self, question: Question) -> Forecast:
        """Estimate the cost of a question, without making paid calls. Raises the errors of `run`."""
        return self._investigator.forecast(question.asked)

    def report(self) -> FolderReport:
        """Return the results for all questions with an outcome."""
        return folder_report(self._questions, self._outcomes, self._investigator.engine_name)

    def _open_file(self) -> OutcomeFile:
        """Return the file for the outcomes of exactly this evaluation; the folder must have been read."""
        parts = self._investigator.parts
        with Workspace(self.workspace, write=False) as workspace:
            stored = parts.folder_index(self._investigator.folder, workspace).stored
            self._absent = _not_there(self._every, stored.document_ids())
            documents = stored.fingerprint()
        depends_on = (
            *(question.model_dump_json() for question in self._every),
            self._investigator.engine_name,
            parts.settings.model_dump_json(),
            parts.embedder.name,
            parts.prompts.fingerprint(),
            documents,
            *((f"repetition {self._options.repetition}",) if self._options.repetition else ()),
            *(() if self._options.ranked else ("not ranked",)),
        )
        digest = hashlib.sha256("\0".join(depends_on).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._out = self._out or self.workspace / "evaluations" / f"{digest}.jsonl"
        return OutcomeFile(self._out, digest)

    def _ranked(self, questions: Sequence[Question]) -> Generator[Event, None, Mapping[str, Ranking]]:
        """Search for each question, without calling an engine."""
        found: dict[str, Ranking] = {}
        with self._investigator.library() as library:
            for question in questions:
                found[question.id] = _ranking(library, question)
                yield Progressed(phase="ranking", done=len(found), total=len(questions))
        return found

    def _ask(self, ask: _Ask, question: Question, ranking: Ranking | None, evaluation: str) -> Outcome:
        blank = Outcome(evaluation=evaluation, id=question.id, ranking=ranking)
        whole, began = False, self._clock()
        try:
            options = RunOptions(fresh=self._options.fresh, repetition=self._options.repetition)
            for event in ask(question.asked, options):
                whole |= isinstance(event, Started) and not event.resumed
                if self._joint is not None and self._joint.refused is not None:
                    raise BudgetSpent(self._joint.refused)  # an incomplete investigation must not be measured
                if isinstance(event, Answered):
                    seconds = self._clock() - began
                    return self._outcome(blank, event.investigation, seconds if whole else None)
        except (QuestionError, RunError) as error:
            return blank.changed(failure=f"{type(error).__name__}: {error.message}")
        return blank.changed(failure="the investigation ended without an answer")

    def _outcome(self, blank: Outcome, run: Investigation, seconds: float | None) -> Outcome:
        answer = run.answer
        citations = answer.citations if answer else ()
        quoted = [memory for memory in run.memories if memory.quotes and memory.point is not None]
        replies = self._replies(run.id)
        best = max(quoted, key=lambda memory: memory.point or 0, default=None)
        return blank.changed(
            run_id=run.id,
            status=answer.status if answer else AnswerStatus.NOT_FOUND_SO_FAR,
            answer=_said(answer) if answer else "",
            **(_counts(answer) if answer else {}),
            citations=citations,
            proven=self._proven(citations),
            best_quotes=best.quotes if best else (),
            confidence=(best.point or 0) if best else 0,
            usage=run.usage,
            cost=replies.cost,
            replies=replies.expected,
            unreadable=replies.unreadable,
            seconds=seconds,
        )

    def _proven(self, quotes: Sequence[Quote]) -> int:
        """Return the number of quotes that the stored documents contain at the quoted places."""
        with Workspace(self.workspace, write=False) as workspace:
            corpus = self._investigator.parts.folder_index(self._investigator.folder, workspace).stored
            there = set(corpus.document_ids())
            return sum(q.document_id in there and stands(q, corpus.document(q.document_id)) for q in quotes)

    def _replies(self, run_id: str) -> UsedReplies:
        with Workspace(self.workspace, write=False, store=self._investigator.parts.settings.store) as workspace:
            return used_replies(calls_of(workspace.runs, run_id), self._investigator.parts.prices.price_of)

    def _progress(self, seconds: float) -> Progressed:
        outcomes = self._outcomes.values()
        failed = sum(bool(one.failure) for one in outcomes)
        answered = sum(one.answered for one in outcomes)
        found = sum(one.found_more_or_less for one in outcomes)
        about = [
            f"answered {answered}",
            f"passages found {found}",
            f"not found {len(outcomes) - answered - found - failed}",
        ]
        about += [f"failed {failed}"] if failed else []
        about.append(f"{seconds:.1f} s per question")
        return Progressed(phase="questions", done=len(outcomes), total=len(self._questions), about=tuple(about))


def _said(answer: Answer) -> str:
    """Return the statements of an answer with their heads."""
    return " ".join(f"{one.head}: {one.text}" if one.head else one.text for one in answer.statements)


def _counts(answer: Answer) -> Mapping[str, int]:
    """Return the numbers of statements that are shown, shown without full support, and withheld."""
    supported = (Support.VERBATIM, Support.SUPPORTED)
    unsupported = sum(one.support not in supported for one in answer.statements)
    return {"statements": len(answer.statements), "unsupported": unsupported, "withheld": len(answer.check.withheld)}


def _ranking(library: Library, question: Question) -> Ranking:
    cards = library.cards((question.asked,))[:_RANKED_DOCUMENTS]
    passages = library.passages((question.asked,))[:_PASSAGES]
    return Ranking(
        documents=tuple(card.document_id for card in cards),
        evidence_found=evidence_in(question, tuple((passage.document_id, passage.text) for passage in passages)),
    )


def _not_there(questions: Sequence[Question], documents: Sequence[str]) -> str:
    """Return a warning if right documents that the questions name are missing from the folder, otherwise ""."""
    named = dict.fromkeys(name for question in questions for name in sorted(question.documents))
    held = set(documents)
    missing = [name for name in named if name not in held]
    if not missing:
        return ""
    return f"{len(missing):,} of {len(named):,} right documents are not in the folder, such as {missing[0]}."
