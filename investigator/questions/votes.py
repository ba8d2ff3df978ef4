"""Decides questions about votes: "Ann abstained" answers "did Ann vote for the sale" with no. For English text.
Pure.
"""

from __future__ import annotations

from investigator.language.late_patterns import late
from investigator.language.terms import content_words, words
from investigator.questions.order import clause
from investigator.questions.related import root, roots, stands
from investigator.records import Decision

_ASKED = late(r"\bvot(?:e|ed|ing) (?P<side>for|in favou?r|against)\b")
_SAID = late(r"\bvot(?:e|es|ed|ing) (?P<side>for|in favou?r|against)\b|\b(?P<none>abstain(?:s|ed)?|abstention)\b")


def decision_of_vote(question: str, sentence: str, before: str) -> Decision | None:
    """Return what a sentence says about the vote of a question's subject; None if it says nothing.

    The sentence must name the subject; the rest of the question may be in the text `before` it, because minutes state a
    motion before the votes on it.
    """
    asked, subject = _ASKED.search(question), clause(question)
    said = list(_SAID.finditer(sentence))
    if asked is None or subject is None or len(said) != 1:
        return None
    known = roots(f"{sentence} {before}")
    others = {word for word in content_words(question) if root(word) not in roots(" ".join(subject.subject))}
    others -= set(words("did vote voted voting for against favour favor"))
    if not roots(" ".join(subject.subject)) <= roots(sentence) or not all(stands(word, known) for word in others):
        return None
    is_same = said[0]["side"] is not None and (said[0]["side"] == "against") is (asked["side"] == "against")
    return Decision.YES if is_same else Decision.NO
