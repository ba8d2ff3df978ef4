"""The outcome of an investigation: statements with their quotes, the coverage, the full record."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.calls import Reply
from investigator.records.documents import FileState, LeftOut, Passage, Quote, Unreadable
from investigator.records.engines import Trust, UsedEngine
from investigator.records.matrices import MatrixTable
from investigator.records.memories import Memory, Reflection
from investigator.records.parts import Disagreement, Fit, NotStated, Part, Statement, SurveyRow
from investigator.records.plans import EarlierQuestion, Plan, PlanStep, Scope


class TemplateProblem(Record):
    """A problem that makes a template unusable, with its place and the allowed values."""

    file: str
    line: int | None = None
    problem: str
    hint: str = ""

    @property
    def text(self) -> str:
        """Return the place and the problem in one line."""
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.problem}"


class TemplateVersion(Record):
    """The name of a template, `owner/name`, and the sha256 of its text.

    `tokens` is the estimated number of tokens in the template's fixed text; `own` is True if the template replaces a
    shipped one.
    """

    name: str
    sha256: str
    tokens: int
    own: bool = False


class TemplateFolder(Record):
    """A folder of templates: the templates that can be read, and the problems in all files."""

    folder: str
    templates: tuple[TemplateVersion, ...] = ()
    problems: tuple[TemplateProblem, ...] = ()


class AnswerStatus(StrEnum):
    """The status of an answer.

    answered: checked statements answer every part; conflicting: they do, but the documents give different values;
    answered_in_part: some parts are answered; passages_found: passages that may answer, which no graded reader has
    judged; premise_wrong: the documents say otherwise than the question assumes; not_found: the documents do not
    contain the answer; not_found_so_far: it was not found, but the search is not complete.
    """

    ANSWERED = "answered"
    CONFLICTING = "conflicting"
    ANSWERED_IN_PART = "answered_in_part"
    PASSAGES_FOUND = "passages_found"
    PREMISE_WRONG = "premise_wrong"
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

    read: a language model read it, or the passages of it that match; searched: only the index was asked, as without a
    model; not_opened: it was to be read, but the run ended before that. `left_out` lists the files that are excluded.
    """

    read: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    not_opened: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    wordings: tuple[str, ...] = Field(default=(), description="other wordings that were searched for")
    tainted: tuple[str, ...] = Field(default=(), description="documents with text that addresses a language model")
    source_changed: tuple[str, ...] = Field(
        default=(), description="documents that no longer contain a quote that the answer needed"
    )

    @property
    def complete(self) -> bool:
        """Return True if no document that could contain the answer was missed; empty files and hidden parts do
        not count."""
        return not self.not_opened and not any(file.counts for file in self.unreadable)

    @property
    def total(self) -> int:
        """Return the number of documents in the folder, including unreadable documents."""
        return len(self.read) + len(self.searched) + len(self.not_opened) + len(self.unreadable)


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


class CheckOutcome(Record):
    """How the statements of an answer were checked, and which of them the check refused."""

    fit: Fit = Fit.UNCHECKED
    by: str = Field(default="", description="the engine that checked the statements; empty: nobody")
    trust: Trust = Trust.UNGRADED
    withheld: tuple[Statement, ...] = Field(default=(), description="statements that the check refused")


class RunFacts(Record):
    """The run that gave an answer: why it ended, and what it took."""

    id: str = Field(default="", description="the id of the run, for `show` and `replay`")
    engine: str = Field(description="the engines of the run, by role if they differ")
    day: str = Field(default="", description="the day as of which the answer was given, ISO 8601")
    stop: StopReason
    usage: Usage = Usage()
    elapsed: float = Field(default=0.0, description="total seconds that the run took, across all its processes")


class Section(Record):
    """A section of a report: what the investigation of its part found, in paragraphs of statements and rows of a table.

    `status` is that of the investigation, or None if it is not finished. `reason` says why the section is empty or not
    finished. `repeats` are the headings of the sections that already state something that was removed here; `stale` are
    cited documents that have changed since.
    """

    heading: str
    questions: tuple[str, ...] = ()
    status: AnswerStatus | None = None
    reason: str = ""
    paragraphs: tuple[tuple[Statement, ...], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[Statement, ...] = ()
    repeats: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    run: str = Field(default="", description="the id of the run that investigated the part")

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Return the statements of the paragraphs and the rows, in this order."""
        return (*(statement for paragraph in self.paragraphs for statement in paragraph), *self.rows)


class Answer(Record):
    """The answer to a question, or the statement that the documents do not contain it, with the coverage.

    `lead` answers in one or two sentences; `details` give, each once, what the lead does not say, by side, period or
    item; `table` has the decision on each document if every document had to be decided. A report has `sections`, of
    which the lead and the details are the summary. `text` is the whole as shown, in Markdown, with citation numbers
    `[n]` from 1 in the order of `citations`.
    """

    question: str
    status: AnswerStatus
    reason: str = Field(description="one sentence that explains the status")
    lead: Statement | None = None
    details: tuple[Statement, ...] = ()
    table: tuple[SurveyRow, ...] = ()
    sections: tuple[Section, ...] = ()
    parts: tuple[Part, ...] = ()
    not_stated: tuple[NotStated, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    nearest: tuple[Passage, ...] = Field(default=(), description="the nearest passages, if nothing was found")
    text: str = ""
    check: CheckOutcome = CheckOutcome()
    coverage: Coverage
    run: RunFacts

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Return the lead, the details, and the statements of the table and of the sections, in this order."""
        rows = (row.statement for row in self.table if row.statement is not None)
        of_sections = (statement for section in self.sections for statement in section.statements)
        return (*((self.lead,) if self.lead is not None else ()), *self.details, *rows, *of_sections)

    @property
    def citations(self) -> tuple[Quote, ...]:
        """Return the quotes of the answer without duplicates, in order of first use."""
        of_sides = (quote for entry in self.disagreements for side in entry.sides for quote in side.quotes)
        nearest = (quote for gap in self.not_stated for quote in gap.quotes)
        own = (quote for statement in self.statements for quote in statement.quotes)
        return tuple(dict.fromkeys((*own, *of_sides, *nearest)))

    def has_lost(self, statement: Statement) -> bool:
        """Return True if a statement is withheld because its documents have changed: the check did not refuse it."""
        changed = self.coverage.source_changed
        return not statement.is_shown and any(quote.document_id in changed for quote in statement.quotes)


class Round(Record):
    """A round of planning: its strategy, and the rejected document ids."""

    number: int = Field(ge=1)
    strategy: str
    refused_document_ids: tuple[str, ...] = Field(default=(), description="document ids that the planner invented")


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


class RunSetup(Record):
    """Everything but the question that a run was begun with."""

    mission: str = ""
    strategy: str = ""
    day: str = Field(default="", description="the day of the run, ISO 8601")
    as_of: str = Field(default="", description="the day that the user asked for; empty: the day of the run")
    scope: tuple[str, ...] = Field(default=(), description="the documents that it is limited to; empty: all")
    engine: str
    engines: tuple[UsedEngine, ...] = ()
    made_with: str = Field(default="", description="the settings of research, retrieval and check, as JSON")
    templates: tuple[TemplateVersion, ...] = Field(default=(), description="the user's own prompt templates")
    search: Search = Search.WHOLE
    outline: str = Field(default="", description="the outline that a report was given; empty: it was planned")

    @property
    def is_read(self) -> bool:
        """Return False if the built-in search alone finds passages, and nobody reads them."""
        return not any(used.role == "ask" and used.trust is Trust.UNREAD for used in self.engines)


class Investigation(Record):
    """The complete record of one investigation, from the question to the answer."""

    id: str
    question: str
    earlier: tuple[EarlierQuestion, ...] = Field(default=(), description="the questions that a follow-up refers to")
    read_as: str = Field(default="", description="a follow-up question, rewritten so that it stands alone")
    setup: RunSetup
    decides: Scope = Scope.SOME
    parts: tuple[Part, ...] = ()
    wordings: tuple[str, ...] = Field(default=(), description="other wordings that were searched for")
    plan: Plan = Plan()
    rounds: tuple[Round, ...] = ()
    memories: tuple[Memory, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    answer: Answer | None = None
    matrix: MatrixTable | None = Field(default=None, description="the table, if each document was asked separately")
    files: tuple[FileState, ...] = Field(default=(), description="the files of the folder when a report was written")
    usage: Usage = Usage()
    elapsed: float = Field(default=0.0, description="total seconds that the run took, across all its processes")

    @property
    def full_question(self) -> str:
        """Return the question as it is investigated, complete in itself."""
        return self.read_as or self.question

    @property
    def citations(self) -> tuple[Quote, ...]:
        """Return the quotes of the answer and of the table without duplicates."""
        in_cells = (quote for cell in self.matrix.cells for quote in cell.quotes) if self.matrix is not None else ()
        return tuple(dict.fromkeys((*(self.answer.citations if self.answer is not None else ()), *in_cells)))


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
    """A summary of an investigation in a workspace; `answer_status` is None until it is finished."""

    id: str
    question: str
    created: str = Field(description="start time, ISO 8601 in UTC")
    engine: str = Field(description="empty if another version stored the run in an unknown form")
    answer_status: AnswerStatus | None = None
    calls: int = 0
    scope: tuple[str, ...] = ()


class RunHistory(Record):
    """Some of the runs of single questions, newest first, and the number of all; the ids of the runs that answer
    standing questions; and headings that a reader may search for.
    """

    runs: tuple[RunSummary, ...] = ()
    total: int = 0
    standing: frozenset[str] = frozenset()
    topics: tuple[str, ...] = ()


class RunList(Record):
    """The investigations in a workspace, newest first."""

    runs: tuple[RunSummary, ...]
