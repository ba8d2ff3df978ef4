"""The rows of a table say nothing of the sentences next to it."""

from __future__ import annotations

from pathlib import Path

from investigator import Investigator
from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.evidence.quotes import quote_at
from investigator.records import AnswerStatus, Document
from investigator.research.quoted_text import surroundings

BILLS = """# Bills 2023

| Household | Spring | Autumn |
| --- | --- | --- |
| Family Lindqvist | 310 | 295 |
| Family Haddadi | 120 | 125 |

The bill of Family Lindqvist for spring was lowered by EUR 40 as compensation for the flood.
"""


def _bills() -> Document:
    return read(SourceFile(BILLS.encode(), "bills.md"), "bills.md", "h", ReaderSettings()).documents[0]


def test_a_sentence_is_not_about_the_rows_above_it() -> None:
    bills = _bills()
    at = bills.text.index("The bill")
    quote = quote_at(bills, at, len(bills.text.rstrip()))
    found = surroundings(quote, quote.text, bills)
    assert "Haddadi" not in f"{found.near} {found.about}"


def test_a_row_keeps_the_header_above_it() -> None:
    bills = _bills()
    at = bills.text.index("| Family Haddadi")
    quote = quote_at(bills, at, bills.text.index("\n", at))
    assert "Household" in surroundings(quote, quote.text, bills).near


def test_a_fact_of_one_row_is_not_that_of_its_neighbour(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "bills.md").write_text(BILLS, encoding="utf-8")
    investigator = Investigator(folder, workspace=tmp_path / "workspace")
    assert investigator.ask("What was the compensation for Family Haddadi?").status is not AnswerStatus.ANSWERED
    assert investigator.ask("What was the compensation for Family Lindqvist?").status is AnswerStatus.ANSWERED
