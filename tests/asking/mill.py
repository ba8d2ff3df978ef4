"""The question used in the tests of the layers: a sub-question to a short document about a mill."""

from __future__ import annotations

from investigator.asking.call import Call, call_to
from investigator.asking.prompts import Prompts
from investigator.engines.base import Engine, Hear
from investigator.records import AskVariables, ShownDocument, ShownPassage

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
