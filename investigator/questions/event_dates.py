"""Distinguishes the date of a decision or report from that of the event: "decided on 5 May to build". For English text.
Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.late_patterns import late
from investigator.language.terms import folded, words
from investigator.questions.answer_types import AnswerType, spans
from investigator.questions.order import clause, verbs
from investigator.questions.related import root, roots
from investigator.questions.spans import moments, names_hour

_ASKS_HOUR = late(r"\W*(?:at |by |from |until )?(?:what|which) (?:time|hour)\b(?! of)", re.IGNORECASE)
_ASKS_DAY = late(r"\W*(?:on |by |until |from |since )?(?:what|which) (?:exact )?(?:date|day)\b(?! of)", re.IGNORECASE)
_DAY = late(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\d{1,2}[./]\d{1,2}\b", re.IGNORECASE)
_TOLD = late(
    r"\b(?P<verb>decid(?:es|ed)|agre(?:es|ed)|resolv(?:es|ed)|vot(?:es|ed)|cho(?:se|sen)|propos(?:es|ed)|promis(?:es|ed)"
    r"|announc(?:es|ed)|report(?:s|ed)|sa(?:ys|id)|stat(?:es|ed)|not(?:es|ed)|confirm(?:s|ed)|recommend(?:s|ed)"
    r"|request(?:s|ed)|ask(?:s|ed)|approv(?:es|ed)|warn(?:s|ed)|inform(?:s|ed))\b[^.;:]{0,60}?\b(?:to|that)\s+(?!\d)"
)


@lru_cache(maxsize=4096)
def dates_event(question: str, sentence: str) -> bool:
    """Return False if a sentence gives dates only for acts other than the one that a question asks about, or no day or
    time of day although the question asks for one.

    A date before "to build" belongs to the decision; a date after it belongs to the building.
    """
    if _ASKS_HOUR.match(question) and not names_hour(sentence):
        return False
    if _ASKS_DAY.match(question) and not (any(one.day for one in moments(sentence)) or _DAY.search(sentence)):
        return False
    told = _TOLD.search(sentence)
    if told is None:
        return True
    act, event = sentence[: told.end()], sentence[told.end() :]
    asked = clause(question)
    doing = {root(verb) for verb in verbs(question)} | ({root(folded(asked.verb))} if asked else set())
    is_act = root(folded(told["verb"])) in doing
    if not is_act and not (roots(event) & (doing or frozenset(map(root, words(question))))):
        return True
    part = act if is_act else event
    return bool(spans(AnswerType.DATE, part, question)) or names_hour(part)
