"""Finds words that may replace each other: synonyms and more general verbs, from WordNet 3.0
(`data/related_words.txt`).

Each line of the file is a set of synonyms; verbs after `<` are more general, and `paid = pay` gives an irregular form.
`data/related_words.LICENSE` is WordNet's licence; `data/more_related_words.txt` has the same format and contains our
own additions. `data/phrasal_verbs.txt` maps two-word verbs to single verbs. For English text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain

from investigator.language.terms import folded, porter_stem, words

_FILES = ("more_related_words.txt", "related_words.txt")  # our own come first
_MOST = 24
_BRITISH, _LONG = re.compile(r"is(e|es|ed|ing|ation|ations)$"), 7
_PARTED, _BETWEEN = 2, 3  # number of words in a separable verb, and maximum number of words between them
LIGHT_VERBS = frozenset(
    ("be", "become", "come", "do", "get", "give", "go", "happen", "have", "hold", "make", "occur", "put", "take")
)
"""Verbs that name no action by themselves."""
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class _Lexicon:
    """Irregular forms with their base forms, and words with their synonyms and a flag that marks verbs.

    The entries are keyed by the first two letters, which a word shares with its stem.
    """

    irregular: Mapping[str, str]
    entries: Mapping[str, Sequence[tuple[str, Sequence[str], bool]]]


_OWN_STEMS = ("responsib", "presenter")
"""Beginnings of words whose Porter stem is that of another word: "response", or "present"."""


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """Return the root that all forms of a folded English word share: `paid`, `pays` and `pay`."""
    return _stem(_lexicon().irregular.get(word, word))


def is_irregular(word: str) -> bool:
    """Return True if a folded word is an irregular form: `paid`."""
    return _stem(_lexicon().irregular.get(word, word)) != _stem(word)


def is_verb(word: str) -> bool:
    """Return True if a folded word is a form of a verb with synonyms: `held`, but not `children`."""
    return bool(_group(root(word), True))


def _stem(word: str) -> str:
    """Return the stem of a word in American spelling: `randomised` and `randomized` have the same stem."""
    own = next((beginning for beginning in _OWN_STEMS if word.startswith(beginning)), None)
    return own or porter_stem(_BRITISH.sub(r"iz\1", word) if len(word) >= _LONG else word)


@lru_cache(maxsize=8192)  # the same sentences and labels are compared with each part of a question
def roots(text: str) -> frozenset[str]:
    """Return the roots of the words in the text."""
    return frozenset(map(root, words(text)))


def stands(word: str, present: frozenset[str]) -> bool:
    """Return True if the roots in `present` include the root of a word or of one of its synonyms."""
    return root(word) in present or not present.isdisjoint(related_roots(word))


def related(word: str, *, as_verb: bool = False) -> tuple[str, ...]:
    """Return the synonyms of a folded word; with `as_verb`, only those of the verb. An unknown word has none."""
    own = root(word)
    return tuple(other for other in _group(own, as_verb) if _stem(other) != own)[:_MOST]


@cache
def related_roots(word: str) -> frozenset[str]:
    """Return the roots of the synonyms of a folded word, without its own root and without verbs that name no action,
    because "owns" says more than "has".
    """
    return frozenset(_stem(other) for other in related(word) if other not in LIGHT_VERBS)


@lru_cache(maxsize=4096)
def phrases(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the phrasal verbs in the text, as written, with their single-word equivalents."""
    tokens = [(match.group(), root(folded(match.group()))) for match in _TOKEN.finditer(text)]
    found = []
    for verb, others in _phrasal_verbs():
        for at in range(len(tokens) - len(verb) + 1):
            if tuple(own for _, own in tokens[at : at + len(verb)]) == verb:
                found.append((" ".join(word for word, _ in tokens[at : at + len(verb)]), others))
            elif len(verb) == _PARTED and tokens[at][1] == verb[0]:  # as in "put her forward"
                apart = [word for word, own in tokens[at + 2 : at + 2 + _BETWEEN] if own == verb[1]]
                found += [(f"{tokens[at][0]} {apart[0]}", others)] if apart and verb[1] in _particles() else []
    return tuple(found)


def forms_like(word: str, other: str, *, as_verb: bool = True) -> tuple[str, ...]:
    """Return the forms of another word that may replace a folded word, most likely first. For a past form, past
    forms come first; for a plural, plurals come first. The base form and its irregular forms follow. Only words used
    `as_verb` have irregular past forms: "children" is not a past form.
    """
    irregular = _forms().get(other, ())
    first: tuple[str, ...] = ()
    if not as_verb and word in _lexicon().irregular:
        first = (f"{other}s",)
    elif word.endswith("ed") or word in _lexicon().irregular:
        first = irregular or (f"{other}d" if other.endswith("e") else f"{other}ed",)
    elif word.endswith("s") and not word.endswith("ss"):
        first = (*irregular, f"{other}s")
    return tuple(dict.fromkeys((*first, other, *irregular)))


@cache
def _forms() -> Mapping[str, tuple[str, ...]]:
    """Return the irregular forms of each word."""
    forms: dict[str, tuple[str, ...]] = {}
    for form, base in _lexicon().irregular.items():
        forms[base] = (*forms.get(base, ()), form)
    return forms


@cache
def _particles() -> frozenset[str]:
    return roots("forward over off out up down back away")


@cache
def _phrasal_verbs() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    text = files("investigator.questions").joinpath("data", "phrasal_verbs.txt").read_text(encoding="utf-8")
    lines = (line.partition(": ") for line in text.splitlines())
    return tuple((tuple(root(word) for word in verb.split()), tuple(others.split())) for verb, _, others in lines)


@lru_cache(maxsize=10_000)
def _group(own: str, as_verb: bool) -> tuple[str, ...]:
    """Return words that may replace words with the given root. Only words with the same beginning are stemmed."""
    entries = _lexicon().entries.get(own[:2], ())
    fitting = ((word, others) for word, others, is_verb in entries if is_verb or not as_verb)
    alike = (others for word, others in fitting if word.startswith(own[:-2]) and _stem(word) == own)
    return tuple(dict.fromkeys(chain.from_iterable(alike)))


@cache
def _lexicon() -> _Lexicon:
    data = files("investigator.questions").joinpath("data")
    text = "\n".join(data.joinpath(name).read_text(encoding="utf-8") for name in _FILES)
    entries: dict[str, list[tuple[str, Sequence[str], bool]]] = {}
    irregular: dict[str, str] = {}
    narrower = Counter(word for line in text.splitlines() for word in line.partition(" < ")[2].split())
    for line in text.splitlines():
        form, is_form, base = line.partition(" = ")
        if is_form:
            irregular.setdefault(form, base)
            continue
        synonyms, _, general = line.partition(" < ")
        same, above = synonyms.split(), general.split()
        for word in same:
            entries.setdefault(word[:2], []).append((word, (*same, *above), bool(above)))
        for word in above:  # a broad verb is not replaced by narrower ones: "supply" by "bed"
            entries.setdefault(word[:2], []).append((word, same if narrower[word] <= _MOST else (), True))
    return _Lexicon(irregular, entries)
