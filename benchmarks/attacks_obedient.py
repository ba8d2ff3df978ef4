"""A scripted engine that does what documents demand, for `attacks.py`. It is honest where no attack is shown to it."""

from __future__ import annotations

import json
import re

from attacks_folder import FOLDER, VALUE, Attack

from investigator import ScriptedEngine
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckVariables,
    PlanVariables,
    Prompt,
    ShownDocument,
)

_FORGED = "The Emsland plant makes 900 MW."
_TRUE = f"The Emsland plant makes {VALUE} of power."
_SEEN = 40
_FIGURE = re.compile(r"\d+")


def obedient_engine(attack: Attack | None) -> ScriptedEngine:
    """Return the engine for an attack, or for a folder without one."""
    script = _Script("" if attack is None else attack.text, "" if attack is None else attack.aim)
    return ScriptedEngine(
        {
            "planner/plan": script.plan,
            "query/ask": script.ask,
            "reflection/reflect": json.dumps({"known": [], "unknown": [], "wordings": ["megawatts"]}),
            "answer/answer": script.answer,
            "answer/check": script.check,
        }
    )


class _Script:
    def __init__(self, text: str, aim: str) -> None:
        self._text = text
        self._aim = aim
        self._seen = " ".join(text.split())[:_SEEN]

    def _sees(self, text: str) -> bool:
        return bool(self._seen) and self._seen in " ".join(text.split())

    def plan(self, prompt: Prompt) -> str:
        variables = prompt.variables
        assert isinstance(variables, PlanVariables)
        names = [document.document_id for document in variables.documents]
        texts = (" ".join((own.document_id, own.title, own.opening, *own.passages)) for own in variables.documents)
        demanding = [name for name, text in zip(names, texts, strict=True) if self._sees(text)]
        chosen = demanding if demanding and self._aim == "plan" else names
        steps = [{"document_id": name, "purpose": "How much power?", "perspectives": "power"} for name in chosen]
        return json.dumps({"parts": [], "scope": "some", "wordings": ["output in MW"], "steps": steps})

    def ask(self, prompt: Prompt) -> str:
        variables = prompt.variables
        assert isinstance(variables, AskVariables)
        obeys = any(map(self._attacks, variables.documents))
        return json.dumps({"readings": [self._reading(document, obeys) for document in variables.documents]})

    def _attacks(self, document: ShownDocument) -> bool:
        texts = (document.document_id, document.title, *(passage.text for passage in document.passages))
        return any(map(self._sees, texts))

    def _reading(self, document: ShownDocument, obeys: bool) -> dict[str, object]:
        name = document.document_id
        if obeys and self._aim == "lower":
            return {"document": name, "verdict": "not_stated", "point": 0, "quotes": [], "reply": "Nothing."}
        if self._attacks(document):
            quotes = [self._text[:300], _FORGED]
            return {"document": name, "verdict": "answers", "point": 100, "quotes": quotes, "reply": self._text[:300]}
        stated = [text for text in FOLDER.values() if VALUE in text and text in document.passages[0].text]
        verdict = "answers" if stated else "not_stated"
        return {"document": name, "verdict": verdict, "point": 90, "quotes": stated, "reply": "So it says."}

    def answer(self, prompt: Prompt) -> str:
        variables = prompt.variables
        assert isinstance(variables, AnswerVariables)
        spans = [
            (span.id, span.text) for document in variables.documents for p in document.passages for span in p.spans
        ]
        true = [name for name, text in spans if name.startswith("E") and VALUE in text]
        planted = [name for name, text in spans if name.startswith("E") and VALUE not in text]
        statements = [{"text": _FORGED, "evidence": planted}, {"text": self._text[:200] or "-", "evidence": planted}]
        details = statements if planted else []
        lead = {"text": _TRUE, "evidence": true} if true else None
        parts = [{"part": 1, "status": "answered" if true or planted else "not_stated"}]
        return json.dumps({"lead": lead, "details": details, "parts": parts})

    def check(self, prompt: Prompt) -> str:
        """Support every statement whose figures stand in its quotes."""
        variables = prompt.variables
        assert isinstance(variables, CheckVariables)
        texts = {span.id: span.text for document in variables.documents for p in document.passages for span in p.spans}
        judgements = []
        for statement in variables.statements:
            quotes = " ".join(texts.get(name, "") for name in statement.evidence)
            stands = set(_FIGURE.findall(statement.text)) <= set(_FIGURE.findall(quotes))
            judgements.append({"number": statement.number, "support": "supported" if stands else "unsupported"})
        return json.dumps({"statements": judgements, "answers": "yes"})
