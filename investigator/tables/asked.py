"""Extracts from a question what to look for in a table: words that name rows and columns, and times. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from investigator.language.late_patterns import late
from investigator.language.prefixes import bare, possible_words
from investigator.language.terms import folded, stop_words, tokens, words
from investigator.questions.answer_types import AnswerType, required_type
from investigator.questions.asked_amounts import AmountRelation, AskedAmount, asked_amounts
from investigator.questions.cues import cue_roots, cues, only_asks, patterns, request_words
from investigator.questions.numbered import Numbered, numbered
from investigator.questions.related import root, roots
from investigator.tables.times import TableTime, asked_times, without_times

_SHARE = late(r"percent|per cent|%|\bshare of\b|\brate\b|\bproportion\b|\bhow fast\b", re.IGNORECASE)
_CHANGES = r"\b(?:gr[eo]w|chang|increas|ris[ei]|rose|climb|decreas|declin|f[ae]ll|drop|shr[aiu]nk)\w*"
CHANGE = late(_CHANGES, re.IGNORECASE)
_PACE = late(rf"\b(?:how fast|by what percent(?:age)?)\b[^?]*{_CHANGES}", re.IGNORECASE)
_PRICE = late(r"\bhow much (?:is|are|was|were|for)\b", re.IGNORECASE)
_COUNT = late(r"\bhow many\b(?! (?:percent|per cent|basis))|\bnumber of\b|\bhead ?count\b", re.IGNORECASE)
_NUMBERED_TIME = late(r"month|week|quarter|year|%|percent", re.IGNORECASE)
_WHOSE_FOLDER = late(
    r"(?<=\bdid )(?:the|our|this) (?:association|business|charity|church|clinic|club|college|company"
    r"|co-?op(?:erative)?|council|firm|foundation|hospital|library|museum|organi[sz]ation|practice|school|society|trust"
    r"|university)(?= [a-z])",
    re.IGNORECASE,
)
"""Matches a word for the organisation behind the documents, which the tables need not name: "what did the club spend on
rent".
"""
_POINTS = late(r"\b(?:percentage|per ?cent|basis)[- ]points?\b", re.IGNORECASE)
"""The units in which a difference between two percentages is given."""
_COSTS = late(r"\b(?:do|does|did|will|would)\b[^?.]*\bcosts?\b", re.IGNORECASE)
_WHICH_TIMES = late(r"\b(?:which|what) (?:fiscal |financial )?(?:years?|quarters?|months?)\b", re.IGNORECASE)
_WHICH_THINGS = late(r"^\W*(?:which|list|name|show|find|give)\b", re.IGNORECASE)
_LIMIT = late(r"[<>≤≥]\s?=?\s?\d[\d.,]*")
_MOST_PARTS = 100  # maximum number of parts in a token; tokens are long in texts without spaces
_LONGEST_ACRONYM = 6
_ACRONYM = late(r"[A-Z]{2,5}")


@dataclass(frozen=True)
class AskedTerm:
    """A word in the question that a cell or the description of its document must contain: either its `root` or one of
    the `others`.

    `is_name` is True for a word that is capitalised inside the question.
    """

    text: str
    root: str
    others: frozenset[str]
    is_name: bool = False
    initials: str = ""

    @cached_property
    def roots(self) -> frozenset[str]:
        """Return the roots of the word and of its synonyms."""
        return self.others | {self.root}


@dataclass(frozen=True)
class TableQuestion:
    """A question prepared for reading tables. `optional` contains the roots of words that only describe the request for
    a figure; `said` contains the roots of all words and their synonyms, and limits such as "<85"; `conditions` are
    numbered things such as "day 85"; `amounts` contains the amounts that the requested cells must contain. If
    `is_discussion`, the question is about reasons, effects, risks and the like, which no cell answers.
    """

    text: str
    terms: tuple[AskedTerm, ...]
    optional: frozenset[str]
    said: frozenset[str]
    times: tuple[TableTime, ...]
    conditions: tuple[str, ...]
    amounts: tuple[AskedAmount, ...]
    asks_share: bool
    asks_count: bool
    asks_pace: bool
    asks_price: bool
    asks_figure: bool
    is_discussion: bool


@lru_cache(maxsize=256)
def table_question(question: str) -> TableQuestion:
    """Prepare a question for reading tables."""
    left = _WHOSE_FOLDER.sub(" ", _POINTS.sub(" ", without_times(question)))
    times = asked_times(question)
    conditions = tuple(dict.fromkeys(one.text for one in numbered(left) if _is_condition(one, times)))
    in_conditions = {word for text in conditions for word in words(text)}
    optional: set[str] = set()
    terms: dict[str, AskedTerm] = {}
    for place, token in enumerate(tokens(left)):
        if place and len(token) == 1 and token.isupper() and token not in "AI":
            optional.add(root(folded(token)))  # the letter in "group D"
        parts = words(token)
        for word in parts[:_MOST_PARTS]:
            if (
                len(word) < 2
                or word.isdigit()
                or word in in_conditions
                or word in stop_words()
                or word in request_words()
                or not possible_words(word).isdisjoint(_asking_elsewhere())
            ):
                continue
            own = root(bare(word))
            if own in cue_roots("figures", "ways") or only_asks(word):
                optional.add(own)
                continue
            term = asked_term(word, token, is_first=place == 0)
            if own == "cost" and _COSTS.search(question):  # only as a verb, because the noun may name a row
                term = replace(term, others=term.others | {root("price")})
            terms.setdefault(own, term)
    return TableQuestion(
        text=question,
        terms=tuple(terms.values()),
        optional=frozenset(optional),
        said=roots(question).union(limits(question), *(term.roots for term in terms.values())),
        times=times,
        conditions=conditions,
        amounts=_wanted_amounts(question),
        asks_share=_SHARE.search(question) is not None,
        asks_count=_COUNT.search(question) is not None,
        asks_pace=len(times) == 1 and _PACE.search(question) is not None,
        asks_price=_PRICE.search(question) is not None,
        asks_figure=required_type(question) is AnswerType.NUMBER,
        is_discussion=patterns("figures_not")["discussion"].search(question) is not None,
    )


def asked_term(word: str, token: str, *, is_first: bool = False) -> AskedTerm:
    """Convert a folded word from a question to a term; `token` is the word as written, or the compound that contains
    it.
    """
    own, parts = root(bare(word)), words(token)
    is_compound = "-" in token and 1 < len(parts) < _LONGEST_ACRONYM and min(map(len, parts)) > 1
    acronym = {"".join(part[0] for part in parts)} if is_compound else set()
    initials = word if _ACRONYM.fullmatch(token) else ""
    others = _alike(own) | acronym | frozenset(map(root, possible_words(word)))
    return AskedTerm(word, own, others - {own}, not is_first and token[:1].isupper(), initials)


def asks_time(question: str) -> bool:
    """Return True if a question asks when, or in which years, something was the case."""
    return required_type(question) is AnswerType.DATE or _WHICH_TIMES.search(question) is not None


def _wanted_amounts(question: str) -> tuple[AskedAmount, ...]:
    """Return the amounts that a cell must contain: all amounts if a question asks for a time ("in which year did it
    cost 425"), and only amounts with a comparison if it asks which or how many things ("how many cost more than 30").
    """
    found = asked_amounts(question)
    if asks_time(question):
        return found
    asks_things = _COUNT.search(question) or _WHICH_THINGS.match(question)
    return tuple(one for one in found if asks_things and one.relation is not AmountRelation.EQUAL)


def _is_condition(one: Numbered, times: tuple[TableTime, ...]) -> bool:
    """Return True if a cell must name the numbered thing. A numbered time, such as "year 2", counts only if the
    question names no calendar time.
    """
    return not _NUMBERED_TIME.search(one.thing) or "-" in one.text or (not times and one.text[-1:].isdigit())


def limits(text: str) -> frozenset[str]:
    """Return the limits in the text, without spaces, such as "<85" in "score < 85"."""
    return frozenset(re.sub(r"\s", "", found.group()).rstrip(".,") for found in _LIMIT.finditer(text))


@cache
def _asking_elsewhere() -> frozenset[str]:
    """Return the folded Hebrew and Arabic question words, which never name a row or column."""
    return frozenset(word for text in cues("asking").values() for word in words(text))


@cache
def _groups(name: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(root(folded(word)) for word in group.split()) for group in cues("figures")[name].split("|"))


def _alike(own: str) -> frozenset[str]:
    """Return the roots of words that may name the same row or column as the word with the given root."""
    return frozenset().union(*(group for group in _groups("alike") if own in group))


def with_whom(about: frozenset[str]) -> frozenset[str]:
    """Return the roots of the words in a document's description, plus synonyms for the people that it mentions."""
    return about.union(*(group for group in _groups("whom") if not about.isdisjoint(group)))
