"""Decides whether to search and whether to use a memory, with small logistic models over the form and meaning of the
last turn.

The weights are in `decisions.json` next to this file; `benchmarks/fit_decisions.py` fits them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Generic, TypeVar

from investigator.bb3.courtesies import is_polite_elsewhere
from investigator.bb3.extractive.asking_forms import after_greeting, has_question_mark
from investigator.bb3.extractive.turn_kinds import Kind, TurnKinds
from investigator.bb3.extractive.turn_words import WordKind, is_kind
from investigator.bb3.extractive.turns import (
    begins_with_question_word,
    first_person,
    inquires,
    is_question,
    key_terms,
    last_text,
    named_things,
    points_back,
    sentences,
)
from investigator.bb3.memory.about_speaker import asks_about_speaker, asks_for_everything, told_topics
from investigator.bb3.records import DecisionReply, PersonalFact, Turn
from investigator.language.terms import content_words, folded, is_latin, stem, stop_words, tokens
from investigator.records import Record

_MOST_NAMES = 3
_LONGEST_TURN = 2_000
_FOREIGN_QUESTION = 75
_FOREIGN_STATEMENT = 25
"""The scores for a question, and for any other turn, in a language that neither the rules nor the default embedder can
handle.
"""
_MOST_ASKED = 10  # maximum number of sentences in a turn that are judged separately
_SMALL_TALK = 0.4  # minimum cosine similarity to an example
_FEW = 3  # a text of at most this many words need not contain a common word
_ASKS_FOR_MEMORY = re.compile(
    r"\b(know|remember|told|said|learned) (\w+ )?(about |of )?(me|myself)\b.*\?|\bdo you (still )?remember\b"
    r"|\btell (\w+ )?(about|of) (me|myself)\b.*\?"
    r"|\bwhat did (i|we) (tell|say|talk)|\b(what is|what's|know|remember) my name\b"
    r"|\b(weisst|erinnerst) du (dich )?.*\b(mich|mir|mein\w*)\b|\bsais-tu (de|sur) moi\b|\bsouviens-tu\b"
)


class SearchFeatures(Record):
    """The features for the search decision. The form features, each 0..1, describe whether the turn begins with a
    question word, requests information, has a question mark, mentions the speaker, and names things (three or more
    things give 1). The meaning features are the cosine similarities to the nearest example of each kind.
    """

    question_word: float
    inquires: float
    question_mark: float
    first_person: float
    names: float
    fact: float
    offer: float
    act: float
    social: float
    own: float
    partner: float


class MemoryFeatures(Record):
    """The features for the memory decision: the form and meaning of the turn, and the nearest facts. `nearest` is the
    highest cosine similarity between a fact and the turn, and `covered` is the largest fraction of a fact's words that
    occur in the turn.
    """

    question_mark: float
    first_person: float
    nearest: float
    covered: float
    social: float
    partner: float


F = TypeVar("F", SearchFeatures, MemoryFeatures)


class DecisionModel(Record, Generic[F]):
    """A logistic model of a decision: one weight for each feature, and the bias."""

    bias: float
    weights: F


class Decisions(Record):
    """The models in `decisions.json`."""

    search: DecisionModel[SearchFeatures]
    memory: DecisionModel[MemoryFeatures]


@cache
def shipped_decisions() -> Decisions:
    """Return the shipped models."""
    source = files("investigator.bb3.extractive").joinpath("decisions.json")
    return Decisions.model_validate_json(source.read_text(encoding="utf-8"))


def decide_search(turns: Sequence[Turn], kinds: TurnKinds) -> DecisionReply:
    """Decide whether the last turn needs a search. A turn without words needs no search. Each question is also judged
    separately, so that surrounding text, such as a greeting, does not lower its score. The meaning of a turn is
    recognised only in English, German, French and Spanish; in other languages every question needs a search.
    """
    text = last_text(turns)
    parts = sentences(text[:_LONGEST_TURN])
    asked = [part for part in parts if _asks_by_itself(part)][-_MOST_ASKED:] if len(parts) > 1 else []
    asked = [part for part in asked if not _is_small_talk(part, kinds)]
    return max((_decide_search(each, kinds) for each in (text, *asked)), key=lambda decision: decision.point or 0)


def _asks_by_itself(sentence: str) -> bool:
    """Return True if a sentence asks something that somebody other than its speaker may know; "When I was a child, ..."
    does not.
    """
    asks = has_question_mark(sentence) or (is_question(sentence) and (inquires(sentence) or not first_person(sentence)))
    return asks and bool(key_terms(sentence) or points_back(sentence)) and not asks_about_speaker(sentence)


def _is_small_talk(question: str, kinds: TurnKinds) -> bool:
    """Return True if a question is about the partner's well-being or life: "How was your day?"."""
    if not any(is_kind(token, WordKind.SECOND_PERSON) for token in tokens(question)):
        return False
    near = kinds.near(kinds.embedder.embed([question])[0])
    social = max(near[Kind.SOCIAL], near[Kind.PARTNER])
    return social >= _SMALL_TALK and social > max(near[Kind.FACT], near[Kind.OFFER], near[Kind.ACT])


def _decide_search(text: str, kinds: TurnKinds) -> DecisionReply:
    if asks_for_memory(text) or not content_words(text) or (told_topics(text) and not is_question(text)):
        return DecisionReply(point=0, needed=False)
    if not _is_understood(text):
        point = (
            _FOREIGN_QUESTION
            if is_question(text) and not is_polite_elsewhere(after_greeting(text))
            else _FOREIGN_STATEMENT
        )
        return DecisionReply(point=point, needed=point >= 50)
    return _decision(search_features(text, kinds), shipped_decisions().search)


def decide_memory(turns: Sequence[Turn], facts: Sequence[PersonalFact], kinds: TurnKinds) -> DecisionReply:
    """Decide whether one of the facts would help in replying to the last turn. Without facts, no memory is needed."""
    text = last_text(turns)
    if facts and (asks_for_memory(text) or (is_question(text) and asks_about_speaker(text))):
        return DecisionReply(point=100, needed=True)
    if not facts or not content_words(text):
        return DecisionReply(point=0, needed=False)
    return _decision(memory_features(text, [fact.text for fact in facts], kinds), shipped_decisions().memory)


def asks_for_memory(text: str) -> bool:
    """Return True if the turn explicitly asks what is known about its speaker, or what was said before."""
    return asks_for_everything(text) or _ASKS_FOR_MEMORY.search(folded(text[:_LONGEST_TURN])) is not None


def _is_understood(text: str) -> bool:
    """Return True if the text contains common words of a known language, or is very short and in Latin letters."""
    plain = [folded(token) for token in tokens(text[:_LONGEST_TURN])]
    return is_latin(text) and (len(plain) <= _FEW or not stop_words().isdisjoint(plain) or "'" in text)


def search_features(text: str, kinds: TurnKinds) -> SearchFeatures:
    """Return the features for the search decision."""
    text = text[:_LONGEST_TURN]
    near = kinds.near(kinds.embedder.embed([text])[0])
    return SearchFeatures(
        question_word=float(begins_with_question_word(text)),
        inquires=float(inquires(text)),
        question_mark=float(has_question_mark(text)),
        first_person=float(first_person(text)),
        names=min(len(named_things(text)), _MOST_NAMES) / _MOST_NAMES,
        fact=near[Kind.FACT],
        offer=near[Kind.OFFER],
        act=near[Kind.ACT],
        social=near[Kind.SOCIAL],
        own=near[Kind.OWN],
        partner=near[Kind.PARTNER],
    )


def memory_features(text: str, facts: Sequence[str], kinds: TurnKinds) -> MemoryFeatures:
    """Return the features for the memory decision; at least one fact is required."""
    text = text[:_LONGEST_TURN]
    vectors = kinds.embedder.embed([text, *facts])
    near = kinds.near(vectors[0])
    said = {stem(word) for word in content_words(text)}
    return MemoryFeatures(
        question_mark=float(has_question_mark(text)),
        first_person=float(first_person(text)),
        nearest=float((vectors[1:] @ vectors[0]).max()),
        covered=max(share_said(fact, said) for fact in facts),
        social=near[Kind.SOCIAL],
        partner=near[Kind.PARTNER],
    )


def share_said(fact: str, said: set[str]) -> float:
    """Return the fraction (0..1) of the fact's content words whose stems are in `said`."""
    own = {stem(word) for word in content_words(fact)}
    return len(own & said) / len(own) if own else 0.0


def _decision(features: F, model: DecisionModel[F]) -> DecisionReply:
    total = model.bias + math.fsum(getattr(model.weights, name) * value for name, value in features)
    point = round(100 / (1 + math.exp(-max(-40.0, min(40.0, total)))))
    return DecisionReply(point=point, needed=point >= 50)
