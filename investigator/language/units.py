"""Recognises units, currencies and magnitudes by their names and synonyms (`data/units.toml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from investigator.language.lists import texts_by_section

_END = r"(?![^\W_])"


@cache
def currency_pattern() -> str:
    """Return the pattern for a currency before a number; like the other patterns, use it without re.IGNORECASE."""
    return f"(?:{'|'.join(_listed('currencies').values())})"


@cache
def magnitude_pattern() -> str:
    """Return the pattern for a word or sign that multiplies the number before it."""
    return rf"(?:(?i:{'|'.join(_listed('magnitudes').values())}){_END}\.?|[{''.join(_listed('cjk_magnitudes'))}])"


@cache
def unit_pattern() -> str:
    """Return the pattern for a unit after a number."""
    return (
        rf"(?:[%\u2030]|\u00b0[CF]?{_END}|{currency_pattern()}{_END}|(?i:{'|'.join(_listed('words').values())}){_END}"
        rf"|(?:{_listed('symbols')['all']}|[{''.join(_listed('letters'))}]){_END})"
    )


def unit_of(name: str) -> str:
    """Return the canonical name of a unit or currency, which is "%" for both "percent" and "%"."""
    for unit, names in (*_compiled("currencies", 0).items(), *_compiled("words", re.IGNORECASE).items()):
        if names.fullmatch(name):
            return unit
    return _listed("same").get(name, name)


def magnitude_of(name: str) -> int:
    """Return the multiplier of a magnitude, such as a million for "mn"."""
    if (power := _listed("cjk_magnitudes").get(name)) is not None:
        return int(10 ** int(power))
    magnitudes = _compiled("magnitudes", re.IGNORECASE).items()
    return next(int(10 ** int(power)) for power, names in magnitudes if names.fullmatch(name.rstrip(".")))


def letter_magnitude_of(name: str) -> int | None:
    """Return the factor of a letter right after a number (3.5M), or None if it is not a magnitude."""
    power = _listed("letters").get(name)
    return None if power is None else int(10 ** int(power))


@cache
def _compiled(section: str, flags: int) -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(names, flags) for name, names in _listed(section).items()}


def _listed(section: str) -> Mapping[str, str]:
    return texts_by_section("units")[section]
