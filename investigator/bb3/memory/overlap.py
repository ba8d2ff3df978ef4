"""Decides whether a memory says anything new.

The module deliberately deviates from ParlAI 1.7.2, whose behaviour was verified by running it. ParlAI rejects a memory
that contains all words of an existing memory. ParlAI therefore loses `I don't have money` after `I have money`, and `I
have a dog and a cat` after `I have a dog`. In this module, a memory is a repetition only if it also adds nothing, and a
negated memory never repeats one that is not negated.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from investigator.bb3.memory.words import TELL_NOTHING, english_stop_words, every_word, negation_stems

_MARK = "¬"


@dataclass(frozen=True)
class Gist:
    """The words of a memory, with negated words marked; `negated` is True if the memory contains a negation."""

    words: frozenset[str]
    negated: bool = False

    @property
    def content(self) -> frozenset[str]:
        """Return the content words."""
        return frozenset(word for word in self.words if word.removeprefix(_MARK) not in english_stop_words())

    @property
    def terms(self) -> frozenset[str]:
        """Return the search terms of a memory, without punctuation: its content words, or all words if it has none."""
        return frozenset(word.removeprefix(_MARK) for word in self.content or self.words)

    def wire(self) -> str:
        """Return the gist as one line; equal gists have equal lines."""
        return " ".join([_MARK if self.negated else "+", *sorted(self.words)])

    @classmethod
    def read(cls, line: str) -> Gist:
        """Parse a line written by `wire`."""
        mark, *words = line.split(" ")
        return cls(frozenset(words), mark == _MARK)


def gist_of(text: str) -> Gist:
    """Return the gist of a memory's text. A negation extends to the next punctuation mark or `but`."""
    words: set[str] = set()
    negated = reached = False
    for word in every_word(text):
        if word == "but" or _is_punctuation(word):
            reached = False
        elif word in negation_stems("en"):
            negated = reached = True
            words.add(word)
        elif word not in TELL_NOTHING:
            words.add(_MARK + word if reached else word)
    return Gist(frozenset(words), negated)


def repeats(new: Gist, kept: Gist, threshold: int = 1) -> bool:
    """Return True if a memory only repeats an existing one: it lacks fewer than `threshold` words of the existing one
    and adds fewer than `threshold` content words, and either both or neither are negated. A memory without words does
    not repeat any other.
    """
    if not kept.words or new.negated is not kept.negated:
        return False
    return len(kept.words - new.words) < threshold and len(new.content - kept.words) < threshold


def says_something_new(text: str, kept: Iterable[str], threshold: int = 1) -> bool:
    """Return True if a memory repeats no existing one; `threshold` is passed to `repeats`."""
    new = gist_of(text)
    return not any(repeats(new, gist_of(other), threshold) for other in kept)


def _is_punctuation(word: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in word)
