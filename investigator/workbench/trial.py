"""Tries a template on one use: sends it to an engine like any other call, and evaluates the reply as the method
does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime

from investigator.asking.budget import BudgetSpent
from investigator.asking.repair import ReadReply
from investigator.engines.base import Engine, guessed_tokens
from investigator.engines.roles import Role, role_of
from investigator.errors import RunError, UserError
from investigator.evidence.quotes import Sources
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    Memory,
    QuestionVariables,
    Quote,
    Record,
    Usage,
)
from investigator.research.answer import sorted_by_proof
from investigator.research.query import DocumentQuery
from investigator.services.parts import Parts
from investigator.services.run_records import as_it_began
from investigator.store.journal import TRIAL, Journal, Runs
from investigator.tracing.base import RunTrace, RunTraces
from investigator.workbench.records import TriedQuote, TriedReply
from investigator.workbench.uses import FoundUses, TemplateUse, WatchedCalls, problem_with, uses_in


class Trial:
    """Sends templates to an engine for one use. The calls are journaled and share one limit. Created by `trial`."""

    def __init__(
        self, use: TemplateUse, journal: Journal, engines: Mapping[Role, Engine], trace: RunTrace, parts: Parts
    ) -> None:
        if use.reply_type is None:
            raise UserError(
                f"{use.name} is not sent to an engine separately", hint="To see the prompt: investigator prompts render"
            )
        self._use, self._journal, self._engines, self._trace, self._parts = use, journal, engines, trace, parts

    def put(self, parts: Parts) -> TemplateUse:
        """Render the use with the templates of `parts`, send the prompt, and return the use with the reply.

        Raises any error that a call raises, and RunError if a limit is reached.
        """
        use, watched = self._use, WatchedCalls()
        client = parts.client(self._engines, self._journal, trace=RunTraces((self._trace, watched)))
        try:
            client.ask(use.name, use.variables, use.reply_type or Record, problem_with=problem_with)
        except BudgetSpent as spent:
            raise RunError(
                f"the limit on {spent.reason} was reached", hint="Raise the limit to continue; replies are kept."
            ) from spent
        (made,) = uses_in(watched.calls)
        return made

    def usage(self) -> Usage:
        """Return the cost of this trial, across all its processes."""
        return self._journal.usage()


@contextmanager
def trial(
    found: FoundUses, use: TemplateUse, engines: Mapping[Role, Engine], parts: Parts, now: datetime, *, fresh: bool
) -> Iterator[Trial]:
    """Open the trial for a use; an identical trial is resumed at no extra cost, unless `fresh` is set. Raises
    SettingsError if the cost is limited and a price is unknown, and StoreError.
    """
    engine = engines[role_of(use.name)] if use.reply_type is not None else None
    parts.check_prices([engine] if engine is not None else [])
    name = engine.name if engine is not None else ""
    digest = _digest(name, use.name, use.variables.model_dump_json())
    blank = as_it_began(found.record).changed(id=f"{now:%Y%m%d-%H%M%S}-{_digest(digest, now.isoformat())[:6]}")
    with found.folder.runs.held(f"{TRIAL}{digest}") as database:
        run = Runs(database).open(f"{TRIAL}{digest}", "", blank, now.astimezone(UTC).isoformat(), fresh=fresh)
        with parts.tracer(found.root).run(run.id, found.record.question, name, resumed=run.resumed) as trace:
            yield Trial(use, parts.journal(database, run.id, reuse=not fresh), engines, trace, parts)


def judged(use: TemplateUse, found: FoundUses, source: str, engines: Mapping[Role, Engine], parts: Parts) -> TriedReply:
    """Return a use, completed with the evaluation of its reply: the record, the points, and the positions of the
    quotes.
    """
    reading, first = use.reading(), use.first_reading()
    reply = use.replies[0]
    tried = TriedReply(
        source=source,
        engine=use.engine,
        prompt=use.text,
        prompt_tokens=reply.input_tokens or guessed_tokens(use.text),
        reply=reply.text,
        reply_tokens=reply.output_tokens,
        seconds=sum(one.seconds for one in use.replies),
        value=reading.value.model_dump_json(exclude_none=True) if reading.value is not None else "",
        problem=first.problem,
        repaired=bool(first.problem) and not reading.problem,
    )
    match use.variables, reading.value:
        case AskVariables() as variables, AskReply() as value:
            return _with_finding(tried, variables, ReadReply(value, reading.raw), found, engines, parts)
        case AnswerVariables() as variables, AnswerReply() as value:
            return tried.changed(quotes=_claims(value, variables, found.record.memories))
    return tried


def about(variables: Record) -> str:
    """Return the question in a template's variables."""
    if isinstance(variables, QuestionVariables):
        return variables.purpose
    asked = getattr(variables, "sub_question", "") or getattr(variables, "question", "")
    return asked if isinstance(asked, str) else ""


def _with_finding(
    tried: TriedReply,
    variables: AskVariables,
    reading: ReadReply[AskReply],
    found: FoundUses,
    engines: Mapping[Role, Engine],
    parts: Parts,
) -> TriedReply:
    client = parts.client(engines, parts.memory_journal())
    query = DocumentQuery(
        variables.main_question,
        variables.mission,
        variables.needs,
        client,
        found.library,
        Sources(found.library.document),
        kind=found.record.kind,
    )
    finding = query.judged(variables, reading)
    own = query.read(reading, variables.passages).quotes
    proven = (quote for quote in finding.quotes if quote in own)  # only the model's quotes, not the search's
    stands = (TriedQuote(text=quote.text, place=quote.place) for quote in proven)
    failed = (
        TriedQuote(text=text, problem="is not in the passages, or proves nothing") for text in finding.failed_quotes
    )
    model_point = reading.value.point if reading.value is not None else None
    return tried.changed(point=finding.point, model_point=model_point, quotes=(*stands, *failed))


def _claims(reply: AnswerReply, variables: AnswerVariables, memories: tuple[Memory, ...]) -> tuple[TriedQuote, ...]:
    """Return the proven and the unproven statements of an answer."""
    by_words: dict[tuple[str, str], tuple[Memory, Quote]] = {}
    for memory in memories:
        for quote in memory.quotes:
            words = quote.said if quote.cell is not None else quote.text
            by_words.setdefault((quote.document_id, words), (memory, quote))
    known = {item.id: by_words.get((item.document_id, item.text)) for item in variables.evidence}
    sources = {name: source for name, source in known.items() if source is not None}
    claims, unproven = sorted_by_proof(reply.claims, sources, variables.question)
    return (
        *(TriedQuote(text=claim.text, place=claim.quotes[0].place) for claim in claims),
        *(TriedQuote(text=claim.text, problem=claim.reason) for claim in unproven),
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()
