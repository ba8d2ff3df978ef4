"""Tokens and their indexes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.dictionary import END, SPECIAL, START, UNKNOWN, Dictionary, tokens_of
from investigator.errors import DialogueError, DialogueFormatError


@given(st.text())
def test_any_text_that_was_added_comes_back_as_it_was(text: str) -> None:
    dictionary = Dictionary([text])
    assert dictionary.decode(dictionary.encode(text)) == text


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


def test_tokens_are_counted_and_rare_ones_pruned() -> None:
    dictionary = Dictionary(["a b b", " b c"])
    assert [dictionary.count(token) for token in ("a", " b", " c", "x")] == [1, 3, 1, 0]
    kept = dictionary.pruned(at_least=2)
    assert (" b" in kept, "a" in kept, len(kept)) == (True, False, len(SPECIAL) + 1)
    assert [kept.token(4), kept.count(" b")] == [" b", 3]
    assert len(dictionary.pruned(at_most=1)) == len(SPECIAL) + 1


def test_a_saved_dictionary_is_the_same_when_loaded(tmp_path: Path) -> None:
    text = "tab\t line\n \u2028 \x85 \U0001f600 مرحبا \\ \" 'quoted'"
    dictionary, file = Dictionary([text, text]), tmp_path / "words.dict"
    dictionary.save(file)
    loaded = Dictionary.load(file)
    assert loaded.encode(text) == dictionary.encode(text)
    assert (len(loaded), loaded.count("tab")) == (len(dictionary), 2)


@pytest.mark.parametrize("line", ['"a"', '"a"\tmany', "a\t1", '"__unk__"\t1', '"a"\t0', "7\t1"])
def test_a_broken_line_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    file = tmp_path / "words.dict"
    file.write_text(f'"good"\t1\n\n{line}\n', encoding="utf-8")
    with pytest.raises(DialogueFormatError, match=r"words\.dict, line 3"):
        Dictionary.load(file)


def test_a_file_that_is_not_there_and_an_index_that_is_not_there_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DialogueError, match="cannot be read"):
        Dictionary.load(tmp_path / "none.dict")
    for index in (-1, 4):
        with pytest.raises(DialogueError, match="no token"):
            Dictionary().token(index)
