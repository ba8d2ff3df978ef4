"""PDF pages keep their numbers and their text."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from made_files import pdf

from investigator.documents.pages import listed_pages
from investigator.documents.readers.properties import honest_title, largest_title
from investigator.records import FileStatus


def test_pages_keep_their_numbers_also_after_an_empty_one(read):
    document = read("a.pdf", pdf([["First page.", "Second line."], [], ["Third page."]]))
    assert {s.page: document.text[s.start : s.end] for s in document.pages} == {
        1: "First page.\nSecond line.",
        3: "Third page.",
    }


def test_the_title_comes_from_the_properties(read):
    document = read("a.pdf", pdf([["Text."]], title="Annual report", date="D:20220930120000Z"))
    assert (document.title, document.date) == ("Annual report", "2022-09-30")


def test_a_made_up_title_gives_way_to_the_largest_words(read):
    lines = ["The mill on the Floss", "by George Eliot", "A wide plain.", "And a river."]
    document = read("scan17.pdf", pdf([lines], title="Microsoft Word - x.doc", first_size=24))
    assert document.title == "The mill on the Floss"


def test_without_large_words_the_first_line_is_the_title(read):
    assert read("a.pdf", pdf([["Lease", "Text of the lease."]])).title == "Lease"


@pytest.mark.parametrize(
    "title",
    ["untitled", "report.docx", "Microsoft Word - a.doc", "0000320193-22-000070", "Document1", "about:blank"],
)
def test_made_up_titles_are_not_believed(title):
    assert honest_title(title) == ""


def test_lines_of_the_largest_size_are_one_title():
    lines = [
        ("Contents", 9.0),
        ("On the flow", 20.0),
        ("of rivers", 20.0),
        ("Ada Byron", 12.0),
        ("text", 9.0),
        ("more", 9.0),
    ]
    assert largest_title(lines) == "On the flow of rivers"


def test_a_pdf_of_blank_pages_is_empty(refused):
    assert refused("blank.pdf", pdf([[], []])) is FileStatus.EMPTY


def test_pages_are_listed_as_runs():
    assert listed_pages([3]) == "page 4"
    assert listed_pages([0, 2, 3, 4, 8]) == "pages 1, 3-5, 9"


def with_attachments(pages: list[list[str]], **attached: bytes) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(pages)))
    for name, data in attached.items():
        writer.add_attachment(f"{name}.txt", data)
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


def test_files_attached_to_a_pdf_are_documents_of_their_own(read_all):
    found = read_all("report.pdf", with_attachments([["The report."]], notes=b"The notes.", noise=bytes(range(256))))
    assert {document.id: document.text for document in found.documents} == {
        "report.pdf": "The report.",
        "report.pdf/notes.txt": "The notes.",
    }
    assert [(item.path, item.status) for item in found.unreadable] == [("report.pdf/noise.txt", FileStatus.UNSUPPORTED)]


def test_a_pdf_that_only_carries_files_is_read_for_them(read_all):
    found = read_all("cover.pdf", with_attachments([[]], notes=b"The notes."))
    assert [document.id for document in found.documents] == ["cover.pdf/notes.txt"]
    assert found.unreadable == ()


def test_a_pdf_of_too_many_pages_or_characters_is_refused(refused, monkeypatch):
    monkeypatch.setattr("investigator.documents.readers.pdf.reader.MOST_CHARACTERS", 10)
    assert refused("a.pdf", pdf([["a word"]] * 3), max_pages=2) is FileStatus.TOO_LARGE
    assert refused("a.pdf", pdf([["a word"]] * 3), max_pages=3) is FileStatus.TOO_LARGE


def solid(text: str) -> str:
    """Return the text without white space and hyphens, which depend on the layout."""
    return re.sub(r"[\s\ufffe-]", "", text)


def test_the_page_map_of_real_filings_agrees_with_pdfium(shared: Path, read):
    for path in sorted((shared / "data/investigate/sec10q_pdf/docs_dev").glob("*.pdf"))[::2]:
        document = read(path.name, path.read_bytes())
        spans = {span.page: span for span in document.pages}
        source = pypdfium2.PdfDocument(path)
        for index in range(len(source)):
            own = source[index].get_textpage().get_text_range()
            span = spans.get(index + 1)
            assert solid(document.text[span.start : span.end] if span else "") == solid(own)
        source.close()
        assert document.pages[0].start == 0
        assert document.pages[-1].end == len(document.text)
        assert all(document.text[a.end : b.start] == "\n\n" for a, b in pairwise(document.pages))
