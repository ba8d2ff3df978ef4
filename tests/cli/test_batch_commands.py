"""`matrix` and `ask --questions` on the command line: files of questions, reports, exit codes."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from commands import command
from jsonschema import Draft202012Validator
from openpyxl import load_workbook
from typer.testing import Result

from investigator.cli.ask import EXIT_CODES
from investigator.records import AnswerStatus

TRIAL = "The trial lasted 24 months. It was paid by the state of Bavaria.\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two documents, and a file of questions beside it."""
    place = tmp_path_factory.mktemp("batch")
    (place / "folder").mkdir()
    (place / "folder" / "trial.md").write_text(TRIAL, encoding="utf-8")
    (place / "folder" / "menu.md").write_text("Soup of the day: leek and potato.\n", encoding="utf-8")
    (place / "questions.txt").write_text("How long did the trial last?\n\nHow long did the  trial last?\n")
    return place


def typed(place: Path, *words: str) -> Result:
    kept = ("--workspace", str(place / "w"), "--set", "embedder=all-MiniLM-L6-v2")
    return command(words[0], place / "folder", *words[1:], *kept)


def test_a_matrix_is_shown_and_written_in_each_format(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [place / f"table{ending}" for ending in (".html", ".csv", ".xlsx", ".json")]
    named = [word for report in reports for word in ("--report", str(report))]
    file = str(place / "questions.txt")
    shown = typed(place, "matrix", "--questions", file, "--question", "Who painted the ceiling?", *named)
    assert shown.exit_code == 0, shown.output
    assert "trial.md" in shown.stdout
    assert "24 months" in shown.stdout
    rows = list(csv.DictReader(io.StringIO(reports[1].read_text(encoding="utf-8-sig"))))
    assert [(row["document"], row["question_number"]) for row in rows] == [
        (name, number) for name in ("menu.md", "trial.md") for number in ("1", "2")
    ]
    assert json.loads(reports[3].read_text(encoding="utf-8"))["schema"] == "investigator/matrix/2"
    again = typed(place, "matrix", "--questions", file, "--question", "Who painted the ceiling?", *named)
    assert again.exit_code == 0, again.output  # its own reports are overwritten
    table = json.loads(reports[3].read_text(encoding="utf-8"))
    own = ("--workspace", str(place / "w"))
    kept = command("show", place / "folder", table["id"], "--json", "--report", str(place / "kept.csv"), *own)
    assert json.loads(kept.stdout)["cells"] == table["cells"]
    assert (place / "kept.csv").read_bytes() == reports[1].read_bytes()
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    first = ("--report", str(place / "first.csv"), "--report", str(place / "kept.parquet"))
    early = command("show", place / "folder", table["id"], *first, *own)
    assert (early.exit_code, "need the package pyarrow" in early.stderr, "hint: " in early.stderr) == (2, True, True)
    assert not (place / "first.csv").exists()
    reports[1].write_text("mine,not,yours\n")
    refused = typed(place, "matrix", "--question", "Why?", "--report", str(reports[1]))
    assert (refused.exit_code, reports[1].read_text()) == (2, "mine,not,yours\n")
    inside = typed(place, "matrix", "--question", "Why?", "--report", str(place / "folder" / "table.csv"))
    assert (inside.exit_code, "inside the folder" in inside.output) == (2, True)


def test_values_of_a_schema_are_shown_and_written_in_each_format(place: Path) -> None:
    (place / "folder" / "lines.csv").write_text("Item,Amount\nBolt,GBP 3\n=1+1,GBP 4\n", encoding="utf-8")
    schema = place / "schema.json"
    line = {"properties": {"item": {"type": "string"}, "amount": {"type": "number", "unit": "GBP"}}, "colour": "red"}
    schema.write_text(json.dumps({"type": "array", "items": line}), encoding="utf-8")
    reports = [place / f"values{ending}" for ending in (".csv", ".xlsx", ".json")]
    named = [word for report in reports for word in ("--report", str(report))]
    for _ in range(2):  # its own reports are overwritten
        shown = typed(place, "matrix", "--schema", str(schema), *named)
        assert shown.exit_code == 0, shown.output
    assert "lines.csv #1  Bolt" in shown.stdout
    assert "unknown keywords of the schema are ignored: colour" in shown.stderr
    rows = list(csv.DictReader(io.StringIO(reports[0].read_text(encoding="utf-8-sig"))))
    lines = [(row["record"], row["item"], row["amount"]) for row in rows if row["document"] == "lines.csv"]
    assert lines == [("1", "Bolt", "3"), ("2", "'=1+1", "4")]
    sheet = load_workbook(reports[1]).active
    assert sheet is not None
    (bolt,) = [row for row in sheet if row[1].value == "Bolt"]
    assert (bolt[2].value, bolt[2].data_type) == (3, "n")
    assert "Item: Bolt; Amount: GBP 3 (lines.csv:line 2)" in (bolt[2].comment.text if bolt[2].comment else "")
    assert {row[1].data_type for row in sheet if row[1].value == "=1+1"} == {"s"}
    written = json.loads(reports[2].read_text(encoding="utf-8"))
    kept = command("show", place / "folder", written["id"], "--json", "--workspace", str(place / "w"))
    assert json.loads(kept.stdout) == written
    values = {document["id"]: document["values"] for document in written["documents"]}
    assert values["lines.csv"] == [{"item": "Bolt", "amount": 3}, {"item": "=1+1", "amount": 4}]
    assert all(Draft202012Validator(json.loads(schema.read_text())).is_valid(each) for each in values.values())


def test_a_schema_that_cannot_be_used_is_refused_before_anything_is_read(place: Path) -> None:
    schema = place / "bad.json"
    for text in ('{"properties": {"a": {}, "a": {}}}', "no json", "\u0000"):
        schema.write_text(text, encoding="utf-8")
        refused = typed(place, "matrix", "--schema", str(schema))
        assert (refused.exit_code, "Traceback" in refused.output) == (2, False), refused.output
    assert typed(place, "matrix", "--schema", str(place / "missing.json")).exit_code == 2
    assert typed(place, "matrix", "--schema", str(schema), "--question", "Why?").exit_code == 2


def test_of_many_exit_codes_the_worst_counts(place: Path) -> None:
    file = place / "two.jsonl"
    file.write_text('{"question": "How long did the trial last?"}\n{"question": "Who painted the ceiling?"}\n')
    asked = typed(place, "ask", "--questions", str(file), "--json")
    statuses = [one["investigation"]["answer"]["status"] for one in json.loads(asked.stdout)["outcomes"]]
    codes = {EXIT_CODES[AnswerStatus(status)] for status in statuses}
    assert asked.exit_code == next(code for code in (4, 3, 5, 0) if code in codes)


@pytest.mark.parametrize("words", [("--dry-run",), ("--after", "last")])
def test_what_is_for_one_question_is_refused_for_many(place: Path, words: tuple[str, ...]) -> None:
    for name in ("ask", "matrix"):
        refused = typed(place, name, "--questions", str(place / "questions.txt"), *words)
        assert (refused.exit_code, "applies to a single question" in refused.output) == (2, True)
    assert typed(place, "matrix").exit_code == 2


def test_without_a_model_nothing_is_called_read_and_the_notice_is_printed_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "trial.md").write_text(TRIAL, encoding="utf-8")
    (tmp_path / "folder" / "zeros.docx").write_bytes(bytes(3_000))
    (tmp_path / "folder" / "empty.txt").write_bytes(b"")
    (tmp_path / "questions.txt").write_text("How long did the trial last?\nWho paid for the trial?\n")
    shown = typed(tmp_path, "ask", "--questions", str(tmp_path / "questions.txt"))
    assert shown.stdout.count("No language model has read these passages.") == 1
    assert shown.stdout.count("trial.md:line 1") == 2  # the place of each passage, without a list of sources
    coverage = "searched 1 of 3 documents; 1 unreadable: zeros.docx (failed); 1 empty: empty.txt"
    assert shown.stdout.count(f"Coverage: {coverage}") == 2
    typed(tmp_path, "matrix", "--questions", str(tmp_path / "questions.txt"))
    listed = command("show", tmp_path / "folder", "--workspace", str(tmp_path / "w"))
    assert listed.stdout.count("passages that may answer") == 3
    assert "call" not in listed.stdout
    alone = typed(tmp_path, "ask", "How long did the trial last?", "--json")
    answer = json.loads(alone.stdout)["answer"]
    assert (answer["coverage"]["read"], answer["coverage"]["searched"]) == ([], ["trial.md"])
    assert answer["run"]["stop"] == "saturated"
    reasons = {file["path"]: file["reason"] for file in answer["coverage"]["unreadable"]}
    assert reasons["zeros.docx"].startswith("it contains only zero bytes")
