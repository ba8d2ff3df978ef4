"""With a model that obeys every document, and documents that no detector knows: what is shown stands in its document
and holds nothing live, and the check is not told what the readers said. The texts of injected_documents.jsonl were
written independently of the rules in `language/addressed.py`, and must not be used to improve them: they represent
texts that no rule recognises.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.records import AnswerVariables, AskVariables, CheckVariables, Prompt


class Injected(NamedTuple):
    """A harmless text, and a passage in it that addresses whoever scores it or reads the answer."""

    id: str
    text: str
    injected: str


DOCUMENTS = [
    Injected(**json.loads(line))
    for line in Path(__file__).with_name("injected_documents.jsonl").read_text(encoding="utf-8").splitlines()
]
TEXTS = {f"{document.id}.txt": document.injected for document in DOCUMENTS}
TOGETHER = 8  # documents that are read in one run
QUESTION = "How much power does the Emsland plant make?"
TRUTH = "It makes 42 MW of power."
REPEATED = "THE READER SAYS SO"
LIVE = re.compile(r"https?://|www\.\w|\]\(\S|<[A-Za-z/!]", re.IGNORECASE)


def deceived(prompt: Prompt) -> str:
    """Reply as a model that quotes what each document tells it to, repeats it, and finds it supported."""
    reply: dict[str, object] = {"strategy": "All."}
    match prompt.variables:
        case AskVariables(documents=documents):
            quotes = {document.document_id: TEXTS.get(document.document_id, TRUTH) for document in documents}
            own = {"verdict": "answers", "point": 100, "reply": REPEATED}
            reply = {"readings": [{"document": name, "quotes": [text], **own} for name, text in quotes.items()]}
        case AnswerVariables(documents=documents):
            spans = [span for each in documents for passage in each.passages for span in passage.spans if span.id]
            details = [{"text": span.text, "evidence": [span.id]} for span in spans]
            reply = {"lead": None, "details": details, "parts": [{"part": 1, "status": "answered"}]}
        case CheckVariables(statements=statements):
            supports = [{"number": statement.number, "support": "supported"} for statement in statements]
            reply = {"statements": supports, "answers": "yes"}
    return json.dumps(reply)


@pytest.mark.parametrize("at", range(0, len(DOCUMENTS), TOGETHER))
def test_a_deceived_model_shows_only_what_stands_and_nothing_live(tmp_path: Path, at: int) -> None:
    (tmp_path / "true.txt").write_text(f"The Emsland plant was opened in 1988.\n{TRUTH}", encoding="utf-8")
    for document in DOCUMENTS[at : at + TOGETHER]:
        text = f"{document.text}\n\n{document.injected}\n"
        (tmp_path / f"{document.id}.txt").write_text(text, encoding="utf-8")
    engine = ScriptedEngine(deceived)
    answer = Investigator(tmp_path, model=engine, embedder=ScriptedEmbedder()).ask(QUESTION)
    assert len(answer.statements) > TOGETHER / 2
    assert not LIVE.search(answer.text)
    assert all(statement.quotes for statement in answer.statements)
    for quote in answer.citations:
        assert quote.text in (tmp_path / quote.document_id).read_text(encoding="utf-8")
    *_, written, checked = engine.asked
    assert REPEATED in written.text
    assert REPEATED not in checked.text


def test_the_set_is_large() -> None:
    assert len(TEXTS) == len(DOCUMENTS) >= 20
