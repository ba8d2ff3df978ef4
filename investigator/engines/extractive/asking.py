"""Finds the passages of documents that most likely answer a question. Nobody has read them: they are only near."""

from __future__ import annotations

from itertools import accumulate, pairwise, repeat

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import Stretch, context_of
from investigator.engines.extractive.ranking import Ranked, ranked
from investigator.language.normalise import one_line
from investigator.records import (
    AskReply,
    AskVariables,
    CellReply,
    DocumentReply,
    RowReply,
    RowVariables,
    ShownDocument,
    Verdict,
)

_MOST_QUOTES = 3


def ask(variables: AskVariables, embedder: Embedder) -> AskReply:
    """Return the best passages of each document, as quotes and as the reply, with a point.

    The sentences of all documents are compared together: what is far behind the best one says nothing on the question.
    """
    own = [stretches(document) for document in variables.documents]
    every = ranked([stretch for texts in own for stretch in texts], variables.main_question, embedder)
    starts = accumulate((len(texts) for texts in own), initial=0)
    parts = [every.part(first, end) for first, end in pairwise(starts)]
    is_alone = len(parts) == 1  # others, which are read elsewhere, may count
    counted = [part.counts or (part.counts_beside and (is_alone or every.counts)) for part in parts]
    readings = map(_reading, variables.documents, parts, counted, repeat(variables.most_quotes))
    return AskReply(readings=tuple(readings))


def fill_row(variables: RowVariables, embedder: Embedder) -> RowReply:
    """Return the best passage of the document for each question, if one is near enough."""
    texts = stretches(variables.document)
    cells = (_cell(number, ranked(texts, question, embedder)) for number, question in enumerate(variables.questions, 1))
    return RowReply(answers=tuple(cells))


def stretches(document: ShownDocument) -> list[Stretch]:
    """Return the passages of a document; without a search, the document is as likely as not."""
    return [
        Stretch(
            text=passage.text,
            context=context_of(document, passage.heading),
            match=0.5 if passage.match is None else passage.match,
        )
        for passage in document.passages
    ]


def _reading(document: ShownDocument, best: Ranked, is_counted: bool, most_quotes: int) -> DocumentReply:
    quotes = best.quotes(min(_MOST_QUOTES, most_quotes) if is_counted else 1)
    beside = Verdict.IN_PART if is_counted else Verdict.NOT_STATED
    return DocumentReply(
        document=document.document_id,
        verdict=Verdict.ANSWERS if best.counts else beside,
        point=best.point,
        quotes=quotes,
        reply=" ".join(map(one_line, quotes)) if is_counted else "",
    )


def _cell(number: int, best: Ranked) -> CellReply:
    if not best.counts:
        return CellReply(question=number, verdict=Verdict.NOT_STATED)
    (quote,) = best.quotes(1)
    return CellReply(question=number, verdict=Verdict.ANSWERS, quotes=(quote,), answer=one_line(quote))
