"""A question taken apart by rules: the questions that it holds, each complete by itself, and what binds each."""

from __future__ import annotations

import re

from investigator.questions.constraints import constraints
from investigator.questions.sides import sides_of
from investigator.records import ConstraintKind, Part, QuestionKind

_MOST_PARTS = 24
_LONGEST_READ = 4_000  # characters; what comes behind them in a question is not taken apart
_ASKS = (
    r"(?:who|whom|whose|what|when|where|which|why|how|wer|wem|wen|wessen|was|wann|wo|warum|wie"
    r"|qui|quand|quoi|où|pourquoi|comment|quién|qué|cuándo|dónde)"
)
_NEXT = re.compile(
    rf"(?:,?\s+(?:and|und|et|y)\s+|;\s*|,\s*)(?=(?:in|on|at|for|by|to)?\s*{_ASKS}\b(?!\s+(?:and|or)\b))", re.IGNORECASE
)
_ASKING = re.compile(rf"\b{_ASKS}\b|[?？]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[?？])\s+(?=\S)")
_FEWEST_WORDS = 3
_NAMED = r"[A-ZÀ-ÖØ-Þ][\w.'’&-]*(?:\s+(?:(?:of|the|de|von|van|and)\s+)?[A-ZÀ-ÖØ-Þ(][\w.'’&)-]*)*"
_OR = re.compile(
    rf"^(?P<asked>.*[^,\s]),\s*(?:the\s+)?(?P<one>{_NAMED})\s*,?\s+or\s+(?:the\s+)?(?P<other>{_NAMED})\s*\??$"
)
_BOTH = re.compile(
    rf"^(?i:are|were|is|do|did|was)\s+(?:both\s+)?(?:the\s+)?(?P<one>{_NAMED})\s+and\s+(?:the\s+)?(?P<other>{_NAMED})"
    r"\s+(?P<asked>[a-z].{2,}?)\??$"
)
_MOVES = re.compile(
    r"\b(?:how|track|moved?|chang(?:e|ed|es)|evolv(?:e|ed)|develop(?:s|ed)?|progress(?:ed)?|fluctuated?|trends?|identified"
    r"|over time|(?:over|across|through|for|in|from) (?:the|these|those|each|all|one)\b[^,;:?]*|quarter by quarter"
    r"|year (?:by|over|on) year)\b",
    re.IGNORECASE,
)
"""Words that ask how something moves, which no single figure of it says."""
_PRONOUN = re.compile(r"\b(?:it|its|they|their|them|he|his|him|she|her|this|that|these|those)\b", re.IGNORECASE)


def taken_apart(question: str) -> tuple[Part, ...]:
    """Return the parts of a question, at least one; a question that holds only one is its own part, word for word."""
    asked = " ".join(question[:_LONGEST_READ].split())
    pieces = _sides(asked) or _questions(asked)
    if len(pieces) < 2:
        return (Part(question=question.encode(errors="replace").decode(), constraints=constraints(asked)),)
    return tuple(Part(question=piece, constraints=constraints(piece)) for piece in _with_names(pieces))


def parts_of(question: str, kind: QuestionKind) -> tuple[Part, ...]:
    """Return the parts of a question of some kind: the sides of a comparison, if the rules find them.

    Evidence for a trend must say what it is at one time, not that it moved.
    """
    if kind is QuestionKind.COMPARISON and (sides := sides_of(question)):
        return sides
    parts = taken_apart(question)
    if kind is not QuestionKind.TREND:
        return parts
    plain = (part.changed(constraints=constraints(_MOVES.sub(" ", part.question))) for part in parts)
    return tuple(plain)


def _questions(asked: str) -> list[str]:
    """The questions that follow each other, or are joined by "and"; too short ones stay with the one before."""
    pieces: list[str] = []
    for sentence in _SENTENCE_END.split(asked):
        for piece in _NEXT.split(sentence, maxsplit=_MOST_PARTS - 1):
            if pieces and (
                len(piece.split()) < _FEWEST_WORDS or not _ASKING.search(piece) or len(pieces) >= _MOST_PARTS
            ):
                pieces[-1] = f"{pieces[-1]} {piece}"
            else:
                pieces.append(piece)
    return _without_openings(pieces)


def _without_openings(pieces: list[str]) -> list[str]:
    """Join what only leads to a question ("For the trial, ...") with the question."""
    joined: list[str] = []
    for piece in pieces:
        if joined and not _ASKING.search(joined[-1]):
            joined[-1] = f"{joined[-1]}, {piece}"
        else:
            joined.append(piece)
    return joined


def _sides(asked: str) -> list[str]:
    """The same question about each side of a comparison: of "who was born later, A or B?" and "are A and B both C?"."""
    for pattern in (_OR, _BOTH):
        if match := pattern.match(asked):
            return [f"{match[side].strip()}: {match['asked'].strip(' ?')}" for side in ("one", "other")]
    return []


def _with_names(pieces: list[str]) -> list[str]:
    """Add the first name of the pieces before to one that only points to it by a pronoun."""
    name, complete = "", []
    for piece in pieces:
        names = [one.text for one in constraints(piece) if one.kind in (ConstraintKind.ENTITY, ConstraintKind.PLACE)]
        complete.append(f"{piece} ({name})" if name and not names and _PRONOUN.search(piece) else piece)
        name = name or next(iter(names), "")
    return complete
