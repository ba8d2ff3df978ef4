"""Grades an engine: sends it tasks through the templates of the method, and counts how many it solves.

The tasks are short invented documents, and what a careful reader replies, in `data/grading.json`: facts, near misses, a
wrong assumption, quotes to copy, paraphrases, false statements.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from investigator.asking.client import EngineClient
from investigator.asking.contracts import METHOD
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

_TEMPLATES = {Role.ASK: "query/ask", Role.ANSWER: "answer/answer", Role.CHECK: "answer/check"}
_REPLY_TOKENS = 200  # of an average reply to a task
_SIDE_BY_SIDE = 8
_UNREADABLE = "the reply cannot be read"


class ExpectedReading(Record):
    """The right verdicts for a document, and words that one of its quotes must contain."""

    document: str
    verdicts: tuple[Verdict, ...]
    quote: str = ""


class AskTask(Record):
    """Documents to read; each is a task of its own."""

    variables: AskVariables
    readings: tuple[ExpectedReading, ...]

    def mistakes(self, reply: AskReply | None) -> list[str]:
        """Return the mistake in each task; "" if there is none."""
        readings = {} if reply is None else {reading.document.strip(): reading for reading in reply.readings}
        shown = {document.document_id: document for document in self.variables.documents}
        if reply is None:
            return [_UNREADABLE] * len(self.readings)
        return [_of_reading(each, readings.get(each.document), shown[each.document]) for each in self.readings]


class AnswerTask(Record):
    """Evidence to answer from: the right statuses of each part, texts that the answer must contain (one of each list),
    and evidence that it must cite.
    """

    variables: AnswerVariables
    statuses: tuple[tuple[PartStatus, ...], ...]
    says: tuple[tuple[str, ...], ...] = ()
    cites: tuple[str, ...] = ()

    def mistakes(self, reply: AnswerReply | None) -> list[str]:
        """Return the mistake in each task; "" if there is none."""
        if reply is None:
            return [_UNREADABLE] * (len(self.statuses) + bool(self.says) + bool(self.cites))
        given = {part.part: part.status for part in reply.parts}
        sides = [side for disagreement in reply.disagreements for side in disagreement.sides]
        statements = [*([reply.lead] if reply.lead is not None else []), *reply.details, *sides]
        text = " ".join(statement.text for statement in statements)
        cited = {name for statement in statements for name in statement.evidence}
        parts = [
            _wrong(f"part {number}", given.get(number, PartStatus.NOT_STATED), right)
            for number, right in enumerate(self.statuses, 1)
        ]
        missing = [options[0] for options in self.says if not any(option in text for option in options)]
        says = [f"the answer lacks {', '.join(missing)}" if missing else ""] if self.says else []
        uncited = [name for name in self.cites if name not in cited]
        return [*parts, *says, *([f"{', '.join(uncited)} not cited" if uncited else ""] if self.cites else [])]


class CheckTask(Record):
    """Statements to check: the right judgements on each of them, and on the whole."""

    variables: CheckVariables
    supports: tuple[tuple[Support, ...], ...]
    fits: tuple[Fit, ...]

    def mistakes(self, reply: CheckReply | None) -> list[str]:
        """Return the mistake in each task; "" if there is none."""
        if reply is None:
            return [_UNREADABLE] * (len(self.supports) + 1)
        given = {check.number: check.support for check in reply.statements}
        checks = [
            _wrong(f"statement {number}", given.get(number, Support.UNCHECKED), right)
            for number, right in enumerate(self.supports, 1)
        ]
        return [*checks, _wrong("the whole", reply.answers, self.fits)]


class GradingTasks(Record):
    """The tasks of each role that is graded."""

    ask: tuple[AskTask, ...]
    answer: tuple[AnswerTask, ...]
    check: tuple[CheckTask, ...]

    def of(self, role: Role) -> Sequence[AskTask | AnswerTask | CheckTask]:
        """Return the tasks of a role; none for a role that is not graded."""
        tasks: dict[Role, Sequence[AskTask | AnswerTask | CheckTask]]
        tasks = {Role.ASK: self.ask, Role.ANSWER: self.answer, Role.CHECK: self.check}
        return tasks.get(role, ())


@cache
def grading_tasks() -> GradingTasks:
    """Return the shipped tasks."""
    return GradingTasks.model_validate_json(data_text("grading.json"))


def _of_reading(expected: ExpectedReading, reading: DocumentReply | None, document: ShownDocument) -> str:
    verdict = reading.verdict if reading is not None else Verdict.NOT_STATED  # a document left out says nothing
    wrong = _wrong(expected.document, verdict, expected.verdicts)
    if wrong or not expected.quote:
        return wrong
    text = one_line(" ".join(passage.text for passage in document.passages))
    quotes = [one_line(quote) for quote in (reading.quotes if reading is not None else ())]
    copied = any(expected.quote in quote and quote in text for quote in quotes)
    return "" if copied else f"{expected.document}: no quote contains {expected.quote!r} as it stands"


def _wrong(about: str, given: object, right: Sequence[object]) -> str:
    return "" if given in right else f"{about}: {given} instead of {' or '.join(map(str, right))}"


def foreseen_cost(engine: Engine, roles: Sequence[Role], prompts: Prompts, price: Price | None) -> str:
    """Return what grading an engine in these roles will cost, for the user, before any call."""
    texts = [
        prompts.prompt(_TEMPLATES[role], task.variables).text for role in roles for task in grading_tasks().of(role)
    ]
    read, written = sum(tokens_of(engine, text) for text in texts), _REPLY_TOKENS * len(texts)
    cost = "at an unknown price"
    if price is not None:
        money = price.of(read, written)
        cost = f"about {money:.3f} US dollars" if money else "free of charge"
    names = ", ".join(roles)
    return f"grading {engine.name} ({names}): {len(texts)} calls, about {read + written:,} tokens, {cost}"


def graded(engine: Engine, role: Role, prompts: Prompts, prices: Prices) -> RoleGrade:
    """Return the grade of an engine in a role. An error of the engine is part of the result."""
    journal = InMemoryJournal(prices.price_of)
    client = EngineClient(dict.fromkeys(Role, engine), prompts, journal, time.monotonic)
    tasks = grading_tasks().of(role)
    try:
        with ThreadPoolExecutor(min(_SIDE_BY_SIDE, client.concurrency(role))) as crew:
            results = [mistake for each in crew.map(lambda task: _mistakes(client, task), tasks) for mistake in each]
    except InvestigatorError as error:
        return RoleGrade(role=role, engine=engine.name, usage=journal.usage(), problem=error.message)
    mistakes = tuple(mistake for mistake in results if mistake)
    return RoleGrade(
        role=role,
        engine=engine.name,
        right=len(results) - len(mistakes),
        tasks=len(results),
        mistakes=mistakes,
        usage=journal.usage(),
    )


def _mistakes(client: EngineClient, task: AskTask | AnswerTask | CheckTask) -> list[str]:
    match task:
        case AskTask():
            return task.mistakes(client.ask("query/ask", task.variables, AskReply).value)
        case AnswerTask():
            return task.mistakes(client.ask("answer/answer", task.variables, AnswerReply).value)
        case CheckTask():
            return task.mistakes(client.ask("answer/check", task.variables, CheckReply).value)


def has_own_templates(prompts: Prompts) -> bool:
    """Return True if the user's own templates replace some of those that the tasks use."""
    return bool({version.name for version in prompts.own()} & set(METHOD))
