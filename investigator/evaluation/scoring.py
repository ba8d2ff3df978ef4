"""Measure the outcome of one question against its known answers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from investigator.evaluation.answer_text import contains_answer, exact_match, number_recall, token_f1
from investigator.evaluation.evidence_match import holds, overlaps, share_found
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.records import AnswerStatus, Quote


class Labelled(StrEnum):
    """A kind of value with its label in tables."""

    label: str

    def __new__(cls, value: str, label: str) -> Self:
        """Return a member whose value is `value`."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member


class Measure(Labelled):
    """What is measured; the comments say of which questions the mean is taken."""

    # of questions whose right documents are known: by the search alone
    RANKED_FIRST = "ranked_first", "right document ranked first"
    RANKED_IN_3 = "ranked_in_3", "right document among the first 3 ranked"
    RANKED_EVIDENCE = "ranked_evidence", "evidence in the first 5 passages"  # whose evidence is known
    # of the same: by the citations of the answer
    CITED_FIRST = "cited_first", "first cited document is right"
    CITED_HIT = "cited_hit", "a cited document is right"
    CITED_RECALL = "cited_recall", "right documents that are cited"
    # of questions whose evidence or pages are known
    EVIDENCE_HIT = "evidence_hit", "evidence is quoted"
    EVIDENCE_WHOLE = "evidence_whole", "evidence is quoted whole"
    EVIDENCE_RECALL = "evidence_recall", "pieces of evidence that are quoted"
    PAGE_HIT = "page_hit", "a cited page is right"
    # of questions whose answer is known in free words
    ANSWER_F1 = "answer_f1", "answer, token F1"
    ANSWER_EXACT = "answer_exact", "answer matches exactly"
    ANSWER_CONTAINS = "answer_contains", "answer contains a known one"
    NUMBER_RECALL = "number_recall", "known numbers that the answer names"
    # of all questions of which it is known whether they can be answered
    NO_ANSWER_PRECISION = "no_answer_precision", "no answer: precision"
    NO_ANSWER_RECALL = "no_answer_recall", "no answer: recall"
    NO_ANSWER_F1 = "no_answer_f1", "no answer: F1"
    ROC_AREA = "roc_area", "answerable or not, area under ROC"
    RISK_AREA = "risk_area", "area under risk-coverage (0 is best)"
    RISK_AREA_EVIDENCE = "risk_area_evidence", "- the same, with evidence"
    PRECISION_70 = "precision_70", "precision at 70 % coverage"
    PRECISION_70_EVIDENCE = "precision_70_evidence", "- the same, with evidence"
    PRECISION_70_BEST = "precision_70_best", "- the best possible on these questions"
    # of each question by itself: the evidence is quoted (else the right document, else a known answer is given), or, if
    # nothing answers it, nothing is found
    RIGHT = "right", "right: evidence is quoted, or silence"
    STATUS_RIGHT = "status_right", "something found, or silence, as is right"
    FALSE_ANSWER = "false_answer", "answered although nothing answers"  # of the unanswerable ones
    # of all replies of which a record is expected
    PARSED = "parsed", "replies that could be read"
    # of all citations
    PROVEN = "proven", "quotes that stand in the documents"


def scores(question: Question, outcome: Outcome) -> Mapping[Measure, float]:
    """Return the measures, each in 0..1, that this question has the known answers for.

    A question without answer scores 0.
    """
    found: dict[Measure, float] = {}
    if question.documents:
        found |= _of_documents(question, outcome)
    if question.evidence:
        found |= _of_evidence(question, outcome)
    if question.pages:
        quotes = _from_right_documents(question, outcome.citations)
        found[Measure.PAGE_HIT] = float(any(quote.page in question.pages for quote in quotes))
    if question.answers and not question.answer_choices:  # a choice is a label, which no wording of an answer matches
        found |= _of_answer(question.answers, outcome)
    if question.key_numbers:
        found[Measure.NUMBER_RECALL] = number_recall(outcome.answer, question.key_numbers)
    return found | _of_silence(question, outcome)


def soundness(outcome: Outcome) -> Mapping[Measure, float]:
    """Return the share of replies that could be read, and of citations that stand; without any, neither."""
    found = {Measure.PARSED: 1 - outcome.unreadable / outcome.replies} if outcome.replies else {}
    return found | ({Measure.PROVEN: outcome.proven / len(outcome.citations)} if outcome.citations else {})


def is_right(question: Question, quotes: tuple[Quote, ...], *, with_evidence: bool) -> bool | None:
    """Return True if quotes answer a question: from a right document and, if asked for and known, with evidence.

    None if it is not known.
    """
    if question.answerable is None or (question.answerable and not question.documents):
        return None
    if not question.answerable:
        return False
    right = _from_right_documents(question, quotes)
    if with_evidence and question.evidence:
        return share_found([quote.text for quote in right], question.evidence) > 0
    return bool(right)


def evidence_in(question: Question, passages: tuple[tuple[str, str], ...]) -> bool | None:
    """Return True if a piece of evidence stands in one of the passages (document id, text); None if none is known."""
    if not question.evidence:
        return None
    texts = [text for document_id, text in passages if not question.documents or document_id in question.documents]
    return any(holds(text, piece) for text in texts for piece in question.evidence)


def _of_documents(question: Question, outcome: Outcome) -> dict[Measure, float]:
    right, ranked = question.documents, outcome.ranking.documents if outcome.ranking is not None else ()
    cited = [quote.document_id for quote in outcome.citations]
    by_search = {
        Measure.RANKED_FIRST: float(not right.isdisjoint(ranked[:1])),
        Measure.RANKED_IN_3: float(not right.isdisjoint(ranked[:3])),
    }
    return (by_search if outcome.ranking is not None else {}) | {
        Measure.CITED_FIRST: float(not right.isdisjoint(cited[:1])),
        Measure.CITED_HIT: float(not right.isdisjoint(cited)),
        Measure.CITED_RECALL: len(right & set(cited)) / len(right),
    }


def _of_evidence(question: Question, outcome: Outcome) -> dict[Measure, float]:
    evidence = question.evidence or ()
    quotes = [quote.text for quote in _from_right_documents(question, outcome.citations)]
    found = {
        Measure.EVIDENCE_HIT: float(any(overlaps(quote, piece) for quote in quotes for piece in evidence)),
        Measure.EVIDENCE_WHOLE: float(any(holds(quote, piece) for quote in quotes for piece in evidence)),
        Measure.EVIDENCE_RECALL: share_found(quotes, evidence),
    }
    if outcome.ranking is not None and outcome.ranking.evidence_found is not None:
        found[Measure.RANKED_EVIDENCE] = float(outcome.ranking.evidence_found)
    return found


def _of_answer(answers: tuple[str, ...], outcome: Outcome) -> dict[Measure, float]:
    return {
        Measure.ANSWER_F1: token_f1(outcome.answer, answers),
        Measure.ANSWER_EXACT: float(exact_match(outcome.answer, answers)),
        Measure.ANSWER_CONTAINS: float(contains_answer(outcome.answer, answers)),
    }


def _of_silence(question: Question, outcome: Outcome) -> dict[Measure, float]:
    """Return whether it spoke and kept silent as it should; quotes that may answer are no silence, and no answer."""
    silent = outcome.status in (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR)
    if question.answerable is False:
        right = float(silent)
        return {Measure.RIGHT: right, Measure.STATUS_RIGHT: right, Measure.FALSE_ANSWER: float(outcome.answered)}
    found = {Measure.STATUS_RIGHT: float(not silent)} if question.answerable else {}
    known = question.changed(answerable=True) if question.documents else question
    right_quotes = is_right(known, outcome.citations, with_evidence=True)
    if right_quotes is not None:
        found[Measure.RIGHT] = float(right_quotes)
    elif question.answers and not question.answer_choices:
        found[Measure.RIGHT] = float(contains_answer(outcome.answer, question.answers))
    return found


def _from_right_documents(question: Question, quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Return the quotes that may count; all where the right documents are not known."""
    return tuple(quote for quote in quotes if not question.documents or quote.document_id in question.documents)
