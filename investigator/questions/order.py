"""Finds the phrases, subject, verb and object of a question by word order. For English text.

No parser is used, only articles, prepositions, auxiliaries and word endings. In unclear cases, nothing is returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from investigator.language.lists import month_numbers
from investigator.language.terms import POSSESSIVE, folded, stop_words
from investigator.questions.cues import cue_words, is_direction
from investigator.questions.related import LIGHT_VERBS, is_irregular, is_verb, related_roots, root

_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|[^\W_]+(?:[-'’.&/][^\W_]+)*['’]?|[,;:.!?()\[\]—–]")
_MARK = re.compile(r"[A-HJ-Z]|\d{1,3}[a-z]?")
"""Matches the designation after a name, such as A in "vitamin A", 2 in "line 2" and 5a in "class 5a"."""
_FORMS_OF_DO = frozenset({"do", "does", "did"})
_REACH = 4  # maximum number of words between two words joined by a preposition: "the chair of the new committee"
_LEAD = 4  # maximum number of words in the question phrase before the auxiliary: "for how many months did"


class Pair(NamedTuple):
    """Two folded words that together name one thing, in this order; `is_exact` excludes synonyms."""

    first: str
    second: str
    is_exact: bool = False


class Clause(NamedTuple):
    """The subject and the verb of a question with inversion: "may the TENANT KEEP a dog"."""

    subject: tuple[str, ...]
    verb: str
    is_passive: bool


@lru_cache(maxsize=512)
def pairs(question: str) -> tuple[Pair, ...]:
    """Return the words in a question that belong together: "net income", "oak bench", "vitamin A", "30 June"."""
    tokens = _TOKEN.findall(question)
    found = [*_marked(tokens)]
    for start, end in _runs(tokens):
        found += (Pair(*both) for both in pairwise(_noun(tokens, start, end)) if _binds(*both))
    return tuple(dict.fromkeys(Pair(folded(p.first), folded(p.second), p.is_exact) for p in found))


def other_mark(both: Pair, text: str) -> str:
    """Return another thing of the same kind, such as "vitamin D" for "vitamin A"; "" if the text has none, or names
    vitamin A.
    """
    if not both.is_exact or both.first[:1].isdigit():
        return ""
    mark = r"\d{1,3}[a-z]?" if both.second[:1].isdigit() else "[A-Z]"
    found = [*re.finditer(rf"\b((?i:{re.escape(both.first)})s?) ({mark})\b", text)]
    if not found or any(folded(one[2]) == both.second for one in found) or stand_together(both, text):
        return ""
    return found[0].group()


@lru_cache(maxsize=512)
def clause(question: str) -> Clause | None:
    """Return the subject and verb of a question with an auxiliary before its subject; None if they are unclear."""
    tokens = _TOKEN.findall(question)
    return _clause(tokens, _subject_at(tokens))


def _clause(tokens: Sequence[str], at: int) -> Clause | None:
    run = next((tokens[start:end] for start, end in _runs(tokens) if start == at), [])
    if not run:
        return None
    if POSSESSIVE.search(run[-1]):  # "does the farmer's daughter give": the owner is not the subject
        return _clause([*tokens[:at], *tokens[at + len(run) :]], at)
    if run[0].islower():  # a name after the verb is its object
        run = [*takewhile(str.islower, run)]
    follows = [plain for token in tokens[at + len(run) : at + len(run) + 4] if (plain := folded(token)) != "not"]
    follows += ["", ""]
    if follows[0] in _words("passive") and is_past(follows[1]):
        return Clause(tuple(run), follows[1], is_passive=True)
    if follows[0] in _words("stop_word_verbs") and not _FORMS_OF_DO.isdisjoint(map(folded, tokens[:at])):
        return Clause(tuple(run), follows[0], is_passive=False)
    if len(run) == 1 and "not" in map(folded, tokens[at + 1 : at + 3]) and _carries(follows[0]):
        return Clause(tuple(run), follows[0], is_passive=_is_passive(tokens, at, follows[0]))
    name = _name_at(tokens, at)
    return _of_name(tokens, at, run, name) if name else _of_run(tokens, at, run, follows[0])


def _of_name(tokens: Sequence[str], at: int, run: Sequence[str], name: Sequence[str]) -> Clause | None:
    """Return the clause whose subject is a name, and whose verb follows it."""
    own = run[len(name) :] if run[: len(name)] == list(name) else []
    if _ends_with_verb(tokens[:at], own):
        return Clause((*name, *own[:-1]), folded(own[-1]), is_passive=False)
    end = at + len(name)
    while end < len(tokens) and folded(tokens[end]) in _words("adverbs"):
        end += 1
    verb = folded(tokens[end]) if end < len(tokens) and _carries(tokens[end]) else ""
    if _follows_be(tokens, at) and not (is_past(verb) or verb.endswith("ing")):
        return None  # as in "when is the Christmas party"
    return Clause(tuple(name), verb, is_passive=_is_passive(tokens, at, verb)) if verb else None


def _of_run(tokens: Sequence[str], at: int, run: Sequence[str], follows: str) -> Clause | None:
    """Return the clause whose subject and verb are a run of content words."""
    verb = folded(run[-1])
    is_passive = _is_passive(tokens, at, verb)
    asks = {folded(token) for token in tokens[:at]}
    if not is_passive and _follows_be(tokens, at):
        return None  # "is the offer valid" asks for a property instead of an action
    is_sure = is_passive or is_direction(verb) or follows in _words("determiners") or asks & _words("takes_object")
    if (
        not _empty().isdisjoint(map(folded, run[:-1]))
        or len(run) < 2
        or follows == "of"
        or (len(run) > 2 and not is_sure)
    ):
        return None
    subject = tuple(word for word in run[:-1] if folded(word) not in _words("adverbs"))
    return Clause(subject, verb, is_passive) if subject and verb not in _words("adverbs") else None


def _ends_with_verb(before: Sequence[str], own: Sequence[str]) -> bool:
    """Return True if the words after a name end with the verb of the clause, because the question asks for the object
    of this verb: "how much power does the Emsland PLANT MAKE".
    """
    asks = {folded(token) for token in before}
    if len(own) < 2 or folded("".join(before[-1:])) not in _words("determiners"):
        return False
    last = folded(own[-1])
    return bool(asks & _words("takes_object")) and (is_verb(last) or last in LIGHT_VERBS)


def _name_at(tokens: Sequence[str], at: int) -> Sequence[str]:
    """Return the words of the name that begins at a position, including function words: "Fly Like an Eagle"."""
    end = at
    while end < len(tokens) and (tokens[end][:1].isupper() or _is_joining(tokens[end : end + 2])):
        end += 1
    return tokens[at:end]


def _is_joining(both: Sequence[str]) -> bool:
    return folded(both[0]) in _words("joining") and both[1:] != () and both[-1][:1].isupper()


def _is_passive(tokens: Sequence[str], at: int, verb: str) -> bool:
    return _follows_be(tokens, at) and is_past(verb)


def _follows_be(tokens: Sequence[str], at: int) -> bool:
    """Return True if a form of "be" is at most two words before a position."""
    return not _words("forms_of_be").isdisjoint(map(folded, tokens[max(0, at - 2) : at]))


def verbs(question: str) -> frozenset[str]:
    """Return the folded words that a question uses as verbs, judging by their positions and forms."""
    tokens = [folded(token) for token in _TOKEN.findall(question)]
    found = {second for first, second in pairwise(tokens) if first == "to" and second not in _words("determiners")}
    found |= {token for token in tokens if token.endswith("ed") and is_past(token)}
    asked = clause(question)
    found |= set(_participles(tokens))
    if tokens[:1] == ["who"] and len(tokens) > 1:
        found |= {tokens[1]}
    return frozenset(found | ({asked.verb} if asked is not None else set()))


def _participles(tokens: Sequence[str]) -> Iterator[str]:
    """Yield irregular participles that follow a form of "be" and end a clause, as in "were the trials held in"."""
    passive = False
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], "?"], strict=False):
        passive |= before in _words("forms_of_be")
        ends = after in _words("before_nouns") or not after[:1].isalnum()
        if passive and ends and is_irregular(token) and is_verb(token) and before not in _words("determiners"):
            yield token


def is_past(word: str) -> bool:
    """Return True if a word looks like a past tense form."""
    return word.islower() and (word.endswith("ed") or is_irregular(word)) and word not in stop_words()


def stand_together(both: Pair, text: str) -> bool:
    """Return True if two words are adjacent in the text, or reversed with a preposition between them."""
    own = _roots_in_order(text)
    first, second = ({root(word)} | (frozenset() if both.is_exact else related_roots(word)) for word in both[:2])
    return any(_beside(own, at, first, second, both.is_exact) for at, word in enumerate(own) if word in first)


def stands_alone(word: str, sentence: str) -> bool:
    """Return True if a word occurs in a sentence with no content word before it that could change its meaning."""
    own, same = _roots_in_order(sentence), {root(word)} | related_roots(word)
    places = (at for at, one in enumerate(own) if one in same)
    return any(not at or not own[at - 1] or own[at - 1] in _plain_roots() or own[at - 1].isdigit() for at in places)


@lru_cache(maxsize=1)
def _plain_roots() -> frozenset[str]:
    return frozenset(
        root(word) for word in (stop_words() | _words("auxiliaries") | _words("counting")) - _words("other")
    )


def _beside(own: Sequence[str], at: int, first: set[str], second: set[str], is_exact: bool) -> bool:
    if own[at + 1 : at + 2] and own[at + 1] in second:
        return True
    before = own[max(0, at - 1 - _REACH) : at]
    if is_exact:
        return bool(before) and before[-1] in second
    joined = [place for place, word in enumerate(before) if word in _words("before_nouns")]
    return any(place and before[place - 1] in second and "" not in before[place:] for place in joined)


@lru_cache(maxsize=2048)
def _roots_in_order(text: str) -> tuple[str, ...]:
    """Return the roots of the words in the text, without articles and with "" for each punctuation mark."""
    found = (folded(POSSESSIVE.sub("", token)) for token in _TOKEN.findall(text))
    every = (part for token in found for part in (re.split(r"[-'’.&/]", token) if token[0].isalnum() else [""]))
    return tuple(root(word) if word else "" for word in every if word not in _words("determiners"))


def _runs(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of content words; a possessive or a number ends a run."""
    start = None
    for place, token in enumerate((*tokens, "?")):
        if start is not None and (not _carries(token) or POSSESSIVE.search(tokens[place - 1])):
            yield start, place
            start = None
        if start is None and _carries(token):
            start = place


def _carries(token: str) -> bool:
    plain = folded(token)
    return (
        token[:1].isalpha()
        and len(plain) > 1
        and plain not in stop_words()
        and plain not in _words("auxiliaries") | _words("counting")
    )


def _subject_at(tokens: Sequence[str]) -> int:
    """Return the position of the first word of the subject, after its auxiliary; -1 if no subject is found."""
    for place, token in enumerate(tokens[: _LEAD + 2]):
        plain = folded(token)
        if plain not in _words("auxiliaries"):
            continue
        asks = [folded(word) for word in tokens[:place]]
        follows = [*tokens[place + 1 : place + 3], "", ""]
        is_thing = (
            folded(follows[0]) in _words("determiners")
            or follows[0][:1].isupper()
            or folded(follows[1]) in _words("passive")
        )
        asks_whole = not _words("whole").isdisjoint(asks) or ("how" in asks and asks[-1] != "how")
        if asks_whole and (plain in _words("forms_of_be") or (plain in _words("modals") and not is_thing)):
            return -1  # as in "what was the net income", "who will organise the sale"
        return place + 2 if folded(follows[0]) in _words("determiners") else place + 1
    return -1


def _noun(tokens: Sequence[str], start: int, end: int) -> Sequence[str]:
    """Return the words in a run that name a single thing; empty if the preceding text does not show where the name
    begins.
    """
    before, subject_at = folded(tokens[start - 1]) if start else "", _subject_at(tokens)
    own, follows = list(tokens[start:end]), folded(tokens[end]) if end < len(tokens) else ""
    if start == subject_at:
        found = _clause(tokens, start)
        return found.subject if found is not None else own if follows == "of" else ()
    if 0 <= subject_at < start:
        found, goes_on = _clause(tokens, subject_at), _goes_on(tokens[subject_at:start])
        if found is not None and goes_on:
            return found.subject
        if found is None:  # the verb comes later
            return (own if follows == "of" else own[:-1]) if goes_on else ()
    is_counted = before in _words("counting") and follows in _words("auxiliaries")
    if not (
        is_counted
        or before in _words("determiners") | _words("before_nouns") | _words("forms_of_be")
        or POSSESSIVE.search(before)
    ):
        return ()
    if before in _words("before_nouns") and own[0].endswith("ing"):
        own = own[1:]
    is_verb = bool(own) and (
        is_past(own[-1]) or (own[-1].endswith("ing") and follows in _words("determiners") | _words("before_nouns"))
    )
    return own[:-1] if is_verb else own


def _goes_on(subject: Sequence[str]) -> bool:
    """Return True if a subject is incomplete, such as "China's" or "the price of"."""
    return bool(POSSESSIVE.search(subject[-1])) or "of" in subject[-3:]


def _binds(first: str, second: str) -> bool:
    """Return True if a word modifies the next one. In a name, no word modifies another, because words in names match in
    any order.
    """
    return not (first[:1].isupper() and second[:1].isupper()) and not any(
        folded(word) in _empty() for word in (first, second)
    )


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    return cue_words("empty", "words", "requests")


def _marked(tokens: Sequence[str]) -> Iterator[Pair]:
    """Yield things identified by a letter or a number, and days of months."""
    months = month_numbers()
    for place, (first, second) in enumerate(pairwise(tokens)):
        follows = tokens[place + 2] if place + 2 < len(tokens) else ""
        if (
            (folded(second) in months and first.isdigit())
            or (folded(first) in months and len(folded(first)) > 2 and second.isdigit() and len(second) <= 2)
            or (
                _carries(first)
                and _MARK.fullmatch(second)
                and not (second.isdigit() and (follows.endswith("s") or folded(follows) in months))  # "since 1 July"
            )
        ):
            yield Pair(first, second, is_exact=True)


@cache
def _words(name: str) -> frozenset[str]:
    return cue_words("order", name)
