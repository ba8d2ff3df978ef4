"""Tokens are counted as by GPT-2 if its byte pairs are installed."""

from __future__ import annotations

import pytest

from investigator.bb3.forms.gpt2_tokens import best_count, gpt2_count, gpt2_ids

pytestmark = pytest.mark.skipif(best_count() is not gpt2_count, reason="GPT-2's byte pairs are not installed")


@pytest.mark.parametrize(("text", "ids"), [("", []), ("Hello world", [15496, 995]), ("\n", [198])])
def test_the_ids_are_those_that_everybody_knows(text: str, ids: list[int]) -> None:
    assert gpt2_ids(text) == ids


def test_what_is_no_english_is_counted_in_octets_at_most() -> None:
    for text in ("👩‍🚀", "שלום", "\x00\u200b"):
        assert 0 < gpt2_count(text) <= len(text.encode())
