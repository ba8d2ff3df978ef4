"""Computes how much of a question a statement itself contains, without its document's name and context. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.documents.pages import heading_at
from investigator.language.labels import LabelLine, lines_beside
from investigator.language.terms import content_words, stem, stop_words, words
from investigator.questions.cues import names_nothing
from investigator.questions.labelled import names_subject, says_label
from investigator.questions.matching import WORDED
from investigator.questions.measured import is_carried
from investigator.questions.numbered import numbered
from investigator.questions.related import root, roots, stands
from investigator.questions.spans import moments
from investigator.records import Constraint, ConstraintKind, ConstraintMatch, Document, Part
from investigator.research.quoted_text import QuotedText, names_of

PRONOUN = re.compile(r"\b(?:it|its|they|their|he|his|she|her|this|these)\b", re.IGNORECASE)
"""Matches pronouns that refer to something named in a previous sentence."""
NOT_WORDED = frozenset({ConstraintKind.PERIOD, ConstraintKind.CONDITION, ConstraintKind.DIRECTION})
"""Constraints that limit the requested thing instead of naming it."""
_FURTHEST = 2  # number of sentences before a pronoun that may contain its antecedent
_STOPS = (".", "!", "?", ";", ":")


def own_share(own: Sequence[ConstraintMatch], question: str, said: QuotedText) -> float:
    """Return the share of the question's words in a sentence; if the sentence has a pronoun, previous sentences also
    count.

    If other words also match, a figure of the requested kind counts as a match for the word that requests it, as "40
    euros" does for "cost".
    """
    if said.span is None:
        return 1.0
    document, start, sentence = said.document, said.place[0], said.text
    if said.labelled is not None and (share := _share_of_label(question, said.labelled, said)) is not None:
        return share
    heading = heading_at(document.headings, start)
    texts, every = _said_words([match.constraint for match in own])
    asked = _apart_from_names(every, document)
    if not asked:  # as in "the first response": only the numbered thing counts
        things = {one.thing for text in texts for one in numbered(text)}
        asked = frozenset(word for text in texts for word in words(text) if stem(word) in things)
        sentence = f"{heading} {sentence}" if asked else sentence
    if not asked and NOT_WORDED.isdisjoint(match.constraint.kind for match in own):
        if every and not any(stands(word, roots(sentence)) for word in every):
            return 0.0  # even if a title has all words of the question, not every sentence below it is an answer
        line = document.text[:start].rstrip().rpartition("\n")[2]
        asked, sentence = every, f"{heading} {'' if line.endswith(_STOPS) else line} {sentence}"
    present = roots(sentence)
    for before in reversed(said.before[-_FURTHEST:]):
        if not PRONOUN.search(sentence):
            break
        sentence = said.quote.text[slice(*before)]
        present |= roots(sentence)
    left = [word for word in asked if not stands(word, present)]
    if len(left) < len(asked) and all(is_carried(word, question, said.text) for word in left):
        return 1.0
    return 1 - len(left) / len(asked) if asked else 1.0


def _said_words(asked: Sequence[Constraint]) -> tuple[list[str], frozenset[str]]:
    """Return the texts of the constraints that can be met by containing their words, and these words."""
    texts = [one.text for one in asked if one.kind in WORDED and not _names_day(one.text)]
    plain = (word for text in texts if not numbered(text) for word in words(text))
    return texts, frozenset(word for word in plain if word not in stop_words() and word != "s")  # "s" as in "Ann's"


def _apart_from_names(every: frozenset[str], document: Document) -> frozenset[str]:
    """Return the words except those that name the document."""
    about = roots(document.names)
    return frozenset(word for word in every if root(word) not in about)


def may_have_all_words(part: Part, text: str, document: Document) -> bool:
    """Return False if the text lacks a word of a part, which means that none of its sentences can contain all words of
    the part.
    """
    _, every = _said_words(part.constraints)
    present = roots(text)
    left = [word for word in _apart_from_names(every, document) if not stands(word, present)]
    return all(is_carried(word, part.question, text) for word in left)


def _share_of_label(question: str, line: LabelLine, said: QuotedText) -> float | None:
    """Return the share for a label line whose value contains no word of the question. It is 1.0 if the question
    contains every word of the label, and its other words are in the document's name or heading. It is 0.0 if the
    question lacks a word of the label. Return None if the line must be judged like a sentence.
    """
    document = said.document
    asked = {root(word) for word in content_words(question) if not names_nothing(word)}
    if asked & roots(line.value):
        return None
    if not says_label(question, line.label):
        return 0.0
    beside = (one.value for one in lines_beside(document.text, said.place[0]) if names_subject(one.label))
    over = f"{names_of(document)} {heading_at(document.headings, said.place[0])} {' '.join(beside)}"
    known = roots(f"{line.label} {over}")
    return 1.0 if all(stands(word, known) for word in content_words(question) if root(word) in asked) else None


def _names_day(text: str) -> bool:
    """Return True if the text names a day, which may be inside a time span."""
    return any(one.day for one in moments(text.title()))
