"""Follow-up questions without a language model: other words, new findings, and no repetition."""

from __future__ import annotations

import pytest
from whole_quotes import whole_quote

from investigator.questions.parts import taken_apart
from investigator.records import Memory
from investigator.research.follow_ups import limited, respelled_parts, rewordings, second_hop


def memory(text: str, point: int = 90) -> Memory:
    quote = whole_quote(text)
    return Memory(id=1, target_document_id="a.txt", question="?", reply=text, point=point, quotes=(quote,))


@pytest.mark.parametrize(
    ("quote", "asked"),
    [
        ("The director of Verdun Road was the painter Carla Monti.", "born Carla Monti"),
        ("The director of Verdun Road, Carla Monti, was born in a small country town.", ""),
        ("the film verdun road had a director.", ""),
    ],
    ids=["a new name", "nothing left to ask", "no new name"],
)
def test_what_a_quote_leaves_open_is_asked_about_the_name_that_it_brings(quote: str, asked: str) -> None:
    (part,) = taken_apart("In which country was the director of Verdun Road born?")
    assert second_hop(part, [memory("Something else by Erik Berg.", 20), memory(quote)]) == asked


def test_no_second_hop_leads_from_nothing() -> None:
    (part,) = taken_apart("In which country was the director of Verdun Road born?")
    assert second_hop(part, ()) == ""
    assert second_hop(part, [memory("The director of Verdun Road was the painter Carla Monti.", point=20)]) == ""


def test_no_question_is_asked_twice_and_a_round_is_bounded() -> None:
    assert limited(("b", "", "a", "b", "c"), asked=("a",)) == ("b", "c")
    assert len(limited(map(str, range(50)), ())) == 6


def test_words_are_replaced_only_by_words_that_the_folder_holds() -> None:
    (part,) = taken_apart("Who paid for the study?")
    assert rewordings(part, {"funded": 0.2}) == ("Who funded the study?",)


@pytest.mark.parametrize(
    ("question", "held", "wording"),
    [
        ("Who sponsored the trial?", "supported", "Who supported the trial?"),
        ("How many kids took part?", "children", "How many children took part?"),
        ("How many nurses took part?", "participated", "How many nurses participated?"),
        ("What is the depth of Lake Kariba?", "none", "depth lake kariba"),
    ],
)
def test_another_wording_fits_the_form_of_the_word_that_it_replaces(question: str, held: str, wording: str) -> None:
    (part,) = taken_apart(question)
    assert wording in rewordings(part, {held: 0.5})


def test_a_word_that_belongs_to_a_term_is_not_exchanged() -> None:
    (part,) = taken_apart("What were Apple's net sales?")
    assert rewordings(part, {"profit": 0.5, "acquire": 0.5}) == ("apple net sales",)


def test_a_word_alone_that_nothing_stands_for_has_no_other_wording() -> None:
    (part,) = taken_apart("Photosynthesis?")
    assert rewordings(part, {}) == ()


def test_a_verb_and_a_noun_are_exchanged_together() -> None:
    (part,) = taken_apart("How many kids took part?")
    assert "How many children participated?" in rewordings(part, {"children": 0.5, "participated": 0.5})


def test_a_misspelled_word_is_replaced_as_a_whole_word() -> None:
    parts, wordings = respelled_parts(taken_apart("Did the ost trial, and most others, end?"), {"ost": "oat"}.get)
    assert parts[0].question == "Did the oat trial, and most others, end?"
    assert wordings == ("ost: oat",)
