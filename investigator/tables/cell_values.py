"""Compares the value of a cell with the kind of answer that a question asks for. Pure."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from investigator.language.amounts import amounts, prepared
from investigator.language.late_patterns import late
from investigator.language.normalise import normalise
from investigator.language.units import currency_pattern, magnitude_of, unit_of
from investigator.questions.answer_types import WORDED_TYPES, AnswerType, required_type, spans
from investigator.questions.asked_amounts import AskedAmount
from investigator.questions.constraints import counted_thing
from investigator.questions.cues import patterns
from investigator.questions.measured import is_unit
from investigator.questions.related import root, roots
from investigator.records import QuotedCell
from investigator.tables.asked import CHANGE, TableQuestion
from investigator.tables.measures import MONEY_SIGN
from investigator.tables.naming import named
from investigator.tables.times import without_times

OF_OTHER_KIND = 0.6
"""Penalty for a value that is not of the requested kind."""
_PRICED = 0.1
_SHARE_NAMED = late(r"percent|%|\brate\b|proportion|share of", re.IGNORECASE)
_INTERVAL = late(r"\d\s?%\s?(?:C\.?I|K\.?I|HDI|confidence|credible|Konfidenz)", re.IGNORECASE)
_CURRENCY = late(r"[$€£¥₹]|\b(?:euros?|dollars?|pounds|francs?|EUR|USD|GBP|CHF)\b", re.IGNORECASE)
_COSTS = late(
    r"\b(?:costs?|expens(?:es?|iture)|expenditures?|spending|budget|wages?|salar(?:y|ies)|payroll)\b", re.IGNORECASE
)
_COUNTS = late(r"\b(?:number|head ?count|fte|full[- ]time equivalents?|count|persons|heads)\b", re.IGNORECASE)
_EXCEPT = late(r"\b(?:except|unless|other than|otherwise)\b", re.IGNORECASE)
_SPREAD = late(r"\d\.\d[^(]*\([^)]*\d\.\d")
"""Matches a mean or a median with its spread: 106.0 (84.0–146.0)."""
"""Kinds of answers that a cell can give only in words."""
_WORD = late(r"[^\W\d_]{3,}")
_CLOCK = late(r"\d[:.]\d\d")
_EACH = late(r"\bper [\w-]+", re.IGNORECASE)


def kind_fits(asked: TableQuestion, value: str, header: str, labels: str, over: str = "") -> float | None:
    """Return how well a value matches the requested kind of figure; None if it cannot be a figure of that kind.

    `header` and `labels` name the value's column and row, and `over` contains the caption and the unit of its table.
    """
    names = f"{header} {labels}"
    if gives_no_value(value):
        return 0.0
    has_digit = any(map(str.isdigit, value))
    if asked.asks_figure and (_is_date(value) or not has_digit):
        return None
    asks_words = required_type(asked.text) in WORDED_TYPES
    if (asks_words and not _WORD.search(value)) or (asked.asks_count and _is_mean_of_another(asked, value, names)):
        return None
    if asked.asks_pace and not CHANGE.search(names):
        return None
    if asked.asks_count and _is_money(asked, header, names, over):
        return None
    is_share = "%" in value
    if asked.asks_share and not is_share and not _SHARE_NAMED.search(_INTERVAL.sub(" ", names)):
        return -OF_OTHER_KIND
    if not asked.asks_share and is_share and "(" not in value.strip("("):
        return -OF_OTHER_KIND
    is_amount = asked.asks_count and (MONEY_SIGN.search(value) or _EACH.search(names))
    if is_amount and _counts_only_each(asked, names):
        return None
    is_price = asked.asks_price and (MONEY_SIGN.search(value) or not _prices().isdisjoint(roots(names)))
    return -OF_OTHER_KIND if is_amount else _PRICED * bool(is_price)


def _is_mean_of_another(asked: TableQuestion, value: str, names: str) -> bool:
    """Return True if a value is a mean or median with its spread, unless the cell's names contain the thing that the
    question counts.
    """
    return _SPREAD.search(value) is not None and root(counted_thing(asked.text)) not in roots(names)


def _is_money(asked: TableQuestion, header: str, names: str, over: str) -> bool:
    """Return True if a figure's names, or the caption and unit in `over`, show that the figure is an amount of money:
    the row "Staff" of a cost table does not count people. However, even a table with a currency may have a column that
    counts things.
    """
    counted = counted_thing(asked.text)
    if is_unit(counted) or _COUNTS.search(names) or _EXCEPT.search(over):
        return False
    is_of_costs = _CURRENCY.search(names) or _COSTS.search(f"{names} | {over}")
    return bool(is_of_costs or (_CURRENCY.search(over) and root(counted) not in roots(header)))


def _counts_only_each(asked: TableQuestion, names: str) -> bool:
    """Return True if a cell's names contain the counted thing only as the unit of a rate: "euros per pupil"."""
    counted = root(counted_thing(asked.text))
    return counted in roots(names) - roots(_EACH.sub(" ", names))


def gives_no_value(value: str) -> bool:
    """Return True if the text in a cell only says that there is no value: "not measured", "on request"."""
    return patterns("figures_not")["value"].fullmatch(value.strip(" .*()")) is not None


def is_aside(asked: TableQuestion, header: str, value: str) -> bool:
    """Return True if a value is under a header that the question does not name, and is not of the requested kind: it is
    a date although the question does not ask when, is not a date although the question asks when, or has no capital
    letter although the question asks where.
    """
    names = named(timeless(header)).every
    if not names or not asked.optional.isdisjoint(names):
        return False
    match required_type(asked.text):
        case AnswerType.DATE:
            return not spans(AnswerType.DATE, value, "") and _CLOCK.search(value) is None
        case AnswerType.PLACE:
            return _is_date(value) or not any(map(str.isupper, value))
        case _:
            return _is_date(value)


def _is_date(value: str) -> bool:
    """Return True if the text is only a date; four digits alone may be a figure."""
    return not value.isdigit() and value in spans(AnswerType.DATE, value, "")


def has_amount(wanted: AskedAmount, cell: QuotedCell) -> bool:
    """Return True if a cell contains a figure that has the requested relation to an amount and the same unit."""
    factor = magnitude_of(cell.measure) if cell.measure not in ("", "%") else 1
    own = "%" if cell.measure == "%" else next(iter(currencies(" ".join((*cell.column, cell.unit, cell.caption)))), "")
    found = amounts(prepared(normalise(cell.value).text))
    readings = [(figure, unit or own) for one in found for figure, unit in one.readings]
    return wanted.holds(readings, factor)


def currencies(text: str) -> tuple[str, ...]:
    """Return the currencies that the text names: "Price (EUR)", "in thousand euros"."""
    return tuple(unit_of(name) for name in _currency().findall(text))


@cache
def _currency() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){currency_pattern()}(?![^\W_])|(?i:\b(?:euros?|dollars?|pounds?|francs?)\b)")


@lru_cache(maxsize=4_096)
def timeless(header: str) -> str:
    """Return a header with dates, periods and durations removed."""
    return without_times(header)


@cache
def _prices() -> frozenset[str]:
    return roots("price cost fee charge rate")
