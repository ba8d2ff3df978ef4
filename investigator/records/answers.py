"""The outcome of an investigation: claims with their quotes, the coverage, the full record."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import FileStatus, LeftOut, Passage, Quote, Unreadable
from investigator.records.engines import UsedEngine
from investigator.records.exchanges import Need, Reply
from investigator.records.memories import Memory, Reflection
from investigator.records.parts import AnswerTable, MissingEdition, NearMiss, OpenPart, Part, QuestionKind, TableRow
from investigator.records.plans import Plan, PlanStep
from investigator.records.tables import Computation
from investigator.records.templates import TemplateVersion


class AnswerStatus(StrEnum):
    """The status of an answer.

    answered: proven statements meet every part of the question; conflicting: proven statements meet every part, but
    documents give different values; answered_in_part: proven statements meet some parts; passages_found: the statements
    probably answer the question, but this is not established; not_found: nothing in the documents answers the question,
    in any of several wordings; not_found_so_far: nothing in the part searched so far answers the question.
    """

    ANSWERED = "answered"
    CONFLICTING = "conflicting"
    ANSWERED_IN_PART = "answered_in_part"
    PASSAGES_FOUND = "passages_found"
    NOT_FOUND = "not_found"
    NOT_FOUND_SO_FAR = "not_found_so_far"


class StopReason(StrEnum):
    """The reason why no further round of an investigation was planned."""

    ANSWERED = "answered"
    SATURATED = "saturated"
    ROUNDS = "rounds"
    CALLS = "calls"
    TOKENS = "tokens"
    MONEY = "money"
    TIME = "time"


class Coverage(Record):
    """How each document in the folder was treated.

    read: it was asked; skimmed: it was searched, but was not worth asking; not_opened: it was worth asking, but the run
    ended before that. `left_out` lists the files that are excluded.
    """

    read: tuple[str, ...] = ()
    skimmed: tuple[str, ...] = ()
    not_opened: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def complete(self) -> bool:
        """Return True if every document that could contain the answer was searched; empty files do not count."""
        return not self.not_opened and all(file.status is FileStatus.EMPTY for file in self.unreadable)

    @property
    def total(self) -> int:
        """Return the number of documents in the folder, including unreadable documents."""
        return len(self.read) + len(self.skimmed) + len(self.not_opened) + len(self.unreadable)


class ClaimStatus(StrEnum):
    """How an engine's statement relates to its quotes.

    proven: checked slot by slot against a sentence of one quote; computed: a figure that follows from two proven cells;
    supported: it could not be checked, but a verifier found that its quotes support it; replaced: it could not be
    checked, and was replaced by its verbatim quote; withheld: its quotes contradict it or do not mention it.
    """

    PROVEN = "proven"
    COMPUTED = "computed"
    SUPPORTED = "supported"
    REPLACED = "replaced"
    WITHHELD = "withheld"


class Slot(StrEnum):
    """A part of a claim that its quotes may not support."""

    SUBJECT = "subject"
    NAME = "name"
    ROLES = "roles"
    NUMBER = "number"
    UNIT = "unit"
    PERIOD = "period"
    POLARITY = "polarity"
    MODALITY = "modality"
    CONDITION = "condition"
    DIRECTION = "direction"
    SCOPE = "scope"
    WORDS = "words"


class Caution(StrEnum):
    """A warning about a statement: a document could have planted it, or it is quoted from an older message."""

    ADDRESS = "address"
    INSTRUCTION = "instruction"
    QUOTED = "quoted"


class Claim(Record):
    """One statement in the answer, with the quotes that prove it and the memories it comes from.

    `supported_by` names the verifier that supports the statement if the quotes do not prove it. `readings` are an
    engine's statements that could not be checked and that this quote replaces. `text` is unchanged: `cautions` warn of
    addresses in it, of instructions to the reader that come from the document, and of older text quoted in a message.
    """

    text: str
    quotes: tuple[Quote, ...] = Field(min_length=1)
    memory_ids: tuple[int, ...] = ()
    supported_by: str = ""
    readings: tuple[str, ...] = ()
    computation: Computation | None = None
    cautions: tuple[Caution, ...] = ()

    @property
    def status(self) -> ClaimStatus:
        """Return PROVEN for an engine's own statement, and REPLACED for a quote that replaces an engine's statements.

        Return SUPPORTED for a statement that only a verifier supports.
        """
        if self.supported_by:
            return ClaimStatus.SUPPORTED
        if self.computation is not None:
            return ClaimStatus.COMPUTED
        return ClaimStatus.REPLACED if self.readings else ClaimStatus.PROVEN


class UnprovenClaim(Record):
    """An engine's statement that its quotes do not prove; it is not part of the answer."""

    text: str
    reason: str
    slot: Slot | None = Field(default=None, description="the part that its quotes contradict")
    quotes: tuple[Quote, ...] = ()


class Decision(StrEnum):
    """The answer to a yes-or-no question that proven statements decide."""

    YES = "yes"
    NO = "no"


class ConflictSide(Record):
    """A value that a document gives, with its quote and, if known, the document's date."""

    value: str
    quote: Quote
    date: str | None = None


class Conflict(Record):
    """Documents that give different values for something that a part of the question asks about, oldest side first."""

    question: str = Field(description="the part of the question")
    sides: tuple[ConflictSide, ...] = Field(min_length=2)


class Usage(Record):
    """The cost of an investigation so far: engine calls, tokens, seconds of engine time, and money in US dollars.

    `unpriced` counts the calls whose model has no known price; `money` does not include them. `unanswered` counts calls
    that got no reply, because the process was stopped or the engine took too long; the tokens of their prompts are
    estimated, and the tokens of the missing replies are unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    money: float = 0.0
    unpriced: int = 0
    unanswered: int = 0

    @property
    def tokens(self) -> int:
        """Return the sum of input and output tokens."""
        return self.input_tokens + self.output_tokens


class Answer(Record):
    """The answer to the main question, or the statement that the documents do not contain it, with the coverage.

    `text` contains the claims with citation numbers `[n]`, counted from 1 in the order of `citations`; it can be shown
    as Markdown, because addresses and markup in it are escaped. `tainted` lists documents that address a language model
    in their text or through a reply.
    """

    question: str
    status: AnswerStatus
    stop: StopReason
    outcome: str = Field(default="", description="the status, or stopped(reason) if a ceiling ended the run")
    reason: str = Field(description="one sentence that explains the status")
    text: str
    decision: Decision | None = Field(
        default=None, description="yes or no, if the question asks that and a statement settles it"
    )
    claims: tuple[Claim, ...] = ()
    unproven: tuple[UnprovenClaim, ...] = ()
    coverage: Coverage
    unanswered: tuple[OpenPart, ...] = Field(default=(), description="unanswered parts of the question")
    near_misses: tuple[NearMiss, ...] = Field(
        default=(), description="quotes that meet most of the question, and what they lack"
    )
    conflicts: tuple[Conflict, ...] = Field(default=(), description="values on which documents disagree")
    table: AnswerTable | None = Field(
        default=None, description="the answer row by row, if the question asks for a table"
    )
    missing: tuple[MissingEdition, ...] = Field(
        default=(), description="reports that the question asks for but the folder does not contain"
    )
    wordings: tuple[str, ...] = Field(default=(), description="other wordings that were searched for")
    asked_as: tuple[str, ...] = Field(
        default=(), description="the other wordings that found the statements, if the question's own did not"
    )
    source_changed: tuple[str, ...] = Field(
        default=(), description="documents that no longer contain a quote that the answer needed"
    )
    nearest: tuple[Passage, ...] = Field(default=(), description="the nearest passages, if nothing was found")
    searched: tuple[str, ...] = Field(default=(), description="the questions that the documents were asked")
    engine: str = Field(description="the engines of the run, by role if they differ")
    tainted: tuple[str, ...] = ()
    run_id: str = Field(default="", description="the id of the run, for `show` and `replay`")
    usage: Usage = Usage()
    elapsed: float = Field(default=0.0, description="total seconds that the run took, across all its processes")

    @property
    def citations(self) -> tuple[Quote, ...]:
        """Return the quotes of all claims without duplicates, in order of first use."""
        return tuple(dict.fromkeys(quote for claim in self.claims for quote in claim.quotes))


class Round(Record):
    """A round: its strategy, the rejected document ids, and whether it found anything new."""

    number: int = Field(ge=1)
    strategy: str
    refused_document_ids: tuple[str, ...] = Field(default=(), description="document ids that the planner invented")
    learned: bool = False


def together(*usages: Usage) -> Usage:
    """Return the sum of several costs."""
    total = {name: sum(getattr(usage, name) for usage in usages) for name in Usage.model_fields}
    return Usage(**{**total, "seconds": round(total["seconds"], 3)})


def usage_of(reply: Reply) -> Usage:
    """Return the cost of one call, excluding money."""
    return Usage(
        calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, seconds=round(reply.seconds, 3)
    )


class Search(StrEnum):
    """The vectors that an investigation searched. whole: the vectors of all chunks; candidates: only the vectors of
    chunks that match the words of a query, because the index was incomplete when the investigation began.
    """

    WHOLE = "whole"
    CANDIDATES = "candidates"


class Investigation(Record):
    """The complete record of one investigation, from the question to the answer."""

    id: str
    question: str
    mission: str
    strategy: str
    scope: tuple[str, ...] = Field(default=(), description="the documents that it is limited to; empty: all")
    engine: str
    engines: tuple[UsedEngine, ...] = ()
    made_with: str = Field(default="", description="the settings of method, retrieval and verifier, as JSON")
    templates: tuple[TemplateVersion, ...] = Field(default=(), description="the user's own prompt templates")
    search: Search = Search.WHOLE
    matrix: str = Field(default="", description="id of the matrix that it belongs to; empty for a single question")
    follows: str = Field(
        default="", description="the user's own words, if the question was corrected or completed by earlier ones"
    )
    kind: QuestionKind = QuestionKind.FACT
    survey: tuple[TableRow, ...] = Field(default=(), description="the decision on each document in the folder")
    parts: tuple[Part, ...] = ()
    wordings: tuple[str, ...] = Field(default=(), description="other wordings that were searched for")
    needs: tuple[Need, ...] = ()
    plan: Plan = Plan()
    rounds: tuple[Round, ...] = ()
    memories: tuple[Memory, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    answer: Answer | None = None
    usage: Usage = Usage()
    elapsed: float = Field(default=0.0, description="total seconds that the run took, across all its processes")


class Forecast(Record):
    """The expected steps and cost of an investigation, computed without paid calls.

    `steps` is the plan, including steps that would be skipped. `expected` is the cost if the engine's judgements match
    the search's, and `most` is the highest cost that the limits allow. Reply tokens are estimated.
    """

    steps: tuple[PlanStep, ...]
    rounds: int = Field(ge=0)
    expected: Usage
    most: Usage


class Replayed(Record):
    """A finished investigation that was repeated without any model.

    `differences` lists what changed; `failed_quotes` are quotes that the current documents no longer contain. `calls`
    is the number of calls answered from the journal.
    """

    investigation: Investigation
    calls: int
    quotes: int
    differences: tuple[str, ...] = ()
    failed_quotes: tuple[Quote, ...] = ()

    @property
    def same(self) -> bool:
        """Return True if the result is identical and every quote is still in its document."""
        return not self.differences and not self.failed_quotes


class RunSummary(Record):
    """A summary of an investigation in a workspace; `answer_status` is None until it is finished.

    If the run is `altered`, that is, changed outside this program, at most its id is known.
    """

    id: str
    question: str
    created: str = Field(description="start time, ISO 8601 in UTC")
    engine: str
    answer_status: AnswerStatus | None = None
    calls: int = 0
    scope: tuple[str, ...] = ()
    matrix: str = Field(default="", description="id of the matrix that it belongs to; empty for a single question")
    altered: bool = False


class RunList(Record):
    """The investigations in a workspace, newest first."""

    runs: tuple[RunSummary, ...]
