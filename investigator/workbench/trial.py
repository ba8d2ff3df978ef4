"""The records of the workbench, and the trial of a template on one use, which is sent to an engine like any other call
and evaluated as by the method.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Union

from pydantic import Field
from rich.text import Text

from investigator.asking.budget import BudgetSpent
from investigator.bb3.records import CONTRACTS
from investigator.engines.base import guessed_tokens
from investigator.engines.roles import role_of
from investigator.errors import RunError, UserError
from investigator.investigator import Investigator
from investigator.proof.quotes import Load, Sources
from investigator.records import (
    AskReply,
    AskVariables,
    ExtractReply,
    ExtractVariables,
    Record,
    RowReply,
    RowVariables,
    ShownDocument,
    Usage,
)
from investigator.reports.inert import inert, inert_line
from investigator.reports.wording import expected_line, plural
from investigator.research.planner import resolved
from investigator.research.query import located
from investigator.services.parts import Parts
from investigator.services.run_records import as_it_began
from investigator.store.journal import TRIAL, Runs
from investigator.tracing.base import RunTraces
from investigator.workbench.uses import FoundUses, TemplateUse, WatchedCalls


class TemplateCard(Record):
    """The purpose of a template, its variables, and the expected reply."""

    name: str
    owner: str
    purpose: str
    file: str = Field(description="the file that is used")
    own: bool = Field(description="it replaces the shipped template")
    tokens: int = Field(description="estimated length of its fixed text")
    variables: tuple[str, ...]
    must_use: tuple[str, ...] = Field(default=(), description="variables that the template must use")
    reply: str = Field(default="", description="name of the reply's record; empty if no engine replies")
    must_name: tuple[str, ...] = Field(default=(), description="fields that the template must request")


class TemplateList(Record):
    """A list of templates, starting with those of the method."""

    templates: tuple[TemplateCard, ...]


TemplateVariables: Any = Union[tuple(dict.fromkeys(contract.variables for contract in CONTRACTS.values()))]  # noqa: UP007
"""The variables of a template."""


class TriedQuote(Record):
    """A quote in a reply with its place, or the problem with it."""

    text: str
    place: str = ""
    problem: str = ""


class TriedReply(Record):
    """The result of a template in one use: the prompt, the reply, and how the method evaluated the reply."""

    source: str = Field(description="origin of the template")
    engine: str
    prompt: str
    prompt_tokens: int
    reply: str
    reply_tokens: int
    seconds: float
    value: str = Field(default="", description="the parsed record, in wire format")
    problem: str = Field(default="", description="problem with the first reply, even if it was repaired")
    repaired: bool = False
    point: int | None = Field(default=None, description="None if the step has no point")
    quotes: tuple[TriedQuote, ...] = ()


class TemplateTrial(Record):
    """A template that was tried on one use: the new reply and, if there is one, the earlier reply."""

    template: str
    about: str = Field(description="the question asked")
    old: TriedReply | None = None
    new: TriedReply
    usage: Usage


def tried(
    uses: FoundUses,
    use: TemplateUse,
    investigator: Investigator,
    variants: Sequence[Parts],
    now: datetime,
    *,
    fresh: bool,
) -> tuple[Sequence[TemplateUse], Usage]:
    """Send the template of each variant for a use; return the uses with the replies, and the cost across all processes.
    An identical trial is resumed at no extra cost, unless `fresh` is set.

    Raises UserError if no engine replies to the template, SettingsError if the cost is limited and a price is unknown,
    RunError if a limit is reached, and StoreError.
    """
    name, reply_type = use.prompt.template, CONTRACTS[use.prompt.template].reply
    if reply_type is None:
        hint = "To see the prompt: investigator prompts show"
        raise UserError(f"{name} is not sent to an engine separately", hint=hint)
    parts, engine = investigator.parts, investigator.engines[role_of(name)]
    parts.check_prices([engine])
    digest = _digest(engine.name, name, use.prompt.variables.model_dump_json())
    blank = as_it_began(uses.record).changed(id=f"{now:%Y%m%d-%H%M%S}-{_digest(digest, now.isoformat())[:6]}")
    sent: list[TemplateUse] = []
    with uses.runs.held(f"{TRIAL}{digest}") as database:
        run = Runs(database).open(f"{TRIAL}{digest}", "", blank, now.astimezone(UTC).isoformat(), fresh=fresh)
        tracer = parts.tracer(investigator.folder)
        with tracer.run(run.id, uses.record.question, engine.name, resumed=run.resumed) as trace:
            journal = parts.journal(database, run.id, reuse=not fresh)
            for variant in variants:
                watched = WatchedCalls()
                traces = RunTraces((trace, watched))
                client = variant.client(investigator.engines, journal, trace=traces, day=uses.record.setup.day)
                try:
                    client.ask(name, use.prompt.variables, reply_type)
                except BudgetSpent as spent:
                    hint = "Raise the limit to continue; replies are kept."
                    raise RunError(f"the limit on {spent.reason} was reached", hint=hint) from spent
                sent += watched.uses()
            return sent, journal.usage()


def judged(use: TemplateUse, source: str, load: Load) -> TriedReply:
    """Return a use with the evaluation of its reply; quotes are looked up in the documents that `load` returns."""
    parsed, reply = use.readings(), use.replies[0]
    value = next((read.value for read in parsed if read.value is not None), None)
    readings = value.readings if isinstance(value, AskReply) else ()
    return TriedReply(
        source=source,
        engine=use.engine,
        prompt=use.prompt.text,
        prompt_tokens=reply.input_tokens or guessed_tokens(use.prompt.text),
        reply=reply.text,
        reply_tokens=reply.output_tokens,
        seconds=sum(reply.seconds for reply in use.replies),
        value=value.model_dump_json(exclude_none=True) if value is not None else "",
        problem=parsed[0].problem,
        repaired=bool(parsed[0].problem) and not parsed[-1].problem,
        point=readings[0].point if len(readings) == 1 else None,
        quotes=tuple(_quotes(use.prompt.variables, value, Sources(load))),
    )


def trial_text(tried: TemplateTrial) -> Text:
    """Return the earlier reply, if any, and the new one, with what was read and proven."""
    lines = [Text(f"{tried.template}: {inert_line(tried.about)}")]
    for reply in (tried.old, tried.new) if tried.old is not None else (tried.new,):
        lines += [Text(), Text(inert_line(reply.source), style="bold"), *map(Text, map(inert, _rows(reply)))]
    free = f"{plural(tried.usage.calls, 'call')}; this engine does not count tokens, so the numbers above are estimates"
    spent = expected_line(tried.usage) if tried.usage.tokens else free
    return Text("\n").join([*lines, Text(), Text(spent, style="dim")]).append("\n")


def _rows(reply: TriedReply) -> Iterator[str]:
    yield f"{reply.engine}: {reply.prompt_tokens:,} tokens in, {reply.reply_tokens:,} out, {reply.seconds:.1f} s"
    yield reply.reply
    if reply.problem:
        yield f"{'readable after a repair' if reply.repaired else 'not readable'}: {reply.problem}"
    if reply.value:
        yield f"read as: {reply.value}"
    for quote in reply.quotes:
        yield f"{'✓' if quote.place else '✗'} {quote.text} ({quote.place or quote.problem})"
    if reply.point is not None:
        yield f"score: {reply.point} of 100"


def _quotes(variables: Record, value: Record | None, sources: Sources) -> Iterator[TriedQuote]:
    match variables, value:
        case AskVariables(), AskReply():
            documents = {document.document_id: document for document in variables.documents}
            for reading in value.readings:
                name = resolved(reading.document, list(documents)) if len(documents) > 1 else next(iter(documents))
                if name is not None:
                    yield from _looked_up(documents[name], reading.quotes, sources)
        case RowVariables(), RowReply():
            quotes = [quote for cell in value.answers for quote in cell.quotes]
            yield from _looked_up(variables.document, quotes, sources)
        case ExtractVariables(), ExtractReply():
            yield from _looked_up(variables.document, [quote for own in value.cells for quote in own.quotes], sources)


def _looked_up(document: ShownDocument, texts: Sequence[str], sources: Sources) -> Iterator[TriedQuote]:
    quotes, failed = located(document, texts, sources)
    yield from (TriedQuote(text=quote.text, place=quote.place) for quote in quotes)
    yield from (TriedQuote(text=text, problem="is not in the passages") for text in failed)


def _digest(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()
