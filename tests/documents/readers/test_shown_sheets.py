"""Workbooks are read as their sheets show them: values by their formats, and nothing that is hidden."""

from __future__ import annotations

import datetime
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
from made_files import package, xlsx
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from investigator.documents.readers.base import HiddenText, ReaderSettings, SourceFile
from investigator.documents.readers.registry import read as read_file
from investigator.documents.readers.sheets.number_formats import hides_text, shown_number
from investigator.documents.readers.unpacking import Unpacked
from investigator.records import FileStatus

OMIT = ReaderSettings()
MARK = ReaderSettings(hidden=HiddenText.MARK)
OLD_BOOK = Path(__file__).with_name("fares.xls")


def saved(book: openpyxl.Workbook) -> bytes:
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def unpacked(name: str, data: bytes, settings: ReaderSettings = OMIT) -> Unpacked:
    return read_file(SourceFile(data, name), name, "hash", settings)


def text_of(name: str, data: bytes, settings: ReaderSettings = OMIT) -> str:
    return unpacked(name, data, settings).documents[0].text


@pytest.mark.parametrize(
    ("number", "form", "shown"),
    [
        ("0.075", "0.0%", "7.5%"),
        ("-1234", "#,##0_);(#,##0)", "(1,234)"),
        ("-1234.5", "#,##0.00;[Red]-#,##0.00", "-1,234.50"),
        ("0", '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', "-"),
        ("48200", '0,"k"', "48k (48200)"),
        ("1234567", "0.0,,", "1.2 (1234567)"),
        ("3", '0 "units"', "3 units"),
        ("1234.5", "#,##0.00 [$kr-414]", "1,234.50 kr"),
        ("5.25", "# ?/?", "5.25"),
        ("-1234567", '0.00E+00 "kg"', "-1234567 kg"),
        ("7", "000", "007"),
        ("12", "[>=100]0.0;[<100]0", "12"),
        ("0.30000000000000004", "", "0.3"),
        ("1234567890123450", "General", "1234567890123450"),
        ("10.645833333333334", "[h]:mm", "255:30"),
        ("-0.5", "[h]:mm", "-12:00"),
        ("0.0625", "[mm]:ss", "90:00"),
        ("0.3125", "h:mm", "7:30"),
        ("0.8125", "h:mm AM/PM", "7:30 PM"),
        ("44270", "d.m.yy", "2021-03-15"),
        ("44270.5", "dd/mm/yyyy hh:mm", "2021-03-15 12:00"),
        ("44270", "mmm yyyy", "March 2021"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
    ],
)
def test_a_number_is_shown_by_its_format(number: str, form: str, shown: str) -> None:
    assert shown_number(number, form) == shown


def test_the_epoch_of_1904_moves_dates_only() -> None:
    assert shown_number("42808", "d mmmm yyyy", is_1904=True) == "2021-03-15"
    assert shown_number("0.3125", "h:mm", is_1904=True) == "7:30"


@pytest.mark.parametrize(
    ("number", "form"),
    [("9" * 50, "0%"), ("9999999", "yyyy-mm-dd"), ("-3", "yyyy-mm-dd"), ("5", '"'), ("5", "\\"), ("x", "0")],
)
def test_what_no_format_can_show_is_kept_or_empty(number: str, form: str) -> None:
    assert shown_number(number, form) in (number, "", form)


def test_a_format_without_sections_for_a_value_hides_it() -> None:
    assert (shown_number("5", ";;;"), shown_number("0", "0;-0;;@")) == ("", "")
    assert hides_text(";;;")
    assert not hides_text("0;0;0;@")


def hidden_book() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Prices"
    for row in (("Service", "Price", "Cost"), ("Windows", 65, 30), ("Windows, old", 72, 31), ("Deep clean", 180, 96)):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    sheet["A6"], sheet["B6"] = "Draft", 140
    sheet["A6"].number_format = sheet["B6"].number_format = ";;;"
    for name, state in (("Old", "hidden"), ("Older", "veryHidden")):
        other = book.create_sheet(name)
        other.append(("Service", "Price"))
        other.append(("Deep clean", 210))
        other.sheet_state = state
    return saved(book)


def test_what_a_workbook_hides_is_left_out_and_counted() -> None:
    result = unpacked("a.xlsx", hidden_book())
    assert result.documents[0].text == (
        "Prices\n\nService | Price\nService: Windows; Price: 65\nService: Deep clean; Price: 180"
    )
    (left_out,) = result.unreadable
    assert left_out.status is FileStatus.HIDDEN
    assert left_out.reason.startswith("1 hidden row, 1 hidden column, 2 hidden cells, 2 hidden sheets not read")


def test_what_a_workbook_hides_can_be_read_with_a_mark() -> None:
    result = unpacked("a.xlsx", hidden_book(), MARK)
    text = result.documents[0].text
    assert "[hidden: Windows, old]" in text
    assert "[hidden: 96]" in text
    assert "[hidden: 140]" in text
    assert "[hidden: Old]\n\n[hidden: Service] | [hidden: Price]" in text
    assert text.count("[hidden: 210]") == 2
    assert not result.unreadable


def test_an_old_workbook_is_read_as_it_is_shown() -> None:
    result = unpacked("fares.xls", OLD_BOOK.read_bytes())
    assert result.documents[0].text == (
        "Fares\n\nLine | Departs | At sea | Late\n"
        "Line: Astrid; Departs: 7:30; At sea: 130:30; Late: 7.5%\n"
        "Line: Bodil; Departs: 9:00; At sea: 102:00; Late: 10.0%"
    )
    (left_out,) = result.unreadable
    assert "1 hidden row, 1 hidden column, 1 hidden cell, 1 hidden sheet" in left_out.reason


OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"


def ods(tables: str) -> bytes:
    spaces = f'xmlns:office="{OFFICE}" xmlns:table="{TABLE}" xmlns:text="{TEXT}" xmlns:style="{STYLE}"'
    hidden = '<style:style style:name="no"><style:table-properties table:display="false"/></style:style>'
    body = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
    content = f"<office:document-content {spaces}><office:automatic-styles>{hidden}</office:automatic-styles>{body}"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return package({"mimetype": kind, "content.xml": f"{content}</office:document-content>"})


def ods_row(*texts: str, more: str = "") -> str:
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
    return f"<table:table-row {more}>{cells}</table:table-row>"


def test_an_open_document_workbook_is_read_as_it_is_shown() -> None:
    columns = '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>'
    dated = '<table:table-cell office:date-value="2021-03-15"><text:p>15.03.21</text:p></table:table-cell>'
    shown = ods_row("Ferry", "Departs", "Cost") + ods_row("Astrid", "7:30", "96")
    shown += ods_row("Bodil", "9:05", "97", more='table:visibility="filter"')
    shown += f"<table:table-row><table:table-cell><text:p>Clara</text:p></table:table-cell>{dated}</table:table-row>"
    draft = f'<table:table table:name="Draft" table:style-name="no">{ods_row("a", "b")}</table:table>'
    data = ods(f'<table:table table:name="Times">{columns}{shown}</table:table>{draft}')
    result = unpacked("a.ods", data)
    assert result.documents[0].text == (
        "Times\n\nFerry | Departs\nFerry: Astrid; Departs: 7:30\nFerry: Clara; Departs: 2021-03-15"
    )
    assert result.unreadable[0].reason.startswith("1 hidden row, 1 hidden column, 1 hidden sheet")


def test_merged_cells_and_stacked_headers_stand_beside_every_value_that_they_cover() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(("Port", "Fish", "2023", None, "2024", None))
    sheet.append((None, None, "Q1", "Q2", "Q1", "Q2"))
    sheet.append(("Vardo", "Cod", 5, 6, 640, 8))
    sheet.append((None, "Haddock", 1, 2, 3, 4))
    for area in ("C1:D1", "E1:F1", "A1:A2", "B1:B2", "A3:A4"):
        sheet.merge_cells(area)
    document = unpacked("a.xlsx", saved(book)).documents[0]
    assert "Port: Vardo; Fish: Cod; 2023 Q1: 5; 2023 Q2: 6; 2024 Q1: 640; 2024 Q2: 8" in document.text
    assert "Port: Vardo; Fish: Haddock; 2023 Q1: 1" in document.text
    assert document.tables[0].header_rows == 2


def test_a_title_over_the_whole_table_is_said_once() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(("Landings by port", None, None))
    sheet.append(("Port", "Fish", "Tonnes"))
    sheet.append(("Vardo", "Cod", 640))
    sheet.merge_cells("A1:C1")
    assert text_of("a.xlsx", saved(book)).count("Landings by port") == 1


def test_charts_comments_and_formulas_without_values_are_read_or_named() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (("Region", "Autumn"), ("Coast", 437), ("Hills", 12)):
        sheet.append(row)
    sheet["B4"], sheet["B5"], sheet["B6"] = "=SUM(B2:B3)", "=B4/B3", "=B6+1"
    sheet["B5"].number_format = "0.0%"
    sheet["B2"].comment = Comment("Ida:\ncounted twice", "Ida")
    chart = BarChart()
    chart.title = "Repairs"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D2")
    text = text_of("a.xlsx", saved(book))
    assert "Autumn: 449\nAutumn: 3741.7%\nAutumn: (formula without a stored value)" in text
    assert "comment on B2: Ida: counted twice" in text
    assert "chart: Repairs (without values)" in text


def test_texts_in_their_cells_and_zeros_are_read() -> None:
    with zipfile.ZipFile(io.BytesIO(xlsx({"Sums": [("city", "sum"), ("Bonn", 0.0), ("", 12)]}))) as parts:
        files = {name: parts.read(name).decode() for name in parts.namelist()}
    sheet = files["xl/worksheets/sheet1.xml"]
    runs = "<t>Linz </t><r><t>am</t></r><r><t> See</t></r><rPh><t>x</t></rPh>"
    inline = f'<c r="A3" t="inlineStr"><is>{runs}</is></c>'
    assert sheet.count('<c r="B3"') == 1
    files["xl/worksheets/sheet1.xml"] = sheet.replace('<c r="B3"', f'{inline}<c r="B3"')
    assert "city: Bonn; sum: 0\ncity: Linz am See; sum: 12" in text_of("a.xlsx", package(files))


def test_a_damaged_chart_costs_neither_the_others_nor_the_count_of_pictures_and_unread_charts() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (("Region", "Autumn"), ("Coast", 437), ("Hills", 12)):
        sheet.append(row)
    for title, place in (("Repairs", "D2"), ("Storms", "D20"), ("Floods", "D40")):
        chart = BarChart()
        chart.title = title
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        sheet.add_chart(chart, place)
    book.create_sheet("More").add_chart(BarChart(), "A1")
    with zipfile.ZipFile(io.BytesIO(saved(book))) as parts:
        files = {name: parts.read(name).decode() for name in parts.namelist()}
    more = '<Relationship Id="p" Type="x/image" Target="p.png"/><Relationship Id="x" Type="x/chartEx" Target="x.xml"/>'
    files["xl/charts/chart1.xml"] = "<damaged"
    for name in ("xl/drawings/_rels/drawing1.xml.rels", "xl/drawings/_rels/drawing2.xml.rels"):
        files[name] = files[name].replace("</Relationships>", f"{more}</Relationships>")
    outcome = unpacked("a.xlsx", package(files))
    assert [title in outcome.documents[0].text for title in ("Repairs", "Storms", "Floods")] == [False, True, True]
    reasons = " ".join(failure.reason for failure in outcome.unreadable)
    assert "xl/charts/chart1.xml" in reasons
    assert "2 pictures not read" in reasons
    assert "2 charts of a newer kind not read" in reasons


@pytest.mark.parametrize("hostile", ["columns", "format", "date"])
def test_hostile_workbooks_are_read_within_limits(hostile: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(("city", "sum"))
    sheet.append(("Bonn", 12))
    if hostile == "columns":
        dimension = sheet.column_dimensions["C"]
        dimension.min, dimension.max, dimension.hidden = 3, 16_384, True
        sheet.cell(2, 16_384, "far")
    elif hostile == "format":
        sheet["B2"].number_format = '[[[["' + "#" * 300
    else:
        sheet["C2"] = datetime.datetime(9999, 12, 31)  # noqa: DTZ001
    text = text_of("a.xlsx", saved(book))
    assert "Bonn" in text
    assert "12" in text
