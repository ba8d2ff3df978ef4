"""`matrix` and `ask --questions` on the command line: files of questions, reports, exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from commands import command
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


def test_a_matrix_is_shown_and_written_in_each_format(place: Path) -> None:
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
    reports[1].write_text("mine,not,yours\n")
    refused = typed(place, "matrix", "--question", "Why?", "--report", str(reports[1]))
    assert (refused.exit_code, reports[1].read_text()) == (2, "mine,not,yours\n")
    inside = typed(place, "matrix", "--question", "Why?", "--report", str(place / "folder" / "table.csv"))
    assert (inside.exit_code, "inside the folder" in inside.output) == (2, True)


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
