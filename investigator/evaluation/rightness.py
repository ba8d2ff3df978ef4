"""Judges whether a question was answered correctly or rightly left unanswered, according to the known facts in its row.
Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import Field

from investigator.evaluation.answer_text import contains_answer, number_recall, tokens
from investigator.evaluation.evidence_match import overlaps, share_found
from investigator.evaluation.measures import Ground
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import KeyPoint, Question
from investigator.language.amounts import Amount, amounts, prepared
from investigator.language.normalise import normalise
from investigator.records import AnswerStatus, Quote, Record

_SHORT = 5  # maximum number of words in an answer that is searched for verbatim (as in NQ-open, Lee et al. 2019)
_DIGITS = re.compile(r"\d[\d.,]*\d|\d")
_FIRST = 3
"""Number of passages that a user is expected to read, if no statement answers."""


class JudgedRows(Record):
    """The number of questions judged by one criterion."""

    ground: Ground
    questions: int = Field(ge=1)


def ground_of(question: Question) -> Ground | None:
    """Return the criterion for judging a row; None if it has no known answer."""
    if question.answerable is False:
        return Ground.SILENCE
    known = (
        (Ground.NUMBERS, question.key_numbers),
        (Ground.ANSWER, _short(question)),
        (Ground.POINTS, _points(question)),
        (Ground.EVIDENCE, question.evidence),
        (Ground.FIGURES, _figures(question)),
        (Ground.DOCUMENT, question.documents),
        (Ground.ANSWER, _answers(question)),
    )
    return next((ground for ground, what in known if what), None)


def grounds_of(questions: Iterable[Question]) -> tuple[JudgedRows, ...]:
    """Count the questions by criterion."""
    counts = Counter(ground_of(one) for one in questions)
    return tuple(JudgedRows(ground=ground, questions=counts[ground]) for ground in Ground if counts[ground])


def grounds_line(judged: Sequence[JudgedRows]) -> str:
    """Return a line with the number of questions for each criterion; "" if there are none."""
    counts = ", ".join(f"{one.ground.label} {one.questions:,}" for one in judged)
    return f"answers are judged by: {counts}" if counts else ""


def rightness(question: Question, outcome: Outcome) -> float | None:
    """Return the score (0..1) of an outcome; None if the row has no known answer.

    If the right documents are known, one of them must be cited. For numbers and key points, the score is the share that
    the answer contains; otherwise, one known answer is enough. Anything else in the answer is ignored. Passages that
    nobody has judged are right if the first three hold what is known.
    """
    ground = ground_of(question)
    if ground is None or ground is Ground.SILENCE:
        return None if ground is None else float(outcome.silent)
    if outcome.status is AnswerStatus.PASSAGES_FOUND:
        return float(_is_among(question, from_right_documents(question, outcome.citations[:_FIRST])))
    cited = from_right_documents(question, outcome.citations)
    if question.documents and not cited:
        return 0.0
    match ground:
        case Ground.NUMBERS:
            return number_recall(outcome.answer, question.key_numbers or ())
        case Ground.ANSWER:
            known = _short(question) or _answers(question)
            return float(any(says(outcome.answer, answer) for answer in known))
        case Ground.POINTS:
            return _share([_is_made(point, outcome.citations) for point in _points(question)])
        case Ground.EVIDENCE:
            return float(share_found([quote.text for quote in cited], question.evidence or ()) > 0)
        case Ground.FIGURES:
            said = _amounts(outcome.answer)
            return max(_share([_is_named(one, said) for one in wanted]) for wanted in _figures(question))
        case Ground.DOCUMENT:
            return 1.0


def says(text: str, answer: str) -> bool:
    """Return True if the text contains the words of a known answer, in order. If the answer has numbers, the text must
    contain each of their values ("1.2 million" equals "1,200,000"), and the other words in any order.
    """
    wanted = _amounts(answer)
    if not wanted:
        return contains_answer(text, [answer])
    others = _prepared(answer)
    for start, end in sorted((amount.span for amount in wanted), reverse=True):
        others = others[:start] + " " + others[end:]
    said = _amounts(text)
    return all(_is_named(one, said) for one in wanted) and set(tokens(others)) <= set(tokens(text))


def from_right_documents(question: Question, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return the quotes from the right documents, or all quotes if the right documents are unknown."""
    return tuple(quote for quote in quotes if not question.documents or quote.document_id in question.documents)


def _answers(question: Question) -> tuple[str, ...]:
    """Return the known answers, but none for a question with choices, because a choice is a label, not a wording of the
    answer.
    """
    return () if question.answer_choices else tuple(one for one in question.answers or () if tokens(one))


def _short(question: Question) -> tuple[str, ...]:
    """Return the answers that are searched for verbatim."""
    return tuple(one for one in _answers(question) if len(one.split()) <= _SHORT)


def _figures(question: Question) -> list[list[Amount]]:
    return [wanted for one in _answers(question) if (wanted := _amounts(one))]


def _points(question: Question) -> tuple[KeyPoint, ...]:
    return tuple(point for point in question.key_points or () if point.evidence)


def _is_made(point: KeyPoint, quotes: Sequence[Quote]) -> bool:
    own = (quote for quote in quotes if point.doc_id in (None, quote.document_id))
    return any(overlaps(quote.text, point.evidence or "") for quote in own)


def _is_among(question: Question, quotes: Sequence[Quote]) -> bool:
    """Return True if quotes of the right documents hold known evidence, a known answer or a key number; if none of
    these is known, any quote will do.
    """
    texts = [quote.text for quote in quotes]
    points = [point.evidence or "" for point in _points(question)]
    if evidence := (*(question.evidence or ()), *points):
        return bool(texts) and share_found(texts, evidence) > 0
    if answers := _answers(question):
        return any(says(text, answer) for text in texts for answer in answers)
    if numbers := question.key_numbers:
        return any(number_recall(text, numbers) > 0 for text in texts)
    return bool(texts)


def _prepared(text: str) -> str:
    return prepared(normalise(text).text)


def _amounts(text: str) -> list[Amount]:
    return amounts(_prepared(text))


def _is_named(wanted: Amount, said: Sequence[Amount]) -> bool:
    """Return True if one of the numbers has the wanted value or the same digits, because a table may have "42.1" for
    "42.1 million".
    """
    every = [amount for one in said for amount in (one, *one.parts)]
    return any(wanted.is_said_by(one) or _DIGITS.findall(wanted.text) == _bare(one.text) for one in every)


def _bare(text: str) -> list[str]:
    return [] if any(character.isalpha() for character in text) else _DIGITS.findall(text)


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held)
