"""Values are next to the names of their columns, keys or sheets."""

from __future__ import annotations

import datetime
import io
import re
import zipfile

import openpyxl
import pytest
from made_files import OFFICE, SHEETS, package, relations, xlsx

from investigator.documents.readers import rows
from investigator.records import FileStatus


def test_a_csv_row_carries_its_header(read):
    document = read("staff.csv", 'name,role,since\n"Byron, Ada",engineer,1843\n\nMax,,1921\n')
    assert document.text == (
        "name | role | since\nname: Byron, Ada; role: engineer; since: 1843\n\nname: Max; since: 1921"
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(read, delimiter):
    lines = [["city", "sales"], ["Bonn", "12"], ["Rome, Italy" if delimiter != "," else "Rome", "9"]]
    text = "\n".join(delimiter.join(line) for line in lines)
    assert read("t.csv", text).text.endswith("city: Bonn; sales: 12\ncity: " + lines[2][0] + "; sales: 9")


def test_a_record_stands_on_the_line_of_the_file_where_it_begins(read):
    text = read("t.csv", '\r\nid,note\r\n1,"two\r\n\r\nlines"\r\n\r\n2,x\r\n').text
    assert text.split("\n") == ["", "id | note", "id: 1; note: two lines", "", "", "", "id: 2; note: x"]


def test_a_quote_that_is_never_closed_takes_in_no_other_record(read):
    lines = read("t.csv", 'size,item\n"5 inch,pipe\n6,rod\n7,bolt\n').text.split("\n")
    assert lines[2:] == ["size: 6; item: rod", "size: 7; item: bolt"]


def test_rows_without_header_are_joined(read):
    assert read("t.csv", "1,2\n3,4\n").text == "1 | 2\n3 | 4"


def test_a_title_above_the_header_is_no_header():
    table = [["Sales of 2020", "", ""], ["", "", ""], ["city", "q1", "q2"], ["Bonn", "1", "2"], ["Rome", "3", ""]]
    assert [line.text for line in rows.filled_lines(table)] == [
        "Sales of 2020",
        "city | q1 | q2",
        "city: Bonn; q1: 1; q2: 2",
        "city: Rome; q1: 3",
    ]


def test_a_cell_beyond_the_header_is_not_lost():
    assert rows.filled_lines([["a", "b"], ["1", "2", "3"], ["4", "5"]])[1].text == "a: 1; b: 2; 3"


def _with_comments(*, damaged: bool = False) -> bytes:
    """Return a workbook of three sheets: the first has comments, and the last a conversation but no values."""
    book = xlsx({"Sums": [["city", "sum"], ["Bonn", "12"]], "Other": [["a", "b"], ["1", "2"]], "Remarks": []})
    comments = f'<comments xmlns="{SHEETS}"><authors><author>Ada Byron</author></authors><commentList>'
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations({"c": ("comments", "../comments1.xml")}),
        "xl/comments1.xml": comments + '<comment ref="B2" authorId="0"><text><r><t>Ada Byron:</t></r>'
        "<r><t>\nfound in the mill</t></r></text></comment>"
        '<comment ref="A1" authorId="0"><text><t>not the county</t></text></comment></commentList></comments>',
        "xl/worksheets/_rels/sheet3.xml.rels": relations(
            {"c": ("comments", "../comments3.xml"), "t": ("threadedComment", "../threadedComments/t3.xml")}
        ),
        "xl/comments3.xml": comments
        + '<comment ref="C7"><text><t>[Threaded comment] Upgrade.</t></text></comment></commentList></comments>',
        "xl/threadedComments/t3.xml": (
            '<ThreadedComments><threadedComment ref="C7" id="1"><text>Who paid?</text></threadedComment>'
            '<threadedComment ref="C7" parentId="1"><text>The state.</text></threadedComment></ThreadedComments>'
        ),
    }
    if damaged:
        parts["xl/comments1.xml"] = "<comments><commentList>"
    buffer = io.BytesIO(book)
    with zipfile.ZipFile(buffer, "a") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return buffer.getvalue()


def test_comments_on_cells_stand_on_the_page_of_their_sheet(read):
    document = read("book.xlsx", _with_comments())
    assert [document.text[page.start : page.end] for page in document.pages] == [
        "Sums\n\ncity | sum\ncity: Bonn; sum: 12\n\n"
        "comment on B2: Ada Byron: found in the mill\ncomment on A1: Ada Byron: not the county",
        "Other\n\na | b\na: 1; b: 2",
        "Remarks\n\ncomment on C7: Who paid?\ncomment on C7: The state.",
    ]
    assert [page.page for page in document.pages] == [1, 2, 3]
    assert [heading.text for heading in document.headings] == ["Sums", "Other", "Remarks"]


def test_damaged_comments_do_not_cost_the_values(read_all):
    found = read_all("book.xlsx", _with_comments(damaged=True))
    assert "city: Bonn; sum: 12" in found.documents[0].text
    assert [item.reason for item in found.unreadable] == [
        "comments and charts of the sheet Sums: a part of the file is damaged (xl/comments1.xml)"
    ]


def test_a_huge_cell_is_read(read):
    assert len(read("t.csv", "id,text\n1," + "word " * 40_000 + "\n").text) > 199_000


def test_json_values_stand_after_their_path(read):
    document = read("a.json", '{"title": "The  mill", "data": {"tags": ["x", "y"], "n": 1.50, "ok": true, "no": null}}')
    assert (
        document.text
        == "title: The  mill\ndata.tags[0]: x\ndata.tags[1]: y\ndata.n: 1.50\ndata.ok: true\ndata.no: null"
    )
    assert document.title == "The mill"


def test_json_records_stand_on_their_lines_of_the_file(read):
    text = '{"a": 1, "b": {"c": "x\\ny"}}\r\n\r\n{"a": "zwei \\ud800"}\r\n{\r\n"a": 2}\r\n{"a": 3} {"a": 4}\r\n'
    assert read("a.jsonl", text).text == 'a: 1; b.c: x y\n\na: zwei \n{\n"a": 2}\na: 3; a: 4\n'


def test_a_line_that_is_no_record_stays_as_it_is(read):
    text = '# by hand\n{"a": 1}\n{"a": 2,\n\n{"a": 3}'
    assert read("a.jsonl", text).text == '# by hand\na: 1\n{"a": 2,\n\na: 3'


def test_many_broken_records_take_no_time(read):
    assert read("a.jsonl", "[1,\n" * 100_000).text == "[1,\n" * 100_000


def test_json_values_one_after_another_are_parted(read):
    assert read("a.json", '{"a": 1}\n{"a": 2}').text == "a: 1\n\na: 2"


@pytest.mark.parametrize("text", ['{"a": 1, "b": [2,', "[" * 100_000])
def test_broken_json_is_kept_as_text(read, text):
    assert read("a.json", text).text == text


def test_each_sheet_is_a_page_and_each_row_a_line(read):
    workbook = xlsx(
        {"Sales": [["city", "sum"], ["Bonn", "12"]], "Empty": [], "Übersicht": [["item", "cost"], ["mill", "7"]]}
    )
    document = read("book.xlsx", workbook)
    texts = {span.page: document.text[span.start : span.end] for span in document.pages}
    assert texts.keys() == {1, 3}
    assert texts[1] == "Sales\n\ncity | sum\ncity: Bonn; sum: 12"
    assert texts[3] == "Übersicht\n\nitem | cost\nitem: mill; cost: 7"
    assert [h.text for h in document.headings] == ["Sales", "Übersicht"]
    assert all(document.text[h.start :].startswith(h.text) for h in document.headings)


def test_a_row_of_one_cell_between_others_has_no_label():
    table = [["item", "2020", "y"], ["item", "cost", "note"], ["Assets", "", ""], ["mill", "7", ""]]
    assert [line.text for line in rows.filled_lines(table[1:])][1:] == ["Assets", "item: mill; cost: 7"]


def test_a_workbook_without_values_is_empty(refused):
    assert refused("book.xlsx", xlsx({"Sheet1": []})) is FileStatus.EMPTY


def test_dates_of_a_sheet_carry_no_midnight(read):
    cell = '<c r="A2" s="1"><v>43835</v></c>'
    workbook = xlsx({"Data": [["since"], ["x"]]})
    parts = {}
    with zipfile.ZipFile(io.BytesIO(workbook)) as file:
        for part in file.namelist():
            parts[part] = file.read(part).decode()
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = re.sub(r'<c r="A2".*?</c>', cell, parts[sheet])
    parts["xl/styles.xml"] = (
        f'<styleSheet xmlns="{SHEETS}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    )
    relations_part = "xl/_rels/workbook.xml.rels"
    entry = f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>'
    parts[relations_part] = parts[relations_part].replace("</Relationships>", entry)
    assert read("a.xlsx", package(parts)).text == "Data\n\nsince\n2020-01-05"


def test_numbers_of_a_sheet_are_read_as_its_cells_show_them(read):
    book = openpyxl.Workbook()
    sheet = book.active
    rows = [("Thing", "Share", "Price", "Count", "Change", "Day"), ("Salt", 0.25, 1234.5, 1234567, -0.031, None)]
    for at, row in enumerate(rows):
        for column, value in enumerate(row):
            sheet.cell(at + 3, column + 2, value)
    forms = {"C4": "0%", "D4": "[$€-407] #,##0.00;([$€-407] #,##0.00)", "E4": "#,##0", "F4": "0.0%", "G4": "yyyy-mm-dd"}
    for place, form in forms.items():
        sheet[place].number_format = form
    sheet["G4"] = datetime.date(2024, 5, 1)
    data = io.BytesIO()
    book.save(data)
    text = read("a.xlsx", data.getvalue()).text
    assert "Share: 25%; Price: € 1,234.50; Count: 1,234,567; Change: -3.1%; Day: 2024-05-01" in text
