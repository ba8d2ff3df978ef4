"""The questions to the modules and their replies, for every form of prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from investigator.bb3.records import Module, Speaker, Turn
from investigator.records import Passage, Quote, Record

FAILED = "METASEQ RESPONSE FAILED."
"""The text of a module whose server gave no reply; readers of BB3's records know it."""


class SearchDocument(Record):
    """A document that a search found; `passage` if it comes from the folder, or from a served folder.

    `server` names who sent it; it is empty if the text is in the folder.
    """

    title: str = ""
    text: str
    url: str = ""
    passage: Passage | None = None
    server: str = ""


class ModuleRequest(Record):
    """One call of a module: the conversation, and what this module is given besides.

    `module` decides the prompt and `by` who answers it (BB3's 30B and 175B write every reply with the settings of SRM).
    `memories` are in their written form, with the prefix of their owner. `entity`, `memory` and `knowledge` are what a
    response is conditioned on, and `quotes` what the knowledge was taken from.
    """

    module: Module
    by: Module
    turns: tuple[Turn, ...] = ()
    memories: tuple[str, ...] = ()
    query: str = ""
    documents: tuple[SearchDocument, ...] = ()
    entity: str = ""
    memory: str = ""
    knowledge: str = ""
    quotes: tuple[Quote, ...] = ()


class ModuleReply(Record):
    """The reply of a module. `needed` is the decision of sdm and mdm; `score` picks the best of several responses.

    `is_stock`: rules wrote it, not a model, and it says nothing about the speaker. `unsaid` is what the model wrote but
    was not proven, or was not a reply, and is therefore withheld. `source_problem` says which quotes the files no
    longer hold.
    """

    text: str
    score: float = 0.0
    needed: bool | None = None
    quotes: tuple[Quote, ...] = ()
    failed: bool = False
    is_stock: bool = False
    unsaid: str = ""
    source_problem: str = ""


class Modules(Protocol):
    """Asks modules: one form of prompts, and the engines behind it."""

    def ask(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        """One reply for each request, in order; the requests are independent."""
        ...


class DocumentSearch(Protocol):
    """Finds documents for a query: in the folder, or at a search server."""

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """The best documents, best first. Raises InvestigatorError if the search is down."""
        ...


class Memories(Protocol):
    """The memories of the two speakers, as the turns of one conversation see them.

    A memory is a text with the prefix of its owner, as `Person 1's Persona: I have a dog.`
    """

    def texts(self) -> Mapping[str, int]:
        """All memories with the turns since each was used, in the order in which they came."""
        ...

    def available(self, text: str) -> Sequence[str]:
        """The memories that may be used for a reply to this text, in order."""
        ...

    def add(self, text: str, speaker: Speaker) -> None:
        """Remember what a module wrote about a turn, unless it is empty or not new."""
        ...

    def set(self, memories: Mapping[str, int]) -> None:
        """Remember these from now on, with the turns since each was used; those without a prefix are the partner's."""
        ...

    def end_turn(self, used: Sequence[str]) -> None:
        """A turn has ended in which these were used."""
        ...

    def clear(self) -> None:
        """Forget what belongs only to this conversation."""
        ...
