"""English words that affect the meaning of a claim, and synonyms."""

from __future__ import annotations

import re
from functools import cache

from investigator.language.lists import listed_by_section, texts_by_section


@cache
def slot_words(slot: str) -> frozenset[str]:
    """Return the words that affect one aspect of a claim: polarity, modality, condition, attribution or scope."""
    return frozenset(listed_by_section("claim_words")["slots"][slot])


@cache
def reaching_words() -> frozenset[str]:
    """Return the words whose meaning may extend beyond their part of a sentence."""
    own = listed_by_section("claim_words")["reaching"]
    slots = ("polarity", "modality", "condition", "attribution")
    return frozenset().union(*own.values(), *(slot_words(slot) for slot in slots))


@cache
def denying_words() -> frozenset[str]:
    """Return the words with which a relative clause may retract or restrict its sentence."""
    own = listed_by_section("claim_words")["reaching"]
    return frozenset().union(*own.values(), slot_words("polarity"), slot_words("condition"))


@cache
def direction(word: str) -> str:
    """Return "up" or "down" for a word that indicates a direction, and "" for any other word."""
    listed = listed_by_section("claim_words")["directions"]
    return next((name for name, words in listed.items() if word in words), "")


@cache
def joints(kind: str) -> frozenset[str]:
    """Return the function words of the given kind, such as articles, relative pronouns or prepositions."""
    return frozenset(listed_by_section("claim_words")["joints"][kind])


@cache
def connectives() -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Return the words and phrases that may begin a sentence without changing its meaning."""
    listed = listed_by_section("claim_words")["connectives"]
    return frozenset(listed["words"]), frozenset(tuple(phrase.split("_")) for phrase in listed["phrases"])


@cache
def saying() -> re.Pattern[str]:
    """Return the pattern for introductory words that only attribute a statement to a document."""
    listed = listed_by_section("claim_words")["connectives"]["sayings"]
    return re.compile(rf"^\s*(?:{'|'.join(phrase.replace('_', ' ') for phrase in listed)})\s+", re.IGNORECASE)


@cache
def same_words() -> dict[tuple[str, ...], str]:
    """Map words and phrases to the name of their meaning, which synonyms share."""
    same = listed_by_section("rewordings")["same"]
    return {tuple(phrase.split("_")): f"={meaning}" for meaning, phrases in same.items() for phrase in phrases}


@cache
def longest_phrase() -> int:
    """Return the number of words in the longest phrase in `same_words`."""
    return max(len(phrase) for phrase in same_words())


def past_tense(participle: str) -> str:
    """Return the past tense of a verb from its past participle; empty if unknown."""
    known = texts_by_section("rewordings")["past"].get(participle)
    return known if known is not None else participle if participle.endswith("ed") else ""
