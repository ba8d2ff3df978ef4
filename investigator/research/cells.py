"""Builds a matrix cell from an investigation limited to one document. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.evidence.cautions import shown
from investigator.evidence.own_statements import own_value
from investigator.questions.answer_types import expected_type, spans
from investigator.questions.own_properties import asked_property
from investigator.records import (
    Answer,
    AnswerStatus,
    CellStatus,
    Claim,
    Investigation,
    MatrixCell,
    Unreadable,
)

_STATUSES: Mapping[AnswerStatus, CellStatus] = {
    AnswerStatus.ANSWERED: CellStatus.STATED,
    AnswerStatus.CONFLICTING: CellStatus.UNCLEAR,
    AnswerStatus.ANSWERED_IN_PART: CellStatus.UNCLEAR,
    AnswerStatus.PASSAGES_FOUND: CellStatus.UNCLEAR,
    AnswerStatus.NOT_FOUND: CellStatus.NOT_STATED,
    AnswerStatus.NOT_FOUND_SO_FAR: CellStatus.UNCLEAR,
}


def cell_of(investigation: Investigation, document_id: str, number: int) -> MatrixCell:
    """Return the cell of a document for question `number`, from the investigation limited to that document."""
    answer = investigation.answer
    if answer is None:
        return unread_cell(document_id, number, "the investigation was stopped before the question was answered")
    status = _STATUSES[answer.status]
    if answer.status is AnswerStatus.NOT_FOUND_SO_FAR and not investigation.memories:
        status = CellStatus.NOT_READ
    best = answer.claims[0] if answer.claims else None
    listed = answer.claims if status is CellStatus.STATED else answer.claims[:1]
    return MatrixCell(
        document_id=document_id,
        question=number,
        status=status,
        value=_value(answer, best) if best is not None and status is CellStatus.STATED and len(listed) == 1 else "",
        answer="; ".join(dict.fromkeys(map(shown, listed))),
        quotes=tuple(dict.fromkeys(quote for claim in listed for quote in claim.quotes)),
        reason=answer.reason,
        run_id=investigation.id,
    )


def unread_cell(document_id: str, number: int, reason: str) -> MatrixCell:
    """Return the cell for a document that was not asked."""
    return MatrixCell(document_id=document_id, question=number, status=CellStatus.NOT_READ, reason=reason)


def unreadable_cell(file: Unreadable, number: int) -> MatrixCell:
    """Return the cell for a document that could not be read."""
    status = file.status.value.replace("_", " ")
    return unread_cell(file.path, number, f"{status}: {file.reason}" if file.reason else status)


def _value(answer: Answer, claim: Claim) -> str:
    """Return the value of a quoted table cell with its unit, or the words after the label of a document property.
    Otherwise, return the only value of the requested kind in a claim if the first quote contains it, or "".
    """
    if len(claim.quotes) == 1 and (cell := claim.quotes[0].cell) is not None:
        return cell.figure
    wanted = asked_property(answer.question, alone=True)
    if wanted is not None and (own := own_value(wanted, claim.quotes[0].text)):
        return own
    found = dict.fromkeys(spans(expected_type(answer.question), claim.text, answer.question))
    value = next(iter(found), "")
    return value if len(found) == 1 and value in claim.quotes[0].text else ""
