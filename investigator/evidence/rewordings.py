"""Rewords claims by rules that keep their meaning, for passive and active voice, possessives, moved adjuncts and
"it".
"""

from __future__ import annotations

from collections.abc import Iterator

from investigator.evidence.alignment import is_subject, says
from investigator.evidence.statements import StatedSentence, StatedWord, Words
from investigator.language.claim_words import joints, past_tense
from investigator.language.relevance import stems
from investigator.language.terms import content_words

_LONGEST_NAME = 6
"""Maximum number of words in the name of an agent, owner or subject."""


def reworded(claim: Words, sentence: StatedSentence) -> Iterator[Words]:
    """Yield rewordings of a claim that bring it closer to the words of a sentence."""
    said = {word.text for word in sentence.words}
    if "by" in {word.text for word in claim}:
        yield from _active(claim)
    if "by" in said:
        yield from _passive(claim, sentence.words)
    if "of" in said:
        yield from _of_its_owner(claim)
    if "'s" in said:
        yield from _with_its_owner(claim)
    yield from _moved(claim)


def says_of_it(sentence: Words, claim: Words, given: str) -> bool:
    """Return True if a claim about "it" says the same as a sentence about its subject.

    If there is a question, it must mention the subject; otherwise, a reader would take "it" for something else.
    """
    if len(claim) < 3 or claim[0].text not in joints("pronouns"):
        return False
    asked = stems(content_words(given)) if given else frozenset()
    for end in range(1, min(_LONGEST_NAME, len(sentence) - 1) + 1):
        subject = sentence[:end]
        if sentence[end].breaks or not is_subject(subject):
            return False
        is_asked_for = not given or not asked.isdisjoint(word.bare for word in subject)
        if is_asked_for and sentence[end].is_same(claim[1]) and says(sentence[end:], claim[1:]):
            return True
    return False


def _active(claim: Words) -> Iterator[Words]:
    """Turn "B was founded by A in 1999" into "A founded B in 1999"."""
    for by in range(2, len(claim)):
        be, verb = claim[by - 2], claim[by - 1]
        past = past_tense(verb.text)
        if claim[by].text != "by" or be.text not in ("was", "were") or not past:
            continue
        for end in _ends_of_name(claim, by + 1):
            yield [*claim[by + 1 : end], _as(verb, past), *claim[: by - 2], *claim[end:]]


def _passive(claim: Words, sentence: Words) -> Iterator[Words]:
    """Turn "A founded B in 1999" into "B was founded by A in 1999", with the verb form used in the sentence."""
    for at in range(2, len(sentence)):
        by, verb, be = sentence[at], sentence[at - 1], sentence[at - 2]
        past = past_tense(verb.text)
        if by.text != "by" or be.text not in ("was", "were") or not past:
            continue
        for place in (k for k, word in enumerate(claim) if word.text == past):
            for end in _ends_of_name(claim, place + 1, many=True):
                yield [*claim[place + 1 : end], be, verb, by, *claim[:place], *claim[end:]]


def _of_its_owner(claim: Words) -> Iterator[Words]:
    """Turn "Acme's revenue" into "revenue of Acme"."""
    for at in (k for k, word in enumerate(claim) if word.text == "'s"):
        of = _as(claim[at], "of")
        for start in range(max(0, at - 4), at):
            for end in range(at + 2, min(at + 5, len(claim)) + 1):
                yield [*claim[:start], *claim[at + 1 : end], of, *claim[start:at], *claim[end:]]


def _with_its_owner(claim: Words) -> Iterator[Words]:
    """Turn "The revenue of Acme" into "Acme's revenue"."""
    for at in (k for k, word in enumerate(claim) if word.text == "of"):
        owner = _as(claim[at], "'s")
        for start in range(max(0, at - 4), at):
            for end in range(at + 2, min(at + 6, len(claim)) + 1):
                yield [*claim[:start], *claim[at + 1 : end], owner, *claim[start:at], *claim[end:]]


def _moved(claim: Words) -> Iterator[Words]:
    """Turn "In 1999, A founded B" into "A founded B in 1999", and vice versa."""
    prepositions = joints("prepositions")
    if claim[0].text in prepositions:
        for at in (k for k in range(2, len(claim) - 1) if "," in claim[k].before):
            yield [*claim[at:], *claim[:at]]
    for at in range(2, len(claim) - 1):
        if claim[at].text in prepositions:
            yield [*claim[at:], *claim[:at]]


def _ends_of_name(claim: Words, start: int, *, many: bool = False) -> Iterator[int]:
    """Yield the possible ends of a name that begins at `start`: the end of the claim, or a word with which the next
    part of the claim may begin.
    """
    longest = len(claim) if many else min(len(claim), start + _LONGEST_NAME)
    for end in range(start + 1, longest + 1):
        if end == len(claim) or claim[end].text in joints("prepositions") or claim[end].breaks:
            yield end


def _as(word: StatedWord, text: str) -> StatedWord:
    return StatedWord(text, frozenset({text}), word.before)
