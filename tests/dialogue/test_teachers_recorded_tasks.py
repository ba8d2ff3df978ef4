"""Examples of ParlAI's tasks in JSON lines, asked and graded by a teacher of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import DialogTeacher
from investigator.dialogue.text_lines import json_lines


class Recorded(DialogTeacher):
    """Examples of one exchange, with candidates where the file has some."""

    def setup_data(self, datafile: str) -> Iterator[tuple[Any, bool]]:
        for _, _, row in json_lines(datafile):
            assert isinstance(row, dict)
            text = "\n".join([*row.get("context", []), *([row["text"]] if "text" in row else [])])
            label = row["label"] if "label" in row else row["gold"]
            sentences = [candidate.partition(" __knowledge__ ")[2] for candidate in row.get("candidates", [])]
            yield (text, label, None, [*sentences, label]), True


@pytest.fixture
def folder(shared: Path) -> Path:
    found = shared / "data" / "dialogue" / "parlai_golden"
    if not found.is_dir():
        pytest.skip("the examples of ParlAI's tasks are not here")
    return found


def test_who_always_searches_is_right_as_often_as_the_file_says_so(folder: Path) -> None:
    file = folder / "sdm.dev.jsonl"
    teacher = Recorded({"datafile": str(file), "datatype": "valid", "task": "decision"})

    while not (act := teacher.act()).is_padding():
        assert act["id"] == "decision"
        teacher.observe(Message(text="search", text_candidates=["search", "do not search"]))

    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    right = sum(row["label"] == "search" for row in rows)
    report = {name: metric.value() for name, metric in teacher.report().items()}
    assert report["exs"] == len(rows)
    assert report["accuracy"] == report["hits@1"] == pytest.approx(right / len(rows))


def test_a_right_sentence_in_fifth_place_counts_among_the_first_five(folder: Path) -> None:
    teacher = Recorded({"datafile": str(folder / "knowledge_selection.dev.jsonl"), "datatype": "train:ordered"})

    asked = list(teacher)

    assert len(asked) == teacher.num_examples() > 10
    for act in asked:
        teacher.act()
        others = [candidate for candidate in act["label_candidates"] if candidate not in act["labels"]]  # type: ignore
        teacher.observe(Message(text=others[0], text_candidates=[*others[:4], *act["labels"]]))  # type: ignore[misc]
    report = {name: metric.value() for name, metric in teacher.report().items()}
    assert (report["hits@1"], report["hits@5"], report["accuracy"]) == (0.0, 1.0, 0.0)
