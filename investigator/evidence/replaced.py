"""Finds documents that another document says it replaces, such as the previous year's price list. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from investigator.evidence.titles import EDITIONS, are_of_a_series, title_line
from investigator.language.normalise import normalise, one_line
from investigator.language.sentences import statement_spans
from investigator.language.terms import words
from investigator.questions.cues import cue_words, patterns
from investigator.questions.related import roots
from investigator.records import Document

_REPLACES = re.compile("replaces?|supersedes?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def replaced_documents(documents: Collection[Document]) -> Mapping[str, str]:
    """Map the ids of documents that another document says it replaces as a whole to the ids of their replacements.

    The statement must give the kind of document and the number, day or year of the replaced one, and the two titles may
    differ only in names and numbers.
    """
    found: dict[str, str] = {}
    for new in documents:
        title = title_line(new.text)
        series = [old for old in documents if old is not new and are_of_a_series(title, title_line(old.text))]
        told = _replaced(new.text) if series else ()
        found |= {old.id: new.id for old in series if _replaces(new, old, told)}
    return found


def _replaces(new: Document, old: Document, told: Sequence[str]) -> bool:
    """Return True if a document says that it replaces the other document; `told` contains everything that it claims to
    replace.
    """
    known, own = (frozenset(_NUMBER.findall(_title(one))) for one in (old, new))
    kinds = cue_words("titles", "kinds") | EDITIONS | frozenset(words(_title(old)))
    return any(
        (named := frozenset(_NUMBER.findall(what)))
        and named <= known
        and not named <= own
        and roots(what) & _roots(kinds)
        for what in told
    )


@lru_cache(maxsize=64)  # the result is the same for every question
def _replaced(text: str) -> tuple[str, ...]:
    """Return what a document says it replaces, in the words of each sentence that says so."""
    spans = statement_spans(text) if _REPLACES.search(text) else ()
    said = (normalise(one_line(text[start:end])).text for start, end in spans if _REPLACES.search(text, start, end))
    found = map(patterns("changes")["replaces_document"].search, said)
    return tuple(one["what"] for one in found if one)


def _roots(kinds: Collection[str]) -> frozenset[str]:
    return roots(" ".join(word for word in kinds if not word.isdigit()))


def _title(document: Document) -> str:
    """Return a document's first line, followed by its names."""
    return f"{document.text.strip().partition(chr(10))[0]} {document.names}"
