"""Analyses a question that asks to list or count things: finds their kind and the conditions that they must meet. Pure;
English only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from investigator.language.late_patterns import late
from investigator.language.normalise import normalise
from investigator.language.terms import folded, stop_words, words
from investigator.questions.asked_amounts import AmountRelation, AskedAmount, asked_amounts
from investigator.questions.cues import cue_roots, cue_words, patterns
from investigator.questions.related import is_irregular, is_verb, roots
from investigator.tables.asked import AskedTerm, asked_term
from investigator.tables.times import TableTime, asked_times, without_times

_LONGEST_READ = 2_000  # maximum number of characters in a question
_PLURAL = r"(?-i:\b[^\W_]*[^\W\d_]{2}(?<![A-Zs])s\b)"
_AUXILIARY = r"(?:is|was|does|did|do|has|had|have|can|will)"
_VERB = rf"(?:{_AUXILIARY}|of|in|on|at|for|from)"
_LISTS = re.compile(
    rf"^\W*(?:wh(?:at|o) (?:are|were)\b.*?|what(?: (?!{_VERB}\b)[\w'’-]+){{0,3}}? (?!{_VERB}\b)"
    rf"|which(?: (?!{_AUXILIARY}\b)[\w'’-]+){{0,4}}? (?!{_AUXILIARY}\b)|(?:list|name|show|find|give)\b.*?)"
    rf"(?:{_PLURAL}|\b(?:people|staff)\b)",
    re.IGNORECASE,
)
"""Matches the beginning of a question about several things; "what is the share of women" asks for only one."""
_COUNTS = r"how many|(?:what (?:is|was) )?the (?:total )?number of|count"
_PLEASE = r"^\W*(?:(?:please|can you|could you) )?"
_OPENING = late(
    rf"{_PLEASE}(?:{_COUNTS}|(?:what|which|list|name|show|find|give)(?: (?:are|were|me|us))?)\b"
    r"(?:\s+(?:a (?:complete )?list of|(?:the )?(?:names|number) of|of|all|every|each|any|the|these|those|our|my|your"
    r"|its|their|different|distinct|various|other))*\s+",
    re.IGNORECASE,
)
WHO = late(r"^\W*who\b(?:['’]s| (?:is|are|was|were|has|have|had|does|do|did)\b)? ?", re.IGNORECASE)
_WHO_ARE = late(r"^\W*who (?:are|were) (?=(?:the|our|your|their|its|my)\b)", re.IGNORECASE)
_ASKS_LIST = late(rf"{_PLEASE}list\b", re.IGNORECASE)
_COUNTING = late(rf"{_PLEASE}(?:{_COUNTS})\b", re.IGNORECASE)
_SOURCE = late(
    r"\b(?:in|on|of|from|within|according to) (?:the|our|this|that|your|their|its|these|those|my) "
    r"((?:[\w'’&.-]+ ){0,4}?(?:lists?|tables?|catalogues?|catalogs?|registers?|files?|folder|overview"
    r"|sheets?|spreadsheets?|csv|inventory"
    r"|directory|rosters?|reports?|budgets?|schedules?|documents?|accounts|statements?|invoices?|records?|log))(?!\w)",
    re.IGNORECASE,
)
_ALTOGETHER = late(r"\b(?:in total|in all|altogether|overall)\b", re.IGNORECASE)
_TOKEN = late(r"[^\W_]+(?:[-'’.&/][^\W_]+)*|[,;:.!?()]")
_PRICED = late(r"\b(?:costs?|costing|priced(?: at)?|exactly)\W*$", re.IGNORECASE)
_RELATIVE = frozenset(["that", "which", "who", "whose", "where", "when", "there"])


@dataclass(frozen=True)
class AskedThings:
    """Things to list or count. `kind` contains the words for the things, the last of which is the noun. `source`
    contains the words for the place where the things must be listed, such as "price list", and `conditions` contains
    the words that restrict them. `numbers` are neither amounts nor times, as in "rack 2"; `said` contains the roots of
    all words.
    """

    kind: tuple[AskedTerm, ...]
    source: tuple[AskedTerm, ...]
    conditions: tuple[AskedTerm, ...]
    numbers: tuple[str, ...]
    amounts: tuple[AskedAmount, ...]
    times: tuple[TableTime, ...]
    is_count: bool
    said: frozenset[str]

    @property
    def is_bound(self) -> bool:
        """Return True if a question says more about the things than their kind."""
        return bool(self.source or self.conditions or self.numbers or self.amounts or self.times)


def lists_things(question: str) -> bool:
    """Return True if a question asks for several things, for example which products are vegan."""
    return _LISTS.match(question) is not None


@lru_cache(maxsize=256)
def asked_things(question: str) -> AskedThings | None:
    """Return the things that a question asks to list or count; None if it asks for something else, or makes a
    comparison that names no amount: "the cheapest boats".
    """
    asked = normalise(" ".join(question[:_LONGEST_READ].split())).text
    asked = _WHO_ARE.sub("what are ", asked)
    asks_who = WHO.match(asked) is not None
    asked = WHO.sub("which people ", asked)
    is_count = _COUNTING.match(asked) is not None
    opening = _OPENING.match(asked)
    if opening is None or not (is_count or asks_who or lists_things(asked) or _ASKS_LIST.match(asked)):
        return None
    bounds = tuple(one for one in asked_amounts(asked) if _is_compared(one, asked))
    blanked = asked
    for one in bounds:
        blanked = f"{blanked[: one.span[0]]}{' ' * (one.span[1] - one.span[0])}{blanked[one.span[1] :]}"
    body = without_times(_ALTOGETHER.sub(" ", blanked[opening.end() :]))
    source = _SOURCE.search(body)
    if source:
        body = f"{body[: source.start()]} {body[source.end() :]}"
    is_range = [one.relation for one in bounds] == [AmountRelation.LEAST, AmountRelation.MOST]
    if patterns("lists")["compares"].search(body) or (len(bounds) > 1 and not is_range):
        return None
    tokens = _TOKEN.findall(body)
    end = _end_of_kind(tokens)
    kind, rest = (_terms(part) for part in (tokens[:end], tokens[end:]))
    if not kind:
        return None
    numbers = tuple(word for token in tokens[end:] for word in words(token) if any(map(str.isdigit, word)))
    named = _terms(_TOKEN.findall(source[1])) if source else ()
    conditions = _without_request_words(rest)
    if asks_who and not (conditions or numbers or bounds):
        return None
    return AskedThings(
        kind, _without_request_words(named), conditions, numbers, bounds, asked_times(blanked), is_count, roots(asked)
    )


def _is_compared(one: AskedAmount, asked: str) -> bool:
    """Return True for an amount with a comparison or after a word such as "price"; the number in "rack 2" is a name."""
    return one.relation is not AmountRelation.EQUAL or _PRICED.search(asked[: one.span[0]]) is not None


def _end_of_kind(tokens: list[str]) -> int:
    """Return the position where the opening noun phrase ends: after its first plural, or before the first word that
    cannot belong to it.
    """
    for at, token in enumerate(tokens):
        plain = folded(token)
        if not token[0].isalnum() or plain in _ends():
            return at
        if _is_plural(token):
            while at + 1 < len(tokens) and _is_plural(tokens[at + 1]) and not is_verb(folded(tokens[at + 1])):
                at += 1
            return at + 1
    return len(tokens)


def _is_plural(token: str) -> bool:
    plain = folded(token)
    is_several = plain in cue_words("lists", "several") or (is_irregular(plain) and not is_verb(plain))
    return is_several or re.fullmatch(_PLURAL, token) is not None


@cache
def _ends() -> frozenset[str]:
    return cue_words("order", "before_nouns") | cue_words("order", "auxiliaries") | _RELATIVE


def _terms(tokens: list[str]) -> tuple[AskedTerm, ...]:
    """Return the words in the tokens that a table must contain, which excludes stop words and numbers."""
    found = (
        asked_term(word, token)
        for token in tokens
        for word in words(token)
        if len(word) > 1 and not any(map(str.isdigit, word)) and word not in stop_words()
    )
    return tuple({term.root: term for term in found}.values())


def _without_request_words(terms: tuple[AskedTerm, ...]) -> tuple[AskedTerm, ...]:
    """Return the terms that narrow down the things. Omit words that only ask for a list, plain names of columns, and
    verbs for which a table has a column, such as "works in".
    """
    empty = cue_roots("lists", "light") | cue_roots("lists", "empty") | cue_roots("lists", "contains")
    empty |= cue_roots("lists", "plain")
    return tuple(t for t in terms if t.root not in empty and t.text not in cue_words("order", "auxiliaries"))
