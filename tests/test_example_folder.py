"""What README.md, LICENCES.md, questions.jsonl and `make demo` say about the example folder is true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.proof.quotes import find_quote
from investigator.records import Document

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "data" / "examples"
FOLDER = EXAMPLES / "child-health"
QUESTIONS: list[dict[str, Any]] = [json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    """Every file of the folder, as read by the package."""
    files = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir())}
    readings = [read(SourceFile(data, name), name, "", ReaderSettings()) for name, data in files.items()]
    return {document.id: document for reading in readings for document in reading.documents}


def test_the_folder_holds_many_formats_and_a_long_pdf(documents: dict[str, Document]) -> None:
    assert 8 <= len(documents) <= 15
    assert len({document.media_type for document in documents.values()}) >= 4
    assert max(len(document.pages) for document in documents.values()) > 20
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 4_000_000


def test_every_document_is_listed_with_its_licence() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|.*\| CC BY \d\.\d \| PMC\d+ \|", (EXAMPLES / "LICENCES.md").read_text(), re.M)
    assert sorted(rows) == sorted(path.name for path in FOLDER.iterdir())


def test_the_evidence_of_each_question_stands_in_its_documents(documents: dict[str, Document]) -> None:
    missing = [
        name
        for question in QUESTIONS
        for name, sentence in zip(question["doc_ids"], question["evidence"], strict=True)
        if find_quote(sentence, documents[name]) is None
    ]
    assert missing == []
    assert [bool(question["evidence"]) for question in QUESTIONS] == [question["answerable"] for question in QUESTIONS]


def test_the_folder_speaks_of_pregnancy_and_never_of_coffee(documents: dict[str, Document]) -> None:
    """So the second question is close to the folder's subject, but its answer is not there."""
    about_pregnancy = [document for document in documents.values() if "pregnan" in document.text.lower()]
    assert len(about_pregnancy) >= 3
    assert [name for name, document in documents.items() if re.search("coffee|caffein", document.text, re.I)] == []


def test_the_page_names_the_questions_and_the_demo_asks_for_a_fact_among_them() -> None:
    page, makefile = (EXAMPLES / "README.md").read_text(), (ROOT / "Makefile").read_text()
    questions = [question["question"] for question in QUESTIONS]
    assert [question for question in questions if question not in page] == []
    assert re.findall(r"^FACT := (.+)$", makefile, re.M) == questions[:1]
