"""Measures the check: how many false statements it accepts, and how many true ones it refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic

from pydantic import Field, StrictBool, StrictStr

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.engines.roles import Role
from investigator.evaluation.lines import ForeignRow, RowWithId, rows_by_id
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

_AT_ONCE = 20  # number of statements in a call
ACCEPTED = (Support.SUPPORTED, Support.VERBATIM)
"""The judgements by which a statement is accepted; one that is supported in part is shown, with the reason."""


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
    """The judgements on the true and the false statements of a kind; the kind of all statements is empty."""

    kind: str = ""
    truths: dict[Support, int]
    lies: dict[Support, int]


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


@dataclass
class ClaimsEvaluation:
    """Checks the statements of a file against their quotes, up to 20 in a call, by the engine for the role check."""

    rows: Sequence[ClaimRow]
    client: EngineClient
    _judged: list[tuple[ClaimRow, StatementCheck]] = field(default_factory=list)
    _seconds: float = 0.0

    def run(self) -> Iterator[Event]:
        """Check the statements, until a limit is reached. Raises the errors of `EngineClient.ask`."""
        began = monotonic()
        try:
            for start in range(0, len(self.rows), _AT_ONCE):
                rows = self.rows[start : start + _AT_ONCE]
                reply = self.client.ask("answer/check", variables_of(rows), CheckReply).value
                known = {check.number: check for check in (reply.statements if reply is not None else ())}
                for number, row in enumerate(rows, start=1):  # a statement that the reply leaves out is unchecked
                    self._judged.append((row, known.get(number, StatementCheck(number=number))))
                self._seconds = monotonic() - began
                yield Progressed(phase="statements", done=len(self._judged), total=len(self.rows))
        except BudgetSpent as spent:
            yield Notice(text=f"The limit on {spent.reason} was reached; the other statements are not measured.")

    def report(self) -> ClaimsReport:
        """Return the results for the statements that were checked."""
        kinds = dict.fromkeys(row.kind for row, _ in self._judged if row.kind)
        return ClaimsReport(
            checker=self.client.name(Role.CHECK),
            everything=self._counts(""),
            kinds=tuple(map(self._counts, kinds)),
            wrong=tuple(
                WrongCheck(id=row.id, statement=row.statement, support=check.support, reason=check.reason)
                for row, check in self._judged
                if (check.support is Support.UNSUPPORTED if row.is_true else check.support in ACCEPTED)
            ),
            usage=self.client.usage(),
            seconds=round(self._seconds, 3),
        )

    def _counts(self, kind: str) -> CheckCounts:
        judged = [(row.is_true, check.support) for row, check in self._judged if kind in ("", row.kind)]
        truths, lies = (Counter(support for known, support in judged if known is is_true) for is_true in (True, False))
        return CheckCounts(kind=kind, truths=truths, lies=lies)


def read_claims(file: Path) -> tuple[ClaimRow, ...]:
    """Read the statements in a JSONL file. Raises DataError."""
    return tuple(rows_by_id(file, ClaimRow, "statements").values())


def variables_of(rows: Sequence[ClaimRow]) -> CheckVariables:
    """Return the variables of the prompt that checks these statements; each row's quotes are a document."""
    names = (f"E{number}" for number in count(1))
    statements, documents = list[CheckedStatement](), list[EvidenceDocument]()
    for number, row in enumerate(rows, start=1):
        passages = tuple(_passage(given, next(names)) for given in row.evidence)
        document = EvidenceDocument(document_id=f"document {number}", passages=passages)
        quotes = [given.quote for given in row.evidence]
        statements.append(
            CheckedStatement(
                number=number,
                text=row.statement,
                evidence=document.ids,
                verbatim=row.statement in quotes,
                notes=figure_notes(row.statement, quotes, ""),
            )
        )
        documents.append(document)
    return CheckVariables(question="", statements=tuple(statements), documents=tuple(documents))


def _passage(given: GivenEvidence, name: str) -> EvidencePassage:
    before, quote, after = given.around.partition(given.quote)
    if not quote:  # the text around the quote does not contain it
        before, after = "", ""
    spans = (EvidenceSpan(text=before), EvidenceSpan(text=given.quote, id=name), EvidenceSpan(text=after))
    return EvidencePassage(spans=tuple(span for span in spans if span.text))
