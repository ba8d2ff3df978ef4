"""Uses rules to find the constraints in a question: entities, periods, conditions, figures, direction, roles, subject.

The rules are for English; they recognise capitals and digits in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from itertools import pairwise

from investigator.language.late_patterns import late
from investigator.language.terms import folded, month_words, question_body, stem, stop_words, words
from investigator.questions.answer_types import NO_FIGURES, AnswerType, expected_type, required_type
from investigator.questions.cues import cue_words, only_asks, only_requests, opposites, patterns, request_words
from investigator.questions.measured import unit_asked
from investigator.questions.numbered import numbered
from investigator.questions.order import is_past, pairs
from investigator.questions.periods import spelled_periods
from investigator.questions.phases import phases_asked
from investigator.questions.related import phrases, root
from investigator.questions.roles import roles
from investigator.questions.spans import moments, now_asked
from investigator.records import Constraint, ConstraintKind

QUOTED = late(r"[\"“”«»„]([^\"“”«»„]{2,80})[\"“”«»„]")
_NAME_WORD = r"[A-ZÀ-ÖØ-Þ0-9][\w'’./&-]*"
_NAME = late(rf"(?<!\w){_NAME_WORD}(?:\s+(?:(?:of|de|von|van|the|la|di|da)\s+)?{_NAME_WORD})*")
_POSSESSIVE = late(r"['’]s?\s+(?=[A-Z0-9])")
_CONTRACTED = late(
    r"(?<=\w)(?:n['’]t|['’](?:m|re|ve|ll|d))\b|\b(?:wh(?:at|ere|en|o|y)|how)['’]?s\b|\b(?:that|there|here|it)['’]s\b",
    re.IGNORECASE,
)
_HOW = late(r"\bhow ([a-z]+)", re.IGNORECASE)
_HAS_CAPITAL = late(r"[A-ZÀ-ÖØ-Þ]")
_PLACE_BEFORE = late(r"\b(?:in|at|near|from|around)\s+(?:the\s+)?$", re.IGNORECASE)
_CLAUSE_END = late(r"[,;?.!:]|$")
_KIND_ASKED = late(r"\b(?:which|what)((?:\s+[a-z]+){2,4})", re.IGNORECASE)
_TOKEN = late(r"[^\W_](?:[\w'’/&-]|[.,](?=\w))*|[,;:.!?()]")
_COUNTED = late(
    r"\b(?:how many|number of)\s+(?:(?:of|the|its|their|own|other|different|more)\s+)*"
    r"(?!(?:are|were|is|was|have|has|did|do|does)\b)"
    r"([\w-]+(?:\s+(?!(?:did|does|do|were|was|are|is|have|has|had|took|can|could|will|would|should|may|might|must|in|of|on"
    r"|at|to|for|from|with|by|who|that|there|took|lived|live)\b)[\w-]+){0,2})",
    re.IGNORECASE,
)
_UP_OR_DOWN = late(
    r"\b(?:was|were|is|are)\b(?: [\w,'’&-]+){0,8}? (?P<before>[\w-]+) (?P<side>up|down)"
    r"(?=\W*$| (?:by|in|from|for|on|at|during|compared|over|again)\b)",
    re.IGNORECASE,
)
"""Matches "up" as a predicate, as in "why were sales up in May"."""
_UNTIL = late(r"\b(?:until|till|since|from|by)\s+$", re.IGNORECASE)
_BUT_NOT = late(r"\b(?:but|and|,) not (?:the |an? |to |in |for )?([\w-]+(?: [\w-]+)?)", re.IGNORECASE)
NOT = "not "
"""The beginning of a negative condition: "dogs but not cats"."""
IN_UNIT = "in "
"""The beginning of a phrase that names a unit: "in square feet"."""
NAMES = (ConstraintKind.ENTITY, ConstraintKind.PLACE)
_SHORTEST_NAME = 2
_ORIGIN = "come"  # a sentence can give a place of origin without this verb
_LONGEST = 160
_MOST = 24


@lru_cache(maxsize=512)  # called for each document that may answer
def constraints(question: str) -> tuple[Constraint, ...]:
    """Return the constraints of one part of a question, without duplicates."""
    kind = required_type(question)
    found = [Constraint(kind=ConstraintKind.ANSWER_TYPE, text=kind)] if kind is not AnswerType.ANY else []
    found += _of(ConstraintKind.PERIOD, [*spelled_periods(question), *now_asked(question)])
    found += _of(ConstraintKind.PHASE, phases_asked(question))
    found += _names(question)
    found += _of(ConstraintKind.CONDITION, [phrase.text for phrase in numbered(question)])
    found += _of(ConstraintKind.QUANTITY, _quantities(question))
    unit = unit_asked(question)
    found += _of(ConstraintKind.QUANTITY, [f"{IN_UNIT}{unit}"] if unit else [])
    found += _of(ConstraintKind.DIRECTION, _directions(question))
    modality = patterns("modality")
    if modality["asks_done"].search(question) and not modality["asks_planned"].search(question):
        found += _of(ConstraintKind.MODALITY, ["done"])
    found += _of(ConstraintKind.ROLE, roles(question, [one.text for one in found if one.kind in NAMES]))
    found += _of(ConstraintKind.CONDITION, _clauses(question))
    found += _of(ConstraintKind.ATTRIBUTE, _rest(question, found))
    return tuple({(one.kind, folded(one.text)): one for one in found}.values())[:_MOST]


def _of(kind: ConstraintKind, texts: Iterable[str]) -> list[Constraint]:
    return [Constraint(kind=kind, text=" ".join(text.split())[:_LONGEST]) for text in texts if text.strip()]


def _names(question: str) -> list[Constraint]:
    found = _of(ConstraintKind.ENTITY, QUOTED.findall(question))
    left = _POSSESSIVE.sub(", ", _CONTRACTED.sub("", QUOTED.sub(" ", question)))
    for match in _NAME.finditer(left):
        name = _without_requests(match.group())
        begins = not left[: match.start()].strip() or left[: match.start()].rstrip()[-1] in ".!?:"
        begins = begins and match.group().startswith(name)  # not as in "Does Bram", where a request begins
        if (
            len(name) < _SHORTEST_NAME
            or not _HAS_CAPITAL.search(name)
            or (begins and " " not in name and name[1:].islower())
        ):
            continue
        is_place = _PLACE_BEFORE.search(left[: match.start()]) is not None
        found += _of(ConstraintKind.PLACE if is_place else ConstraintKind.ENTITY, [name])
    periods = {word for text in spelled_periods(question) for word in words(text)} | month_words()
    return [one for one in found if any(not w.isdigit() and w not in periods for w in words(one.text))]


def _without_requests(name: str) -> str:
    """Return the name without leading stop words, and without leading words of a request or question."""
    parts = name.split()
    while parts and folded(parts[0]).strip("'’.") in request_words() | stop_words():
        parts = parts[1:]
    return " ".join(parts).strip(" .,'’")


def _quantities(question: str) -> Iterator[str]:
    """Yield the kind of figure that a question requests, if any; for a count, include the counted thing."""
    asks_other = expected_type(question) in NO_FIGURES
    for name, cue in patterns("asked").items():
        # "who bears the cost" does not ask for an amount
        if cue.search(question) and not (name == "money" and asks_other):
            counted = _COUNTED.search(question) if name == "count" else None
            yield f"count of {counted.group(1)}" if counted else name
            return


def counted_thing(question: str) -> str:
    """Return the folded noun for the things that a question counts, such as "days" for "how many working days"; "" if
    it counts nothing.
    """
    counted = _COUNTED.search(question)
    return words(counted.group(1))[-1] if counted else ""


def _directions(question: str) -> Iterator[str]:
    predicate = _UP_OR_DOWN.search(question)
    verb = predicate["before"] if predicate else ""
    if predicate and not (is_past(verb) or patterns("modality")["unchanged"].fullmatch(verb)):  # as in "was set up"
        yield f"went {predicate['side'].lower()}"
    counted = _COUNTED.search(question)
    question = question.replace(counted.group(1), " ") if counted else question
    for first in {pair.first for pair in pairs(question)}:  # "growth hormone" does not ask about growth
        question = re.sub(rf"\b{re.escape(first)}\b", " ", question, flags=re.IGNORECASE)
    for one, other in opposites().values():
        for side, against in ((one, other), (other, one)):
            if (match := side.search(question)) and not against.search(question):
                yield match.group()


def _clauses(question: str) -> Iterator[str]:
    for match in patterns("condition")["begins"].finditer(question):
        end = _CLAUSE_END.search(question, match.end())
        words_of = question[match.end() : end.start() if end else None].split()
        asks_when = _UNTIL.search(question[: match.start()]) is not None
        if match.start() > 0 and 1 <= len(words_of) <= 10 and not asks_when:
            yield " ".join(words_of)
    for match in _BUT_NOT.finditer(question):
        yield f"{NOT}{match.group(1)}"


def _rest(question: str, found: Iterable[Constraint]) -> Iterator[str]:
    """Yield things identified by a letter or number, and runs of content words that no other constraint contains.

    Words that name nothing are used only if no other words remain.
    """
    taken = {stem(word) for one in found if one.kind is not ConstraintKind.ROLE for word in words(one.text)}
    for pair in pairs(question):
        if pair.is_exact and not {stem(pair.first), stem(pair.second)} <= taken:
            yield f"{pair.first} {pair.second}"
            taken |= {stem(pair.first), stem(pair.second)}
    for phrase, _ in phrases(question):  # "take over" does not mean the same as "take"
        own = {stem(word) for word in words(phrase)}
        if only_asks(folded(phrase.split()[0])) and not own <= taken and root(words(phrase)[0]) != _ORIGIN:
            yield phrase
            taken |= own
    taken |= {stem(word) for day in moments(question) for word in words(day.text) if day.day or day.year}
    every = words(question)
    if any(one.kind is ConstraintKind.QUANTITY for one in found):  # "how warm" asks for a temperature
        taken |= {stem(folded(word)) for word in _HOW.findall(question)}
    requests = [word for word in every if only_requests(word)]
    skipped = taken | set(map(stem, (*requests, *map(folded, _kinds_asked(question)))))
    runs = list(_runs(question, skipped | {stem(word) for word in every if only_asks(word)}))
    asked = {one.kind for one in found} & {ConstraintKind.QUANTITY, ConstraintKind.DIRECTION, ConstraintKind.CONDITION}
    names = sum(one.kind in NAMES for one in found)
    yield from runs if runs or asked or names > 1 else _runs(question, skipped)


def _runs(question: str, skipped: Set[str]) -> Iterator[str]:
    run: list[str] = []
    for token in (*_TOKEN.findall(_CONTRACTED.sub("", question_body(question))), ""):
        parts = words(token)
        if parts and not all(part in stop_words() or stem(part) in skipped for part in parts):
            run.append(token.strip(".'’"))
        elif run:
            yield " ".join(run)
            run = []


def _kinds_asked(question: str) -> Iterator[str]:
    """Yield nouns that only name the kind of the requested thing: "which chain bought ...". A noun that is used twice
    does more: "which dog is the state dog".
    """
    every = words(question)
    # an answer to "what notice must be given" contains "notice"
    auxiliaries = cue_words("order", "auxiliaries") - {"must"}
    for match in _KIND_ASKED.finditer(question):
        kind = match.group(1).split()
        for thing, follows in pairwise(kind if kind[0] not in auxiliaries else ()):
            if (follows in auxiliaries or is_past(follows)) and every.count(folded(thing)) == 1:
                yield thing
                break
