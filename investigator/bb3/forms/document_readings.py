"""Reads the documents that a chat's search found as `ask` reads them, and places the quotes where they stand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from investigator.asking.client import EngineClient
from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.search.served import ServedDocument, ServedQuote
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


def ask_variables(request: ModuleRequest) -> AskVariables:
    """Return the variables of `query/ask` for a search: the query stands alone, because it was written from the whole
    conversation; the last turn is the question in the partner's words.
    """
    last = request.turns[-1].text if request.turns else ""
    return AskVariables(
        main_question=request.query or last,
        mission=_MISSION,
        documents=tuple(_shown(name, results, last) for name, results in _by_source(request.documents).items()),
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
    sourced = _by_source(request.documents)
    if not sourced:
        return (), True
    try:
        readings = examined(client, Sources(lambda name: _document(name, sourced[name], load)), ask_variables(request))
    except SilentReplyError:
        return (), False
    pairs = sorted(zip(sourced.values(), readings, strict=True), key=lambda pair: -(pair[1].point or 0))
    quotes = dict.fromkeys(
        _placed(quote, results[0])
        for results, reading in pairs
        if reading.verdict.is_evidence and (reading.point or 0) >= _LEAST_POINT
        for quote in reading.quotes
        if not any(True for _ in addresses_model(quote.text))
    )
    is_read = any(reading.verdict is not Verdict.UNREAD for reading in readings)
    return tuple(quotes)[:_MOST_QUOTES], is_read


def _placed(quote: Quote, result: SearchDocument) -> Quote:
    """Return a quote from a search result; text from a server has the place that the server sent, and its name."""
    if not result.server:
        return quote
    placed = result.placed(quote) if isinstance(result, ServedDocument) else quote
    return ServedQuote(**dict(placed.changed(document_id=_source_id(result))), server=result.server)


def _document(name: str, results: Sequence[SearchDocument], load: Load | None) -> Document:
    """Return the document of search results: that of the folder, a server's page, or all results as one document."""
    first = results[0]
    if load is not None and first.passage is not None and not first.server:
        return load(name)
    text = first.whole if isinstance(first, ServedDocument) else "\n\n".join(result.text for result in results)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    unknown = "application/octet-stream"  # only the text is known
    return Document(id=name, title=first.title, media_type=unknown, content_hash=digest, text=text)


def _by_source(documents: Sequence[SearchDocument]) -> Mapping[str, Sequence[SearchDocument]]:
    """Return search results by the id under which they are shown, best document first."""
    sourced: dict[str, list[SearchDocument]] = {}
    for document in documents:
        name = _source_id(document)
        name = f"{name} from {document.server}" if document.server else name
        if isinstance(document, ServedDocument) and name in sourced:  # each page of a server is a document by itself
            name = f"{name}, page {len(sourced) + 1}"
        sourced.setdefault(name, []).append(document)
    return sourced


def _source_id(document: SearchDocument) -> str:
    passage = document.passage
    return passage.document_id if passage is not None else document.url or document.title or "search"


def _shown(name: str, results: Sequence[SearchDocument], question: str) -> ShownDocument:
    passages, start = [], 0
    for result in results:
        passage = result.passage
        if isinstance(result, ServedDocument):
            start = result.begins
        elif passage is not None and not result.server:
            start = passage.start
        own = {"heading": passage.heading, "page": passage.page, "match": passage.document_match} if passage else {}
        passages.append(ShownPassage.model_validate({"text": result.text, "start": start, **own}))
        start += len(result.text) + 2  # results without a document are joined by a blank line
    return ShownDocument(
        document_id=name,
        title=results[0].title,
        question=question,
        passages=tuple(sorted(passages, key=lambda passage: passage.start)),
        addresses_model=any(True for result in results for _ in addresses_model(result.text)),
    )
