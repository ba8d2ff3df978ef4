"""What is worth keeping of what somebody says about themselves, and which of the kept facts fits a turn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.engines.base import Embedder
from investigator.engines.extractive.deciding import asks_for_memory, share_said
from investigator.engines.extractive.responding import is_set_phrase
from investigator.engines.extractive.turn_words import WordKind, bare, is_kind
from investigator.engines.extractive.turns import first_person, is_question, key_terms, last_text, sentences, tokens
from investigator.records import FactReply, PersonalFact, PhraseReply, Speaker, Turn
from investigator.text.terms import content_words, stem

_QUOTED = re.compile("“[^”]*”")
_ABOUT_ONESELF = re.compile(r"\b(me|my|mine|myself|mich|mir|mein\w*|moi|mon|ma|mes)\b")
_MOST_SENTENCES = 3
_LONGEST_FACT = 300
_LEAST_FIT = 25
_LEAST_FIT_OF_A_STATEMENT = 35  # who tells something new is not told what is only near to it
_OWNER_BONUS = 0.05
_BEFORE_LAST = 0.8
_OF_SPEAKER = re.compile(
    r"\b(i|im|we|my|mine|our|ours|ich|wir|mein\w*|unser\w*|je|j|nous|mon|mes|notre|yo|mi|mis|nosotros)\b"
)
_PASSING = re.compile(
    r"\bi (think|guess|know|see|agree|wonder|hope|mean|bet|hear|heard|understand|suppose|believe|imagine|doubt)\b"
    r"|\bi('m| am|m) (not |so |very |really |also )*(sorry|glad|sure|good|fine|ok|okay|well|great|happy (to|for))\b"
    r"|\bi('m| am|m) (not |also )*(afraid|just|wondering|looking for|trying)\b"
    r"|\b(i|we)('d| would|ld| will|'ll| can|can't| can't| could| couldn't| should| might| may)\b"
    r"|\b(tell|give|show|send|help|let|find|get|excuse|believe|for) (me|us)\b"
    r"|\bich (denke|glaube|weiss|hoffe|wuerde|mochte|sehe)\b|\bje (pense|crois|sais|voudrais|vois)\b"
)
_WANTS = re.compile(r"\W*(please )?(forget|delete|ignore|remember that)\b")
_LASTING = re.compile(
    r"\b(i|we)('m| am|m|'ve| have| had| was| were| own| like| love| enjoy| hate| prefer| live| work| play| study| grew"
    r"| went| used| want| plan| never| always| also| do)\b|\b(my|our|mine)\b"
)


def remember(turns: Sequence[Turn]) -> PhraseReply:
    """The sentences of the last turn that tell something of its speaker, word for word; empty where none does.

    Questions, politeness and opinions are not kept, nor what would be too long to be one fact; nor what stands between
    quotation marks, or is a set phrase of this engine, which has nothing to tell of itself.
    """
    if turns and turns[-1].speaker is Speaker.SELF:
        own = [one for one in sentences(_QUOTED.sub(" ", last_text(turns))) if not is_set_phrase(one)]
        return PhraseReply(text=" ".join([one for one in own if _tells(one)][:_MOST_SENTENCES]))
    told = [sentence for sentence in sentences(last_text(turns)) if _tells(sentence)]
    return PhraseReply(text=" ".join(told[:_MOST_SENTENCES]))


def recall(turns: Sequence[Turn], facts: Sequence[PersonalFact], embedder: Embedder) -> FactReply:
    """The fact that fits the last turn best; the turn before it counts less. "What do you know of me" gets the newest.

    The point is no chance but how near the fact is: cosine and shared words, in percent.
    """
    text = last_text(turns)
    if not facts or not (content_words(text) or asks_for_memory(text)):
        return FactReply(point=0, fact_id=None)
    before = turns[-2].text if len(turns) > 1 else ""
    vectors = embedder.embed([text, f"{before} {text}", *(fact.text for fact in facts)])
    near, wider = vectors[2:] @ vectors[0], vectors[2:] @ vectors[1]
    said = {stem(word) for word in content_words(text)}
    asked = _who_is_meant(text)
    fits = [
        0.75 * max(float(near[i]), _BEFORE_LAST * float(wider[i]))
        + 0.25 * share_said(fact.text, said)
        + (_OWNER_BONUS if fact.speaker is asked else 0.0)
        for i, fact in enumerate(facts)
    ]
    best = max(range(len(facts)), key=fits.__getitem__)
    point = max(0, min(100, round(100 * fits[best])))
    told = [fact.id for fact in facts if fact.speaker is Speaker.PARTNER]
    if point < _LEAST_FIT and told and asks_for_memory(text):
        return FactReply(point=_LEAST_FIT, fact_id=max(told))
    least = _LEAST_FIT if is_question(text) else _LEAST_FIT_OF_A_STATEMENT
    return FactReply(point=point, fact_id=facts[best].id if point >= least else None)


def _tells(sentence: str) -> bool:
    plain = bare(sentence)
    if (
        is_question(sentence)
        or _WANTS.match(plain)
        or len(sentence) > _LONGEST_FACT
        or not _OF_SPEAKER.search(plain)
        or not key_terms(sentence)
    ):
        return False
    return not _PASSING.search(plain) or _LASTING.search(_PASSING.sub(" ", plain)) is not None


def _who_is_meant(text: str) -> Speaker | None:
    """Whose facts the partner's turn is about: "you" means the one who replies, "I" and "me" the partner."""
    if is_question(text) and _ABOUT_ONESELF.search(bare(text)):
        return Speaker.PARTNER
    if any(is_kind(token, WordKind.SECOND_PERSON) for token in tokens(text)):
        return Speaker.SELF
    return Speaker.PARTNER if first_person(text) else None
