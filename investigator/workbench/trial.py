"""Tries a template on one use: sends it to an engine like any other call, and evaluates the reply as the method
does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from investigator.asking.budget import BudgetSpent
from investigator.engines.base import Engine, guessed_tokens
from investigator.engines.roles import Role, role_of
from investigator.errors import RunError, UserError
from investigator.proof.quotes import Load, Sources
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckReply,
    CheckVariables,
    QuestionVariables,
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
from investigator.store.journal import TRIAL, Journal, Runs
from investigator.tracing.base import RunTrace, RunTraces
from investigator.workbench.records import TriedQuote, TriedReply
from investigator.workbench.uses import FoundUses, TemplateUse, WatchedCalls, uses_in


class Trial:
    """Sends templates to an engine for one use. The calls are journaled and share one limit. Created by `trial`."""

    def __init__(
        self,
        use: TemplateUse,
        journal: Journal,
        engines: Mapping[Role, Engine],
        trace: RunTrace,
        day: str,
    ) -> None:
        if use.reply_type is None:
            raise UserError(
                f"{use.name} is not sent to an engine separately", hint="To see the prompt: investigator prompts render"
            )
        self._use, self._journal, self._engines, self._trace, self._day = use, journal, engines, trace, day

    def put(self, parts: Parts) -> TemplateUse:
        """Render the use with the templates of `parts`, send the prompt, and return the use with the reply.

        Raises any error that a call raises, and RunError if a limit is reached.
        """
        use, watched = self._use, WatchedCalls()
        client = parts.client(self._engines, self._journal, trace=RunTraces((self._trace, watched)), day=self._day)
        try:
            client.ask(use.name, use.variables, use.reply_type or Record)
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
            journal = parts.journal(database, run.id, reuse=not fresh)
            yield Trial(use, journal, engines, trace, found.record.setup.day)


def judged(use: TemplateUse, source: str, load: Load) -> TriedReply:
    """Return a use, completed with the evaluation of its reply: the record, the point, and the proof of what it says,
    which looks up quotes in the documents that `load` returns.
    """
    reading, first = use.reading(), use.first_reading()
    reply = use.replies[0]
    return TriedReply(
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
        point=_point(reading.value),
        quotes=tuple(_proofs(use.variables, reading.value, Sources(load))),
    )


def about(variables: Record) -> str:
    """Return the question in a template's variables."""
    match variables:
        case QuestionVariables():
            return variables.purpose
        case AskVariables():
            return next((one.question for one in variables.documents if one.question), variables.main_question)
        case RowVariables():
            return "; ".join(variables.questions)
    asked = getattr(variables, "question", "")
    return asked if isinstance(asked, str) else ""


def _point(value: Record | None) -> int | None:
    """Return the point of the only reading in a reply; None if there are several or none."""
    readings = value.readings if isinstance(value, AskReply) else ()
    return readings[0].point if len(readings) == 1 else None


def _proofs(variables: Record, value: Record | None, sources: Sources) -> Iterator[TriedQuote]:
    """Yield each quote of a reading with its place, each statement of an answer with its evidence, and each judgement
    of a check.
    """
    match variables, value:
        case AskVariables() as asked, AskReply() as reply:
            known = [document.document_id for document in asked.documents]
            for one in reply.readings:
                name = known[0] if len(known) == 1 else resolved(one.document, known)
                if name is not None:
                    yield from _looked_up(asked.documents[known.index(name)], one.quotes, sources)
        case RowVariables() as asked, RowReply() as reply:
            yield from _looked_up(asked.document, [quote for cell in reply.answers for quote in cell.quotes], sources)
        case AnswerVariables() as asked, AnswerReply() as reply:
            yield from _cited(reply, {name: one.document_id for one in asked.documents for name in one.ids})
        case CheckVariables() as asked, CheckReply() as reply:
            texts = {statement.number: statement.text for statement in asked.statements}
            for check in reply.statements:
                is_supported = check.support is Support.SUPPORTED
                problem = "" if is_supported else f"{check.support} {check.reason}".strip()
                place = check.support.value if is_supported else ""
                yield TriedQuote(text=texts.get(check.number, ""), place=place, problem=problem)


def _looked_up(document: ShownDocument, texts: Sequence[str], sources: Sources) -> Iterator[TriedQuote]:
    quotes, failed = located(document, texts, sources)
    yield from (TriedQuote(text=quote.text, place=quote.place) for quote in quotes)
    yield from (TriedQuote(text=text, problem="is not in the passages") for text in failed)


def _cited(reply: AnswerReply, documents: Mapping[str, str]) -> Iterator[TriedQuote]:
    """Yield the statements of an answer with the evidence that they cite; `documents` maps ids of evidence."""
    sides = (side for one in reply.disagreements for side in one.sides)
    for statement in (*((reply.lead,) if reply.lead is not None else ()), *reply.details, *sides):
        cited = [f"{documents[name]} [{name}]" for name in statement.evidence if name in documents]
        problem = "" if cited else "cites no evidence that was shown"
        yield TriedQuote(text=statement.text, place=", ".join(cited), problem=problem)


def _digest(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()
