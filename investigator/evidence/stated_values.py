"""Finds the value that a sentence gives for the thing that a question asks about, and older values that the sentence
replaces. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile

from investigator.language.amounts import Amount, dates_and_amounts, prepared
from investigator.language.dates import Date, without_dates
from investigator.language.late_patterns import late
from investigator.language.normalise import normalise, one_line
from investigator.language.terms import content_words, folded, stop_words, words
from investigator.questions.answer_types import AnswerType, expected_type
from investigator.questions.constraints import counted_thing
from investigator.questions.cues import cue_words, cues, names_nothing, patterns
from investigator.questions.measured import YEAR
from investigator.questions.phases import Phase, phases_asked, phases_named, phases_said
from investigator.questions.related import is_verb, root, roots
from investigator.questions.spans import now_asked

Value = Amount | Date

_WORD = late(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ITEM = late(r"^\W*(?:\d{1,2}[.)]|§ ?\d+)(?=\s)")
_DATE = late(r"\bdates?\b", re.IGNORECASE)
_JOINED = late(r"\W*(?:\([^)]*\)\W*)?(?:and|or|to|-)\W*")
_FROM = late(r"\bfrom\W*$", re.IGNORECASE)
_STOPS = late(r"[,;:.!?()]|\b(?:is|are|was|were|has|have|had|will|shall|may|can|be|been)\b|\d|[$€£¥]", re.IGNORECASE)
_PREPOSITION = late(r"\W*(?:of|for|in|at|on|to|with|per|by|between|during|under|over|on behalf of)\b", re.IGNORECASE)
_UNIT_BEHIND = late(r"\s((?:[^\W\d_]+\s?){1,2})")
_REACH = 160  # a value belongs to a thing if at most this many characters separate the two
_BEFORE_IT = 15  # characters added to the distance of a value that comes before the thing
_MOST_BEFORE, _MOST_BEHIND = 3, 60  # words before a thing, and characters after it, that may qualify it
_LONGEST = 600  # maximum number of characters in a sentence; a longer one is a table
_MEASURES = ("duration", "age", "weight", "distance", "temperature")  # kinds of figures with their own units


@dataclass(frozen=True)
class Thing:
    """The thing whose value a question asks for. `words` contains the roots of the thing's words, `head` is the root of
    the main word, `noun` contains the roots of the words joined to it, and `counted` is the root of the counted thing.
    `measure` is the kind of figure, such as a length, if that kind has its own units. `rates` distinguishes values per
    month from values per year, and `phases` the start of a span from its end.
    """

    words: frozenset[str]
    head: str
    noun: frozenset[str]
    counted: str
    is_date: bool
    measure: str
    rates: frozenset[str]
    phases: frozenset[Phase]


@dataclass(frozen=True)
class StatedValue:
    """A value as written in a sentence, and the values that the sentence says it replaces. `scope` contains the roots
    of words that narrow the thing down, `names` contains the capitalised words, and `times` contains other dates and
    years.
    """

    text: str
    value: Value
    replaces: tuple[Value, ...]
    is_change: bool
    scope: frozenset[str]
    names: frozenset[str]
    times: frozenset[str]
    rates: frozenset[str]
    is_planned: bool
    is_relative: bool


@lru_cache(maxsize=256)
def thing_asked(question: str) -> Thing | None:
    """Return the thing whose value a question asks for; None if it does not ask for an amount or date."""
    kind = expected_type(question)
    if kind not in (AnswerType.ANY, AnswerType.NUMBER, AnswerType.DATE):
        return None
    is_date = kind is AnswerType.DATE or _DATE.search(question) is not None
    counted = counted_thing(question)
    now = {word for text in now_asked(question) for word in words(text)}
    told = [word for word in content_words(question) if _tells(word) and word not in now]
    if not told:
        return None
    own = frozenset(map(root, told))
    noun = [root(word) for word in _first_noun(question, told)]
    return Thing(
        words=own,
        head=root(counted) if counted and root(counted) in own else noun[-1],
        noun=frozenset(noun),
        counted=root(counted) if counted else "",
        is_date=is_date,
        measure=next((kind for kind in _MEASURES if patterns("asked")[kind].search(question)), ""),
        rates=_named(question, "time_rates"),
        phases=frozenset().union(*map(phases_named, phases_asked(question))),
    )


def _tells(word: str) -> bool:
    is_rate = any(pattern.fullmatch(word) for pattern in patterns("time_rates").values())
    return not (names_nothing(word) or word in cue_words("changes", "how") or word.isdigit() or is_rate)


def _first_noun(question: str, told: Sequence[str]) -> list[str]:
    """Return the first group of words that belong together, such as "floor area" in "the floor area of the hall"; its
    last word is the main word.
    """
    found: list[str] = []
    for match in _WORD.finditer(question):
        word = folded(match.group())
        if word in told:
            found.append(word)
        elif found:
            break
    return found or list(told[-1:])


def _named(text: str, section: str) -> frozenset[str]:
    return frozenset(name for name, pattern in patterns(section).items() if pattern.search(text))


@lru_cache(maxsize=4096)
def stated_value(thing: Thing, sentence: str, about: frozenset[str]) -> StatedValue | None:
    """Return the value that a sentence gives for a thing; None if it gives no value or several values. `about` contains
    the roots of words in the heading and the document's title, which the sentence itself may omit. A sentence about a
    change may also omit the words joined to the main word, for example "summer" in "the regatta is moved".
    """
    read = _Read.of(_own_lines(sentence, thing))
    is_change = patterns("changes")["words"].search(read.text) is not None
    unsaid = thing.words - read.roots - about
    known = not unsaid or (is_change and unsaid <= thing.noun)
    rates = _named(read.text, "time_rates")
    if thing.head not in read.roots or not known or not thing.phases <= phases_said(read.text):
        return None
    if thing.rates and rates and thing.rates.isdisjoint(rates):
        return None
    values = read.dates if thing.is_date else read.amounts_of(thing.measure)
    chosen = _nearest(thing, read, values)
    if chosen is None:
        return None
    replaced = dict(read.replacing(values))
    chosen = replaced.get(chosen.span, chosen)
    olds = tuple(old for old in values if replaced.get(old.span) is chosen)
    if not olds and _is_one_of_several(chosen, read, values):
        return None
    at = read.place_of(thing.head, chosen.span[0])
    return StatedValue(
        text=read.written(chosen),
        value=chosen,
        replaces=olds,
        is_change=is_change,
        scope=read.scope(at) - thing.words,
        names=read.names,
        times=read.times(chosen),
        rates=rates,
        is_planned=not thing.is_date and patterns("changes")["planned"].search(read.text) is not None,
        is_relative=patterns("changes")["deictic"].search(read.text[max(0, at[0] - 20) : at[1] + 12]) is not None,
    )


def _own_lines(sentence: str, thing: Thing) -> str:
    """Return a sentence without lines before the one with the main word: a title above it has no full stop, and would
    otherwise become part of the sentence.
    """
    lines = sentence.split("\n")
    while len(lines) > 1 and thing.head in roots(" ".join(lines[1:])):
        lines = lines[1:]
    return "\n".join(lines)


def replaced_values(sentence: str) -> tuple[tuple[Value, Value, str], ...]:
    """Return each value that a sentence says is replaced, with the new value in parsed form and as written."""
    read = _Read.of(sentence)
    if patterns("changes")["words"].search(read.text) is None:
        return ()
    kinds: tuple[Sequence[Value], ...] = (read.amounts, read.dates)
    found = [(values, span, new) for values in kinds for span, new in read.replacing(values)]
    return tuple((old, new, read.written(new)) for values, span, new in found for old in values if old.span == span)


def references(text: str) -> frozenset[str]:
    """Return the numbers of the clauses that the text mentions or begins with: "clause 3", "§ 3", "3. Rent"."""
    found = re.findall(rf"(?:{cues('changes')['reference']})(\d+(?:\.\d+)*)", text, re.IGNORECASE)
    item = _ITEM.match(text)
    return frozenset([*found, *(re.findall(r"\d+", item.group()) if item else ())])


def says_value(sentence: str, value: Value) -> bool:
    """Return True if a sentence contains a value, in the same words or in a different spelling."""
    read = _Read.of(sentence)
    others: Sequence[Value] = read.dates if isinstance(value, Date) else read.amounts
    return any(_same(value, other) for other in others)


def _same(value: Value, other: Value) -> bool:
    if isinstance(value, Date):
        return isinstance(other, Date) and value.is_said_by(other)
    return isinstance(other, Amount) and value.is_said_by(other)


def has_unit(value: Value) -> bool:
    """Return True if a value is an amount with a unit or currency."""
    return isinstance(value, Amount) and any(unit for _, unit in value.readings)


def _nearest(thing: Thing, read: _Read, values: Sequence[Value]) -> Value | None:
    """Return the value nearest to the words that name the thing; if the question counts things, the value must be a
    count of them.
    """
    if thing.counted:
        values = [one for one in values if thing.counted in read.behind(one)]
    elif any(read.measures(one) for one in values):
        values = [one for one in values if read.measures(one)]
    places = [[word[:2] for word in read.words if word[2] == own] for own in thing.words]

    def distance(value: Value) -> int:
        start, end = value.span
        return sum(min(_apart(place, start, end) for place in own) for own in places if own)

    near = [one for one in values if distance(one) <= _REACH * max(1, len(thing.words))]
    return min(near, key=distance, default=None)


def _apart(place: tuple[int, int], start: int, end: int) -> int:
    return start - place[1] if start >= place[1] else place[0] - end + _BEFORE_IT


def _is_one_of_several(chosen: Value, read: _Read, values: Sequence[Value]) -> bool:
    """Return True if a value is part of a range, or of a list of values for several things."""
    ordered: list[Value] = sorted(values, key=lambda one: one.span)
    return any(
        chosen in (one, other) and _JOINED.fullmatch(read.text, one.span[1], other.span[0])
        for one, other in pairwise(ordered)
    )


def _is_finite(word: str) -> bool:
    """Return True if a word is a verb such as "measures", which ends a noun phrase."""
    return word.endswith("s") and is_verb(word)


def _narrows(word: str) -> bool:
    """Return True if a word distinguishes things: "guest" in "guest fee", but not "current" or "annual"."""
    cue = patterns("changes")
    is_rate = any(pattern.fullmatch(word) for pattern in patterns("time_rates").values())
    is_known = cue["words"].fullmatch(word) or re.fullmatch(rf"(?:{cues('changes')['reference']})", word)
    return word not in stop_words() and not is_rate and not is_known and word not in cue_words("changes", "neutral")


@dataclass(frozen=True)
class _Read:
    """A sentence prepared for comparison: its words with their places and roots. Its amounts and dates are read when
    they are needed, because most sentences lack the words of the question.
    """

    text: str
    words: tuple[tuple[int, int, str], ...]

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(sentence: str) -> _Read:
        text = prepared(normalise(one_line(sentence[:_LONGEST])).text)
        text = _ITEM.sub(lambda found: " " * len(found.group()), text)
        return _Read(text, tuple((one.start(), one.end(), root(folded(one.group()))) for one in _WORD.finditer(text)))

    @cached_property
    def _values(self) -> tuple[tuple[Date, ...], tuple[Amount, ...]]:
        return dates_and_amounts(self.text)

    @property
    def dates(self) -> tuple[Date, ...]:
        """Return the dates in the sentence."""
        return self._values[0]

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Return the amounts in the sentence, without years and the numbers of clauses."""
        before = re.compile(rf"(?:{cues('changes')['reference']})$", re.IGNORECASE)
        return tuple(
            one
            for one in self._values[1]
            if one.readings and not YEAR.fullmatch(one.text) and not before.search(self.text, 0, one.span[0])
        )

    @cached_property
    def roots(self) -> frozenset[str]:
        return frozenset(word for _, _, word in self.words)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the roots of capitalised words that do not begin the sentence and are not part of a date."""
        in_dates = [(day.start, day.end) for day in self.dates]
        first = self.words[0][0] if self.words else 0
        return frozenset(
            word
            for start, end, word in self.words
            if self.text[start].isupper()
            and start != first
            and not any(low <= start < high for low, high in in_dates)
            and folded(self.text[start:end]) not in stop_words()
        )

    def amounts_of(self, measure: str) -> Sequence[Value]:
        """Return the amounts whose unit fits the given kind of figure, or all amounts if it is ""."""
        shown = patterns("shown")[measure] if measure else None
        return [one for one in self.amounts if shown is None or shown.search(self.written(one))]

    def times(self, value: Value) -> frozenset[str]:
        """Return the dates and years in the sentence, except the value itself."""
        others = (day.text for day in self.dates if day.span != value.span)
        return frozenset([*others, *YEAR.findall(without_dates(self.text, list(self.dates)))])

    def written(self, value: Value) -> str:
        """Return a value as written; after a number without a unit, include the counted thing."""
        if isinstance(value, Amount) and all(not unit for _, unit in value.readings):
            return " ".join((value.text.strip(), *self._behind(value)))
        return value.text.strip(" .")

    def behind(self, value: Value) -> frozenset[str]:
        """Return the roots of the words in a value, such as its unit, and of at most two words after the value."""
        return frozenset(root(folded(word)) for word in (*_WORD.findall(value.text), *self._behind(value)))

    def measures(self, value: Value) -> bool:
        """Return True if a value has a unit or counts something, which the number in "18 Harrow Lane" does not."""
        return has_unit(value) or any(word.islower() for word in self._behind(value)[:1])

    def _behind(self, value: Value) -> list[str]:
        found = _UNIT_BEHIND.match(self.text, value.span[1])
        kept: list[str] = []
        for word in found[1].split() if found else ():
            if folded(word) in stop_words():
                break
            kept.append(word)
        return kept

    def place_of(self, own: str, near: int) -> tuple[int, int]:
        """Return the span of the word with the given root that is nearest to a position."""
        found = [(start, end) for start, end, word in self.words if word == own]
        return min(found, key=lambda span: abs(span[0] - near))

    def scope(self, at: tuple[int, int]) -> frozenset[str]:
        """Return the roots of the words that narrow a noun down: words before it, and words of a phrase after it."""
        before = [one for one in self.words if one[1] <= at[0]][-_MOST_BEFORE:]
        found: list[str] = []
        last = at[0]
        for start, end, _ in reversed(before):
            word = folded(self.text[start:end])
            if self.text[end:last].strip(" -") or word in stop_words() or _is_finite(word):
                break
            found.append(word)
            last = start
        every: tuple[Value, ...] = (*self.amounts, *self.dates)
        values = [one.span[0] for one in every if one.span[0] >= at[1]]
        behind = self.text[at[1] : min((at[1] + _MOST_BEHIND, *values))]
        if begin := _PREPOSITION.match(behind):
            stop = _STOPS.search(behind, begin.end())
            phrase = behind[begin.end() : stop.start() if stop else None]
            phrase = patterns("changes")["words"].split(phrase, maxsplit=1)[0]
            found += takewhile(lambda word: not _is_finite(word), map(folded, _WORD.findall(phrase)))
        return frozenset(root(word) for word in found if _narrows(word))

    def replacing(self, values: Sequence[Value]) -> Iterator[tuple[tuple[int, int], Value]]:
        """Yield the position of each replaced value, with the value that replaces it."""
        cue = patterns("changes")
        changes = cue["words"].search(self.text) is not None
        ordered: list[Value] = sorted(values, key=lambda one: one.span)
        for one, other in pairwise(ordered):
            between = self.text[one.span[1] : other.span[0]]
            if cue["new_behind"].search(between) or (
                changes and between.strip() == "to" and _FROM.search(self.text[: one.span[0]])
            ):
                yield one.span, other
            elif re.fullmatch(rf"[^.;]{{0,30}}?\b(?:{cues('changes')['old_behind']})\W*", between, re.IGNORECASE):
                yield other.span, one
