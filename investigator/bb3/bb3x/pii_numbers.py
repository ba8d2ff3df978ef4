"""Finds personal numbers: telephone, card, account and social security numbers, and any other long number. If a pattern
alone is ambiguous, checksums (Luhn for cards, ISO 7064 for IBANs) and the words before a number decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.bb3.bb3x.pii import Pii, PiiSpan

_BEFORE = r"(?<![\w.,+/-])"
_AFTER = r"(?![\w/-]|[.,]\d)"

_KEPT = re.compile(r"\bISBN(?:-1[03])?:?\s*[\dX][\dX -]{8,16}[\dX]", re.IGNORECASE)
_AMOUNT_AFTER = re.compile(
    r"\s*(?:[$€£¥%]|(?:dollars?|euros?|pounds?|yen|people|persons|inhabitants|years?|metres?|meters?|kilomet\w+|km|miles|"
    r"kg|tons?|tonnes?|bytes|[kmgt]b|einwohner|menschen|jahre|habitants|ans|times)\b)",
    re.IGNORECASE,
)
_AMOUNT_BEFORE = re.compile(r"(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF))\s*$")

_CARD = re.compile(rf"{_BEFORE}\d(?:[ -]?\d){{12,18}}{_AFTER}")
_GROUPED = re.compile(rf"{_BEFORE}\d{{4}}(?:[ -]\d{{4}}){{3}}{_AFTER}")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_SOCIAL_SECURITY = re.compile(
    rf"{_BEFORE}(?:\d{{3}}-\d{{2}}-\d{{4}}|[12] ?\d{{2}} ?\d{{2}} ?\d{{2}} ?\d{{3}} ?\d{{3}} \d{{2}}){_AFTER}"
    r"|\b[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b"
    rf"|\b(?i:ssn|social security|sozialversicherung\w*|sécurité sociale)(?:\W{{1,3}}[^\W\d]+){{0,3}}\W{{0,4}}"
    rf"(?P<said>\d[\d -]{{5,18}}\d){_AFTER}"
)
_NUMBER_WORDS = (
    r"(?:\W{0,3}\b(?:numbers?|no|nr|num|code|id|is|was|ending|in|ist|lautet|meine|est|le|bancaire|numéro|and|und|et|at|the|"
    r"bank|number:)\b){0,4}[\W_]{0,4}"
)
_ACCOUNT = re.compile(
    r"\b(?i:account|acct|a/c|routing|sort code|swift|konto|kontonummer|kontonr|kto|blz|bankleitzahl|compte|cuenta|"
    r"conto|passport|reisepass|passnummer|ausweis\w*|passeport|licen[cs]e|driver'?s licen[cs]e|führerschein\w*|"
    r"permis|policy|insurance|versicherungsnummer|medical record|patient|tax id|steuer-?id\w*|steuernummer|"
    r"employee|student)"
    rf"(?i:{_NUMBER_WORDS})(?P<said>[A-Z]{{0,3}}\d[\d -]{{3,24}}\d){_AFTER}"
)
_IP_ADDRESS = re.compile(
    r"\b(?i:ip)(?:\W{1,3}[^\W\d]+){0,3}\W{1,4}(?P<said>(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4})\b"
)
_LONG = re.compile(r"(?<![\w.,])\d{9,64}(?![\w]|[.,]\d)")

_PHONES = (
    re.compile(r"(?<![\w+])(?:\+|\b00)[1-9]\d{0,2}(?:[\s./-]?\(?\d{1,11}\)?){1,6}(?!\w)"),
    re.compile(
        r"(?<![\d.,+/-])(?:1[ .-]|\+1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?![\d/-]|[.,]\d)"
    ),
    re.compile(rf"(?<![\w.,+-])\(?0\d{{1,5}}\)?(?:[ ./-]{{1,3}}\d{{2,8}}){{1,5}}{_AFTER}"),
    re.compile(rf"{_BEFORE}0[1-9]\d{{8,10}}{_AFTER}"),
)
_SAID_PHONE = re.compile(
    r"\b(?i:phones?|telephone|tel|mobile|cell|cellphone|whatsapp|signal|fax|my number|handy|handynummer|telefon|"
    r"telefonnummer|nummer|mobil|numéro|téléphone|tél|portable|teléfono|telefono|móvil|cellulare|"
    r"(?:reach|call|text|ring|phone|contact) (?:me|us|him|her|them))"
    r"(?:\W{1,3}(?i:is|on|at|number|no|nr|ist|est|unter|au|under|me|es|è|:)\b){0,3}\W{1,4}"
    rf"(?P<said>\+?\(?\d[\d ()./-]{{4,20}}\d){_AFTER}"
)


def numbers_in(text: str) -> Iterator[PiiSpan]:
    """Yield personal numbers; if two overlap, the more certain one comes first."""
    if not any(char.isdecimal() for char in text):
        return
    kept = [found.span() for found in _KEPT.finditer(text)]
    for finding in _all(text):
        if not any(start < finding.end and finding.start < end for start, end in kept):
            yield finding


def _all(text: str) -> Iterator[PiiSpan]:
    for found in _IBAN.finditer(text):
        if _is_iban(found.group()) or "iban" in text[max(0, found.start() - 12) : found.start()].lower():
            yield PiiSpan(*found.span(), Pii.IBAN)
    for found in _CARD.finditer(text):
        if _passes_luhn(found.group()):
            yield PiiSpan(*found.span(), Pii.CARD)
    yield from _said(_GROUPED, text, Pii.CARD)
    yield from _said(_SOCIAL_SECURITY, text, Pii.SOCIAL_SECURITY)
    yield from _said(_IP_ADDRESS, text, Pii.IP_ADDRESS)
    yield from _said(_ACCOUNT, text, Pii.ACCOUNT, range(5, 27))
    for pattern in _PHONES:
        yield from _said(pattern, text, Pii.PHONE, range(9, 16))
    yield from _said(_SAID_PHONE, text, Pii.PHONE, range(6, 16))
    for found in _LONG.finditer(text):
        if not (_AMOUNT_AFTER.match(text, found.end()) or _AMOUNT_BEFORE.search(text[: found.start()][-6:])):
            yield PiiSpan(*found.span(), Pii.LONG_NUMBER)


def _said(pattern: re.Pattern[str], text: str, kind: Pii, digits: range | None = None) -> Iterator[PiiSpan]:
    """Yield matches of a pattern with the given number of digits: the `said` group if present, otherwise the whole
    match.
    """
    for found in pattern.finditer(text):
        span = found.span("said") if found.groupdict().get("said") else found.span()
        if digits is None or len(_digits(text[slice(*span)])) in digits:
            yield PiiSpan(*span, kind)


def _digits(text: str) -> list[int]:
    return [int(char) for char in text if char.isdecimal()]


def _passes_luhn(text: str) -> bool:
    """Return True if the last digit is the check digit of the others (ISO/IEC 7812-1)."""
    digits = _digits(text)[::-1]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """Return True if the check digits of an IBAN are correct (ISO 13616)."""
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1
