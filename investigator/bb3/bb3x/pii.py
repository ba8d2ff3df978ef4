"""Defines kinds of personal information, and the spans of text that contain it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Pii(StrEnum):
    """A kind of personal information. For some kinds only the digits are randomised; the other kinds are replaced as a
    whole.
    """

    NAME = "name"
    EMAIL = "email"
    LINK = "link"
    HANDLE = "handle"
    PHONE = "phone"
    ADDRESS = "address"
    HOUSE_NUMBER = "house number"
    POSTAL_CODE = "postal code"
    CARD = "card"
    SOCIAL_SECURITY = "social security"
    IBAN = "iban"
    ACCOUNT = "account"
    IP_ADDRESS = "ip address"
    LONG_NUMBER = "long number"

    @property
    def is_numeric(self) -> bool:
        """Return True if only the digits are randomised, and the characters between them are kept."""
        return self not in (Pii.NAME, Pii.EMAIL, Pii.LINK, Pii.HANDLE, Pii.PHONE, Pii.ADDRESS)


@dataclass(frozen=True, order=True)
class PiiSpan:
    """A span `[start, end)` of text that contains personal information."""

    start: int
    end: int
    kind: Pii


def without_overlaps(findings: Iterable[PiiSpan]) -> list[PiiSpan]:
    """Return findings in text order, without those that overlap an earlier item of `findings`."""
    kept: list[PiiSpan] = []
    taken: set[int] = set()
    for finding in findings:
        places = range(finding.start, finding.end)
        if finding.start < finding.end and taken.isdisjoint(places):
            taken.update(places)
            kept.append(finding)
    return sorted(kept)
