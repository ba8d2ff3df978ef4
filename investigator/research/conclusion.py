"""Turns the last state of an investigation into its answer. Pure, except that the quotes are looked up again."""

from __future__ import annotations

from dataclasses import replace

from investigator.documents.fresh import FreshDocument
from investigator.proof.standing import LESS, Reread, standing_answer
from investigator.records import (
    SUMMARY,
    Answer,
    AnswerStatus,
    CheckOutcome,
    Disagreement,
    Fit,
    RunFacts,
    Support,
    Trust,
)
from investigator.research.answer import Draft, assembled
from investigator.research.answer_text import answer_text
from investigator.research.evidence import evidence_of
from investigator.research.state import State, stop_reason
from investigator.research.status import least, reason_of, status_of
from investigator.research.survey import decided_rows
from investigator.retrieval.library import Library

_NEAREST = 3
_MOST_NAMED = 5
_JUDGES = ("ask", "answer", "check")
"""The roles whose judgement decides what is called answered."""
_CHECKED = (Support.SUPPORTED, Support.IN_PART, Support.UNSUPPORTED)


def concluded(state: State, library: Library, reread: Reread | None, checker: str) -> Answer:
    """Return the answer of an investigation, with its quotes looked up again in the files.

    If a ceiling ended the run before an answer was complete, the readers' replies make up the answer. Raises StoreError
    and ReaderError.
    """
    if state.draft is None or (state.spent is not None and not state.is_written):
        state = sketched(state, library)
    answer = _answer(state, library, checker)
    answer = answer.changed(text=answer_text(answer))
    return answer if reread is None else answer_now(answer, reread)


def sketched(state: State, library: Library) -> State:
    """Return the state with an answer that is made of the readers' replies, its evidence, and the rows of a survey."""
    run, rows = state.run, state.rows
    evidence = evidence_of(state.history, state.others, library.document, state.settings.answer)
    if state.surveys:
        titles = {card.document_id: card.title for card in state.cards}
        rows = decided_rows(run.memories, state.undecided, titles, evidence, run.full_question)
    draft = assembled(run.memories, evidence, run.parts, run.full_question)
    return replace(state, evidence=evidence, rows=rows, draft=draft)


def _answer(state: State, library: Library, checker: str) -> Answer:
    run, draft, coverage = state.run, state.draft or Draft(), state.coverage
    shown = (*draft.statements, *(row.statement for row in state.rows if row.statement is not None))
    roles = _JUDGES if state.is_checked else _JUDGES[:2]
    trust = least([used.trust for used in run.setup.engines if used.role in roles])
    stop = stop_reason(state)
    likeliest = frozenset(card.document_id for card in state.cards[:_NEAREST])
    is_all_searched = state.read >= frozenset(state.document_ids) or (
        bool(run.wordings) and likeliest <= state.read | state.planned_from
    )
    # the check let nothing of the lead stand, or not all of it, and corrected nothing
    is_lead_refused = bool(state.refused) if draft.lead is None else draft.lead.support is Support.IN_PART
    status = status_of(
        draft.parts or run.parts,
        fit=state.fit,
        trust=trust,
        coverage=coverage,
        stop=stop,
        has_statements=bool(shown),
        has_disagreements=bool(draft.disagreements),
        is_lead_refused=is_lead_refused,
        is_unchecked=bool(state.failure),
        is_unfinished=bool(state.undecided) or (state.spent is not None and bool(state.open_steps)),
        is_all_searched=is_all_searched,
    )
    if status is AnswerStatus.PASSAGES_FOUND and draft.lead is not None:
        # a passage leads no answer, and its place names its document
        places = (any(each.head == quote.document_id for quote in each.quotes) for each in draft.details)
        details = (each.changed(head="") if known else each for each, known in zip(draft.details, places, strict=True))
        draft = replace(draft, lead=None, details=(draft.lead, *details))
    is_checked = any(statement.support in _CHECKED for statement in (*shown, *draft.withheld)) or state.fit is not (
        Fit.UNCHECKED
    )
    reason = reason_of(status, coverage, stop, draft.parts, len(run.wordings), trust)
    if trust is Trust.UNREAD and (missing := library.missing_words(run.full_question)):
        reason += f" No searched document contains: {', '.join(missing)}."
    is_blank = not shown and not draft.not_stated and state.document_ids
    nearest = library.hits(run.full_question, _NEAREST) if is_blank else ()
    addressed = dict.fromkeys(memory.target_document_id for memory in run.memories if memory.addressed)
    tainted = tuple(name for name in addressed if name != SUMMARY)
    return Answer(
        question=run.question,
        status=status,
        reason=f"{reason} The check failed: {state.failure}." if state.failure else reason,
        lead=draft.lead,
        details=draft.details,
        table=state.rows,
        parts=draft.parts,
        not_stated=draft.not_stated,
        disagreements=tuple(_dated(entry, library) for entry in draft.disagreements),
        nearest=tuple(hit.passage for hit in nearest),
        check=CheckOutcome(fit=state.fit, by=checker if is_checked else "", trust=trust, withheld=draft.withheld),
        coverage=coverage.changed(wordings=run.wordings, tainted=tainted),
        run=RunFacts(id=run.id, engine=run.setup.engine, day=run.setup.day, stop=stop),
    )


def _dated(disagreement: Disagreement, library: Library) -> Disagreement:
    """Return a disagreement with the date that the document of each side states."""
    return disagreement.changed(
        sides=tuple(
            side.changed(date=library.document(side.quotes[0].document_id).imprint.dated) for side in disagreement.sides
        )
    )


def answer_now(answer: Answer, reread: Reread) -> Answer:
    """Return an answer whose quotes are looked up again in the files: what lost its quotes is no longer answered, and
    the reason names the files.
    """
    fresh = reread(dict.fromkeys(quote.document_id for quote in answer.citations))
    now = standing_answer(answer, lambda _: fresh)
    if now is answer:
        return answer
    if lost := now.coverage.source_changed:
        status = _status_without(now)
        is_explained = status is answer.status or not answer.statements
        named = "; ".join(_since_then(name, fresh[name]) for name in lost[:_MOST_NAMED])
        more = f"; and {len(lost) - _MOST_NAMED:,} more" if len(lost) > _MOST_NAMED else ""
        reason = f"{answer.reason} " if is_explained else ""
        now = now.changed(status=status, reason=f"{reason}{named}{more}: ask again.")
    return now.changed(text=answer_text(now))


def _since_then(name: str, fresh: FreshDocument) -> str:
    if fresh.missing:
        return f"{name} is gone since this answer"
    if fresh.document is None:
        return f"{name} cannot be read since this answer ({fresh.problem})"
    return f"{name} has changed since this answer, and no longer contains the words quoted from it"


def _status_without(answer: Answer) -> AnswerStatus:
    """Return the status of an answer that lost quotes: never a better one than before."""
    if answer.status is AnswerStatus.NOT_FOUND or not answer.statements:
        return AnswerStatus.NOT_FOUND_SO_FAR  # the changed documents may contain the answer
    if answer.status is AnswerStatus.PREMISE_WRONG and answer.lead is None:
        return AnswerStatus.NOT_FOUND_SO_FAR
    return LESS.get(answer.status, answer.status)
