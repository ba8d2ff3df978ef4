"""Creates false claims and reworded true claims from true sentences by rule. Deterministic for a given seed.

The rules do not use the word lists in `investigator/language/data`, because they test these lists. A rule returns the
claim and the text of its quote, or None if it cannot change the sentence.
"""

# ruff: noqa: E501 - patterns are easier to read on one line

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

Made = tuple[str, str]
"""A claim and the quote that it is said to rest on."""
Rule = Callable[[str, Random, Sequence[str]], Made | None]
"""Takes a true sentence, a source of chance, and sentences of other documents."""

_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,}){0,2})\b(?! ?')")
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w])|(?<![\w.,-])\d{1,6}(?:\.\d+)?(?![\w.,]*\d)(?!-)")
_YEAR = re.compile(r"(?<![\d.,/-])(?:1[5-9]|20)\d\d(?![\d/-]|,\d)")
_UNITS = {
    "percent": "million", "%": " million", "million": "billion", "billion": "million", "thousand": "million",
    "kilometres": "miles", "km": "m", "miles": "kilometres", "metres": "feet", "feet": "metres", "mg": "g", "g": "kg",
    "kg": "tonnes", "ml": "litres", "cm": "mm", "mm": "cm", "years": "months", "months": "weeks", "weeks": "days",
    "days": "hours", "hours": "minutes", "minutes": "seconds", "year": "month", "month": "week", "week": "day",
}  # fmt: skip
_UNIT = re.compile(rf"(?<=\d)( ?)({'|'.join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))})(?![\w])")
_OPPOSITES = [
    ("increased", "decreased"), ("increase", "decrease"), ("increases", "decreases"), ("rose", "fell"), ("grew", "shrank"),
    ("higher", "lower"), ("highest", "lowest"), ("more", "fewer"), ("larger", "smaller"), ("largest", "smallest"),
    ("greater", "smaller"), ("longer", "shorter"), ("above", "below"), ("before", "after"), ("first", "last"),
    ("improved", "worsened"), ("gained", "lost"), ("won", "lost"), ("early", "late"), ("older", "younger"),
    ("northern", "southern"), ("eastern", "western"), ("better", "worse"), ("increasing", "decreasing"), ("up", "down"),
    ("beginning", "end"), ("gain", "loss"), ("reduced", "raised"), ("reduction", "rise"), ("north", "south"),
]  # fmt: skip
_OPPOSITE = {a: b for pair in _OPPOSITES for a, b in (pair, pair[::-1])}
_BE = re.compile(r"\b(is|are|was|were|has|have|had|can|will)\b(?! not| no\b)")
_HEDGES = re.compile(
    r"\b(?:may|might|could) (?=be\b|have\b)|\b(?:probably|possibly|perhaps|reportedly|allegedly|likely|approximately) "
    r"|\b(?:is|are|was|were) (?:expected|planned|intended|scheduled|likely|thought|believed|supposed) to be\b"
)
_CUTS = [
    "It is false that {}", "It is not true that {}", "Critics wrongly say that {}", "Nobody has shown that {}",
    "The report denies that {}", "It was planned that {}", "There is no evidence that {}", "Few believe that {}",
    "According to a legend, {}", "The study asked whether {}", "It remains unknown whether {}", "Some claim that {}",
]  # fmt: skip
_CONDITIONS = [
    "If the tests are repeated, {}", "Unless the rules change, {}", "Provided that the owner agrees, {}",
    "Only in the second scenario, {}", "{}, if the owner agrees", "{}, unless the rules change",
    "{}, provided that all parties sign", "Except in the smallest group, {}", "{}, but only in one of the centres",
]  # fmt: skip
_WORDS = dict(
    enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
)
_SYNONYMS = {
    "began": "started", "approximately": "about", "about": "approximately", "purchased": "bought", "bought": "purchased",
    "located": "situated", "film": "movie", "movie": "film", "large": "big", "however": "but", "constructed": "built",
    "showed": "demonstrated", "largest": "biggest", "often": "frequently", "almost": "nearly", "many": "numerous",
    "help": "assist", "required": "needed", "mainly": "primarily", "obtained": "received", "utilized": "used",
    "started": "began", "rapidly": "quickly", "nearly": "almost", "over": "more than", "percent": "per cent",
    "United States": "US", "due to": "because of", "such as": "like", "in order to": "to", "named": "called",
}  # fmt: skip


@dataclass(frozen=True)
class MadeClaim:
    """A claim created from a true sentence: its kind, the text of its quote, and whether the quote supports it."""

    kind: str
    claim: str
    quote: str
    is_true: bool
    document: str


def made_claims(
    sentences: Mapping[str, Sequence[str]], rules: Mapping[str, Rule], count: int, random: Random, *, is_true: bool
) -> Iterator[MadeClaim]:
    """Yield up to `count` claims, equally many for each rule; each rule uses a sentence once.

    `sentences` contains the sentences by document.
    """
    every = [(document, sentence) for document in sorted(sentences) for sentence in sentences[document]]
    texts = [sentence for _, sentence in every]
    for kind, rule in rules.items():
        left = -(-count // len(rules))
        for document, sentence in random.sample(every, len(every)):
            made = rule(sentence, random, texts)
            if (made is not None and made[0].strip() != sentence.strip()) or (kind in _SAME_WORDS and made is not None):
                yield MadeClaim(kind, *made, is_true, document)
                left -= 1
            if not left:
                break


def _entity(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    names = list(_NAME.finditer(sentence))
    strange = [name for other in random.sample(others, 5) for name in _NAME.findall(other) if name not in sentence]
    if not names or not strange:
        return None
    return _put(sentence, random.choice(names), random.choice(strange)), sentence


def _role(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    passive = re.match(r"(.+?) (was|were) (\w+ed) by (.+)", sentence)
    if passive and random.random() < 0.5:
        return f"{passive[1]} {passive[3]} {passive[4]}", sentence
    names = list(_NAME.finditer(sentence))
    numbers = list(_NUMBER.finditer(sentence))
    pairs = [(a, b) for found in (names, numbers) for a in found for b in found]
    pairs = [(a, b) for a, b in pairs if a.end() < b.start() and a[0] != b[0] and _are_apart(sentence, a, b)]
    if not pairs:
        return None
    first, second = random.choice(pairs)
    between = sentence[first.end() : second.start()]
    return sentence[: first.start()] + second[0] + between + first[0] + sentence[second.end() :], sentence


def _are_apart(sentence: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Return True if more than a conjunction separates two names; in "Ann and Bob", swapping them changes nothing."""
    between = sentence[first.end() : second.start()]
    return not re.fullmatch(r"[\s,]*(?:and|or|,|\(|to|with)?[\s,]*", between) and not re.search(
        r",[^,]*,|\band\b", between
    )


def _number(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    found = [number for number in _NUMBER.finditer(sentence) if not _YEAR.fullmatch(number[0])]
    if not found:
        return None
    number = random.choice(found)
    digits = [k for k, char in enumerate(number[0]) if char.isdigit()]
    place = random.choice(digits)
    other = random.choice([d for d in "123456789" if d != number[0][place]])
    return _put(sentence, number, number[0][:place] + other + number[0][place + 1 :]), sentence


def _unit(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    found = list(_UNIT.finditer(sentence))
    if not found:
        return None
    unit = random.choice(found)
    return _put(sentence, unit, unit[1] + _UNITS[unit[2]]), sentence


def _period(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    years = list(_YEAR.finditer(sentence))
    if not years:
        return None
    year = random.choice(years)
    return _put(sentence, year, str(int(year[0]) + random.choice([-10, -5, -2, -1, 1, 2, 5, 10]))), sentence


def _negation(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    denied = re.search(r"\b(is|are|was|were|has|have|had|can|will|did|does|do) not ", sentence)
    if denied:
        return _put(sentence, denied, f"{denied[1]} "), sentence
    found = list(_BE.finditer(sentence))
    if not found:
        return None
    return _put(sentence, found[0], f"{found[0][1]} {random.choice(['not', 'never', 'no longer'])}"), sentence


def _modality(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    hedge = _HEDGES.search(sentence)
    if hedge:
        return re.sub(
            r" (be|have) ", lambda m: {" be ": " is ", " have ": " has "}[m[0]], _put(sentence, hedge, ""), count=1
        ), sentence
    was = re.search(r"\b(was|were|is|are) (?!not|to\b|expected)", sentence)
    if not was:
        return None
    hedged = random.choice(
        ["may have been", "was expected to be", "is said to be", "was nearly", "might be", "failed to be"]
    )
    return sentence, _put(sentence, was, hedged + " ")


def _condition(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    own = re.search(r",? (?:if|unless|except|provided|only when|as long as) [^,.;]+", sentence)
    if own and own.end() - own.start() < len(sentence) / 2:
        return _put(sentence, own, ""), sentence
    return sentence, _within(random.choice(_CONDITIONS), sentence)


def _direction(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    found = [word for word in re.finditer(r"\b[a-z]+\b", sentence) if word[0] in _OPPOSITE]
    if not found:
        return None
    word = random.choice(found)
    return _put(sentence, word, _OPPOSITE[word[0]]), sentence


def _cut_quote(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    return sentence, _within(random.choice(_CUTS), sentence)


def _percent(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    percent = re.search(r"(?<=\d) ?(?:%|percent\b|per cent\b)", sentence)
    if percent:
        return _put(sentence, percent, random.choice(["", "-fold", " million", " times"])), sentence
    number = re.search(r"(?<![\w.,$/-])(?!(?:1[5-9]|20)\d\d\b)\d+(?:,\d{3})*(?= [a-z]+s\b)", sentence)
    return (_put(sentence, number, f"{number[0]}% of the"), sentence) if number else None


def _unrelated(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    return random.choice(others), sentence


def _scope(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    part = re.search(
        r"\b(?:some|most|many|several|few|almost all|nearly all|only|mostly|usually|often|sometimes|one of)\b", sentence
    )
    if not part:
        return None
    whole = {
        "only": "",
        "mostly": "only",
        "usually": "always",
        "often": "always",
        "sometimes": "always",
        "one of": "all",
    }
    return _put(sentence, part, whole.get(part[0], "all")), sentence


FALSE: Mapping[str, Rule] = {
    "entity": _entity,
    "role": _role,
    "number": _number,
    "unit": _unit,
    "period": _period,
    "negation": _negation,
    "modality": _modality,
    "condition": _condition,
    "direction": _direction,
    "cut quote": _cut_quote,
    "percent": _percent,
    "unrelated": _unrelated,
    "scope": _scope,
}


def _verbatim(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    return sentence, sentence


def _within_a_quote(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    return sentence, f"{random.choice(others)} {sentence} {random.choice(others)}"


def _without_apposition(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    aside = re.search(
        r"(?<=[a-z]) ?, (?:an?|the|which|who) [^,;()]{5,60} ?,(?= (?:is|was|are|were|has|had|[a-z]+ed)\b)", sentence
    )
    return (_put(sentence, aside, ""), sentence) if aside else None


def _without_brackets(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    aside = re.search(r" \([^()]{3,60}\)", sentence)
    return (_put(sentence, aside, ""), sentence) if aside else None


def _active(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    passive = re.fullmatch(r"([A-Z][^,;()]{3,40}) (?:was|were) (\w+ed) by ([^,;()]{3,40}?)((?: in \d{4})?\.)", sentence)
    if not passive or re.search(r"\b(?:and|that|which|in|at|on)\b", passive[3]):
        return None
    agent, patient = (
        passive[3][0].upper() + passive[3][1:],
        re.sub("^(The|A|An|It|His|Her) ", lambda m: m[0].lower(), passive[1]),
    )
    return f"{agent} {passive[2]} {patient}{passive[4]}", sentence


def _number_words(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    written = [number for number in _NUMBER.finditer(sentence) if number[0].isdigit() and 2 <= int(number[0]) <= 12]
    grouped = [number for number in _NUMBER.finditer(sentence) if "," in number[0]]
    if grouped:
        return _put(sentence, grouped[0], grouped[0][0].replace(",", "")), sentence
    if (
        written
        and re.fullmatch(r".*\b[a-z]{2,} ", sentence[: written[0].start()])
        and re.match(r" [a-z]", sentence[written[0].end() :])
    ):
        return _put(sentence, written[0], _WORDS[int(written[0][0])]), sentence
    percent = re.search(r"(?<=\d) ?%(?!\w)", sentence)
    return (_put(sentence, percent, " percent"), sentence) if percent else None


def _synonym(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    found = [word for word in _SYNONYMS if re.search(rf"\b{word}\b", sentence)]
    if not found:
        return None
    word = random.choice(found)
    return re.sub(rf"\b{word}\b", _SYNONYMS[word], sentence, count=1), sentence


def _first_clause(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    clause = re.match(
        r"([A-Z][^,;]{25,}) ?, (?:and|but|while) (?:it|he|she|they|the [a-z]+) (?:was|were|is|are|had|has|[a-z]+ed)\b",
        sentence,
    )
    return (f"{clause[1]}.", sentence) if clause else None


def _without_relative(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    clause = re.fullmatch(r"([A-Z][^,;()]{25,}) ?, (?:which|who) [^,;]{8,}\.", sentence)
    return (f"{clause[1]}.", sentence) if clause else None


def _connective(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    begins = re.match(
        r"(However|Moreover|In addition|Furthermore|Additionally|Therefore|Thus|For example) ?, (\w)", sentence
    )
    return (begins[2].upper() + sentence[begins.end() :], sentence) if begins else None


def _adjunct_moved(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    begins = re.fullmatch(r"(In (?:\w+ )?\d{4}) ?, ([^,;()]{15,90}) ?\.", sentence)
    if not begins:
        return None
    return f"{begins[2][0].upper()}{begins[2][1:].rstrip()} {begins[1][0].lower()}{begins[1][1:]}.", sentence


def _typography(sentence: str, random: Random, others: Sequence[str]) -> Made | None:
    changed = sentence.replace("'", "\u2019").replace(" - ", " \u2013 ").replace(" ,", ",").replace("  ", " ")
    return (changed.rstrip(" ."), sentence)


TRUE: Mapping[str, Rule] = {
    "verbatim": _verbatim,
    "verbatim, in a longer quote": _within_a_quote,
    "apposition dropped": _without_apposition,
    "brackets dropped": _without_brackets,
    "passive to active": _active,
    "numbers in words": _number_words,
    "synonym": _synonym,
    "second clause cut": _first_clause,
    "relative clause cut": _without_relative,
    "connective dropped": _connective,
    "adjunct moved": _adjunct_moved,
    "typography": _typography,
}
_SAME_WORDS = {"verbatim", "verbatim, in a longer quote", "modality", "condition", "cut quote", "unrelated"}
"""Rules that keep the sentence, and change only its quote or nothing."""


def _put(sentence: str, place: re.Match[str], text: str) -> str:
    return sentence[: place.start()] + text + sentence[place.end() :]


def _within(frame: str, sentence: str) -> str:
    """Embed a sentence in another sentence."""
    inner = sentence.rstrip(" .")
    start = (
        inner
        if frame.startswith("{}")
        else re.sub(r"^(?:The|A|An|It|He|She|They|In|This)\b", lambda m: m[0].lower(), inner)
    )
    return f"{frame.format(start)}."
