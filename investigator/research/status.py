"""Decides the status of an answer from its parts, the check, the trust in the reader, and the coverage. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from investigator.asking.budget import CEILINGS
from investigator.records import AnswerStatus, Coverage, Fit, Part, PartStatus, StopReason, Trust

MAY_ANSWER = "These passages may answer the question; no graded reader has judged them."
_UNSUPPORTED = "These passages may answer the question; the quotes support no statement on it."


def least(trusts: Sequence[Trust]) -> Trust:
    """Return the lowest trust of several engines."""
    return min(trusts, key=list(Trust).index, default=Trust.UNGRADED)


def status_of(
    parts: Sequence[Part],
    *,
    fit: Fit,
    trust: Trust,
    coverage: Coverage,
    stop: StopReason,
    has_statements: bool,
    has_disagreements: bool,
    is_lead_refused: bool,
    is_all_searched: bool,
    is_unchecked: bool = False,
    is_unfinished: bool = False,
) -> AnswerStatus:
    """Return the status of an answer.

    Nothing is called answered that no trusted reader has read, that a ceiling or a failed check left unchecked, or
    while documents that were to be decided are not (`is_unfinished`); nothing is called absent unless every document
    could be searched, and a planner has seen those that are likeliest for several wordings, or all were read
    (`is_all_searched`): a question may share no word with the document that answers it.
    """
    if not trust.decides:
        return AnswerStatus.PASSAGES_FOUND if has_statements else AnswerStatus.NOT_FOUND_SO_FAR
    statuses = [part.status for part in parts]
    if PartStatus.ANSWERED in statuses or PartStatus.IN_PART in statuses:
        if not has_statements:
            return AnswerStatus.PASSAGES_FOUND
        is_cut = is_unchecked or (stop in CEILINGS and fit is Fit.UNCHECKED)
        is_whole = all(status is PartStatus.ANSWERED for status in statuses) and fit is not Fit.IN_PART and not is_cut
        if not is_whole or is_lead_refused or is_unfinished:
            return AnswerStatus.ANSWERED_IN_PART
        return AnswerStatus.CONFLICTING if has_disagreements else AnswerStatus.ANSWERED
    if PartStatus.PREMISE_WRONG in statuses and has_statements:
        return AnswerStatus.PREMISE_WRONG
    is_complete = is_all_searched and coverage.complete and stop not in CEILINGS
    return AnswerStatus.NOT_FOUND if is_complete else AnswerStatus.NOT_FOUND_SO_FAR


def reason_of(
    status: AnswerStatus,
    coverage: Coverage,
    stop: StopReason,
    parts: Sequence[Part],
    wordings: int,
    trust: Trust = Trust.UNGRADED,
) -> str:
    """Return one sentence that explains the status."""
    opened = [part.question for part in parts if part.status in (PartStatus.NOT_STATED, PartStatus.IN_PART)]
    match status:
        case AnswerStatus.ANSWERED:
            return "The statements answer every part of the question."
        case AnswerStatus.CONFLICTING:
            return "The statements answer the question, but the documents give different values."
        case AnswerStatus.ANSWERED_IN_PART:
            unread = f"{len(coverage.not_opened)} documents that were to be read are unread"
            lacking = "; ".join([*opened, *([unread] if coverage.not_opened else [])])
            return f"Not everything is answered: {lacking}" if lacking else "Not everything is answered."
        case AnswerStatus.PREMISE_WRONG:
            return "The question assumes something that the documents contradict."
        case AnswerStatus.PASSAGES_FOUND:
            return MAY_ANSWER if trust in (Trust.UNREAD, Trust.FAILED) else _UNSUPPORTED
    if trust is Trust.UNREAD and stop not in CEILINGS:
        return "No passage matches the question well, and no language model has read the documents."
    read, others = f"read {len(coverage.read)}", ", searched the others" if coverage.searched else ""
    if coverage.searched and not coverage.read:
        read, others = f"searched {len(coverage.searched)}", ""
    in_wordings = f" in {wordings + 1} wordings" if coverage.searched and wordings else ""
    searched = f"{read} of {coverage.total} documents{others}{in_wordings}"
    unreadable = sum(file.counts for file in coverage.unreadable)
    left = [
        f"a limit was reached ({stop})" if stop in CEILINGS else "",
        f"{len(coverage.not_opened)} not opened" if coverage.not_opened else "",
        f"{unreadable} unreadable" if unreadable else "",
    ]
    missing = ", ".join(filter(None, left))
    return f"Nothing answers the question: {searched}{f'; {missing}' if missing else ''}."
