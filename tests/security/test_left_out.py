"""If a folder hides documents from the user, the answer says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import AnswerStatus, Investigator, ScriptedEmbedder
from investigator.errors import FolderError
from investigator.proof.coverage import coverage_line
from investigator.records import LeftOutReason
from investigator.reports.folder import folder_text
from investigator.reports.html import html_report
from investigator.reports.terminal import investigation_text

QUESTION = "What is the penalty in the contract with Aarhus?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that shows one document of three."""
    folder = tmp_path / "sent"
    (folder / "work").mkdir(parents=True)
    (folder / "a.txt").write_text("The mill stands at the river.")
    (folder / "contract.txt").write_text("The penalty in the contract with Aarhus is 412 crowns.")
    (folder / "work" / "b.txt").write_text("The river is wide.")
    (folder / "work" / "investigator.db").touch()
    (folder / ".investigatorignore").write_text("contract.*\n")
    return folder


def test_an_answer_names_what_the_folder_keeps_out_of_it(folder: Path, tmp_path: Path) -> None:
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    answer = investigator.ask(QUESTION)
    (left_out,) = answer.coverage.left_out
    assert (left_out.reason, left_out.files, left_out.names) == (LeftOutReason.IGNORE_FILE, 1, ("contract.txt",))
    said = "1 left out by .investigatorignore: contract.txt"
    assert said in coverage_line(answer.coverage)
    assert "work/b.txt" in (*answer.coverage.read, *answer.coverage.searched)
    case = investigator.show(investigator.runs()[0].id)
    assert said in investigation_text(case).plain
    assert "contract.txt" in html_report(case)
    assert said in folder_text(investigator.status()).plain


def test_a_question_is_investigated_again_if_the_ignore_file_says_something_else(folder: Path, tmp_path: Path) -> None:
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    investigator.ask(QUESTION)
    (folder / "later.txt").write_text("Later.")
    (folder / ".investigatorignore").write_text("contract.*\nlater.*\n")
    assert investigator.ask(QUESTION).coverage.left_out[0].files == 2
    (folder / ".investigatorignore").unlink()
    answer = investigator.ask(QUESTION)
    assert answer.coverage.left_out == ()
    assert answer.status not in (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR)


def test_an_empty_folder_says_what_was_left_out_of_it(folder: Path, tmp_path: Path) -> None:
    (folder / ".investigatorignore").write_text("*\n")
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    with pytest.raises(FolderError, match=r"contains no documents; 3 left out by \.investigatorignore: a\.txt"):
        investigator.ask(QUESTION)
