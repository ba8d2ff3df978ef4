"""Grades an engine: sends it tasks through the templates of the method, and counts how many it solves.

The tasks are short invented documents, and what a careful reader replies, in `data/grading.json`: facts, near misses, a
wrong assumption, quotes to copy, paraphrases, false statements.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from pydantic import Field

from investigator.asking.client import EngineClient
from investigator.asking.contracts import METHOD
from investigator.asking.prompts import Prompts
from investigator.doctor.findings import RoleGrade
from investigator.engines.base import Engine, tokens_of
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError
from investigator.language.normalise import one_line
from investigator.records import AnswerReply, AskReply, AskVariables, CheckReply, Record
from investigator.resources import data_text
from investigator.scoring.prices import Price, Prices
from investigator.store.in_memory import InMemoryJournal

TEMPLATES: Mapping[Role, str] = {Role.ASK: "query/ask", Role.ANSWER: "answer/answer", Role.CHECK: "answer/check"}
"""The template of each role that is graded."""

_REPLY_TOKENS = 200  # of an average reply to a task
_SIDE_BY_SIDE = 8
_LEFT_OUT = "not_stated"  # what a reply says of a document or a part that it leaves out


class GradingTask(Record):
    """A prompt, and the reply of a careful reader. Each document, part, statement and the whole counts by itself, and
    so do the words and the citations of an answer.
    """

    variables: Record
    expected: dict[str, tuple[str, ...]] = Field(description="right judgements, keyed by what is judged")
    quotes: dict[str, str] = Field(default_factory=dict, description="words that a quote of a document must contain")
    says: tuple[tuple[str, ...], ...] = Field(
        default=(), description="texts that the answer must contain, or a variant"
    )
    cites: tuple[str, ...] = Field(default=(), description="evidence that the answer must cite")

    def mistakes(self, reply: Record | None) -> list[str]:
        """Return what is wrong with each thing that counts, "" if it is right."""
        if reply is None:
            return ["the reply cannot be read"] * (len(self.expected) + bool(self.says) + bool(self.cites))
        given = _judgements(reply)
        wrong = {
            about: f"{about}: {judged} instead of {' or '.join(right)}"
            for about, right in self.expected.items()
            if (judged := given.get(about, _LEFT_OUT)) not in right
        }
        if isinstance(reply, AskReply):
            wrong = {name: self._not_copied(name, reply) for name in self.quotes} | wrong
        missing = self._missing(reply) if isinstance(reply, AnswerReply) else []
        return [*(wrong.get(about, "") for about in self.expected), *missing]

    def _not_copied(self, document: str, reply: AskReply) -> str:
        if not isinstance(self.variables, AskVariables):
            return ""
        shown = (each for each in self.variables.documents if each.document_id == document)
        text = one_line(" ".join(passage.text for each in shown for passage in each.passages))
        readings = (reading for reading in reply.readings if reading.document.strip() == document)
        quotes = (one_line(quote) for reading in readings for quote in reading.quotes)
        words = self.quotes[document]
        is_copied = any(words in quote and quote in text for quote in quotes)
        return "" if is_copied else f"{document}: no quote contains {words!r} as it stands"

    def _missing(self, reply: AnswerReply) -> list[str]:
        sides = [side for disagreement in reply.disagreements for side in disagreement.sides]
        statements = [*([reply.lead] if reply.lead is not None else []), *reply.details, *sides]
        text = " ".join(statement.text for statement in statements)
        cited = {name for statement in statements for name in statement.evidence}
        unsaid = ", ".join(variants[0] for variants in self.says if not any(variant in text for variant in variants))
        uncited = ", ".join(name for name in self.cites if name not in cited)
        says = [unsaid and f"the answer lacks {unsaid}"] if self.says else []
        return [*says, *([uncited and f"{uncited} not cited"] if self.cites else [])]


@cache
def grading_tasks() -> Mapping[Role, tuple[GradingTask, ...]]:
    """Return the shipped tasks of each role that is graded."""
    shipped = json.loads(data_text("grading.json"))
    return {
        role: tuple(
            GradingTask.model_validate({**row, "variables": METHOD[name].variables.model_validate(row["variables"])})
            for row in shipped[role]
        )
        for role, name in TEMPLATES.items()
    }


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

    def mistakes_in(task: GradingTask) -> list[str]:
        return task.mistakes(client.ask(TEMPLATES[role], task.variables, METHOD[TEMPLATES[role]].reply or Record).value)

    try:
        with ThreadPoolExecutor(min(_SIDE_BY_SIDE, client.concurrency(role))) as crew:
            results = [mistake for each in crew.map(mistakes_in, grading_tasks()[role]) for mistake in each]
    except InvestigatorError as error:
        return RoleGrade(role=role, engine=engine.name, usage=journal.usage(), problem=error.message)
    mistakes = tuple(filter(None, results))
    right = len(results) - len(mistakes)
    return RoleGrade(
        role=role, engine=engine.name, right=right, tasks=len(results), mistakes=mistakes, usage=journal.usage()
    )


def _judgements(reply: Record) -> dict[str, str]:
    match reply:
        case AskReply(readings=readings):
            return {reading.document.strip(): reading.verdict for reading in readings}
        case AnswerReply(parts=parts):
            return {f"part {part.part}": part.status for part in parts}
        case CheckReply(statements=statements, answers=fit):
            return {**{f"statement {check.number}": check.support for check in statements}, "the whole": fit}
    return {}
