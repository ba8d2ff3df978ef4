"""Whether quotes have to do with a question at all: a low bar, for a reply that the search does not understand."""

from __future__ import annotations

from investigator.engines.base import Embedder
from investigator.language.relevance import stems
from investigator.language.terms import content_words, words
from investigator.records import BearingReply, BearingVariables

_NEAR = 0.15
"""The least cosine with a question. Of evidence in the language of its question that shares no word with it, 15 of 89
sentences lie below (clapnq, multihop, trials, development); of instructions to models, 95 of 100."""


def bearing(variables: BearingVariables, embedder: Embedder) -> BearingReply:
    """True where a quote shares a content word with a question, is near to one, or is of a script that none has."""
    wanted = stems(word for text in (*variables.questions, *variables.terms) for word in content_words(text))
    latin = any(_is_latin(question) for question in variables.questions)
    if any(wanted & stems(words(quote)) or _is_latin(quote) is not latin for quote in variables.quotes):
        return BearingReply(bears=True)
    if not variables.quotes:
        return BearingReply(bears=False)
    vectors = embedder.embed([*variables.questions, *variables.quotes])
    count = len(variables.questions)
    return BearingReply(bears=float((vectors[count:] @ vectors[:count].T).max()) >= _NEAR)


def _is_latin(text: str) -> bool:
    """Whether most letters are Latin ones; a text without letters counts as Latin."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(character < "\u0250" for character in letters) >= len(letters)
