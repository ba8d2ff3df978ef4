"""Whether a reply about documents uses no words but those that it was given. Pure.

Numbers, dates and negations are proven elsewhere. What else a sentence states lies in its words: a name or a verb that
is in no quote makes another statement of it. So paraphrases are refused as well; their quotes are shown instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from investigator.language.relevance import stems
from investigator.language.sentences import sentence_spans
from investigator.language.terms import stem, stop_words, words


def is_told_in(reply: str, given: Iterable[str]) -> bool:
    """Whether each word of a reply that states something stands in one of the texts, in whatever form of it.

    Words of reporting ("according to the report") and questions need not.
    """
    known = stems(word for text in given for word in words(text)) | _reporting()
    sentences = (reply[start:end].strip() for start, end in sentence_spans(reply))
    return all(
        stem(word) in known for sentence in sentences if not sentence.endswith("?") for word in _stating(sentence)
    )


def _stating(sentence: str) -> Iterable[str]:
    bare = stop_words() - _listed("bounding_words.txt")
    return (word for word in words(sentence) if word not in bare and not any(char.isdigit() for char in word))


@cache
def _reporting() -> frozenset[str]:
    return stems(_listed("reporting_words.txt"))


@cache
def _listed(name: str) -> frozenset[str]:
    lines = files("investigator.bb3.forms").joinpath(name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in words(line))
