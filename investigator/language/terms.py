"""Words as search sees them: folded, without stop words, and split where a script writes no spaces."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u1780-\u17ff\u0e80-\u0eff\u1000-\u109f"
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,}+)-\n([^\W\d_]{2,})")
_PART = re.compile(r"[^\W_]+", re.UNICODE)
_KIND_ASKED = re.compile(
    r"\b(how (long|many|much|old|far|tall|big|large|high|often|well|soon)|wie (lange|viele?|oft|alt|hoch|groß))\b",
    re.IGNORECASE,
)


_ENGLISH = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "by", "did", "do", "does", "for", "from", "had", "has", "have", "how"),
        *("in", "is", "it", "of", "on", "or", "that", "the", "to", "was", "were", "what", "when", "where", "which"),
        *("who", "whom", "whose", "why", "will", "with"),
    }
)


@cache
def stop_words() -> frozenset[str]:
    """Folded words of English, German, Spanish and French that carry no meaning of their own."""
    listed = files("investigator.language").joinpath("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(folded(word) for word in listed.split())


def folded(text: str) -> str:
    """The text in compatibility form, case-folded and without accents: what two spellings of a word share."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(ch for ch in decomposed if not unicodedata.combining(ch))


def spaced(text: str) -> str:
    """The text with what a full-text index that splits at white space would not find.

    Runs of unspaced scripts (CJK, Thai, Khmer, Lao, Burmese) are split into overlapping pairs; a word that is broken by
    a hyphen at a line end is also given whole.
    """
    mended = _BROKEN_WORD.sub(r"\1-\n\2 \1\2", text)
    return _UNSPACED_RUN.sub(lambda run: f" {_pairs(run.group())} ", mended)


def words(text: str) -> list[str]:
    """The folded words of a text in their order, stop words included; unspaced scripts give pairs."""
    return _PART.findall(folded(spaced(text)))


def is_english(question: str) -> bool:
    """Whether a question has one of the words that hardly any English one lacks, and few of other languages have."""
    return not _ENGLISH.isdisjoint(_PART.findall(question.casefold()))


def question_body(question: str) -> str:
    """The question without the words that only say what kind of thing is asked for, such as "how long"."""
    return _KIND_ASKED.sub(" ", question)


def content_words(text: str) -> list[str]:
    """The folded words that carry meaning, in their order and once; all words where only stop words are left."""
    every = list(dict.fromkeys(words(question_body(text)))) or list(dict.fromkeys(words(text)))
    return [word for word in every if word not in stop_words()] or every


def stem(word: str) -> str:
    """A light stem for comparing folded words: plural and common English and German endings are cut.

    It only has to make `filed`, `files` and `filing` meet; it is never shown.
    """
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "en", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _pairs(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else run
