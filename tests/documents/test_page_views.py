"""Marks on a page lie over the words of a quote, and pages are drawn within bounds."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from made_files import pdf

from investigator.documents.page_views import PageViews
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.readers.pdf.page_drawing import MarkedSpan
from investigator.documents.scanning import FolderSettings
from investigator.records import Document, PageView

FIRST, SECOND = "The mill stands at the river.", "Its wheel was renewed in 1904."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def pages(folder: Path) -> Iterator[PageViews]:
    with PageViews(folder, FolderSettings(), ReaderSettings(max_seconds=20)) as views:
        yield views


@pytest.fixture
def kept(folder: Path, read: Callable[..., Document]) -> Callable[[str, bytes], Document]:
    """Writes a PDF into the folder; the document that is read from it."""

    def write(name: str, data: bytes) -> Document:
        (folder / name).write_bytes(data)
        return read(name, data).changed(content_hash=hashlib.sha256(data).hexdigest())

    return write


def changed(data: bytes, change: Callable[[pypdf.PageObject], object]) -> bytes:
    """The same PDF with each page changed."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    for page in writer.pages:
        change(page)
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


def marked(pages: PageViews, document: Document, words: str) -> tuple[PageView, ...]:
    start = document.text.index(words)
    return pages.marked(document, [MarkedSpan(start=start, end=start + len(words))])


def words_under(data: bytes, view: PageView) -> str:
    """What pdfium reads inside the marks of a page, line by line."""
    page = pypdfium2.PdfDocument(data)[view.page - 1]
    text = page.get_textpage()
    found = []
    for mark in view.marks:
        x, y = zip(*(on_page(page, x, y) for x, y in ((mark.left, mark.top), (mark.right, mark.bottom))), strict=True)
        found.append(text.get_text_bounded(min(x), min(y), max(x), max(y)).strip())
    return " ".join(found)


def on_page(page: pypdfium2.PdfPage, across: float, down: float) -> tuple[float, float]:
    from ctypes import c_double

    x, y = c_double(), c_double()
    parts = 1_000_000
    pypdfium2.raw.FPDF_DeviceToPage(page, 0, 0, parts, parts, 0, round(across * parts), round(down * parts), x, y)
    return x.value, y.value


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_marks_lie_over_the_words_also_on_a_turned_page(pages, kept, turn):
    data = changed(pdf([[FIRST, SECOND]]), lambda page: page.rotate(turn))
    (view,) = marked(pages, kept(f"turned{turn}.pdf", data), SECOND)
    assert (view.width, view.height) == ((800, 600) if turn % 180 else (600, 800))
    assert words_under(data, view) == SECOND
    (mark,) = view.marks
    assert (mark.right - mark.left > mark.bottom - mark.top) == (turn % 180 == 0)
