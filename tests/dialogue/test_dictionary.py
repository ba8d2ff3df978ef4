"""Tests of tokens and their indices."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.dialogue.data import END, SPECIAL, START, UNKNOWN, Dictionary, tokens_of
from investigator.errors import DialogueError


@settings(max_examples=30)
@given(st.text())
def test_any_text_that_was_added_comes_back_as_it_was(text: str) -> None:
    dictionary = Dictionary([text])
    assert dictionary.decode(dictionary.encode(text)) == text


@settings(max_examples=30)
@given(st.text())
def test_no_text_holds_a_special_token(text: str) -> None:
    assert set(tokens_of(f"{text} __unk__ __start__{text}")).isdisjoint(SPECIAL)


def test_words_and_signs_are_tokens_with_the_space_before_them() -> None:
    assert tokens_of("It's 4 km, no more.") == ["It", "'", "s", " 4", " km", ",", " no", " more", "."]


def test_an_unknown_token_has_the_index_of_unknown() -> None:
    dictionary = Dictionary(["the mill"])
    assert dictionary.encode("the fox") == [len(SPECIAL), dictionary.index(UNKNOWN)]
    assert dictionary.decode(dictionary.encode("the fox")) == "the" + UNKNOWN


def test_start_and_end_are_silent() -> None:
    dictionary = Dictionary(["the mill"])
    framed = [dictionary.index(START), *dictionary.encode("the mill"), dictionary.index(END)]
    assert dictionary.decode(framed) == "the mill"


@pytest.mark.parametrize("index", [-1, 4])
def test_an_index_that_is_not_there_is_an_error(index: int) -> None:
    with pytest.raises(DialogueError, match="no token"):
        Dictionary().token(index)
