"""Which paths a pattern names."""

from __future__ import annotations

import time

import pytest

from investigator.documents.patterns import Patterns, lines_of


@pytest.mark.parametrize(
    ("pattern", "path", "is_folder", "fits"),
    [
        ("*.log", "a.log", False, True),
        ("*.log", "deep/down/a.log", False, True),
        ("*.log", "a.log.txt", False, False),
        ("drafts/", "drafts", True, True),
        ("drafts/", "x/drafts", True, True),
        ("drafts/", "drafts", False, False),
        ("/top.txt", "top.txt", False, True),
        ("/top.txt", "x/top.txt", False, False),
        ("a/b.txt", "a/b.txt", False, True),
        ("a/b.txt", "x/a/b.txt", False, False),
        ("a/*", "a/b.txt", False, True),
        ("a/*", "a/b/c.txt", False, False),
        ("a/**", "a/b/c.txt", False, True),
        ("a/**", "a", True, False),
        ("**/b.txt", "b.txt", False, True),
        ("**/b.txt", "x/y/b.txt", False, True),
        ("a/**/z", "a/z", False, True),
        ("a/**/z", "a/b/c/z", False, True),
        ("a/**/z", "b/a/z", False, False),
        ("report-[0-9].pdf", "report-7.pdf", False, True),
        ("report-[0-9].pdf", "report-x.pdf", False, False),
        ("?.txt", "a.txt", False, True),
        ("?.txt", "ab.txt", False, False),
        ("\\#odd", "#odd", False, True),
        ("\\!odd", "!odd", False, True),
        ("Ä*.txt", "Äpfel.txt", False, True),
    ],
)
def test_a_pattern_names_what_git_would(pattern, path, is_folder, fits):
    assert Patterns([pattern]).fits(path, is_folder=is_folder) is fits


def test_the_last_pattern_that_fits_decides():
    patterns = Patterns(["*.txt", "!keep.txt", "keep.txt.bak"])
    assert patterns.fits("a.txt", is_folder=False)
    assert not patterns.fits("x/keep.txt", is_folder=False)
    assert Patterns(["!keep.txt", "*.txt"]).fits("keep.txt", is_folder=False)


def test_a_folder_that_fits_takes_all_below_it():
    patterns = Patterns(["reports/", "*.pdf"])
    assert patterns.fits_below("x/reports/deep/a.txt")
    assert patterns.fits_below("a.pdf")
    assert not patterns.fits_below("reports")


def test_no_patterns_name_nothing():
    for patterns in (Patterns([]), Patterns(["", "/", "!"])):
        assert not patterns
        assert not patterns.fits("a", is_folder=False)


def test_comments_and_blanks_are_no_patterns():
    assert lines_of("# talk\n\n*.log  \n\\#odd\n!kept\r\n") == ["*.log", "\\#odd", "!kept"]


def test_a_hostile_pattern_is_not_slow():
    began = time.perf_counter()
    path = "/".join(["a"] * 200)
    assert not Patterns(["**/a/" * 100 + "b", "*a" * 400 + "b"]).fits(path + "a" * 200, is_folder=False)
    assert time.perf_counter() - began < 1.0
