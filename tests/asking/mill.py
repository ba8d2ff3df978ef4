"""The question used in the tests of calls: a sub-question to a short document about a mill."""

from __future__ import annotations

from collections.abc import Callable

from investigator.asking.budget import Budget, BudgetSettings
from investigator.asking.call import Call, CallJournal, call_to
from investigator.asking.prompts import Prompts
from investigator.asking.sender import CallSender
from investigator.engines.base import Engine, Hear
from investigator.records import AskVariables, ShownDocument, ShownPassage
from investigator.store.in_memory import InMemoryJournal
from investigator.tracing.base import RunTrace, RunTraces

SENTENCES = [
    "The mill was built in 1702 by the river.",
    "Its owner was a baker of Ghent.",
    "In dry summers the wheel stood still for weeks on end.",
    "The toll was set at twelve florins a year.",
    "After the flood nobody came back.",
]
PROMPTS = Prompts()
TEXT = " ".join(SENTENCES)
SAID = '{"readings": [{"document": "mill.txt", "verdict": "answers", "point": 90, "quotes": [], "reply": "So it is."}]}'


def passage(text: str, start: int = 0) -> ShownPassage:
    return ShownPassage(text=text, start=start)


def asking(*texts: str, question: str = "How high was the toll?") -> AskVariables:
    document = ShownDocument(document_id="mill.txt", title="The mill", passages=tuple(map(passage, texts)))
    return AskVariables(main_question=question, mission="M", documents=(document,))


def call(engine: Engine, *texts: str, hear: Hear | None = None) -> Call:
    """Return a call that asks an engine about these passages."""
    return call_to(engine, PROMPTS.prompt("query/ask", asking(*texts)), hear)


def sender(
    journal: CallJournal | None = None, trace: RunTrace | None = None, clock: Callable[[], float] = lambda: 0.0
) -> CallSender:
    """Return a sender with the usual ceilings, over an empty journal if none is given."""
    journal = InMemoryJournal() if journal is None else journal
    return CallSender(journal, (Budget(journal, BudgetSettings()),), clock, trace or RunTraces())
