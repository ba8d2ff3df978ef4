"""Checks a model's reply about documents: each sentence is the text of a quote, or a separate reading supports it."""

from __future__ import annotations

from collections.abc import Callable

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

_VERBATIM = "word for word from the quotes"


class ReplyCheck:
    """Decides how much of the reply to a request may be said. With quotes, their sentences and questions back may be
    said at once, and other sentences if a reading supports them; without quotes, everything but addresses that nobody
    gave. `say` receives the part of an unfinished reply that may be said at once.
    """

    def __init__(self, request: ModuleRequest, say: Hear | None) -> None:
        texts = [quote.text for quote in request.quotes]
        spans = {text: (*sentence_spans(text), (0, len(text))) for text in texts}
        self._request = request
        self._quoted = {one_line(text[start:end]) for text in texts for start, end in spans[text]}
        self._known = "\n".join(
            [*(turn.text for turn in request.turns), request.memory, request.entity, *request.memories]
        )
        self._say = say
        self._examined = ""
        self.heard = ""
        """The text reported so far."""

    def hear(self, written: str) -> None:
        """Receive everything that the model has written so far, as JSON, and report what may be said; each report
        extends the previous one. The unfinished sentence is not reported, because its end may change its meaning.
        """
        reply = unfinished_text(written, "reply")
        starts = [start for start, _ in sentence_spans(reply)]
        finished = reply[: starts[-1]].rstrip() if starts else ""
        if finished == self._examined:
            return
        self._examined = finished
        accepted = _beginning(finished, self._accepts)
        if len(accepted) > len(self.heard) and accepted.startswith(self.heard):
            self.heard = accepted
            if self._say is not None:
                self._say(accepted)

    def checked(self, reply: str, client: EngineClient, load: Load | None) -> tuple[str, str]:
        """Return the beginning of a reply that may be said, which includes all that was reported, and who checked it,
        or why nobody did; "" if it has no quotes. `load` returns the documents of the quotes, so that they are shown in
        their surroundings. Raises TemplateError, StoreError, ReplayError, and the signal BudgetSpent.
        """
        sentences = dict.fromkeys(reply[start:end].strip() for start, end in sentence_spans(reply))
        unsure = [sentence for sentence in sentences if not self._accepts(sentence) and not holds_address(sentence)]
        statements, by = self._judged(unsure, client, load) if unsure else ([], _VERBATIM)
        shown = {own.text for own in statements if own.support in (Support.SUPPORTED, Support.IN_PART)}
        text = _beginning(reply, lambda sentence: self._accepts(sentence) or sentence in shown)
        text = text if text.startswith(self.heard) else self.heard
        partly = (own for own in statements if own.support is Support.IN_PART and own.text in text)
        notes = "; ".join((by, *(f"in part: “{own.text}” ({own.reason})" for own in partly)))
        return text, notes if self._request.quotes and reply else ""

    def _accepts(self, sentence: str) -> bool:
        if not self._request.quotes:
            return sentence in self._known or not holds_address(sentence)
        return one_line(sentence) in self._quoted or (sentence.endswith("?") and not holds_address(sentence))

    def _judged(self, texts: list[str], client: EngineClient, load: Load | None) -> tuple[list[Statement], str]:
        """Return the sentences with what a reading says of each, and who read them or why nobody did. A quote of a
        server or of a changed file is a document by itself, and so is the memory that the reply may use.
        """
        request = self._request
        question = request.turns[-1].text if request.turns else ""
        placed = [_placed(f"E{number}", quote, load) for number, quote in enumerate(request.quotes, 1)]
        if request.memory:
            placed.append(_whole("M1", "what was said before", request.memory))
        quotes, documents = tuple(quote for quote, _ in placed), {document.id: document for _, document in placed}
        held = [quote.text for quote in quotes]
        statements = [Statement(text=text, quotes=quotes, notes=figure_notes(text, held, question)) for text in texts]
        outcome = check(client, statements, documents.__getitem__, Checking(question))
        by = f"nobody: {outcome.failure}" if outcome.failure else f"by {client.name(Role.CHECK)}"
        return [judged(own, outcome.judgements.get(number)) for number, own in enumerate(statements, 1)], by


def _placed(name: str, quote: Quote, load: Load | None) -> tuple[Quote, Document]:
    """Return a quote with its document, or with itself as a document if that is not known, or is another version."""
    try:
        document = load(quote.document_id) if load is not None else None
    except KeyError:
        document = None
    return (quote, document) if document and verify(quote, document) else _whole(name, quote.place, quote.text)


def _whole(name: str, place: str, text: str) -> tuple[Quote, Document]:
    own = Document(id=f"{place} [{name}]", title=place, media_type="text/plain", content_hash="", text=text)
    return quote_at(own, 0, len(text)), own


def _beginning(reply: str, accepts: Callable[[str], bool]) -> str:
    """Return the sentences before the first that is not accepted or repeats an earlier one."""
    beginning = ""
    known: set[str] = set()
    for start, end in sentence_spans(reply):
        sentence = reply[start:end].strip()
        if sentence in known or not accepts(sentence):
            break
        known.add(sentence)
        beginning = reply[:end].rstrip()
    return beginning
