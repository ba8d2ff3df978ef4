"""Checks, sentence by sentence, that a statement meets every constraint of a part of the question. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from investigator.evidence.listed_items import enumerated, listed_items
from investigator.evidence.quoted_mail import is_quoted
from investigator.evidence.quotes import Load, quote_at
from investigator.evidence.widening import with_its_name
from investigator.language.labels import as_statement
from investigator.language.late_patterns import late
from investigator.language.negation import allows_negation, negates
from investigator.language.normalise import one_line
from investigator.language.terms import content_words, folded, words
from investigator.questions.answer_types import AnswerType, required_type
from investigator.questions.asked_nouns import asked_noun, lacks_asked_noun, lacks_member, leaves_which_open
from investigator.questions.cues import names_nothing, opposites
from investigator.questions.equivalents import equivalents
from investigator.questions.kinds import kind_of
from investigator.questions.labelled import says_label, signs_for
from investigator.questions.matching import WORDED, matches
from investigator.questions.related import LIGHT_VERBS, root, roots
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
    TableCell,
)
from investigator.research.computed_claims import claim_matches
from investigator.research.deciding import decision_of_cell, decision_of_row, decision_of_sentence, is_reported
from investigator.research.own_share import NOT_WORDED, PRONOUN, own_share
from investigator.research.quoted_text import QuotedText, names_of
from investigator.research.rows import row_at, statements_of
from investigator.research.table_cells import cell_matches
from investigator.tables.binding import Binding
from investigator.tables.cell_values import gives_no_value
from investigator.tables.cells import TableView
from investigator.tables.document_tables import tables_of

_MOST_MISSING = 0.5  # maximum share of the question's words that the answering sentence may lack
_WHAT_IT_DOES = late(
    r"\W*what (?:do|does|did|will|would|should|must|can) [^?,;]+ (?:do\b|(?:show|say|reveal|conclude|prove)\W*$)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\W*(?:\d+(?:\.\d+)*|[a-z])[.)]\s+", re.IGNORECASE)
_LONGEST_RUN_IN = 3  # maximum number of words
_DENIED_VERB = re.compile(r"(?:\bnot|n['’]t) (\w+)", re.IGNORECASE)
_QUOTATION_MARKS = " \n\"'”’»"
_MARKS = "#*|-:= \n\t"
"""Markup around the words of a heading or table header."""
_LOOSE = frozenset({ConstraintKind.ATTRIBUTE, ConstraintKind.ANSWER_TYPE, ConstraintKind.DIRECTION})
"""Constraints that a language model's statement may meet in words other than the question's."""
_KIND = frozenset({ConstraintKind.ANSWER_TYPE, ConstraintKind.QUANTITY})
"""Constraints on the kind of answer, which a sentence must meet in addition to containing the question's words."""


@dataclass(frozen=True)
class Judged:
    """A sentence, row or cell of a statement, judged against the constraints of a part of the question.

    `own_share` is the fraction (0..1) of the question's words that the sentence itself contains, excluding those that
    name the document's subject. `is_list` is True for an item of a requested list, and for a sentence that lists all
    items. `decision` is the answer (yes or no) that the sentence gives to a yes-or-no question. `is_reported` is True
    for older text quoted in a message, and for reported speech that would decide a yes-or-no question.
    """

    part: Part
    said: QuotedText
    matches: tuple[ConstraintMatch, ...]
    is_met: bool
    own_share: float = 1.0
    is_list: bool = False
    decision: Decision | None = None
    is_reported: bool = False

    @property
    def failing(self) -> tuple[ConstraintMatch, ...]:
        """Return the unmet constraints, contradictions first."""
        left = [match for match in self.matches if match.state is not MatchState.MET]
        return tuple(sorted(left, key=lambda match: match.state is not MatchState.CONTRADICTED))

    @property
    def is_near_miss(self) -> bool:
        """Return True if the sentence contradicts one constraint and meets all others."""
        return len(self.failing) == 1 and self.failing[0].state is MatchState.CONTRADICTED

    def near_miss(self) -> NearMiss | None:
        """Return the quote as a near miss; None if it meets all constraints, or fewer than half."""
        if not self.failing or len(self.failing) * 2 > len(self.matches):
            return None
        opposite = self.is_near_miss and self.failing[0].constraint.kind is ConstraintKind.DIRECTION
        return NearMiss(part=self.part.question, quote=self.said.quote, failing=self.failing, says_opposite=opposite)


@dataclass(frozen=True)
class Judging:
    """Judges statements by the documents that they quote, which `load` returns.

    `sure` decides whether a statement that meets all constraints is an answer; its second argument is True if one
    sentence has every word of the question and the requested kind of answer. `read` is True if a language model wrote
    the statements: some of the question's words may then be missing.
    """

    load: Load
    sure: Callable[[Claim, bool], bool] = lambda _, __: True
    read: bool = False

    def best(self, part: Part, claims: Sequence[Claim]) -> Judged | None:
        """Return the statement that meets the most constraints of a part; None if there are no statements."""
        return best_of(self.each(part, claims))

    def each(self, part: Part, claims: Sequence[Claim]) -> Iterator[Judged]:
        """Judge each sentence, row and cell of the claims against each wording of a part. A yes-or-no question is
        answered only by a statement that decides it.
        """
        for wording in (part,) if self.read else equivalents(part):
            yield from (replace(one, part=part) for one in self._each(wording, claims))

    def _each(self, part: Part, claims: Sequence[Claim]) -> Iterator[Judged]:
        decides = not self.read and kind_of(part.question) is QuestionKind.YES_NO
        cited = dict.fromkeys(quote.document_id for claim in claims for quote in claim.quotes)
        items = {name: listed_items(part.question, self.load(name)) for name in cited}
        for said in (said for claim in claims for said in self._said(claim)):
            is_listed = said.quote in items[said.quote.document_id] or _lists_all(part, said)
            own = self._matches(part, said)
            if is_listed:  # the introduction to the list contains everything that the question asks for
                own = tuple(match.changed(state=MatchState.MET) for match in own)
            is_question = said.text.rstrip(_QUOTATION_MARKS).endswith("?")  # a question states nothing
            is_older = is_quoted(said.document, said.place[0])
            share = 1.0 if is_listed else own_share(own, part.question, said)
            if decides:
                decision = _decision(part, own, said)
                met = decision is not None and not (is_question or is_older) and self.sure(said.claim, True)
                reported = is_reported(part.question, said.text)
                yield Judged(part, said, own, met, share, decision=decision, is_reported=reported)
                continue
            is_kind = _says_what_is_asked(part.question, said) or not _KIND.isdisjoint(m.constraint.kind for m in own)
            names_all = share == 1.0 and is_kind and _names_something(own)
            met = (
                (self.read or not _names_only_subject(part.question))
                and not is_question
                and not _lacks_negation(part.question, said.text)
                and not _leaves_thing_open(part.question, said)
                and (is_listed or not _is_title(part.question, said))
                and not signs_for(part.question, said.text)
                and _has_enough(share, own)
                and self.sure(said.claim, names_all or is_listed)
                and _meets(own, self.read and said.quote.cell is None)
            )
            yield Judged(part, said, own, met, share, is_listed, is_reported=is_older)

    def _said(self, claim: Claim) -> Iterator[QuotedText]:
        """Yield the sentences and rows of a verbatim statement; a model's statement with its quotes counts as one
        sentence.
        """
        if self.read and any(quote.cell is None for quote in claim.quotes):
            text = " ".join((claim.text, *(quote.text for quote in claim.quotes)))
            yield QuotedText(claim, claim.quotes[0], text, self.load(claim.quotes[0].document_id))
            return
        for quote in claim.quotes:
            document = self.load(quote.document_id)
            if claim.computation is not None:
                yield QuotedText(claim, quote, claim.text, document)
                return
            if quote.cell is not None:
                yield QuotedText(claim, quote, quote.said, document)
                continue
            for start, end in statements_of(quote, document):
                row = row_at(document, quote.start + start, quote.start + end)
                said = (row and row.said) or as_statement(quote.text[start:end])
                yield QuotedText(claim, quote, said, document, (start, end))

    def _matches(self, part: Part, said: QuotedText) -> tuple[ConstraintMatch, ...]:
        """Match the constraints of a part against a statement, including a cell's labels and the text around a
        sentence.
        """
        if said.claim.computation is not None:
            return claim_matches(part.question, said.claim, self.load)
        if said.quote.cell is not None:
            return cell_matches(part.question, said.quote, said.document)
        return matches(part.constraints, part.question, said.surroundings)


def best_of(judged: Iterable[Judged]) -> Judged | None:
    """Return the statement that meets the most constraints; None if there are no statements."""
    return max(judged, key=_rank, default=None)


def best_of_each(judged: Iterable[Judged]) -> Iterator[Judged]:
    """Yield the best sentence, row or cell of each claim."""
    of_claim: dict[Claim, Judged] = {}
    for one in judged:
        known = of_claim.get(one.said.claim)
        of_claim[one.said.claim] = one if known is None or _rank(one) > _rank(known) else known
    yield from of_claim.values()


def _rank(one: Judged) -> tuple[float, ...]:
    return one.is_met, one.is_list, not one.is_reported, -len(one.failing), one.own_share


def _lacks_negation(question: str, text: str) -> bool:
    """Return True if a question asks who or how many are NOT as described, but a text names or counts those that are.
    Also return True if the question asks what did not happen, in words such as "go through" that no other check covers,
    and the text does not deny it.
    """
    if not negates(question) or negates(text):
        return False
    denied = _DENIED_VERB.search(question)
    if denied is not None and root(folded(denied[1])) in LIGHT_VERBS:
        refused = any(opposites()[name][1].search(text) for name in ("agreement", "contest"))
        return not refused and not allows_negation(text, question)
    return required_type(question) in (AnswerType.NUMBER, AnswerType.NAME) and not allows_negation(text, question)


def _leaves_thing_open(question: str, said: QuotedText) -> bool:
    """Return True if a text does not name the thing that a question asks for. The label of a row or line may say it in
    other words.
    """
    if leaves_which_open(question, said.text):
        return True
    if said.row is not None or said.labelled is not None:
        return False
    return lacks_asked_noun(question, said.text) or (said.span is not None and lacks_member(question, said.text))


def _says_what_is_asked(question: str, said: QuotedText) -> bool:
    """Return True if a text is a label line whose label the question contains ("Excess for storm damage: 350"), or has
    the noun that the question asks for.
    """
    if said.labelled is not None:
        return says_label(question, said.labelled.label)
    noun = asked_noun(question)
    return bool(noun) and not noun.endswith("s") and root(noun) in roots(said.text)


def _has_enough(share: float, own: Sequence[ConstraintMatch]) -> bool:
    """Return True if a sentence contains more than half of the question's words; half is enough for an amount of
    money.
    """
    asks_money = any(m.constraint.kind is ConstraintKind.QUANTITY and m.constraint.text == "money" for m in own)
    return share > _MOST_MISSING or (share == _MOST_MISSING and asks_money)


def _names_only_subject(question: str) -> bool:
    """Return True if a question names at most its subject, and no property of it, as in "What does it do?"."""
    return not content_words(question) or len(words(question)) <= 1 or _WHAT_IT_DOES.match(question) is not None


def _lists_all(part: Part, said: QuotedText) -> bool:
    """Return True if a sentence of a quote lists everything that a part asks for, and the part asks for nothing
    else.
    """
    asks_more = not NOT_WORDED.isdisjoint(constraint.kind for constraint in part.constraints)
    if said.span is None or said.row is not None or asks_more:
        return False
    return bool(enumerated(part.question, said.quote.text[slice(*said.span)], said.last_before))


def _decision(part: Part, own: Sequence[ConstraintMatch], said: QuotedText) -> Decision | None:
    """Return the answer (yes or no) that a sentence, row or cell gives to a yes-or-no part."""
    if said.quote.cell is not None:
        return decision_of_cell(part.question, said.quote.cell.value) if _meets(own, read=False) else None
    document = said.document
    is_title = said.place[0] < len(document.text.strip().partition("\n")[0]) or (
        bool(document.title) and document.title in said.quote.text
    )
    names = document.id if is_title else names_of(document)
    about = roots(f"{names} {document.imprint.issuer}")
    if said.row is not None:
        return (
            decision_of_row(part.question, said.row.view, said.row.number, about) if _meets(own, read=False) else None
        )
    return decision_of_sentence(part, said.surroundings, about)


def _names_something(own: Sequence[ConstraintMatch]) -> bool:
    """Return True if some word of the question names something; none does in "who was told"."""
    asked = words(" ".join(match.constraint.text for match in own if match.constraint.kind in WORDED))
    return not all(map(names_nothing, asked))


def _is_title(question: str, said: QuotedText) -> bool:
    """Return True if a sentence of a quote is only a heading (also "2. Fee."), the header of a table, a row with the
    question's words only in its header, or a row without a value that the question names.
    """
    if said.span is None:
        return False
    document, (start, end) = said.document, said.place
    titles = [(one.start, one.start + len(one.text)) for one in document.headings]
    for view in tables_of(document).views:
        titles += [view.header_span] if view.header_span else []
        rows = (row for row in view.rows_between(start, end) if row >= view.table.header_rows)
        values = [cell for row in rows for cell in view.rows[row] if start <= cell.start < end]
        if values and not _has_asked_values(question, values, view, document):
            return True
    own = document.text[start:end].strip(_MARKS)
    if own.isupper() and len(words(own)) > 1 and not said.labelled:
        return True
    alone = words(_NUMBERING.sub("", own))
    if len(alone) <= _LONGEST_RUN_IN and roots(" ".join(alone)) <= roots(question):
        return True
    return any(own in document.text[first:last] for first, last in titles if first < end and start < last)


def _has_asked_values(question: str, values: Sequence[TableCell], view: TableView, document: Document) -> bool:
    """Return True if one of the values contains a word of the question, and its row contains every cell text that the
    question names in full. If "treasurer" is in another row, Ann, the chair, is not the treasurer.
    """
    asked = content_words(question)
    if roots(" ".join(asked)).isdisjoint(roots(" ".join(map(view.words, values)))):
        return False
    binding = Binding(question, tables_of(document), view)
    whole = {word for word in asked if (word,) in view.named_values}
    said = {cell.row: set(words(" ".join(map(view.words, view.rows[cell.row])))) for cell in values}
    gaps = {row for row in said if any(_names_gap(question, view, cell) for cell in view.rows[row])}
    return any(binding.fits(row) and whole <= said[row] and row not in gaps for row in said)


def _names_gap(question: str, view: TableView, cell: TableCell) -> bool:
    """Return True if a cell has no value and the question names its column."""
    header = roots(" ".join(view.column_headers(cell)))
    return gives_no_value(view.words(cell)) and bool(header) and header <= roots(question)


def _meets(own: Sequence[ConstraintMatch], read: bool) -> bool:
    left = [match for match in own if match.state is not MatchState.MET]
    if not read:
        return not left and bool(own)
    kinds = {match.constraint.kind for match in left}
    if any(match.state is MatchState.CONTRADICTED for match in left) or not kinds <= _LOOSE:
        return False
    if {ConstraintKind.ATTRIBUTE, ConstraintKind.ANSWER_TYPE} <= kinds:
        return False  # the statement lacks words of the question, and gives no value of the requested kind
    asked = [match for match in own if match.constraint.kind is ConstraintKind.ATTRIBUTE]
    return 2 * sum(match.state is MatchState.MET for match in asked) >= len(asked)


def answering(one: Judged) -> Claim:
    """Trim a verbatim statement to the sentences that the answer needs.

    The result extends from the sentence that names the subject to the sentence that gives the answer. The statement is
    unchanged if the answering words are not a separate sentence of its quote.
    """
    said, claim, quote, text = one.said, one.said.claim, one.said.quote, one.said.document.text
    if (
        said.span is None
        or len(claim.quotes) != 1
        or claim.readings
        or one_line(claim.text) != one_line(quote.text)  # a statement written by a model
        or text[quote.start : quote.end] != quote.text
    ):
        return claim
    asked = (m.constraint.text for m in one.matches if m.constraint.kind in WORDED)
    left = roots(" ".join(asked)) - roots(quote.text[slice(*said.span)])
    start = said.span[0]
    for begin, end in () if said.row else reversed(said.before):
        if left & (own := roots(quote.text[begin:end])):
            start, left = begin, left - own
        elif not PRONOUN.search(quote.text[begin:end]):
            break
    start = with_its_name(text, quote.start + start, said.place[1])
    shown = quote_at(said.document, max(quote.start, start), said.place[1])
    return claim if shown.text == quote.text else claim.changed(text=one_line(shown.text), quotes=(shown,))
