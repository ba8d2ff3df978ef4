"""Writes the answer from the evidence: a lead, details, what is not stated, and disagreements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_answer
from investigator.language.normalise import normalise, one_line
from investigator.proof.figures import figure_notes
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    Disagreement,
    Memory,
    NotStated,
    Part,
    PartStatus,
    ProposedDisagreement,
    ProposedStatement,
    Quote,
    Side,
    Statement,
    Support,
    Verdict,
)
from investigator.research.evidence import Evidence

_NO_EVIDENCE = "it cites no quote"
_QUOTATION = "\"'\u201c\u201d\u2018\u2019.,;: "
_BY_VERDICT: Mapping[Verdict, PartStatus] = {
    Verdict.ANSWERS: PartStatus.ANSWERED,
    Verdict.IN_PART: PartStatus.IN_PART,
    Verdict.PREMISE_WRONG: PartStatus.PREMISE_WRONG,
}


@dataclass(frozen=True)
class Draft:
    """An answer as it was written, before or after its check. `search` are texts to search for next."""

    lead: Statement | None = None
    details: tuple[Statement, ...] = ()
    parts: tuple[Part, ...] = ()
    not_stated: tuple[NotStated, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    withheld: tuple[Statement, ...] = ()
    search: tuple[str, ...] = ()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Return the lead and the details."""
        return (*((self.lead,) if self.lead is not None else ()), *self.details)

    @property
    def open_parts(self) -> tuple[Part, ...]:
        """Return the parts that a further search may answer: those not stated, and those in part if the writer names
        something to search for.
        """
        wanted = (PartStatus.NOT_STATED, PartStatus.IN_PART) if self.search else (PartStatus.NOT_STATED,)
        return tuple(part for part in self.parts if part.status in wanted)


def written(
    client: EngineClient, variables: AnswerVariables, evidence: Evidence, parts: Sequence[Part]
) -> Draft | None:
    """Return the answer that an engine writes, or None if its reply cannot be used.

    Statements that cite no quote are withheld. Raises EngineError, TemplateError, StoreError, and the signal
    BudgetSpent.
    """
    reading = client.ask("answer/answer", variables, AnswerReply, smaller=less_to_answer)
    reply = reading.value
    if reply is None:
        return None
    details = [_statement(proposed, evidence, variables.question) for proposed in reply.details]
    lead = None
    if reply.lead is not None and one_line(reply.lead.text):
        others = tuple(dict.fromkeys(quote for statement in details for quote in statement.quotes))
        quotes = evidence.cited(reply.lead.evidence) or others  # a lead that cites nothing sums up the details
        lead = noted(Statement(text=one_line(reply.lead.text), quotes=quotes), variables.question, others)
    every = (*((lead,) if lead is not None else ()), *details)
    refused = tuple(
        statement.changed(support=Support.UNSUPPORTED, reason=_NO_EVIDENCE)
        for statement in every
        if not statement.quotes
    )
    return Draft(
        lead=lead if lead is not None and lead.quotes else None,
        details=tuple(statement for statement in details if statement.quotes and statement.text),
        parts=_parts(parts, reply),
        not_stated=tuple(_not_stated(proposed, evidence) for proposed in reply.not_stated if proposed.text.strip()),
        disagreements=tuple(
            sides for proposed in reply.disagreements if (sides := _disagreement(proposed, evidence)) is not None
        ),
        withheld=refused,
        search=tuple(text for query in reply.search if (text := one_line(query))),
    )


def assembled(memories: Sequence[Memory], evidence: Evidence, parts: Sequence[Part], question: str) -> Draft:
    """Return an answer made of the replies of the readers, for a run without a writer: the best reply is the lead."""
    telling = sorted(
        (memory for memory in memories if memory.verdict.is_evidence and evidence.holding(memory.quotes, "E")),
        key=lambda memory: -(memory.point or 0),
    )
    statements = [
        noted(
            Statement(
                head=memory.target_document_id if number else "",
                text=one_line(memory.reply),
                quotes=evidence.holding(memory.quotes, "E"),
            ),
            question,
        )
        for number, memory in enumerate(telling)
        if one_line(memory.reply)
    ]
    verdicts = {memory.verdict for memory in telling}
    status = next((status for verdict, status in _BY_VERDICT.items() if verdict in verdicts), PartStatus.NOT_STATED)
    return Draft(
        lead=statements[0] if statements else None,
        details=tuple(statements[1:]),
        parts=tuple(part.changed(status=status) for part in parts),
    )


def noted(statement: Statement, question: str, others: Sequence[Quote] = ()) -> Statement:
    """Return a statement, marked as verbatim if it is the text of one of its quotes or of all together, apart from
    typography; otherwise with notes on its figures.

    A lead also sums up the quotes of the `others`. A figure in the name of a cited document needs no note, as the 10 of
    a form 10-Q.
    """
    own, texts = _bare(statement.text), [quote.text for quote in statement.quotes]
    if own and own in map(_bare, (*texts, " ".join(texts))):
        return statement.changed(support=Support.VERBATIM, notes=())
    quotes = (*statement.quotes, *others)
    known = " ".join([question, *(quote.document_id for quote in quotes)])
    notes = figure_notes(statement.text, [quote.text for quote in quotes], known)
    return statement.changed(support=Support.UNCHECKED, notes=notes)


def _bare(text: str) -> str:
    return " ".join(normalise(text).text.split()).strip(_QUOTATION).casefold()


def _statement(proposed: ProposedStatement, evidence: Evidence, question: str) -> Statement:
    quotes = evidence.cited(proposed.evidence)
    return noted(Statement(head=one_line(proposed.head), text=one_line(proposed.text), quotes=quotes), question)


def _parts(parts: Sequence[Part], reply: AnswerReply) -> tuple[Part, ...]:
    """Return the parts with their status; a part that the reply leaves out is not stated.

    A single part may be given under any number.
    """
    status = {entry.part: entry.status for entry in reply.parts}
    if len(parts) == 1 and len(status) == 1:
        status = {1: next(iter(status.values()))}
    return tuple(
        part.changed(status=status.get(number, PartStatus.NOT_STATED)) for number, part in enumerate(parts, start=1)
    )


def _not_stated(proposed: ProposedStatement, evidence: Evidence) -> NotStated:
    return NotStated(text=one_line(proposed.text), quotes=evidence.cited(proposed.evidence, "EN"))


def _disagreement(proposed: ProposedDisagreement, evidence: Evidence) -> Disagreement | None:
    """Return a disagreement; None unless two sides have quotes."""
    sides = tuple(
        Side(text=one_line(": ".join(filter(None, (side.head, side.text)))), quotes=quotes)
        for side in proposed.sides
        if (quotes := evidence.cited(side.evidence)) and side.text.strip()
    )
    if len(sides) < 2:
        return None
    return Disagreement(about=one_line(proposed.about), sides=sides, explanation=one_line(proposed.explanation))
