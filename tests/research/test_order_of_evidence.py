"""Quotes for a question come before those that a narrower later question found in the same document."""

from __future__ import annotations

from whole_quotes import whole_quote

from investigator import ScriptedEmbedder
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.records import Document, Memory
from investigator.research.answer import AnswerWriter
from investigator.store.in_memory import InMemoryJournal


def memory(number: int, document_id: str, point: int, *texts: str) -> Memory:
    quotes = tuple(whole_quote(text, document_id) for text in texts)
    return Memory(id=number, target_document_id=document_id, question="?", reply="", point=point, quotes=quotes)


def test_each_asking_has_its_best_quote_said_in_the_order_of_asking() -> None:
    history = (
        memory(1, "trial.txt", 92, "Pulse waves did not slow down.", "Patients were seen twice."),
        memory(2, "trial.txt", 100, "PWV stands for pulse wave velocity.", "Velocity is measured at the ankle."),
        memory(3, "other.txt", 80, "Cats sleep long."),
    )
    engine = ExtractiveEngine(ScriptedEmbedder())
    client = EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(), lambda: 0.0)
    documents: dict[str, Document] = {}  # nothing is computed
    writer = AnswerWriter(client, documents.__getitem__)
    assert [claim.text for claim in writer.write("How fast were pulse waves?", "-", history, ()).claims] == [
        "Pulse waves did not slow down.",
        "Cats sleep long.",
        "PWV stands for pulse wave velocity.",
        "Patients were seen twice.",
    ]
