"""Checks, sentence by sentence, that a statement meets every constraint of a part of the question. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from investigator.documents.pages import heading_at
from investigator.evidence.enumerations import enumerated
from investigator.evidence.listed_items import listed_items
from investigator.evidence.quoted_mail import is_quoted
from investigator.evidence.quotes import quote_at
from investigator.evidence.widening import with_its_name
from investigator.language.normalise import one_line
from investigator.language.sentences import statement_spans
from investigator.language.terms import content_words, stem, stop_words, words
from investigator.questions.cues import empty_words
from investigator.questions.kinds import kind_of
from investigator.questions.matching import matches, stands
from investigator.questions.numbered import numbered
from investigator.questions.related import root, roots
from investigator.questions.spans import moments
from investigator.questions.surroundings import Surroundings
from investigator.records import (
    Claim,
    ConstraintKind,
    ConstraintMatch,
    Decision,
    Document,
    MatchState,
    NearMiss,
    Part,
    QuestionKind,
    Quote,
    Table,
)
from investigator.research.deciding import decision_of_cell, decision_of_row, decision_of_sentence, is_reported
from investigator.research.rows import row_at, statements_of
from investigator.research.table_cells import cell_matches, claim_matches
from investigator.tables.binding import Binding
from investigator.tables.document_tables import tables_of

_LEAST_OWN = 0.5  # share of the question's words that the answering sentence must contain
_AROUND = 250  # characters read before and after a quote
_ABOUT = 600  # characters at the beginning of a document that describe it
_PRONOUN = re.compile(r"\b(?:it|they|he|she|this|these)\b", re.IGNORECASE)
"""Pronouns that refer to something named in the previous sentence."""
_NUMBERING = re.compile(r"^\W*(?:\d+(?:\.\d+)*|[a-z])[.)]\s+", re.IGNORECASE)
_LONGEST_RUN_IN = 3  # words
_STOPS = (".", "!", "?", ";", ":")
_QUOTATION_MARKS = " \n\"'”’»"
_MARKS = "#*|-:= \n\t"
"""The marks around the words of a heading and of a header."""
_LOOSE = frozenset({ConstraintKind.ATTRIBUTE, ConstraintKind.ANSWER_TYPE, ConstraintKind.DIRECTION})
"""Constraints that a language model may meet in words other than the question's."""
_SAID = frozenset({ConstraintKind.ATTRIBUTE, ConstraintKind.ENTITY, ConstraintKind.PLACE, ConstraintKind.CONDITION})
"""Constraints that a sentence meets in words of the question."""

_MORE = frozenset({ConstraintKind.PERIOD, ConstraintKind.CONDITION, ConstraintKind.DIRECTION})
"""The constraints of a question other than words."""
_KIND = frozenset({ConstraintKind.ANSWER_TYPE, ConstraintKind.QUANTITY})
"""Constraints on the kind of answer, which a sentence must meet in addition to containing the question's words."""


@dataclass(frozen=True)
class Judged:
    """The statement that meets most constraints of a part of the question."""

    part: Part
    claim: Claim
    quote: Quote
    matches: tuple[ConstraintMatch, ...]
    is_met: bool
    span: tuple[int, int] | None = None
    """Span of the sentence in the quote; None for a cell, a computed figure or a model's own statement."""
    own_share: float = 1.0
    """Share (0..1) of the question's words in the sentence itself, excluding those that name the document's subject."""
    is_list: bool = False
    """True for an item of a requested list, and for a sentence that lists all items."""
    decision: Decision | None = None
    """The yes or no that it gives to a yes-or-no question."""
    is_reported: bool = False
    """True for older text that a message quotes, and for somebody's words that would decide a yes-or-no question."""

    @property
    def failing(self) -> tuple[ConstraintMatch, ...]:
        """Return the unmet constraints, contradictions first."""
        left = [match for match in self.matches if match.state is not MatchState.MET]
        return tuple(sorted(left, key=lambda match: match.state is not MatchState.CONTRADICTED))

    @property
    def is_near_miss(self) -> bool:
        """Return True if it contradicts one constraint and meets all others."""
        return len(self.failing) == 1 and self.failing[0].state is MatchState.CONTRADICTED

    def near_miss(self) -> NearMiss | None:
        """Return the quote as a near miss; None if it meets all, or less than half."""
        if not self.failing or len(self.failing) * 2 > len(self.matches):
            return None
        opposite = self.is_near_miss and self.failing[0].constraint.kind is ConstraintKind.DIRECTION
        return NearMiss(part=self.part.question, quote=self.quote, failing=self.failing, says_opposite=opposite)


def judged(
    part: Part,
    claims: Sequence[Claim],
    document: Callable[[str], Document],
    *,
    sure: Callable[[Claim, bool], bool],
    read: bool,
) -> Judged | None:
    """Return the statement that meets most constraints of a part; None without statements. The arguments are those of
    `each_judged`.
    """
    found = each_judged(part, claims, document, sure=sure, read=read)
    return max(found, key=_rank, default=None)


def _rank(one: Judged) -> tuple[float, ...]:
    return one.is_met, one.is_list, not one.is_reported, -len(one.failing), one.own_share


def each_judged(
    part: Part,
    claims: Sequence[Claim],
    document: Callable[[str], Document],
    *,
    sure: Callable[[Claim, bool], bool],
    read: bool,
) -> Iterator[Judged]:
    """Judge each sentence, row and cell in the quotes of some statements.

    `sure` decides if a statement that meets all constraints is an answer; its argument is True if one sentence has
    every word of the question and the requested kind of answer. A yes-or-no question is answered only by what decides
    it. `read` is True if a language model wrote the statements: then other words are accepted if most constraints are
    met.
    """
    asks = read or len(words(part.question)) > 1  # a single word names the subject, not what is asked about it
    decides = not read and kind_of(part.question) is QuestionKind.YES_NO
    items = dict[str, tuple[Quote, ...]]()
    for claim in claims:
        for quote, sentence, span in _sentences(claim, document, read):
            if quote.document_id not in items:
                items[quote.document_id] = listed_items(part.question, document(quote.document_id))
            is_listed = quote in items[quote.document_id] or _lists_all(part, quote, span)
            own = _matches(part, claim, (quote, sentence), document)
            if is_listed:  # the introduction of its list says all that is asked
                own = tuple(match.changed(state=MatchState.MET) for match in own)
            is_question = sentence.rstrip(_QUOTATION_MARKS).endswith("?")  # states nothing
            is_older = is_quoted(document(quote.document_id), quote.start + (span[0] if span else 0))
            share = 1.0
            if span and not is_listed:
                share = _own_share(own, (quote, sentence, span), document(quote.document_id))
            if decides:
                decision = _decision(part, own, (quote, sentence, span), document(quote.document_id))
                is_met = decision is not None and not (is_question or is_older) and sure(claim, True)
                said = is_reported(part.question, sentence)
                yield Judged(part, claim, quote, own, is_met, span, share, decision=decision, is_reported=said)
                continue
            is_title = span is not None and _is_title(part.question, quote, span, document(quote.document_id))
            says_all = (
                share == 1.0 and _names_something(own) and _KIND & {match.constraint.kind for match in own} != set()
            )
            met = (
                asks
                and not is_question
                and (is_listed or not is_title)
                and share >= _LEAST_OWN
                and sure(claim, says_all or is_listed)
                and _meets(own, read and quote.cell is None)
            )
            yield Judged(part, claim, quote, own, met, span, share, is_listed, is_reported=is_older)


def _lists_all(part: Part, quote: Quote, span: tuple[int, int] | None) -> bool:
    """Return True if a sentence of a quote lists all that a part asks for, and the part asks nothing else."""
    if span is None or not _MORE.isdisjoint(constraint.kind for constraint in part.constraints):
        return False
    before = [quote.text[start:end] for start, end in statement_spans(quote.text[: span[0]])]
    return bool(enumerated(part.question, quote.text[slice(*span)], *before[-1:]))


def _decision(
    part: Part, own: Sequence[ConstraintMatch], quoted: tuple[Quote, str, tuple[int, int] | None], document: Document
) -> Decision | None:
    """Return the yes or no that a sentence, a row or a cell gives to a part."""
    quote, sentence, span = quoted
    if quote.cell is not None:
        return decision_of_cell(part.question, quote.cell.value) if _meets(own, read=False) else None
    title = "" if document.title in quote.text else document.title
    about = roots(f"{title} {document.id.replace('_', ' ')} {document.imprint.issuer}")
    if span is not None and (row := row_at(document, quote.start + span[0], quote.start + span[1])):
        return decision_of_row(part.question, row.view, row.number, about) if _meets(own, read=False) else None
    return decision_of_sentence(part, surroundings(quote, sentence, document), about)


def _matches(
    part: Part, claim: Claim, quoted: tuple[Quote, str], document: Callable[[str], Document]
) -> tuple[ConstraintMatch, ...]:
    """Match the constraints of a part with a quote: for a cell its labels count, else the surrounding text."""
    quote, sentence = quoted
    if claim.computation is not None:
        return claim_matches(part.question, claim, {one.document_id: document(one.document_id) for one in claim.quotes})
    if quote.cell is not None:
        return cell_matches(part.question, quote, document(quote.document_id))
    return matches(part.constraints, part.question, surroundings(quote, sentence, document(quote.document_id)))


def _names_something(own: Sequence[ConstraintMatch]) -> bool:
    """Return True if a word of the question names something, unlike those of "who was told"."""
    asked = words(" ".join(match.constraint.text for match in own if match.constraint.kind in _SAID))
    return any(word not in stop_words() and stem(word) not in empty_words() for word in asked)


def _is_title(question: str, quote: Quote, span: tuple[int, int], document: Document) -> bool:
    """Return True if a sentence of a quote is only a heading (also "2. Fee."), the header of a table, a row that has
    the question's words only in its header, or a row without a value that the question names.
    """
    start, end = quote.start + span[0], quote.start + span[1]
    titles = [(one.start, one.start + len(one.text)) for one in document.headings]
    for table in document.tables:
        header = [cell for cell in table.cells if cell.row < table.header_rows]
        titles += [(min(cell.start for cell in header), max(cell.end for cell in header))] if header else []
        values = [cell for cell in table.cells if start <= cell.start < end and cell.row >= table.header_rows]
        said = " ".join(document.text[cell.start : cell.end] for cell in values)
        if values and roots(" ".join(content_words(question))).isdisjoint(roots(said)):
            return True
        if values and not _has_bound_row(question, table, {cell.row for cell in values}, document):
            return True
    own = document.text[start:end].strip(_MARKS)
    alone = words(_NUMBERING.sub("", own))
    if len(alone) <= _LONGEST_RUN_IN and roots(" ".join(alone)) <= roots(question):
        return True
    return any(own in document.text[first:last] for first, last in titles if first < end and start < last)


def _has_bound_row(question: str, table: Table, rows: set[int], document: Document) -> bool:
    """Return True if one of the rows has all table values that the question names, and each word of the question that
    fills a whole cell: Ann, the chair, did not become the "treasurer" of another row.
    """
    tables = tables_of(document)
    view = next(view for view in tables.views if view.table == table)
    binding = Binding(question, tables, view)
    whole = {word for word in content_words(question) if (word,) in view.named_values}
    said = {row: set(words(" ".join(map(view.words, view.rows[row])))) for row in rows}
    return any(binding.fits(row) and whole <= said[row] for row in rows)


def _own_share(own: Sequence[ConstraintMatch], quoted: tuple[Quote, str, tuple[int, int]], document: Document) -> float:
    """Return the share of the question's words in a sentence; with a pronoun, the previous sentence also counts."""
    quote, sentence, span = quoted
    about = roots(f"{document.title} {document.id.replace('_', ' ')} {document.imprint.issuer}")
    texts = [one.text for one in (match.constraint for match in own) if one.kind in _SAID and not _names_day(one.text)]
    every = {word for text in texts if not numbered(text) for word in words(text) if word not in stop_words()}
    asked = {word for word in every if root(word) not in about}
    if not asked:  # "the first response": only the numbered thing counts
        things = {one.thing for text in texts for one in numbered(text)}
        asked = {word for text in texts for word in words(text) if stem(word) in things}
        sentence = f"{heading_at(document.headings, quote.start + span[0])} {sentence}" if asked else sentence
    if not asked and _MORE.isdisjoint(match.constraint.kind for match in own):
        line = document.text[: quote.start + span[0]].rstrip().rpartition("\n")[2]
        above = "" if line.endswith(_STOPS) else line
        asked, sentence = every, f"{heading_at(document.headings, quote.start + span[0])} {above} {sentence}"
    said = roots(sentence)
    if _PRONOUN.search(sentence):
        before = [quote.text[begin:end] for begin, end in statement_spans(quote.text[: span[0]])]
        said |= roots(before[-1]) if before else frozenset()
    return sum(stands(word, said) for word in asked) / len(asked) if asked else 1.0


def _names_day(text: str) -> bool:
    """Return True if words of a question name a day, which may lie inside a time span."""
    return any(one.day for one in moments(text.title()))


def _meets(own: Sequence[ConstraintMatch], read: bool) -> bool:
    left = [match for match in own if match.state is not MatchState.MET]
    if not read:
        return not left and bool(own)
    if any(match.state is MatchState.CONTRADICTED or match.constraint.kind not in _LOOSE for match in left):
        return False
    if {ConstraintKind.ATTRIBUTE, ConstraintKind.ANSWER_TYPE} <= {match.constraint.kind for match in left}:
        return False  # neither covers the question nor gives a value of that kind
    asked = [match for match in own if match.constraint.kind is ConstraintKind.ATTRIBUTE]
    return 2 * sum(match.state is MatchState.MET for match in asked) >= len(asked)


def _sentences(
    claim: Claim, document: Callable[[str], Document], read: bool
) -> Iterator[tuple[Quote, str, tuple[int, int] | None]]:
    """Return the sentences and rows of a verbatim statement; a model's own statement, with all its quotes, counts as
    one.
    """
    if read and any(quote.cell is None for quote in claim.quotes):
        yield claim.quotes[0], " ".join((claim.text, *(quote.text for quote in claim.quotes))), None
        return
    for quote in claim.quotes:
        if quote.cell is not None:
            yield quote, quote.said, None
            continue
        own = document(quote.document_id)
        for start, end in statements_of(quote, own):
            row = row_at(own, quote.start + start, quote.start + end)
            yield quote, (row.said if row is not None else "") or quote.text[start:end], (start, end)


def surroundings(quote: Quote, sentence: str, document: Document) -> Surroundings:
    """Return a quoted sentence with the surrounding text, its heading, and what its document says about itself."""
    text = document.text
    around = text[max(0, quote.start - _AROUND) : quote.start] + " " + text[quote.end : quote.end + _AROUND]
    imprint = document.imprint
    own = " ".join((imprint.issuer, *imprint.symbols, imprint.kind))
    about = f"{document.title} {document.id.replace('_', ' ').replace('/', ' ')} {own} {text[:_ABOUT]}"
    heading = heading_at(document.headings, quote.start)
    at = max(0, quote.text.find(sentence))
    before = f"{heading} {text[max(0, quote.start - _AROUND) : quote.start]} {quote.text[:at]}"
    return Surroundings(sentence, f"{quote.text} {around} {heading}", about, before, imprint)


def answering(one: Judged, document: Document) -> Claim:
    """Trim a verbatim statement to the sentences that the answer needs.

    These are the sentences from the one that names the subject to the one that answers. The statement is unchanged if
    the latter is not a separate sentence of its quote.
    """
    claim, quote = one.claim, one.quote
    if (
        one.span is None
        or len(claim.quotes) != 1
        or claim.readings
        or one_line(claim.text) != one_line(quote.text)  # a statement written by a model
        or document.text[quote.start : quote.end] != quote.text
    ):
        return claim
    asked = (m.constraint.text for m in one.matches if m.constraint.kind in _SAID)
    left = roots(" ".join(asked)) - roots(quote.text[slice(*one.span)])
    start = one.span[0]
    is_row = row_at(document, quote.start + start, quote.start + one.span[1]) is not None
    before = () if is_row else tuple(statement_spans(quote.text[:start]))
    for begin, end in reversed(before):
        if not left & (said := roots(quote.text[begin:end])):
            break
        start, left = begin, left - said
    start = with_its_name(document.text, quote.start + start, quote.start + one.span[1])
    shown = quote_at(document, max(quote.start, start), quote.start + one.span[1])
    return claim if shown.text == quote.text else claim.changed(text=one_line(shown.text), quotes=(shown,))
