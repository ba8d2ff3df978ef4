"""Lists the measures for a file of questions, and the criteria for judging an answer."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Self

from investigator.errors import SettingsError


class Labelled(StrEnum):
    """An enum whose members have a label for use in tables."""

    label: str

    def __new__(cls, value: str, label: str) -> Self:
        """Create a member with the given value and label."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member


class Measure(Labelled):
    """The measures, by what they need. All but the last are taken over the questions with the known facts."""

    # all questions; an answerable one is right if a known answer is given, an unanswerable one if nothing is found
    RIGHT = "right", "correctly answered or correctly silent"
    STATUS_RIGHT = "status_right", "correctly found something or correctly silent"
    FALSE_ANSWER = "false_answer", "answered an unanswerable question"  # unanswerable questions
    # questions with known documents or evidence
    CITED_FIRST = "cited_first", "first cited document is right"
    CITED_HIT = "cited_hit", "a cited document is right"
    CITED_RECALL = "cited_recall", "right documents that are cited"
    EVIDENCE_HIT = "evidence_hit", "evidence is quoted"
    EVIDENCE_WHOLE = "evidence_whole", "all of the evidence is quoted"
    EVIDENCE_RECALL = "evidence_recall", "pieces of evidence that are quoted"
    PAGE_HIT = "page_hit", "a cited page is right"
    # questions with a known free-text answer
    ANSWER_F1 = "answer_f1", "answer, token F1"
    ANSWER_EXACT = "answer_exact", "answer matches exactly"
    ANSWER_CONTAINS = "answer_contains", "answer contains a known answer"
    NUMBER_RECALL = "number_recall", "known numbers that the answer contains"
    # the silent questions whose answerability is known, and the unanswerable questions
    NO_ANSWER_PRECISION = "no_answer_precision", "no answer: precision"
    NO_ANSWER_RECALL = "no_answer_recall", "no answer: recall"
    # all replies that should contain a record, and all citations
    PARSED = "parsed", "replies that could be read"
    PROVEN = "proven", "quotes that are in the documents"


class Cost(Labelled):
    """The cost of a question."""

    CALLS = "calls", "calls per question"
    TOKENS = "tokens", "tokens per question"
    MONEY = "money", "US dollars per question"
    SECONDS = "seconds", "seconds per question"  # of those answered without interruption


LOWER_IS_BETTER: frozenset[Measure | Cost] = frozenset({Measure.FALSE_ANSWER, *Cost})
"""The measures of which a lower value is better."""

_NOT_JUDGING = {Measure.NO_ANSWER_PRECISION, Measure.NO_ANSWER_RECALL, Measure.FALSE_ANSWER}

JUDGING: Sequence[Measure] = tuple(measure for measure in Measure if measure not in _NOT_JUDGING)
"""The measures by which two systems can be compared: higher values are better, and both have a value."""


def judging_measure(name: str) -> Measure:
    """Return the measure with this name. Raises SettingsError if systems cannot be compared by it."""
    for measure in JUDGING:
        if measure == name:
            return measure
    why = "measures silence or errors" if name in set(Measure) else "is not known"
    raise SettingsError(
        f"systems cannot be compared by the measure {str(name)!r}: it {why}",
        hint=f"Choose one of: {', '.join(JUDGING)}.",
    )


class Ground(Labelled):
    """The criterion by which a question counts as answered correctly; see `rightness`."""

    SILENCE = "silence", "nothing is found"
    NUMBERS = "numbers", "known numbers are given"
    ANSWER = "answer", "a known answer is given"
    POINTS = "points", "key points are quoted"
    EVIDENCE = "evidence", "evidence is quoted"
    FIGURES = "figures", "numbers of a long answer are given"
    DOCUMENT = "document", "a right document is cited"
