"""Tables in Hebrew and Arabic: their cells, with the labels and headers that name them."""

from __future__ import annotations

import pypdf
import pytest
from made_files import Placed, changed, docx, pdf
from named_cells import cells_of
from pypdf.generic import NameObject, StreamObject

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import Document

ROWS = (("סעיף", "2021", "2022"), ("שכר דירה", "11,800", "12,000"), ("דלק", "2,950", "3,100"), ("ביטוח", "800", "810"))
SCHOOLS = "المدرسة,عدد التلاميذ 2021,عدد التلاميذ 2022\nمدرسة النور,410,432\nمدرسة الأمل,388,375\n"
DIGITS = "المدرسة,٢٠٢١,٢٠٢٢\nمدرسة النور,410,432\nمدرسة الأمل,388,375\n"


def _html() -> bytes:
    rows = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in ROWS)
    return f'<html dir="rtl" lang="he"><body><h1>תקציב המועדון</h1><table>{rows}</table></body></html>'.encode()


def _docx() -> bytes:
    cells = ("".join(f"<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>" for text in row) for row in ROWS)
    rows = "".join(f"<w:tr>{row}</w:tr>" for row in cells)
    return docx(f"<w:tbl><w:tblPr><w:bidiVisual/></w:tblPr>{rows}</w:tbl>")


def _pdf() -> bytes:
    """A page with the labels on the right; its font shows Hebrew for Latin codes, drawn from left to right."""
    letters = sorted({letter for row in ROWS for letter in row[0] if letter != " "})
    codes = {letter: chr(ord("A") + place) for place, letter in enumerate(letters)}
    lines = []
    for number, (label, first, second) in enumerate(ROWS):
        drawn = "".join(codes.get(letter, letter) for letter in reversed(label))
        places = ((drawn, 480 - 7 * len(label)), (first, 340 - 6 * len(first)), (second, 240 - 6 * len(second)))
        lines += [Placed(text, left, 700 - 18 * number) for text, left in places]
    mapped = "".join(f"<{ord(code):02X}> <{ord(letter):04X}>\n" for letter, code in codes.items())
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{mapped}endbfchar endcmap end end"
    )

    def to_hebrew(page: pypdf.PageObject) -> None:
        stream = StreamObject()
        stream.set_data(table.encode())
        page["/Resources"]["/Font"]["/F1"][NameObject("/ToUnicode")] = page.indirect_reference.pdf._add_object(stream)

    return changed(pdf([lines]), to_hebrew)


def _read(name: str, data: bytes) -> Document:
    return read(SourceFile(data, name), name, "h", ReaderSettings()).documents[0]


@pytest.mark.parametrize(
    ("name", "data"),
    [("budget.html", _html()), ("budget.docx", _docx()), ("budget.pdf", _pdf())],
    ids=["html", "docx", "pdf"],
)
def test_a_figure_in_a_hebrew_table_is_named_by_its_row_and_its_year(name: str, data: bytes) -> None:
    cells = cells_of(_read(name, data))
    assert {"דלק | 2022 | 3,100", "שכר דירה | 2021 | 11,800", "ביטוח | 2022 | 810"} <= set(cells)
    assert len(cells) == 6


def test_a_figure_in_an_arabic_table_is_named_by_its_row_and_its_year() -> None:
    schools = cells_of(_read("schools.csv", SCHOOLS.encode()))
    assert {"مدرسة النور | عدد التلاميذ 2022 | 432", "مدرسة الأمل | عدد التلاميذ 2021 | 388"} <= set(schools)
    assert "مدرسة الأمل | ٢٠٢١ | 388" in cells_of(_read("digits.csv", DIGITS.encode()))
