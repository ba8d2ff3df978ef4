"""Grades an engine: sends it the tasks through the templates of the method, and counts how many it solves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from investigator.asking.client import EngineClient
from investigator.asking.contracts import METHOD
from investigator.asking.prompts import Prompts
from investigator.doctor.findings import RoleGrade
from investigator.doctor.grading_tasks import AnswerTask, AskTask, CheckTask, grading_tasks
from investigator.engines.base import Engine, tokens_of
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError
from investigator.records import AnswerReply, AskReply, CheckReply
from investigator.scoring.prices import Price, Prices
from investigator.store.in_memory import InMemoryJournal

_TEMPLATES = {Role.ASK: "query/ask", Role.ANSWER: "answer/answer", Role.CHECK: "answer/check"}
_REPLY_TOKENS = 200  # of an average reply to a task
_SIDE_BY_SIDE = 8


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
            found = [mistake for each in crew.map(lambda task: _mistakes(client, task), tasks) for mistake in each]
    except InvestigatorError as error:
        return RoleGrade(role=role, engine=engine.name, usage=journal.usage(), problem=error.message)
    mistakes = tuple(mistake for mistake in found if mistake)
    return RoleGrade(
        role=role,
        engine=engine.name,
        right=len(found) - len(mistakes),
        tasks=len(found),
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
