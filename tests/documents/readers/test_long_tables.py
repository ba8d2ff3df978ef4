"""In a long table the column names are near every row, in every format that marks them."""

from __future__ import annotations

import pytest
from made_files import DRAWING, SLIDES, docx, package, word_paragraph

from investigator.documents.chunks import ChunkSettings, split

CITIES = [("city", "rent"), *((f"Town {'ABCDEFGHIJ'[n // 20]}{n}", f"{n + 100} thalers") for n in range(200))]


def _word_table(look: str) -> bytes:
    rows = "".join(f"<w:tr>{''.join(f'<w:tc>{word_paragraph(c)}</w:tc>' for c in row)}</w:tr>" for row in CITIES)
    return docx(f"<w:tbl><w:tblPr>{look}</w:tblPr>{rows}</w:tbl>")


def _slide_table() -> bytes:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = "".join(f"<a:tr>{''.join(map(cell.format, row))}</a:tr>" for row in CITIES)
    slide = f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl></p:sld>'
    return package({"[Content_Types].xml": "<a/>", "ppt/slides/slide1.xml": slide})


def _web_table() -> str:
    rows = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in CITIES)
    return f"<html><body><table>{rows.replace('td>', 'th>', 4)}</table></body></html>"


def _rich_text_table() -> str:
    rows = "".join(rf"\trowd\pard\intbl {city}\cell {rent}\cell\row" for city, rent in CITIES)
    return rf"{{\rtf1\ansi{rows}}}".replace(r"\trowd", r"\trowd\trhdr", 1)


def _open_document_table() -> bytes:
    office, text, table = (f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "text", "table"))
    cell = "<t:table-cell><x:p>{}</x:p></t:table-cell>"
    rows = "".join(f"<t:table-row>{''.join(map(cell.format, row))}</t:table-row>" for row in CITIES)
    content = (
        f'<o:document-content xmlns:o="{office}" xmlns:x="{text}" xmlns:t="{table}"><o:body><o:text>'
        f"<t:table>{rows}</t:table></o:text></o:body></o:document-content>"
    )
    return package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", _word_table('<w:tblLook w:val="04A0"/>')),
        ("b.docx", _word_table('<w:tblLook w:firstRow="1"/>')),
        ("a.pptx", _slide_table()),
        ("a.html", _web_table()),
        ("a.rtf", _rich_text_table()),
        ("a.odt", _open_document_table()),
    ],
)
def test_every_chunk_of_a_long_table_names_the_columns(read, name, data):
    document = read(name, data)
    lines = document.text.split("\n")
    assert [line for line in lines[1:] if line != lines[0]] == [" | ".join(row) for row in CITIES[1:]]
    chunks = split(document, ChunkSettings())
    assert len(chunks) > 2
    assert all("city | rent" in document.text[chunk.start : chunk.end] for chunk in chunks)


def test_what_is_not_marked_as_names_of_columns_comes_once(read):
    assert read("a.docx", _word_table('<w:tblLook w:val="0400"/>')).text.count("city | rent") == 1


def test_a_table_directly_below_another_has_its_own_columns(read):
    table = "<table><tr><th>{}</th><th>sum</th></tr>" + "<tr><td>{}</td><td>of ten</td></tr>" * 60 + "</table>"
    text = read("a.html", "<html><body>" + "".join(table.format(n, *[f"{n} row"] * 60) for n in ("item", "name"))).text
    second = text[text.index("name | sum") :]
    assert second.count("name | sum") > 1
    assert "item | sum" not in second
