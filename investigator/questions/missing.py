"""Finds requested documents that the folder does not contain, such as "the report for 2022". Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from investigator.language.terms import folded, stem, words
from investigator.questions.imprints import agreement, counts_fiscal_years, covered, imprint_pattern
from investigator.questions.periods import Period, periods, spelled, spelled_periods
from investigator.records import Constraint, ConstraintKind, DocumentCard, MissingEdition

_NEAR = re.compile(r"[\s,'’s]*(?:(?:of|for|from|in|on|the|vom|zum|fur|de|del|pour|sur)\s+)*\s*")
"""Matches text that is allowed between a word for a document and its period."""
_NEAREST = 2


def missing_editions(
    question: str, asked: Sequence[Constraint], cards: Sequence[DocumentCard], is_held: Callable[[str], bool]
) -> tuple[MissingEdition, ...]:
    """Return the reports that a question requests by period or issuer, but that the folder does not contain. `asked`
    contains the constraints of the question; `is_held` returns True if any document contains a given word.
    """
    reports = [card for card in cards if card.imprint.kind and covered(card.imprint)]
    if not reports or not imprint_pattern("documents").search(folded(question)):
        return ()
    own = [card for card in reports if _is_named(card, question)]
    names = [one.text for one in asked if one.kind is ConstraintKind.ENTITY and _telling(one.text)]
    unknown = [name for name in names if not any(is_held(word) for word in _telling(name))]
    if unknown and not own and any(card.imprint.issuer for card in reports):
        name = re.sub(r"['’]s?$", "", unknown[0])
        return (MissingEdition(asked=f"report of {name}"),)
    own = own or reports
    fiscal = counts_fiscal_years(question)
    return tuple(
        MissingEdition(asked=f"report for {spelled(period)}", nearest=_nearest(period, own))
        for period in sorted(_editions(question), key=lambda one: (one.order, one))
        if not any(agreement(period, card.imprint, _name_periods(card), fiscal=fiscal) for card in own)
    )


def is_all_missing(question: str, missing: Iterable[MissingEdition]) -> bool:
    """Return True if all reports that a question asks for are missing."""
    found = tuple(missing)
    return bool(found) and (found[0].asked.startswith("report of ") or len(found) == len(_editions(question)))


def _editions(question: str) -> frozenset[Period]:
    """Return the periods that a question names next to a word for a document, such as "report"."""
    text, documents = folded(question), imprint_pattern("documents")
    found: set[Period] = set()
    for named in spelled_periods(question):
        for match in re.finditer(re.escape(named), text):
            before, after = text[: match.start()], text[match.end() :]
            if any(_NEAR.fullmatch(before[noun.end() :]) for noun in documents.finditer(before)) or any(
                _NEAR.fullmatch(after[: noun.start()]) for noun in documents.finditer(after)
            ):
                found |= periods(named)
    return frozenset(period for period in found if period.year)


def _telling(name: str) -> list[str]:
    """Return the words of a name, without single letters such as a possessive s."""
    return [word for word in words(name) if len(word) > 1]


def _is_named(card: DocumentCard, question: str) -> bool:
    own = {stem(word) for word in words(f"{card.imprint.issuer} {' '.join(card.imprint.symbols)}") if len(word) > 2}
    return not own.isdisjoint(stem(word) for word in words(question))


def _name_periods(card: DocumentCard) -> frozenset[Period]:
    return periods(f"{card.title} {card.document_id}")


def _nearest(period: Period, cards: Sequence[DocumentCard]) -> tuple[str, ...]:
    """Return the documents whose periods are nearest to the given period."""

    def months_away(card: DocumentCard) -> int:
        return min(abs(period.months - other.months) for other in covered(card.imprint))

    return tuple(card.document_id for card in sorted(cards, key=months_away)[:_NEAREST])
