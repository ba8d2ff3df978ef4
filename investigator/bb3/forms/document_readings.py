"""Reads the documents that a chat's search found as `ask` reads them, and places the quotes where they stand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from investigator.asking.client import EngineClient
from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.search.served import UNKNOWN_TYPE, ServedDocument, ServedQuote
from investigator.errors import SilentReplyError
from investigator.language.addressed import addresses_model
from investigator.proof.quotes import Load, Sources
from investigator.records import AskVariables, Document, Quote, ShownDocument, ShownPassage, Verdict
from investigator.research.query import examined

_MISSION = "Find what a reply to the last turn of a conversation can be based on."
_LEAST_POINT = 50
"""The lowest relevance of a reading whose quotes are used, as in the selection of memories for an answer."""
_MOST_OF_A_DOCUMENT = 3
_MOST_QUOTES = 6

Found = Mapping[str, Sequence[SearchDocument]]
"""The search results by the id under which they are shown; those of one document are together, best document first."""


def ask_variables(request: ModuleRequest) -> AskVariables:
    """Return the variables of `query/ask` for a search: the query stands alone, because it was written from the whole
    conversation; the last turn is the question in the partner's words.
    """
    last = request.turns[-1].text if request.turns else ""
    return AskVariables(
        main_question=request.query or last,
        mission=_MISSION,
        documents=tuple(_shown(name, found, last) for name, found in _by_source(request.documents).items()),
        most_quotes=_MOST_OF_A_DOCUMENT,
    )


def read_documents(
    client: EngineClient, request: ModuleRequest, load: Load | None = None
) -> tuple[tuple[Quote, ...], bool]:
    """Return the quotes of the documents that answer, best document first, and whether the reply could be read.

    `load` returns the folder's documents, in which quotes are proven. Text from a server is looked up in the page that
    the server sent, and its quotes name the server, because they prove nothing about the folder. A quote that addresses
    a language model is not used. Raises EngineError, TemplateError, StoreError, and the signal BudgetSpent.
    """
    found = _by_source(request.documents)
    if not found:
        return (), True
    try:
        readings = examined(client, Sources(lambda name: _document(name, found[name], load)), ask_variables(request))
    except SilentReplyError:
        return (), False
    pairs = zip(found.values(), readings, strict=True)
    worth = [(documents, reading) for documents, reading in pairs if reading.verdict.is_evidence]
    worth.sort(key=lambda pair: -(pair[1].point or 0))
    quotes = dict.fromkeys(
        placed
        for documents, reading in worth
        for quote in reading.quotes
        if (reading.point or 0) >= _LEAST_POINT
        and not any(True for _ in addresses_model(quote.text))
        and (placed := _placed(quote, documents)) is not None
    )
    is_read = any(reading.verdict is not Verdict.UNREAD for reading in readings)
    return tuple(quotes)[:_MOST_QUOTES], is_read


def _placed(quote: Quote, found: Sequence[SearchDocument]) -> Quote | None:
    """Return a quote from one of the search results with its place in the folder or, for text from a server, the place
    that the server sent and the server's name; None if none of the server's pages contains it.
    """
    if not found[0].server:
        return quote
    for document in found:
        name = _source_id(document)
        placed = document.quote(quote.text, name) if isinstance(document, ServedDocument) else quote
        if placed is not None:
            return ServedQuote(**dict(placed.changed(document_id=name)), server=document.server)
    return None


def _page(name: str, found: Sequence[SearchDocument]) -> Document:
    """Return search results that are in no document of the folder as one document."""
    text = "\n\n".join(document.text for document in found)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return Document(id=name, title=found[0].title, media_type=UNKNOWN_TYPE, content_hash=digest, text=text)


def _document(name: str, found: Sequence[SearchDocument], load: Load | None) -> Document:
    return load(name) if load is not None and _is_of_folder(found[0]) else _page(name, found)


def _by_source(documents: Sequence[SearchDocument]) -> Found:
    found: dict[str, list[SearchDocument]] = {}
    for document in documents:
        name = _source_id(document)
        found.setdefault(f"{name} from {document.server}" if document.server else name, []).append(document)
    return found


def _source_id(document: SearchDocument) -> str:
    passage = document.passage
    return passage.document_id if passage is not None else document.url or document.title or "search"


def _is_of_folder(document: SearchDocument) -> bool:
    return document.passage is not None and not document.server


def _shown(name: str, found: Sequence[SearchDocument], question: str) -> ShownDocument:
    passages, start = [], 0
    for document in found:
        passage = document.passage
        passages.append(
            ShownPassage(
                text=document.text,
                start=passage.start if passage is not None and not document.server else start,
                heading=passage.heading if passage is not None else "",
                page=passage.page if passage is not None else None,
                match=passage.document_match if passage is not None else None,
            )
        )
        start += len(document.text) + 2  # the pages of a server are joined by a blank line
    return ShownDocument(
        document_id=name,
        title=found[0].title,
        question=question,
        passages=tuple(sorted(passages, key=lambda passage: passage.start)),
        addresses_model=any(True for document in found for _ in addresses_model(document.text)),
    )
