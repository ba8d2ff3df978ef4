"""How much of a known answer an answer says. Pure.

Texts are compared as SQuAD does (Rajpurkar et al. 2016): lower case, without punctuation and English articles. Scripts
that are written without spaces are compared character by character.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def tokens(text: str) -> list[str]:
    """What two spellings of an answer share: words in lower case, each character of an unspaced script on its own."""
    bare = "".join(char for char in unicodedata.normalize("NFKC", text).lower() if not _is_punctuation(char))
    return _UNSPACED.sub(lambda found: f" {found.group()} ", _ARTICLES.sub(" ", bare)).split()


def token_f1(text: str, answers: Sequence[str]) -> float:
    """F1 (0..1) of the tokens that a text shares with the likest of the known answers."""
    return max((_f1(tokens(text), tokens(answer)) for answer in answers), default=0.0)


def exact_match(text: str, answers: Sequence[str]) -> bool:
    """Whether a text says nothing more and nothing less than one of the known answers."""
    return any(tokens(text) == tokens(answer) for answer in answers)


def contains_answer(text: str, answers: Sequence[str]) -> bool:
    """Whether the words of one of the known answers stand side by side in the text."""
    said = f" {' '.join(tokens(text))} "
    wanted = (tokens(answer) for answer in answers)
    return any(f" {' '.join(words)} " in said for words in wanted if words)


def number_recall(text: str, numbers: Sequence[str]) -> float:
    """The share (0..1) of the known numbers that the text says; marks of thousands do not matter."""
    said = _numbers(text)
    wanted = [_numbers(number) for number in numbers]
    return sum(bool(number) and number <= said for number in wanted) / len(wanted) if wanted else 0.0


def _f1(said: Sequence[str], wanted: Sequence[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted))


def _numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in _NUMBER.findall(unicodedata.normalize("NFKC", text))}


def _is_punctuation(char: str) -> bool:
    return char in string.punctuation or unicodedata.category(char).startswith("P")
