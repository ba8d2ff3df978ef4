"""Extracts the computation that a question asks for: the operation, and one question for each figure. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

from investigator.language.late_patterns import late
from investigator.questions.cues import cues, patterns
from investigator.records import Operation
from investigator.tables.asked import CHANGE
from investigator.tables.computing import asked_operation
from investigator.tables.times import asked_times, times_between, without_times

_WHEN = late(r",?\s+(?:in|for|during|at|as of|by|on|from)\s[^,?]*\d[^?]*$", re.IGNORECASE)
_BEGINS_WITH_TIME = late(r"^\W*(?P<when>(?:in|for|during|at|as of|by)\s[^,?]*\d[^,?]*),\s*(?P<rest>.+)$", re.IGNORECASE)
_JOINT = late(r"(,\s+(?:(?:and|or|plus)\s+)?(?!\d)|\s+(?:and|or|plus)\s+(?!\d))", re.IGNORECASE)
_LINK = late(r"^(?:(?:both|either|on|for|from|to|of|at|in|the)\s+)+(?!\w*\d)", re.IGNORECASE)
_ASKS = late(r"\b(?:what|which|who|how|where)\b", re.IGNORECASE)
_NOUN = (
    r" (?!(?:was|were|is|are|did|do|does|had|has|have|in|on|at|for|of|and|or|with|than|during|between|from)\b)"
    r"(?!(?:item|thing|line|entry|category|position|number|amount|value|figure|total|year|quarter|month)s?\b)"
    r"(?P<noun>[^\W\d_]+)"
)
_ROW_KIND = late(rf"^\W*(?:(?:in|on|at|for|to|by|of) )?(?:which|what)(?: single)?{_NOUN}", re.IGNORECASE)
_SPAN_OF_ALL = late(
    r"\b(?:over|in|for|of|across) (?:the |all )+(?:\w+ )?(?:years|quarters|months|periods)\b", re.IGNORECASE
)
_MOST_OPERANDS = 8
_COMPUTES = late(
    r"\b(?:by how (?:much|many)|how (?:much|many) (?:more|less|fewer|higher|lower|dearer|cheaper)|differences?|gap"
    r"|between|(?:all |taken |added )?together|combined|altogether|in total|in all"
    r"|(?:the )?(?:sum|total)(?: number)? of|was there|were there)\b",
    re.IGNORECASE,
)
_TOTAL = late(r"\b(?:in total|in all|altogether|(?:sum|total) of)\b", re.IGNORECASE)
_LOOSE = late(r"(?:\s+(?:from|to|until|through|and|in|of|for|over|than|the|years?|,|[-–]))+$", re.IGNORECASE)
_BE = r"(?:was|were|is|are)"
_VERB = rf"(?:{_BE}|did|does|do|has|have)"
_TOGETHER = r"(?:(?:all )?together|combined|altogether|in total|in all|taken together|added together)"
_DOES = r"(?P<tail> (?:cost|come to|came to|amount to|bring in|bring|make|earn|sell|raise|be))?"
_MORE = (
    r"(?:(?:more|less) expensive|more|less|fewer|higher|lower|greater|smaller|larger|bigger|costlier|cheaper|dearer)"
)
_PARTS_OF = r"(?:share|proportion|fraction|percentage) of"
_NAMED: Mapping[Operation, Sequence[str]] = {
    Operation.SUM: (
        r"^(?P<lead>.*?)\b(?:sum|total) of (?P<list>.+)$",
        rf"^(?P<lead>.*?) {_TOGETHER} (?P<list>(?:on|for|from|by|at) .+)$",
        rf"^(?P<lead>.*?) (?P<list>(?:on|for|from|by|at) .+?) {_TOGETHER}(?P<when>.*)$",
        rf"^(?P<lead>.*?\b(?:how (?:much|many|high|large)|what) {_VERB}) (?P<list>.+?){_DOES} {_TOGETHER}(?P<when>.*)$",
        r"^(?P<lead>.*?)\b(?:combined|total|joint) (?P<noun>[\w-]+) (?:of|for|from|at) (?P<list>.+)$",
        rf"^(?P<lead>.*?\b(?:how much|what) {_VERB}) (?P<list>.+ and .+?) (?:add up|amount|come|came) to(?P<when>.*)$",
        rf"^(?P<lead>.*?\bwhat {_BE}) (?P<list>.+ plus .+)$",
        r"^(?P<lead>.*?)\badd (?:up )?(?P<list>.+)$",
    ),
    Operation.SHARE: (
        rf"^(?P<lead>.*?)\bwhat {_PARTS_OF} (?P<other>.+?) {_VERB}(?: (?:for|from|due to|spent on))? (?P<one>.+)$",
        rf"^(?P<lead>.*?)\bwhat {_PARTS_OF} (?P<other>.+?) (?:came|comes|went|goes) (?:from|to|on) (?P<one>.+)$",
        rf"^\W*(?:what {_BE} )?(?P<one>.+?) as an? {_PARTS_OF} (?P<other>.+)$",
    ),
    Operation.DIFFERENCE: (
        r"^(?P<lead>.*?)\b(?:differences?|gap)(?: in (?:the )?(?P<noun>[\w-]+(?: [\w-]+)?))? between (?P<list>.+)$",
        rf"^(?P<lead>.*?)\bhow (?:much|many) {_MORE}(?P<noun>(?: [\w-]+)??) {_VERB} (?P<one>.+?){_DOES}"
        r" than (?P<other>.+)$",
        rf"^(?P<lead>.*?)\bby how (?:much|many) {_VERB} (?P<one>.+?) (?:exceed|outweigh|surpass|top) (?P<other>.+)$",
        rf"^(?P<lead>.*?)\bby how (?:much|many) {_VERB} (?P<one>.+?) {_MORE} than (?P<other>.+)$",
        r"^(?P<lead>.*?)\bcompare (?P<list>.+ and .+)$",
        r"^(?P<lead>.*?)\bcompare (?P<one>.+?) (?:with|to|against) (?P<other>.+)$",
        r"^(?P<lead>.*?)\bhow (?:did|do|does) (?P<one>.+?) compare (?:with|to|against) (?P<other>.+)$",
        r"^(?P<lead>.*?)\bhow (?:did|do|does) (?P<list>.+? and .+?) compare(?P<when>.*)$",
    ),
}
_OF_NAMED = (
    r"^(?P<head>(?:which|what|who)\b[^,:;]*?\b{word}\b[^:;]*?)[,:;]\s*(?P<list>[^:;]+\bor\b[^:;]+)$",
    r"^(?:between )?(?P<list>[^:;]+? (?:or|and) [^:;,]+)[,:;]\s*(?P<head>(?:which|what)\b.*\b{word}\b.*)$",
    r"^which (?:one )?of (?P<list>.+ (?:and|or) .+?) (?P<head>(?:was|were|is|are|costs?|did|had|made|brought|came)\b"
    r".*\b{word}\b.*)$",
    r"^(?:was|were|is|are|did|do|does) (?P<list>.+ or .+?) (?P<head>(?:cost |the )*{word}\b.*)$",
    r"^(?:did|do|does|has|have) (?P<head>.+? {word}) (?P<list>(?:on|for|from) .+ or .+)$",
)
EXTREMES = (Operation.MAXIMUM, Operation.MINIMUM)
_OF_TWO = (Operation.DIFFERENCE, Operation.SHARE)


@dataclass(frozen=True)
class AskedComputation:
    """A computation that a question asks for. Each item of `operands` is one way to split the question into questions
    about single figures, in the order of the formula; there may be several ways, because a name may contain "and". If
    `are_times`, the operands are one thing at several times. Without operands, `about` is the question without the
    words for the operation: the remaining words name the rows, the column or the periods of the figures. `rows`
    contains the words that name the rows: "which STATION", "the cheapest ARTICLE".
    """

    operation: Operation
    operands: tuple[tuple[str, ...], ...] = ()
    about: str = ""
    rows: tuple[str, ...] = ()
    are_times: bool = False


@lru_cache(maxsize=256)
def asked_computation(question: str) -> AskedComputation | None:
    """Return the computation that a question requests from the figures of rows or periods; None if it asks for no
    computation.
    """
    plain = " ".join(question.split()).rstrip(" ?.!")
    if patterns("extremes")["judgement"].search(plain):
        return None
    if begins := _BEGINS_WITH_TIME.match(plain):
        plain = f"{begins['rest']} {begins['when'][0].lower()}{begins['when'][1:]}"
    for operation, compiled in _patterns().items():
        matches = (found for pattern in compiled if (found := pattern.match(plain)))
        if operands := tuple(dict.fromkeys(texts for found in matches for texts in _operands(found, operation))):
            return AskedComputation(operation, operands)
    return _of_times(plain) or _of_all(plain)


def _of_times(plain: str) -> AskedComputation | None:
    """Return the sum, difference or growth of one thing over the times that a question names. The newest time is first,
    except in a sum. For "from 2021 to 2024", a sum includes the years in between.
    """
    times, cue = asked_times(plain), patterns("extremes")
    if any(cue[name].search(plain) for name in ("maximum_of_all", "minimum_of_all", "mean")):
        return None
    operation = asked_operation(plain) or (Operation.SUM if _TOTAL.search(plain) else None)
    if operation not in (Operation.SUM, Operation.DIFFERENCE, Operation.GROWTH) or len(times) < len(_OF_TWO):
        return None
    if len(times) == len(_OF_TWO) and operation is Operation.SUM and cue["span"].search(plain):
        is_list = re.search(rf"{times[0].words} and {times[1].words}", plain) and "between" not in plain
        times = times if is_list else times_between(*times)
    elif operation is not Operation.SUM:
        times = tuple(sorted(times, key=lambda time: time.order, reverse=True))
    if len({time.words for time in times if time.words}) < len(times) or (
        operation is not Operation.SUM and len(times) > len(_OF_TWO)
    ):
        return None
    thing = " ".join(_COMPUTES.sub(" ", CHANGE.sub(" ", without_times(plain))).split())
    thing = _LOOSE.sub("", f" {thing}").strip()
    asks = "" if _ASKS.search(thing) else "What is "
    return AskedComputation(operation, (tuple(f"{asks}{thing} in {time.words}?" for time in times),), are_times=True)


def _of_all(plain: str) -> AskedComputation | None:
    """Return the highest, the lowest or the mean figure that a question asks for."""
    cue = patterns("extremes")
    for operation in EXTREMES:
        if cue[f"{operation}_of_all"].search(plain) and cue["asks"].match(plain) and not cue["several"].search(plain):
            left = _without(plain, f"{operation}_of_all", "asking")
            about = f"{left}, does it cost" if cue["money"].search(plain) else left
            asked = (_ROW_KIND.match(plain), re.search(rf"{cue[f'{operation}_of_all'].pattern}{_NOUN}", plain))
            return AskedComputation(operation, about=about, rows=tuple(found["noun"] for found in asked if found))
    if cue["mean"].search(plain) and _ASKS.search(plain):
        return AskedComputation(Operation.MEAN, about=_without(_SPAN_OF_ALL.sub(" ", plain), "mean"))
    return None


@cache
def _patterns() -> Mapping[Operation, tuple[re.Pattern[str], ...]]:
    named = {operation: tuple(re.compile(text, re.IGNORECASE) for text in texts) for operation, texts in _NAMED.items()}
    for operation in EXTREMES:
        word = f"(?:{cues('extremes')[operation]})"
        named[operation] = tuple(re.compile(text.replace("{word}", word), re.IGNORECASE) for text in _OF_NAMED)
    return named


def _without(text: str, *names: str) -> str:
    for name in names:
        text = patterns("extremes")[name].sub(" ", text)
    return " ".join(text.split())


def _operands(found: re.Match[str], operation: Operation) -> Iterator[tuple[str, ...]]:
    """Yield one question for each of the named figures; it contains the whole question except for the other names. A
    time that is given once applies to all of them.
    """
    said = {name: (text or "").strip() for name, text in found.groupdict().items()}
    when = _time_in(said.get("when", ""))
    lead = " ".join(filter(None, (said.get("lead"), said.get("noun"))))
    tail = "cost" if patterns("extremes")["price"].search(found.string) else said.get("tail", "")
    if "head" in said:
        when = when or _time_in(said["head"])
        lead = _without(f" {said['head']}".replace(when, " ") if when else said["head"], *EXTREMES, "asking")
    for names in [(said["one"], said["other"])] if "one" in said else _listed(said["list"]):
        are_things = all(re.search(r"[^\W\d_]", _LINK.sub("", f"{without_times(name).strip()} ")) for name in names)
        if len(names) > 1 and are_things and (len(names) == 2 or operation not in _OF_TWO):
            own = [time for name in names if (time := _time_in(name))]
            shared = when or (own[0] if len(set(own)) == 1 else "")
            yield tuple(_question_about(lead, name, tail, shared) for name in names)


def _listed(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the possible ways to split a list, starting with those that give the most items: "light and heat" may be
    one name or two.
    """
    parts = _JOINT.split(text)
    names, joints = parts[::2], parts[1::2]
    if len(names) > _MOST_OPERANDS or not all(_LINK.sub("", f"{name} ").strip() for name in names):
        return
    for kept in range(len(joints), 0, -1):
        for cuts in combinations(range(len(joints)), kept):
            items = [names[0]]
            for place, (joint, name) in enumerate(zip(joints, names[1:], strict=True)):
                if place in cuts:
                    items.append(name)
                else:
                    items[-1] += f"{joint}{name}"
            yield tuple(items)


def _time_in(text: str) -> str:
    """Return the words at the end of the text that name a time; "" if none do."""
    found = _WHEN.search(f" {text}")
    return found.group() if found and asked_times(found.group()) else ""


def _question_about(lead: str, name: str, tail: str, when: str) -> str:
    asks = "" if _ASKS.search(lead) else "what does" if tail == "cost" else "what is"
    own = "" if asked_times(name) else when.strip(" ,")
    return " ".join(f"{lead} {asks} {_LINK.sub('', name.strip())} {tail} {own}".split()) + "?"
