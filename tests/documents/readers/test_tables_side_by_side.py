"""Two tables next to each other on a page of a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from made_files import Placed, pdf

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import Document
from investigator.research.table_cells import met_cells
from investigator.tables.cells import TableView, views


def _document(*placed: Placed) -> Document:
    source = SourceFile(pdf([placed]), "harbour.pdf")
    return read(source, "harbour.pdf", "h", ReaderSettings()).documents[0]


def _table(left: int, top: int, rows: Sequence[Sequence[str]]) -> list[Placed]:
    """A table with labels on the left, and figures that end at equal places."""
    return [
        Placed(text, left if column == 0 else left + 60 + 70 * column - 6 * len(text), top - 18 * number)
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
    ]


def _rows(view: TableView) -> list[list[str]]:
    return [[view.words(cell) for cell in cells] for cells in view.rows.values()]


COSTS = (("Costs", "2021", "2022"), ("Rent", "11,800", "12,000"), ("Fuel", "2,950", "3,100"), ("Paint", "800", "810"))
STAFF = (("Staff", "2021", "2022"), ("Pilots", "14", "15"), ("Clerks", "6", "7"), ("Divers", "3", "4"))
SHIPS = (("Tankers", "41"), ("Ferries", "12"))
CARGO = (("Grain", "4,100"), ("Steel", "2,300"), ("Wood", "900"))


def test_two_tables_with_the_same_years_are_two_tables() -> None:
    one, other = views(_document(Placed("Harbour report"), *_table(50, 600, COSTS), *_table(330, 600, STAFF)))
    assert _rows(one) == [list(row) for row in COSTS]
    assert _rows(other) == [list(row) for row in STAFF]
    assert "Paint" not in other.caption


def test_the_right_table_may_be_longer() -> None:
    document = _document(Placed("Harbour report"), *_table(50, 600, SHIPS), *_table(330, 600, CARGO))
    assert [_rows(view) for view in views(document)] == [[list(row) for row in rows] for rows in (SHIPS, CARGO)]


def test_titles_above_the_sides_tell_two_tables_of_equal_length_apart() -> None:
    titles = (Placed("Ships", 50, 620), Placed("Cargo", 330, 620))
    document = _document(Placed("Harbour report"), *titles, *_table(50, 600, SHIPS), *_table(330, 600, CARGO[:2]))
    assert len(document.tables) == 2


def test_a_sentence_between_two_pairs_of_tables_separates_them() -> None:
    sentence = Placed("The figures of the second pair of tables are those of the harbour.", 50, 520)
    upper = (*_table(50, 600, COSTS), *_table(330, 600, STAFF))
    lower = (*_table(50, 496, SHIPS), *_table(330, 496, CARGO))
    document = _document(Placed("Harbour report"), *upper, sentence, *lower)
    assert [len(_rows(view)) for view in views(document)] == [4, 4, 2, 3]


def test_a_question_is_answered_from_its_own_side() -> None:
    document = _document(Placed("Harbour report"), *_table(50, 600, COSTS), *_table(330, 600, STAFF))
    assert [quote.said for quote in met_cells("How many clerks were there in 2022?", document)] == ["Clerks | 2022 | 7"]
    assert [quote.said for quote in met_cells("What did the fuel cost in 2021?", document)] == ["Fuel | 2021 | 2,950"]


def test_a_column_of_words_in_one_table_does_not_split_it() -> None:
    land = (
        ("Norway", "385", "Oslo", "709"),
        ("Iceland", "103", "Reykjavik", "140"),
        ("Malta", "316", "Valletta", "61"),
    )
    document = _document(Placed("Countries"), *_table(50, 600, land))
    assert len(document.tables) == 1
