"""Finds conflicts: statements that give different values for the same thing, in several documents or in one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TypeVar

from investigator.language.amounts import Amount, agree, are_comparable, dates_and_amounts, prepared
from investigator.language.dates import Date, dates
from investigator.language.lists import negations
from investigator.language.negation import contradicts
from investigator.language.normalise import normalise, one_line
from investigator.language.terms import content_words, folded, stem, stop_words
from investigator.questions.answer_types import AnswerType, expected_type
from investigator.questions.cues import patterns
from investigator.questions.numbered import numbered
from investigator.questions.related import roots
from investigator.records import Conflict, ConflictSide, Quote

_SAME_WORDS = 0.75  # minimum fraction of the shorter sentence's words, except values, that the other must contain
_FEWEST_WORDS = 2
_SAME_WORDS_OF_NAMES = 0.8
_MANY_NAMES = 2  # two sentences with this many names in common are lists of people and do not conflict
_NAME = re.compile(r"\b[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’-]+)*")
_Value = TypeVar("_Value", Amount, Date)


@dataclass(frozen=True)
class DatedSentence:
    """A sentence that may give a value, and the known facts about its document.

    `subject` names the subject of the document (firm, period, trial): statements about different subjects do not
    conflict. Equal `version` numbers mean that the documents are versions of one text; None means that no other version
    exists. `section` is the heading above the sentence, and `about` is the document's title. `says_all` is True if the
    sentence meets every constraint. `apart_from` lists documents about other things, and `alongside` lists documents in
    the same series, such as the minutes of another meeting.
    """

    quote: Quote
    sentence: str
    date: str | None = None
    subject: str = ""
    version: int | None = None
    section: str = ""
    about: str = ""
    says_all: bool = False
    apart_from: frozenset[str] = frozenset()
    alongside: frozenset[str] = frozenset()

    @property
    def document_id(self) -> str:
        """Return the id of the sentence's document."""
        return self.quote.document_id

    @cached_property
    def about_roots(self) -> frozenset[str]:
        """Return the roots of the words in the sentence's heading and in its document's title."""
        return roots(f"{self.about} {self.section}")

    @cached_property
    def roots(self) -> frozenset[str]:
        """Return the roots of the words in and around the sentence."""
        return roots(self.sentence) | self.about_roots

    def side(self, value: str) -> ConflictSide:
        """Return this sentence, with the given value, as one side of a conflict."""
        return ConflictSide(value=value, quote=self.quote, date=self.date)

    def is_apart(self, other: DatedSentence) -> bool:
        """Return True if the documents of two sentences are about different things."""
        return other.document_id in self.apart_from and self.document_id in other.apart_from


def conflict(question: str, sides: Iterable[ConflictSide]) -> Conflict:
    """Return the conflict between the given sides, oldest first."""
    return Conflict(
        question=question, sides=tuple(sorted(sides, key=lambda one: (one.date or "", one.quote.document_id)))
    )


def conflicts(
    question: str, statements: Sequence[DatedSentence], *, over_sections: bool = False
) -> tuple[Conflict, ...]:
    """Return the conflicts between statements about one part of a question.

    Two sentences conflict if they differ in only one value: an amount in the same unit (unless one is the other
    rounded), a date, a name, or a negation. The sentences must also be about the same thing, as sentences from versions
    of one document always are. Other sentences must share a name, or must contain everything that the question asks
    about in the same words, in documents that share a subject. In a table row, only the quoted cell counts. Two
    sentences in one document must be identical except for the value, and under the same heading unless `over_sections`
    is True. A value given by several documents is listed once for each document.
    """
    found: dict[str, list[ConflictSide]] = {}
    asks_name = expected_type(question) is AnswerType.NAME
    for first, second in combinations(statements, 2):
        if first.subject != second.subject:
            continue
        within = first.document_id == second.document_id
        if within and not (_is_repeated(first, second) and (over_sections or first.section == second.section)):
            continue
        if not within and all(_is_relative(one.sentence) for one in (first, second)):
            continue
        versions = within or (first.version is not None and first.version == second.version)
        values = _values_of(first.sentence, second.sentence, versions=versions, alike=_answer_alike(first, second))
        if values is None:
            continue
        about, value, other = values
        if asks_name and dates(value) and dates(other):  # different dates do not matter if the question asks for a name
            continue
        if not (_is_asked(first.quote, value) and _is_asked(second.quote, other)):
            continue
        sides = found.setdefault(about, [])
        sides += [side for side in (first.side(value), second.side(other)) if side not in sides]
    return tuple(conflict(question, sides) for sides in found.values())


def _is_asked(quote: Quote, value: str) -> bool:
    """Return False if a value is in a cell of the row other than the quoted cell."""
    return quote.cell is None or value in quote.cell.value


def _is_relative(sentence: str) -> bool:
    """Return True if a sentence uses a word such as "next" or "last", whose meaning depends on the day."""
    return patterns("changes")["deictic"].search(sentence) is not None


def _answer_alike(first: DatedSentence, second: DatedSentence) -> bool:
    """Return True if both sentences meet every constraint, and differ only in a value."""
    in_series = second.document_id in first.alongside or first.is_apart(second)
    same = bool(stems := _sentence(first.sentence).stems) and stems == _sentence(second.sentence).stems
    return first.says_all and second.says_all and same and not in_series


def _is_repeated(first: DatedSentence, second: DatedSentence) -> bool:
    """Return True if two sentences in one document are about the same things and, except for values and negations,
    identical.
    """
    # cells of other rows and columns describe other things
    if first.quote.cell is not None or second.quote.cell is not None:
        return False
    one, other = _sentence(first.sentence), _sentence(second.sentence)
    if one.text == other.text or {n[:2] for n in numbered(one.text)} != {n[:2] for n in numbered(other.text)}:
        return False
    denying = frozenset(map(stem, negations("en")))
    return one.stems - denying == other.stems - denying and len(one.stems) >= _FEWEST_WORDS


@dataclass(frozen=True)
class _Sentence:
    text: str
    stems: frozenset[str]
    names: frozenset[str]
    amounts: tuple[Amount, ...]
    dates: tuple[Date, ...]


def _values_of(first: str, second: str, *, versions: bool, alike: bool) -> tuple[str, str, str] | None:
    """Return the subject of a conflict between two sentences, and the two values; None if they do not conflict."""
    one, other = _sentence(first), _sentence(second)
    if not versions and not alike and not one.names & other.names:
        return None
    values = _differing(one, other, fewest=1 if alike else _FEWEST_WORDS)
    return (" ".join(sorted(one.stems & other.stems)), *values) if values else None


def _differing(one: _Sentence, other: _Sentence, *, fewest: int) -> tuple[str, str] | None:
    shared = _shared(one, other)
    if shared < _SAME_WORDS or len(one.stems & other.stems) + len(one.names & other.names) < fewest:
        return None
    if contradicts(one.text, [other.text]) or contradicts(other.text, [one.text]):
        return one.text, other.text
    amounts_apart = _apart(one.amounts, other.amounts)
    dates_apart = _apart(one.dates, other.dates)
    names_apart = (one.names - other.names, other.names - one.names)
    if any(names_apart):
        alone = not any(amounts_apart) and not any(dates_apart) and shared >= _SAME_WORDS_OF_NAMES
        are_lists = len(one.names & other.names) >= _MANY_NAMES
        return _only(names_apart) if alone and not are_lists else None
    if any(dates_apart):  # amounts for different days or years do not conflict
        return None if any(amounts_apart) else _only(_texts(dates_apart))
    comparable = all(are_comparable(mine, theirs) for mine in amounts_apart[0] for theirs in amounts_apart[1])
    return _only(_texts(amounts_apart)) if comparable else None


def _shared(one: _Sentence, other: _Sentence) -> float:
    fewest = min(len(one.stems), len(other.stems))
    return len(one.stems & other.stems) / fewest if fewest else 0.0


def _apart(mine: Sequence[_Value], theirs: Sequence[_Value]) -> tuple[tuple[_Value, ...], tuple[_Value, ...]]:
    """Return, for each of two sentences, the values that the other sentence does not give."""
    return (
        tuple(value for value in mine if not any(agree(value, other) for other in theirs)),
        tuple(value for value in theirs if not any(agree(value, other) for other in mine)),
    )


def _texts(apart: tuple[Sequence[Amount | Date], Sequence[Amount | Date]]) -> tuple[list[str], list[str]]:
    return [value.text.strip() for value in apart[0]], [value.text.strip() for value in apart[1]]


def _only(apart: tuple[Collection[str], Collection[str]]) -> tuple[str, str] | None:
    """Return the value of each side if both have exactly one, otherwise None."""
    return (min(apart[0]), min(apart[1])) if len(apart[0]) == len(apart[1]) == 1 else None


@lru_cache(maxsize=512)
def _sentence(text: str) -> _Sentence:
    sentence = one_line(text)
    normal = prepared(normalise(sentence).text)
    days, every = dates_and_amounts(normal)
    numbers = tuple(amount for amount in every if amount.readings)
    measured = {word for text in (*(d.text for d in days), *(n.text for n in numbers)) for word in text.split()}
    named = frozenset(name for name in _names(sentence) if name not in measured)
    values = " ".join([*(day.text for day in days), *(number.text for number in numbers), *named])
    spoken = {stem(word) for word in content_words(values)}
    stems = frozenset(stem(word) for word in content_words(sentence) if not word.isdigit()) - spoken
    return _Sentence(sentence, stems, named, numbers, days)


def _names(sentence: str) -> Iterator[str]:
    """Yield the capitalised words in a sentence except stop words; at the beginning of the sentence, only names of
    several words.
    """
    for found in _NAME.finditer(sentence):
        name = found.group()
        if found.start() == 0:
            first, _, rest = name.partition(" ")
            name = rest if folded(first) in stop_words() else name
            name = name if " " in name or (rest and name == rest) else ""
        if name:
            yield name
