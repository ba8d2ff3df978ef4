"""Splits questions into three sets that share no document: reflection, selection, and a single test. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from investigator.errors import EvaluationDataError
from investigator.evaluation.evidence_match import plain
from investigator.evaluation.questions import Question
from investigator.records import Record
from investigator.reports.wording import plural

FEWEST = 6
"""Minimum size of a set, because with fewer questions no result of an exact test is significant at 5 %."""

_SHARES = {"reflect": 0.2, "select": 0.4, "test": 0.4}


class SetName(StrEnum):
    """The purpose of a set of questions."""

    REFLECT = "reflect"
    SELECT = "select"
    TEST = "test"


class QuestionSets(Record):
    """The questions in each set, in the order in which they are asked."""

    reflect: tuple[Question, ...]
    select: tuple[Question, ...]
    test: tuple[Question, ...]

    def of(self, name: SetName) -> tuple[Question, ...]:
        """Return the questions in a set."""
        return {SetName.REFLECT: self.reflect, SetName.SELECT: self.select, SetName.TEST: self.test}[name]


def drawn_sets(questions: Sequence[Question], twins: Mapping[str, str], seed: int) -> QuestionSets:
    """Split the questions at random so that the three sets share no document or twin of a document; the same seed gives
    the same sets.

    `twins` maps documents with equal content or text to a group. Questions with the same words also stay together. Each
    set gets a proportional share of answerable and unanswerable questions. Raises EvaluationDataError if there are too
    few questions, or if too many of them are connected.
    """
    groups = sorted(_groups(questions, twins), key=lambda group: (-len(group), min(_draw(seed, one) for one in group)))
    total = Counter(one.answerable is False for one in questions)
    sets: dict[str, list[Question]] = {name: [] for name in _SHARES}
    held = {name: Counter[bool]() for name in _SHARES}
    for group in groups:
        brought = Counter(one.answerable is False for one in group)
        name = max(_SHARES, key=lambda one: _wanting(held[one], _SHARES[one], total, brought))
        sets[name] += group
        held[name] += brought
    if min(map(len, sets.values())) < FEWEST:
        counts = ", ".join(f"{name} {len(some)}" for name, some in sets.items())
        together = f"; {len(groups[0])} share documents or words" if groups and len(groups[0]) > FEWEST else ""
        raise EvaluationDataError(
            f"{plural(len(questions), 'question')} cannot fill three sets of at least {FEWEST} ({counts}{together})",
            hint="Add questions about other documents: at least 30; 75 can show a gain of 30 points, 430 a gain of 10.",
        )
    ordered = {name: tuple(sorted(some, key=lambda one: _draw(seed, one))) for name, some in sets.items()}
    drawn = QuestionSets.model_validate(ordered)
    check_apart(drawn, twins)
    return drawn


def check_apart(sets: QuestionSets, twins: Mapping[str, str]) -> None:
    """Raise EvaluationDataError if two sets share a document, a twin of a document, or a question."""
    seen: dict[str, SetName] = {}
    for name in SetName:
        for question in sets.of(name):
            for key in _keys(question, twins):
                if seen.setdefault(key, name) is not name:
                    raise EvaluationDataError(
                        f"the sets {seen[key]} and {name} share {key.partition(' ')[2]!r} (question {question.id})",
                        hint="Data that was seen before the test proves nothing: remove one of the questions.",
                    )


def leaked(text: str, questions: Iterable[Question]) -> str:
    """Return the id of a question whose words or evidence a template contains; "" if there is no such question."""
    said = plain(text)
    for question in questions:
        for piece in (question.question, *(question.evidence or ()), *(question.answers or ())):
            wanted = plain(piece)
            if len(wanted.split()) >= FEWEST and wanted in said:
                return question.id
    return ""


def _groups(questions: Sequence[Question], twins: Mapping[str, str]) -> list[list[Question]]:
    """Return the connected components of questions that share a document, a twin or their words."""
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        leader.setdefault(key, key)
        while leader[key] != key:
            leader[key] = leader[leader[key]]
            key = leader[key]
        return key

    for question in questions:
        first, *others = _keys(question, twins)
        for key in others:
            leader[lead(key)] = lead(first)
    found: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        found[lead(_keys(question, twins)[0])].append(question)
    return list(found.values())


def _keys(question: Question, twins: Mapping[str, str]) -> list[str]:
    """Return the keys that a question may share with another question: first its words, then its documents."""
    named = sorted(question.named_documents)
    return [f"question {plain(question.asked)}", *(f"document {twins.get(name, name)}" for name in named)]


def _draw(seed: int, question: Question) -> str:
    return hashlib.sha256(f"{seed} {question.id}".encode("utf-8", "surrogatepass")).hexdigest()


def _wanting(held: Counter[bool], share: float, total: Counter[bool], brought: Counter[bool]) -> float:
    """Return how many questions of a group's kinds a set still lacks, as a fraction of the set's target."""
    return sum(count * (1 - held[silent] / (share * total[silent])) for silent, count in brought.items())
