"""A sentence in a document and its context, against which constraints are matched. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from investigator.questions.related import roots
from investigator.records import Imprint

_NO_IMPRINT = Imprint()


@dataclass(frozen=True)
class Surroundings:
    """A sentence and its context.

    `near` is the surrounding text, including the heading or table header above it, and `before` is the part of `near`
    that precedes the sentence. `about` describes the document: its title, its name and the beginning of its first page.
    `names` contains the document's title, file name and first line, and `imprint` contains what the first pages state
    about the document. `day` is the day over the text, as in a log; "" if there is none.
    """

    sentence: str
    near: str = ""
    about: str = ""
    before: str = ""
    names: str = ""
    imprint: Imprint = _NO_IMPRINT
    day: str = ""

    @cached_property
    def sentence_roots(self) -> frozenset[str]:
        """Return the roots of the words in the sentence."""
        return roots(self.sentence)

    @cached_property
    def passage_roots(self) -> frozenset[str]:
        """Return the roots of the words in the sentence and the surrounding text."""
        return self.sentence_roots | roots(self.near)

    @cached_property
    def roots(self) -> frozenset[str]:
        """Return the roots of the words in the sentence, the surrounding text and the document's self-description."""
        return self.passage_roots | roots(self.about)
