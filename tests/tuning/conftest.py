"""A small folder with questions, half of which have no answer in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

THINGS = ["mill", "ferry", "school", "bridge", "tower", "bakery", "forge", "quarry", "dam", "archive", "well", "inn"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    for number, thing in enumerate(THINGS):
        text = f"The {thing} was opened in {1801 + 7 * number}. It belonged to the family of the {thing} keeper.\n"
        (made / f"{thing}.txt").write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def questions_file(tmp_path: Path) -> Path:
    rows: list[dict[str, object]] = []
    for number, thing in enumerate(THINGS):
        evidence = [f"The {thing} was opened in {1801 + 7 * number}."]
        known = {"answerable": True, "doc_ids": [f"{thing}.txt"], "evidence": evidence}
        rows.append({"id": f"{thing}-opened", "question": f"When was the {thing} opened?", **known})
        rows.append({"id": f"{thing}-wine", "question": f"Which wine does the {thing} sell?", "answerable": False})
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file
