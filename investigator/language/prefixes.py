"""Separates articles, conjunctions and prepositions that Hebrew and Arabic write together with the next word. Pure."""

from __future__ import annotations

from functools import lru_cache

from investigator.language.late_patterns import late

_HEBREW, _ARABIC = "\u05d0-\u05ea", "\u0621-\u064a"
_ARTICLE = late(rf"\u05d4(?=[{_HEBREW}]{{2}})|(?:\u0627\u0644|\u0644\u0644)(?=[{_ARABIC}]{{2}})")
"""Matches the articles ha- (Hebrew), al- and li-l- (Arabic)."""
_PREFIX = late(
    rf"[\u05d5\u05d1\u05db\u05dc\u05de\u05e9](?=[{_HEBREW}]{{3}})|[\u0648\u0641\u0628\u0643\u0644](?=[{_ARABIC}]{{3}})"
)
"""Matches the prefixes u-, be-, ke-, le-, mi-, she- (Hebrew), and wa-, fa-, bi-, ka-, li- (Arabic)."""
_MOST_PREFIXES = 2


def bare(word: str) -> str:
    """Return a folded word without its article; a word of any other script is returned unchanged."""
    if word.isascii():
        return word
    found = _ARTICLE.match(word)
    return word[found.end() :] if found else word


@lru_cache(maxsize=4_096)
def possible_words(word: str) -> frozenset[str]:
    """Return a folded word, and the words that remain if its article or up to two prefixes are removed. The whole word
    is always included, because its first letter may only look like a prefix.
    """
    found = {word, bare(word)}
    if word.isascii():
        return frozenset(found)
    rest = word
    for _ in range(_MOST_PREFIXES):
        prefix = _PREFIX.match(rest)
        if prefix is None:
            break
        rest = rest[prefix.end() :]
        found |= {rest, bare(rest)}
    return frozenset(found)
