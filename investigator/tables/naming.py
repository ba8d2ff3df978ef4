"""Analyses names of rows, columns and captions: their words, and which of these a question must contain. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from investigator.language.prefixes import bare
from investigator.language.terms import stop_words, words
from investigator.questions.cues import empty_words
from investigator.questions.related import root
from investigator.tables.asked import AskedTerm, TableQuestion
from investigator.tables.cells import TableView

_PARTING = frozenset({"no", "non", "not", "without", "off", "on", "with", "pre", "post", "before", "after", "other"})
_NARROWING = frozenset({"excluding", "adjusted"})
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
"""Matches the optional words in a label, such as "loss" in "Net income (loss)", which a question need not contain."""
_SHORT_WORD = 3
_MOST_OF = 0.5
_MARK = re.compile(r"\(\d{1,2}\)|[*†‡]")


@dataclass(frozen=True)
class Named:
    """The name of a row, column or table. `every` contains the roots of all its words, `telling` the roots of the words
    that a question must contain, and `spelled` the words as written, without a final "s".
    """

    every: frozenset[str]
    telling: frozenset[str]
    spelled: frozenset[str] = frozenset()
    neighbours: frozenset[tuple[str, str]] = frozenset()
    words: int = 0
    initials: str = ""
    short: tuple[tuple[str, frozenset[str]], ...] = ()
    """Maps the roots of abbreviations in the name to the roots of the words that they stand for."""
    narrowing: frozenset[str] = frozenset()
    """The roots of words that narrow the meaning of the name: "cost" in "cost of sales", "excluding"."""

    def not_said(self, said: frozenset[str]) -> frozenset[str]:
        """Return the distinctive words that are missing from a question whose words have the roots `said`."""
        known = {own for own, long in self.short if _MOST_OF * len(long) <= len(long & said)}
        return self.telling - said - known


@lru_cache(maxsize=16_384)
def named(text: str) -> Named:
    """Return the name in a label, header or caption; footnote marks are ignored, and words in brackets are optional."""
    plain = _MARK.sub(" ", text)
    every = words(plain)
    outside = words(_BRACKETS.sub(" ", plain))
    telling = frozenset(root(bare(word)) for word in outside if _is_distinctive(word))
    telling |= {root(unit) for number, unit in pairwise(outside) if number.isdigit() and unit.isalpha()}  # 500 g
    long = sum(len(word) > 1 and not word.isdigit() for word in every)
    spelled = frozenset(map(_singular, every))
    return Named(
        every=frozenset(root(bare(word)) for word in every),
        telling=telling - empty_words(),
        spelled=spelled,
        neighbours=frozenset(pairwise(root(bare(word)) for word in outside)),
        words=long,
        initials="".join(word[0] for word in every),
        narrowing=frozenset(root(one) for one, next_ in pairwise((*outside, "")) if _narrows(one, next_)),
    )


def explained(name: Named, known: Mapping[str, frozenset[str]]) -> Named:
    """Return a name with its abbreviations written out; `known` maps abbreviations to the roots of their words."""
    short = tuple((own, known[own]) for own in sorted(name.every & known.keys()))
    return replace(name, every=name.every.union(*(long for _, long in short)), short=short) if short else name


def _narrows(word: str, after: str) -> bool:
    return word in _NARROWING or (after == "of" and _is_distinctive(word) and root(word) not in empty_words())


def _is_distinctive(word: str) -> bool:
    """Return True if a word is distinctive: "off" and "no" are, but "the" is not."""
    if word in _PARTING:
        return True
    return word not in stop_words() and not word.isdigit() and len(word) > 1


def naming_alone(view: TableView, asked: TableQuestion) -> frozenset[str]:
    """Return the roots of words in the question that are the whole name of a row or column. A match in the caption must
    not count for these words: "Products and Services gross margin" does not turn the total row into a row about
    Services.
    """
    labels = {view.row_labels(row)[-1] for row in view.rows if view.row_labels(row) and row >= view.table.header_rows}
    headers = {header for cell in view.values() for header in view.column_headers(cell)[-1:]}
    telling = {own.telling for own in map(named, labels | headers) if len(own.telling) == 1}
    return frozenset().union(*(term.roots for term in asked.terms if any(own <= term.roots for own in telling)))


def without(named: Named, taken: frozenset[str]) -> Named:
    """Return a name without the given roots."""
    return replace(named, every=named.every - taken)


def is_called(named: Named, asked: TableQuestion) -> bool:
    """Return True if a question contains all distinctive words of a name."""
    is_named = bool(named.telling) and any(says(named, term) for term in asked.terms)
    return is_named and not share_not_said(named, asked.said, asked)


def spells(spelled: frozenset[str], term: AskedTerm) -> bool:
    """Return True if a term is a proper name or an acronym, or occurs in the same form: "operations" does not match
    "operating".
    """
    return term.is_name or bool(term.initials) or _singular(term.text) in spelled


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > _SHORT_WORD else word


def says(named: Named, term: AskedTerm) -> bool:
    """Return True if a name contains a requested word, or its initials."""
    if not named.every.isdisjoint(term.roots):
        return True
    return bool(term.initials) and term.initials in named.initials


def share_not_said(named: Named, said: frozenset[str], asked: TableQuestion) -> float:
    """Return the fraction of a name's distinctive words that are not in the question."""
    if not named.telling:
        return 0.0
    if any(term.initials and term.initials in named.initials for term in asked.terms):
        return 0.0
    return len(named.not_said(said)) / len(named.telling)
