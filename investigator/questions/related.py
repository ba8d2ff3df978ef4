"""Words that may stand for each other: synonyms and more general verbs, from WordNet 3.0 (`data/related_words.txt`).

Each line of the file is a set of synonyms; after `<` stand verbs that are more general, and `paid = pay` gives an
irregular form. `data/related_words.LICENSE` is that of WordNet. English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from investigator.language.terms import porter_stem, words

_MOST = 24


@dataclass(frozen=True)
class _Lexicon:
    irregular: Mapping[str, str]
    groups: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """Return what the forms of a folded English word share: `paid`, `pays` and `pay` have one root."""
    return porter_stem(_lexicon().irregular.get(word, word))


def roots(text: str) -> frozenset[str]:
    """Return the roots of the words of a text."""
    return frozenset(root(word) for word in words(text))


def related(word: str) -> tuple[str, ...]:
    """Return words that may stand for a folded word, without itself; none for one that is not known."""
    own = root(word)
    return tuple(other for other in _lexicon().groups.get(own, ()) if porter_stem(other) != own)[:_MOST]


@cache
def related_roots(word: str) -> frozenset[str]:
    """Return the roots of the words that may stand for a folded word, without its own."""
    return frozenset(porter_stem(other) for other in related(word))


@cache
def _lexicon() -> _Lexicon:
    text = files("investigator.questions").joinpath("data", "related_words.txt").read_text(encoding="utf-8")
    groups: dict[str, list[str]] = {}
    irregular: dict[str, str] = {}
    for line in text.splitlines():
        form, is_form, base = line.partition(" = ")
        if is_form:
            irregular.setdefault(form, base)
            continue
        same, _, above = line.partition(" < ")
        for word in same.split():
            groups.setdefault(porter_stem(word), []).extend((*same.split(), *above.split()))
        for general in above.split():
            groups.setdefault(porter_stem(general), []).extend(same.split())
    return _Lexicon(irregular, {word: tuple(dict.fromkeys(others)) for word, others in groups.items()})
