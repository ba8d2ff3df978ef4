"""Offsets are converted to pages, lines and headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.documents.pages import heading_at, line_at, page_at
from investigator.records import Heading, PageSpan

PAGES = (PageSpan(page=1, start=0, end=10), PageSpan(page=3, start=12, end=20))
HEADINGS = (Heading(text="One", start=5), Heading(text="Two", start=9))


@pytest.mark.parametrize(("offset", "page"), [(0, 1), (9, 1), (11, 1), (12, 3), (19, 3), (99, 3)])
def test_an_offset_lies_on_a_page(offset, page):
    assert page_at(PAGES, offset) == page


def test_without_pages_there_is_no_page():
    assert page_at((), 5) is None
    assert page_at(PAGES[1:], 5) is None


@pytest.mark.parametrize(("offset", "heading"), [(0, ""), (4, ""), (5, "One"), (8, "One"), (9, "Two"), (99, "Two")])
def test_an_offset_lies_under_the_last_heading_before_it(offset, heading):
    assert heading_at(HEADINGS, offset) == heading


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (1, 1), (2, 2), (3, 3), (4, 3), (5, 3)])
def test_lines_count_from_one_and_own_their_line_end(offset, line):
    assert line_at("a\n\nbc", offset) == line


@given(st.text(alphabet="ab\n\r\x0c", max_size=60), st.integers(0, 60))
def test_lines_end_with_a_line_feed_alone(text, offset):
    offset = min(offset, len(text))
    assert line_at(text, offset) == len(text[:offset].split("\n"))
