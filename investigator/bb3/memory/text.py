"""Writes and parses memories as BB3's model families expect them, with the prefix of their owner (seed: bb3_agents),
and splits them into words as ParlAI does.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files

from investigator.bb3.exchange import FAILED
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Speaker
from investigator.errors import DataError
from investigator.language.terms import porter_stem

OPENING = "Opening"
NO_PERSONA = "__NO__PERSONA__BEAM__MIN__LEN__20__"
_OF_MODULES = [
    token
    for row in reversed(list(TABLE.values()))
    for token in (row.control_token, row.small_yes, row.small_no, *(row.wrapping or ()))
]
_CONTROL_TOKENS = (NO_PERSONA, "__SILENCE__", "__you__", "__them__", *filter(None, _OF_MODULES))
_NOTHING = frozenset({"", "no persona", "no memory", "no memories", "none", "nothing", "n/a", "na", FAILED.casefold()})
_TELL_NOTHING = frozenset(
    {
        *string.punctuation,
        *("a", "an", "the", "am", "are", "is", "as"),
        *("realli", "actual", "up", "so", "just", "now", "how", "then", "also", "very", "too", "most", "but"),
    }
)
"""The words that ParlAI ignores in a memory; adverbs are listed as stems."""
_CONTRACTIONS = {
    **{"won't": "will not", "can't": "can not", "n't": " not"},
    **{"'ll": " will", "'ve": " have", "'re": " are", "'m": " am", "'d": " would"},
}
_PIECE = re.compile(r"\w+?(?=n't)|n't|'\w+|\w+(?:[-.,]\w+)*|[^\w\s]")


class MemoryForm(StrEnum):
    """The written form of memories, named as in the original: for the 3B model, or for the 30B and 175B models."""

    TOKENS = "R2C2"
    PREFIXES = "OPT"


_NAMES = {Speaker.SELF: "Person 2", Speaker.PARTNER: "Person 1"}
_PREFIXES = {
    MemoryForm.TOKENS: {Speaker.SELF: "your persona", Speaker.PARTNER: "partner's persona"},
    MemoryForm.PREFIXES: {Speaker.SELF: "Person 2's Persona", Speaker.PARTNER: "Person 1's Persona"},
}
_OWNERS = {prefix.lower(): speaker for prefixes in _PREFIXES.values() for speaker, prefix in prefixes.items()}
_PREFIXED = re.compile(rf"\s*({'|'.join(map(re.escape, _OWNERS))})\s*:", re.IGNORECASE)


def prefix_of(speaker: Speaker, form: MemoryForm) -> str:
    """Return the prefix of one speaker's memories, without the colon."""
    return _PREFIXES[form][speaker]


def with_prefix(memory: str, speaker: Speaker, form: MemoryForm) -> str:
    """Return a memory with its prefix. For 30B and 175B, every mention of the other person (`Person 1` or `Person 2`)
    is replaced by the owner's name, and text that begins with this name gets no prefix. For 3B, a prefix is added
    unless the text has one.
    """
    prefix = prefix_of(speaker, form)
    if form is MemoryForm.TOKENS:
        return memory if memory.startswith(f"{prefix}:") else f"{prefix}: {memory}"
    other = Speaker.PARTNER if speaker is Speaker.SELF else Speaker.SELF
    memory = memory.replace(_NAMES[other], _NAMES[speaker])
    return memory if memory.startswith(_NAMES[speaker]) else f"{prefix}: {memory}"


def with_some_prefix(memory: str, speaker: Speaker, form: MemoryForm) -> str:
    """Return a memory with a prefix; one that already has a prefix of the large models is unchanged."""
    own, others = _PREFIXES[MemoryForm.PREFIXES].values()
    return memory if memory.startswith((f"{own}:", others)) else with_prefix(memory, speaker, form)


def split_prefix(memory: str) -> tuple[str, str]:
    """Return the prefix of a memory, without the colon, and the text after it. `Person 1 likes tea` without a colon is
    split after the name. Raises DataError if the memory has no prefix.
    """
    head, colon, rest = memory.partition(":")
    if colon and memory.startswith((*_PREFIXES[MemoryForm.TOKENS].values(), *_NAMES.values())):
        return head.strip(), rest.strip()
    for name in _NAMES.values():
        if memory.startswith(name):
            return name, memory[len(name) + 1 :].strip()
    problem = f"the memory {memory[:60]!r} does not name its owner"
    raise DataError(problem, hint=f"Write it as `{prefix_of(Speaker.PARTNER, MemoryForm.PREFIXES)}: ...`.")


def owner_of(memory: str) -> tuple[Speaker | None, str]:
    """Return the owner of a memory, None if it has no prefix, and its text without the prefix."""
    match = _PREFIXED.match(memory)
    return (_OWNERS[match[1].lower()], memory[match.end() :].strip()) if match else (None, memory.strip())


def says_nothing(memory: str) -> bool:
    """Return True if a module's output means that there is nothing to remember; case and punctuation are ignored."""
    bare = memory.strip().strip(".!?\"'“”*() ").casefold()
    return bare in _NOTHING or bare.rstrip(".") in _NOTHING or NO_PERSONA.casefold() in bare or FAILED in memory


def is_new_memory(memory: str, prefix: str, kept: Iterable[str]) -> bool:
    """Return True if a memory is not empty and adds something to the existing memories with the same prefix. The prefix
    of `memory` itself is optional. Raises DataError if an existing memory has none.
    """
    if says_nothing(memory):
        return False
    of_owner = [text for owner, text in map(split_prefix, kept) if owner == prefix]
    return says_something_new(owner_of(memory)[1], of_owner)


def without_control_tokens(text: str) -> str:
    """Return the text without control tokens of the 3B model, even ones that form when others are removed."""
    if "__" not in text:
        return text
    bare = text
    for token in _CONTROL_TOKENS:
        bare = bare.replace(f" {token}", "").replace(f"{token} ", "").replace(token, "")
    return bare if bare == text else without_control_tokens(bare)


def clean_text(text: str) -> str:
    """Return the text without the control tokens of the 3B model, and without the names before turns."""
    text = without_control_tokens(text)
    for name in ("You: ", "Partner: "):
        text = text.replace(f" {name}", " ").replace(name, "")
    return text


def is_opening(text: str, memories: object) -> bool:
    """Return True if a message asks the bot to open the conversation, using the memories in the message."""
    return text == OPENING and isinstance(memories, list | Mapping) and len(memories) > 0


def memory_words(
    text: str, *, expanded: bool = True, stemmed: bool = True, without_stop_words: bool = False
) -> list[str]:
    """Return the words of a memory or a turn in lower case, in order. With `expanded`, contractions are expanded
    (`don't` to `do not`); with `stemmed`, all words except common ones are reduced to their Porter stems. Words that
    tell nothing are dropped; `without_stop_words` also drops the other common words of English.
    """
    text = text.lower().replace("’", "'")
    for short, full in _CONTRACTIONS.items() if expanded else ():
        text = re.sub(rf"{short}\b", full, text)
    pieces = _PIECE.findall(text)
    if stemmed:
        pieces = [piece if piece in _stop_words() else porter_stem(piece) for piece in pieces]
    dropped = _TELL_NOTHING | _stop_words() if without_stop_words else _TELL_NOTHING
    return [piece for piece in pieces if piece not in dropped]


def says_something_new(text: str, kept: Iterable[str], threshold: int = 1) -> bool:
    """Return True if the text lacks at least `threshold` words of each existing memory, as in ParlAI."""
    new = set(memory_words(text))
    return all(len(set(memory_words(memory)) - new) >= threshold for memory in kept)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(files("investigator.bb3").joinpath("english_stop_words.txt").read_text(encoding="utf-8").split())
