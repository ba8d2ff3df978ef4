"""A reader of the folder of power plants: it answers every prompt of the method from the variables, sensibly."""

from __future__ import annotations

import json
import re

from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckVariables,
    PlanVariables,
    Prompt,
    ReflectVariables,
    RowVariables,
    ShownDocument,
)

_OUTPUT = re.compile(r"It makes \d+ MW of power\.")


def read(prompt: Prompt) -> str:
    """Return the reply to a prompt as JSON."""
    return json.dumps(_reply(prompt))


def _reply(prompt: Prompt) -> object:
    match prompt.variables:
        case PlanVariables() as asked:
            steps = [{"document_id": one.document_id, "purpose": "How much power?"} for one in asked.documents]
            return {"parts": [asked.question], "wordings": ["output"], "steps": steps, "strategy": "Ask them."}
        case AskVariables() as asked:
            return {"readings": [_reading(asked.main_question, document) for document in asked.documents]}
        case RowVariables() as asked:
            return {"answers": [_cell(number, one, asked.document) for number, one in enumerate(asked.questions, 1)]}
        case ReflectVariables():
            return {"known": [], "unknown": ["more"], "wordings": []}
        case AnswerVariables() as asked:
            ids = [name for document in asked.documents for name in document.ids if name.startswith("E")]
            if not ids:
                return {"lead": None, "parts": [{"part": 1, "status": "not_stated"}]}
            details = [{"head": name, "text": f"The plant's output, {name}.", "evidence": [name]} for name in ids[1:]]
            lead = {"text": "They make power.", "evidence": ids[:1]}
            return {"lead": lead, "details": details, "parts": [{"part": 1, "status": "answered"}]}
        case CheckVariables() as asked:
            checks = [{"number": one.number, "support": "supported", "reason": ""} for one in asked.statements]
            return {"statements": checks, "answers": "yes"}
    raise AssertionError(prompt.template)


def _found(question: str, document: ShownDocument) -> list[str]:
    text = " ".join(passage.text for passage in document.passages)
    named = re.search(r"the (\w+) plant", question)
    is_meant = named is None or named[1] in text
    return _OUTPUT.findall(text) if "power" in question and is_meant else []


def _reading(question: str, document: ShownDocument) -> object:
    found = _found(question, document)
    verdict = "answers" if found else "not_stated"
    point = 90 if found else 0
    return {"document": document.document_id, "verdict": verdict, "point": point, "quotes": found, "reply": "It says."}


def _cell(number: int, question: str, document: ShownDocument) -> object:
    found = _found(question, document)
    answer = found[0].removeprefix("It makes ").removesuffix(" of power.") if found else ""
    return {"question": number, "verdict": "answers" if found else "not_stated", "quotes": found, "answer": answer}
