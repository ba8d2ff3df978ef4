"""Values stand beside the names of their columns, keys or sheets."""

from __future__ import annotations

import pytest
from made_files import xlsx

from investigator.documents.readers import rows
from investigator.records import FileStatus


def test_a_csv_row_carries_its_header(read):
    document = read("staff.csv", 'name,role,since\n"Byron, Ada",engineer,1843\n\nMax,,1921\n')
    assert document.text == (
        "name | role | since\nname: Byron, Ada; role: engineer; since: 1843\nname: Max; since: 1921"
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(read, delimiter):
    lines = [["city", "sales"], ["Bonn", "12"], ["Rome, Italy" if delimiter != "," else "Rome", "9"]]
    text = "\n".join(delimiter.join(line) for line in lines)
    assert read("t.csv", text).text.endswith("city: Bonn; sales: 12\ncity: " + lines[2][0] + "; sales: 9")


def test_a_record_over_several_lines_is_one_line(read):
    assert read("t.csv", 'id,note\n1,"two\nlines"\n').text.split("\n")[1] == "id: 1; note: two lines"


def test_rows_without_header_are_joined(read):
    assert read("t.csv", "1,2\n3,4\n").text == "1 | 2\n3 | 4"


def test_a_title_above_the_header_is_no_header():
    table = [["Sales of 2020", "", ""], ["", "", ""], ["city", "q1", "q2"], ["Bonn", "1", "2"], ["Rome", "3", ""]]
    assert list(rows.lines(table)) == [
        "Sales of 2020",
        "city | q1 | q2",
        "city: Bonn; q1: 1; q2: 2",
        "city: Rome; q1: 3",
    ]


def test_a_cell_beyond_the_header_is_not_lost():
    assert list(rows.lines([["a", "b"], ["1", "2", "3"], ["4", "5"]]))[1] == "a: 1; b: 2; 3"


def test_a_huge_cell_is_read(read):
    assert len(read("t.csv", "id,text\n1," + "word " * 40_000 + "\n").text) > 199_000


def test_json_values_stand_after_their_path(read):
    document = read("a.json", '{"title": "The  mill", "data": {"tags": ["x", "y"], "n": 1.50, "ok": true, "no": null}}')
    assert (
        document.text
        == "title: The  mill\ndata.tags[0]: x\ndata.tags[1]: y\ndata.n: 1.50\ndata.ok: true\ndata.no: null"
    )
    assert document.title == "The mill"


def test_json_lines_are_parted(read):
    assert read("a.jsonl", '{"a": 1}\n{"a": "zwei \\ud800"}\n').text == "a: 1\n\na: zwei "


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


def test_a_workbook_without_values_is_empty(refused):
    assert refused("book.xlsx", xlsx({"Sheet1": []})) is FileStatus.EMPTY
