"""Checks a model's reply about documents: each sentence is the text of a quote, or a separate reading supports it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from investigator.asking.client import EngineClient
from investigator.asking.replies import unfinished_text
from investigator.bb3.exchange import ModuleRequest
from investigator.engines.base import Hear
from investigator.engines.roles import Role
from investigator.language.addresses import holds_address
from investigator.language.normalise import one_line
from investigator.language.sentences import sentence_spans
from investigator.proof.figures import figure_notes
from investigator.proof.quotes import Load, quote_at, verify
from investigator.records import Document, Quote, Statement, Support
from investigator.research.check import Checking, check, judged

Accepts = Callable[[str], bool]
"""Returns True if a sentence may be said."""


@dataclass(frozen=True)
class ReplyCheck:
    """The sentences that were checked, and who checked them, or why nobody did."""

    by: str = "word for word from the quotes"
    sentences: tuple[Statement, ...] = ()

    def supports(self, sentence: str) -> bool:
        """Return True if the quotes support a sentence, at least in part."""
        shown = (Support.SUPPORTED, Support.IN_PART)
        return any(own.text == sentence and own.support in shown for own in self.sentences)

    def text(self, reply: str) -> str:
        """Return who checked a reply, and what is supported only in part."""
        partly = (own for own in self.sentences if own.support is Support.IN_PART and own.text in reply)
        return "; ".join((self.by, *(f"in part: “{own.text}” ({own.reason})" for own in partly)))


def accepts_at_once(request: ModuleRequest) -> Accepts:
    """Return which sentences need no further reading: with quotes, their sentences and questions back; without quotes,
    everything but addresses that nobody gave.
    """
    if not request.quotes:
        known = "\n".join([*(turn.text for turn in request.turns), request.memory, request.entity, *request.memories])
        return lambda sentence: sentence in known or not holds_address(sentence)
    texts = [quote.text for quote in request.quotes]
    own = {one_line(text[start:end]) for text in texts for start, end in (*sentence_spans(text), (0, len(text)))}
    return lambda sentence: one_line(sentence) in own or (sentence.endswith("?") and not holds_address(sentence))


def checked_reply(client: EngineClient, reply: str, request: ModuleRequest, load: Load | None = None) -> ReplyCheck:
    """Have the sentences of a reply checked against its quotes, except those that may be said at once; a sentence with
    an address is not even checked.

    `load` returns the documents of the quotes, so that they are shown in their surroundings. Raises TemplateError,
    StoreError, ReplayError, and the signal BudgetSpent.
    """
    accepts = accepts_at_once(request)
    sentences = dict.fromkeys(reply[start:end].strip() for start, end in sentence_spans(reply))
    unsure = [sentence for sentence in sentences if not accepts(sentence) and not holds_address(sentence)]
    if not unsure:
        return ReplyCheck()
    question = request.turns[-1].text if request.turns else ""
    quotes, documents = _evidence(request, load)
    notes = {text: figure_notes(text, [quote.text for quote in quotes], question) for text in unsure}
    statements = [Statement(text=text, quotes=quotes, notes=notes[text]) for text in unsure]
    outcome = check(client, statements, documents.__getitem__, Checking(question))
    by = f"nobody: {outcome.failure}" if outcome.failure else f"by {client.name(Role.CHECK)}"
    judgements = outcome.judgements
    return ReplyCheck(by, tuple(judged(own, judgements.get(number)) for number, own in enumerate(statements, 1)))


def _evidence(request: ModuleRequest, load: Load | None) -> tuple[tuple[Quote, ...], Mapping[str, Document]]:
    """Return the quotes, and their documents; a quote of a server or of a changed file is a document by itself,
    and so is the memory that the reply may use.
    """
    quotes: list[Quote] = []
    documents: dict[str, Document] = {}
    given = [(f"E{number}", quote, quote.place, quote.text) for number, quote in enumerate(request.quotes, 1)]
    memory = [("M1", None, "what was said before", request.memory)] if request.memory else []
    for name, quote, place, text in (*given, *memory):
        document = _document_of(quote, load) if quote is not None else None
        if quote is None or document is None:
            document = Document(
                id=f"{place} [{name}]", title=place, media_type="text/plain", content_hash="", text=text
            )
            quote = quote_at(document, 0, len(text))
        quotes.append(quote)
        documents[document.id] = document
    return tuple(quotes), documents


def _document_of(quote: Quote, load: Load | None) -> Document | None:
    """Return the document of a quote that stands in it; None if it is not known, or is another version."""
    try:
        document = load(quote.document_id) if load is not None else None
    except KeyError:
        return None
    return document if document is not None and verify(quote, document) else None


def accepted_beginning(reply: str, accepts: Accepts) -> str:
    """Return the sentences at the beginning of a reply that may be said. The result ends before the first sentence that
    may not be said or repeats an earlier one, and may be empty.
    """
    beginning = ""
    known: set[str] = set()
    for start, end in sentence_spans(reply):
        sentence = reply[start:end].strip()
        if sentence in known or not accepts(sentence):
            break
        known.add(sentence)
        beginning = reply[:end].rstrip()
    return beginning


class HeardSentences:
    """Reports a model's JSON reply while it is being written, as far as it may be said at once; each report contains
    the previous one and extends it. The unfinished sentence is not reported, because its end may change its meaning.
    """

    def __init__(self, request: ModuleRequest, say: Hear | None) -> None:
        self._accepts = accepts_at_once(request)
        self._say = say
        self._examined = ""
        self.text = ""
        """The text reported so far."""

    def hear(self, written: str) -> None:
        """Receive everything that the model has written so far."""
        reply = unfinished_text(written, "reply")
        starts = [start for start, _ in sentence_spans(reply)]
        finished = reply[: starts[-1]].rstrip() if starts else ""
        if finished == self._examined:
            return
        self._examined = finished
        accepted = accepted_beginning(finished, self._accepts)
        if len(accepted) > len(self.text) and accepted.startswith(self.text):
            self.text = accepted
            if self._say is not None:
                self._say(accepted)
