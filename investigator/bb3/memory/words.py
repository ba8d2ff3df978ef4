"""Splits memories into words, which are stemmed; contractions are expanded, and stop words are dropped."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from investigator.language.lists import negations
from investigator.language.terms import folded, porter_stem, spaced

TELL_NOTHING = frozenset(
    {
        *string.punctuation,
        *("a", "an", "the", "am", "are", "is", "as"),
        *("realli", "actual", "up", "so", "just", "now", "how", "then", "also", "very", "too", "most", "but"),
    }
)
"""Words that add nothing to a memory; adverbs are listed as stems. Pronouns are not included, because it matters whom a
memory is about.
"""
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")
_WHOLE = {
    **{"won't": "will not", "can't": "can not", "shan't": "shall not", "ain't": "are not", "let's": "let us"},
    **{"y'all": "you all", "'tis": "it is", "'twas": "it was", "o'clock": "of the clock", "ma'am": "madam"},
    **{"'cause": "because", "'em": "them", "'til": "until", "u": "you", "ur": "you are"},
    **{"cannot": "can not", "dunno": "do not know"},
    **{"gonna": "going to", "wanna": "want to", "gotta": "got to", "gimme": "give me", "lemme": "let me"},
    **{"im": "i am", "ive": "i have", "youre": "you are", "youve": "you have", "theyre": "they are"},
    **{"theyve": "they have", "weve": "we have", "thats": "that is", "whats": "what is"},
    **{"dont": "do not", "doesnt": "does not", "didnt": "did not", "cant": "can not", "wont": "will not"},
    **{"isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not", "aint": "are not"},
    **{"havent": "have not", "hasnt": "has not", "hadnt": "had not", "wouldnt": "would not"},
    **{"couldnt": "could not", "shouldnt": "should not"},
}
_ENDINGS = {"n't": " not", "'ll": " will", "'ve": " have", "'re": " are", "'m": " am", "'d": " would"}
_WITH_IS = (
    *("he", "she", "it", "that", "this", "there", "here", "what", "who", "where", "when", "why", "how"),
    *("everything", "everyone", "everybody", "nothing", "something", "someone", "somebody", "nobody"),
)
_WHOLE_WORD = re.compile(
    rf"(?<![\w'.])(?:{'|'.join(re.escape(word) for word in sorted(_WHOLE, key=len, reverse=True))})(?![\w'])(?!\.\w)"
)
_ENDING = re.compile(r"(?<=[a-z])(?:n't|'ll|'ve|'re|'m|'d)(?![a-z])")
_IS = re.compile(rf"\b({'|'.join(_WITH_IS)})'s(?![a-z])")
_WORD = re.compile(r"\S++\s++")
_CLOSING = "\"')]”’"
_CUT_OFF = r"""[;@#$%&*?!()\[\]{}<>"“”«»„…‘–—]"""
_CLITIC = r"(?:n't|'(?:s|m|d|ll|re|ve))(?!\w)"
_ENDS_WORD = rf"""{_CUT_OFF}|[,:](?!\d)|\.\.|--|{_CLITIC}|'(?!\w)|\.[\])}}>"'»”’]*\s*$"""
_PIECE = re.compile(rf"\.{{2,}}|-{{2,}}|{_CLITIC}|(?<!\S)'(?=\w)|(?:(?!{_ENDS_WORD})\S)+|\S")
_ABBREVIATED = re.compile(r"(?:\w|\w+\.\w+(?:\.\w+)*|mrs?|ms|drs?|prof|st|jr|sr|vs|etc|inc|ltd|corp|approx)\.")


def memory_words(
    text: str, *, expanded: bool = True, stemmed: bool = True, without_stop_words: bool = False
) -> list[str]:
    """Return the words of a memory or a turn in lower case, in order. With `expanded`, contractions are expanded
    (`don't` to `do not`); with `stemmed`, all words except common ones are reduced to their Porter stems. Articles,
    forms of `to be`, some adverbs and single punctuation marks are dropped; `without_stop_words` also drops pronouns
    and the other common words of English. Scripts without spaces are split into pairs of characters.
    """
    dropped = TELL_NOTHING | english_stop_words() if without_stop_words else TELL_NOTHING
    return [word for word in every_word(text, expanded=expanded, stemmed=stemmed) if word not in dropped]


def every_word(text: str, *, expanded: bool = True, stemmed: bool = True) -> list[str]:
    """Return all words of the text, split as by `memory_words`, with punctuation marks as words."""
    text = text.strip().lower()
    if not text:
        return []
    if expanded:
        text = _written_out(text)
    words = [word for sentence in _sentences(spaced(text)) for word in _pieces(sentence)]
    return [word if word in english_stop_words() else porter_stem(word) for word in words] if stemmed else words


@cache
def english_stop_words() -> frozenset[str]:
    """Return the English stop words, including pronouns and negations."""
    return frozenset(files("investigator.bb3").joinpath("english_stop_words.txt").read_text(encoding="utf-8").split())


@cache
def negation_stems(*languages: str) -> frozenset[str]:
    """Return the negating words of the given languages, split as by `every_word`; English also has `n't` and
    `hardly`.
    """
    also = ("n't", "hardly") if "en" in languages else ()
    return frozenset(porter_stem(folded(word)) for word in (*negations(*languages), *also))


def _written_out(text: str) -> str:
    text = _WHOLE_WORD.sub(lambda found: _WHOLE[found.group()], text.translate(_APOSTROPHES))
    text = _IS.sub(r"\1 is", text)
    return _ENDING.sub(lambda found: _ENDINGS[found.group()], text)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of the text in lower case; the full stop of an abbreviation does not end a sentence."""
    start = 0
    for found in _WORD.finditer(text):
        word = found.group().rstrip().rstrip(_CLOSING)
        if word.endswith((".", "!", "?", "…")) and not _ABBREVIATED.fullmatch(word):
            yield text[start : found.end()]
            start = found.end()
    yield text[start:]


def _pieces(sentence: str) -> list[str]:
    """Return the words of a sentence as in the Penn Treebank: `do n't`, `tom 's`; only the sentence's final full stop
    is split off.
    """
    return _PIECE.findall(sentence)
