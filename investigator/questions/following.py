"""Completes a follow-up question by rules, using the earlier questions. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from investigator.language.terms import words
from investigator.questions.constraints import NAMES, constraints
from investigator.questions.cues import patterns
from investigator.questions.kinds import kind_of
from investigator.questions.roles import CARRIED
from investigator.records import ConstraintKind

_MATTER = (ConstraintKind.ATTRIBUTE, ConstraintKind.CONDITION)
_SAYS_IT_ALL = 4  # minimum number of content words in a self-contained question
_MOST_CARRIED = 4


@dataclass(frozen=True)
class EarlierQuestion:
    """A question that was answered earlier, and the documents that its answer cites, most cited first."""

    question: str
    documents: tuple[str, ...] = ()


def completed(question: str, before: Sequence[EarlierQuestion]) -> str:
    """Return a question completed with the names, document and subject that it leaves implicit.

    `before` contains the earlier questions, latest last. A question that is already complete, or asks for documents, is
    returned unchanged.
    """
    if not before:
        return question
    names_its_own = bool(_names(question)) and not refers_back(question)
    if kind_of(question).is_exhaustive or (names_its_own and _matter_words(question)):
        return question
    carried = next((found for one in reversed(before) if not names_its_own and (found := list(_subject(one)))), [])
    if len(_matter_words(question)) < _SAYS_IT_ALL:
        carried += next((found for one in reversed(before) if (found := list(_matter(one)))), [])
    own = set(words(question))
    new = [text for text in dict.fromkeys(carried) if not own.issuperset(words(text))][:_MOST_CARRIED]
    return f"{question.strip()} ({'; '.join(new)})" if new else question


def refers_back(question: str) -> bool:
    """Return True if a question refers to something known, by a pronoun or by a phrase such as "the difference" or "the
    trial".
    """
    return any(pattern.search(question) for pattern in patterns("following").values())


def speaks_of_finding(question: str) -> bool:
    """Return True if a question refers to an earlier finding by a phrase such as "the difference" or "the trial"."""
    return patterns("following")["finding"].search(question) is not None


def _subject(one: EarlierQuestion) -> Iterator[str]:
    """Return the names in an earlier question, and the document on which its answer is based, if there is only one."""
    yield from _names(one.question)
    if len(one.documents) == 1:
        yield PurePosixPath(one.documents[0]).stem.replace("_", " ")


def _matter(one: EarlierQuestion) -> Iterator[str]:
    if carried := CARRIED.search(one.question):
        yield from carried.group(1).split("; ")
    asked = CARRIED.sub("", one.question)
    yield from (found.text for found in constraints(asked) if found.kind in _MATTER)


def _names(question: str) -> list[str]:
    return [one.text for one in constraints(question) if one.kind in NAMES]


def _matter_words(question: str) -> list[str]:
    return [word for one in constraints(question) if one.kind in _MATTER for word in words(one.text)]
