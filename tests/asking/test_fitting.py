"""Variables of a prompt that is too long: which are omitted first, and which are never omitted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mill import SENTENCES, TEXT, asking, passage

from investigator.asking.fitting import (
    less_to_answer,
    less_to_ask,
    less_to_plan,
    less_to_reflect,
    less_to_think,
)
from investigator.records import (
    AnswerVariables,
    DocumentCard,
    Evidence,
    Memory,
    PlanVariables,
    ReflectVariables,
    ThinkVariables,
)


def card(number: int) -> DocumentCard:
    return DocumentCard(document_id=f"d{number}.txt", title="T")


def memory(number: int, point: int | None) -> Memory:
    return Memory(id=number, target_document_id="a.txt", question="?", reply="R", point=point)


def planning(documents: int, memories: int) -> PlanVariables:
    return PlanVariables(
        question="Q",
        mission="M",
        strategy="S",
        needs=(),
        documents=tuple(card(i) for i in range(documents)),
        history=tuple(memory(i, 50) for i in range(1, memories + 1)),
        unknown_infos=(),
        past_strategies=(),
        step_limit=6,
    )


def test_the_last_passages_are_left_out_first() -> None:
    less = less_to_ask(asking("one", "two", "three", "four"), 0.6)
    assert less is not None
    assert [kept.text for kept in less.passages] == ["one", "two"]


@pytest.mark.parametrize("share", [0.0, 0.99, 1.0, 5.0])
def test_something_is_left_out_each_time_and_never_all(share: float) -> None:
    less = less_to_ask(asking("one", "two", "three"), share)
    assert less is not None
    assert 1 <= len(less.passages) <= 2


def test_of_a_single_passage_the_sentence_with_the_words_of_the_question_stays() -> None:
    less = less_to_ask(asking(TEXT), 0.01)
    assert less is not None
    assert less.passages[0].text == SENTENCES[3]


def test_sentences_around_the_best_one_stay_while_there_is_room() -> None:
    less = less_to_ask(asking(TEXT), 0.7)
    assert less is not None
    assert less.passages[0].text == " ".join(SENTENCES[2:])


@given(st.floats(0.0, 1.0), st.sampled_from(["the toll", "the owner", "the mill", "the flood", "nothing at all"]))
@settings(deadline=None)
def test_a_shortened_passage_is_whole_sentences_that_stand_where_it_says(share: float, asked: str) -> None:
    whole = asking("", question=f"What of {asked}?").changed(passages=(passage(TEXT, start=1000),))
    less = less_to_ask(whole, share)
    assert less is not None
    (kept,) = less.passages
    runs = {" ".join(SENTENCES[i:j]) for i in range(5) for j in range(i + 1, 6)} - {TEXT}
    assert kept.text in runs
    assert TEXT[kept.start - 1000 : kept.end - 1000] == kept.text
    assert len(kept.text) <= max(len(TEXT) * share, max(map(len, SENTENCES)))


def test_a_single_sentence_is_never_cut() -> None:
    assert less_to_ask(asking(SENTENCES[0]), 0.1) is None
    assert less_to_ask(asking(), 0.1) is None


def test_a_planner_loses_documents_first_then_memories_and_keeps_one_document() -> None:
    first = less_to_plan(planning(4, 3), 0.5)
    assert first is not None
    assert ([one.document_id for one in first.documents], len(first.history)) == (["d0.txt", "d1.txt"], 3)
    second = less_to_plan(planning(1, 3), 0.5)
    assert second is not None
    assert ([one.document_id for one in second.documents], [one.id for one in second.history]) == (["d0.txt"], [1])
    assert less_to_plan(planning(1, 0), 0.5) is None


def test_thinking_can_do_without_any_document() -> None:
    variables = ThinkVariables(
        question="Q", mission="M", strategy="S", documents=(card(1),), document_count=1, term_frequencies=()
    )
    less = less_to_think(variables, 0.9)
    assert less is not None
    assert less.documents == ()
    assert less_to_think(less, 0.9) is None


def test_reflection_loses_the_memories_of_the_lowest_points_and_keeps_their_order() -> None:
    memories = (memory(1, 60), memory(2, None), memory(3, 90), memory(4, 55), memory(5, 75))
    less = less_to_reflect(ReflectVariables(question="Q", mission="M", needs=(), memories=memories), 0.7)
    assert less is not None
    assert [one.id for one in less.memories] == [1, 3, 5]
    one = ReflectVariables(question="Q", mission="M", needs=(), memories=memories[:1])
    assert less_to_reflect(one, 0.7) is None


def test_an_answer_loses_its_last_evidence_and_keeps_the_ids_of_the_rest() -> None:
    evidence = tuple(Evidence(id=f"E{i}", text="t", document_id="d", place="d:1", point=90 - i) for i in range(1, 5))
    less = less_to_answer(AnswerVariables(question="Q", mission="M", evidence=evidence, unknown_infos=()), 0.5)
    assert less is not None
    assert [one.id for one in less.evidence] == ["E1", "E2"]
    last = less.changed(evidence=evidence[:1])
    assert less_to_answer(last, 0.5) is None
