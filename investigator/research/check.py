"""Checks the statements of an answer in a second, separate reading: each against its quotes, the whole against the
question. The program adds only notes on figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_check
from investigator.errors import EngineError, ReplayError
from investigator.language.normalise import one_line
from investigator.proof.figures import figure_notes
from investigator.proof.quotes import Load
from investigator.records import (
    CheckedStatement,
    CheckReply,
    CheckVariables,
    Decision,
    Fit,
    NotStated,
    Part,
    PartStatus,
    Statement,
    StatementCheck,
    Support,
    SurveyRow,
)
from investigator.research.answer import Draft
from investigator.research.evidence import evidence_documents, merged_evidence

_TOGETHER = 40
"""Number of statements that are checked in one call."""


@dataclass(frozen=True)
class Check:
    """The outcome of a check: the judgement on each statement by its number, and on the whole.

    `failure` says why there is none.
    """

    judgements: Mapping[int, StatementCheck] = field(default_factory=dict)
    fit: Fit = Fit.UNCHECKED
    open_parts: tuple[int, ...] = ()
    reason: str = ""
    failure: str = ""


@dataclass(frozen=True)
class Checking:
    """The context of the statements to check: the question and its parts, what is not stated, and how many documents
    were read. Without parts only the statements are judged. The statement with the number `sums_up` is judged by the
    quotes of all others too.
    """

    question: str
    parts: Sequence[Part] = ()
    not_stated: Sequence[NotStated] = ()
    read: int = 0
    total: int = 0
    sums_up: int = 0
    questions: Mapping[int, str] = field(default_factory=dict)


def check(
    client: EngineClient,
    statements: Sequence[Statement],
    load: Load,
    checking: Checking,
) -> Check:
    """Return the judgement on statements, numbered from 1; further calls check those beyond the first forty.

    A call that fails leaves its statements unchecked. Raises TemplateError, StoreError, ReplayError, and the signal
    BudgetSpent.
    """
    whole = Check()
    for first in range(0, max(1, len(statements)), _TOGETHER):
        some = list(enumerate(statements, start=1))[first : first + _TOGETHER]
        later = replace(checking, parts=(), not_stated=()) if first else checking
        variables = _variables(some, load, later)
        try:
            reading = client.ask("answer/check", variables, CheckReply, smaller=less_to_check)
        except ReplayError:
            raise
        except EngineError as error:
            outcome = Check(failure=error.message)
        else:
            outcome = _outcome(reading.value, variables)
        judgements, failure = {**whole.judgements, **outcome.judgements}, whole.failure or outcome.failure
        whole = replace(whole if first else outcome, judgements=judgements, failure=failure)
    return whole


def _outcome(reply: CheckReply | None, variables: CheckVariables) -> Check:
    if reply is None:
        return Check(failure="the reply to the check could not be read")
    if variables.statements and not reply.statements:
        return Check(failure="the reply to the check judges no statement")
    return Check(
        judgements={judgement.number: judgement for judgement in reply.statements},
        fit=reply.answers,
        open_parts=tuple(number for number in reply.open_parts if 1 <= number <= len(variables.parts)),
        reason=one_line(reply.reason),
    )


def _variables(statements: Sequence[tuple[int, Statement]], load: Load, checking: Checking) -> CheckVariables:
    cited = [quote for _, statement in statements for quote in statement.quotes]
    cited += [quote for entry in checking.not_stated for quote in entry.quotes]
    evidence = merged_evidence(cited, load)
    return CheckVariables(
        question=checking.question,
        parts=tuple(part.question for part in checking.parts),
        statements=tuple(
            CheckedStatement(
                number=number,
                text=f"{statement.head}: {statement.text}" if statement.head else statement.text,
                evidence=evidence.ids_of(cited if number == checking.sums_up else statement.quotes),
                verbatim=statement.support is Support.VERBATIM,
                notes=statement.notes,
                question=checking.questions.get(number, ""),
            )
            for number, statement in statements
        ),
        not_stated=tuple(entry.text for entry in checking.not_stated),
        documents=evidence_documents(evidence.quotes, load),
        read=checking.read,
        total=checking.total,
    )


def judged(statement: Statement, judgement: StatementCheck | None) -> Statement:
    """Return a statement with the judgement of a check; a verbatim statement needs none."""
    if statement.support is Support.VERBATIM or judgement is None:
        return statement
    support = Support.SUPPORTED if judgement.support is Support.VERBATIM else judgement.support
    reason = "" if support is Support.SUPPORTED else one_line(judgement.reason)
    return statement.changed(support=support, reason=reason)


def corrected(statement: Statement, judgement: StatementCheck | None) -> Statement:
    """Return a statement with the judgement of a check. Of one that is supported in part, only what the check keeps of
    it remains, unless that has figures of its own that stand in no quote.
    """
    after = judged(statement, judgement)
    if judgement is None or after.support is not Support.IN_PART:
        return after
    kept = one_line(judgement.corrected).removeprefix(f"{statement.head}:").strip()
    if not kept or figure_notes(kept, [quote.text for quote in statement.quotes], statement.text):
        return after
    return after.changed(text=kept, cells=(), support=Support.SUPPORTED, reason="", notes=())


def checked_draft(draft: Draft, outcome: Check) -> Draft:
    """Return a draft with the judgements on its lead and details, without the statements that are not supported.

    A part that the check finds open is no longer answered. If the statements do not answer the question at all, the
    first that is supported is shown as the nearest that the documents state, and the others are withheld, as what the
    check cut from a statement.
    """
    statements = _corrected(draft.statements, outcome)
    cut = [
        before.changed(support=Support.IN_PART, reason=one_line(outcome.judgements[number].reason))
        for number, (before, after) in enumerate(zip(draft.statements, statements, strict=True), start=1)
        if before.text != after.text
    ]
    lead = statements[0] if draft.lead is not None else None
    details = tuple(statements[1:] if draft.lead is not None else statements)
    parts = _parts_after(draft.parts, outcome)
    not_stated = draft.not_stated
    unfit: tuple[Statement, ...] = ()
    if outcome.fit is Fit.NO and statements:
        nearest, *others = [statement for statement in statements if statement.is_shown] or statements[:1]
        text = outcome.reason or (nearest.text if nearest.is_shown else "")
        not_stated = (*not_stated, *([NotStated(text=text, quotes=nearest.quotes)] if text else []))
        lead, details, unfit = None, (), tuple(others)
    return replace(
        draft,
        lead=lead if lead is not None and lead.is_shown else None,
        details=tuple(statement for statement in details if statement.is_shown),
        parts=parts,
        not_stated=not_stated,
        withheld=(*draft.withheld, *cut, *unfit, *(entry for entry in statements if not entry.is_shown)),
    )


def checked_rows(rows: Sequence[SurveyRow], outcome: Check, first: int) -> tuple[SurveyRow, ...]:
    """Return the rows of a survey with the judgements on their statements, which are numbered from `first`.

    A row whose statement is not supported is unclear.
    """
    number, result = first, []
    for row in rows:
        if row.statement is None:
            result.append(row)
            continue
        statement = corrected(row.statement, outcome.judgements.get(number))
        number += 1
        decision = row.decision if statement.is_shown else Decision.UNCLEAR
        result.append(row.changed(statement=statement, decision=decision))
    return tuple(result)


def refusal(draft: Draft, outcome: Check) -> tuple[str, ...]:
    """Return the reasons for which the lead of a draft was refused in whole or in part, with the other statements that
    were; () if it was not.
    """
    statements = _corrected(draft.statements, outcome)
    refused = [statement for statement in statements if statement.support in (Support.UNSUPPORTED, Support.IN_PART)]
    if draft.lead is None or not refused or refused[0] is not statements[0]:
        return ()
    return tuple(f"{statement.text}: {statement.reason or 'not supported'}" for statement in refused)


def _corrected(statements: Iterable[Statement], outcome: Check) -> list[Statement]:
    judgements = outcome.judgements
    return [corrected(statement, judgements.get(number)) for number, statement in enumerate(statements, start=1)]


def _parts_after(parts: Sequence[Part], outcome: Check) -> tuple[Part, ...]:
    if outcome.fit is Fit.NO:
        return tuple(part.changed(status=PartStatus.NOT_STATED) for part in parts)
    reopened = set(outcome.open_parts)
    if outcome.fit is Fit.IN_PART and len(parts) == 1:
        reopened = {1}
    return tuple(
        part.changed(status=PartStatus.IN_PART) if number in reopened and part.status is PartStatus.ANSWERED else part
        for number, part in enumerate(parts, start=1)
    )
