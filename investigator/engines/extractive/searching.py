"""From a conversation to knowledge: what to search for, what it is about, which sentences answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.engines.base import Embedder
from investigator.engines.extractive.asking import ask
from investigator.engines.extractive.responding import is_set_phrase
from investigator.engines.extractive.thinking import think
from investigator.engines.extractive.turns import (
    is_question,
    key_terms,
    last_text,
    named_things,
    points_back,
    referent,
    salient,
    sentences,
    tells_of_oneself,
    word_count,
)
from investigator.records import (
    AskVariables,
    KnowledgeReply,
    Passage,
    PhraseReply,
    QuotedSentence,
    Speaker,
    ThinkVariables,
    Turn,
)
from investigator.text.of_oneself import asks_for_everything, asks_of_oneself
from investigator.text.terms import folded

_QUOTED = re.compile(r"“[^”]*”(?: \([^()]*\))?")
_MOST_WORDS = 12
_FEW_WORDS = 2
_LEAST_POINT = 10


def query(turns: Sequence[Turn]) -> PhraseReply:
    """The key terms of what the last turn asks; a pronoun is replaced by the last thing named before it.

    Empty where there is nothing to search for.
    """
    asked, before = _asked(last_text(turns))
    terms = key_terms(asked)
    meant = _meant(asked, before, turns)
    known = {folded(term) for term in terms}
    added = [word for word in meant.split() if folded(word) not in known]
    return PhraseReply(text=" ".join([*added, *terms][:_MOST_WORDS]))


def entity(turns: Sequence[Turn]) -> PhraseReply:
    """The thing the conversation is about now, as it is written there; empty where it speaks of none."""
    return PhraseReply(text=salient([_own_words(turn) for turn in turns]))


def knowledge(turns: Sequence[Turn], passages: Sequence[Passage], embedder: Embedder) -> KnowledgeReply:
    """The sentences of the passages that answer the last turn, word for word, each with the number of its passage.

    None where they answer with a point under 10: they are then about something else.
    """
    question = _question(turns)
    if not passages or not question:
        return KnowledgeReply(point=0, sentences=())
    thought = ThinkVariables(
        question=question, mission="", strategy="", documents=(), document_count=0, term_frequencies=()
    )
    found = ask(
        AskVariables(
            main_question=question,
            mission="",
            sub_question=question,
            document_id=passages[0].document_id,
            document_title="",
            needs=think(thought).needs,
            passages=tuple(passages),
        ),
        embedder,
    )
    if found.point is None or found.point < _LEAST_POINT:
        return KnowledgeReply(point=found.point, sentences=())
    return KnowledgeReply(
        point=found.point,
        sentences=tuple(
            QuotedSentence(passage=number, text=quote)
            for quote in found.quotes
            if (number := _passage_of(quote, passages)) is not None
        ),
    )


def _question(turns: Sequence[Turn]) -> str:
    """What the last turn asks, with what its pronouns stand for; what it says where it asks nothing."""
    asked, before = _asked(last_text(turns))
    meant = _meant(asked, before, turns)
    return f"{asked} ({meant})" if asked and meant and folded(meant) not in folded(asked) else asked or meant


def _asked(text: str) -> tuple[str, str]:
    """The last question of a turn and what stands before it; a turn that asks nothing is taken whole."""
    parts = sentences(text)
    for place in range(len(parts) - 1, -1, -1):
        if is_question(parts[place]) and (key_terms(parts[place]) or points_back(parts[place])):
            return parts[place], " ".join(parts[:place])
    return text.strip(), ""


def _meant(asked: str, before: str, turns: Sequence[Turn]) -> str:
    """What a question leaves unsaid: the thing its pronouns stand for, or its subject where it is but a word."""
    terms = key_terms(asked)
    if not (terms or is_question(asked)) or named_things(asked):  # politeness asks for nothing; a name says it all
        return ""
    if not points_back(asked) and word_count(terms) >= _FEW_WORDS:
        return ""
    if not terms and not before and (said := key_terms(_turn_before(turns))):
        return " ".join(said)
    others = [_own_words(turn) for turn in turns[:-1] if not _is_of_speaker(turn.text)]
    if not points_back(asked):  # what was merely said is no part of a question that names its matter
        asking = [t for t in turns[:-1] if t.speaker is Speaker.SELF or is_question(t.text)]
        asking = [turn for turn in asking if not _is_of_speaker(turn.text)]
        others = [_own_words(turn) for turn in asking]
    if not any(key_terms(text) for text in others) and points_back(asked):
        others = [_own_words(turn) for turn in turns[:-1]]
    return referent(before, others)


def _is_of_speaker(text: str) -> bool:
    """Whether a turn tells of its speaker, or asks for what only they can have told: documents have nothing on that."""
    return tells_of_oneself(text) or asks_for_everything(text) or asks_of_oneself(text)


def _own_words(turn: Turn) -> str:
    """A turn without the quotes of documents in it, their places, and the set phrases of this engine."""
    if turn.speaker is not Speaker.SELF:
        return turn.text
    return " ".join(one for one in sentences(_QUOTED.sub(" ", turn.text)) if not is_set_phrase(one))


def _turn_before(turns: Sequence[Turn]) -> str:
    """What the last speaker said before; a question made of pronouns alone goes on from there."""
    return next((turn.text for turn in reversed(turns[:-1]) if turn.speaker is turns[-1].speaker), "")


def _passage_of(quote: str, passages: Sequence[Passage]) -> int | None:
    return next((number for number, passage in enumerate(passages, 1) if quote in passage.text), None)
