"""Recognises the pictures inside a document that has text of its own, and names those that are not read."""

from __future__ import annotations

from collections.abc import Iterable

from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.pictures.ocr import Picture, Recognised, recognise
from investigator.documents.readers.pictures.picture import picture_sizes
from investigator.records import FileStatus

_LEAST_SIDES = (200, 80)  # pixels; smaller pictures are icons, lines and logos
MOST_PICTURES = 40
"""Number of pictures of a document that are recognised."""


def embedded_texts(pictures: Iterable[bytes], settings: ReaderSettings) -> tuple[list[str], list[ReadFailure]]:
    """Return the texts of a document's pictures, and the report of those that were not read.

    Equal pictures count once, and small ones not at all.
    """
    large = [data for data in dict.fromkeys(pictures) if _may_hold_text(data)]
    some = large[:MOST_PICTURES]
    outcome = recognise(range(len(some)), lambda index: Picture(some[index]), settings)
    texts = [text for _, text in sorted(outcome.texts.items()) if any(character.isalnum() for character in text)]
    missed = len(outcome.missed) + len(large) - len(some)
    return texts, unread_pictures(missed, outcome)


def unread_pictures(count: int, outcome: Recognised, where: str = "") -> list[ReadFailure]:
    """Return the report of pictures that were not read. They do not make a document incomplete: most are photographs
    and logos.
    """
    reason = outcome.failure.reason if outcome.failure is not None else f"only {MOST_PICTURES} of a file are read"
    what = "1 picture" if count == 1 else f"{count} pictures"
    return [ReadFailure(FileStatus.EMPTY, f"{what}{where} not read: {reason}")] if count else []


def is_large(sides: tuple[int, int]) -> bool:
    """Return True if a picture with these sides, in pixels, is large enough to hold text."""
    return max(sides) >= _LEAST_SIDES[0] and min(sides) >= _LEAST_SIDES[1]


def _may_hold_text(data: bytes) -> bool:
    try:
        return any(map(is_large, picture_sizes(data, 1)))
    except ReadFailure:  # it is too large, which its recognition reports
        return True
