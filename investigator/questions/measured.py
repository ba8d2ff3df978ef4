"""Finds the figure or count that a question requests, and decides whether a sentence gives it. For English text.
Patients always count as people; women count as "participants" only in text about women.
"""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.amounts import dates_and_amounts, prepared
from investigator.language.labels import label_line
from investigator.language.late_patterns import late
from investigator.language.sentences import is_row
from investigator.language.terms import words
from investigator.language.units import unit_of
from investigator.questions.cues import cue_roots, cue_words, patterns
from investigator.questions.related import related_roots, root, roots, stands
from investigator.questions.spans import CURRENCY
from investigator.records import MatchState

_IN_UNIT = late(
    r"\bin ((?:(?:square|cubic|us|swiss) )?[a-z]+)"
    r"(?=\W*$|[?,;)]|\s+(?:per|an?|for|of|on|at|from|by|to|was|were|is|are|did|does|do|has|have)\b)",
    re.IGNORECASE,
)
_WHAT_IS = late(
    r"\W*(?:what|how (?:much|high|large|big)) (?:is|are|was|were) the ((?:[\w-]+ ?){1,4}?)"
    r"(?= (?:of|in|for|on|at|after|before|now|currently|today)\b|\?|$)",
    re.IGNORECASE,
)
_OF_THE_FIGURE = late(r"\b(?:for|in|of|per|at|on|to|from|under|by|with|after|before)\b", re.IGNORECASE)
_HOW_MUCH = late(r"\bhow much\b(?P<be> (?:is|are|was|were)\b(?! (?:left|longer|time|notice)\b))?", re.IGNORECASE)
_PART_ASKED = late(r"\bhow much (?:of|more|less)\b|\bby how much\b", re.IGNORECASE)
POINTS = re.compile(r"\b(?:it|they|this|these|that|those)\b", re.IGNORECASE)
"""Matches pronouns that may refer to a thing named earlier."""
YEAR = late(r"(?:19|20)\d\d")
_PART_OF = late(
    r"(?:\b(?:half|thirds?|quarters?|fifths?|tenths?|per ?cent)|%)\s+(?:of\s+)?"
    r"(?:the|its|his|her|their|this|an?)\s+((?:[\w-]+\s?){1,2})",
    re.IGNORECASE,
)
_MONEY = "money"
_TIMES = frozenset(["s", "min", "h", "day", "week", "month", "year"])
_BARE, _CELLS = late(r"[\d.,]+"), " | "
_NO_MEASURES = frozenset(["%", "pp", "bps", "share"])  # a question that asks for a share is worded differently
_REACH_AFTER = 3  # maximum distance of the counted thing behind its number, in words
_CLAUSE = re.compile(r"[,;:] ")
_ITEM = re.compile(r"\W*\d{1,3}[.)](?=\s)")
"""Matches the number of a list item, which does not count anything."""


def unit_asked(question: str) -> str:
    """Return the unit that a question requests for a figure, in the question's words: "square feet"; "" if it names
    none.
    """
    names = (match.group(1) for match in _IN_UNIT.finditer(question))
    return next((name for name in names if is_unit(name)), "")


def is_unit(name: str) -> bool:
    """Return True if words name a unit of measure or a currency."""
    return unit_of(name) != name and unit_of(name) not in _NO_MEASURES


def figure_asked(question: str) -> str:
    """Return the requested figure, such as "sodium" in "what was the sodium of patient 14"; "" if there is none."""
    match = _WHAT_IS.match(question)
    return match[1] if match else ""


def may_be_figure(question: str, sentence: str) -> bool:
    """Return True if a sentence names the requested figure, or refers to it by a pronoun. If a question asks how much,
    the sentence must not only count things or give a time: "two coaches" and "every three months" are no prices.
    """
    before_noun = words(_OF_THE_FIGURE.split(figure_asked(question), maxsplit=1)[0])
    noun = next(reversed(before_noun), "")
    is_named = not noun or stands(noun, roots(sentence)) or is_carried(noun, question, sentence)
    is_named = is_named or POINTS.search(sentence) is not None
    return is_named and not _only_counts(question, sentence) and not _lacks_rate(question, sentence)


def _lacks_rate(question: str, sentence: str) -> bool:
    """Return True if a question asks how much for a span of time, and a sentence does not say that its figure is for
    this span: "£12 for others" is not the price per month.
    """
    if is_row(sentence) or _CELLS in sentence or label_line(sentence) is not None:
        return False
    asked = [pattern for pattern in patterns("time_rates").values() if pattern.search(question)]
    return bool(asked) and not any(pattern.search(sentence) for pattern in asked)


def _only_counts(question: str, sentence: str) -> bool:
    asked = _HOW_MUCH.search(question)
    if asked is None or is_row(sentence) or _CELLS in sentence:
        return False
    is_share = patterns("shown")["share"].search(sentence) is not None and _PART_ASKED.search(question) is not None
    if is_share or patterns("shown")[_MONEY].search(sentence):
        return False
    figures = _measured(sentence)
    if (asked["be"] or not figures) and all(units and units <= _TIMES for _, units in figures):
        return True
    names_money = patterns("columns")[_MONEY].search(sentence) is not None
    counts = (not units - {""} and re.search(rf"{re.escape(text)} [^\W\d]", sentence) for text, units in figures)
    return not names_money and all(counts)


def given_in(unit: str, sentence: str) -> tuple[str, ...]:
    """Return the figures in a sentence that are given in the named unit."""
    return tuple(text for text, units in _measured(sentence) if unit_of(unit) in units)


def are_like(sentence: str, other: str) -> bool:
    """Return True if the figures in both sentences have a unit in common, or have no units."""
    one, two = ({unit for _, units in _measured(text) for unit in units} for text in (sentence, other))
    return bool(one) and bool(two) and ("" in one | two or not one.isdisjoint(two))


def is_only_part(word: str, sentence: str) -> bool:
    """Return True if a sentence gives only a fraction of the thing that a word names: "one third of the premium"."""
    parts = [match for match in _PART_OF.finditer(sentence) if root(word) in roots(match[1])]
    return bool(parts) and root(word) not in roots(_PART_OF.sub(" ", sentence))


def is_carried(word: str, question: str, sentence: str) -> bool:
    """Return True if a word merely names the requested kind of figure, and a sentence gives such a figure: euros for
    "cost". Money that a sentence calls something else, such as takings or an offer, is not a cost, and outside tables a
    bare "0.04" is not money.
    """
    asked, shown, apart = patterns("asked"), patterns("shown"), patterns("set_apart")[_MONEY]
    kinds = (kind for kind, words_of in patterns("carried").items() if words_of.fullmatch(word))
    kind = next((one for one in kinds if asked[one].search(question) and shown[one].search(sentence)), "")
    if kind != _MONEY:
        return bool(kind)
    is_bare = not is_row(sentence) and all(_BARE.fullmatch(one.group()) for one in shown[kind].finditer(sentence))
    return not is_bare and bool(shown_figure(kind, sentence)) and not apart.search(sentence)


def shown_figure(kind: str, sentence: str) -> str:
    """Return the words in a sentence that indicate a figure of some kind; "" if none do. In a row of a table, a bare
    figure is money only after a word for money: "Price: 4.20", but not "Length (m): 4.20".
    """
    pattern, is_table = patterns("shown")[kind], is_row(sentence) or _CELLS in sentence
    for found in pattern.finditer(sentence):
        before = sentence[: found.start()].rpartition(";")[2]
        names_money = patterns("columns")[_MONEY].search(before) or CURRENCY.search(before)
        if kind != _MONEY or not is_table or names_money or not _BARE.fullmatch(found.group()):
            return found.group()
    return ""


def shows_span(kind: str, sentence: str, question: str) -> str:
    """Return the words in a sentence that show how long or how old something is; "" for a notice period or a delay."""
    apart = patterns("set_apart")["span"]
    plain = sentence if apart.search(question) else apart.sub(" ", sentence)
    match = patterns("shown")[kind].search(plain)
    return match.group() if match else ""


@lru_cache(maxsize=2048)
def _measured(sentence: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the figures in a sentence, without dates, as written and with their possible units."""
    own = (one for one in dates_and_amounts(prepared(sentence))[1] if one.readings and not YEAR.fullmatch(one.text))
    return tuple((one.text, frozenset(unit for _, unit in one.readings)) for one in own)


def counted_state(things: str, sentence: str, about: str) -> tuple[MatchState, str]:
    """Match a number that is a few words before the counted thing, and return both. If people are counted, other words
    for them also match: "people", or the people whom the document is about, such as women in a trial with women.
    """
    if is_unit(things) and (given := given_in(things, sentence)):
        return MatchState.MET, given[0]
    wanted = [{root(word)} | related_roots(word) for word in words(things)]
    wanted = [same | _who_may_be(same, sentence, about) for same in wanted]
    further = cue_words("empty", "further") - set(words(things))
    item = _ITEM.match(sentence)
    for match in patterns("shown")["count"].finditer(sentence, item.end() if item else 0):
        following = sentence[match.end() :].split()[: _REACH_AFTER + len(wanted) - 1]
        if not set(words(" ".join(following[:1]))).isdisjoint(further):
            continue
        said = roots(" ".join(following))
        before = roots(_CLAUSE.split(sentence[: match.start()])[-1])
        if all(same & said or (same & cue_roots("empty", "people") and "popul" in before) for same in wanted):
            return MatchState.MET, " ".join((match.group(), *following))
    return MatchState.NOT_MET, ""


def _who_may_be(same: set[str], sentence: str, about: str) -> frozenset[str]:
    """Return the roots of the words that may refer to the counted people."""
    every = cue_roots("empty", "counted_people")
    if same & cue_roots("empty", "people"):
        return every
    is_of_them = not same.isdisjoint(roots(about)) and same.isdisjoint(roots(sentence))
    return cue_roots("empty", "people") if same & every and is_of_them else frozenset()
