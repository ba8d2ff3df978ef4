"""Office files, books and mail, including mislabelled, locked and broken files."""

from __future__ import annotations

import io
import zipfile

import pytest
from made_compound import compound_file
from made_files import WORD, docx, package, pdf, pptx, word_paragraph

from investigator.documents.readers.base import ReaderSettings
from investigator.documents.readers.zip_files import Package
from investigator.records import FileStatus


def test_word_gives_text_tables_and_headings_in_order(read):
    table = (
        "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>".format(
            *(word_paragraph(cell) for cell in ("city", "rent", "Bonn", "12"))
        )
    )
    body = word_paragraph("Dut", "ies", style="berschrift1") + word_paragraph("Pay the ", "re", "nt.") + table
    document = read("lease.docx", docx(body + word_paragraph("End.")))
    assert document.text == "Duties\n\nPay the rent.\n\ncity | rent\nBonn | 12\n\nEnd."
    assert [(h.text, h.start) for h in document.headings] == [("Duties", 0)]
    assert (document.title, document.authors, document.date) == (
        "Lease of the mill",
        ("Ada Byron", "Max Born"),
        "2021-03-04",
    )
    assert document.pages == ()


def test_word_notes_are_kept_and_deleted_text_is_not(read):
    body = word_paragraph("Kept.") + (
        "<w:p><w:del><w:r><w:delText>Old.</w:delText></w:r></w:del><w:ins><w:r><w:t>New.</w:t></w:r></w:ins></w:p>"
    )
    notes = f'<w:footnotes xmlns:w="{WORD}"><w:footnote>{word_paragraph("Except Sundays.")}</w:footnote></w:footnotes>'
    assert read("a.docx", docx(body, footnotes=notes)).text == "Kept.\n\nNew.\n\nExcept Sundays."


def test_a_text_box_is_read_once(read):
    box = (
        '<w:p xmlns:mc="urn:mc"><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>{0}</w:txbxContent></mc:Choice>'
        "<mc:Fallback><w:txbxContent>{0}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert read("a.docx", docx(box.format(word_paragraph("Boxed.")))).text == "Boxed."


def test_slides_are_pages_in_the_order_of_the_show(read):
    slides = {"slide1": "Costs\nÜber 5 €", "slide2": "Plan\nBuild it", "slide3": "\n", "slide10": "End\nThanks"}
    document = read("talk.pptx", pptx(slides, ["slide2", "slide1", "slide3", "slide10"], {"slide1": "Say it slowly"}))
    assert {s.page: document.text[s.start : s.end] for s in document.pages} == {
        1: "Plan\n\nBuild it",
        2: "Costs\n\nÜber 5 €\n\nSay it slowly",
        4: "End\n\nThanks",
    }
    assert [h.text for h in document.headings] == ["Plan", "Costs", "End"]


def test_a_book_is_read_in_the_order_of_its_spine(read):
    chapter = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head><body>{}</body></html>"
    book = package(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container><rootfiles><rootfile full-path='O/b.opf'/></rootfiles></container>",
            "O/b.opf": "<package xmlns:dc='d'><metadata><dc:title>Floss</dc:title><dc:creator>G. Eliot</dc:creator>"
            "<dc:date>1860</dc:date></metadata><manifest>"
            "<item id='a' href='t/a%201.html' media-type='application/xhtml+xml'/>"
            "<item id='b' href='t/b.html' media-type='application/xhtml+xml'/></manifest>"
            "<spine><itemref idref='b'/><itemref idref='a'/></spine></package>",
            "O/t/a 1.html": chapter.format("<h1>Two</h1><p>Second <i>chap</i>ter.</p>"),
            "O/t/b.html": chapter.format("<h1>One</h1><p>First.</p>"),
        }
    )
    document = read("floss.epub", book)
    assert document.text == "One\n\nFirst.\n\nTwo\n\nSecond chapter."
    assert (document.title, document.authors, document.date) == ("Floss", ("G. Eliot",), "1860")


def test_authors_are_listed_with_semicolons_in_office_open_xml_only(read):
    meta = "<m xmlns:meta='m'><meta:initial-creator>Smith, A; Sons</meta:initial-creator></m>"
    content = "<d xmlns:t='t'><t:page><t:p>Hi there.</t:p></t:page></d>"
    parts = {"mimetype": "application/vnd.oasis.opendocument.presentation", "content.xml": content, "meta.xml": meta}
    assert read("a.odp", package(parts)).authors == ("Smith, A; Sons",)
    assert read("a.docx", docx(word_paragraph("Hi there."))).authors == ("Ada Byron", "Max Born")


def test_the_relations_of_a_part_count_once_for_the_limit():
    with Package(docx(""), ReaderSettings(max_bytes=1_000)) as opened:
        assert {opened.main("") for _ in range(20)} == {"word/document.xml"}


def test_open_document_text_is_read(read):
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    content = (
        f'<office:document-content xmlns:office="{office}" xmlns:text="{text}"><office:body><office:text>'
        '<text:h text:outline-level="1">Duties</text:h><text:p>Pay the <text:span>rent</text:span>.</text:p>'
        "</office:text></office:body></office:document-content>"
    )
    document = read("a.odt", package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}))
    assert document.text == "Duties\n\nPay the rent."


@pytest.mark.parametrize("name", ["a.pdf", "a.txt", "a.xlsx", "noname"])
def test_a_mislabelled_file_is_read_as_what_it_is(read, name):
    assert read(name, docx(word_paragraph("Pay the rent."))).text == "Pay the rent."
    assert read(name, pdf([["Pay the rent."]])).media_type == "application/pdf"


def test_cut_off_broken_and_unknown_files_say_so(refused):
    whole = docx(word_paragraph("Pay the rent."))
    assert refused("a.docx", whole[: len(whole) // 2]) is FileStatus.FAILED
    assert refused("a.pdf", b"%PDF-1.4\n1 0 obj") is FileStatus.FAILED
    assert refused("a.pdf", "not a pdf at all") is FileStatus.FAILED
    assert refused("a.doc", compound_file({"WordDocument": b"x" * 9000})) is FileStatus.FAILED
    assert refused("a.docx", package({"[Content_Types].xml": "<a/>", "word/document.xml": "<w:p"})) is FileStatus.FAILED
    assert refused("a.doc", compound_file({"Contents": b"x"})) is FileStatus.UNSUPPORTED


def test_locked_files_are_encrypted(refused):
    locked = bytearray(docx(word_paragraph("x")))
    for at in range(len(locked) - 8):  # the flag of an encrypted part, in local heads and in the directory
        if locked[at : at + 4] == b"PK\x03\x04":
            locked[at + 6] |= 1
        elif locked[at : at + 4] == b"PK\x01\x02":
            locked[at + 8] |= 1
    assert refused("a.docx", bytes(locked)) is FileStatus.ENCRYPTED
    assert refused("a.docx", compound_file({"EncryptedPackage": b"x"})) is FileStatus.ENCRYPTED
    manifest = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "META-INF/manifest.xml": "<m><encryption-data/></m>",
    }
    assert refused("a.odt", package(manifest)) is FileStatus.ENCRYPTED


def test_a_package_that_unpacks_to_too_much_is_not_unpacked(refused):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", "<a/>")
        file.writestr("word/document.xml", " " * 3_000_000)
    assert refused("bomb.docx", buffer.getvalue(), max_bytes=100_000) is FileStatus.TOO_LARGE
