"""Addresses and mark-up from documents are shown in a form that no program treats as links; other text is unchanged."""

from __future__ import annotations

import pytest

from investigator.language.addresses import defanged, holds_address, refanged


@pytest.mark.parametrize("text", ["We found a<b, and p<q", "if x<y then stop"])
def test_a_comparison_is_no_mark_up(text: str) -> None:
    assert not holds_address(text)
    assert " < " in defanged(text)
    assert refanged(defanged(text)) == text


@pytest.mark.parametrize(
    "text", ["a<img src=x onerror=alert(1)", "a<b onclick=f()>go</b>", "see<x-y z", "a<b and a later <i>", "<b"]
)
def test_what_could_be_a_tag_is_no_comparison(text: str) -> None:
    assert holds_address(text)
    assert "<b" not in defanged(text)
    assert "<img" not in defanged(text)
