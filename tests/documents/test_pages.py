"""Offsets are converted to pages, lines and headings."""

from __future__ import annotations

import pytest

from investigator.documents.pages import heading_at, line_at, page_at
from investigator.records import Heading, PageSpan

PAGES = (PageSpan(page=1, start=0, end=10), PageSpan(page=3, start=12, end=20))
HEADINGS = (Heading(text="One", start=5), Heading(text="Two", start=9))


@pytest.mark.parametrize(("offset", "page"), [(0, 1), (9, 1), (11, 1), (12, 3), (19, 3), (99, 3)])
def test_an_offset_lies_on_a_page_or_after_the_one_before(offset: int, page: int) -> None:
    assert page_at(PAGES, offset) == page
    assert page_at((), offset) is None


def test_before_the_first_page_there_is_none() -> None:
    assert page_at(PAGES[1:], 5) is None


@pytest.mark.parametrize(("offset", "heading"), [(0, ""), (4, ""), (5, "One"), (8, "One"), (9, "Two"), (99, "Two")])
def test_an_offset_lies_under_the_last_heading_before_it(offset: int, heading: str) -> None:
    assert heading_at(HEADINGS, offset) == heading


@pytest.mark.parametrize(
    ("text", "lines"), [("a\n\nbc", [1, 1, 2, 3, 3, 3]), ("a\rb\x0c\n", [1, 1, 1, 1, 1, 2]), ("", [1])]
)
def test_lines_count_from_one_own_their_line_feed_and_end_with_nothing_else(text: str, lines: list[int]) -> None:
    assert [line_at(text, offset) for offset in range(len(text) + 1)] == lines
