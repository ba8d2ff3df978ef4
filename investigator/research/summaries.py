"""Summarises a document without a language model: using its own summary, its key figures, or a timeline. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.engines.extractive.summarising import how_many_points
from investigator.evidence.cells import cell_quote
from investigator.language.terms import content_words
from investigator.questions.cues import cues, patterns
from investigator.questions.imprints import covered_period
from investigator.questions.kinds import asks_everything, summarised
from investigator.questions.related import roots
from investigator.records import Document, Finding, Quote
from investigator.research.table_cells import MET_POINT, met_cells
from investigator.research.telling import YEAR, dated_sentences, main_sentences
from investigator.tables.document_tables import tables_of
from investigator.tables.key_cells import key_cells

_MOST_FIGURES = 5
_BEGINNING = 200  # number of characters at the beginning of a document that may name it
_MOST_OF = 0.6  # minimum share of the words of the requested subject that are in the document's names and headings
# share of sentences taken from the text's own summary; the other sentences are from the rest of the text
_SHARE_OF_MAIN = 0.75


def with_own_summary(finding: Finding, question: str, document: Document) -> Finding:
    """Return the finding with some of its quotes replaced by an extract of the document.

    For a timeline, the extract consists of sentences that name a year. Otherwise, the extract consists of the main
    results, if a long text begins with them. For a financial report, the key figures come first; if there are few
    sentences, figures from tables follow.
    """
    if finding.addressed:
        return finding
    most, figures = how_many_points(question), _key_figures(document)
    if patterns("summaries")["timeline"].search(question):
        chosen = dated_sentences(document, _years(question), most=most)
    else:
        main = main_sentences(document, most=round(most * _SHARE_OF_MAIN)) if not figures else ()
        rest = [quote for quote in finding.quotes if all(is_apart(quote, other) for other in main)]
        chosen = tuple(sorted((*main, *rest[: most - len(main)]), key=lambda quote: quote.start))
    quotes = tuple(dict.fromkeys((*figures, *(chosen or finding.quotes))))
    if len(quotes) < most and _is_summarised(question, document):
        cells = key_cells(tables_of(document), most - len(quotes))
        quotes = tuple(dict.fromkeys((*quotes, *(cell_quote(document, *cell) for cell in cells))))
        finding = finding.changed(point=MET_POINT if quotes else finding.point)
    said = " ".join(quote.said for quote in quotes)
    return finding.changed(quotes=quotes, reply=said)


def _is_summarised(question: str, document: Document) -> bool:
    """Return True if a question asks for a summary of the document, or of everything."""
    if not document.tables or asks_everything(question):
        return bool(document.tables)
    tables, wanted = tables_of(document), roots(" ".join(content_words(summarised(question))))
    names = (*(view.caption for view in tables.views), *(heading.text for heading in document.headings))
    own = roots(" ".join((tables.own_name, tables.beside_tables(_BEGINNING), *names)))
    return _MOST_OF * len(wanted) <= len(wanted & own)


def _years(question: str) -> range:
    """Return the years that a question asks about: from the first to the last that it names, or all years if it names
    none.
    """
    named = [int(year) for year in YEAR.findall(question)]
    return range(min(named), max(named) + 1) if named else range(0, 10_000)


def _key_figures(document: Document) -> Sequence[Quote]:
    """Return the cells with the key figures of a periodic report. The cue entry lists the figures, with alternative
    names for each.
    """
    period = covered_period(document.imprint)
    lines = cues("summaries")["key_figures"].split("|") if period and document.tables else []
    names = ([" ".join(name.split()) for name in line.split(" or ")] for line in lines)
    cells = ((cell for name in each for cell in met_cells(f"{name}, {period}", document)) for each in names)
    return [quote for found in cells if (quote := next(found, None)) is not None][:_MOST_FIGURES]


def is_apart(quote: Quote, other: Quote) -> bool:
    """Return True if two quotes do not overlap."""
    return quote.document_id != other.document_id or quote.end <= other.start or other.end <= quote.start
