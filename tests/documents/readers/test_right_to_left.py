"""Cells of tables in Hebrew and Arabic, asked for in these languages."""

from __future__ import annotations

from pathlib import Path

import pypdf
import pytest
from made_files import Placed, changed, docx, pdf
from pypdf.generic import NameObject, StreamObject

from investigator import Investigator, ScriptedEmbedder
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.language.prefixes import bare, possible_words
from investigator.records import AnswerStatus, Document
from investigator.research.table_cells import met_cells

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


def _said(question: str, document: Document) -> list[str]:
    return [quote.cell.line for quote in met_cells(question, document) if quote.cell]


@pytest.mark.parametrize(
    ("name", "data"),
    [("budget.html", _html()), ("budget.docx", _docx()), ("budget.pdf", _pdf())],
    ids=["html", "docx", "pdf"],
)
def test_the_cell_of_a_question_in_hebrew(name: str, data: bytes) -> None:
    budget = _read(name, data)
    assert _said("כמה עלה הדלק בשנת 2022?", budget) == ["דלק | 2022 | 3,100"]
    assert _said("מה היה שכר הדירה בשנת 2021?", budget) == ["שכר דירה | 2021 | 11,800"]
    assert _said("כמה עלה הביטוח ב-2022?", budget) == ["ביטוח | 2022 | 810"]
    assert _said("כמה עלה הדלק בשנת 2019?", budget) == []
    assert _said("כמה עלו התיקונים בשנת 2022?", budget) == []  # repairs


def test_the_cell_of_a_question_in_arabic() -> None:
    schools = _read("schools.csv", SCHOOLS.encode())
    assert _said("كم عدد التلاميذ في مدرسة النور في عام 2022؟", schools) == ["مدرسة النور | عدد التلاميذ 2022 | 432"]
    assert _said("ما هو عدد التلاميذ في مدرسة الأمل عام ٢٠٢١؟", schools) == ["مدرسة الأمل | عدد التلاميذ 2021 | 388"]
    assert _said("كم عدد التلاميذ في مدرسة الفجر في عام 2022؟", schools) == []
    digits = _read("digits.csv", DIGITS.encode())
    assert _said("كم كان في مدرسة الأمل عام 2021؟", digits) == ["مدرسة الأمل | ٢٠٢١ | 388"]


def test_a_question_in_hebrew_is_answered_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "budget.html").write_bytes(_html())
    (tmp_path / "note.txt").write_text("המועדון נפתח בשנת 1961. יושב הראש הוא דני כהן.\n", encoding="utf-8")
    answer = Investigator(tmp_path, embedder=ScriptedEmbedder()).ask("כמה עלה הדלק בשנת 2022?")
    assert answer.status is AnswerStatus.ANSWERED
    assert "3,100" in answer.claims[0].text


def test_an_article_or_a_preposition_in_front_of_a_word_is_not_part_of_its_name() -> None:
    assert bare("הדירה") == "דירה"
    assert bare("المدرسة") == "مدرسة"
    assert bare("hall") == "hall"
    assert "ביטוח" in possible_words("לביטוח")
    assert "مدرسة" in possible_words("بالمدرسة")
