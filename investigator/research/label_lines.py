"""Finds the lines with a label that answer a question: the search ranks "Owner: Human Resources" too low. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.labels import label_line, labelled_spans
from investigator.language.normalise import one_line
from investigator.language.terms import content_words
from investigator.questions.constraints import constraints
from investigator.questions.cues import names_nothing
from investigator.questions.equivalents import equivalents
from investigator.questions.labelled import says_label
from investigator.questions.related import roots
from investigator.records import Claim, Document, Finding, Part, Quote
from investigator.research.judging import Judging
from investigator.scoring.calibration import default_calibration

_MOST_LINES = 500  # lines of a document that are judged, because each takes milliseconds
_MOST_QUOTES = 3


def with_label_lines(finding: Finding, question: str, document: Document) -> Finding:
    """Put the lines with a label that meet all of a question before the other quotes of a finding."""
    if finding.addressed or any(quote.cell is not None for quote in finding.quotes):
        return finding
    met = answering_lines(question, document)
    if not met:
        return finding
    quotes = tuple(dict.fromkeys((*met, *finding.quotes)))
    reply = " ".join(dict.fromkeys((*(one_line(quote.text) for quote in met), finding.reply)))
    return finding.changed(quotes=quotes, reply=reply, point=max(default_calibration().threshold, finding.point or 0))


def answering_lines(question: str, document: Document) -> tuple[Quote, ...]:
    """Return the lines with a label that meet all of a question and have all its words, at most three."""
    part = Part(question=question, constraints=constraints(question))
    asked = [(one.question, _telling(one.question)) for one in equivalents(part)]
    judging, found = Judging(lambda _: document), list[Quote]()
    spans = labelled_spans(document.text)
    candidates = (span for span in spans if _may_answer(asked, document, span))
    for start, end in islice(candidates, _MOST_LINES):
        quote = quote_at(document, start, end)
        best = judging.best(part, (Claim(text=one_line(quote.text), quotes=(quote,)),))
        if best is not None and best.is_met and best.own_share == 1.0 and not addresses_model(quote.text):
            found.append(quote)
    return tuple(found[:_MOST_QUOTES])


def _may_answer(asked: Sequence[tuple[str, frozenset[str]]], document: Document, span: tuple[int, int]) -> bool:
    """Return True if a wording of the question has all words of a label, or one of its value; of the rows of tables,
    which are read by their words, if it has one of any cell.
    """
    text = document.text[slice(*span)]
    line, is_row = label_line(text), any(table.start <= span[0] < table.end for table in document.tables)
    value = roots(text if is_row or line is None else line.value)
    return any(
        not telling.isdisjoint(value) or (not is_row and line is not None and says_label(wording, line.label))
        for wording, telling in asked
    )


def _telling(question: str) -> frozenset[str]:
    return roots(" ".join(word for word in content_words(question) if not names_nothing(word)))
