"""Rich Text Format: code pages, Unicode escapes, tables, notes, and parts that must not become text."""

from __future__ import annotations

import pytest

from investigator.documents.readers.base import Extracted, ReaderSettings, SourceFile
from investigator.documents.readers.markup.rtf import read_rtf

_JAPANESE = "日本ソ表"
_SHIFT_JIS = "".join(f"\\'{byte:02x}" for byte in _JAPANESE.encode("cp932"))


def _read(body: str | bytes, head: str = r"\ansi\ansicpg1252") -> Extracted:
    data = body if isinstance(body, bytes) else body.encode("latin-1")
    return read_rtf(SourceFile(b"{\\rtf1" + head.encode() + data + b"}", "a.rtf"), ReaderSettings())


def test_the_charset_of_the_font_decides_what_bytes_mean():
    fonts = r"{\fonttbl{\f0\fcharset0 Times;}{\f1\fnil\fcharset128 MS Gothic;}{\f2\fcharset204 Arial;}}"
    assert _read(fonts + rf"\f0 caf\'e9 {{\f1 {_SHIFT_JIS}}} \f2\'ec\'e8\'f0").text == f"café {_JAPANESE} мир"


@pytest.mark.parametrize(
    ("head", "escapes", "text"),
    [
        (r"\ansi\ansicpg932", _SHIFT_JIS, _JAPANESE),
        (r"\ansi\ansicpg1251", r"\'ec\'e8\'f0", "мир"),
        (r"\mac", r"\'8e", "é"),
        (r"\pc", r"\'82", "é"),
        (r"\ansi\ansicpg99999", r"\'e9", "é"),
    ],
)
def test_the_code_page_of_the_file_decides_where_no_font_does(head, escapes, text):
    assert _read(" " + escapes, head).text == text


def test_the_second_byte_of_a_character_may_be_a_plain_letter():
    assert "表".encode("cp932") == b"\x95\x5c"
    assert _read(r" \'83A", r"\ansi\ansicpg932").text == "ア"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r" \u8364?5", "€5"),
        (r" \uc0\u8364 5", "€5"),
        (r" \uc2\u26085\'93\'fa!", "日!"),
        (r" \u-10179?\u-8704?", "\U0001f600"),
        (r" \u-10179?x", "\ufffdx"),
        (r" \u8364\emdash x", "€x"),
        (r" {\u8364}?", "€?"),
        (r" \u61623?", "•"),
    ],
)
def test_unicode_escapes_replace_what_stands_in_for_them(body, text):
    assert _read(body).text == text


def test_paragraphs_headings_and_properties():
    found = _read(
        r"{\info{\upr{\title ????}{\*\ud{\title \u1052?\u1080?\u1088?}}}"
        r"{\author Ada; Max}{\creatim\yr2020\mo1\dy5\hr3}}"
        r"{\stylesheet{\s0 Normal;}{\s1\b heading 1;}{\s2\outlinelevel1 Kapitel;}}"
        r"\pard\s1 The {\b mill}\par\pard\s0 It stood.\line Here.\par\pard\s2 End\par x\'97y"
    )
    assert found.text == "The mill\n\nIt stood.\nHere.\n\nEnd\n\nx—y"
    assert [(h.text, found.text[h.start :].startswith(h.text)) for h in found.headings][:2] == [
        ("The mill", True),
        ("End", True),
    ]
    assert (found.title, found.authors, found.date) == ("Мир", ("Ada", "Max"), "2020-01-05")


def test_a_table_row_is_a_line():
    row = r"\trowd\cellx1\cellx2\pard\intbl {0}\cell {1}\cell\row"
    body = (
        r"Before\par"
        + row.replace("{0}", "city").replace("{1}", "sum")
        + row.replace("{0}", "Bonn\\'e9").replace("{1}", "12")
    )
    assert _read(body + r"\pard After\par").text == "Before\n\ncity | sum\nBonné | 12\n\nAfter"


def test_notes_and_headers_come_after_the_body_once():
    body = r"{\header Acme}Body{\footnote {\chftn} See page 3.} goes on.\par\sect{\header Acme}More"
    assert _read(body).text == "Body goes on.\n\nMore\n\nAcme\n\nSee page 3."


@pytest.mark.parametrize(
    "silent",
    [
        r"{\pict\wmetafile8 0100 0900}",
        r"{\*\generator Program 1.2;}",
        r"{\object{\*\objdata 0105}}",
        r"{\field{\*\fldinst HYPERLINK http://example.org}}",
        r"{\deleted gone}",
        r"{\v gone}",
        r"\v gone\v0 ",
        r"\v gone\plain ",
        r"{\pict\bin5 {\}{{}",
        r"{\colortbl;\red0\green0\blue0;}",
    ],
)
def test_pictures_objects_and_instructions_are_no_text(silent):
    assert _read(f"a{silent} b").text == "a b"


def test_the_words_of_links_text_boxes_and_embedded_objects_are_text():
    link = r"{\field{\*\fldinst HYPERLINK x}{\fldrslt a link}}"
    box = r"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt  a box}}{\shprslt a box}}"
    assert _read(f"{link},{box}, {{\\object{{\\*\\objdata 01}}{{\\result a sheet}}}}").text == "a link, a box, a sheet"


@pytest.mark.parametrize("body", ["{" * 5_000 + "x", "x" + "}" * 50 + "y", "x\\", "x\\'g", r"x\bin99999999 y", "x{\\*"])
def test_broken_groups_end_nothing_but_themselves(body):
    assert _read(body).text.startswith("x")
