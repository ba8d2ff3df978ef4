"""Stems of English words by Porter's algorithm (1980), which BB3's memories and ROUGE are defined by."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=50_000)
def porter_stem(word: str) -> str:
    """The stem of a word in lower case; words of one or two letters stay as they are. Safe to use from several threads.

    It is no word itself: `happi` of `happy`.
    """
    if len(word) < 3:
        return word
    from snowballstemmer import stemmer

    return str(stemmer("porter").stemWord(word))  # a new one each time: it keeps the word that it works on
