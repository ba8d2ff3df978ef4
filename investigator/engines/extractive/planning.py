"""Plans which documents to read next: the best matches that have not been read yet."""

from __future__ import annotations

from investigator.records import PlanReply, PlanVariables, ProposedStep

_STRATEGY = "Read the documents whose passages match best."


def plan(variables: PlanVariables) -> PlanReply:
    """Return steps for the best matches that have not been read yet.

    Reading costs next to nothing, so documents are not left out for a poor match. A follow-up question gets the words
    of the question before it, because they name what it refers to.
    """
    question = _in_full(variables)
    chosen = sorted((card for card in variables.documents if not card.asked), key=lambda card: -card.match)
    steps = (ProposedStep(document_id=card.document_id, purpose=question) for card in chosen[: variables.step_limit])
    return PlanReply(question=question if variables.earlier else "", strategy=_STRATEGY, steps=tuple(steps))


def _in_full(variables: PlanVariables) -> str:
    before = [turn.question for turn in variables.earlier[-1:]]
    return " ".join(text.strip() for text in (*before, variables.question))
