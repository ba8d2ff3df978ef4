"""A folder of three short documents about a power plant, and a script that investigates it."""

import json

QUOTED = "The Emsland plant was opened in 1988. It makes 42 MW of power."
TEXTS = {
    "plant.txt": f"{QUOTED}\n\nIts owner is RWE.",
    "letter.txt": "Dear Anna, the weather in Bremen was fine. We walked along the river.",
    "prices.txt": "Apples cost 3 euros. Pears cost 4 euros. Power is sold at 12 cents.",
}
NEEDS = {"needs": [{"term": "power", "reason": "asked", "weight": 1.0}, {"term": "owner", "reason": "asked"}]}


def plan_of(*document_ids: str, strategy: str = "Ask them.", purpose: str = "How much power?") -> str:
    """Return a planner's reply."""
    steps = [{"document_id": name, "purpose": purpose, "perspectives": "power"} for name in document_ids]
    return json.dumps({"strategy": strategy, "steps": steps})


def said(point: int | None, *quotes: str, reply: str = "It says so.") -> str:
    """Return a document's reply."""
    return json.dumps({"point": point, "quotes": quotes, "reply": reply})


def knowledge(*unknown: str) -> str:
    """Return a reflection that leaves something unknown, or nothing."""
    known = [{"info": "42 MW", "point": 95, "document_ids": ["plant.txt"], "memory_ids": [1]}]
    return json.dumps({"knowledge": [{"term": "power", "known_infos": known, "unknown_infos": unknown}]})


def claims(*pairs: tuple[str, str]) -> str:
    """Return an answer of (text, evidence id)."""
    return json.dumps({"claims": [{"text": text, "evidence": [name]} for text, name in pairs]})


GOOD = {
    "critical_thinking/think": json.dumps(NEEDS),
    "planner/plan": [plan_of("plant.txt", "letter.txt")],
    "query/ask": lambda prompt: (
        said(95, "It makes 42 MW of power.") if "plant.txt" in prompt.variables.document_id else said(0)
    ),
    "reflection/reflect": [knowledge()],
    "answer/answer": claims(("It makes 42 MW of power.", "E1")),
}
