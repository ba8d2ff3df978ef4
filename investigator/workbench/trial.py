"""Tries a template on one use: sends it to an engine like any other call, and evaluates the reply as the method
does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from investigator.asking.budget import BudgetSpent
from investigator.engines.base import guessed_tokens
from investigator.engines.roles import role_of
from investigator.errors import RunError, UserError
from investigator.investigator import Investigator
from investigator.proof.quotes import Load, Sources
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckReply,
    CheckVariables,
    Record,
    RowReply,
    RowVariables,
    ShownDocument,
    Support,
    Usage,
)
from investigator.research.planner import resolved
from investigator.research.query import located
from investigator.services.parts import Parts
from investigator.services.run_records import as_it_began
from investigator.store.journal import TRIAL, Runs
from investigator.tracing.base import RunTraces
from investigator.workbench.records import TriedQuote, TriedReply
from investigator.workbench.uses import FoundUses, TemplateUse, WatchedCalls


@contextmanager
def trial(
    uses: FoundUses, use: TemplateUse, investigator: Investigator, now: datetime, *, fresh: bool
) -> Iterator[tuple[Callable[[Parts], TemplateUse], Callable[[], Usage]]]:
    """Open the trial for a use; an identical trial is resumed at no extra cost, unless `fresh` is set.

    Yields a function that sends the template of some parts and returns the use with the reply, and one that returns the
    cost so far, across all processes. Raises UserError if no engine replies to the template, SettingsError if the cost
    is limited and a price is unknown, and StoreError.
    """
    if use.reply_type is None:
        raise UserError(
            f"{use.name} is not sent to an engine separately", hint="To see the prompt: investigator prompts render"
        )
    parts, engine = investigator.parts, investigator.engines[role_of(use.name)]
    parts.check_prices([engine])
    digest = _digest(engine.name, use.name, use.variables.model_dump_json())
    blank = as_it_began(uses.record).changed(id=f"{now:%Y%m%d-%H%M%S}-{_digest(digest, now.isoformat())[:6]}")
    with uses.folder.runs.held(f"{TRIAL}{digest}") as database:
        run = Runs(database).open(f"{TRIAL}{digest}", "", blank, now.astimezone(UTC).isoformat(), fresh=fresh)
        tracer = parts.tracer(investigator.folder)
        with tracer.run(run.id, uses.record.question, engine.name, resumed=run.resumed) as trace:
            journal = parts.journal(database, run.id, reuse=not fresh)

            def put(tried: Parts) -> TemplateUse:
                watched = WatchedCalls()
                traces = RunTraces((trace, watched))
                client = tried.client(investigator.engines, journal, trace=traces, day=uses.record.setup.day)
                try:
                    client.ask(use.name, use.variables, use.reply_type or Record)
                except BudgetSpent as spent:
                    hint = "Raise the limit to continue; replies are kept."
                    raise RunError(f"the limit on {spent.reason} was reached", hint=hint) from spent
                return watched.uses()[0]

            yield put, journal.usage


def judged(use: TemplateUse, source: str, load: Load) -> TriedReply:
    """Return a use, completed with the evaluation of its reply: the record, the point, and the proof of what it says,
    which looks up quotes in the documents that `load` returns.
    """
    reading, first = use.reading(), use.first_reading()
    reply, readings = use.replies[0], reading.value.readings if isinstance(reading.value, AskReply) else ()
    return TriedReply(
        source=source,
        engine=use.engine,
        prompt=use.text,
        prompt_tokens=reply.input_tokens or guessed_tokens(use.text),
        reply=reply.text,
        reply_tokens=reply.output_tokens,
        seconds=sum(reply.seconds for reply in use.replies),
        value=reading.value.model_dump_json(exclude_none=True) if reading.value is not None else "",
        problem=first.problem,
        repaired=bool(first.problem) and not reading.problem,
        point=readings[0].point if len(readings) == 1 else None,
        quotes=tuple(_proofs(use.variables, reading.value, Sources(load))),
    )


def _proofs(variables: Record, value: Record | None, sources: Sources) -> Iterator[TriedQuote]:
    """Yield each quote of a reading with its place, each statement of an answer with its evidence, and each judgement
    of a check.
    """
    match variables, value:
        case AskVariables(), AskReply():
            documents = {document.document_id: document for document in variables.documents}
            for reading in value.readings:
                name = resolved(reading.document, list(documents)) if len(documents) > 1 else next(iter(documents))
                if name is not None:
                    yield from _looked_up(documents[name], reading.quotes, sources)
        case RowVariables(), RowReply():
            yield from _looked_up(
                variables.document, [quote for cell in value.answers for quote in cell.quotes], sources
            )
        case AnswerVariables(), AnswerReply():
            evidence = {name: document.document_id for document in variables.documents for name in document.ids}
            lead = (value.lead,) if value.lead is not None else ()
            for statement in (*lead, *value.details, *(side for entry in value.disagreements for side in entry.sides)):
                cited = ", ".join(f"{evidence[name]} [{name}]" for name in statement.evidence if name in evidence)
                problem = "" if cited else "cites no evidence that was shown"
                yield TriedQuote(text=statement.text, place=cited, problem=problem)
        case CheckVariables(), CheckReply():
            texts = {statement.number: statement.text for statement in variables.statements}
            for check in value.statements:
                verdict = f"{check.support} {check.reason}".strip()
                is_supported = check.support is Support.SUPPORTED
                place, problem = (check.support.value, "") if is_supported else ("", verdict)
                yield TriedQuote(text=texts.get(check.number, ""), place=place, problem=problem)


def _looked_up(document: ShownDocument, texts: Sequence[str], sources: Sources) -> Iterator[TriedQuote]:
    quotes, failed = located(document, texts, sources)
    yield from (TriedQuote(text=quote.text, place=quote.place) for quote in quotes)
    yield from (TriedQuote(text=text, problem="is not in the passages") for text in failed)


def _digest(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()
