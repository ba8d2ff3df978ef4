"""Compares the first lines of documents to determine whether they are about different things or belong to a series.
Pure.
"""

from __future__ import annotations

import re

from investigator.language.dates import dates, without_dates
from investigator.language.normalise import normalise
from investigator.language.terms import content_words, folded, stem, stop_words, tokens, words
from investigator.questions.cues import cue_words

EDITIONS = frozenset({"draft", "final", "version", "revised", "revision", "rev", "edition", "copy", "amended", "new"})
"""Words in a title that mark its document as one of several versions."""
_LONGEST = 120  # maximum number of characters
_NO_TITLE = re.compile(r"\W*(?:dear|hello|hi|from|to|date|subject|sent)\b", re.IGNORECASE)
"""The beginning of a letter or a message, which names people instead of a subject."""
_PIECE = re.compile(r"[,;:()]|\s[-–—]\s")
_ALIKE = 0.5


def title_line(text: str) -> str:
    """Return the first line of the text without its dates; "" if a letter begins there."""
    line = normalise(text.strip().split("\n", 1)[0][:_LONGEST]).text
    return "" if _NO_TITLE.match(line) else without_dates(line, dates(line))


def named_in(line: str) -> frozenset[str]:
    """Return the folded words in the names on a line."""
    named = (token for token in tokens(line) if any(char.isupper() for char in token))
    return frozenset(part for token in named for part in words(token) if not part.isdigit())


def subject_of(line: str) -> frozenset[str]:
    """Return the folded words in the names in a title, without words for the kind of document, such as "Commercial
    Lease".
    """
    kinds = cue_words("titles", "kinds")
    kept: list[str] = []
    for piece in _PIECE.split(line):
        run: list[str] = []
        for token in tokens(piece):
            word = folded(token)
            if word in stop_words():
                kept += run
                run = []
            elif word in kinds or word.removesuffix("s") in kinds:
                run = []
            else:
                run.append(token)
        kept += run
    return named_in(" ".join(kept)) - EDITIONS


def are_apart(first: str, second: str, said: frozenset[str], said_by_second: frozenset[str]) -> bool:
    """Return True if each title names things that the other document does not mention.

    `said` and `said_by_second` are the folded words of the two documents.
    """
    one, other = subject_of(first), subject_of(second)
    return bool(one) and bool(other) and one.isdisjoint(said_by_second) and other.isdisjoint(said)


def are_of_a_series(first: str, second: str) -> bool:
    """Return True if two titles differ only in names and numbers, like those of two invoices or of the minutes of two
    meetings.
    """
    if not first or not second or not EDITIONS.isdisjoint(words(f"{first} {second}")):
        return False
    one, other = (frozenset(map(stem, content_words(re.sub(r"\d", " ", line)))) for line in (first, second))
    return len(one & other) >= max(1.0, _ALIKE * len(one | other))
