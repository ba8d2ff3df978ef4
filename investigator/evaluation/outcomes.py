"""Stores each outcome as a line as soon as it is known, so that no outcome is lost if the run is stopped. The module
also adds up the cost of the replies that a run used, even if an earlier run paid for them, and counts the replies that
could not be parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import Field, ValidationError

from investigator.asking.contracts import METHOD
from investigator.asking.replies import read_reply
from investigator.errors import EvaluationDataError, ReplyError, StoreError
from investigator.files.lines import append_line, whole_lines
from investigator.records import AnswerStatus, Quote, Record, Reply, Usage, together, usage_of
from investigator.scoring.prices import Price, priced
from investigator.store.past_calls import PastCall


class Ranking(Record):
    """The ranking of documents for a question before any engine is called.

    `documents` are the first ten documents; `evidence_found` is True if one of the first five passages contains a known
    piece of evidence, and None if no evidence is known.
    """

    documents: tuple[str, ...]
    evidence_found: bool | None


class Outcome(Record):
    """The outcome of one question; if it failed, `failure` is the error and `status` is None. `best_quotes` are the
    quotes from the reply with the highest score; `confidence` is that score (0..100; 0 without quotes). `seconds` is
    None if part of the answer came from an earlier run.
    """

    evaluation: str = Field(description="hash of everything that the outcome depends on, except the question")
    id: str
    run_id: str = ""
    status: AnswerStatus | None = None
    failure: str = ""
    answer: str = Field(default="", description="the lead and the details, each with its head")
    statements: int = Field(default=0, description="statements that are shown")
    unsupported: int = Field(default=0, description="shown statements of which a check did not support all")
    withheld: int = Field(default=0, description="statements that the check refused")
    citations: tuple[Quote, ...] = ()
    proven: int = Field(default=0, description="citations found in the stored text at their places")
    best_quotes: tuple[Quote, ...] = ()
    confidence: int = Field(default=0, ge=0, le=100)
    ranking: Ranking | None = None
    usage: Usage = Usage()
    cost: Usage = Field(default=Usage(), description="usage, excluding replies reused from earlier runs")
    replies: int = Field(default=0, description="replies that should contain a record")
    unreadable: int = Field(default=0, description="number of these replies that do not contain a record")
    seconds: float | None = None

    @property
    def answered(self) -> bool:
        """Return True if an answer was given; conflicting values count as an answer."""
        return self.status in (AnswerStatus.ANSWERED, AnswerStatus.CONFLICTING)

    @property
    def silent(self) -> bool:
        """Return True if nothing is claimed to answer the question: nothing was found, or its premise is wrong."""
        silent = (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.PREMISE_WRONG)
        return self.status in silent

    @property
    def found_more_or_less(self) -> bool:
        """Return True if the outcome is a partial answer, or passages that may answer the question."""
        return self.status in (AnswerStatus.ANSWERED_IN_PART, AnswerStatus.PASSAGES_FOUND)

    @property
    def would_cite(self) -> tuple[Quote, ...]:
        """Return the citations or, if there is no answer, the quotes from the best reply."""
        return self.citations or self.best_quotes


class OutcomeFile:
    """The file with an evaluation's outcomes. The file is append-only; if a question has several lines, the last line
    counts.
    """

    def __init__(self, path: Path, evaluation: str) -> None:
        self.path = path
        self.evaluation = evaluation

    def read(self) -> dict[str, Outcome]:
        """Return the outcomes, keyed by question id, and remove a truncated last line from the file. Raises StoreError,
        and EvaluationDataError for a line that is not an outcome or belongs to another evaluation.
        """
        try:
            lines = enumerate(whole_lines(self.path), start=1)
        except OSError as error:
            raise self._failed(error) from error
        return {outcome.id: outcome for outcome in (self._outcome(number, line) for number, line in lines)}

    def append(self, outcome: Outcome) -> None:
        """Store one outcome immediately. Raises StoreError."""
        try:
            append_line(self.path, outcome.model_dump_json())
        except OSError as error:
            raise self._failed(error) from error

    def begin_anew(self) -> None:
        """Start an empty file, and keep the old file next to it with the suffix `.before`. Raises StoreError."""
        try:
            if self.path.exists():
                self.path.replace(self.path.with_name(self.path.name + ".before"))
        except OSError as error:
            raise self._failed(error) from error

    def _outcome(self, number: int, line: bytes) -> Outcome:
        hint = "Choose another file with --out, or start over with --fresh."
        try:
            outcome = Outcome.model_validate_json(line)
        except ValidationError as error:
            raise EvaluationDataError(
                f"line {number} of {self.path} is not the outcome of a question", hint=hint
            ) from error
        if outcome.evaluation != self.evaluation:
            what = "outcomes of other questions, documents, models or settings"
            raise EvaluationDataError(f"{self.path} contains {what}", hint=hint)
        return outcome

    def _failed(self, error: OSError) -> StoreError:
        hint = "Use --out FILE.jsonl to choose a writable file."
        return StoreError(f"the outcomes cannot be written to {self.path}: {error.strerror}", hint=hint)


class UsedReplies(Record):
    """The cost of a run's replies, the number of replies that should contain a record, and how many of these do not."""

    cost: Usage = Usage()
    expected: int = 0
    unreadable: int = 0


def used_replies(calls: Iterable[PastCall], price_of: Callable[[str], Price | None]) -> UsedReplies:
    """Return the total cost of a run's calls, and the number of their replies that could not be parsed."""
    made = list(calls)
    expected = [call for call in made if call.template in METHOD and METHOD[call.template].reply is not None]
    return UsedReplies(
        cost=together(*(priced(usage_of(call.reply), price_of(call.engine)) for call in made)),
        expected=len(expected),
        unreadable=sum(not _is_readable(call.template, call.reply) for call in expected),
    )


def _is_readable(template: str, reply: Reply) -> bool:
    kind = METHOD[template].reply
    try:
        return kind is not None and read_reply(reply.text, kind) is not None
    except ReplyError:
        return False
