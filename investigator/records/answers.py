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

    answered: proven statements meet all that every part of the question asks; conflicting: they do, and documents give
    different values; answered_in_part: proven statements meet some parts;
    passages_found: the statements probably answer, and it is not established that they do; not_found: nothing in the
    documents does, in any of several wordings; not_found_so_far: nothing that was searched does.
    """

    ANSWERED = "answered"
    CONFLICTING = "conflicting"
    ANSWERED_IN_PART = "answered_in_part"
    PASSAGES_FOUND = "passages_found"
    NOT_FOUND = "not_found"
    NOT_FOUND_SO_FAR = "not_found_so_far"


class StopReason(StrEnum):
    """Why an investigation planned no further round."""

    ANSWERED = "answered"
    SATURATED = "saturated"
    ROUNDS = "rounds"
    CALLS = "calls"
    TOKENS = "tokens"
    MONEY = "money"
    TIME = "time"


class Coverage(Record):
    """The documents of the folder by their treatment.

    read: asked; skimmed: searched, and nothing in it was worth asking; not_opened: worth asking, but the run ended
    first. `left_out` is what of the folder is not a document.
    """

    read: tuple[str, ...] = ()
    skimmed: tuple[str, ...] = ()
    not_opened: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def complete(self) -> bool:
        """Return True if every document that could hold the answer was searched; an empty file holds none."""
        return not self.not_opened and all(file.status is FileStatus.EMPTY for file in self.unreadable)

    @property
    def total(self) -> int:
        """How many documents the folder holds, unreadable ones included."""
        return len(self.read) + len(self.skimmed) + len(self.not_opened) + len(self.unreadable)


class ClaimStatus(StrEnum):
    """How an engine's statement stands to its quotes.

    proven: checked slot by slot against a sentence of one quote; computed: a figure that follows from two proven cells;
    supported: it could not be checked, and a verifier takes its quotes to support it; replaced: it could not be
    checked, and its verbatim quote is in its place; withheld: its quotes say something else, or nothing of it.
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
    """A caution about a statement that a document could have planted."""

    ADDRESS = "address"
    INSTRUCTION = "instruction"


class Claim(Record):
    """One statement of the answer, with the quotes that prove it and the memories it comes from.

    `supported_by` names the verifier on whose word it stands if the quotes do not prove it. `readings` are statements
    of an engine that could not be checked, so this quote replaces them. `text` is as it was said: `cautions` describe
    addresses in it, and of instructions to the reader, which are the document's.
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
        """Return PROVEN for a statement of its own, REPLACED for a quote in place of an engine's statements.

        SUPPORTED is one on the word of a verifier.
        """
        if self.supported_by:
            return ClaimStatus.SUPPORTED
        if self.computation is not None:
            return ClaimStatus.COMPUTED
        return ClaimStatus.REPLACED if self.readings else ClaimStatus.PROVEN


class UnprovenClaim(Record):
    """A statement that an engine made and that its quotes do not prove; it is not part of the answer."""

    text: str
    reason: str
    slot: Slot | None = Field(default=None, description="which part of it its quotes contradict")
    quotes: tuple[Quote, ...] = ()


class Decision(StrEnum):
    """The answer to a yes-or-no question, if proven statements settle it."""

    YES = "yes"
    NO = "no"


class ConflictSide(Record):
    """A value that a document gives, the quote that gives it, and the date of the document if it names one."""

    value: str
    quote: Quote
    date: str | None = None


class Conflict(Record):
    """Documents that give what a part of the question asks different values; the oldest side first."""

    question: str = Field(description="the part of the question")
    sides: tuple[ConflictSide, ...] = Field(min_length=2)


class Usage(Record):
    """The cost of an investigation so far: engine calls, tokens, seconds of engine time, and money in US dollars.

    `unpriced` counts the calls whose model has no known price; `money` leaves them out. `unanswered` are calls that
    were begun and got no reply, since the process was stopped or the engine took too long; the tokens of their prompts
    are estimated, and those of unseen replies are unknown.
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
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens


class Answer(Record):
    """The answer to the main question, or the statement that the documents do not hold it, with what was searched.

    `text` holds the claims with citation numbers `[n]`, which count `citations` from 1; it can be shown as Markdown,
    because addresses and mark-up in it are written so that nothing takes them for links. `tainted` are documents whose
    text, or a reply to them, addresses a language model.
    """

    question: str
    status: AnswerStatus
    stop: StopReason
    outcome: str = Field(default="", description="the status, or stopped(reason) if a ceiling ended the run")
    reason: str = Field(description="one sentence that explains the status")
    text: str
    decision: Decision | None = Field(
        default=None, description="yes or no, if that is asked and a statement settles it"
    )
    claims: tuple[Claim, ...] = ()
    unproven: tuple[UnprovenClaim, ...] = ()
    coverage: Coverage
    unanswered: tuple[OpenPart, ...] = Field(default=(), description="parts of the question that stayed open")
    near_misses: tuple[NearMiss, ...] = Field(default=(), description="what meets most of the question, and what not")
    conflicts: tuple[Conflict, ...] = Field(default=(), description="values that documents do not agree on")
    table: AnswerTable | None = Field(default=None, description="the answer row by row, if the question asks for that")
    missing: tuple[MissingEdition, ...] = Field(
        default=(), description="reports that the question asks for and the folder does not hold"
    )
    wordings: tuple[str, ...] = Field(default=(), description="other wordings that were searched for")
    asked_as: tuple[str, ...] = Field(
        default=(), description="the other wordings that found the statements, if that of the question did not"
    )
    source_changed: tuple[str, ...] = Field(
        default=(), description="documents that no longer hold a quote that the answer needed"
    )
    nearest: tuple[Passage, ...] = Field(default=(), description="what came nearest, if nothing was found")
    searched: tuple[str, ...] = Field(default=(), description="what the documents were asked")
    engine: str = Field(description="the engines that judged, by role if they differ")
    tainted: tuple[str, ...] = ()
    run_id: str = Field(default="", description="the run that gave it, for `show` and `replay`")
    usage: Usage = Usage()
    elapsed: float = Field(default=0.0, description="seconds that the run has taken, over all its processes")

    @property
    def citations(self) -> tuple[Quote, ...]:
        """The quotes of all claims, each once, in order of first use."""
        return tuple(dict.fromkeys(quote for claim in self.claims for quote in claim.quotes))


class Round(Record):
    """One round: the strategy it followed, the documents it refused, whether it learned something."""

    number: int = Field(ge=1)
    strategy: str
    refused_document_ids: tuple[str, ...] = Field(default=(), description="ids that the planner invented")
    learned: bool = False


def together(*usages: Usage) -> Usage:
    """Return the cost of all together."""
    return Usage(
        calls=sum(usage.calls for usage in usages),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        seconds=round(sum(usage.seconds for usage in usages), 3),
        money=sum(usage.money for usage in usages),
        unpriced=sum(usage.unpriced for usage in usages),
        unanswered=sum(usage.unanswered for usage in usages),
    )


def usage_of(reply: Reply) -> Usage:
    """Return the cost of one call, without its price."""
    return Usage(
        calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, seconds=round(reply.seconds, 3)
    )


class Search(StrEnum):
    """The vectors that an investigation searched.

    whole: those of all chunks; candidates: those of the chunks that the words of a query find, because the index did
    not have them all when the investigation began.
    """

    WHOLE = "whole"
    CANDIDATES = "candidates"


class Investigation(Record):
    """Everything of one investigation, from the question to the answer."""

    id: str
    question: str
    mission: str
    strategy: str
    scope: tuple[str, ...] = Field(default=(), description="the documents it is limited to; empty: all of them")
    engine: str
    engines: tuple[UsedEngine, ...] = ()
    made_with: str = Field(default="", description="the settings of method, retrieval and verifier, as JSON")
    templates: tuple[TemplateVersion, ...] = Field(default=(), description="the user's own prompt templates")
    search: Search = Search.WHOLE
    matrix: str = Field(default="", description="the matrix it belongs to; empty: it was asked by itself")
    follows: str = Field(default="", description="the user's own words, if the question was completed by earlier ones")
    kind: QuestionKind = QuestionKind.FACT
    survey: tuple[TableRow, ...] = Field(default=(), description="what was decided on each document of the folder")
    parts: tuple[Part, ...] = ()
    wordings: tuple[str, ...] = Field(default=(), description="other wordings that were searched for")
    needs: tuple[Need, ...] = ()
    plan: Plan = Plan()
    rounds: tuple[Round, ...] = ()
    memories: tuple[Memory, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    answer: Answer | None = None
    usage: Usage = Usage()
    elapsed: float = Field(default=0.0, description="seconds that the run has taken, over all its processes")


class Forecast(Record):
    """The expected steps and cost of an investigation, without asking any engine that costs.

    `steps` are the plan, including steps that would not be asked. `expected` is what the run takes if the engine judges
    as the search does, `most` what it can take within rounds and ceilings. Tokens of replies are guessed.
    """

    steps: tuple[PlanStep, ...]
    rounds: int = Field(ge=0)
    expected: Usage
    most: Usage


class Replayed(Record):
    """A finished investigation repeated without any model.

    `differences` says what came out differently; `failed_quotes` are quotes that are not in the current documents.
    `calls` were answered from the journal.
    """

    investigation: Investigation
    calls: int
    quotes: int
    differences: tuple[str, ...] = ()
    failed_quotes: tuple[Quote, ...] = ()

    @property
    def same(self) -> bool:
        """Return True if everything came out as it was and every quote stands."""
        return not self.differences and not self.failed_quotes


class RunSummary(Record):
    """One line about an investigation in a workspace; `answer_status` is None while it is unfinished.

    If it is `altered`, changed outside this program, only its id is known, if at all.
    """

    id: str
    question: str
    created: str = Field(description="when it began, ISO 8601 in UTC")
    engine: str
    answer_status: AnswerStatus | None = None
    calls: int = 0
    scope: tuple[str, ...] = ()
    matrix: str = Field(default="", description="the matrix it belongs to; empty: it was asked by itself")
    altered: bool = False


class RunList(Record):
    """The investigations of a workspace, newest first."""

    runs: tuple[RunSummary, ...]
