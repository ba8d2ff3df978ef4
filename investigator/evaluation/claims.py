"""Measures the check: how many false statements it accepts, and how many true ones it refuses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import Field, StrictBool, StrictStr

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.engines.roles import Role
from investigator.evaluation.lines import ForeignRow, RowWithId, by_id, rows_of
from investigator.proof.figures import figure_notes
from investigator.records import (
    CheckedStatement,
    CheckReply,
    CheckVariables,
    Event,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    Notice,
    Progressed,
    Record,
    StatementCheck,
    Support,
    Usage,
)

_AT_ONCE = 20
"""Number of statements in a call."""


class GivenEvidence(ForeignRow):
    """A quote, and the text around it that contains it."""

    quote: StrictStr = Field(min_length=1)
    around: StrictStr = ""


class ClaimRow(RowWithId):
    """A statement, its quotes, and whether they support it."""

    statement: StrictStr = Field(min_length=1)
    evidence: tuple[GivenEvidence, ...]
    is_true: StrictBool = Field(alias="true")
    kind: str = ""


class CheckCounts(Record):
    """The judgements on the true and the false statements of a kind; the kind of all statements is empty.

    A statement that is judged supported in part is shown, with the reason.
    """

    kind: str = ""
    truths: int
    truths_refused: int
    truths_in_part: int
    lies: int
    lies_accepted: int
    lies_in_part: int
    unchecked: int


class WrongCheck(Record):
    """A statement that was judged wrongly: a false one that was accepted, or a true one that was refused."""

    id: str
    statement: str
    support: Support
    reason: str = ""


class ClaimsReport(Record):
    """How well a check tells true statements from false ones, for all statements and by kind, and its cost."""

    checker: str
    everything: CheckCounts
    kinds: tuple[CheckCounts, ...] = ()
    wrong: tuple[WrongCheck, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0


class ClaimsEvaluation:
    """Checks the statements of a file against their quotes, up to 20 in a call, by the engine for the role check."""

    def __init__(
        self, rows: Sequence[ClaimRow], client: EngineClient, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rows = tuple(rows)
        self._client = client
        self._clock = clock
        self._checks: dict[str, StatementCheck] = {}
        self._seconds = 0.0

    def run(self) -> Iterator[Event]:
        """Check the statements, until a limit is reached; `report` returns the results. Raises the errors of
        `EngineClient.ask`.
        """
        began = self._clock()
        try:
            for start in range(0, len(self._rows), _AT_ONCE):
                rows = self._rows[start : start + _AT_ONCE]
                self._checks |= {row.id: check for row, check in zip(rows, self._checked(rows), strict=True)}
                self._seconds = self._clock() - began
                yield Progressed(phase="statements", done=len(self._checks), total=len(self._rows))
        except BudgetSpent as spent:
            yield Notice(text=f"The limit on {spent.reason} was reached; the other statements are not measured.")

    def report(self) -> ClaimsReport:
        """Return the results for the statements that were checked."""
        rows = [row for row in self._rows if row.id in self._checks]
        kinds = dict.fromkeys(row.kind for row in rows if row.kind)
        return ClaimsReport(
            checker=self._client.name(Role.CHECK),
            everything=self._counts("", rows),
            kinds=tuple(self._counts(kind, [row for row in rows if row.kind == kind]) for kind in kinds),
            wrong=tuple(self._wrong(rows)),
            usage=self._client.usage(),
            seconds=round(self._seconds, 3),
        )

    def _checked(self, rows: Sequence[ClaimRow]) -> list[StatementCheck]:
        """Return the judgements of one call; a statement that the reply leaves out is unchecked."""
        reply = self._client.ask("answer/check", variables_of(rows), CheckReply).value
        known = {check.number: check for check in (reply.statements if reply is not None else ())}
        return [known.get(number, StatementCheck(number=number)) for number in range(1, len(rows) + 1)]

    def _counts(self, kind: str, rows: Sequence[ClaimRow]) -> CheckCounts:
        judged = [(row.is_true, self._checks[row.id].support) for row in rows]
        accepted = (Support.SUPPORTED, Support.VERBATIM)
        return CheckCounts(
            kind=kind,
            truths=sum(is_true for is_true, _ in judged),
            truths_refused=sum(is_true and support is Support.UNSUPPORTED for is_true, support in judged),
            truths_in_part=sum(is_true and support is Support.IN_PART for is_true, support in judged),
            lies=sum(not is_true for is_true, _ in judged),
            lies_accepted=sum(not is_true and support in accepted for is_true, support in judged),
            lies_in_part=sum(not is_true and support is Support.IN_PART for is_true, support in judged),
            unchecked=sum(support is Support.UNCHECKED for _, support in judged),
        )

    def _wrong(self, rows: Sequence[ClaimRow]) -> Iterator[WrongCheck]:
        for row in rows:
            check = self._checks[row.id]
            accepted = check.support in (Support.SUPPORTED, Support.VERBATIM)
            if accepted if not row.is_true else check.support is Support.UNSUPPORTED:
                yield WrongCheck(id=row.id, statement=row.statement, support=check.support, reason=check.reason)


def read_claims(file: Path) -> tuple[ClaimRow, ...]:
    """Read the statements in a JSONL file. Raises EvaluationDataError."""
    return tuple(by_id(file, "statements", rows_of(file, ClaimRow)).values())


def variables_of(rows: Sequence[ClaimRow]) -> CheckVariables:
    """Return the variables of the prompt that checks these statements; each row's quotes are a document."""
    statements: list[CheckedStatement] = []
    documents: list[EvidenceDocument] = []
    for number, row in enumerate(rows, start=1):
        first = sum(len(document.passages) for document in documents) + 1
        ids = tuple(f"E{first + place}" for place in range(len(row.evidence)))
        quotes = [one.quote for one in row.evidence]
        statements.append(
            CheckedStatement(
                number=number,
                text=row.statement,
                evidence=ids,
                verbatim=row.statement in quotes,
                notes=figure_notes(row.statement, quotes, ""),
            )
        )
        passages = tuple(_passage(one, name) for one, name in zip(row.evidence, ids, strict=True))
        documents.append(EvidenceDocument(document_id=f"document {number}", passages=passages))
    return CheckVariables(question="", statements=tuple(statements), documents=tuple(documents))


def _passage(given: GivenEvidence, name: str) -> EvidencePassage:
    before, quote, after = given.around.partition(given.quote)
    if not quote:  # the text around the quote does not contain it
        before, after = "", ""
    spans = (EvidenceSpan(text=before), EvidenceSpan(text=given.quote, id=name), EvidenceSpan(text=after))
    return EvidencePassage(spans=tuple(span for span in spans if span.text))
