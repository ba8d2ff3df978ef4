"""Reads the point, the score (0..100) that a reply gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from investigator.asking.replies.point_values import Value, folded, scale_of, value_at, value_in_parentheses
from investigator.asking.replies.thoughts import without_thoughts
from investigator.language.late_patterns import late

_LONGEST = 60_000
"""Number of characters read from each end of a reply; no genuine reply has its point elsewhere."""

_OTHER_MARKERS = (
    "score|rating|relevance|relevancy|grade|punktzahl|punkte|bewertung|puntos|puntuación|puntaje|pontos|оценка|балл"
)
_MARKER = late(
    rf"(?<![^\W\d_])(?P<point>points?)(?![^\W_])|(?<![^\W\d_])(?:{_OTHER_MARKERS})(?![^\W_])"
    "|点数|点數|點數|スコア|評価|评分|評分|得分|分数|分數|점수",
    re.IGNORECASE,
)
_KEY = late(r"[\"']\s*points?\s*\\?[\"']\s*:", re.IGNORECASE)
_HINT = (
    r"(?P<hint>\s*[(\[][^()\[\]\n]{1,60}[)\]]|\s*(?:on\s+a\s+scale\s+)?(?:from\s+|of\s+)?[01]\s*(?:-|to)\s*\d{1,4}"
    r"|\s*(?:out\s+)?of\s+\d{1,4}|\s*/\s*\d{1,4})?"
)
_AFTER_MARKER = late(
    rf"(?:\s+(?:score|rating|value|assigned|awarded|given))?{_HINT}[ \t\"'\])]*"
    r"(?:[:=|>]+(?:\s*[:=|>])*|[ \t]*\n(?:[-=]{2,}[ \t]*\n)?|[ \t]+-(?=\s)|-(?=\s))",
    re.IGNORECASE,
)
_SAID_AFTER_MARKER = late(
    r"[^.\n\d:]{0,60}?(?:(?<=\s)|(?<=^))(?:is|was|of|be|ist|est|von|beträgt)(?=\s)|(?=[ \t]+\d)", re.IGNORECASE
)
_JUDGED = late(
    r"(?:\bI(?:'d|'ll|\s+would|\s+will|\s+have|\s+can)?\s+(?:\w+\s+){0,2}?(?:give|rate|score|assign|award|grade|put)"
    r"|\bich\s+(?:vergebe|bewerte)|^\s*(?:rated|scored|graded))\b[^.\n\d]{0,60}?(?=[\d(\"'-])",
    re.IGNORECASE | re.MULTILINE,
)
_ON_A_SCALE = late(
    r"\bscale\s+(?:of|from)\s+[01]\s*(?:-|to)\s*(?P<top>\d{1,4})\b[^.\n\d]{0,60}?(?=[\d(\"'])", re.IGNORECASE
)
_OF_TEN_OR_HUNDRED = late(
    r"(?<![\w.,/-])\d{1,3}(?:[.,]\d{1,2})?\s*(?:/\s*|out\s+of\s+|(?:points?\s+)?on\s+a\s+scale\s+(?:of|from)\s+[01]\s*"
    r"(?:-|to)\s*)(?:100?)(?!\w|/|[.,]\d)",
    re.IGNORECASE,
)
_ENDS_WELL = late(
    r"[\s)\]}\"'$]*(?:$|[.,;!?|\n-](?!\d)|\(|(?:points?|pts|stars|punkte|because|since|as|for|given|overall|in)\b)",
    re.IGNORECASE,
)
_BARE_END = late(r"[\s)\]}\"'$>.!|]*(?:points?|pts|punkte|点|點|分|점)?[\s)\]}\"'$>.!|]*", re.IGNORECASE)
_WORD_BEFORE = late(r"([^\W\d_]+)[ \t]*$")

_ORDINARY_POINT = late(
    "key|main|data|percentage|decimal|basis|starting|turning|talking|bullet|boiling|melting|freezing|access|end|focal"
    "|strong|weak|important|first|second|third|next|this|that|another|every|each|good|valid|one|no|some|any"
)
"""Matches "point" as an ordinary word, recognised by the words around it."""
_OF_THE_REPLY = late(
    "|final|overall|my|total|relevance|relevancy|confidence|the|a|assigned|quality|so|answer|evaluation|response|reply"
    "|document|usefulness|importance|point|score|your|estimated|numeric|numerical|resulting|proposed|suggested"
)
"""Matches words that may precede the reply's own "score" or a synonym; a "test score", however, may be a finding."""


def read_point(text: str) -> int | None:
    """Return the point (0..100) of a reply, or None if it cannot be read without guessing.

    These sources are tried in order: a JSON key "point", a marker with a separator ("Point: 85", "Score (0-10): 8"), a
    marker in a sentence ("a score of 85"), "I would give it 85" and "8/10", and a line with nothing but a number.
    Within a source, the last value is used. Values on another scale are converted to 0..100, ranges to their midpoint;
    a value slightly out of range becomes 0 or 100. Never raises; takes time linear in the length of the text.
    """
    text = folded(_shortened(without_thoughts(text)))
    for kind in _KINDS:
        found = next(kind(text), None)
        if found:
            return found.point
    return _alone_of_scale(text, _alone_in_line(text))


def _shortened(text: str) -> str:
    return text if len(text) <= 2 * _LONGEST else f"{text[:_LONGEST]}\n{text[-_LONGEST:]}"


def _of_keys(text: str) -> Iterator[Value]:
    """Yield values after the key "point" in possibly broken JSON."""
    for key in reversed(list(_KEY.finditer(text))):
        if value := value_at(text, key.end()):
            yield value


def _after_markers(text: str, *, of_reply: bool) -> Iterator[Value]:
    """Yield values after a marker and a separator, last value first.

    Without `of_reply`, the markers are those that may refer to something else: "Match score: 85", "Test score: 85".
    """
    for marker in _markers(text, of_reply=of_reply):
        after = _AFTER_MARKER.match(text, marker.end())
        if not after:
            continue
        value = value_at(text, after.end(), scale_of(after["hint"] or "")) or value_in_parentheses(text, after.end())
        if value:
            yield value


def _of_sentences(text: str) -> Iterator[Value]:
    """Yield values that a sentence connects with a marker: "the score for this is 85"."""
    for marker in _markers(text, of_reply=True):
        said = _SAID_AFTER_MARKER.match(text, marker.end())
        value = value_at(text, said.end()) if said else None
        if value and value.point is not None and _ENDS_WELL.match(text, value.end):
            yield value


def _of_judgements(text: str) -> Iterator[Value]:
    """Yield values after "on a scale of 1 to 10" or "I would give it"."""
    for scale in reversed(list(_ON_A_SCALE.finditer(text))):
        value = value_at(text, scale.end(), int(scale["top"]))
        if value and value.point is not None and _ENDS_WELL.match(text, value.end):
            yield value
    for judged in reversed(list(_JUDGED.finditer(text))):
        value = value_at(text, judged.end())
        if value and value.point is not None and _ENDS_WELL.match(text, value.end):
            yield value


def _markers(text: str, *, of_reply: bool) -> Iterator[re.Match[str]]:
    for marker in reversed(list(_MARKER.finditer(text))):
        before = _WORD_BEFORE.search(text[max(0, marker.start() - 30) : marker.start()])
        word = before[1].lower() if before else ""
        if marker["point"]:
            fits = of_reply and not _ORDINARY_POINT.fullmatch(word)
        else:
            fits = bool(_OF_THE_REPLY.fullmatch(word)) == of_reply
        if fits:
            yield marker


def _alone_in_line(text: str) -> set[int]:
    """Return the scores that are alone on the first or last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    points = set()
    for line in {0: lines[0], -1: lines[-1]}.values() if lines else ():
        value = value_at(line, 0) if len(line) <= 60 else None
        if value and value.point is not None and _BARE_END.fullmatch(line, value.end):
            points.add(value.point)
    return points


def _alone_of_scale(text: str, alone: set[int]) -> int | None:
    """Return the only point on a line by itself, otherwise the only value out of 10 or out of 100; None if several
    are found.
    """
    points = alone
    if not points:
        values = (value_at(text, found.start()) for found in _OF_TEN_OR_HUNDRED.finditer(text))
        points = {
            value.point for value in values if value and value.point is not None and _ENDS_WELL.match(text, value.end)
        }
    return points.pop() if len(points) == 1 else None


_KINDS: tuple[Callable[[str], Iterator[Value]], ...] = (
    _of_keys,
    partial(_after_markers, of_reply=True),
    partial(_after_markers, of_reply=False),
    _of_sentences,
    _of_judgements,
)
"""The ways in which a point may be written, most reliable first."""
