"""Recognises documents that are versions of one text."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Mapping
from itertools import islice

from investigator.language.terms import words

_SHINGLE = 4  # words
_SKETCH = 256  # hashes kept of a text: a standard error of 3 % for the share of shingles that two texts share
_SAME = 0.5
"""The least share of shingles that two texts share if one is a version of the other. A page in which each tenth word
was changed still shares half of its shingles of four words; reports of one firm for two quarters share less."""
_FEWEST = 12  # shingles: of a shorter text nothing can be said
_LONGEST = 400_000  # characters


def version_groups(texts: Mapping[str, str]) -> tuple[frozenset[str], ...]:
    """Return the groups of two and more documents that are versions of one text, by their ids.

    `texts` are the documents' texts by id. Two belong together if their shingles of four words resemble each other
    (Broder 1997: the resemblance is estimated from the smallest hashes), directly or through a third.
    """
    sketches = {name: _sketch(text) for name, text in texts.items()}
    groups: list[set[str]] = []
    for name, sketch in sketches.items():
        near = [group for group in groups if any(_resemble(sketch, sketches[other]) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append({name}.union(*near))
    return tuple(frozenset(group) for group in groups if len(group) > 1)


def _sketch(text: str) -> frozenset[bytes]:
    said = words(text[:_LONGEST])
    shingles = {" ".join(said[i : i + _SHINGLE]) for i in range(len(said) - _SHINGLE + 1)}
    if len(shingles) < _FEWEST:
        return frozenset()
    return frozenset(heapq.nsmallest(_SKETCH, (hashlib.blake2b(s.encode(), digest_size=8).digest() for s in shingles)))


def _resemble(first: frozenset[bytes], second: frozenset[bytes]) -> bool:
    if not first or not second:
        return False
    smallest = frozenset(islice(sorted(first | second), _SKETCH))
    return len(smallest & first & second) >= _SAME * len(smallest)
