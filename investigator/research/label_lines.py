"""Finds label lines, such as "Owner: Human Resources", that answer a question; the search ranks such lines too low.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.labels import as_statement, label_line, labelled_spans
from investigator.language.normalise import one_line
from investigator.questions.constraints import constraints
from investigator.questions.equivalents import equivalents
from investigator.questions.labelled import says_label
from investigator.records import Claim, Document, Finding, Part, Quote
from investigator.research.judging import Judging, best_of_each
from investigator.research.own_share import may_have_all_words
from investigator.research.rows import row_at
from investigator.scoring.calibration import default_calibration

_MOST_LINES = 500  # maximum number of lines judged in a document; a line takes milliseconds
_MOST_QUOTES = 3


def with_label_lines(finding: Finding, question: str, document: Document) -> Finding:
    """Put the label lines that answer a question before the other quotes of a finding."""
    if finding.addressed or any(quote.cell is not None for quote in finding.quotes):
        return finding
    met = answering_lines(question, document)
    if not met:
        return finding
    quotes = tuple(dict.fromkeys((*met, *finding.quotes)))
    reply = " ".join(dict.fromkeys((*(one_line(quote.text) for quote in met), finding.reply)))
    return finding.changed(quotes=quotes, reply=reply, point=max(default_calibration().threshold, finding.point or 0))


@lru_cache(maxsize=64)  # the same documents are also asked rewordings of the question
def answering_lines(question: str, document: Document) -> tuple[Quote, ...]:
    """Return up to three label lines that meet every constraint of a question and contain all its words."""
    part = Part(question=question, constraints=constraints(question))
    wordings, spans = equivalents(part), labelled_spans(document.text)
    candidates = islice((span for span in spans if _may_answer(wordings, document, span)), _MOST_LINES)
    quotes = (quote_at(document, start, end) for start, end in candidates)
    claims = [Claim(text=one_line(quote.text), quotes=(quote,)) for quote in quotes]
    judged = best_of_each(Judging(lambda _: document).each(part, claims))
    met = (one.said.quote for one in judged if one.is_met and one.own_share == 1.0)
    return tuple(islice((quote for quote in met if not addresses_model(quote.text)), _MOST_QUOTES))


def _may_answer(wordings: Sequence[Part], document: Document, span: tuple[int, int]) -> bool:
    """Return True if a wording of the question contains the line's whole label, or if the line or row may contain all
    words of the wording.
    """
    row, text = row_at(document, *span), document.text[slice(*span)]
    line = None if row else label_line(text)
    said = f"{text} {row.said}" if row else as_statement(text)
    return any(
        (line is not None and says_label(part.question, line.label)) or may_have_all_words(part, said, document)
        for part in wordings
    )
