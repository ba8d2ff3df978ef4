"""Recognises documents that are versions of one text."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from investigator.language.terms import words

_SHINGLE = 4  # number of words in a shingle
_SKETCH = 256  # number of hashes kept per text; the estimated share of common shingles has a standard error of 3 %
_SAME = 0.5
"""Minimum fraction of common shingles for two texts to count as versions of each other. If every tenth word of a page
is changed, the two versions still share half of their four-word shingles; reports of one firm for two quarters share
less.
"""
_FEWEST = 12  # minimum number of shingles; a shorter text cannot be judged
_LONGEST = 400_000  # maximum number of characters


def version_groups(texts: Mapping[str, str]) -> tuple[frozenset[str], ...]:
    """Group documents that are versions of one text; return the ids in each group of two or more.

    `texts` maps ids to texts. Two documents belong together if their four-word shingles resemble each other (Broder
    1997: the resemblance is estimated from the smallest hashes), directly or through a third document.
    """
    sketches = {name: _sketch(text) for name, text in texts.items()}
    groups: list[set[str]] = []
    for name, sketch in sketches.items():
        near = [group for group in groups if any(_resemble(sketch, sketches[other]) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append({name}.union(*near))
    return tuple(frozenset(group) for group in groups if len(group) > 1)


@lru_cache(maxsize=64)  # the same documents are compared again for each statement
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
