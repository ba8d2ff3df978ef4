"""What is asked next without a language model: other words, what was found, and nothing twice."""

from __future__ import annotations

import pytest

from investigator.questions.parts import taken_apart
from investigator.records import Memory, Quote
from investigator.research.follow_ups import limited, respelled_parts, rewording, second_hop


def memory(text: str, point: int = 90) -> Memory:
    quote = Quote(document_id="a.txt", page=None, line=1, start=0, end=len(text), text=text, source_hash="h")
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


def test_no_question_is_asked_twice_and_a_round_is_bounded() -> None:
    assert limited(("b", "", "a", "b", "c"), asked=("a",)) == ("b", "c")
    assert len(limited(map(str, range(50)), ())) == 6


def test_words_are_replaced_only_by_words_that_the_folder_holds() -> None:
    (part,) = taken_apart("Who paid for the study?")
    assert "bought" not in rewording(part, {"fund": 0.2})
    assert rewording(part, {}) == ""


def test_a_misspelled_word_is_replaced_as_a_whole_word() -> None:
    parts, wordings = respelled_parts(taken_apart("Did the ost trial, and most others, end?"), {"ost": "oat"}.get)
    assert parts[0].question == "Did the oat trial, and most others, end?"
    assert wordings == ("ost: oat",)
