"""Documents found by a search are cut and ranked."""

from __future__ import annotations

import pytest

from investigator.bb3.exchange import SearchDocument
from investigator.bb3.search.document_text import chunked, nearest_chunks, passage, titled


@pytest.mark.parametrize("size", [1, 7, 500])
@pytest.mark.parametrize("text", ["", "x", "a b c", "one two  three ", "word " * 400 + "end.", "y" * 2000, " lead"])
def test_chunks_hold_every_character_of_a_text(text: str, size: int) -> None:
    chunks = chunked(text, size)
    assert "".join(chunks).replace(" ", "") == text.replace(" ", "")
    assert all(" " not in chunk[size:] for chunk in chunks)


def test_the_last_character_of_a_long_text_is_kept() -> None:
    assert chunked("aaaa bbbb cc.", 4) == ["aaaa", "bbbb", "cc."]


def test_the_chunks_with_the_rare_words_of_the_query_come_first() -> None:
    chunks = ["the the the harbour", "the dog", "a crane of the harbour", "nothing of it"]
    assert nearest_chunks(chunks, "which crane stands in the harbour", 2) == [chunks[2], chunks[0]]
    assert nearest_chunks(chunks, "zzz", 2) == chunks[:2]
    assert nearest_chunks([], "q", 2) == []
    assert nearest_chunks(["🐶", "猫"], "", 5) == ["🐶", "猫"]


def test_a_document_stands_on_a_line_with_its_title() -> None:
    document = SearchDocument(title="T", text="x", url="u")
    assert (titled(document), passage(document)) == ("T | x", "T / x // ")
