"""Defines the requests to modules and their replies, independently of the prompt format. Questions are recognised by
their question mark, in any script; there are no rules of a natural language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from investigator.bb3.records import Module, Speaker, Turn
from investigator.language.sentences import sentence_spans
from investigator.records import Passage, Quote, Record

FAILED = "METASEQ RESPONSE FAILED."
"""The text recorded for a module whose server gave no reply, as in BB3's records."""
_MARKS = frozenset("?？؟﹖︖⁇⁈⁉‽⸮❓❔՞፧꘏\u037e")


class SearchDocument(Record):
    """A document that a search found; `passage` is set if it comes from the folder, or from a served folder. `server`
    is the server that sent the document; empty if the text is in the folder.
    """

    title: str = ""
    text: str
    url: str = ""
    passage: Passage | None = None
    server: str = ""


class ModuleRequest(Record):
    """One call of a module: the conversation, and the module's other inputs. `module` selects the prompt, and `by` is
    the answering module (BB3's 30B and 175B write every reply with the settings of SRM). `memories` are texts that
    begin with the prefix of their owner; `dates` are the days on which memories were stated, as in 2026-11-28, if
    known. A response is conditioned on `entity`, `memory` and `knowledge`; `quotes` are the sources of the knowledge.
    """

    module: Module
    by: Module
    turns: tuple[Turn, ...] = ()
    memories: tuple[str, ...] = ()
    dates: Mapping[str, str] = {}
    query: str = ""
    documents: tuple[SearchDocument, ...] = ()
    entity: str = ""
    memory: str = ""
    knowledge: str = ""
    quotes: tuple[Quote, ...] = ()


class ModuleReply(Record):
    """A module's reply. `needed` is the decision by sdm or mdm; `score` ranks the response among several.

    `memories` are those that mkm chose, if its text is not one of them. `is_stock` is True if rules, not a model, wrote
    the reply, which then contains no facts about the speaker. `unsaid` is the part of the model's text that was
    withheld, because no quote supports it; `checked` says who checked a reply with quotes. `source_problem` reports
    quotes that the files no longer contain, and `problem` why a reply failed, if known.
    """

    text: str
    score: float = 0.0
    needed: bool | None = None
    quotes: tuple[Quote, ...] = ()
    memories: tuple[str, ...] = ()
    failed: bool = False
    is_stock: bool = False
    unsaid: str = ""
    checked: str = ""
    source_problem: str = ""
    problem: str = ""


class Modules(Protocol):
    """Asks modules, using one form of prompt."""

    def ask(self, requests: Sequence[ModuleRequest]) -> Sequence[ModuleReply]:
        """Return one reply for each request, in order; the requests are independent."""


class DocumentSearch(Protocol):
    """Finds documents for a query: in the folder, or at a search server."""

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        """Return the best-matching documents, best first. Raises InvestigatorError if the search fails."""


class Memories(Protocol):
    """The memories of the two speakers, as seen in one conversation. A memory is text that begins with its owner's
    prefix, such as `Person 1's Persona: I have a dog.`
    """

    def texts(self) -> Mapping[str, int]:
        """Return all memories, oldest first, each with the number of turns since it was last used."""

    def dates(self) -> Mapping[str, str]:
        """Return the day on which each memory was stated, if it is known."""

    def available(self, text: str) -> Sequence[str]:
        """Return the memories that may be used for a reply to this text, in order."""

    def add(self, text: str, speaker: Speaker) -> None:
        """Remember a module's output for a turn, unless it is empty or not new."""

    def set(self, memories: Mapping[str, int]) -> None:
        """Replace the memories, each with its age in turns; one without a prefix belongs to the partner."""

    def end_turn(self, used: Sequence[str]) -> None:
        """End a turn in which these memories were used."""

    def clear(self) -> None:
        """Forget everything that belongs only to this conversation."""


def sentences(text: str) -> list[str]:
    """Return the sentences in a turn, verbatim."""
    whole = text.encode("utf-8", "replace").decode("utf-8")  # the segmenter rejects lone surrogates
    return [text[start:end] for start, end in sentence_spans(whole)]


def asks(text: str) -> bool:
    """Return True if the text contains a question mark."""
    return not _MARKS.isdisjoint(text)


def only_asks(text: str) -> bool:
    """Return True if every sentence of the text has a question mark."""
    return asks(text) and all(map(asks, sentences(text)))
