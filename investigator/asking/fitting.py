"""Shortens the variables of a prompt that is too long by dropping their least important parts. Pure."""

from __future__ import annotations

import math
from typing import TypeVar

from investigator.language.relevance import stems
from investigator.language.sentences import sentence_spans
from investigator.language.terms import content_words, words
from investigator.records import (
    AnswerVariables,
    AskVariables,
    Passage,
    PlanVariables,
    ReflectVariables,
    ThinkVariables,
)

Item = TypeVar("Item")


def less_to_ask(variables: AskVariables, share: float) -> AskVariables | None:
    """Return fewer passages, or fewer whole sentences from a single passage, so that no quote is cut; None if only one
    sentence is left.
    """
    passages = variables.passages
    if len(passages) > 1:
        return variables.changed(passages=_first(passages, share))
    shorter = _shortened(passages[0], variables.main_question, share) if passages else None
    return variables.changed(passages=(shorter,)) if shorter is not None else None


def less_to_think(variables: ThinkVariables, share: float) -> ThinkVariables | None:
    """Keep fewer documents, nearest first."""
    if not variables.documents:
        return None
    return variables.changed(documents=_first(variables.documents, share, fewest=0))


def less_to_plan(variables: PlanVariables, share: float) -> PlanVariables | None:
    """Keep fewer documents to choose from, then fewer memories."""
    if len(variables.documents) > 1:
        return variables.changed(documents=_first(variables.documents, share))
    if variables.history:
        return variables.changed(history=_first(variables.history, share, fewest=0))
    return None


def less_to_reflect(variables: ReflectVariables, share: float) -> ReflectVariables | None:
    """Drop the memories with the lowest scores; the others keep their order."""
    if len(variables.memories) < 2:
        return None
    best = _first(sorted(variables.memories, key=lambda memory: -(memory.point or 0)), share)
    kept = {memory.id for memory in best}
    return variables.changed(memories=tuple(m for m in variables.memories if m.id in kept))


def less_to_answer(variables: AnswerVariables, share: float) -> AnswerVariables | None:
    """Drop evidence from the end; evidence is ordered by score."""
    if len(variables.evidence) < 2:
        return None
    return variables.changed(evidence=_first(variables.evidence, share))


def _first(items: tuple[Item, ...] | list[Item], share: float, fewest: int = 1) -> tuple[Item, ...]:
    """Return about the given share of the items, from the start, and always at least one item fewer than there are."""
    wanted = math.floor(len(items) * min(1.0, share))
    return tuple(items[: max(fewest, min(len(items) - 1, wanted))])


def _shortened(passage: Passage, question: str, share: float) -> Passage | None:
    """Return whole sentences that make up about the given share of a passage, or None if it is a single sentence.

    They surround the sentence that shares the most words with the question.
    """
    spans = list(sentence_spans(passage.text))
    if len(spans) < 2:
        return None
    wanted = stems(content_words(question))
    shared = [len(wanted & stems(words(passage.text[start:end]))) for start, end in spans]
    first = last = shared.index(max(shared))
    room = len(passage.text) * share
    while last - first + 2 < len(spans):
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= room:
            last += 1
        elif first > 0 and spans[last][1] - spans[first - 1][0] <= room:
            first -= 1
        else:
            break
    start, end = spans[first][0], spans[last][1]
    # page and line are known only for the beginning of a passage
    place = {} if start == 0 else {"page": None, "line": None}
    span = {"text": passage.text[start:end], "start": passage.start + start, "end": passage.start + end}
    return passage.changed(**span, **place)
