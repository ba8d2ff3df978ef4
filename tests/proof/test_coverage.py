"""Every document is counted exactly once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from investigator.proof.coverage import coverage, coverage_line
from investigator.records import Coverage, FileStatus, Unreadable

LOCKED = Unreadable(path="x.pdf", status=FileStatus.ENCRYPTED)
SCANNED = Unreadable(path="s.pdf", status=FileStatus.NEEDS_OCR)
IDS = st.sets(st.sampled_from("abcdefgh"))


def test_documents_are_read_or_not_opened_or_searched() -> None:
    seen = coverage(["d", "c", "b", "a"], ["c"], ["b", "c"], [LOCKED])
    assert seen == Coverage(read=("c",), searched=("a", "d"), not_opened=("b",), unreadable=(LOCKED,))


def test_documents_that_are_gone_are_not_counted() -> None:
    assert coverage(["a"], ["a", "gone"], ["gone"], []) == Coverage(read=("a",))


def test_an_unreadable_document_is_nothing_else() -> None:
    seen = coverage(["a", "x.pdf"], ["x.pdf"], ["x.pdf"], [LOCKED])
    assert seen == Coverage(searched=("a",), unreadable=(LOCKED,))


@given(IDS, IDS, IDS)
def test_each_document_is_in_one_place(every: set[str], read: set[str], worth: set[str]) -> None:
    seen = coverage(every, read, worth, [LOCKED])
    listed = [*seen.read, *seen.searched, *seen.not_opened]
    assert sorted(listed) == sorted(every)
    assert set(seen.read) <= read


def test_line_says_it_all() -> None:
    seen = coverage([*"abcdefghi", *"mnopq", "y.txt"], "abcdefghi", ["y.txt"], [LOCKED, SCANNED])
    assert coverage_line(seen) == (
        "read 9 of 17 documents; 2 unreadable: s.pdf (needs ocr), x.pdf (encrypted); 1 not opened: y.txt; "
        "5 only searched"
    )


def test_line_names_three_at_most() -> None:
    seen = coverage("abcdefg", [], "abcdefg", [])
    assert coverage_line(seen) == "read 0 of 7 documents; 7 not opened: a, b, c and 4 more"


def test_line_of_full_coverage_is_short() -> None:
    assert coverage_line(coverage(["a"], ["a"], [], [])) == "read 1 of 1 document"
