"""Tables recorded by readers: the positions of cells in the text, and their labels."""

from __future__ import annotations

import pytest
from made_files import docx, word_paragraph, xlsx
from named_cells import cells_of

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read

SPANNED = """<table><caption>Yield of plants</caption>
<tr><th rowspan=2>Plant</th><th colspan=2>Output (in thousands)</th></tr>
<tr><th>2022</th><th>2023</th></tr>
<tr><td colspan=3>North</td></tr>
<tr><td>&nbsp;&nbsp;Mill</td><td>1&#8239;250</td><td>1'300</td></tr>
<tr><td>Works <table><tr><td>inner</td><td>9</td></tr></table></td><td>8</td><td>(3)</td></tr></table>"""

JATS = """<article><body><p>Text.</p><table-wrap><label>Table 2</label><caption><p>Weights</p></caption><table>
<thead><tr><th>Group</th><th>Before (kg)</th><th>After (kg)</th></tr></thead>
<tbody><tr><td>A</td><td>81.0</td><td>79.5</td></tr></tbody></table></table-wrap></body></article>"""

ALIGNED = """Adverse effects

  --------------------------------------
                 Group S      Group D
                 (n=47)       (n=46)
  -------------- ------------ ----------
  Nausea         17 (36.2%)   7 (15.2%)

  Vomiting       3 (6.4%)     1 (2.2%)
  --------------------------------------
"""


def lines(name: str, text: str | bytes) -> list[str]:
    data = text if isinstance(text, bytes) else text.encode()
    (document,) = read(SourceFile(data, name), name, "h", ReaderSettings()).documents
    return cells_of(document)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.html", SPANNED, "Mill | Output (in thousands) 2023 | 1'300"),
        ("a.xml", JATS, "A | After (kg) | 79.5"),
        ("a.txt", ALIGNED, "Nausea | Group D (n=46) | 7 (15.2%)"),
        ("a.csv", "city,people,area\nKiel,246000,118\nLübeck,216000,214\n", "Lübeck | people | 216000"),
        ("a.md", "| city | people |\n|---|--:|\n| Kiel | 246,000 |\n| Bonn | 331,000 |\n", "Bonn | people | 331,000"),
    ],
)
def test_a_cell_has_the_names_of_its_row_and_column(name: str, text: str, expected: str) -> None:
    assert expected in lines(name, text)


TWO_ROWS = (
    ("Product", "Three Months Ended", "", "Six Months Ended", ""),
    ("", "July 1, 2023", "June 25, 2022", "July 1, 2023", "June 25, 2022"),
    ("Bikes", "12", "11", "24", "23"),
    ("Carts", "3", "4", "5", "6"),
)
NAMED_BELOW = (
    ("Bikes and carts",),
    ("", "Three Months", "", "Six Months", ""),
    ("Product", "to July 2023", "to June 2022", "since January 2023", "since January 2022"),
    *TWO_ROWS[2:],
)


def _word_table(rows: tuple[tuple[str, ...], ...]) -> bytes:
    def cell(text: str, columns: int) -> str:
        return f'<w:tc><w:tcPr><w:gridSpan w:val="{columns}"/></w:tcPr>{word_paragraph(text)}</w:tc>'

    first = cell("Product", 1) + cell("Three Months Ended", 2) + cell("Six Months Ended", 2)
    others = ("".join(cell(text, 1) for text in row) for row in rows[1:])
    return docx("<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in (first, *others)) + "</w:tbl>")


def _html_table(rows: tuple[tuple[str, ...], ...]) -> bytes:
    head = "<tr><th rowspan=2>Product<th colspan=2>Three Months Ended<th colspan=2>Six Months Ended"
    dates = "".join(f"<td>{text}" for text in rows[1][1:])
    body = "".join("<tr>" + "".join(f"<td>{text}" for text in row) for row in rows[2:])
    return f"<table>{head}<tr>{dates}{body}</table>".encode()


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.docx", _word_table(TWO_ROWS), "Bikes | Three Months Ended June 25, 2022 | 11"),
        ("a.html", _html_table(TWO_ROWS), "Carts | Six Months Ended June 25, 2022 | 6"),
        ("a.xlsx", xlsx({"S": TWO_ROWS}), "Bikes | Three Months Ended June 25, 2022 | 11"),
        ("b.xlsx", xlsx({"S": NAMED_BELOW}), "Bikes | Three Months to June 2022 | 11"),
        (
            "a.csv",
            "\n".join(";".join(row) for row in TWO_ROWS).encode(),
            "Carts | Six Months Ended June 25, 2022 | 6",
        ),
        (
            "a.md",
            "\n".join(f"| {' | '.join(row)} |" for row in (TWO_ROWS[0], ("---",) * 5, *TWO_ROWS[1:])).encode(),
            "Bikes | Three Months Ended June 25, 2022 | 11",
        ),
    ],
)
def test_headers_of_two_rows_are_joined_over_each_column(name: str, data: bytes, expected: str) -> None:
    assert expected in lines(name, data)


def test_a_header_of_two_lines_over_one_column_names_no_other() -> None:
    head = "| | | Adjusted | |\n|---|---|---|---|\n| | Q1 | profit | margin |\n"
    text = f"{head}| North | 4 | 12 | 9 |\n| South | 3 | 4 | 5 |"
    assert "North | margin | 9" in lines("a.md", text.encode())


def test_a_sign_with_a_cell_of_its_own_belongs_to_its_figure() -> None:
    row = "<tr><td>Loss<td>$<td>(12<td>)<td>$<td>11<td></tr><tr><td>Share<td><td>4.5<td>%<td><td>5.1<td>%</tr>"
    head = "<tr><td><td colspan=3>2024<td colspan=3>2023</tr>"
    assert lines("a.html", f"<table>{head}{row}</table>".encode()) == [
        "Loss | 2024 | $ (12)",
        "Loss | 2023 | $ 11",
        "Share | 2024 | 4.5 %",
        "Share | 2023 | 5.1 %",
    ]


def test_a_sign_below_a_merged_cell_belongs_to_no_figure_of_another_row() -> None:
    markup = "<table><tr><td rowspan=2>12</td><td>a</td></tr><tr><td>%</td></tr><tr><td>b</td><td>c</td></tr></table>"
    (document,) = read(SourceFile(markup.encode(), "a.html"), "a.html", "h", ReaderSettings()).documents
    cells = [(cell.row, cell.column, document.text[cell.start : cell.end]) for cell in document.tables[0].cells]
    assert cells == [(0, 0, "12"), (0, 1, "a"), (1, 1, "%"), (2, 0, "b"), (2, 1, "c")]


def test_a_table_in_a_cell_is_its_words() -> None:
    assert [line for line in lines("a.html", SPANNED) if "inner" in line and "8" in line]


def test_a_table_of_forty_thousand_rows_is_recorded_in_part_and_read_whole() -> None:
    text = "name,value\n" + "".join(f"row {k},{k}\n" for k in range(40_000))
    (document,) = read(SourceFile(text.encode(), "a.csv"), "a.csv", "h", ReaderSettings()).documents
    (table,) = document.tables
    assert not table.complete
    assert len(table.cells) <= 60_000
    assert "row 39999" in document.text


def test_a_cell_that_is_merged_downward_names_all_of_its_rows() -> None:
    def row(plant: str, year: str, output: str, merge: str) -> str:
        label = f"<w:tc><w:tcPr><w:vMerge{merge}/></w:tcPr>{word_paragraph(plant)}</w:tc>"
        return f"<w:tr>{label}<w:tc>{word_paragraph(year)}</w:tc><w:tc>{word_paragraph(output)}</w:tc></w:tr>"

    restart = ' w:val="restart"'
    rows = row("Mill", "spring", "412", restart) + row("", "autumn", "388", "") + row("Works", "spring", "97", restart)
    data = docx(f"<w:tbl>{row('Plant', 'Season', 'Output', restart)}{rows}</w:tbl>")
    (document,) = read(SourceFile(data, "a.docx"), "a.docx", "h", ReaderSettings()).documents
    assert document.tables[0].label_columns == 2
    assert cells_of(document) == [
        "Mill spring | Output | 412",
        "Mill autumn | Output | 388",
        "Works spring | Output | 97",
    ]


def test_a_raised_letter_is_a_mark_and_no_part_of_the_word_before_it() -> None:
    markup = (
        "<table><tr><td>Motor score<sup>a</sup></td><td>m<sup>2</sup></td></tr></table><p>On the 4<sup>th</sup> day</p>"
    )
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>a</w:t></w:r>'
    word = docx(f"<w:p><w:r><w:t>Motor score</w:t></w:r>{raised}<w:r><w:t>, next</w:t></w:r></w:p>")
    found = []
    for name, data in (("a.html", markup.encode()), ("a.xml", f"<doc>{markup}</doc>".encode()), ("a.docx", word)):
        (document,) = read(SourceFile(data, name), name, "h", ReaderSettings()).documents
        found.append(" ".join(document.text.split()))
    assert found[:2] == ["Motor score a | m^2 On the 4th day"] * 2
    assert found[2] == "Motor score a, next"
