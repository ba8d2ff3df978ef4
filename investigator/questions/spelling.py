"""Corrects words that the documents spell differently, and mistyped words that indicate the kind of a question. The
errors may be missing, doubled, wrong or transposed letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from investigator.language.terms import folded, is_english, porter_stem, stop_words
from investigator.questions.cues import cues
from investigator.questions.kinds import cue, kind_of
from investigator.questions.related import is_verb, related

_FEWEST_LETTERS = 5
# minimum number of letters in a corrected word; maximum number of words in a request
_FEWEST_OF_REQUEST, _LONGEST_REQUEST = 4, 8
_WORD = re.compile(r"(?<![^\W_])[A-Za-z]+(?![^\W_])")
_COMPARED = (re.compile(r"(?:er|est)$"), re.compile(r"(?:r|st)$"))
_LONGEST_COMPOUND = 24  # maximum number of letters
_TWO_SLIPS_FROM = 9  # minimum number of letters in a word with two errors
MOST_SLIPS = 2


def is_known(word: str) -> bool:
    """Return True if a word has synonyms or, for a comparative, its base form does, so that "longer" is not corrected
    to "logger".
    """
    return any(map(related, {word, *(end.sub("", word) for end in _COMPARED)}))


def compounds(word: str) -> list[tuple[str, str]]:
    """Return the pairs of words that a folded word may be written as, such as "wi" and "fi"; "notable" is not "not
    able". A word that is too long to be a compound has none.
    """
    if len(word) > _LONGEST_COMPOUND:
        return []
    pairs = ((word[:at], word[at:]) for at in range(1, len(word)))
    return [pair for pair in pairs if stop_words().isdisjoint(pair)]


def respelled(word: str, known: Iterable[tuple[str, int]]) -> str | None:
    """Return the known word that a folded word probably misspells, or None. `known` contains words with
    their frequencies; of equally similar words, the most frequent one is returned.
    """
    if len(word) < _FEWEST_LETTERS or not word.isalpha():
        return None
    most = MOST_SLIPS if len(word) >= _TWO_SLIPS_FROM else 1
    near = [
        (slips, -count, other)
        for other, count in known
        if abs(len(other) - len(word)) <= most and other.isalpha() and (slips := distance(word, other)) <= most
    ]
    return min(near)[2] if near else None


def as_written(own: str, text: str) -> str:
    """Return the folded form in which the text uses the word with the given stem: "committee" for "committe"; "" if it
    does not contain the word.
    """
    forms = re.finditer(rf"\b{re.escape(own[:-1])}[a-z]*", text, re.IGNORECASE)
    return next((word for form in forms if porter_stem(word := folded(form.group())) == own), "")


def with_respelled_request(question: str) -> str:
    """Return an English question after correcting mistyped words in its request: "wich documnets mention". The subject
    and known words stay unchanged, and so does the whole question if the corrections do not change its kind.
    """
    known = cues("kinds")["request"].split()
    found = [*_WORD.finditer(question)][:_LONGEST_REQUEST]
    corrected = question
    for word in found if is_english(question) else ():
        plain = word.group().lower()
        is_typed = word.group()[1:].islower() and (word.group().islower() or not question[: word.start()].strip())
        other = _of_request(plain, known) if is_typed else None
        if other:
            shown = other.capitalize() if word.group()[0].isupper() else other
            at = word.start() + len(corrected) - len(question)
            corrected = f"{corrected[:at]}{shown}{corrected[at + len(plain) :]}"
        if cue("mentions").fullmatch(other or plain):  # the words after it are search terms
            break
    return question if kind_of(corrected) is kind_of(question) else corrected


def _of_request(word: str, known: list[str]) -> str | None:
    if len(word) < _FEWEST_OF_REQUEST or word in known or word in stop_words() or is_verb(word) or related(word):
        return None
    most = MOST_SLIPS if len(word) >= _TWO_SLIPS_FROM else 1
    near = [(slips, place, other) for place, other in enumerate(known) if (slips := distance(word, other)) <= most]
    return min(near)[2] if near else None


def distance(one: str, other: str) -> int:
    """Return the number of letters inserted, deleted, replaced or transposed."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
