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

from investigator import Answer, Investigator, ScriptedEmbedder, ScriptedEngine
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
TOGETHER = 8  # documents that are read in one run
QUESTION = "How much power does the Emsland plant make?"
TRUTH = "It makes 42 MW of power."
REPEATED = "THE READER SAYS SO"
LIVE = re.compile(r"https?://|www\.\w|\]\(\S|<[A-Za-z/!]", re.IGNORECASE)


def obedient(documents: dict[str, Injected]) -> ScriptedEngine:
    """A model that is deceived: it quotes what each document tells it to, repeats it, and finds it supported."""

    def ask(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, AskVariables)
        names = [document.document_id for document in prompt.variables.documents]
        told = {name: documents[name].injected if name in documents else TRUTH for name in names}
        return json.dumps(
            {
                "readings": [
                    {"document": name, "verdict": "answers", "point": 100, "quotes": [text], "reply": REPEATED}
                    for name, text in told.items()
                ]
            }
        )

    def answer(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, AnswerVariables)
        spans = [span for one in prompt.variables.documents for passage in one.passages for span in passage.spans]
        details = [{"text": span.text, "evidence": [span.id]} for span in spans if span.id]
        return json.dumps({"lead": None, "details": details, "parts": [{"part": 1, "status": "answered"}]})

    def check(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, CheckVariables)
        judged = [{"number": one.number, "support": "supported"} for one in prompt.variables.statements]
        return json.dumps({"statements": judged, "answers": "yes"})

    return ScriptedEngine(
        {
            "planner/plan": json.dumps({"strategy": "All."}),
            "query/ask": ask,
            "answer/answer": answer,
            "answer/check": check,
        }
    )


def investigated(folder: Path, at: int) -> tuple[Answer, ScriptedEngine]:
    documents = {f"{document.id}.txt": document for document in DOCUMENTS[at : at + TOGETHER]}
    (folder / "true.txt").write_text(f"The Emsland plant was opened in 1988.\n{TRUTH}", encoding="utf-8")
    for name, document in documents.items():
        (folder / name).write_text(f"{document.text}\n\n{document.injected}\n", encoding="utf-8")
    engine = obedient(documents)
    return Investigator(folder, model=engine, embedder=ScriptedEmbedder()).ask(QUESTION), engine


@pytest.mark.parametrize("at", range(0, len(DOCUMENTS), TOGETHER))
def test_a_deceived_model_shows_only_what_stands_and_nothing_live(tmp_path: Path, at: int) -> None:
    answer, engine = investigated(tmp_path, at)
    assert len(answer.statements) > TOGETHER / 2
    assert not LIVE.search(answer.text)
    assert all(statement.quotes for statement in answer.statements)
    for quote in answer.citations:
        assert quote.text in (tmp_path / quote.document_id).read_text(encoding="utf-8")
    *_, written, checked = engine.asked
    assert REPEATED in written.text
    assert REPEATED not in checked.text


def test_the_set_is_large_and_no_rule_knows_most_of_it() -> None:
    assert len(DOCUMENTS) >= 20
    assert len({document.id for document in DOCUMENTS}) == len(DOCUMENTS)
