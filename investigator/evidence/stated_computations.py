"""Computes the figure that a question asks for, from values stated in a single document. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from investigator.documents.pages import heading_at
from investigator.evidence.quoted_mail import is_quoted
from investigator.evidence.stated_values import StatedValue, Thing, stated_value, thing_asked
from investigator.language.addressed import addresses_model
from investigator.language.late_patterns import late
from investigator.language.negation import negates
from investigator.language.normalise import normalise, one_line
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words
from investigator.language.units import currencies, unit_of
from investigator.questions.cues import opposites, patterns
from investigator.questions.measured import YEAR
from investigator.questions.related import roots
from investigator.records import Computation, Document, Operation, QuotedCell
from investigator.tables.asked import CHANGE
from investigator.tables.computing import asked_operation, computation, figure_in
from investigator.tables.document_tables import DocumentTables
from investigator.tables.operands import EXTREMES, asked_computation
from investigator.tables.times import TableTime, agrees, asked_times, without_times

_LONGEST, _MOST_SENTENCES = 600, 4_000
_NUMBER = r"(?:[$€£¥₹]|[A-Z]{3} )?\s?\d+(?:[,.]\d+)*"
_UNIT = (
    r"(?:\s(?:thousand|million|billion))?(?:\s(?:square|cubic))?"
    r"(?:\s?(?!(?:in|to|by|at|on|from|for|during|and|of|last|this|over|after|within|as)\b)(?:[a-z]+|%))?"
)
_YEAR = r"(?:,?\s*\(?(?:in|at|by|on|during|at the end of|as of)\s[^,;.()\d]{0,20}\b(?:19|20)\d\d\)?)?"
_FROM_TO = late(
    rf"\bfrom\s+(?P<old>{_NUMBER}{_UNIT})(?P<begin>{_YEAR}),?\s+to\s+(?P<new>{_NUMBER}{_UNIT})(?P<end>{_YEAR})(?=[\s,;.)]|$)"
)
_TO_FROM = late(
    rf"\bto\s+(?P<new>{_NUMBER}{_UNIT})(?P<end>{_YEAR}),?\s+from\s+(?P<old>{_NUMBER}{_UNIT})(?P<begin>{_YEAR})(?=[\s,;.)]|$)"
)
_INSTEAD = late(
    rf"\b(?:is|are|be|was|were|to)\s+(?P<new>{_NUMBER}{_UNIT})(?P<end>{_YEAR}),?\s+instead of"
    rf"\s+(?P<old>{_NUMBER}{_UNIT})(?P<begin>{_YEAR})(?=[\s,;.)]|$)"
)
_CHANGE_FORMS = (_FROM_TO, _TO_FROM, _INSTEAD)
_VALUE = late(r"(?P<number>(?:[$€£¥₹]|[A-Z]{3})?\s?\d[\d.,']*)\s?(?P<unit>[^\d()\[\]]*)")
_FRAME = late(
    r"\b(?:(?:by )?how (?:much|many)(?: (?:more|less|fewer))?|by what percent(?:age)?|what|which|was|were|is|are|did"
    r"|does|do|has|have|been|go(?:ne)? (?:up|down)|growth(?: rate)?|differences?|between|spent|spend|pay)\b",
    re.IGNORECASE,
)
_LINK = r"(?:in|from|to|for|at|of|on|by)"
_CHANGES = (Operation.DIFFERENCE, Operation.GROWTH)


@dataclass(frozen=True)
class StatedComputation:
    """A computed figure with the names of its parts in the order of the formula, their subject (`about`), and the spans
    of the sentences that state them.
    """

    result: Computation
    names: tuple[str, ...]
    about: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Request:
    """A figure to find: a thing, in the question's words, and a time. `is_money` requires a currency. The roots in
    `own_words` must be in the sentence itself, not only in its heading or title.
    """

    words: str
    thing: Thing
    time: TableTime | None
    is_money: bool
    own_words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Stated:
    """A stated figure represented as a cell, with the span of its sentence."""

    cell: QuotedCell
    span: tuple[int, int]


@dataclass(frozen=True)
class _Change:
    """The old and the new value in a sentence about a change, with their times if known."""

    old: str
    new: str
    begin: TableTime | None
    end: TableTime | None


@lru_cache(maxsize=64)
def stated_computation(question: str, tables: DocumentTables) -> StatedComputation | None:
    """Compute the figure that a question asks for, using sentences in one document: a change that one sentence states,
    the values of one thing at two times, or the values of several things.

    Return None if a value is missing, if sentences give different values, or if the units or the direction differ.
    """
    asked, operation = asked_computation(question), asked_operation(question)
    if asked is not None and not (asked.are_times and operation in _CHANGES):
        each = (tuple(map(_request, operands)) for operands in asked.operands)
        found = (_computed(asked.operation, requests, tables) for requests in each)
        return next((one for one in found if one is not None), None)
    if operation not in _CHANGES:
        return None
    times = asked_times(question)
    request = _request(question)
    if request is None or len(times) > 2:
        return None
    if len(times) == 2:
        newer, older = sorted(times, key=lambda time: time.order, reverse=True)
        both = tuple(replace(request, time=time) for time in (newer, older))
        found_both = _computed(operation, both, tables)
        return found_both if found_both and _goes_as_asked(question, found_both) else None
    return _changed(question, operation, request, times, tables)


def _request(question: str) -> _Request | None:
    """Return the figure that a question asks for, without words about computing or money."""
    times = asked_times(question)
    left = CHANGE.sub(" ", _FRAME.sub(" ", without_times(question)))
    money = patterns("carried")["money"]
    plain = money.sub(" ", left)
    is_money = plain != left and bool(content_words(plain))
    words = " ".join((plain if is_money else left).strip(" ?.").split())
    words = re.sub(rf"(?:\s+{_LINK})+$|^(?:(?:{_LINK}|the|an?)\s+)+", "", words)
    thing = thing_asked(f"What is {words}?") if content_words(words) else None
    if thing is None or thing.is_date or len(times) > 2:
        return None
    return _Request(words, thing, times[0] if len(times) == 1 else None, is_money)


def _computed(
    operation: Operation, requests: Sequence[_Request | None], tables: DocumentTables
) -> StatedComputation | None:
    """Return the result for several figures; None unless sentences of the document give exactly one value for each."""
    asked = [request for request in requests if request is not None]
    if len(asked) < len(requests):
        return None
    are_of_one = len({request.words for request in asked}) == 1
    common = frozenset.intersection(*(request.thing.words for request in asked))
    stated: list[_Stated] = []
    for request in asked:
        apart = replace(request, own_words=frozenset() if are_of_one else request.thing.words - common)
        found = {one.cell.figure: one for one in _figures(apart, tables)}
        if len(found) != 1 or (not are_of_one and (apart.own_words == frozenset() or {*found.values()} & {*stated})):
            return None
        stated += found.values()
    if not are_of_one and not all(one.cell.measure or not one.cell.value[0].isdigit() for one in stated):
        return None
    names = [request.time.words if are_of_one and request.time else request.words for request in asked]
    parts = list(zip(names, stated, strict=True))
    if operation in EXTREMES:
        parts.sort(key=lambda part: _number(part[1]), reverse=operation is Operation.MAXIMUM)
    about = asked[0].words if are_of_one else asked[0].time.words if asked[0].time else ""
    return _result(operation, parts, about)


def _number(stated: _Stated) -> float:
    figure = figure_in(stated.cell)
    return float(figure.value) if figure is not None else 0.0


def _changed(
    question: str, operation: Operation, request: _Request, times: Sequence[TableTime], tables: DocumentTables
) -> StatedComputation | None:
    """Return the change whose old and new values a sentence states; None if sentences state several changes."""
    found: dict[str, StatedComputation] = {}
    for span, text in _about(request, tables):
        change = _change(text)
        if change is None or _value(request, _plain(text, change), span, tables) is None:
            continue
        if times and (change.end is None or not agrees(times[0], change.end)):
            continue
        new, old = _stated(change.new, span), _stated(change.old, span)
        if new is None or old is None:
            continue
        names = [time.words if time else "" for time in (change.end, change.begin)]
        one = _result(operation, list(zip(names, _of_one_unit(new, old), strict=True)), request.words)
        if one is not None:
            found[one.result.formula] = one
    only = next(iter(found.values())) if len(found) == 1 else None
    return only if only and _goes_as_asked(question, only) else None


def _of_one_unit(new: _Stated, old: _Stated) -> tuple[_Stated, _Stated]:
    """Return both values of a change with the unit, which one of them may omit: "from 212 to 240 members"."""
    unit = new.cell.measure or old.cell.measure
    kept = [_Stated(one.cell.changed(measure=one.cell.measure or unit), one.span) for one in (new, old)]
    return kept[0], kept[1]


def _result(operation: Operation, parts: Sequence[tuple[str, _Stated]], about: str) -> StatedComputation | None:
    result = computation(operation, *(stated.cell for _, stated in parts))
    if result is None:
        return None
    spans = dict.fromkeys(stated.span for _, stated in parts)
    return StatedComputation(result, tuple(name for name, _ in parts if name), about, tuple(spans))


def _goes_as_asked(question: str, found: StatedComputation) -> bool:
    """Return False if a question asks how much something rose when it actually fell, or vice versa."""
    rises, falls = (side.search(question) is not None for side in opposites()["change"])
    is_fall = re.match(r"\W*[-−]\d", found.result.value.replace(" ", "")) is not None
    return rises is falls or is_fall is falls


def _figures(request: _Request, tables: DocumentTables) -> list[_Stated]:
    """Return the values that sentences give for the requested figure at the requested time."""
    found: list[_Stated | None] = []
    for span, text in _about(request, tables):
        change = _change(text)
        if change is not None:
            sides = ((change.new, change.end), (change.old, change.begin))
            told = [value for value, time in sides if request.time and time and agrees(request.time, time)]
            if len(told) == 1 and _value(request, _plain(text, change), span, tables) is not None:
                found.append(_stated(told[0], span))
            continue
        value, times = _value(request, text, span, tables), asked_times(text)
        is_then = len(times) == 1 and agrees(request.time, times[0]) is True if request.time else not times
        if value is not None and is_then and not value.replaces:
            found.append(_stated(value.text, span))
    return [one for one in found if one is not None]


def _value(request: _Request, text: str, span: tuple[int, int], tables: DocumentTables) -> StatedValue | None:
    """Return the value that a sentence gives for exactly the requested thing; None if other words or names narrow it
    down, or if the value is only planned.
    """
    about = _subject(tables.document, span)
    value = stated_value(request.thing, text, about) if request.thing.words <= roots(text) | about else None
    if value is None or value.is_planned or value.is_relative or patterns("modality")["planned"].search(text):
        return None
    known = about | request.thing.words | roots(value.text)  # a currency such as EUR does not name another thing
    if not value.scope <= known or not value.names <= known or (value.rates and value.rates != request.thing.rates):
        return None
    stated = _stated(value.text, span)
    if stated is None or not request.own_words <= roots(text):
        return None
    has_currency = unit_of(stated.cell.measure) in currencies() or not stated.cell.value[0].isdigit()
    return value if has_currency or not request.is_money else None


def _stated(written: str, span: tuple[int, int]) -> _Stated | None:
    """Return a value represented as a cell, with its unit as the measure; None if the value does not begin with a
    number.
    """
    found = _VALUE.fullmatch(written.strip())
    if found is None:
        return None
    number, unit = found["number"].strip(" ,.'"), found["unit"].strip(" ,.'")
    if number[:3].isalpha() and not unit:  # the first letters are a currency code before the number
        number, unit = number[3:].strip(), number[:3]
    measure = "%" if unit and unit_of(unit) == "%" else unit
    return _Stated(QuotedCell(start=span[0], end=span[1], value=number, measure=measure), span)


def _plain(text: str, change: _Change) -> str:
    """Remove the times of the two values from a sentence that states a change."""
    found = _FROM_TO.search(text) or _TO_FROM.search(text)
    return f"{text[: found.start()]}from {change.old} to {change.new}{text[found.end() :]}" if found else text


def _change(text: str) -> _Change | None:
    """Return the old and the new value if a sentence states them with "from" and "to", each with its year."""
    for pattern in _CHANGE_FORMS:
        found = pattern.search(text)
        while found and YEAR.fullmatch(found["old"]) and YEAR.fullmatch(found["new"]):
            found = pattern.search(text, found.end())
        if found:
            begin, end = (next(iter(asked_times(f" {found[name]}")), None) for name in ("begin", "end"))
            outside = asked_times(f"{text[: found.start()]} {text[found.end() :]}")
            if begin is None and end is None and len(outside) in (1, 2):
                begin, end = (None, *outside) if len(outside) == 1 else sorted(outside, key=lambda time: time.order)
            return _Change(found["old"].strip(), found["new"].strip(), begin, end)
    return None


def _about(request: _Request, tables: DocumentTables) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the sentences that contain all words of a requested figure, with their spans; this excludes denials, older
    text quoted in a message, and text that addresses the model.
    """
    document = tables.document
    for span, text in _sentences(tables):
        own = roots(text)
        if request.own_words <= own and request.thing.words <= own | _subject(document, span):
            written = document.text[slice(*span)]
            if not (negates(written) or addresses_model(written) or is_quoted(document, span[0])):
                yield span, text


def _subject(document: Document, span: tuple[int, int]) -> frozenset[str]:
    """Return the roots of the words in the context of a sentence: the names of its document, and its heading."""
    return roots(f"{document.names} {heading_at(document.headings, span[0])}")


@lru_cache(maxsize=16)
def _sentences(tables: DocumentTables) -> tuple[tuple[tuple[int, int], str], ...]:
    """Return the sentences in a document that contain figures, with their spans; table rows are excluded."""
    return tuple(_with_figures(tables.document))


def _with_figures(document: Document) -> Iterator[tuple[tuple[int, int], str]]:
    spans = [(table.start, table.end) for table in document.tables]
    for place, (start, end) in enumerate(sentence_spans(document.text)):
        if place >= _MOST_SENTENCES:
            return
        text = document.text[start:end]
        is_row = any(first < end and start < last for first, last in spans)
        is_question = text.rstrip("\"'”’ ").endswith("?")
        if end - start <= _LONGEST and not is_row and any(map(str.isdigit, text)) and not is_question:
            yield (start, end), normalise(one_line(text)).text
