"""Grades an engine: sends it tasks through the templates of the method, and counts how many it solves.

The tasks are short invented documents, and what a careful reader replies, in `data/grading.json`: facts, near misses, a
wrong assumption, quotes to copy, paraphrases, false statements. A task checks several things, and has a mistake, or "",
for each.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from pydantic import TypeAdapter

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.doctor.findings import RoleGrade
from investigator.engines.base import Engine, tokens_of
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError
from investigator.language.normalise import one_line
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckReply,
    CheckVariables,
    DocumentReply,
    Fit,
    PartStatus,
    Record,
    ShownDocument,
    Support,
    Verdict,
)
from investigator.resources import data_text
from investigator.scoring.prices import Price, Prices
from investigator.store.in_memory import InMemoryJournal

TEMPLATES: Mapping[Role, str] = {Role.ASK: "query/ask", Role.ANSWER: "answer/answer", Role.CHECK: "answer/check"}
"""The template of each role that is graded."""

_REPLY_TOKENS = 200  # of an average reply to a task
_SIDE_BY_SIDE = 8


class ExpectedReading(Record):
    """The right verdicts for a document, and words that one of its quotes must contain."""

    document: str
    verdicts: tuple[Verdict, ...]
    quote: str = ""


class AskTask(Record):
    """Documents to read, each of which is checked."""

    variables: AskVariables
    readings: tuple[ExpectedReading, ...]

    def mistakes(self, reply: AskReply) -> list[str]:
        """Return what is wrong about each document."""
        readings = {reading.document.strip(): reading for reading in reply.readings}
        documents = {document.document_id: document for document in self.variables.documents}
        nothing = DocumentReply(verdict=Verdict.NOT_STATED)  # a document left out says nothing
        return [
            _wrong(each.document, readings.get(each.document, nothing).verdict, each.verdicts)
            or _not_copied(each, readings.get(each.document, nothing), documents[each.document])
            for each in self.readings
        ]


class AnswerTask(Record):
    """Evidence to answer from: the right statuses of each part, texts that the answer must contain (one of each list),
    and evidence that it must cite.
    """

    variables: AnswerVariables
    statuses: tuple[tuple[PartStatus, ...], ...]
    says: tuple[tuple[str, ...], ...] = ()
    cites: tuple[str, ...] = ()

    def mistakes(self, reply: AnswerReply) -> list[str]:
        """Return what is wrong about each part, the words and the citations."""
        given = {part.part: part.status for part in reply.parts}
        sides = [side for disagreement in reply.disagreements for side in disagreement.sides]
        statements = [*([reply.lead] if reply.lead is not None else []), *reply.details, *sides]
        text = " ".join(statement.text for statement in statements)
        cited = {name for statement in statements for name in statement.evidence}
        wrong = [
            _wrong(f"part {number}", given.get(number, PartStatus.NOT_STATED), right)
            for number, right in enumerate(self.statuses, 1)
        ]
        missing = ", ".join(options[0] for options in self.says if not any(option in text for option in options))
        uncited = ", ".join(name for name in self.cites if name not in cited)
        if self.says:
            wrong.append(missing and f"the answer lacks {missing}")
        if self.cites:
            wrong.append(uncited and f"{uncited} not cited")
        return wrong


class CheckTask(Record):
    """Statements to check: the right judgements on each of them, and on the whole."""

    variables: CheckVariables
    supports: tuple[tuple[Support, ...], ...]
    fits: tuple[Fit, ...]

    def mistakes(self, reply: CheckReply) -> list[str]:
        """Return what is wrong about each statement and the whole."""
        given = {check.number: check.support for check in reply.statements}
        wrong = [
            _wrong(f"statement {number}", given.get(number, Support.UNCHECKED), right)
            for number, right in enumerate(self.supports, 1)
        ]
        return [*wrong, _wrong("the whole", reply.answers, self.fits)]


Task = AskTask | AnswerTask | CheckTask


@cache
def grading_tasks() -> Mapping[Role, tuple[Task, ...]]:
    """Return the shipped tasks of each role that is graded."""
    return TypeAdapter(dict[Role, tuple[Task, ...]]).validate_json(data_text("grading.json"))


def foreseen_cost(engine: Engine, roles: Sequence[Role], prompts: Prompts, price: Price | None) -> str:
    """Return what grading an engine in these roles will cost, for the user, before any call."""
    texts = [prompts.prompt(TEMPLATES[role], task.variables).text for role in roles for task in grading_tasks()[role]]
    read, written = sum(tokens_of(engine, text) for text in texts), _REPLY_TOKENS * len(texts)
    money = price.of(read, written) if price is not None else None
    cost = "at an unknown price" if money is None else f"about {money:.3f} US dollars" if money else "free of charge"
    names = ", ".join(roles)
    return f"grading {engine.name} ({names}): {len(texts)} calls, about {read + written:,} tokens, {cost}"


def graded(engine: Engine, role: Role, prompts: Prompts, prices: Prices) -> RoleGrade:
    """Return the grade of an engine in a role. An error of the engine is part of the result."""
    journal = InMemoryJournal(prices.price_of)
    client = EngineClient(dict.fromkeys(Role, engine), prompts, journal, time.monotonic)
    try:
        with ThreadPoolExecutor(min(_SIDE_BY_SIDE, client.concurrency(role))) as crew:
            by_task = list(crew.map(lambda task: _mistakes(client, task), grading_tasks()[role]))
    except InvestigatorError as error:
        return RoleGrade(role=role, engine=engine.name, usage=journal.usage(), problem=error.message)
    results = [mistake for mistakes in by_task for mistake in mistakes]
    mistakes = tuple(filter(None, results))
    right = len(results) - len(mistakes)
    return RoleGrade(
        role=role, engine=engine.name, right=right, tasks=len(results), mistakes=mistakes, usage=journal.usage()
    )


def _mistakes(client: EngineClient, task: Task) -> list[str]:
    reply: Record | None
    match task:
        case AskTask():
            reply = client.ask(TEMPLATES[Role.ASK], task.variables, AskReply).value
            mistakes = task.mistakes(reply or AskReply(readings=()))
        case AnswerTask():
            reply = client.ask(TEMPLATES[Role.ANSWER], task.variables, AnswerReply).value
            mistakes = task.mistakes(reply or AnswerReply())
        case CheckTask():
            reply = client.ask(TEMPLATES[Role.CHECK], task.variables, CheckReply).value
            mistakes = task.mistakes(reply or CheckReply(statements=()))
    return mistakes if reply is not None else ["the reply cannot be read"] * len(mistakes)


def _not_copied(expected: ExpectedReading, reading: DocumentReply, document: ShownDocument) -> str:
    text = one_line(" ".join(passage.text for passage in document.passages))
    quotes = [quote for quote in map(one_line, reading.quotes) if expected.quote in quote and quote in text]
    return (
        ""
        if quotes or not expected.quote
        else f"{expected.document}: no quote contains {expected.quote!r} as it stands"
    )


def _wrong(about: str, given: object, right: Sequence[object]) -> str:
    return "" if given in right else f"{about}: {given} instead of {' or '.join(map(str, right))}"
