"""Two tables next to each other on a page of a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from made_files import Placed, pdf
from named_cells import cells_of, rows

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import Document


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


def _rows(document: Document) -> list[list[list[str]]]:
    return [rows(document.text, table) for table in document.tables]


COSTS = (("Costs", "2021", "2022"), ("Rent", "11,800", "12,000"), ("Fuel", "2,950", "3,100"), ("Paint", "800", "810"))
STAFF = (("Staff", "2021", "2022"), ("Pilots", "14", "15"), ("Clerks", "6", "7"), ("Divers", "3", "4"))
SHIPS = (("Tankers", "41"), ("Ferries", "12"))
CARGO = (("Grain", "4,100"), ("Steel", "2,300"), ("Wood", "900"))


def test_two_tables_with_the_same_years_are_two_tables() -> None:
    document = _document(Placed("Harbour report"), *_table(50, 600, COSTS), *_table(330, 600, STAFF))
    assert _rows(document) == [[list(row) for row in table] for table in (COSTS, STAFF)]
    captions = [table.caption for table in document.tables if table.caption is not None]
    assert not any("Paint" in document.text[one.start : one.end] for one in captions)


def test_the_right_table_may_be_longer() -> None:
    document = _document(Placed("Harbour report"), *_table(50, 600, SHIPS), *_table(330, 600, CARGO))
    assert _rows(document) == [[list(row) for row in rows] for rows in (SHIPS, CARGO)]


def test_titles_above_the_sides_tell_two_tables_of_equal_length_apart() -> None:
    titles = (Placed("Ships", 50, 620), Placed("Cargo", 330, 620))
    document = _document(Placed("Harbour report"), *titles, *_table(50, 600, SHIPS), *_table(330, 600, CARGO[:2]))
    assert len(document.tables) == 2


def test_a_sentence_between_two_pairs_of_tables_separates_them() -> None:
    sentence = Placed("The figures of the second pair of tables are those of the harbour.", 50, 520)
    upper = (*_table(50, 600, COSTS), *_table(330, 600, STAFF))
    lower = (*_table(50, 496, SHIPS), *_table(330, 496, CARGO))
    document = _document(Placed("Harbour report"), *upper, sentence, *lower)
    assert [len(table) for table in _rows(document)] == [4, 4, 2, 3]


def test_a_figure_is_named_by_its_own_side() -> None:
    cells = cells_of(_document(Placed("Harbour report"), *_table(50, 600, COSTS), *_table(330, 600, STAFF)))
    assert "Clerks | 2022 | 7" in cells
    assert "Fuel | 2021 | 2,950" in cells


def test_a_column_of_words_in_one_table_does_not_split_it() -> None:
    land = (
        ("Norway", "385", "Oslo", "709"),
        ("Iceland", "103", "Reykjavik", "140"),
        ("Malta", "316", "Valletta", "61"),
    )
    document = _document(Placed("Countries"), *_table(50, 600, land))
    assert len(document.tables) == 1
