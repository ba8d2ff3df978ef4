"""Names of units, currencies and magnitudes, and which of them mean the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SYMBOLS = (
    "mg|g|kg|µg|μg|t|mm|cm|m|km|ml|mL|l|L|W|kW|MW|GW|TW|Wh|kWh|MWh|GWh|TWh|V|kV|mV|Hz|kHz|MHz|GHz|Pa|kPa|hPa|MPa|bar"
    "|J|kJ|MJ|GJ|s|ms|min|h|K|ft|lb|lbs|oz|mi|mph|km/h|m/s|ha|kB|KB|MB|GB|TB|PB|Mbit|Gbit|dB|bps|pp|ppm|ppb"
    "|mW|MWp|kWp|GWp|kVA|MVA|mA|kA|Ah|mAh|kN|Nm|eV|keV|MeV|GeV|rpm|psi|cal|kcal|mol|mmol|Sv|mSv|µSv|Bq|kBq|nm|µm|µl|dl|hl"
    "|m2|km2|m3|cm2|cm3"
)
_WORDS = {
    "%": "percent|per cent|pct|prozent|pour cent|por ciento",
    "pp": "percentage points?|prozentpunkte?n?",
    "bps": "basis points?|basispunkte?n?",
    "$": "dollars?|us dollars?|usd|u\\.s\\. dollars?",
    "€": "euros?|eur",
    "£": "gbp|pounds sterling",
    "¥": "yen|jpy",
    "chf": "chf|swiss francs?|franken",
    "cny": "yuan|rmb|cny|renminbi",
    "inr": "rupees?|inr|rs",
    "s": "seconds?|secs?|sekunden?",
    "min": "minutes?|mins?|minuten",
    "h": "hours?|hrs?|stunden?",
    "day": "days?|tage?n?|jours?|días?",
    "week": "weeks?|wochen?|semaines?|semanas?",
    "month": "months?|monate?n?|mois|meses",
    "year": "years?|jahre?n?|ans?|années?|años?",
    "mm": "millimet(?:re|er)s?",
    "cm": "centimet(?:re|er)s?",
    "m": "met(?:re|er)s?",
    "km": "kilomet(?:re|er)s?",
    "mi": "miles?",
    "ft": "feet|foot",
    "inch": "inch|inches",
    "mg": "milligram(?:me|m)?s?",
    "µg": "microgram(?:me|m)?s?|mcg",
    "g": "gram(?:me|m)?s?",
    "kg": "kilogram(?:me|m)?s?|kilos?",
    "t": "tonnes?|tons?|tonnen",
    "oz": "ounces?",
    "l": "lit(?:re|er)s?",
    "ml": "millilit(?:re|er)s?",
    "W": "watts?",
    "kW": "kilowatts?",
    "MW": "megawatts?",
    "GW": "gigawatts?",
    "kWh": "kilowatt[- ]hours?",
    "MWh": "megawatt[- ]hours?",
    "GWh": "gigawatt[- ]hours?",
    "kB": "kilobytes?",
    "MB": "megabytes?",
    "GB": "gigabytes?",
    "TB": "terabytes?",
    "ha": "hectares?|hektar",
    "acre": "acres?",
    "barrel": "barrels?|bbl",
    "share": "shares?|aktien",
}
_SAME = {"μg": "µg", "mL": "ml", "L": "l", "lbs": "lb", "KB": "kB"}
_MAGNITUDES = {
    10**2: "hundred|hundert",
    10**3: "thousand|tausend|thsd",
    10**6: "millions?|mn|mln|mio|millionen|millones",
    10**9: "billions?|bn|bln|milliarden?|mrd|milliards?",
    10**12: "trillions?|tn|trn|billionen",
}
_CJK_MAGNITUDES = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}
_LETTERS = {"k": 10**3, "K": 10**3, "m": 10**6, "M": 10**6, "b": 10**9, "B": 10**9, "T": 10**12}
_CURRENCIES = {
    "$": "US\\$|U\\.S\\. ?\\$|USD|\\$",
    "€": "EUR|€",
    "£": "GBP|£",
    "¥": "JPY|¥",
    "chf": "CHF",
    "cny": "CNY|RMB|CN¥",
    "inr": "INR|₹|Rs\\.?",
    "a$": "A\\$|AUD|AU\\$",
    "c$": "C\\$|CAD|CA\\$",
    "hk$": "HK\\$|HKD",
    "₩": "₩|KRW",
    "₽": "₽|RUB",
}


def _either(names: Iterable[str]) -> str:
    return "|".join(names)


_END = r"(?![^\W_])"
CURRENCY = f"(?:{_either(_CURRENCIES.values())})"
MAGNITUDE = rf"(?:(?i:{_either(_MAGNITUDES.values())}){_END}\.?|[{''.join(_CJK_MAGNITUDES)}])"
UNIT = (
    rf"(?:[%\u2030]|\u00b0[CF]?{_END}|{CURRENCY}{_END}|(?i:{_either(_WORDS.values())}){_END}"
    rf"|(?:{_SYMBOLS}|[{''.join(_LETTERS)}]){_END})"
)
"""Patterns, to be used without re.IGNORECASE: mW and MW are two units."""

_BY_WORD = {unit: re.compile(names, re.IGNORECASE) for unit, names in _WORDS.items()}
_BY_CURRENCY = {unit: re.compile(names) for unit, names in _CURRENCIES.items()}
_BY_MAGNITUDE = {factor: re.compile(names, re.IGNORECASE) for factor, names in _MAGNITUDES.items()}


def unit_of(name: str) -> str:
    """The one name of a unit or currency: "percent" and "%" are "%"."""
    for unit, names in (*_BY_CURRENCY.items(), *_BY_WORD.items()):
        if names.fullmatch(name):
            return unit
    return _SAME.get(name, name)


def magnitude_of(name: str) -> int:
    """What a magnitude multiplies by: a million for "mn"."""
    if name in _CJK_MAGNITUDES:
        return _CJK_MAGNITUDES[name]
    return next(factor for factor, names in _BY_MAGNITUDE.items() if names.fullmatch(name.rstrip(".")))


def letter_magnitude_of(name: str) -> int | None:
    """What a letter right after a number may multiply by: 3.5M; None where it means no magnitude."""
    return _LETTERS.get(name)
