"""Plans which documents to read next: the best matches that have not been read yet."""

from __future__ import annotations

from investigator.records import PlanReply, PlanVariables, ProposedStep

_SHARE_OF_BEST = 0.1
_FEWEST = 2
_STRATEGY = "Read the documents whose passages match best."


def plan(variables: PlanVariables) -> PlanReply:
    """Return steps for the best matches that have not been read yet; none if no document is worth reading.

    The first round reads at least two documents, so that a poor match still gets a chance. A follow-up question gets
    the words of the question before it, because they name what it refers to.
    """
    question = _in_full(variables)
    fresh = sorted((card for card in variables.documents if not card.asked), key=lambda card: -card.match)
    bar = _SHARE_OF_BEST * max((card.match for card in variables.documents), default=0.0)
    chosen = [card for card in fresh if card.match > 0 and card.match >= bar]
    if not variables.open_parts and len(chosen) < _FEWEST:
        chosen = fresh[:_FEWEST]
    steps = (ProposedStep(document_id=card.document_id, purpose=question) for card in chosen[: variables.step_limit])
    return PlanReply(question=question if variables.earlier else "", strategy=_STRATEGY, steps=tuple(steps))


def _in_full(variables: PlanVariables) -> str:
    before = [turn.question for turn in variables.earlier[-1:]]
    return " ".join(text.strip() for text in (*before, variables.question))
