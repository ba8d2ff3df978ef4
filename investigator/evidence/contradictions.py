"""Finds the slot of a claim that the quotes contradict, by comparing the claim with the most similar sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from investigator.evidence.statements import StatedKind, StatedSentence, StatedWord
from investigator.language.claim_words import direction, joints, slot_words
from investigator.records import Slot

_ALIKE = 0.6
"""Minimum fraction of a claim's words that a sentence about the same thing contains."""
_REACH = 5
"""Number of words that a qualifying word affects, including the word itself."""
_QUALIFYING = (
    (Slot.POLARITY, "polarity"),
    (Slot.MODALITY, "modality"),
    (Slot.CONDITION, "condition"),
    (Slot.SCOPE, "scope"),
)


@dataclass(frozen=True)
class _Exchange:
    """Words of a claim, and the words that replace them in a sentence; either may be empty."""

    claimed: tuple[StatedWord, ...]
    quoted: tuple[StatedWord, ...]


def contradicted_slot(claim: StatedSentence, sentence: StatedSentence) -> tuple[Slot, str] | None:
    """Return the slot of a claim that a sentence about the same thing contradicts, with the reason."""
    if not claim.content or len(claim.content & sentence.content) < _ALIKE * len(claim.content):
        return None
    exchanges = list(_exchanges(claim.words, sentence.words))
    return (
        _direction(exchanges)
        or _figure(exchanges, sentence)
        or _name(exchanges, sentence)
        or _qualified(exchanges, sentence)
        or _roles(claim, sentence)
    )


def _exchanges(claim: Sequence[StatedWord], sentence: Sequence[StatedWord]) -> Iterator[_Exchange]:
    mine = [_comparable(word) for word in claim]
    theirs = [_comparable(word) for word in sentence]
    for kind, start, end, begin, finish in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Exchange(tuple(claim[start:end]), tuple(sentence[begin:finish]))


def _comparable(word: StatedWord) -> str:
    return word.bare if word.kind is StatedKind.WORD else min(word.keys)


def _direction(exchanges: Sequence[_Exchange]) -> tuple[Slot, str] | None:
    claimed = {direction(word.text): word for one in exchanges for word in one.claimed if direction(word.text)}
    quoted = {direction(word.text): word for one in exchanges for word in one.quoted if direction(word.text)}
    if len(claimed) == len(quoted) == 1 and claimed.keys() != quoted.keys():
        mine, theirs = next(iter(claimed.values())), next(iter(quoted.values()))
        return Slot.DIRECTION, f"it says {mine.text!r}, but its quote says {theirs.text!r}"
    return None


def _figure(exchanges: Sequence[_Exchange], sentence: StatedSentence) -> tuple[Slot, str] | None:
    for one in exchanges:
        figures = [word for word in one.claimed if word.kind is not StatedKind.WORD]
        mine = [word for word in figures if word.keys.isdisjoint(sentence.known)]
        theirs = [word for word in one.quoted if word.kind is not StatedKind.WORD]
        if mine and theirs and not any(a.is_same(b) for a in mine for b in theirs):
            slot = Slot.PERIOD if StatedKind.DATE in (mine[0].kind, theirs[0].kind) else Slot.NUMBER
            if {value for value, _ in _values(mine[0])} & {value for value, _ in _values(theirs[0])}:
                slot = Slot.UNIT
            return slot, f"it says {mine[0].text}, but its quote says {theirs[0].text}"
    return None


def _values(word: StatedWord) -> Iterator[tuple[str, str]]:
    for key in word.keys:
        value, _, unit = key.partition("|")
        yield value, unit


def _name(exchanges: Sequence[_Exchange], sentence: StatedSentence) -> tuple[Slot, str] | None:
    for one in exchanges:
        mine = [word for word in one.claimed if word.is_name and word.text not in joints("titles")]
        theirs = [word for word in one.quoted if word.is_name]
        strange = [word for word in mine if word.keys.isdisjoint(sentence.known)]
        if mine and theirs and len(strange) == len(mine) and not _abbreviates(mine, theirs):
            names = " ".join(word.text.capitalize() for word in mine)
            return Slot.NAME, f"its quote does not name {names}"
    return None


def _abbreviates(mine: Sequence[StatedWord], theirs: Sequence[StatedWord]) -> bool:
    """Return True if one name may be a short form of the other."""
    first, second = "".join(word.text[0] for word in theirs), "".join(word.text[0] for word in mine)
    return first == mine[0].text or second == theirs[0].text


def _qualified(exchanges: Sequence[_Exchange], sentence: StatedSentence) -> tuple[Slot, str] | None:
    """Return the slot and the reason if the only difference is that the sentence or the claim is qualified."""
    added = [word for one in exchanges for word in one.claimed]
    lost = list(_reaching_the_rest(exchanges, sentence))
    if _of(added, slot_words("polarity")):  # both deny the same thing: "failed to pay" and "did not pay"
        lost = [word for word in lost if word.text not in slot_words("polarity")]
    for slot, name in _QUALIFYING:
        words = slot_words(name)
        mine, theirs = _of(added, words), _of(lost, words)
        others = [word for word in added if word.text not in words and not _carries_little(word)]
        if theirs and not mine and not others:
            return slot, f"it omits {theirs[0].text!r}, which its quote contains"
        if mine and not others and slot is Slot.SCOPE and not _of(sentence.words, {mine[0].text}):
            return slot, f"it adds {mine[0].text!r}, which its quote does not contain"
    reported = _of(lost, slot_words("attribution") - {"that"})
    if reported and not [word for word in added if not _carries_little(word)]:
        return Slot.MODALITY, f"its quote only attributes it to somebody ({reported[0].text!r})"
    return None


def _of(words: Iterable[StatedWord], wanted: frozenset[str] | set[str]) -> list[StatedWord]:
    return [word for word in words if word.text in wanted]


def _carries_little(word: StatedWord) -> bool:
    return word.is_function or word.text in joints("be") or word.text in slot_words("modality")


def _reaching_the_rest(exchanges: Sequence[_Exchange], sentence: StatedSentence) -> Iterator[StatedWord]:
    """Yield words that a claim must not omit, because they begin a condition or belong to a part that the claim
    uses.
    """
    conditions = slot_words("condition") | slot_words("polarity")
    left_out = {id(word) for one in exchanges for word in one.quoted}
    for part in _parts(sentence.words):
        if "(" in part[0].before:
            continue
        begins_condition = part[0].text in conditions
        for at, word in enumerate(part):
            reached = part[max(0, at - 1) : at + _REACH]
            used = any(id(other) not in left_out and not other.is_function for other in reached)
            if id(word) in left_out and (used or begins_condition):
                yield word


def _parts(words: Sequence[StatedWord]) -> Iterator[list[StatedWord]]:
    part: list[StatedWord] = []
    for word in words:
        if word.breaks and part:
            yield part
            part = []
        part.append(word)
    if part:
        yield part


def _roles(claim: StatedSentence, sentence: StatedSentence) -> tuple[Slot, str] | None:
    """Return the slot and the reason if roles are swapped, that is, if the words are the same but names or numbers are
    in a different order.
    """
    mine, theirs = _figures_and_names(claim.words), _figures_and_names(sentence.words)
    if len(mine) < 2 or not claim.content <= sentence.content:
        return None
    kept = [word for word in theirs if any(word.is_same(other) for other in mine)]
    if len(kept) != len(mine):
        return None
    same_order = all(map(StatedWord.is_same, kept, mine))
    if same_order == (_is_passive(claim.words) == _is_passive(sentence.words)):
        return None
    if not same_order and _prepositions(claim) != _prepositions(sentence):
        return None
    return Slot.ROLES, "its quote says the reverse"


def _figures_and_names(words: Sequence[StatedWord]) -> list[StatedWord]:
    """Return the numbers, dates and names, and the first word, because it may be a name."""
    return [
        word
        for place, word in enumerate(words)
        if word.kind is not StatedKind.WORD or word.is_name or (place == 0 and not word.is_function)
    ]


def _is_passive(words: Sequence[StatedWord]) -> bool:
    return any(
        first.text in joints("be") and second.text == "by" for first, second in zip(words, words[2:], strict=False)
    )


def _prepositions(statement: StatedSentence) -> list[str]:
    return [word.text for word in statement.words if word.text in joints("prepositions")]
