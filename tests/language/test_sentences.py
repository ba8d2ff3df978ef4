"""Sentences are found, complete and in order."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.language.sentences import sentence_spans, statement_spans


def sentences(text):
    return [text[start:end] for start, end in sentence_spans(text)]


def test_sentences_end_at_points_that_end_them():
    assert sentences(
        "It rose by 3.5 % (see Fig. 2) in the U.S. market. Was it sold?  Yes!\nIt began in May. It was."
    ) == [
        "It rose by 3.5 % (see Fig. 2) in the U.S. market.",
        "Was it sold?",
        "Yes!",
        "It began in May.",
        "It was.",
    ]


def test_a_blank_line_ends_a_sentence():
    assert sentences("A heading\n \nand text") == ["A heading", "and text"]


@pytest.mark.parametrize("text", ["今天天气很好。我们去公园。", "यह एक वाक्य है। यह दूसरा है।", "هل بيعت؟ نعم بيعت."])
def test_other_scripts_have_sentences_too(text):
    assert len(sentences(text)) == 2


def test_no_text_has_no_sentences():
    assert sentences("") == []
    assert sentences(" \n\n\t") == []


@pytest.mark.parametrize("size", [3_990, 4_000, 4_010, 9_000])
def test_the_window_leaves_no_seam(size):
    text = "x" * (size % 70) + " The mill was sold in May, as Mr. Tulliver had feared." * (size // 50)
    found = sentences(text)
    assert all(sentence == "The mill was sold in May, as Mr. Tulliver had feared." for sentence in found[1:])


def test_a_text_of_one_endless_sentence_is_found_quickly():
    begin = time.process_time()
    assert "".join(sentences("x" * 1_000_000)) == "x" * 1_000_000
    assert len("".join(sentences("今天天气很好。" * 140_000))) == 980_000
    assert time.process_time() - begin < 5


@given(st.text(alphabet=st.sampled_from("ab.!? \n\t\u00a0。é\"'1)"), max_size=300))
def test_nothing_is_lost_and_nothing_overlaps(text):
    position = 0
    for start, end in sentence_spans(text):
        assert not text[position:start].strip()
        assert text[start:end].strip() == text[start:end] != ""
        assert "\n\n" not in text[start:end]
        position = end
    assert not text[position:].strip()


def test_numbers_in_brackets_begin_no_sentence():
    row = "Unrealized gains and losses (32) (18) 16 (92)"
    assert [row[start:end] for start, end in sentence_spans(row)] == [row]
    text = "We list two. (1) The first is dry. (2) The second is wet."
    assert len(list(sentence_spans(text))) >= 3


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("Invoice 7\nTo Bramley School\nDelivery: 65.00\nTotal due: 1,305.00", 4),
        ("Notes\nThe soup can be frozen for three months. The bread cannot.", 3),
        ("We saw patients in\nGermany and in other\nplaces.", 1),
        ("room | item\nroom: hall; item: chairs\nroom: attic; item: lamps", 3),
        ("Prices 2024, Skagen Boatyard\nValid from May\nitem | EUR\nitem: rope no. 3; EUR: 3.10", 4),
        ("Diary\n4 March. 5 on board. Mast down.\n5 March. 6 on board. No. 3 ordered.", 3),
        ("8 July. 21 on site.\n9 July. Rain.", 2),
        ("We went there. It rained.\nThen we saw that the bridge over\nthe river was closed. We left.", 4),
    ],
)
def test_lines_of_records_are_statements_and_broken_lines_are_not(text, statements):
    assert len(list(statement_spans(text))) == statements
