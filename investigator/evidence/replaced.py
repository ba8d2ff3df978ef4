"""Finds the documents that another one says it replaces, such as the price list of the year before. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from investigator.evidence.titles import EDITIONS, are_of_a_series, title_line
from investigator.language.normalise import normalise, one_line
from investigator.language.sentences import statement_spans
from investigator.language.terms import words
from investigator.questions.cues import cue_words, patterns
from investigator.questions.related import roots
from investigator.records import Document

_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def replaced_documents(documents: Collection[Document]) -> Mapping[str, str]:
    """Return the documents that another one says it replaces as a whole, each with that other one.

    The statement gives the kind of document and the number, day or year of the one that it replaces. The titles of
    both differ only in names and numbers.
    """
    return {old.id: new.id for new in documents for old in documents if old is not new and _replaces(new, old)}


def _replaces(new: Document, old: Document) -> bool:
    if not are_of_a_series(title_line(new.text), title_line(old.text)):
        return False
    known, own = (frozenset(_NUMBER.findall(_title(one))) for one in (old, new))
    kinds = cue_words("titles", "kinds") | EDITIONS | frozenset(words(_title(old)))
    return any(
        (named := frozenset(_NUMBER.findall(what)))
        and named <= known
        and not named <= own
        and roots(what) & _roots(kinds)
        for what in _replaced(new)
    )


def _replaced(document: Document) -> Iterator[str]:
    """Yield what each sentence of a document says that it replaces."""
    for start, end in statement_spans(document.text):
        text = normalise(one_line(document.text[start:end])).text
        if found := patterns("changes")["replaces_document"].search(text):
            yield found["what"]


def _roots(kinds: Collection[str]) -> frozenset[str]:
    return roots(" ".join(word for word in kinds if not word.isdigit()))


def _title(document: Document) -> str:
    """Return the first line of a document with its names."""
    return f"{document.text.strip().partition(chr(10))[0]} {document.names}"
