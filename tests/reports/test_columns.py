"""Columns are aligned by their visible width, and never cut."""

from __future__ import annotations

from rich.text import Text

from investigator.records import Passage
from investigator.reports.columns import columns, matching_lines, rows_in_columns

ROWS = [("ask", "1", "x"), ("reflect", "12", "a longer remark")]


def test_columns_are_two_cells_apart_and_aligned_as_wanted() -> None:
    assert columns(ROWS, heading=("role", "calls", "remark"), left=(0, 2)).plain.splitlines() == [
        "role     calls  remark",
        "ask          1  x",
        "reflect     12  a longer remark",
    ]
    assert columns(ROWS).plain.splitlines()[1] == "reflect  12  a longer remark"


def test_wide_characters_take_two_cells_and_nothing_is_folded_cut_or_taken_for_markup() -> None:
    assert columns([("日本", "1"), ("abcd", "1")]).plain == "日本  1\nabcd  1"
    long = "word " * 500 + "[bold]end[/bold]"
    assert columns([("a", long)], left=(0, 1)).plain == f"a  {long}"
    assert columns([]) == Text("")


def test_rows_of_a_table_stand_in_columns_below_their_names_and_other_lines_as_they_are() -> None:
    lines = ["Staff", "name | pay", "name: Ada; pay: 78000", "name: Ben; pay: 5500", "End: see page 2"]
    assert rows_in_columns(lines).plain.splitlines() == [
        "Staff",
        "name    pay",
        "Ada   78000",
        "Ben    5500",
        "End: see page 2",
    ]
    wide = [f"name: {'x' * 200}; pay: 1", "name: y; pay: 2"]
    assert rows_in_columns(["name | pay", *wide]).plain.splitlines() == ["name | pay", *wide]
    assert rows_in_columns(["name: Ada; pay: 78000"]).plain == "name: Ada; pay: 78000"


def test_the_lines_of_a_passage_that_hold_words_of_the_query_are_shown_with_their_place() -> None:
    text = "3. Rent\nThe rent is due monthly.\n\n4. Deposit\nA deposit is held.\n"
    passage = Passage(document_id="a.txt", start=0, end=len(text), text=text, line=7)

    def shown(passage: Passage, query: str, most: int) -> tuple[str, str]:
        place, lines = matching_lines(passage, query, most)
        return place, lines.plain

    first = ("a.txt:line 7", "\n  3. Rent\n  The rent is due monthly.")
    assert shown(passage, "When is the rent due?", 2) == first
    assert shown(passage, "unicorns", 1) == ("a.txt:line 7", "\n  3. Rent")
    assert shown(passage, "deposit held", 1) == ("a.txt:line 11", "\n  A deposit is held.")
    assert shown(passage.changed(page=2), "deposit held", 1)[0] == "a.txt:page 2"
    sheet = passage.changed(text="Prices of 2024\nValid from May 2024\nItem: Rope; EUR: 3\nItem: Anchor; EUR: 90\n")
    assert shown(sheet, "What did an anchor cost in 2024?", 1) == ("a.txt:line 10", "\n  Item: Anchor; EUR: 90")


def test_heading_and_rows_have_their_styles() -> None:
    shown = columns(ROWS, heading=("a", "b", "c"), styles=("red", ""))
    styles = {shown.plain[span.start : span.end].split()[0]: str(span.style) for span in shown.spans if span.style}
    assert (styles["a"], styles["ask"]) == ("bold", "red")
    assert "reflect" not in styles
