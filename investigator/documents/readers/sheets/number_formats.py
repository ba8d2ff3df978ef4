"""Formats the numbers of a workbook as its cells show them (ECMA-376, part 1, 18.8.31).

A date with day, month and year becomes YYYY-MM-DD, which every reader understands alike; other dates, clock times,
durations, percentages, currencies and scaled numbers follow the format. Fractions and powers of ten are written out.
"""

from __future__ import annotations

import calendar
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache

_LONGEST_NUMBER = 40
_LONGEST_FORMAT = 255
_LARGEST = Fraction(10) ** 308
_MOST_DIGITS = 15  # a double is exact to this many
_EXACT = Context(prec=400)  # holds every double
_WRITTEN_OUT = Decimal(10) ** 18
_DAY = 86_400
_EPOCH_1900, _EPOCH_1904 = date(1899, 12, 30), date(1904, 1, 1)
_FIRST_TRUE_DAY = 61  # up to day 60 the epoch of 1900 counts a 29 February that never was
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")
_SHORT = re.compile(r"-?(?:0|[1-9]\d{0,8})(?:\.\d{0,5}[1-9])?")
"""Matches most numbers that the general format shows as they are stored."""
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_RELATIONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]|\[[^\]]*\]'
    r"|(?P<half>AM/PM|A/P)|(?P<general>General)|(?P<date>[ymdhs]+|\.0+(?=[^0#]|$))"
    r"|(?P<digits>[#0?][#0?,]*(?:\.[#0?]*)?,*(?:[eE][-+]0+)?)|(?P<over>/)|(?P<text>@)|(?P<literal>.)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Token:
    """A piece of a format: its kind, the name of a group of `_TOKEN`, and its text."""

    kind: str
    text: str


def shown_number(number: str, form: str, *, is_1904: bool = False) -> str:
    """Return a stored number as its cell shows it; "" if the format hides it. The general format, a damaged one, and a
    date out of range show the number itself.
    """
    if form in ("", "General") and _SHORT.fullmatch(number):
        return number
    if len(number) > _LONGEST_NUMBER or not _NUMBER.fullmatch(number):
        return number
    value = Fraction(number)
    if abs(value) > _LARGEST:
        return number
    section, is_plain = _section(value, form[:_LONGEST_FORMAT])
    tokens = _tokens(section)
    kinds = {token.kind for token in tokens}
    if not section and form.strip():
        return ""
    if kinds & {"date", "elapsed", "half"} and not kinds & {"digits", "general"}:
        return _time(value, tokens, is_1904=is_1904) or _general(value)
    if "digits" not in kinds:
        written = "".join(_general(value) if token.kind == "general" else _words(token) for token in tokens)
        return written.strip() if tokens and "text" not in kinds else _general(value)
    sign = "-" if value < 0 and is_plain else ""
    return " ".join(f"{sign}{_numeric(abs(value), tokens)}".split())


def hides_text(form: str) -> bool:
    """Return True if a format shows no text: its fourth section is there and empty."""
    sections = _sections(form[:_LONGEST_FORMAT])
    return len(sections) > 3 and not sections[3].strip()


def _section(value: Fraction, form: str) -> tuple[str, bool]:
    """Return the section of a format that applies to a number, and whether a negative number keeps its sign in it."""
    sections = _sections(form)
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        for section, condition in zip(sections, conditions, strict=True):
            if condition is None or _RELATIONS[condition[1]](value, Fraction(condition[2])):
                return _CONDITION.sub("", section), True
        return sections[-1], True
    numeric = sections[:3]
    if value < 0 and len(numeric) > 1:
        return numeric[1], False
    if value == 0 and len(numeric) > 2:
        return numeric[2], True
    return numeric[0], True


@lru_cache(maxsize=512)
def _sections(form: str) -> tuple[str, ...]:
    """Split a format at its semicolons, except those in quotes."""
    sections = [""]
    for match in re.finditer(r'"[^"]*"|\\.|\[[^\]]*\]|;|.', form, re.DOTALL):
        if match.group() == ";":
            sections.append("")
        else:
            sections[-1] += match.group()
    return tuple(sections)


@lru_cache(maxsize=512)
def _tokens(section: str) -> tuple[_Token, ...]:
    tokens = []
    for match in _TOKEN.finditer(section):
        kind = match.lastgroup or ""
        if kind:
            tokens.append(_Token(kind, match[kind]))
        elif match.group().startswith("_"):  # a space as wide as a character
            tokens.append(_Token("literal", " "))
    has_number = any(token.kind in ("digits", "general") for token in tokens)
    return tuple(_Token("literal", token.text) if token.kind == "date" and has_number else token for token in tokens)


def _words(token: _Token) -> str:
    return token.text if token.kind in ("quoted", "escaped", "currency", "literal", "over") else ""


def _general(value: Fraction) -> str:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    number = Decimal(f"{exact:.{_MOST_DIGITS}g}")
    if number == number.to_integral_value() and abs(number) < _WRITTEN_OUT:
        return str(int(number))
    shown = f"{number:f}" if Decimal("1e-9") <= abs(number) < _WRITTEN_OUT else f"{number.normalize():E}"
    return shown.rstrip("0").rstrip(".") if "." in shown and "E" not in shown else shown


def _numeric(value: Fraction, tokens: Sequence[_Token]) -> str:
    """Return the digits of a number in the words around them; a scaled number is followed by the number itself."""
    places = [at for at, token in enumerate(tokens) if token.kind == "digits"]
    percent = sum(token.text == "%" for token in tokens)
    first = tokens[places[0]].text
    before, after = tokens[: places[0]], tokens[places[0] + 1 :]
    if len(places) > 1 and any(token.kind == "over" for token in after):
        return _general(value)
    whole, scaled = first.rstrip(","), len(first) - len(first.rstrip(","))
    amount = value * 100**percent / 1_000**scaled
    digits = _general(amount) if "e" in whole.lower() else _digits(amount, whole)
    rest = "".join(_words(token) for token in after if token.kind != "digits")
    shown = f"{''.join(map(_words, before))}{digits}{rest}"
    return f"{shown} ({_general(value)})" if scaled else shown


def _digits(value: Fraction, pattern: str) -> str:
    whole, _, decimals = pattern.partition(".")
    most, least = len(decimals), decimals.count("0")
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    separator = "," if "," in whole else ""
    figure = f"{exact.quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP, _EXACT):{separator}.{most}f}"
    if "0" not in pattern and not figure.strip("0.,"):
        return ""  # only a 0 in the format shows an insignificant digit
    while most > least and figure.endswith("0"):
        figure, most = figure[:-1], most - 1
    figure = figure.rstrip(".") if decimals else figure
    lead, point, rest = figure.partition(".")
    return f"{lead.zfill(whole.count('0')) if not separator else lead}{point}{rest}"


def _time(value: Fraction, tokens: Sequence[_Token], *, is_1904: bool) -> str:
    """Return a number of days as a date, a clock time, both, or a duration; "" if it is out of range."""
    letters = "".join(token.text.lower() for token in tokens if token.kind == "date" and token.text[0] != ".")
    seconds = round(value * _DAY)
    half = any(token.kind == "half" for token in tokens)
    if elapsed := next((token.text[0].lower() for token in tokens if token.kind == "elapsed"), ""):
        return _duration(seconds, elapsed, letters)
    is_month = "m" in letters and "h" not in letters and "s" not in letters
    if value < 0 or not ("y" in letters or "d" in letters or is_month):
        return "" if value < 0 else _clock(seconds % _DAY, letters, half=half)
    days, rest = divmod(seconds, _DAY)
    try:
        epoch = _EPOCH_1904 if is_1904 else _EPOCH_1900 + timedelta(days=1 if days < _FIRST_TRUE_DAY else 0)
        day = epoch + timedelta(days=days)
    except OverflowError:
        return ""
    words = _date(day, letters)
    return f"{words} {_clock(rest, letters, half=half)}" if "h" in letters and rest else words


def _date(day: date, letters: str) -> str:
    if "d" in letters and re.search(r"(?<!d)d{1,2}(?!d)", letters):
        return f"{day:%Y-%m-%d}"
    if "d" in letters and "m" not in letters and "y" not in letters:
        return calendar.day_name[day.weekday()]
    month = calendar.month_name[day.month] if "m" in letters else ""
    return " ".join(filter(None, (month, str(day.year) if "y" in letters else "")))


def _clock(seconds: int, letters: str, *, half: bool) -> str:
    hours, rest = divmod(seconds, 3_600)
    minutes, last = divmod(rest, 60)
    if "h" not in letters:
        return f"{minutes:02}:{last:02}"
    shown = f"{(hours % 12 or 12) if half else hours}:{minutes:02}"
    shown += f":{last:02}" if "s" in letters else ""
    return f"{shown} {'AM' if hours < 12 else 'PM'}" if half else shown


def _duration(seconds: int, first: str, letters: str) -> str:
    """Return a number of seconds as a duration that may exceed a day: "255:30"; `first` is its largest unit."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    shown = f"{sign}{seconds // {'h': 3_600, 'm': 60, 's': 1}[first]}"
    if first == "h" and "m" in letters:
        shown += f":{seconds % 3_600 // 60:02}"
    return f"{shown}:{seconds % 60:02}" if first != "s" and "s" in letters else shown
