"""Recognises questions by their question mark, in any script; there are no rules of a natural language."""

from __future__ import annotations

from investigator.language.sentences import sentence_spans

_MARKS = frozenset("?？؟﹖︖⁇⁈⁉‽⸮❓❔՞፧꘏\u037e")


def sentences(text: str) -> list[str]:
    """Return the sentences in a turn, verbatim."""
    whole = text.encode("utf-8", "replace").decode("utf-8")  # the segmenter rejects lone surrogates
    return [text[start:end] for start, end in sentence_spans(whole)]


def asks(text: str) -> bool:
    """Return True if the text contains a question mark."""
    return not _MARKS.isdisjoint(text)


def only_asks(text: str) -> bool:
    """Return True if every sentence of the text has a question mark."""
    return asks(text) and all(map(asks, sentences(text)))
