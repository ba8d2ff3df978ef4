"""Plans which documents to examine next: the best matches that have not been examined yet."""

from __future__ import annotations

from investigator.language.terms import stem, words
from investigator.records import DocumentCard, Need, PlanReply, PlanVariables, ProposedStep
from investigator.scoring.calibration import default_calibration

_SHARE_OF_BEST = 0.1
_FEWEST = 2


def plan(variables: PlanVariables) -> PlanReply:
    """Return steps for the best matches that have not been examined yet; none if no document is worth examining.

    The first round examines at least two documents, so that a poor match still gets a chance.
    """
    fresh = [card for card in variables.documents if not card.asked]
    best = max((card.match for card in variables.documents), default=0.0)
    bar = max(default_calibration().worth_asking, _SHARE_OF_BEST * best)
    chosen = [card for card in fresh if card.match >= bar]
    if not variables.past_strategies:
        chosen = chosen if len(chosen) >= _FEWEST else fresh[:_FEWEST]
    chosen = sorted(chosen, key=lambda card: -card.match)[: variables.step_limit]
    if not chosen:
        return PlanReply(strategy="No further document fits the question well enough to be asked.", steps=())
    return PlanReply(strategy=_strategy(variables), steps=tuple(_step(card, variables) for card in chosen))


def _strategy(variables: PlanVariables) -> str:
    if not variables.past_strategies:
        return "Ask the documents whose passages fit the question best."
    terms = [need.term for need in variables.needs if any(need.term in info for info in variables.unknown_infos)]
    asked = f"about {', '.join(terms[:3])}" if terms else "the open part of the question"
    return f"Round {len(variables.past_strategies) + 1}: ask the next documents {asked}."


def _step(card: DocumentCard, variables: PlanVariables) -> ProposedStep:
    return ProposedStep(
        document_id=card.document_id,
        purpose=variables.question.strip(),
        perspectives=", ".join(_perspectives(card, variables.needs)),
    )


def _perspectives(card: DocumentCard, needs: tuple[Need, ...]) -> list[str]:
    """Return the terms of the needs, and the headings in the document that contain one of their words."""
    terms = [need.term for need in needs]
    wanted = {stem(word) for term in terms for word in words(term)}
    headings = [h for h in card.headings if wanted & {stem(word) for word in words(h)} and len(h) <= 80]
    return list(dict.fromkeys((*terms, *headings[:3])))
