"""The variables of each template of the method, and the expected reply.

Each template has one record of variables (its contract: the template uses exactly these names) and, if an engine
replies to it, one record of the reply. In reply records, the point comes first, so that a model gives the score before
its explanation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from investigator.records.base import Foreign, Record
from investigator.records.documents import Imprint, Passage
from investigator.records.memories import Knowledge, Memory
from investigator.records.parts import ConstraintKind, Part, QuestionKind


def _as_text(value: object) -> object:
    """Accept a list, which models often send in place of a string."""
    return "; ".join(str(part) for part in value) if isinstance(value, list | tuple) else value


Text = Annotated[str, BeforeValidator(_as_text)]


def _show_bounds(schema: dict[str, Any]) -> None:
    """Show the bounds to the model in the schema; the point parser parses the values."""
    schema["anyOf"][0].update(minimum=0, maximum=100)


Point = Annotated[int | None, Field(json_schema_extra=_show_bounds)]
"""The point of a reply, 0..100; None if it could not be read."""


class DocumentCard(Record):
    """A description of a document that is sufficient to decide whether to ask it.

    `match` (0..1) is the probability, according to the search, that it contains the answer. `snippet` is the beginning
    of the best passage; `asked` counts how often the document has been asked.
    """

    document_id: str
    title: str
    authors: tuple[str, ...] = ()
    pages: int | None = None
    date: str | None = None
    headings: tuple[str, ...] = ()
    imprint: Imprint = Imprint()
    match: float = 0.0
    snippet: str = ""
    asked: int = 0


class Need(Record):
    """Something that must be known to answer: a term, the reason, and its weight (0..1)."""

    term: str
    reason: Text = ""
    weight: float = Field(default=1.0, ge=0, le=1)


class TermFrequency(Record):
    """A term of the question and the share of documents that contain it (0..1)."""

    term: str
    document_share: float


class ThinkVariables(Record):
    """Variables of `critical_thinking/think.j2`."""

    question: str
    mission: str
    strategy: str
    documents: tuple[DocumentCard, ...]
    document_count: int
    term_frequencies: tuple[TermFrequency, ...]


def _known_kind(value: object) -> object:
    """Drop an unknown kind, so that the rules decide it."""
    return value if not isinstance(value, str) or value in set(QuestionKind) else None


def _known_constraints(value: object) -> object:
    """Drop constraints of an unknown kind; the rules find constraints as well."""
    return [_with_known(part) for part in value] if isinstance(value, list) else value


def _with_known(part: object) -> object:
    if not isinstance(part, dict) or not isinstance(part.get("constraints"), list):
        return part
    kinds = set(ConstraintKind)
    known = [one for one in part["constraints"] if isinstance(one, dict) and one.get("kind") in kinds]
    return {**part, "constraints": known}


class ThinkReply(Record):
    """The requested kind of answer, the needs, and the questions that the main question contains."""

    kind: Annotated[QuestionKind | None, BeforeValidator(_known_kind)] = None
    needs: tuple[Need, ...]
    parts: Annotated[tuple[Part, ...], BeforeValidator(_known_constraints)] = ()


class PlanVariables(Record):
    """Variables of `planner/plan.j2`."""

    question: str
    mission: str
    strategy: str
    needs: tuple[Need, ...]
    documents: tuple[DocumentCard, ...]
    history: tuple[Memory, ...]
    unknown_infos: tuple[str, ...]
    past_strategies: tuple[str, ...]
    step_limit: int


class ProposedStep(Record):
    """A document that the planner wants to examine."""

    document_id: str
    purpose: Text
    perspectives: Text = ""


class PlanReply(Record):
    """The strategy of the next round and its steps."""

    strategy: Text = ""
    steps: tuple[ProposedStep, ...]


class QuestionVariables(Record):
    """Variables of `tactical_planning/question.j2` and `tactical_planning/summary.j2`, to which no engine replies."""

    document_id: str
    purpose: str
    perspectives: str


class AskVariables(Record):
    """Variables of `query/ask.j2`."""

    main_question: str
    mission: str
    sub_question: str
    document_id: str
    document_title: str
    needs: tuple[Need, ...]
    passages: tuple[Passage, ...]


class AskReply(Record):
    """A scored reply: the point (0..100), the supporting words of the passages, and the reply."""

    point: Point = None
    quotes: tuple[str, ...] = ()
    reply: Text = ""


class BearingVariables(Record):
    """Questions, key words and quotes. They are the input of the second opinion if a model's score is far above the
    search's score.

    The main question comes first; `title` is the document's title. No template shows these to a language model.
    """

    questions: tuple[str, ...]
    terms: tuple[str, ...]
    quotes: tuple[str, ...]
    title: str = ""


class BearingReply(Record):
    """Two judgements, on whether the quotes are related to the questions and whether they look like an answer.

    They `cover` the main question if they contain most of its words and a value of the requested kind.
    """

    bears: bool
    covers: bool = False


class ReflectVariables(Record):
    """Variables of `reflection/reflect.j2`."""

    question: str
    mission: str
    needs: tuple[Need, ...]
    memories: tuple[Memory, ...]


class ReflectReply(Record):
    """The knowledge and the open questions, term by term."""

    knowledge: tuple[Knowledge, ...]


class Evidence(Record):
    """A proven quote with the id that the answer must cite."""

    id: str
    text: str
    document_id: str
    place: str
    point: int


class AnswerVariables(Record):
    """Variables of `answer/answer.j2`."""

    question: str
    mission: str
    evidence: tuple[Evidence, ...]
    unknown_infos: tuple[str, ...]


class ProposedClaim(Record):
    """A statement, and the ids of its evidence."""

    text: Text
    evidence: tuple[str, ...] = ()


class AnswerReply(Record):
    """The statements of the answer; empty if the evidence does not contain it."""

    claims: tuple[ProposedClaim, ...]


class RepairVariables(Record):
    """Variables of `asking/repair.j2`: a prompt, the unreadable reply, and the problem with it."""

    prompt: str
    reply: str
    problem: str


class FinishReason(StrEnum):
    """The reason why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    OTHER = "other"


@dataclass(frozen=True)
class Prompt:
    """A request to an engine.

    `text` is the rendered template, `variables` are its inputs, `reply_type` is the record that must be returned.
    """

    template: str
    variables: Record
    text: str
    reply_type: type[Record]


class Reply(Record):
    """The output of an engine: its text, input and output tokens, finish reason, and duration in seconds."""

    text: Foreign
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: FinishReason = FinishReason.STOP
    seconds: float = 0.0
