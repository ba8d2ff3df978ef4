"""Selects facts worth remembering from people's statements about themselves, and remembered facts that fit a turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from investigator.bb3.extractive.deciding import asks_for_memory, share_said
from investigator.bb3.extractive.responding import is_set_phrase
from investigator.bb3.extractive.turn_words import WordKind, bare, is_kind
from investigator.bb3.extractive.turns import first_person, is_question, key_terms, last_text, sentences
from investigator.bb3.extractive.wishes import wished_to_be_kept
from investigator.bb3.memory.about_speaker import (
    answers_topics,
    asked_topics,
    asks_about_speaker,
    asks_for_everything,
    clauses,
    names_another,
    told_topics,
)
from investigator.bb3.records import FactReply, PersonalFact, PhraseReply, Speaker, Turn
from investigator.engines.base import Embedder
from investigator.language.terms import content_words, stem, tokens, words

_QUOTED = re.compile("“[^”]*”")
_TELL_ME = re.compile(r"\b(tell|give|show|send|help|let|find|get|sag|zeig|gib|dis|dites|dime|diga)[ -](me|mir|moi)\b")
_ABOUT_ONESELF = re.compile(r"\b(me|my|mine|myself|mich|mir|mein\w*|moi|mon|ma|mes)\b")
_OWN_THINGS = re.compile(r"\b(my|mine|mein\w*|mon|ma|mes|mis?)\b")
_MOST_SENTENCES = 3
_LONGEST_FACT = 300
_SURE = 100
_NEAR = 0.4  # minimum cosine similarity between a question and a fact that answers it
_NEAR_WITH_A_WORD = 0.3  # the minimum if the question and the fact share a word
_LEAST_FIT = 25
_LEAST_FIT_OF_A_STATEMENT = 35  # higher, so that a statement does not bring up merely similar facts
_OWNER_BONUS = 0.05
_BEFORE_LAST = 0.8
_OF_SPEAKER = re.compile(
    r"\b(i|im|we|my|mine|our|ours|ich|wir|mein\w*|unser\w*|je|j|nous|mon|mes|notre|yo|mi|mis|nosotros"
    r"|tengo|vivo|trabajo|prefiero|odio|me (gustan?|encantan?|llamo|mude|he mudado)|nos mudamos"
    r"|soy (una?|de|el|la|muy|alergic[oa]|vegetarian[oa])"
    r"|estoy casad[oa]|ma(?= [\w-]+ (est|a|s'appelle|habite|aime|travaille|vit|deteste)\b))\b"
)
_PASSING = re.compile(
    r"\bi (think|guess|know|see|agree|wonder|hope|mean|bet|hear|heard|understand|suppose|believe|imagine|doubt)\b"
    r"|\bi('m| am|m) (not |so |very |really |also )*(sorry|glad|sure|good|fine|ok|okay|well|great|happy (to|for))\b"
    r"|\bi('m| am|m) (not |also )*(afraid|just|wondering|looking for|trying)\b"
    r"|\b(i|we)('d| would|ld| will|'ll| can|can't| can't| could| couldn't| should| might| may)\b"
    r"|\b(tell|give|show|send|help|let|find|get|excuse|believe|for) (me|us)\b"
    r"|\bich (denke|glaube|weiss|hoffe|wuerde|mochte|sehe)\b|\bje (pense|crois|sais|voudrais|vois)\b"
)
_LASTING = re.compile(
    r"\b(i|we)('m| am|m|'ve| have| had| was| were| own| like| love| enjoy| hate| prefer| live| work| play| study| grew"
    r"| went| used| want| plan| never| always| also| do)\b|\b(my|our|mine)\b"
)


def remember(turns: Sequence[Turn]) -> PhraseReply:
    """Return the sentences in the last turn that are about its speaker, verbatim; the result may be empty. An explicit
    request to remember something is kept if it is about the speaker. Questions, politeness, opinions, requests to
    forget or do something, overlong text, text in quotation marks, and this engine's own set phrases are not kept.
    """
    text = last_text(turns)
    if turns and turns[-1].speaker is Speaker.SELF:
        said = [one for one in sentences(_QUOTED.sub(" ", text)) if not is_set_phrase(one)]
    else:
        said = [wished_to_be_kept(sentence) for sentence in sentences(text)]
    return PhraseReply(text=" ".join([one for one in said if _tells(one)][:_MOST_SENTENCES]))


def recall(turns: Sequence[Turn], facts: Sequence[PersonalFact], embedder: Embedder) -> FactReply:
    """Return the fact that best matches the last turn; the turn before it is also considered, with less weight.

    For "What do you know about me", this is the newest fact. For a question with a single-valued answer ("Where do I
    live?"), it is the newest fact that answers the question. For any other question that only the speaker can answer, a
    fact must be similar enough to the question. If the turn is not a question, facts already in the conversation are
    not repeated. The score combines cosine similarity and shared words, in percent; it is not a probability.
    """
    text = last_text(turns)
    if not facts or not (content_words(text) or asks_for_memory(text)):
        return FactReply(point=0, fact_id=None)
    told = [fact for fact in facts if fact.speaker is Speaker.PARTNER]
    if told and asks_for_everything(text):
        return FactReply(point=_SURE, fact_id=max(fact.id for fact in told))
    topics = asked_topics(text)
    answers = [fact.id for fact in told if topics & _topics(fact)]
    if answers := answers or [fact.id for fact in told if any(answers_topics(one, topics) for one in _clauses(fact))]:
        return FactReply(point=_SURE, fact_id=max(answers))
    asks = is_question(text)
    strict = asks and asks_about_speaker(text)
    own = strict or asks_for_memory(text) or (asks and _OWN_THINGS.search(bare(text)) is not None)
    free = _free(facts, turns, Speaker.PARTNER if own else Speaker.SELF if asks else None)
    free = [fact for fact in free if not _names_somebody_else(fact, topics)]
    if not free:
        return FactReply(point=0, fact_id=None)
    fits = _fits(turns, free, embedder)
    best = max(range(len(free)), key=lambda i: (fits[i].point, free[i].id))
    least = _LEAST_FIT if asks else _LEAST_FIT_OF_A_STATEMENT
    near = fits[best].point >= least and not (strict and fits[best].is_far(strictly=bool(topics)))
    return FactReply(point=fits[best].point, fact_id=free[best].id if near else None)


class _Fit(NamedTuple):
    """How well a fact fits the last turn: the fact's score, the cosine similarity between the two, and whether they
    share a word.
    """

    point: int
    cosine: float
    shares: bool

    def is_far(self, *, strictly: bool) -> bool:
        """Return True if the fact is too far from the question to answer it; with `strictly`, a shared word does not
        help.
        """
        return self.cosine < (_NEAR_WITH_A_WORD if self.shares and not strictly else _NEAR)


def _fits(turns: Sequence[Turn], facts: Sequence[PersonalFact], embedder: Embedder) -> list[_Fit]:
    text, before = last_text(turns), turns[-2].text if len(turns) > 1 else ""
    vectors = embedder.embed([text, f"{before} {text}", *(fact.text for fact in facts)])
    near, wider = vectors[2:] @ vectors[0], vectors[2:] @ vectors[1]
    said, asked = {stem(word) for word in content_words(text)}, _who_is_meant(text)
    found = []
    for i, fact in enumerate(facts):
        share = share_said(fact.text, said)
        fit = 0.75 * max(float(near[i]), _BEFORE_LAST * float(wider[i])) + 0.25 * share
        fit += _OWNER_BONUS if fact.speaker is asked else 0.0
        found.append(_Fit(max(0, min(100, round(100 * fit))), float(near[i]), share > 0))
    return found


def _topics(fact: PersonalFact) -> frozenset[str]:
    return frozenset(topic for clause in _clauses(fact) for topic in told_topics(clause))


def _clauses(fact: PersonalFact) -> list[str]:
    return [sentence[slice(*span)] for sentence in sentences(fact.text) for span in clauses(sentence)]


def _names_somebody_else(fact: PersonalFact, asked: frozenset[str]) -> bool:
    """Return True if a name is requested but the fact gives the name of another person, such as a sister."""
    named = {topic for topic in _topics(fact) if topic == "name" or names_another(topic)}
    if not asked or not named:
        return False
    return (named == {"name"} and all(map(names_another, asked))) or (asked == {"name"} and "name" not in named)


def _free(facts: Sequence[PersonalFact], turns: Sequence[Turn], asked: Speaker | None) -> list[PersonalFact]:
    """Return all facts about the speaker `asked`, and those facts about the other speaker that the conversation does
    not contain yet.
    """
    said = [f" {' '.join(words(turn.text))} " for turn in turns[:-1]]
    return [
        fact
        for fact in facts
        if fact.speaker is asked or not any(f" {' '.join(words(fact.text))} " in text for text in said)
    ]


def _tells(sentence: str) -> bool:
    plain = bare(sentence)
    if is_question(sentence) or len(sentence) > _LONGEST_FACT:
        return False
    if not _OF_SPEAKER.search(plain) or not key_terms(sentence):
        return False
    return not _PASSING.search(plain) or _LASTING.search(_PASSING.sub(" ", plain)) is not None


def _who_is_meant(text: str) -> Speaker | None:
    """Return the speaker whom the partner's turn is about: "you" means the replying speaker, "I" and "me" mean the
    partner.
    """
    plain = _TELL_ME.sub(" ", bare(text))
    if is_question(text) and _ABOUT_ONESELF.search(plain):
        return Speaker.PARTNER
    if any(is_kind(token, WordKind.SECOND_PERSON) for token in tokens(text)):
        return Speaker.SELF
    return Speaker.PARTNER if first_person(plain) else None
