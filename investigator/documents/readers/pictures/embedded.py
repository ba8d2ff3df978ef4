"""Recognises the pictures inside a document that has text of its own, and names those that are not read."""

from __future__ import annotations

from collections.abc import Iterable

from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.readers.pictures.ocr import Picture, recognise
from investigator.documents.readers.pictures.picture import picture_sizes
from investigator.records import FileStatus

_LEAST_SIDES = (200, 80)  # pixels; smaller pictures are icons, lines and logos
_MOST_PICTURES = 40


def embedded_texts(pictures: Iterable[bytes], settings: ReaderSettings) -> tuple[list[str], list[ReadFailure]]:
    """Return the texts of a document's pictures, and the report of those that were not read.

    Equal pictures count once, and small ones not at all. An unread picture does not make a document incomplete: most
    are photographs and logos.
    """
    large = [data for data in dict.fromkeys(pictures) if _may_hold_text(data)]
    some = large[:_MOST_PICTURES]
    outcome = recognise(range(len(some)), lambda index: Picture(some[index]), settings)
    texts = [text for _, text in sorted(outcome.texts.items()) if any(character.isalnum() for character in text)]
    missed = len(outcome.missed) + len(large) - len(some)
    if not missed:
        return texts, []
    reason = outcome.failure.reason if outcome.failure is not None else f"only {_MOST_PICTURES} of a file are read"
    what = "1 picture" if missed == 1 else f"{missed} pictures"
    return texts, [ReadFailure(FileStatus.EMPTY, f"{what} not read: {reason}")]


def _may_hold_text(data: bytes) -> bool:
    sizes = picture_sizes(data, 1)
    return bool(sizes) and max(sizes[0]) >= _LEAST_SIDES[0] and min(sizes[0]) >= _LEAST_SIDES[1]
