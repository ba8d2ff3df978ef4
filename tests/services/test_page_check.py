"""What the pages of PDF files show is compared with the text that was read of them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pypdf
import pytest

from investigator import Investigator
from investigator.errors import SettingsError
from investigator.records import Document, PageSpan
from investigator.services.page_check import compared

WORDS = "the boilers will be delivered on the fourteenth of may by rail"


def document(text: str) -> Document:
    span = PageSpan(page=1, start=0, end=len(text))
    return Document(id="a.pdf", title="a", media_type="application/pdf", content_hash="h", text=text, pages=(span,))


def test_a_page_that_reads_as_it_looks_is_not_listed() -> None:
    assert compared(document(WORDS), 1, WORDS.upper()) is None
    assert compared(document(WORDS), 1, WORDS.replace("rail", "ship")) is None
    assert compared(document(""), 1, "logo") is None


def test_a_page_whose_words_were_lost_is_listed_with_what_it_shows() -> None:
    page = compared(document(WORDS), 2, f"{WORDS} and paid in june")
    assert page is not None
    assert (page.read, page.common) == (0, 0)
    page = compared(document(WORDS), 1, "quite other words stand here on this page")
    assert page is not None
    assert page.line == (
        "a.pdf page 1: 1 of 12 words agree; only on the page: quite, other, words, stand, here, this, page"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    (made / "a.txt").write_text("A note.", encoding="utf-8")
    writer.write(made / "blank.pdf")
    return made


def test_without_tesseract_the_comparison_says_how_to_get_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Investigator(folder, workspace=tmp_path / "w")
    list(made.index())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SettingsError, match="without text recognition") as caught:
        list(made.check_pages())
    assert "Tesseract" in caught.value.hint


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Tesseract is a shell script")
def test_pages_of_a_folder_are_drawn_and_compared(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(Path(__file__).resolve().parents[2] / "data/examples/child-health/schools-active-lessons.pdf", folder)
    made = Investigator(folder, workspace=tmp_path / "w")
    list(made.index())
    commands = tmp_path / "bin"
    commands.mkdir()
    script = (
        'if [ "$1" = --list-langs ]; then echo "Languages:"; echo eng; exit; fi\necho six other words on every page'
    )
    (commands / "tesseract").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (commands / "tesseract").chmod(0o755)
    monkeypatch.setenv("PATH", str(commands))
    pages = list(made.check_pages())
    assert [page.page for page in pages] == list(range(1, len(pages) + 1))
    assert {page.document for page in pages} == {"schools-active-lessons.pdf"}
