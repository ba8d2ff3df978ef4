"""Defines the variables of the chat modules' templates, and the expected replies (seed: bb3_agents). Modules with the
same inputs share a record. As in the method, the score (`point`) is the first field of a reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from investigator.asking.contracts import METHOD, Contract
from investigator.records.base import Record
from investigator.records.documents import Quote
from investigator.records.exchanges import Point, Text


class Module(StrEnum):
    """The modules of BlenderBot 3, named after the prefixes of their options.

    Decisions: sdm (search), mdm (memory). From the conversation: sgm (query), mgm (memory to keep), ckm (entity).
    Knowledge: mkm (from memory), skm (from documents). Responses: crm (on an entity), mrm (on a memory), srm (on
    knowledge), vrm (only on the conversation), grm (in a style), orm (opening from memories), brm (like vrm, with
    background knowledge).
    """

    SDM = "sdm"
    MDM = "mdm"
    SGM = "sgm"
    MGM = "mgm"
    CKM = "ckm"
    MKM = "mkm"
    SKM = "skm"
    CRM = "crm"
    MRM = "mrm"
    SRM = "srm"
    VRM = "vrm"
    GRM = "grm"
    ORM = "orm"
    BRM = "brm"

    @property
    def template(self) -> str:
        """Return the name of the module's template: `bb3/<module>`, and for skm that of the method, `query/ask`."""
        return "query/ask" if self is Module.SKM else f"bb3/{self}"


class Speaker(StrEnum):
    """A speaker: the one who replies (Person 2 in the seed), or the partner (Person 1)."""

    SELF = "self"
    PARTNER = "partner"


class Turn(Record):
    """A turn of one of the two speakers."""

    speaker: Speaker
    text: str


class PersonalFact(Record):
    """A statement of one speaker about themselves, kept across conversations, and the day on which it was stated, if
    known. Several statements that were asked for together are the lines of one text.
    """

    id: int = Field(ge=1)
    speaker: Speaker
    text: str
    stated: str = ""


class TurnsVariables(Record):
    """Variables of sdm, sgm, mgm, ckm and vrm, which see only the conversation; sdm and mgm judge the last turn."""

    turns: tuple[Turn, ...]


class FactsVariables(Record):
    """Variables of the templates that see the conversation and the memories of the speakers: mdm, mkm, orm."""

    turns: tuple[Turn, ...]
    facts: tuple[PersonalFact, ...]


class ResponseVariables(Record):
    """Variables of the templates that reply from given knowledge: crm, mrm, srm, grm, brm. Each may receive several
    kinds, so that knowledge can be combined in one reply, in the order of these fields. The quotes are proven.
    """

    turns: tuple[Turn, ...]
    entity: str = ""
    fact: PersonalFact | None = None
    knowledge: tuple[Quote, ...] = ()
    style: str = ""


class DecisionReply(Record):
    """A decision to search or to use a memory, and the probability in percent that it is needed."""

    point: Point = None
    needed: bool


class PhraseReply(Record):
    """A search query, a memory to keep, or an entity; the text is empty if there is none."""

    text: Text = ""


class FactReply(Record):
    """The id of the remembered fact that fits best, None if no fact fits, the fit as a point (0..100), and the ids of
    other facts that were asked for.
    """

    point: Point = None
    fact_id: int | None = None
    more_ids: tuple[int, ...] = ()


class ResponseReply(Record):
    """A response, and the words of the documents that support it."""

    quotes: tuple[str, ...] = ()
    reply: Text = ""


_CONTRACTS: Mapping[Module, Contract] = {
    Module.SDM: Contract(TurnsVariables, DecisionReply, ("turns",), ("needed",)),
    Module.MDM: Contract(FactsVariables, DecisionReply, ("turns", "facts"), ("needed",)),
    Module.SGM: Contract(TurnsVariables, PhraseReply, ("turns",), ("text",)),
    Module.MGM: Contract(TurnsVariables, PhraseReply, ("turns",), ("text",)),
    Module.CKM: Contract(TurnsVariables, PhraseReply, ("turns",), ("text",)),
    Module.MKM: Contract(FactsVariables, FactReply, ("turns", "facts"), ("fact_id",)),
    Module.CRM: Contract(ResponseVariables, ResponseReply, ("turns", "entity"), ("reply",)),
    Module.MRM: Contract(ResponseVariables, ResponseReply, ("turns", "fact"), ("reply",)),
    Module.SRM: Contract(ResponseVariables, ResponseReply, ("turns", "knowledge"), ("reply",)),
    Module.VRM: Contract(TurnsVariables, ResponseReply, ("turns",), ("reply",)),
    Module.GRM: Contract(ResponseVariables, ResponseReply, ("turns", "style"), ("reply",)),
    Module.ORM: Contract(FactsVariables, ResponseReply, ("facts",), ("reply",)),
    Module.BRM: Contract(ResponseVariables, ResponseReply, ("turns",), ("reply",)),
}
CONTRACTS: Mapping[str, Contract] = {**METHOD, **{module.template: contract for module, contract in _CONTRACTS.items()}}
"""The contracts of all templates that a chat uses, including the templates of the method."""
