"""Records of questions, answers and knowledge (seed: generative_agents, "MemoryStream", "Reflection")."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import Quote


class PointStatus(StrEnum):
    """The status of the point of a reply."""

    SCORED = "scored"
    UNPARSED = "unparsed"


class Finding(Record):
    """The reply of a document to a question, and its point (0..100, None: it could not be read).

    `quotes` are proven; `failed_quotes` are the ones the engine gave that are not in the document, or prove nothing. If
    a language model was asked, `model_point` is its point and `search_point` that of the search; `point` is what
    follows from both. `quoted_by_search` says that reply and quotes are those of the search, for the model's own quotes
    do not stand. `addressed` says that a passage, or the reply, addresses a language model instead of a reader: then
    the search's point counts, and no quote comes from such a sentence. `beside` says that the model sees far more in
    the document than the search, and that its quotes are unrelated to the question: then the point of the search also
    counts. `capped` says that the model's point counts only up to the bound that `scoring.model_points` sets for one
    that neither search nor quotes support. `in_part` says that passages were left out of the prompt, for the model's
    context was too small.
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
        """Return True if the document may have told the model what to say."""
        return self.addressed or self.beside or self.capped


class Memory(Finding):
    """One question to one document, and its reply; an `unparsed` reply is raw."""

    id: int = Field(ge=1)
    target_document_id: str
    question: str
    status: PointStatus = PointStatus.SCORED


class KnownInfo(Record):
    """Something that is known of a term, with the point and the documents and memories it rests on."""

    info: str
    point: int = Field(ge=0, le=100)
    document_ids: tuple[str, ...] = ()
    memory_ids: tuple[int, ...] = ()


class Relation(Record):
    """How a term is connected with another one."""

    term: str
    relation: str


class Knowledge(Record):
    """The knowns and unknowns about one term."""

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
        """Everything that is still unknown, in order and once."""
        return tuple(dict.fromkeys(info for item in self.knowledge for info in item.unknown_infos))
