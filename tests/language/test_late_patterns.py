"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import copy
import re

import pytest

from investigator.language.late_patterns import late


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    broken = late("(")
    assert broken.pattern == "("
    with pytest.raises(re.error):
        broken.search("x")


def test_a_late_pattern_finds_what_one_of_re_finds() -> None:
    pattern, plain = late(r"(?P<n>\d+) KM", re.IGNORECASE), re.compile(r"(?P<n>\d+) KM", re.IGNORECASE)
    for text in ("12 km, 3 KM", "", "km"):
        assert pattern.findall(text) == plain.findall(text)
        assert pattern.sub("x", text) == plain.sub("x", text)
    assert pattern.groupindex == plain.groupindex
    assert copy.deepcopy(pattern).fullmatch("7 km") is not None
