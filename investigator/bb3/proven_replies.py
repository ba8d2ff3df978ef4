"""Proof in a chat: what is said of documents stands in them, and what is said besides was said before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.evidence.claims import prove, unsaid
from investigator.evidence.quotes import Sources, find_quote
from investigator.records import Document, Quote
from investigator.text.addressed import addresses_model


def proven_quotes(
    told: Iterable[tuple[str, int]], documents: Sequence[SearchDocument], sources: Sources | None
) -> tuple[Quote, ...]:
    """The texts that stand in the document that they are said to come from, else in the first that holds them.

    Documents are counted from 1. Those of the folder are proven in their `sources`, others in the text that the search
    server gave. A sentence that speaks to a language model instead of to a reader is no quote.
    """
    found: dict[Quote, None] = {}
    for text, number in told:
        quotes = (_in(document, text, sources) for document in _in_order(documents, number))
        quote = next((quote for quote in quotes if quote is not None), None)
        if quote is not None and not addresses_model(quote.text):
            found[quote] = None
    return tuple(found)


def is_grounded(reply: str, request: ModuleRequest) -> bool:
    """Whether a reply says nothing that was not given to it: figures and denials stand in its quotes or were said.

    Without quotes only what stands in the conversation, the memories and the topic may be repeated.
    """
    said = "\n".join([*(turn.text for turn in request.turns), request.memory, request.entity, *request.memories])
    if not request.quotes:
        return unsaid(reply, said) is None
    return prove(reply, request.quotes, said) is None


def _in_order(documents: Sequence[SearchDocument], number: int) -> Iterator[SearchDocument]:
    named = documents[number - 1 : number] if number > 0 else ()
    yield from named
    yield from (document for document in documents if document not in named)


def _in(document: SearchDocument, text: str, sources: Sources | None) -> Quote | None:
    passage = document.passage
    if passage is not None and sources is not None:
        return sources[passage.document_id].find(text, near=((passage.start, passage.end),))
    source = Document(
        id=document.url or document.title or "search",
        title=document.title,
        media_type="text/plain",
        content_hash=hashlib.sha256(document.text.encode("utf-8", "replace")).hexdigest(),
        text=document.text,
    )
    return find_quote(text, source)
