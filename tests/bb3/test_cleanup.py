"""What a model wrote is tidied."""

from __future__ import annotations

from investigator.bb3.forms.text_forms import cleaned


def test_a_text_of_one_line_keeps_everything_but_what_surrounds_it() -> None:
    assert cleaned(["\n At 10:30, or later. \n"]) == ["At 10:30, or later."]


def test_of_several_lines_the_first_stays_without_the_name_of_its_speaker() -> None:
    assert cleaned(["Person 2: yes\nPerson 1: no"]) == ["yes"]
    assert cleaned(["Person 2: yes\nPerson 1: no"], take_last_newline=True) == ["no"]


def test_lines_may_be_allowed() -> None:
    assert cleaned(["a: b\nc"], allow_newline=True) == ["a: b\nc"]


def test_nothing_stays_nothing() -> None:
    assert cleaned(["", "\n", "  "]) == ["", "", ""]
    assert cleaned([]) == []
