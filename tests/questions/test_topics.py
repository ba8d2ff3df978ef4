"""Terms that documents must, or must not, mention to be listed."""

from __future__ import annotations

import pytest

from investigator.questions.topics import topics_of


@pytest.mark.parametrize(
    ("question", "wanted", "excluded"),
    [
        ("Which letters mention the pump but not Ida Moss?", ["pump"], ["Ida Moss"]),
        ("Which letters mention the pump and the gate, but never the well?", ["pump", "gate"], ["well"]),
        ("Which letters mention neither the pump nor the gate?", [], ["pump", "gate"]),
        ("Which letters do not mention the pump and the gate?", [], ["pump", "gate"]),
        ("Which letters don't mention hail but mention frost?", ["frost"], ["hail"]),
        ("Which letters about frost do not mention hail?", ["frost"], ["hail"]),
        ("In which letters is Ida Moss mentioned but Tom Reed not?", ["Ida Moss"], ["Tom Reed"]),
        ("List the letters that mention hail without any reference to frost.", ["hail"], ["frost"]),
        ("How many contracts include a deposit but no break clause?", ["deposit"], ["break clause"]),
        ("Which contracts have no break clause?", [], ["break clause"]),
        ('Which letters mention "pump and gate"?', ["pump and gate"], []),
        ("Which letters mention that the pump works but the gate does not?", ["pump works gate"], []),
        ("Which letters say that the tenant has no key?", ["tenant key"], []),
    ],
)
def test_things_that_are_mentioned_are_told_from_those_that_must_be_missing(
    question: str, wanted: list[str], excluded: list[str]
) -> None:
    topics = topics_of(question)
    assert [topic.text for topic in topics if not topic.is_excluded] == wanted
    assert [topic.text for topic in topics if topic.is_excluded] == excluded


def test_the_adjective_of_a_country_finds_the_country() -> None:
    assert ("German", "Germany") in [term.wordings for term in topics_of("Which leases have German law?")[0].terms]


def test_either_of_two_things_is_one_topic() -> None:
    (topic,) = topics_of("Which letters do not mention hail or frost?")
    assert topic.is_excluded
    assert [term.wordings for term in topic.terms] == [("hail", "frost")]
