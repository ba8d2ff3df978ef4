"""A kept answer is shown again with what has changed in its documents since."""

from __future__ import annotations

import json
import os
from pathlib import Path
from zipfile import ZipFile

import pytest
from commands import command
from power_plants import ALL, ONE, read, write_folder

from investigator import Investigator, RunOptions, ScriptedEmbedder, ScriptedEngine
from investigator.records import AnswerStatus

SINCE = "cedar.txt has changed since this answer"
FOUND = "The words of each quote were found"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_folder(tmp_path / "folder")
    return tmp_path


def opened(place: Path, *, is_read: bool = True) -> Investigator:
    model = ScriptedEngine(read) if is_read else None
    return Investigator(place / "folder", model=model, workspace=place / "w", embedder=ScriptedEmbedder())


def show(place: Path, *words: object) -> str:
    shown = command("show", place / "folder", "last", "--workspace", place / "w", *words)
    assert shown.exit_code == 0, shown.output
    return shown.stdout


def test_show_names_the_document_that_lost_a_quote_and_no_longer_says_answered(place: Path) -> None:
    opened(place).ask(ONE)
    before = show(place)
    assert "Answered; read" in before
    assert show(place) == before
    cedar = place / "folder" / "cedar.txt"
    cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
    after = show(place)
    assert f"Not found so far: {SINCE}" in after
    assert 'no longer contains the quote: "It makes 42 MW of power."' in after
    assert "Answered" not in after
    assert "not supported" not in after
    assert json.loads(show(place, "--json"))["answer"]["coverage"]["source_changed"] == ["cedar.txt"]
    cedar.unlink()
    assert "cedar.txt is gone since this answer: ask again." in show(place)


def test_every_export_of_an_old_run_names_what_has_changed(place: Path) -> None:
    opened(place).ask(ONE)
    cedar = place / "folder" / "cedar.txt"
    cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
    files = {suffix: place / f"a{suffix}" for suffix in (".html", ".md", ".json", ".csv", ".docx")}
    show(place, *(word for file in files.values() for word in ("--report", file)))
    page, markdown, record, table = (files[suffix].read_text() for suffix in (".html", ".md", ".json", ".csv"))
    document = ZipFile(files[".docx"]).read("word/document.xml").decode()
    for text in (page, markdown, record, document):
        assert SINCE in text
        assert FOUND not in text
    assert "cedar.txt" not in table


def test_passages_that_no_model_has_read_name_the_document_that_has_changed(place: Path) -> None:
    answer = opened(place, is_read=False).ask(ALL)
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert SINCE not in show(place)
    cedar = place / "folder" / "cedar.txt"
    cedar.write_text("Closed.")
    assert SINCE in show(place)
    show(place, "--report", place / "a.html")
    page = (place / "a.html").read_text()
    assert SINCE in page[: page.index("Withheld")]


def test_a_file_that_was_replaced_with_the_same_size_and_time_is_noticed_while_the_folder_is_open(place: Path) -> None:
    investigator, cedar = opened(place), place / "folder" / "cedar.txt"
    investigator.ask(ONE)
    record, before = investigator.show("last"), cedar.stat()
    with investigator.kept_open():
        assert investigator.current(record) == record
        assert investigator.current(record) == record
        cedar.write_text(cedar.read_text().replace("42 MW", "43 MW"))
        os.utime(cedar, ns=(before.st_atime_ns, before.st_mtime_ns))
        answer = investigator.current(record).answer
    assert answer is not None
    assert answer.coverage.source_changed == ("cedar.txt",)


def test_a_table_that_is_shown_again_withholds_the_values_whose_quotes_are_gone(place: Path) -> None:
    plant = {
        "properties": {"plant": {"title": "Plant"}, "power": {"type": "number", "unit": "MW", "title": "Power (MW)"}}
    }
    costs, cedar = (place / "folder" / name for name in ("costs.csv", "cedar.txt"))
    costs.write_text("Plant,Power (MW)\nCedar,42\nElm,43\n")
    investigator = opened(place)
    typed = investigator.extract({"type": "array", "items": plant}, RunOptions(only=["costs.csv"])).id
    asked = investigator.matrix(["How much power does the plant make?"], RunOptions(only=["cedar.txt", "elm.txt"])).id
    both = [command("show", place / "folder", run, "--workspace", place / "w").stdout for run in (typed, asked)]
    assert all("stated" in shown and "no longer" not in shown for shown in both)
    costs.write_text(costs.read_text().replace("42", "77"))
    cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
    shown = command("show", place / "folder", typed, "--workspace", place / "w", "--report", place / "a.html", "--json")
    table = json.loads(shown.stdout)
    assert table["documents"][0]["values"] is None
    assert [(cell["status"], cell["value"]) for cell in table["cells"]] == [
        *[("unclear", None)] * 2,  # the row of the Cedar plant
        *(("stated", "Elm"), ("stated", 43)),
    ]
    assert "costs.csv: it no longer contains words quoted from it" in (place / "a.html").read_text()
    after = command("show", place / "folder", asked, "--workspace", place / "w").stdout
    assert "cedar.txt has changed since it was read" in after
    assert "43 MW" in after
    assert "42 MW" not in after.partition("Cells:")[0].replace('quote: "It makes 42 MW', "")


def test_a_follow_up_does_not_build_on_a_statement_whose_quote_is_gone(place: Path) -> None:
    investigator, cedar = opened(place), place / "folder" / "cedar.txt"
    investigator.ask(ONE)
    cedar.write_text(cedar.read_text().replace("42 MW", "77 MW"))
    investigator.ask("And how old is it?", after="last")
    (turn,) = investigator.show("last").earlier
    assert turn.question == ONE
    assert "42 MW" not in turn.answer
