"""Checks the replies in a chat: statements about documents must be quoted from them, and anything else must have been
said before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial

from investigator.asking.replies import unfinished_text
from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.forms.echoes import goes_on, without_prompt
from investigator.bb3.search.served import UNKNOWN_TYPE, ServedDocument, ServedQuote
from investigator.engines.base import Hear
from investigator.evidence.cautions import unquoted
from investigator.evidence.claims import prove, unsaid
from investigator.evidence.quotes import AddressedSpan, Find, Sources, addressed_spans, find_quote, proven
from investigator.language.addressed import addresses_model
from investigator.language.addresses import holds_address
from investigator.language.lists import listed_lines
from investigator.language.negation import allows_negation, negates
from investigator.language.relevance import stems
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words, stem, stop_words, words
from investigator.records import Document, Quote

_OF_ONESELF = re.compile(
    r"\b(?:i|we|ich|wir|je|nous|yo)\b[\s'’\w]{0,20}?(?:\b(?:not|never|no|nothing|none|cannot|nicht|nichts|nie|kein\w{0,2}|pas|nada)"
    r"|n['’]t)\b|\b(?:no (?:problem|worries|doubt)|not at all|why not|never mind|don['’]t (?:worry|mention))\b",
    re.IGNORECASE,
)


def proven_quotes(
    told: Iterable[tuple[str, int]], documents: Sequence[SearchDocument], sources: Sources | None
) -> tuple[Quote, ...]:
    """Return each text as a quote from the document with the given number, counted from 1, or else from the first
    document that contains it. Quotes from the folder are proven in their `sources`. Text from a server is looked up in
    the page that the server sent, and its quotes name the server, because they prove nothing about the folder.
    Sentences that address a language model, and parts of them, are removed from quotes.
    """
    spoken = [span for document in documents for span in _addressed_in(document)]
    parts = [(part, number) for text, number in told for part in _for_readers(text)]
    quotes, _ = proven(((part, _finds(documents, number, sources)) for part, number in parts), spoken)
    return quotes


def is_grounded(reply: str, request: ModuleRequest) -> bool:
    """Return True if a reply contains nothing new. Each sentence must be a question, be proven by the quotes like a
    claim in an answer, or repeat the conversation, the memories or the topic. In a reply without quotes, only the
    figures and negations must have occurred before; negations about oneself ("I have not looked it up") are not claims.
    """
    said = "\n".join([*(turn.text for turn in request.turns), request.memory, request.entity, *request.memories])
    if not request.quotes:
        return not (holds_address(reply) and reply not in said) and _repeats(reply, said)
    if unquoted(reply, request.quotes):
        return False
    told = [*_told(said), *(quote.place for quote in request.quotes)]
    sentences = [reply[start:end].strip() for start, end in sentence_spans(reply)]
    return all(
        sentence.endswith("?")
        or (is_told_in(sentence, told) and _repeats(sentence, said))
        or prove(sentence, request.quotes, said).is_proven
        for sentence in sentences
    )


def _repeats(reply: str, said: str) -> bool:
    """Return True if all figures and negations in a reply have occurred before."""
    return unsaid(reply, said) is None and not _denies(reply, said)


def _told(said: str) -> list[str]:
    """Return the earlier text without questions: repeating a question as a statement would be a new claim."""
    sentences = (said[start:end] for start, end in sentence_spans(said))
    return [sentence for sentence in sentences if not sentence.rstrip().endswith("?")]


def proven_beginning(reply: str, request: ModuleRequest) -> str:
    """Return the sentences at the beginning of a reply that are grounded and continue the conversation.

    The result ends before the first sentence that is not grounded or repeats an earlier one, and may be empty.
    """
    beginning = ""
    said: set[str] = set()
    for start, end in sentence_spans(reply):
        part, plain = reply[:end].rstrip(), " ".join(words(reply[start:end]))
        is_reply = goes_on(part, request)
        if plain in said or not is_grounded(part, request) or (beginning and not is_reply):
            break
        said.add(plain)
        if is_reply:
            beginning = part
    return beginning


class ProvenSentences:
    """Reports the proven part of a model's JSON reply while it is being written; each report contains the previous one
    and extends it. The unfinished sentence is not reported, because its end may change its meaning. Text after a
    repeated piece of the prompt is not reported either; `own` is the fixed text of the prompt.
    """

    def __init__(self, request: ModuleRequest, say: Hear | None, own: str = "") -> None:
        self._request = request
        self._own = own
        self._say = say
        self._looked_at = ""
        self.said = ""
        """The text reported so far."""

    def hear(self, written: str) -> None:
        """Receive everything that the model has written so far."""
        reply = without_prompt(unfinished_text(written, "reply"), self._own)
        starts = [start for start, _ in sentence_spans(reply)]
        finished = reply[: starts[-1]].rstrip() if starts else ""
        if finished == self._looked_at:
            return
        self._looked_at = finished
        proven = proven_beginning(finished, self._request)
        if len(proven) > len(self.said) and proven.startswith(self.said):
            self.said = proven
            if self._say is not None:
                self._say(proven)


def resting_on(reply: str, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return quotes that together contain all words that the reply shares with any quote, preferring those with the
    most such words. Return all quotes if the reply shares none.
    """
    wanted = stems(content_words(reply))
    chosen: list[Quote] = []
    while quotes:
        best = max(quotes, key=lambda quote: _shared(quote, wanted))
        if not _shared(best, wanted):
            break
        chosen.append(best)
        wanted -= stems(words(best.text))
    return tuple(quote for quote in quotes if quote in chosen) or tuple(quotes)


def _shared(quote: Quote, wanted: frozenset[str]) -> int:
    return len(wanted & stems(words(quote.text)))


def _denies(reply: str, said: str) -> bool:
    """Return True if a sentence of a reply contains a negation that is in no source."""
    sentences = (reply[start:end].strip() for start, end in sentence_spans(reply))
    denials = (_OF_ONESELF.sub("", sentence) for sentence in sentences if not sentence.endswith("?"))
    return any(negates(denial) and not allows_negation(said, denial) for denial in denials)


def _for_readers(text: str) -> list[str]:
    """Return the text without the sentences that address a language model."""
    parts, done = [], 0
    for start, end in addresses_model(text):
        parts.append(text[done:start])
        done = end
    return [part.strip() for part in (*parts, text[done:]) if part.strip()]


def _addressed_in(document: SearchDocument) -> tuple[AddressedSpan, ...]:
    passage = document.passage
    if passage is None:
        return addressed_spans(_source_id(document), document.text)
    return addressed_spans(passage.document_id, document.text, passage.start)


def _in_order(documents: Sequence[SearchDocument], number: int) -> Iterator[SearchDocument]:
    named = documents[number - 1 : number] if number > 0 else ()
    yield from named
    yield from (document for document in documents if document not in named)


def _finds(documents: Sequence[SearchDocument], number: int, sources: Sources | None) -> list[Find]:
    return [partial(_in, document, sources=sources) for document in _in_order(documents, number)]


def _in(document: SearchDocument, text: str, sources: Sources | None) -> Quote | None:
    quote = _found_in(document, text, sources)
    if quote is None or not document.server:
        return quote
    return ServedQuote(**dict(quote), server=document.server)


def _found_in(document: SearchDocument, text: str, sources: Sources | None) -> Quote | None:
    passage, name = document.passage, _source_id(document)
    if isinstance(document, ServedDocument):
        return document.quote(text, name)
    if passage is not None and sources is not None and not document.server:
        return sources[name].quote(text, near=((passage.start, passage.end),))
    source = Document(
        id=name,
        title=document.title,
        media_type=UNKNOWN_TYPE,
        content_hash=hashlib.sha256(document.text.encode("utf-8", "replace")).hexdigest(),
        text=document.text,
    )
    return find_quote(text, source)


def _source_id(document: SearchDocument) -> str:
    passage = document.passage
    return passage.document_id if passage is not None else document.url or document.title or "search"


def is_told_in(reply: str, given: Iterable[str]) -> bool:
    """Return True if every content word in a reply occurs in one of the texts, in any inflection.

    Numbers, dates and negations are proven elsewhere. Everything else depends on the words: a name or verb that no
    quote contains makes a different statement. Paraphrases are therefore rejected as well, and the quotes are shown
    instead. Reporting words ("according to the report") and questions are exempt.
    """
    known = stems(word for text in given for word in words(text)) | _reporting()
    sentences = (reply[start:end].strip() for start, end in sentence_spans(reply))
    return all(
        stem(word) in known for sentence in sentences if not sentence.endswith("?") for word in _stating(sentence)
    )


def _stating(sentence: str) -> Iterable[str]:
    bare = stop_words() - _listed("bounding_words.txt")
    return (word for word in words(sentence) if word not in bare and not any(char.isdigit() for char in word))


@cache
def _reporting() -> frozenset[str]:
    return stems(_listed("reporting_words.txt"))


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(word for line in listed_lines(name, "investigator.bb3.forms") for word in words(line))
