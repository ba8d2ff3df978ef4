"""Matches the end of a time span that a question asks for: when something begins, ends or is due.

A sentence that gives only the other end does not answer the question. For English text. Pure.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache

from investigator.language.terms import content_words
from investigator.questions.answer_types import AnswerType, expected_type
from investigator.questions.assertions import assertions
from investigator.questions.cues import cue_roots, cues, patterns
from investigator.questions.related import root, roots
from investigator.questions.spans import time_spans, when_pattern


class Phase(StrEnum):
    """One end of a time span, or the day by which something is due."""

    BEGIN = "begin"
    END = "end"
    DUE = "due"


@lru_cache(maxsize=512)
def phases_asked(question: str) -> tuple[str, ...]:
    """Return the words in a question that ask for one end of a time span: "closes", "since when"."""
    if expected_type(question) is not AnswerType.DATE:
        return ()
    found = (patterns("phases")[phase].search(question) for phase in Phase)
    return tuple(match.group() for match in found if match)


def phases_named(words_of: str) -> frozenset[Phase]:
    """Return the ends of a time span to which the given words from a question refer."""
    return frozenset(phase for phase in Phase if patterns("phases")[phase].search(words_of))


def phases_said(text: str, *, of_amount: bool = False) -> frozenset[Phase]:
    """Return the ends of spans and the due dates that the text gives.

    Next to an amount of money, "from 1 May" says when the amount applies; it counts only if `of_amount` is True.
    """
    said = set(_phases_worded(text))
    if not of_amount and patterns("shown")["money"].search(text):
        return frozenset(said)
    spans = time_spans(text)
    said |= {Phase.BEGIN for span in spans if span.is_clock or span.first}
    said |= {Phase.END for span in spans if span.is_clock or span.last}
    return frozenset(said | ({Phase.DUE} if _due_mark().search(text) else set()))


def _phases_worded(text: str) -> frozenset[Phase]:
    plain = patterns("phases_said")["neither"].sub(" ", text)
    known = (patterns("phases"), patterns("phases_said"))
    return frozenset(phase for phase in Phase if any(cue[phase].search(plain) for cue in known))


def shows_phase(asked: str, question: str, sentence: str) -> bool:
    """Return True if the clause that best matches a question gives the end that the question asks for with the words in
    `asked`. If the clause has no word for that end, as in "open from 1 to 20 May", it must contain all words of the
    question and no word for the other end, because something that has been closed since May did not open then.
    """
    matter = frozenset(map(root, content_words(question))) - roots(asked) - cue_roots("empty")
    most = max(len(matter & roots(clause)) for clause in assertions(sentence))
    near = (clause for clause in assertions(sentence) if len(matter & roots(clause)) == most)
    wanted, asks_mark = phases_named(asked), asked.casefold().endswith("when")
    for clause in near:
        worded = _phases_worded(clause)
        if wanted <= worded:
            return True
        is_other_end = Phase.END in worded - wanted and not any(span.has_both for span in time_spans(clause))
        is_said = wanted <= phases_said(clause, of_amount=asks_mark) and most == len(matter)
        if is_said and (asks_mark or not is_other_end):
            return True
    return False


@cache
def _due_mark() -> re.Pattern[str]:
    return re.compile(rf"\b(?i:{cues('phases_said')['due_mark']})\s+{when_pattern()}")
