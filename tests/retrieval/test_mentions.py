from pathlib import Path

import pytest
from commands import command

from investigator import Investigator, ScriptedEmbedder
from investigator.errors import QuestionError
from investigator.records import Mentions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lease.txt").write_text("The landlord keeps the bed nets. Nothing else is stored.\n\nNets are new.\n")
    (tmp_path / "notes.md").write_text("# Store\n\nA net of beds was drawn.\n")
    (tmp_path / "staff.csv").write_text("name,item\nAnn,bed net\nBen,lamp\n")
    (tmp_path / "menu.txt").write_text("Soup and bread.\n")
    return tmp_path


def mentions(folder: Path, query: str) -> Mentions:
    return Investigator(folder, embedder=ScriptedEmbedder()).mentions(query)


def test_every_document_with_all_words_in_any_form_is_listed_with_its_sentences(folder: Path) -> None:
    listed = mentions(folder, "beds net")
    assert {entry.document_id for entry in listed.documents} == {"lease.txt", "notes.md", "staff.csv"}
    lease = next(entry for entry in listed.documents if entry.document_id == "lease.txt")
    assert [passage.text for passage in lease.passages] == ["The landlord keeps the bed nets.", "Nets are new."]
    assert lease.passages[1].line == 3
    assert listed.complete
    assert listed.searched == 4


def test_a_phrase_in_quotation_marks_stands_word_for_word(folder: Path) -> None:
    assert {entry.document_id for entry in mentions(folder, '"bed net"').documents} == {"lease.txt", "staff.csv"}
    assert {entry.document_id for entry in mentions(folder, '"bed net" landlord').documents} == {"lease.txt"}


def test_a_list_with_an_unreadable_file_says_that_it_is_not_complete(folder: Path) -> None:
    (folder / "scan.pdf").write_bytes(b"%PDF-1.4 broken")
    listed = mentions(folder, "soup")
    assert not listed.complete
    assert [file.path for file in listed.unreadable] == ["scan.pdf"]
    shown = command("search", folder, "soup", "--mentions").stdout
    assert "menu.txt\n   line 1: Soup and bread." in shown
    assert "The list is not complete; not searched: scan.pdf" in shown


def test_words_that_stand_nowhere_give_an_empty_and_complete_list(folder: Path) -> None:
    shown = command("search", folder, "starbucks", "--mentions").stdout
    assert shown == '0 documents of 4 contain "starbucks". The list is complete: every file was searched.\n'


def test_mentions_of_one_document_and_without_words_are_refused(folder: Path) -> None:
    assert command("search", folder, "soup", "--mentions", "--document", "menu.txt").exit_code == 2
    with pytest.raises(QuestionError, match="no words"):
        mentions(folder, "?!")
