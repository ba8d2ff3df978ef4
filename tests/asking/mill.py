"""The question used in the tests of the layers: a sub-question to a short document about a mill."""

from __future__ import annotations

from investigator.asking.call import Call, call_to
from investigator.asking.prompts import Prompts
from investigator.engines.base import Engine, Hear
from investigator.records import AskVariables, Passage

SENTENCES = [
    "The mill was built in 1702 by the river.",
    "Its owner was a baker of Ghent.",
    "In dry summers the wheel stood still for weeks on end.",
    "The toll was set at twelve florins a year.",
    "After the flood nobody came back.",
]
PROMPTS = Prompts()
TEXT = " ".join(SENTENCES)
SAID = '{"point": 90, "quotes": [], "reply": "So it is."}'


def passage(text: str, start: int = 0) -> Passage:
    return Passage(document_id="mill.txt", start=start, end=start + len(text), text=text)


def asking(*texts: str, question: str = "How high was the toll?") -> AskVariables:
    return AskVariables(
        main_question=question,
        mission="M",
        sub_question="S",
        document_id="mill.txt",
        document_title="The mill",
        needs=(),
        passages=tuple(passage(text) for text in texts),
    )


def call(engine: Engine, *texts: str, hear: Hear | None = None) -> Call:
    """Return a call that asks an engine about these passages."""
    return call_to(engine, PROMPTS.prompt("query/ask", asking(*texts)), hear)
