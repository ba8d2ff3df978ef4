"""Splits questions into three sets that share no document: reflection, selection, and a single test. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from investigator.errors import DataError
from investigator.evaluation.answer_text import plain
from investigator.evaluation.questions import Question
from investigator.records import Record
from investigator.reports.wording import plural
from investigator.tuning.candidates import digest

FEWEST = 6
"""Minimum size of a set, because with fewer questions no result of an exact test is significant at 5 %."""

_SHARES = {"reflect": 0.2, "select": 0.4, "test": 0.4}


class QuestionSets(Record):
    """The questions in each set, in the order in which they are asked."""

    reflect: tuple[Question, ...]
    select: tuple[Question, ...]
    test: tuple[Question, ...]


def drawn_sets(questions: Sequence[Question], twins: Mapping[str, str], seed: int) -> QuestionSets:
    """Split the questions at random so that the three sets share no document or twin of a document; the same seed gives
    the same sets.

    `twins` maps documents with equal text to a group. Questions with the same words also stay together. Each set gets a
    proportional share of answerable and unanswerable questions. Raises DataError if there are too few
    questions, or if too many of them are connected.
    """

    def place(question: Question) -> str:
        return digest(str(seed), question.id)

    groups = sorted(_groups(questions, twins), key=lambda group: (-len(group), min(map(place, group))))
    total = Counter(question.answerable is False for question in questions)
    sets: dict[str, list[Question]] = {name: [] for name in _SHARES}
    held = {name: Counter[bool]() for name in _SHARES}
    for group in groups:
        added = Counter(question.answerable is False for question in group)
        # the set that lacks most of the kinds of these questions, as a fraction of its target
        name = max(
            _SHARES,
            key=lambda each: sum(
                n * (1 - held[each][kind] / (_SHARES[each] * total[kind])) for kind, n in added.items()
            ),
        )
        sets[name] += group
        held[name] += added
    if min(map(len, sets.values())) < FEWEST:
        counts = ", ".join(f"{name} {len(members)}" for name, members in sets.items())
        together = f"; {len(groups[0])} share documents or words" if groups and len(groups[0]) > FEWEST else ""
        raise DataError(
            f"{plural(len(questions), 'question')} cannot fill three sets of at least {FEWEST} ({counts}{together})",
            hint="Add questions about other documents: at least 30; 75 can show a gain of 30 points, 430 a gain of 10.",
        )
    return QuestionSets.model_validate({name: tuple(sorted(members, key=place)) for name, members in sets.items()})


def leaked(text: str, questions: Iterable[Question]) -> str:
    """Return the id of a question whose words or evidence a template contains; "" if there is no such question."""
    words = plain(text)
    for question in questions:
        for piece in (question.question, *(question.evidence or ()), *(question.answers or ())):
            wanted = plain(piece)
            if len(wanted.split()) >= FEWEST and wanted in words:
                return question.id
    return ""


def _groups(questions: Sequence[Question], twins: Mapping[str, str]) -> list[list[Question]]:
    """Return the connected components of questions that share a document, a twin or their words."""
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        while leader.setdefault(key, key) != key:
            key = leader[key]
        return key

    for question in questions:
        for name in question.named_documents:
            leader[lead(f"document {twins.get(name, name)}")] = lead(_words(question))
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[lead(_words(question))].append(question)
    return list(groups.values())


def _words(question: Question) -> str:
    return f"question {plain(question.wording)}"
