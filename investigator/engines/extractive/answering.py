"""The answer: the strongest quotes as they stand, without repetition."""

from __future__ import annotations

from investigator.records import AnswerReply, AnswerVariables, Evidence, ProposedClaim
from investigator.text.terms import content_words, stem

_MOST_CLAIMS = 6
_BEHIND_BEST = 30
_SAME = 0.7


def answer(variables: AnswerVariables) -> AnswerReply:
    """Each claim is one quote, word for word; the strongest first, quotes of the same content only once."""
    chosen: list[Evidence] = []
    ranked = sorted(variables.evidence, key=lambda item: -item.point)
    best = ranked[0].point if ranked else 0
    for item in ranked:
        if len(chosen) < _MOST_CLAIMS and item.point >= best - _BEHIND_BEST and not _repeats(item, chosen):
            chosen.append(item)
    return AnswerReply(
        claims=tuple(ProposedClaim(text=" ".join(item.text.split()), evidence=(item.id,)) for item in chosen)
    )


def _repeats(item: Evidence, chosen: list[Evidence]) -> bool:
    return any(_overlap(item.text, other.text) >= _SAME for other in chosen)


def _overlap(first: str, second: str) -> float:
    """Share of the shorter text's words that stand in the other."""
    a, b = ({stem(word) for word in content_words(text)} for text in (first, second))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
