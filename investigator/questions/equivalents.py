"""Rewords a question grammatically without changing its meaning: "who audited it" as "who was its auditor". For English
text. Pure.

A statement that answers any of these wordings answers the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from investigator.language.late_patterns import late
from investigator.language.negation import negates
from investigator.questions.constraints import constraints
from investigator.questions.cues import cue_words
from investigator.questions.order import is_past
from investigator.questions.related import is_irregular, is_verb, root
from investigator.records import Part

_WHO = late(
    r"\W*(?:who|which (?:\w+ )?(?:person|people|firm|company|department|office|team|body|party))"
    r"(?: (?P<have>has|have|had))? (?P<verb>[a-z][\w-]+) (?P<rest>\S.*)",
    re.IGNORECASE,
)
_WHO_IS = late(
    r"\W*who (?P<be>is|was|are|were) the (?P<noun>[a-z]+(?:er|or)) (?P<rest>(?:of|for|in|at|on)\b.*)", re.IGNORECASE
)
_TOOK_PART = late(
    r"(?:attend(?:s|ed)?|(?:participated?|took part|take part) in|(?:is|was|are|were) (?:present )?at|came to)\b",
    re.IGNORECASE,
)
_LEADS = late(
    r"\W*who(?:['’]s| (?P<be>is|was))? (?P<how>in charge of|responsible for|accountable for|leads?|heads?|led|headed)"
    r" (?P<thing>(?:the |our )?[\w -]{3,40}?)(?P<end>\W*| (?:at|in|of|for|since|from)\b.*)$",
    re.IGNORECASE,
)
_LEADERS = ("lead", "leader", "head", "manager", "officer", "coordinator")
_LASTS = late(
    r"(?P<lead>\W*(?:for )?how long (?:does|do|did|will|would) )(?P<thing>.+?) last(?P<end>\W*)$", re.IGNORECASE
)
_DECIDES = late(r"\b(?:decided?|agreed?|resolved?|choose|chose|chosen) (?P<to>to)\b", re.IGNORECASE)
_ENDING = late(r"(?:ed|es|s)$")
_ARTICLE = late(r"(?:the|our) ", re.IGNORECASE)
_OF = late(r"(?:of|for) ", re.IGNORECASE)


@lru_cache(maxsize=512)
def equivalents(part: Part) -> tuple[Part, ...]:
    """Return a part of a question, followed by its rewordings. A negated question has none."""
    texts = dict.fromkeys(() if negates(part.question) else _reworded(part.question))
    others = (part.changed(question=text, constraints=constraints(text)) for text in texts if text != part.question)
    return (part, *others)


def _reworded(question: str) -> Iterator[str]:
    if took_part := _took_part(question):
        yield from took_part
    elif (match := _WHO.match(question)) and match["verb"] not in cue_words("order", "forms_of_be"):
        be = "was" if match["have"] or is_past(match["verb"].casefold()) else "is"
        for noun in doer_nouns(match["verb"]):
            if root(noun) != root(match["verb"].casefold()):
                yield f"Who {be} the {noun} of {match['rest']}"
    if match := _WHO_IS.match(question):
        verb = f"{match['noun'][:-2]}{'ed' if match['be'] in ('was', 'were') else 'es'}"
        if is_verb(verb.casefold()):
            yield f"Who {verb} {_OF.sub('', match['rest'], count=1) if _OF.match(match['rest']) else match['rest']}"
    if match := _LEADS.match(question):
        be = "was" if match["be"] == "was" or match["how"] in ("led", "headed") else "is"
        thing = _ARTICLE.sub("", match["thing"])
        yield from (f"Who {be} {how} {thing}{match['end']}" for how in ("in charge of", "responsible for"))
        yield from (f"Who {be} the {thing} {leader}{match['end']}" for leader in _LEADERS)
    if match := _LASTS.match(question):  # elsewhere, "last" mostly means "final"
        yield from (f"{match['lead']}{match['thing']} run{match['end']}", f"How long is the term of {match['thing']}?")
    if _DECIDES.search(question):
        yield _DECIDES.sub("approve to", question)


def _took_part(question: str) -> tuple[str, ...]:
    match = _TOOK_PART.search(question) if question.lstrip().casefold().startswith("who") else None
    if match is None:
        return ()
    rest = question[match.end() :]
    return tuple(f"Who {verb}{rest}" for verb in ("attended", "was present at", "were the participants of"))


def doer_nouns(verb: str) -> tuple[str, str]:
    """Return the possible nouns for the doer of a verb: "auditer" and "auditor" for "audited"."""
    word = verb.casefold()
    base = root(word) if is_irregular(word) else _ENDING.sub("", word)
    return f"{base.removesuffix('e')}er", f"{base.removesuffix('e')}or"
