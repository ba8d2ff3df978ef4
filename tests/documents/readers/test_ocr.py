"""Text recognition, tested with a substitute process for Tesseract, and with Tesseract if it is installed."""

from __future__ import annotations

import io
import os
import shutil
import struct
import zlib
from pathlib import Path

import pypdfium2
import pytest
from made_files import pdf
from PIL import Image

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.pdf.page_drawing import WITHOUT_PLACES, drawn_pages
from investigator.documents.readers.pdf.pdfium import drawn_page
from investigator.documents.readers.pdf.reader import read_pdf
from investigator.documents.readers.pictures.ocr import Picture, lines_of, recognise, recognised_words
from investigator.documents.readers.pictures.picture import picture_sizes, read_picture
from investigator.records import FileStatus, TextSpan
from investigator.records.pages import PageOrder

SAYS = r"""echo "asked $*, threads $OMP_THREAD_LIMIT, given $(head -c 20 | head -n 1)" """


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a `tesseract` with that shell script, or none if it is empty, on an otherwise empty search path."""
    if os.name == "nt":
        pytest.skip("the stand-in for Tesseract is a shell script")

    def put(script: str = "", languages: str = "eng deu") -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        for tool in ("head", "cat", "sleep", "grep"):
            (folder / tool).symlink_to(shutil.which(tool))
        if script:
            command = folder / "tesseract"
            listing = f'if [ "$1" = --list-langs ]; then echo "Languages in /x/:"; echo "{languages}"; exit; fi'
            command.write_text(f"#!/bin/sh\n{listing}\n{script}\n")
            command.chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))

    return put


def test_a_picture_is_recognised(stand_in):
    stand_in(SAYS)
    found = _picture(_png(60, 40), ocr_languages="eng+deu")
    assert found.text == "asked stdin stdout -l eng+deu, threads 1, given \ufffdPNG"
    assert (found.pages, found.left_out) == ((), ())


def test_pages_that_lie_on_their_side_are_turned_where_that_can_be_found_out(stand_in):
    stand_in(SAYS, languages="eng osd")
    assert "-l eng --psm 1," in _picture(_png(60, 40)).text


def test_each_page_of_a_tiff_file_is_a_page(stand_in):
    stand_in(SAYS)
    found = _picture(_tiff((50, 40), (30, 60)))
    texts = {span.page: found.text[span.start : span.end] for span in found.pages}
    assert {page: text.partition("=")[2][0] for page, text in texts.items()} == {1: "0", 2: "1"}


def test_only_scanned_pages_of_a_pdf_are_recognised(stand_in):
    stand_in(SAYS)
    found = read_pdf(SourceFile(_with_scans({1, 2}), "a.pdf"), ReaderSettings())
    texts = {span.page: found.text[span.start : span.end] for span in found.pages}
    assert texts[1] == "Page one."
    assert texts[4] == "Page four."
    assert texts[2] == texts[3] == "asked stdin stdout -l eng --dpi 300, threads 1, given P5 2500 3334 255"
    assert found.left_out == ()


def test_pages_that_cannot_be_recognised_are_told_and_the_others_are_read(stand_in):
    stand_in()
    found = read_pdf(SourceFile(_with_scans({1, 2}), "a.pdf"), ReaderSettings())
    assert found.text == "Page one.\n\nPage four."
    assert [span.page for span in found.pages] == [1, 4]
    assert [part.status for part in found.left_out] == [FileStatus.NEEDS_OCR]
    assert found.left_out[0].reason.startswith("pages 2-3: install Tesseract to read it: ")


def test_a_page_on_which_recognition_fails_does_not_stop_the_others(stand_in):
    stand_in('case "$*" in *number=1) exit 1;; esac\necho read')
    found = _picture(_tiff((50, 40), (50, 40), (50, 40)))
    assert [span.page for span in found.pages] == [1, 3]
    assert [part.reason.partition(":")[0] for part in found.left_out] == ["page 2"]


def test_pages_on_which_nothing_was_recognised_are_told(stand_in):
    stand_in("echo ' ~ '")
    found = read_pdf(SourceFile(_with_scans({0, 2}), "a.pdf"), ReaderSettings())
    assert [(part.status, part.reason) for part in found.left_out] == [
        (FileStatus.EMPTY, "pages 1, 3: no text was recognised")
    ]


@pytest.mark.parametrize("name", ["a.png", "a.pdf"])
def test_without_tesseract_the_reason_says_how_to_get_it(stand_in, refused, monkeypatch, name):
    stand_in()
    data = _png(60, 40) if name == "a.png" else _with_scans({0, 1, 2, 3})
    assert refused(name, data) is FileStatus.NEEDS_OCR
    for platform, command in (("linux", "apt install"), ("darwin", "brew install"), ("win32", "winget install")):
        monkeypatch.setattr("sys.platform", platform)
        assert command in _failure(lambda: recognise([0], lambda _: Picture(data), ReaderSettings()).failure).reason


def test_a_language_that_is_missing_is_named(stand_in):
    stand_in(SAYS)
    failure = _failure(lambda: _picture(_png(60, 40), ocr_languages="eng+chi_sim"))
    assert failure.status is FileStatus.NEEDS_OCR
    assert "lacks the language chi_sim: apt install tesseract-ocr-chi-sim" in failure.reason
    assert failure.reason.endswith("; it has deu, eng")


def test_recognition_can_be_switched_off(stand_in):
    stand_in(SAYS)
    failure = _failure(lambda: _picture(_png(60, 40), ocr=False))
    assert failure.status is FileStatus.NEEDS_OCR
    assert "reader.ocr" in failure.reason


def test_recognition_that_hangs_is_ended(stand_in):
    stand_in("exec sleep 60")
    failure = _failure(lambda: _picture(_png(60, 40), max_seconds=0.2))
    assert failure.status is FileStatus.TIMED_OUT
    assert "0.2 seconds" in failure.reason


@pytest.mark.parametrize(
    ("script", "status"), [("exit 1", FileStatus.FAILED), ("echo ' ~ '", FileStatus.EMPTY), ("kill $$", "failed")]
)
def test_a_picture_that_gives_no_words_has_a_status(stand_in, script, status):
    stand_in(script)
    assert _failure(lambda: _picture(_png(60, 40))).status == status


def test_pictures_that_hold_no_text_or_too_much_are_never_handed_over(stand_in):
    stand_in("echo handed over")
    assert _failure(lambda: _picture(_png(16, 500))).status is FileStatus.EMPTY
    assert _failure(lambda: _picture(_png(30_000, 30_000))).status is FileStatus.TOO_LARGE
    assert _failure(lambda: _picture(b"\x89PNG\r\n\x1a\n")).status is FileStatus.FAILED
    assert _failure(lambda: _picture(b"/etc/hosts\n")).status is FileStatus.FAILED


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "BMP", "WEBP", "JPEG2000", "TIFF"])
def test_the_sizes_of_pictures_are_known_and_damage_has_none(form):
    data = _saved(form, Image.new("RGB", (7, 9)))
    assert picture_sizes(data, most=10) == [(7, 9)]
    assert picture_sizes(data[:12], most=10) == []


def test_tesseract_itself_reads_what_was_drawn():
    if shutil.which("tesseract") is None:
        pytest.skip("Tesseract is not installed here")
    page = pdf([["The old mill stood by the river", "for 127 years."]])
    drawn = drawn_page(page.replace(b"/MediaBox [0 0 600 800] ", b"/MediaBox[0 640 600 800]"), 0)
    page_shown = Image.open(io.BytesIO(drawn.data))
    words = "The old mill stood by the river"
    first, *_ = lines_of(recognised_words(drawn, ReaderSettings()))
    assert first.text == words
    assert 0 < first.left < first.right < 1
    assert 0.2 < first.top < first.bottom < 0.5
    assert words in recognise([0], lambda _: drawn, ReaderSettings()).texts[0]
    assert words in _picture(_saved("PNG", page_shown)).text
    pages = _picture(_saved("TIFF", Image.new("L", page_shown.size, 255), page_shown)).pages
    assert [span.page for span in pages] == [2]


TABLE = """level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t1000\t500\t-1\t
5\t1\t1\t1\t1\t1\t100\t50\t200\t20\t96\tIts
5\t1\t1\t1\t1\t2\t310\t48\t90\t22\t95\twheel
5\t1\t1\t1\t2\t1\t100\t80\t300\t20\t95\tturns.
"""


def test_words_of_a_scan_are_marked_where_they_are_recognised_again(stand_in):
    stand_in(f"cat > /dev/null; cat <<'END'\n{TABLE}END")
    span, text = TextSpan(start=4, end=16), "Its wheel\nturns.\n"
    order = PageOrder(page=2, text=text, span=span)
    scan = _with_scans({1})
    (page,) = drawn_pages(scan, [order], ReaderSettings())
    assert [(m.left, m.top, m.right, m.bottom) for m in page.marks] == [(0.31, 0.096, 0.4, 0.14), (0.1, 0.16, 0.4, 0.2)]
    assert [line.text for line in page.lines] == ["Its wheel", "turns."]
    (other,) = drawn_pages(scan, [order.changed(text="Another text.")], ReaderSettings())
    assert (other.marks, other.unmarked) == ((), WITHOUT_PLACES)
    (unread,) = drawn_pages(scan, [order], ReaderSettings(ocr=False))
    assert (unread.marks, "reader.ocr" in unread.unmarked) == ((), True)


def _picture(data: bytes, **settings: object) -> Extracted:
    return read_picture(SourceFile(data, "scan.png"), ReaderSettings.model_validate(settings))


def _failure(act) -> ReadFailure:
    """Return the failure that a function raises or returns."""
    try:
        failure = act()
    except ReadFailure as raised:
        return raised
    assert isinstance(failure, ReadFailure)
    return failure


def _png(width: int, height: int) -> bytes:
    """Return the beginning of a grey picture."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header)) + b"\0\0\0\0IDAT"
    )


def _saved(form: str, *pictures: Image.Image) -> bytes:
    file = io.BytesIO()
    more = (
        {"save_all": True, "append_images": [picture.copy() for picture in pictures[1:]]} if len(pictures) > 1 else {}
    )
    pictures[0].copy().save(file, form, **more)  # saving leaves its settings in the picture
    return file.getvalue()


def _tiff(*sizes: tuple[int, int]) -> bytes:
    return _saved("TIFF", *(Image.new("L", size) for size in sizes))


def _with_scans(scanned: set[int]) -> bytes:
    """Return a PDF of four pages, in which the pages with these indices are pictures of their text."""
    pages = pypdfium2.PdfDocument(pdf([["Page one."], ["Page two."], ["Page three."], ["Page four."]]))
    made = pypdfium2.PdfDocument.new()
    for index in range(len(pages)):
        if index not in scanned:
            made.import_pages(pages, [index])
            continue
        picture = pypdfium2.PdfImage.new(made)
        picture.set_bitmap(pages[index].render(scale=1))
        picture.set_matrix(pypdfium2.PdfMatrix().scale(600, 800))
        page = made.new_page(600, 800)
        page.insert_obj(picture)
        page.gen_content()
    buffer = io.BytesIO()
    made.save(buffer)
    made.close()
    pages.close()
    return buffer.getvalue()
