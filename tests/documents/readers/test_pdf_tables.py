"""Tables of PDF pages, found from the positions of words; the test pages are drawn with characters 5 points wide."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pypdf
import pytest
from made_files import Placed, changed, pdf
from named_cells import cells_of, named_cells, rows

from investigator.documents.pages import joined_pages
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.pdf.boxes import Orientation
from investigator.documents.readers.pdf.page_tables import recorded_tables, tables_of_page
from investigator.documents.readers.pdf.page_words import PageWord, lines_near_rows, page_words
from investigator.documents.readers.registry import read as read_source
from investigator.records import Document, Table

STATEMENT = """
CONSOLIDATED STATEMENTS OF OPERATIONS
(in millions, except per share data)
                               Three Months Ended       Nine Months Ended
                                 September 30,            September 30,
                                2022       2023         2022       2023
Net sales:
  North America             $ 78,843   $ 87,887    $ 222,517  $ 247,314
  International               27,720     32,137       83,544     90,957
Operating income (loss),
  net of tax                    (412)    11,188       (2,466)    23,643
Diluted earnings per share  $   0.28   $   0.94    $    0.29  $    1.89
"""


def words_of(page: str) -> tuple[PageWord, ...]:
    """Return the words of a drawn page; their spans are those of the drawing."""
    found, at = [], 0
    for number, line in enumerate(page.split("\n")):
        for match in re.finditer(r"\S+", line):
            left, right, top = 5.0 * match.start(), 5.0 * match.end(), 700 - 10.0 * number
            word = PageWord(match.group(), at + match.start(), at + match.end(), number, left, right, top - 9, top)
            found.append(word)
        at += len(line) + 1
    return tuple(found)


def tables_in(*pages: str) -> tuple[Table, ...]:
    text, spans = joined_pages(pages)
    return recorded_tables([tables_of_page(words_of(page)) for page in pages], spans, text)


def lines_in(*pages: str) -> list[str]:
    """Return the values of the only table of the pages, with their labels and headers."""
    (table,) = tables_in(*pages)
    return named_cells(joined_pages(pages)[0], table)


def test_a_figure_is_named_by_its_row_and_by_all_headers_above_it() -> None:
    assert lines_in(STATEMENT)[:4] == [
        "North America | Three Months Ended September 30, 2022 | $ 78,843",
        "North America | Three Months Ended September 30, 2023 | $ 87,887",
        "North America | Nine Months Ended September 30, 2022 | $ 222,517",
        "North America | Nine Months Ended September 30, 2023 | $ 247,314",
    ]


def test_the_caption_of_a_table_includes_its_note_on_the_unit() -> None:
    ((text, _), (table,)) = joined_pages([STATEMENT]), tables_in(STATEMENT)
    assert table.caption is not None
    assert text[table.caption.start : table.caption.end].split("\n") == [
        "CONSOLIDATED STATEMENTS OF OPERATIONS",
        "(in millions, except per share data)",
    ]


def test_a_header_over_two_columns_is_centred_over_the_headers_below_it() -> None:
    lines = lines_in("""
                         Three Months Ended               Six Months Ended
                           June 30,                         June 30,
                       2022          2023              2022          2023
Interest on debt       $     349     $     954         $     628     $   1,356
Operating leases           2,088         2,528             4,455         4,995
Income taxes               3,145         3,735             3,598         4,354
""")
    assert lines[:4] == [
        "Interest on debt | Three Months Ended June 30, 2022 | $ 349",
        "Interest on debt | Three Months Ended June 30, 2023 | $ 954",
        "Interest on debt | Six Months Ended June 30, 2022 | $ 628",
        "Interest on debt | Six Months Ended June 30, 2023 | $ 1,356",
    ]


def test_a_header_beside_another_need_not_stand_in_the_middle_over_its_column() -> None:
    lines = lines_in("""
                                          Weighted-Average
                     Number of Units         Fair Value
Outstanding, start                279.9   $            134
Units granted                     224.1                150
Units vested                      (69.1)               109
""")
    assert "Units granted | Number of Units | 224.1" in lines


def test_a_label_over_two_lines_is_one_and_a_loss_keeps_its_brackets() -> None:
    line = "Operating income (loss), net of tax | Three Months Ended September 30, 2022 | (412)"
    assert line in lines_in(STATEMENT)


def test_the_sign_of_a_currency_far_from_its_figure_belongs_to_it() -> None:
    assert lines_in(STATEMENT)[-1].endswith("| Nine Months Ended September 30, 2023 | $ 1.89")


def test_running_text_with_figures_is_no_table() -> None:
    page = "\n".join(
        "In 2023 the plant made 41 MW, which is 12 % more than the 36 MW of 2022, and 3 MW less than was planned."
        for _ in range(20)
    )
    assert tables_in(page) == ()
    numbered = "1.   We have read this report and found 3 faults in it.\n2.   We have told the board of these."
    assert tables_in(numbered) == ()


def test_a_table_goes_on_over_pages_with_its_header_once() -> None:
    head = "                  2022       2023\n"
    rows = "".join(f"Region number {k:<3} {1000 + k:>6,}     {2000 + k:>6,}\n" for k in range(30))
    lines = lines_in(f"Sales (in millions)\n{head}{rows}", f"{head}{rows.replace('Region', 'Sector')}")
    assert len(lines) == 2 * 60
    assert lines[-1] == "Sector number 29 | 2023 | 2,029"


def test_tables_side_by_side_are_two() -> None:
    rows = [f"{name:<10}{k + 10:>6}   {k + 20:>6}" for k, name in enumerate(["alpha", "beta", "gamma", "delta"] * 5)]
    page = "\n".join(f"{row}          {row.replace('a', 'o')}" for row in rows)
    words = words_of(page)
    halves = [word._replace(line=word.line + 100 * (word.left > 150)) for word in words]  # lines end at the gap
    assert [len(table.cells) for table in tables_of_page(halves)] == [60, 60]


def test_a_page_without_figures_is_not_looked_at_closely() -> None:
    assert not lines_near_rows("Words\nand more words\n" * 100)
    assert lines_near_rows(STATEMENT)


class _Text:
    """A substitute for pdfium's text page."""

    def __init__(self, count: int) -> None:
        self.count_chars = lambda: count


def test_boxes_that_do_not_match_the_text_give_no_words() -> None:
    assert page_words(_Text(3), STATEMENT, Orientation.UPRIGHT) == ()


@pytest.mark.parametrize("shown", [0, 90, 180, 270])
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_reads_like_the_upright_one(read, turn: int, shown: int) -> None:
    rows = [
        ("Harvest of the year", "2022", "2023"),
        ("Apples", "78", "87"),
        ("Pears", "27", "32"),
        ("Plums", "41", "19"),
    ]
    placed = [
        Placed(cell, left=60 + 180 * column, bottom=600 - 16 * row)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    ]
    lines = [Placed("A dry year for all the trees, with", bottom=400), Placed("no rain in June.", bottom=384)]
    data = pdf([[Placed("The orchard", bottom=700, size=20), *placed, *lines]])

    def turned_and_shown(page: pypdf.PageObject) -> None:
        page.add_transformation(pypdf.Transformation().translate(-300, -400).rotate(turn).translate(400, 400))
        page.mediabox.upper_right = page.cropbox.upper_right = (800, 800)
        page.rotate(shown)

    upright, turned = read("a.pdf", data), read("a.pdf", changed(data, turned_and_shown))
    assert len(upright.tables) == 1
    assert (turned.text, turned.title, turned.tables) == (upright.text, upright.title, upright.tables)


def test_a_table_goes_on_under_its_header_on_the_next_page_whatever_stands_above_the_first(read) -> None:
    def placed(rows: list[tuple[str, ...]], top: int) -> list[Placed]:
        lefts = (50, 120, 200)
        return [
            Placed(cell, left=lefts[column], bottom=top - 18 * row)
            for row, cells in enumerate(rows)
            for column, cell in enumerate(cells)
        ]

    header = ("Order", "Customer", "Pieces")
    names = ("Aalto", "Bauer", "Christodou", "Dubois", "Xu", "Young", "Zeman", "Quist")
    orders = [(f"A-{number}", name, str(number % 7)) for number, name in enumerate(names, start=101)]
    above = [Placed("Orders of March", bottom=760, size=18), Placed("All figures are in pieces, as sold.", bottom=735)]
    data = pdf([[*above, *placed([header, *orders[:4]], 705)], placed([header, *orders[4:]], 740)])
    document = read("a.pdf", data)
    (table,) = document.tables
    assert (table.header_rows, len(table.cells)) == (1, 3 * 9)
    assert cells_of(document)[-1] == "A-108 | Pieces | 3"


def harbour(*placed: Placed) -> Document:
    source = SourceFile(pdf([placed]), "harbour.pdf")
    return read_source(source, "harbour.pdf", "h", ReaderSettings()).documents[0]


def placed_table(left: int, top: int, rows: Sequence[Sequence[str]]) -> list[Placed]:
    """A table with labels on the left, and figures that end at equal places."""
    return [
        Placed(text, left if column == 0 else left + 60 + 70 * column - 6 * len(text), top - 18 * number)
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
    ]


def rows_of(document: Document) -> list[list[list[str]]]:
    return [rows(document.text, table) for table in document.tables]


COSTS = (("Costs", "2021", "2022"), ("Rent", "11,800", "12,000"), ("Fuel", "2,950", "3,100"), ("Paint", "800", "810"))
STAFF = (("Staff", "2021", "2022"), ("Pilots", "14", "15"), ("Clerks", "6", "7"), ("Divers", "3", "4"))
SHIPS = (("Tankers", "41"), ("Ferries", "12"))
CARGO = (("Grain", "4,100"), ("Steel", "2,300"), ("Wood", "900"))


def test_two_tables_with_the_same_years_are_two_tables() -> None:
    document = harbour(Placed("Harbour report"), *placed_table(50, 600, COSTS), *placed_table(330, 600, STAFF))
    assert rows_of(document) == [[list(row) for row in table] for table in (COSTS, STAFF)]
    captions = [table.caption for table in document.tables if table.caption is not None]
    assert not any("Paint" in document.text[caption.start : caption.end] for caption in captions)


def test_the_right_table_may_be_longer() -> None:
    document = harbour(Placed("Harbour report"), *placed_table(50, 600, SHIPS), *placed_table(330, 600, CARGO))
    assert rows_of(document) == [[list(row) for row in rows] for rows in (SHIPS, CARGO)]


def test_titles_above_the_sides_tell_two_tables_of_equal_length_apart() -> None:
    titles = (Placed("Ships", 50, 620), Placed("Cargo", 330, 620))
    document = harbour(
        Placed("Harbour report"), *titles, *placed_table(50, 600, SHIPS), *placed_table(330, 600, CARGO[:2])
    )
    assert len(document.tables) == 2


def test_a_sentence_between_two_pairs_of_tables_separates_them() -> None:
    sentence = Placed("The figures of the second pair of tables are those of the harbour.", 50, 520)
    upper = (*placed_table(50, 600, COSTS), *placed_table(330, 600, STAFF))
    lower = (*placed_table(50, 496, SHIPS), *placed_table(330, 496, CARGO))
    document = harbour(Placed("Harbour report"), *upper, sentence, *lower)
    assert [len(table) for table in rows_of(document)] == [4, 4, 2, 3]


def test_a_figure_is_named_by_its_own_side() -> None:
    cells = cells_of(harbour(Placed("Harbour report"), *placed_table(50, 600, COSTS), *placed_table(330, 600, STAFF)))
    assert "Clerks | 2022 | 7" in cells
    assert "Fuel | 2021 | 2,950" in cells


def test_a_column_of_words_in_one_table_does_not_split_it() -> None:
    land = (
        ("Norway", "385", "Oslo", "709"),
        ("Iceland", "103", "Reykjavik", "140"),
        ("Malta", "316", "Valletta", "61"),
    )
    document = harbour(Placed("Countries"), *placed_table(50, 600, land))
    assert len(document.tables) == 1
