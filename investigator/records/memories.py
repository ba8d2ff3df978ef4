"""Records of questions, answers and knowledge (seed: generative_agents, "MemoryStream", "Reflection")."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class PointStatus(StrEnum):
    """The status of a reply's point."""

    SCORED = "scored"
    UNPARSED = "unparsed"


class Finding(Record):
    """The reply of a document to a question, and its point (0..100; None if it could not be read).

    `quotes` are proven; `failed_quotes` are quotes of the engine that are not in the document, or prove nothing. If a
    language model was asked, `model_point` is its point, `search_point` is the point of the search, and `point`
    combines both. Flags: `quoted_by_search`: reply and quotes come from the search, because the model's own quotes
    failed. `addressed`: a passage or the reply addresses a language model instead of a reader, so the point of the
    search counts, and such sentences are not quoted. `beside`: the model's point is far above that of the search and
    its quotes are unrelated to the question, so the point of the search counts as well. `capped`: neither search nor
    quotes support the model's point, which is limited to the bound in `scoring.model_points`. `in_part`: passages were
    omitted from the prompt, because the model's context was too small.
    """

    reply: str
    point: int | None = Field(default=None, ge=0, le=100)
    quotes: tuple[Quote, ...] = ()
    failed_quotes: tuple[str, ...] = ()
    model_point: int | None = Field(default=None, ge=0, le=100)
    search_point: int | None = Field(default=None, ge=0, le=100)
    quoted_by_search: bool = False
    addressed: bool = False
    beside: bool = False
    capped: bool = False
    in_part: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Return True if the document may have instructed the model."""
        return self.addressed or self.beside or self.capped


class Memory(Finding):
    """A question to a document, and the reply; an `unparsed` reply is raw text."""

    id: int = Field(ge=1)
    target_document_id: str
    question: str
    status: PointStatus = PointStatus.SCORED


class KnownInfo(Record):
    """A fact about a term, with its point and the documents and memories that support it."""

    info: str
    point: int = Field(ge=0, le=100)
    document_ids: tuple[str, ...] = ()
    memory_ids: tuple[int, ...] = ()


class Relation(Record):
    """The relation of a term to another term."""

    term: str
    relation: str


class Knowledge(Record):
    """The known and unknown facts about one term."""

    term: str
    known_infos: tuple[KnownInfo, ...] = ()
    unknown_infos: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()


class Reflection(Record):
    """The lessons of a round, term by term."""

    round: int = Field(ge=1)
    knowledge: tuple[Knowledge, ...] = ()

    @property
    def unknown_infos(self) -> tuple[str, ...]:
        """Return everything that is still unknown, in order and without duplicates."""
        return tuple(dict.fromkeys(info for item in self.knowledge for info in item.unknown_infos))
