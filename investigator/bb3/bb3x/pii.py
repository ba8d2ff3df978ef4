"""Finds personal information in text: by a few rules and, if `presidio-analyzer` is installed, names by a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from investigator.errors import SettingsError
from investigator.language.lists import data_file


class Pii(StrEnum):
    """A kind of personal information. Of some kinds only the digits are randomised; others are replaced as a whole."""

    NAME = "name"
    EMAIL = "email"
    LINK = "link"
    HANDLE = "handle"
    PHONE = "phone"
    ADDRESS_NUMBER = "address number"
    CARD = "card"
    IBAN = "iban"
    NUMBER = "number"

    @property
    def is_numeric(self) -> bool:
        """Return True if only the digits are randomised, and the characters between them are kept."""
        return self in (Pii.ADDRESS_NUMBER, Pii.CARD, Pii.IBAN, Pii.NUMBER)


@dataclass(frozen=True, order=True)
class PiiSpan:
    """A span `[start, end)` of text that contains personal information."""

    start: int
    end: int
    kind: Pii


_ORDINARY = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d?([./-])\d\d?\1\d{4}|\d{4}-\d{4}|\d+[.,]\d+|\d{1,3}(?:[.,]\d{3})+|97[89]-[\d-]{13}"
)
"""Matches a date, a range of years, a decimal number, thousands, and an ISBN."""


@cache
def _patterns() -> Mapping[Pii, Sequence[re.Pattern[str]]]:
    kinds = data_file("pii_patterns", "investigator.bb3")
    return {Pii(kind): tuple(map(re.compile, row["patterns"])) for kind, row in kinds.items()}


def spans_by_rules(text: str) -> Iterator[PiiSpan]:
    """Yield mail addresses, logins and queries in links, handles, telephone, card, account and other long numbers, and
    the numbers in addresses, in any language, the most certain kind first. Names are not found.
    """
    for kind, patterns in _patterns().items():
        for match in (match for pattern in patterns for match in pattern.finditer(text)):
            group = match.lastindex or 0
            if _is_of_kind(match[group], kind):
                yield PiiSpan(*match.span(group), kind)


def _is_of_kind(text: str, kind: Pii) -> bool:
    match kind:
        case Pii.CARD:
            return _passes_luhn(text)
        case Pii.IBAN:
            return _is_iban(text)
        case Pii.PHONE | Pii.NUMBER:
            return _ORDINARY.fullmatch(text) is None
        case _:
            return True


def _passes_luhn(text: str) -> bool:
    """Return True if the last digit is the check digit of the others (ISO/IEC 7812-1)."""
    digits = [int(char) for char in reversed(text) if char.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """Return True if the check digits of an IBAN are correct (ISO 13616)."""
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


_ENTITIES = {
    "PERSON": Pii.NAME,
    "PHONE_NUMBER": Pii.PHONE,
    "CREDIT_CARD": Pii.CARD,
    "IBAN_CODE": Pii.IBAN,
    **dict.fromkeys(("IP_ADDRESS", "MEDICAL_LICENSE", "UK_NHS", "US_DRIVER_LICENSE", "US_ITIN", "US_SSN"), Pii.NUMBER),
}
_LEAST_SCORE = 0.35
_LABEL = "en"
"""The language that Presidio's recognizers are asked for; the model may be of another one."""
_INSTALL = (
    "pip install 'document-investigator[share]', and a spaCy model, e.g. python -m spacy download en_core_web_md; "
    "or release without looking for names: export --keep-names"
)


class NameFinder:
    """Finds names and other personal information with presidio-analyzer and a spaCy model, given by its name or folder.
    Nothing is downloaded. Raises SettingsError if presidio-analyzer or the model is not installed.
    """

    def __init__(self, model: str) -> None:
        try:
            import spacy.util
            from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
            from presidio_analyzer.nlp_engine import SpacyNlpEngine
        except ImportError as error:
            problem = "names cannot be found without the package presidio-analyzer"
            raise SettingsError(problem, hint=_INSTALL) from error
        if not (spacy.util.is_package(model) or Path(model).is_dir()):
            raise SettingsError(f"names cannot be found: the spaCy model {model!r} is not installed", hint=_INSTALL)
        engine = SpacyNlpEngine(models=[{"lang_code": _LABEL, "model_name": model}])
        registry = RecognizerRegistry(supported_languages=[_LABEL])
        registry.load_predefined_recognizers([_LABEL])
        for name in ("EmailRecognizer", "UrlRecognizer"):  # they fetch a list of domains from the network
            registry.remove_recognizer(name)
        self._analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[_LABEL])

    def __call__(self, text: str) -> Iterator[PiiSpan]:
        """Yield what Presidio finds, the most certain first."""
        results = self._analyzer.analyze(text, language=_LABEL, entities=[*_ENTITIES], score_threshold=_LEAST_SCORE)
        for each in sorted(results, key=lambda each: -each.score):
            yield PiiSpan(each.start, each.end, _ENTITIES[each.entity_type])


def without_overlaps(spans: Iterable[PiiSpan]) -> list[PiiSpan]:
    """Return spans in text order, without those that overlap an earlier item of `spans`."""
    kept: list[PiiSpan] = []
    taken: set[int] = set()
    for span in spans:
        places = range(span.start, span.end)
        if taken.isdisjoint(places):
            taken.update(places)
            kept.append(span)
    return sorted(kept)
