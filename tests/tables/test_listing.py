"""Which rows of a table a list asks for."""

from __future__ import annotations

import pytest

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.tables.document_tables import tables_of
from investigator.tables.listing import listed_cells

BREADS = """# Price list

| Product | Price | Vegan | Contains nuts |
| --- | --- | --- | --- |
| Rye loaf | 4.20 | yes | no |
| Brioche | 3.10 | no | no |
| Walnut bread | 4.80 | yes | yes |
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which products are vegan?", ["Rye loaf", "Walnut bread"]),
        ("List the vegan products.", ["Rye loaf", "Walnut bread"]),
        ("Which products are not vegan?", ["Brioche"]),
        ("Which products contain nuts?", ["Walnut bread"]),
        ("Which products are organic?", []),
        ("Which dogs are vegan?", []),
        ("Is the rye loaf vegan?", []),
        ("What was the price of the bread with nuts?", []),  # one thing
    ],
)
def test_a_column_of_yes_and_no_tells_the_rows_that_are_asked_for(question: str, rows: list[str]) -> None:
    document = read(SourceFile(BREADS.encode(), "b.md"), "b.md", "h", ReaderSettings()).documents[0]
    found = listed_cells(question, tables_of(document))
    assert [view.row_labels(cell.row)[-1] for view, cell in found] == rows


BOATS = """# Fleet

| Boat | Hull | Condition | Rack |
| --- | --- | --- | --- |
| Heron | carbon | good | 1 |
| Swallow | wood | repair needed | 2 |
| Otter | carbon | no repair needed | 2 |
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("List all boats.", ["Heron", "Swallow", "Otter"]),
        ("Which boats are carbon?", ["Heron", "Otter"]),
        ("Which boats need repair?", ["Swallow"]),
        ("Which boats are in rack 2?", ["Swallow", "Otter"]),
        ("Which carbon boats are in rack 2?", []),  # what is asked for first is not what the rows are
        ("Which boats are not carbon?", []),
        ("Which boats are older than 2?", []),
        ("Which oars are carbon?", []),
    ],
)
def test_rows_with_a_value_are_listed(question: str, rows: list[str]) -> None:
    document = read(SourceFile(BOATS.encode(), "f.md"), "f.md", "h", ReaderSettings()).documents[0]
    found = listed_cells(question, tables_of(document))
    assert [view.row_labels(cell.row)[0] for view, cell in found] == rows
