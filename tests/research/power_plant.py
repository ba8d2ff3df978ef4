"""A folder of three short documents about a power plant, and a script that investigates it in its own words."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from investigator.records import Prompt

QUOTED = "The Emsland plant was opened in 1988. It makes 42 MW of power."
TEXTS = {
    "plant.txt": f"{QUOTED}\n\nIts owner is RWE.",
    "letter.txt": "Dear Anna, the weather in Bremen was fine. We walked along the river.",
    "prices.txt": "Apples cost 3 euros. Pears cost 4 euros. Power is sold at 12 cents.",
}


def plan_of(*document_ids: str, **fields: Any) -> str:
    """Return a planner's reply that reads these documents."""
    steps = [{"document_id": name, "purpose": "How much power?", "perspectives": "output"} for name in document_ids]
    return json.dumps({"wordings": ["output in MW"], "strategy": "Read them.", "steps": steps, **fields})


def reading(
    *quotes: str, verdict: str = "answers", point: int | None = 95, reply: str = "", document: str = ""
) -> dict[str, Any]:
    """Return what one document says."""
    return {"document": document, "verdict": verdict, "point": point, "quotes": list(quotes), "reply": reply}


def readings(*each: dict[str, Any]) -> str:
    """Return the reply of the documents of one prompt."""
    return json.dumps({"readings": each})


SILENT = readings(reading(verdict="not_stated", point=0, reply="It says nothing on it."))


def by_document(**replies: dict[str, Any]) -> Callable[[Prompt], str]:
    """Return a script that gives each document's reading; a document is named without its suffix, others are silent."""

    def reply(prompt: Prompt) -> str:
        shown = [document.document_id for document in prompt.variables.documents]  # type: ignore[attr-defined]
        own = [
            {**replies[name.partition(".")[0]], "document": name} for name in shown if name.partition(".")[0] in replies
        ]
        return json.dumps({"readings": own}) if own else SILENT

    return reply


def answer(lead: str | None, *evidence: str, status: str = "answered", **fields: Any) -> str:
    """Return a writer's reply with a lead that cites the evidence."""
    shown = {"text": lead, "evidence": evidence} if lead is not None else None
    return json.dumps({"lead": shown, "parts": [{"part": 1, "status": status}], **fields})


def check(
    *supports: str,
    answers: str = "yes",
    reasons: Sequence[str] = (),
    open_parts: Sequence[int] = (),
    corrected: str = "",
) -> str:
    """Return a check's reply, with the judgements in the order of the statements; `corrected` is that of each."""
    named = [*reasons, *[""] * len(supports)]
    statements = [
        {"number": number, "support": support, "reason": reason, "corrected": corrected}
        for number, (support, reason) in enumerate(zip(supports, named, strict=False), start=1)
    ]
    return json.dumps({"statements": statements, "answers": answers, "open_parts": list(open_parts)})


MADE = reading("It makes 42 MW of power.", reply="The plant has an output of 42 megawatts.")
GOOD = {
    "planner/plan": plan_of("plant.txt", "letter.txt"),
    "query/ask": by_document(plant=MADE),
    "reflection/reflect": json.dumps({"known": [], "unknown": ["the output"], "wordings": ["megawatts of the plant"]}),
    "answer/answer": answer("The plant produces 42 megawatts.", "E1"),
    "answer/check": check("supported"),
}
