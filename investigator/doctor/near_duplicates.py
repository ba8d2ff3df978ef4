"""Finds groups of documents with nearly the same words: copies, versions, drafts.

Each text is represented by the smallest hashes of its shingles, whose overlap estimates the share of shingles in common
(Broder 1997, "On the resemblance and containment of documents"). Pairs are compared only if they share a hash.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from pydantic import Field

from investigator.language.terms import words
from investigator.records import Record

ALIKE = 0.8
"""Share of common shingles from which documents are near-duplicates."""
_SHINGLE, _HASHES = 5, 128
_MOST_CHARACTERS = 200_000
_MOST_HOLDERS = 50  # of the texts that share a hash with more others, only neighbours are compared
_FEWEST_WORDS = 20

Sketch = np.ndarray[Any, np.dtype[np.uint64]]


class NearDuplicates(Record):
    """Documents that are each nearly the same as another; `alike` is the lowest similarity (0..1, estimated) that joins
    them.
    """

    documents: tuple[str, ...]
    alike: float = Field(ge=0, le=1)


def near_duplicates(texts: Iterable[tuple[str, str]]) -> tuple[NearDuplicates, ...]:
    """Return the groups among documents, given as ids and texts; very short texts are left out."""
    same: dict[bytes, list[str]] = {}
    for name, text in texts:
        if (sketch := _sketch(text)) is not None:
            same.setdefault(sketch.tobytes(), []).append(name)
    sketches = [np.frombuffer(key, dtype=np.uint64) for key in same]
    holders: dict[int, list[int]] = {}
    for number, sketch in enumerate(sketches):
        for value in sketch.tolist():
            holders.setdefault(value, []).append(number)
    pairs = {
        pair
        for held in holders.values()
        for pair in (combinations(held, 2) if len(held) <= _MOST_HOLDERS else pairwise(held))
    }
    groups = {number: ({number}, [1.0]) for number in range(len(sketches))}
    for first, second in sorted(pairs):
        alike = _similarity(sketches[first], sketches[second])
        if alike >= ALIKE and groups[first] is not groups[second]:
            (members, lowest), (others, other_lowest) = groups[first], groups[second]
            joined = members | others, [min(*lowest, *other_lowest, alike)]
            groups |= dict.fromkeys(joined[0], joined)
    names = list(same.values())
    found = {id(group): group for group in groups.values()}.values()
    every = (
        NearDuplicates(documents=tuple(sorted(name for n in members for name in names[n])), alike=round(lowest[0], 2))
        for members, lowest in found
    )
    return tuple(sorted((group for group in every if len(group.documents) > 1), key=lambda group: group.documents))


def _sketch(text: str) -> Sketch | None:
    codes = np.array([zlib.crc32(word.encode()) for word in words(text[:_MOST_CHARACTERS])], dtype=np.uint64)
    if len(codes) < _FEWEST_WORDS:
        return None
    hashes = np.zeros(len(codes) - _SHINGLE + 1, dtype=np.uint64)
    for place in range(_SHINGLE):
        hashes = hashes * np.uint64(0x100000001B3) + codes[place : place + len(hashes)]
    hashes = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.unique(hashes ^ (hashes >> np.uint64(32)))[:_HASHES]


def _similarity(first: Sketch, second: Sketch) -> float:
    smallest = np.union1d(first, second)[:_HASHES]
    return float(np.mean(np.isin(smallest, first) & np.isin(smallest, second)))
