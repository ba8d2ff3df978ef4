"""Marks on a page cover the words of a quote, and pages are drawn within limits."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_double
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from made_files import Placed, changed, pdf
from PIL import Image

from investigator.documents.page_views import PageViews
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.readers.pdf.page_drawing import MOST_PIXELS, NOT_SHOWN, OTHER_TEXT, letter_places
from investigator.documents.scanning import FolderSettings
from investigator.errors import NotFoundError, ReaderError, SourceChangedError, UserError
from investigator.records import Document, PageView, TextSpan

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
    """Write a PDF into the folder, and return the document read from it."""

    def write(name: str, data: bytes) -> Document:
        (folder / name).write_bytes(data)
        return read(name, data).changed(content_hash=hashlib.sha256(data).hexdigest())

    return write


def marked(pages: PageViews, document: Document, words: str) -> tuple[PageView, ...]:
    start = document.text.index(words)
    return pages.marked(document, TextSpan(start=start, end=start + len(words)))


def words_under(data: bytes, view: PageView) -> str:
    """Return the text that pdfium reads inside the marks of a page, line by line."""
    page = pypdfium2.PdfDocument(data)[view.page - 1]
    text = page.get_textpage()
    found = []
    for mark in view.marks:
        x, y = zip(*(on_page(page, x, y) for x, y in ((mark.left, mark.top), (mark.right, mark.bottom))), strict=True)
        found.append(text.get_text_bounded(min(x), min(y), max(x), max(y)).strip())
    return " ".join(found)


def on_page(page: pypdfium2.PdfPage, across: float, down: float) -> tuple[float, float]:
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


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_marks_lie_over_cells_drawn_apart_also_on_a_turned_page(pages, kept, turn):
    cells = [
        Placed(cell, left=60 + 180 * column, bottom=600 - 16 * row)
        for row, words in enumerate([("Year", "2022", "2023"), ("Apples", "78", "87"), ("Pears", "27", "32")])
        for column, cell in enumerate(words)
    ]
    data = changed(pdf([cells]), lambda page: page.rotate(turn))
    (view,) = marked(pages, kept(f"cells{turn}.pdf", data), "Pears 27 32")
    assert words_under(data, view) == "Pears 27 32"


def test_lines_for_copying_are_those_that_the_page_shows_upright(pages, kept):
    def lay(page: pypdf.PageObject) -> None:
        page.add_transformation(pypdf.Transformation().rotate(90).translate(800, 0))
        page.mediabox.upper_right = page.cropbox.upper_right = (800, 800)

    sideways = changed(pdf([[FIRST, SECOND]]), lay)
    (view,) = marked(pages, kept("sideways.pdf", sideways), SECOND)
    assert view.lines == ()
    (view,) = marked(pages, kept("laid.pdf", changed(sideways, lambda page: page.rotate(90))), SECOND)
    assert [line.text for line in view.lines] == [FIRST, SECOND]


def test_each_line_of_a_quote_has_a_mark_of_its_own(pages, kept):
    data = pdf([[FIRST, SECOND, "Nobody lives there."]])
    (view,) = marked(pages, kept("lines.pdf", data), "at the river.\nIts wheel")
    assert [round(mark.left, 2) for mark in view.marks] == [0.22, 0.09]
    assert words_under(data, view) == "at the river. Its wheel"


def test_a_quote_over_two_pages_is_marked_on_both(pages, kept):
    data = pdf([[FIRST], [SECOND]])
    views = marked(pages, kept("two.pdf", data), f"at the river.\n\n{SECOND}")
    assert [(view.page, view.pages, words_under(data, view)) for view in views] == [
        (1, 2, "at the river."),
        (2, 2, SECOND),
    ]


def test_a_word_that_a_line_end_cut_is_marked_on_both_lines(pages, kept):
    data = pdf([["The mill was renew-", "ed in 1904 and renewed again."]])
    (view,) = marked(pages, kept("cut.pdf", data), "renewed\nin 1904")
    assert words_under(data, view) == "renew ed in 1904"


def test_a_raised_sign_that_is_not_of_the_quote_is_left_out(pages, kept):
    data = pdf([[Placed("The mill", 50, 700), Placed("TM", 97, 704, 6), Placed("stands here.", 110, 700)]])
    document = kept("raised.pdf", data)
    start, end = document.text.index("The mill"), document.text.index("here.")
    spans = (TextSpan(start=start, end=start + 8), TextSpan(start=end, end=end + 5))
    views = [pages.marked(document, span)[0] for span in spans]
    assert [words_under(data, view) for view in views] == ["The mill", "here."]


def test_marks_of_a_cropped_page_are_shares_of_what_is_shown(pages, kept):
    def crop(page: pypdf.PageObject) -> None:
        page.cropbox = pypdf.generic.RectangleObject((40, 700, 340, 800))

    data = changed(pdf([[FIRST, SECOND]]), crop)
    (view,) = marked(pages, kept("cropped.pdf", data), FIRST)
    assert (view.width, view.height) == (300, 100)
    assert words_under(data, view) == FIRST
    (mark,) = view.marks
    assert mark.left == pytest.approx(0.035, abs=0.01)


def test_words_that_a_defect_crops_off_are_told_to_be(pages, kept):
    def crop(page: pypdf.PageObject) -> None:
        page.cropbox = pypdf.generic.RectangleObject((40, 10, 60, 20))

    (view,) = marked(pages, kept("off.pdf", changed(pdf([[FIRST, SECOND]]), crop)), FIRST)
    assert (view.marks, view.unmarked) == ((), NOT_SHOWN)


def test_a_page_is_drawn_as_wide_as_it_is_asked_for(pages, kept):
    document = kept("wide.pdf", changed(pdf([[FIRST]]), lambda page: page.rotate(90)))
    picture = Image.open(io.BytesIO(pages.picture(document, 1, 400)))
    assert (picture.format, picture.size) == ("PNG", (400, 300))
    assert picture.convert("L").getextrema()[0] < 100


def test_a_huge_page_is_drawn_smaller(pages, kept):
    def stretch(page: pypdf.PageObject) -> None:
        page.mediabox = pypdf.generic.RectangleObject((0, 0, 100, 14_000))

    document = kept("tall.pdf", changed(pdf([[Placed(FIRST, 10, 40)]]), stretch))
    width, height = Image.open(io.BytesIO(pages.picture(document, 1, 2_000))).size
    assert width < 2_000
    assert width * height <= MOST_PIXELS * 1.01


@pytest.mark.parametrize(("page", "width"), [(0, 100), (2, 100), (1, 0), (1, 100_000)])
def test_a_page_that_is_not_there_is_refused(pages, kept, page, width):
    with pytest.raises(UserError):
        pages.picture(kept("one.pdf", pdf([[FIRST]])), page, width)


def test_words_that_are_on_no_page_are_refused(pages, kept):
    with pytest.raises(NotFoundError, match="no page"):
        pages.marked(kept("one.pdf", pdf([[FIRST]])), TextSpan(start=5_000, end=5_010))


def test_a_document_without_pages_is_refused(pages, kept):
    with pytest.raises(NotFoundError, match="not a PDF"):
        pages.picture(kept("notes.txt", FIRST.encode()), 1, 100)


def test_a_file_that_is_not_the_one_that_was_read_is_not_shown(pages, kept, folder):
    document = kept("changed.pdf", pdf([[FIRST]]))
    (folder / "changed.pdf").write_bytes(pdf([[SECOND]]))
    with pytest.raises(SourceChangedError, match=r"changed\.pdf: the file has changed"):
        marked(pages, document, FIRST)


def test_a_file_that_is_gone_or_a_link_by_now_is_not_shown(pages, kept, folder):
    document = kept("gone.pdf", pdf([[FIRST]]))
    assert pages.picture(document, 1, 50)
    (folder / "gone.pdf").rename(folder / "moved.pdf")
    with pytest.raises(SourceChangedError, match="no longer in the folder"):
        pages.picture(document, 1, 50)
    outside = folder.parent / "outside.pdf"
    (folder / "moved.pdf").rename(outside)
    (folder / "gone.pdf").symlink_to(outside)
    with pytest.raises(ReaderError):
        pages.picture(document, 1, 50)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"%PDF-1.4\nbroken", "truncated or damaged"), (None, "password")],
    ids=["broken", "encrypted"],
)
def test_a_pdf_that_cannot_be_opened_says_why(pages, folder, data, reason):
    if data is None:
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf([[FIRST]])))
        writer.encrypt("secret", algorithm="RC4-128")
        made = io.BytesIO()
        writer.write(made)
        data = made.getvalue()
    (folder / "shut.pdf").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    document = Document(id="shut.pdf", title="", media_type="application/pdf", content_hash=digest, text=FIRST)
    with pytest.raises(ReaderError, match=reason):
        pages.picture(document, 1, 50)


def test_a_page_that_takes_too_long_is_given_up_and_the_next_one_is_drawn(kept, folder, pages):
    document = kept("slow.pdf", pdf([[FIRST] * 40]))
    hurried = PageViews(folder, FolderSettings(), ReaderSettings(max_seconds=0.05))
    with hurried, pytest.raises(ReaderError, match=r"more than 0\.05 seconds"):
        hurried.picture(document, 1, 4_000)
    assert pages.picture(document, 1, 50)


def test_several_readers_are_shown_their_own_pages(pages, kept):
    document = kept("many.pdf", pdf([[f"Page {number} of the report."] for number in range(1, 9)]))
    with ThreadPoolExecutor(8) as threads:
        spans = [document.text.index(f"Page {number} ") for number in range(1, 9)]
        shown = threads.map(lambda at: pages.marked(document, TextSpan(start=at, end=at + 6)), spans)
        assert [view.page for (view,) in shown] == list(range(1, 9))


def test_a_pdf_inside_an_archive_is_shown(pages, folder, read_all):
    inner, outer = pdf([[FIRST]]), io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("notes.txt", "Some notes.")
        archive.writestr("papers/mill.pdf", inner)
    (folder / "all.zip").write_bytes(outer.getvalue())
    (document,) = (one for one in read_all("all.zip", outer.getvalue()).documents if one.id.endswith(".pdf"))
    (view,) = marked(pages, document, FIRST)
    assert words_under(inner, view) == FIRST


def test_text_that_the_page_does_not_hold_is_not_marked(pages, kept):
    document = kept("other.pdf", pdf([[FIRST]]))
    (view,) = marked(pages, document.changed(text=document.text.replace("mill", "mole")), "mole")
    assert (view.marks, view.unmarked) == ((), OTHER_TEXT)


def test_words_are_marked_beside_what_the_text_has_besides_the_page(pages, kept):
    document = kept("more.pdf", pdf([[FIRST, SECOND]]))
    text = document.text.replace(" ", " \N{BALLOT BOX} ", 1) + "\n\ncomment: Ida: Too much?"
    span = document.pages[0].changed(end=len(text))
    (view,) = marked(pages, document.changed(text=text, pages=(span,)), SECOND)
    assert (len(view.marks), view.unmarked) == (1, "")


def test_letters_lead_back_to_their_places_whatever_was_cleaned():
    raw = "Renew\ufffeed  well\x02known\r\nco\ufffeop - end"
    text = "Renewed\nwellknown\nco-op - end"
    places = letter_places(raw, text)
    assert places is not None
    kept = [(raw[place], letter) for place, letter in zip(places, text, strict=True) if place is not None]
    assert all(one == other or (one, other) == ("\ufffe", "-") for one, other in kept)
    assert letter_places(raw, "Renewed\nnothing") is None
