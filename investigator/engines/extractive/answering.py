"""Answers with the strongest quotes, verbatim and without repetition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from investigator.engines.base import Embedder
from investigator.engines.extractive.candidates import nearness
from investigator.language.terms import content_words, is_english, stem, words
from investigator.questions.kinds import kind_of
from investigator.records import AnswerReply, AnswerVariables, Evidence, ProposedClaim, QuestionKind
from investigator.scoring.calibration import default_calibration, log_odds

_MOST_CLAIMS = 6
_MOST_OF_SUMMARY = 12
_MOST_OF_ONE_DOCUMENT = 3
_BEHIND_BEST = 20
_FAR_BEHIND = 5.0  # log odds; in everyday folders, no answer depended on a quote this far behind the best one
_LEAST_POINT = 1  # lower points are raised to this value, so that their odds do not outweigh the similarity
_SAME = 0.7


def answer(variables: AnswerVariables, embedder: Embedder) -> AnswerReply:
    """Return the strongest quotes as verbatim claims, without repeating content.

    The best quote from every document comes before any second quote, and the strongest document comes first. Within
    each document, `evidence` must list the best quotes first. If a reply is below the usual threshold, which happens
    only in small folders, the quotes nearest to the question come first.
    """
    if kind_of(variables.question) is QuestionKind.SUMMARY:
        return AnswerReply(claims=tuple(map(_verbatim, _shared_out(variables.evidence))))
    points = [item.point for item in variables.evidence]
    if min(points, default=0) < default_calibration().threshold and is_english(variables.question):
        ranked = _nearest_first(variables.question, variables.evidence, embedder)
    else:
        best = max(points, default=0)
        ranked = _turn_by_turn([item for item in variables.evidence if item.point >= best - _BEHIND_BEST])
    chosen: list[Evidence] = []
    for item in ranked:
        if len(chosen) < _MOST_CLAIMS and not _repeats(item, chosen):
            chosen.append(item)
    return AnswerReply(claims=tuple(map(_verbatim, chosen)))


def _nearest_first(question: str, evidence: Sequence[Evidence], embedder: Embedder) -> list[Evidence]:
    """Rank quotes by the odds of their replies and by their similarity to the question, keeping at most three per
    document.
    """
    model = default_calibration().nearness
    worth = [
        log_odds(max(item.point, _LEAST_POINT) / 100) + log_odds(model.chance(near))
        for item, near in zip(evidence, nearness(question, [item.text for item in evidence], embedder), strict=True)
    ]
    taken: Counter[str] = Counter()
    ranked = []
    for place in sorted(range(len(evidence)), key=lambda place: -worth[place]):
        taken[evidence[place].document_id] += 1
        if taken[evidence[place].document_id] <= _MOST_OF_ONE_DOCUMENT and worth[place] >= max(worth) - _FAR_BEHIND:
            ranked.append(evidence[place])
    return ranked


def _shared_out(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the first quotes from each document, in the order of the evidence; every document has the same quota."""
    most = max(1, _MOST_OF_SUMMARY // max(1, len({item.document_id for item in evidence})))
    taken: Counter[str] = Counter()
    chosen = []
    for item in evidence:
        if taken[item.document_id] < most:
            taken[item.document_id] += 1
            chosen.append(item)
    return chosen[:_MOST_OF_SUMMARY]


def _verbatim(item: Evidence) -> ProposedClaim:
    return ProposedClaim(text=" ".join(item.text.split()), evidence=(item.id,))


def _turn_by_turn(evidence: list[Evidence]) -> list[Evidence]:
    best: dict[str, int] = {}
    for item in evidence:
        best[item.document_id] = max(best.get(item.document_id, 0), item.point)
    turns: dict[str, int] = {}
    ranked: list[tuple[int, int, Evidence]] = []
    for item in evidence:
        turn = turns[item.document_id] = turns.get(item.document_id, 0) + 1
        ranked.append((turn, -best[item.document_id], item))
    ranked.sort(key=lambda entry: entry[:2])
    return [item for turn, _, item in ranked if turn <= _MOST_OF_ONE_DOCUMENT]


def _repeats(item: Evidence, chosen: list[Evidence]) -> bool:
    return any(
        _overlap(item.text, other.text) >= _SAME and not _figures_differ(item.text, other.text) for other in chosen
    )


def _figures_differ(first: str, second: str) -> bool:
    """Return True if each text has a figure that the other lacks, because they then contradict each other or differ in
    subject.
    """
    a, b = ({word for word in words(text) if any(char.isdigit() for char in word)} for text in (first, second))
    return bool(a - b and b - a)


def _overlap(first: str, second: str) -> float:
    """Return the share of the shorter text's words that also occur in the other text."""
    a, b = ({stem(word) for word in content_words(text)} for text in (first, second))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
