"""Columns are aligned by their visible width, and never cut."""

from __future__ import annotations

from rich.text import Text

from investigator.reports.columns import columns

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


def test_heading_and_rows_have_their_styles() -> None:
    shown = columns(ROWS, heading=("a", "b", "c"), styles=("red", ""))
    styles = {shown.plain[span.start : span.end].split()[0]: str(span.style) for span in shown.spans if span.style}
    assert (styles["a"], styles["ask"]) == ("bold", "red")
    assert "reflect" not in styles
