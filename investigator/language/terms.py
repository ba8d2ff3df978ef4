"""Splits texts into words, as written and in the form used for searching: folded, without stop words, and split if a
script has no spaces.

`words` and `stem` produce the index terms, to which the calibrations were fitted: their results must not change. BB3's
memories (`bb3/memory/text.py`), ParlAI's metrics (`dialogue/metrics/`) and ParlAI's dictionary
(`dialogue/dictionary.py`) have their own tokenisers, because they must reproduce the results of the original programs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from functools import cache, lru_cache

from investigator.language.late_patterns import late
from investigator.language.lists import listed_by_section, month_numbers

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u1780-\u17ff\u0e80-\u0eff\u1000-\u109f"
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,}+)-\n([^\W\d_]{2,})")
_PART = re.compile(r"[^\W_]+", re.UNICODE)
_KIND_ASKED = re.compile(
    r"\b(how (long|many|much|old|far|tall|big|large|high|often|well|soon)|wie (lange|viele?|oft|alt|hoch|groß))\b",
    re.IGNORECASE,
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u0963"
    "\u0981-\u0983\u09bc-\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0ae3\u0b01-\u0b03\u0b3c-\u0b63\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3c-\u0c63\u0c81-\u0c83\u0cbc-\u0ce3\u0d00-\u0d03\u0d3b-\u0d63\u0d81-\u0d83\u0dca-\u0df3\u0e31\u0e34-\u0e4e"
    "\u0eb1\u0eb4-\u0ece\u0f71-\u0f87\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
)
"""Vowel signs and accents, which are part of a word."""
_WORD = rf"[^\W_](?:[^\W_]|[{_MARKS}\u200c\u200d])*"
TOKEN = re.compile(rf"{_WORD}(?:[-'’.&/]{_WORD})*")
_BEYOND_ASCII, _SHORT_RUN = re.compile(r"[^\x00-\x7f]+"), 4  # maximum length of a cached run
_LATIN_ENDS = "\u0250"  # all letters before this character are Latin


class _WithoutMarks(dict[int, int | None]):
    """A table for `str.translate` that removes combining characters, and looks up each character only once."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.combining(chr(code)) else code
        return self[code]


_WITHOUT_MARKS = _WithoutMarks()


@cache
def stop_words() -> frozenset[str]:
    """Return the folded stop words of English, German, Spanish and French, except those that mean something else in
    English, such as the German "die" and "war".
    """
    return _every_stop_word() - frozenset(listed_by_section("stop_words")["not_of_english"]["words"])


@cache
def _every_stop_word() -> frozenset[str]:
    return frozenset(folded(word) for words in listed_by_section("stop_words")["search"].values() for word in words)


def folded(text: str) -> str:
    """Return the text in compatibility form, case-folded and without accents, so that different spellings become
    equal.
    """
    if text.isascii():
        return text.lower()
    return _BEYOND_ASCII.sub(_folded_run, text.lower())


def _folded_run(match: re.Match[str]) -> str:
    run = match.group()
    return _folded_sign(run) if len(run) <= _SHORT_RUN else _without_marks(run)


def _without_marks(run: str) -> str:
    return unicodedata.normalize("NFKD", run.casefold()).translate(_WITHOUT_MARKS)


@lru_cache(maxsize=10_000)
def _folded_sign(run: str) -> str:
    """Fold a short run of letters or signs; cached, because the same few runs recur often."""
    return _without_marks(run)


def spaced(text: str) -> str:
    """Return the text prepared for a full-text index that splits at whitespace.

    Runs of unspaced scripts (CJK, Thai, Khmer, Lao, Burmese) are split into overlapping pairs; a word hyphenated at a
    line end is also included whole.
    """
    if "-\n" in text:
        text = _BROKEN_WORD.sub(r"\1-\n\2 \1\2", text)
    return text if text.isascii() else _UNSPACED_RUN.sub(lambda run: f" {_pairs(run.group())} ", text)


def words(text: str) -> list[str]:
    """Return the folded words in the text in order, stop words included; unspaced scripts yield pairs of characters."""
    return _PART.findall(folded(spaced(text)))


@cache
def month_words() -> frozenset[str]:
    """Return the folded words that occur in the names of months, including short forms."""
    return frozenset(word for name in month_numbers() for word in words(name))


BRACKETS = late(r"\([^()]*\)")


def tokens(text: str) -> list[str]:
    """Return the words of the text as written; a word keeps its inner points, hyphens and apostrophes."""
    return TOKEN.findall(text)


def is_english(question: str) -> bool:
    """Return True if a question is written in English rather than in another language.

    A question is in the language that provides most of its stop words (`data/stop_words.toml` lists ten languages). In
    a tie, or without stop words, a question is English if its lower-case words have only unaccented letters.
    `data/README.md` states the measured quality.
    """
    letters = [char for char in question if char.isalpha()]
    if 2 * sum(letter < _LATIN_ENDS for letter in letters) < len(letters):
        return False
    languages = _languages_of_stop_words()
    counts = Counter(language for part in _PART.findall(folded(question)) for language in languages.get(part, ()))
    english = counts.pop("en", 0)
    most = max(counts.values(), default=0)
    if english != most:
        return english > most
    return all(word.isascii() for word in question.split() if word.islower())


@cache
def _languages_of_stop_words() -> dict[str, list[str]]:
    search, languages = listed_by_section("stop_words")["search"], defaultdict[str, list[str]](list)
    for language, words in listed_by_section("stop_words")["told_by"].items():
        for word in frozenset(_PART.findall(folded(" ".join((*search.get(language, ()), *words))))):
            languages[word].append(language)
    return dict(languages)


def question_body(question: str) -> str:
    """Return the question without words such as "how long" that only describe the kind of answer."""
    return _KIND_ASKED.sub(" ", question)


def content_words(text: str) -> list[str]:
    """Return the folded words that carry meaning, in order and without duplicates. If all words are stop words, return
    them all.
    """
    return list(_content_words(text))


@lru_cache(maxsize=64)  # every step of a run needs the words of its question
def _content_words(text: str) -> tuple[str, ...]:
    every = list(dict.fromkeys(words(question_body(text)))) or list(dict.fromkeys(words(text)))
    empty = stop_words() if is_english(text) else _every_stop_word()
    return tuple(word for word in every if word not in empty) or tuple(every)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a light stem for comparing folded words: plural and common English and German endings are removed.

    It only has to map `filed`, `files` and `filing` to one form, and is never shown.
    """
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "edly", "ed", "es", "ly", "en", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=50_000)
def porter_stem(word: str) -> str:
    """Return the stem of a lower-case English word by Porter's algorithm (1980); the stem need not be a word.

    BB3's memories and ROUGE are defined in terms of it. Words of one or two letters are unchanged. Thread-safe.
    """
    if len(word) < 3:
        return word
    from snowballstemmer import stemmer

    # each call creates a stemmer, because a stemmer stores the current word
    return str(stemmer("porter").stemWord(word))


def _pairs(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else run
