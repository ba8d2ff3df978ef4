"""Puts true and false statements with their quotes to the check of an engine, twenty in a call."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from models_rows import keep_row
from models_sides import Setup
from models_tables import markdown, share

from investigator.asking.client import EngineClient
from investigator.evaluation.lines import ForeignRow, RowWithId
from investigator.files.text_lines import json_rows
from investigator.proof.quotes import Source
from investigator.records import Document, Quote, Record, Statement, Support, Usage
from investigator.research.answer import noted
from investigator.research.check import Checking, check, judged
from investigator.services.parts import Parts

_TOGETHER = 20
_AROUND = 220


class GivenQuote(ForeignRow):
    """A quote, and the text around it."""

    quote: str
    around: str


class GivenStatement(RowWithId):
    """A statement with its evidence, and whether it is true."""

    statement: str
    evidence: tuple[GivenQuote, ...]
    true: bool
    kind: str = ""


class JudgedStatement(Record):
    """A statement, and what the check said of it."""

    id: str
    kind: str
    true: bool
    statement: str
    support: Support
    reason: str = ""


class CheckedStatements(Record):
    """The judgements on a file of statements, and their cost."""

    statements: tuple[JudgedStatement, ...]
    usage: Usage


def checked_statements(setup: Setup, arguments: argparse.Namespace) -> CheckedStatements:
    """Check the statements of a file as the method does, and store the judgements with the rows."""
    given = [row for _, row in json_rows(arguments.check, GivenStatement)]
    parts = Parts(setup.settings(), embedder=setup.embedder)
    engines = parts.engines(setup.model, None, Path.cwd())
    journal = parts.memory_journal()
    client = parts.client(engines, journal, day=datetime.now(UTC).date().isoformat())
    judgements = [
        judgement
        for first in range(0, len(given), _TOGETHER)
        for judgement in _checked(client, given[first : first + _TOGETHER])
    ]
    for judgement in judgements:
        keep_row(arguments.rows.with_suffix(".check.jsonl"), judgement)
    return CheckedStatements(statements=tuple(judgements), usage=journal.usage())


def _checked(client: EngineClient, given: Sequence[GivenStatement]) -> list[JudgedStatement]:
    """Return the judgements on some statements. The text around each quote is a document of its own."""
    documents = {_document(piece).id: _document(piece) for row in given for piece in row.evidence}
    quotes = [tuple(_quote(documents[_document(piece).id], piece) for piece in row.evidence) for row in given]
    statements = [noted(Statement(text=row.statement, quotes=own), "") for row, own in zip(given, quotes, strict=True)]
    outcome = check(client, statements, documents.__getitem__, _AROUND, Checking(question=""))
    if outcome.failure:
        print(f"A call failed: {outcome.failure}")
    after = [judged(statement, outcome.judgements.get(n)) for n, statement in enumerate(statements, start=1)]
    return [
        JudgedStatement(
            id=row.id, kind=row.kind, true=row.true, statement=row.statement, support=own.support, reason=own.reason
        )
        for row, own in zip(given, after, strict=True)
    ]


def _document(piece: GivenQuote) -> Document:
    text = piece.around if piece.quote in piece.around else f"{piece.quote}\n\n{piece.around}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(id=f"text-{digest[:6]}.txt", title="", media_type="text/plain", content_hash=digest, text=text)


def _quote(document: Document, piece: GivenQuote) -> Quote:
    quote = Source(document).quote(piece.quote)  # whole sentences, as in a run
    if quote is None:
        raise ValueError(f"no quote in its text: {piece.quote}")
    return quote


def statements_table(checked: CheckedStatements) -> str:
    """Return how the statements were judged: false ones that pass are worst, then true ones that are refused."""
    lines = [["statements", *Support]]
    for label, true in (("false", False), ("true", True)):
        own = [row for row in checked.statements if row.true is true]
        counts = [sum(row.support is support for row in own) for support in Support]
        lines.append([label, *(share(count, len(own)) for count in counts)])
    wrong = [row for row in checked.statements if row.true is (row.support is Support.UNSUPPORTED)]
    listed = [f"- {row.id} ({row.kind}): {row.support}, {row.reason or 'no reason'}" for row in wrong]
    usage = f"{checked.usage.calls} calls, {checked.usage.tokens:,} tokens"
    return "\n".join([markdown(lines), "", usage, *listed])
