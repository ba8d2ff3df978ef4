"""When enough is known: decisions about the number of documents to ask."""

from __future__ import annotations

import pytest
from whole_quotes import whole_quote

from investigator.records import SUMMARY, DocumentCard, Memory, Need, PlanStep
from investigator.research.asking_policy import AskAll, FewCalls, known_from

QUESTION = "Who owns the Emsland plant?"


def few_calls(workers: int = 4) -> FewCalls:
    return FewCalls(workers, bar=0.026)


def steps(*document_ids: str) -> tuple[PlanStep, ...]:
    return tuple(PlanStep(plan_id=i, document_id=name, purpose="?") for i, name in enumerate(document_ids, 1))


def cards(*matches: float) -> tuple[DocumentCard, ...]:
    """Return documents named d1, d2, ... with these match values."""
    return tuple(DocumentCard(document_id=f"d{i}", title="", match=match) for i, match in enumerate(matches, 1))


def numbered(count: int) -> tuple[PlanStep, ...]:
    return steps(*(f"d{i}" for i in range(1, count + 1)))


def memory(point: int | None, *quotes: str, number: int = 1, document_id: str = "a.txt") -> Memory:
    proven = tuple(whole_quote(text, document_id) for text in quotes)
    return Memory(
        id=number, target_document_id=document_id, question="?", reply=f"Reply {number}.", point=point, quotes=proven
    )


def test_two_documents_are_asked_first_where_one_of_them_is_likely() -> None:
    assert few_calls(workers=4).first_wave(QUESTION, numbered(5), cards(0.9, 0.1, 0.1, 0.1, 0.1)) == 2
    assert few_calls(workers=4).first_wave(QUESTION, numbered(5), cards(0.1, 0.5, 0.1, 0.1, 0.1)) == 2


def test_all_are_asked_at_once_where_none_of_the_first_is_likely() -> None:
    assert few_calls(workers=4).first_wave(QUESTION, numbered(5), cards(0.49, 0.3, 0.1, 0.1, 0.1)) == 5
    assert few_calls(workers=4).first_wave(QUESTION, steps("unranked.txt", "d1", "d2"), cards(0.4, 0.3)) == 3


def test_a_question_about_each_of_several_things_is_put_to_all() -> None:
    assert few_calls(workers=4).first_wave("How much does each plant make?", numbered(5), cards(0.9, 0.9)) == 5


@pytest.mark.parametrize("count", [0, 1])
def test_a_plan_shorter_than_a_wave_is_one_wave(count: int) -> None:
    assert few_calls(workers=4).first_wave(QUESTION, numbered(count), cards(0.9)) == count


@pytest.mark.parametrize(
    ("count", "workers", "expected"),
    [(8, 4, 4), (7, 4, 2), (32, 16, 16), (31, 16, 2), (6, 3, 3), (20, 2, 2), (20, 1, 2)],
)
def test_a_broad_plan_begins_with_as_many_as_can_be_asked_at_once(count: int, workers: int, expected: int) -> None:
    assert few_calls(workers).first_wave(QUESTION, numbered(count), cards(0.9)) == expected


def test_a_document_below_the_bar_is_not_worth_a_call_and_one_on_it_is() -> None:
    worth = few_calls().without_hopeless(numbered(3), cards(0.03, 0.026, 0.025))
    assert [step.document_id for step in worth] == ["d1", "d2"]


def test_what_is_worth_a_call_stays_in_the_order_of_the_plan() -> None:
    worth = few_calls().without_hopeless(steps("d3", "d2", "d1"), cards(0.9, 0.001, 0.5))
    assert [step.document_id for step in worth] == ["d3", "d1"]


def test_all_documents_together_and_one_that_no_card_tells_of_are_never_hopeless() -> None:
    worth = few_calls().without_hopeless(steps(SUMMARY, "unknown.txt", "d1"), cards(0.001))
    assert [step.document_id for step in worth] == [SUMMARY, "unknown.txt"]


def test_of_several_hopeless_documents_the_two_likeliest_are_asked() -> None:
    worth = few_calls().without_hopeless(numbered(4), cards(0.001, 0.004, 0.002, 0.003))
    assert [step.document_id for step in worth] == ["d2", "d4"]


def test_of_no_steps_none_is_worth_a_call() -> None:
    assert few_calls().without_hopeless((), cards(0.9)) == ()


NEEDS = (Need(term="owner"), Need(term="Emsland plant", weight=0.5), Need(term="turbine hall", weight=0.4))


@pytest.mark.parametrize(
    ("told", "enough"),
    [
        (memory(95, "The owner of the Emsland plant is RWE."), True),
        (memory(80, "The owners of the plants in Emsland are many."), True),
        (memory(79, "The owner of the Emsland plant is RWE."), False),
        (memory(None, "The owner of the Emsland plant is RWE."), False),
        (memory(95), False),
        (memory(95, "The Emsland plant was opened in 1988."), False),
        (memory(95, "The owner of the plant is RWE."), False),
    ],
)
def test_proven_quotes_suffice_where_they_hold_every_telling_need(told: Memory, enough: bool) -> None:
    assert few_calls().suffices(QUESTION, NEEDS, [told], {}) is enough
    assert not few_calls().suffices("When did its owner found the plant?", (Need(term="founding year"),), [told], {})


def test_the_words_of_a_reply_prove_nothing() -> None:
    told = memory(95, "It is RWE.").changed(reply="The owner of the Emsland plant is RWE.")
    assert not few_calls().suffices(QUESTION, NEEDS, [told], {})


def test_a_need_may_stand_in_the_title_of_a_quoted_document_only() -> None:
    told = memory(95, "Its owner is RWE.")
    assert few_calls().suffices(QUESTION, NEEDS, [told], {"a.txt": "The Emsland plant a.txt"})
    assert not few_calls().suffices(QUESTION, NEEDS, [told], {"b.txt": "The Emsland plant b.txt"})


def test_quotes_of_several_documents_suffice_together() -> None:
    first = memory(60, "The Emsland plant is old.", document_id="b.txt")
    second = memory(90, "Its owner is RWE.", number=2)
    assert few_calls().suffices(QUESTION, NEEDS, [first, second], {})
    assert not few_calls().suffices(QUESTION, NEEDS, [second], {})


@pytest.mark.parametrize(
    "question",
    [
        "Compare the owners of both plants.",
        "Which plants does RWE own?",
        "How many owners has the plant?",
        "What is the difference between the owner and the plant?",
        "LIST the owners of the plant.",
        "Has every plant an owner?",
        "Emsland versus Lingen: who is the owner?",
        "Who is any other owner of the plant?",
    ],
)
def test_a_question_about_several_things_is_never_taken_as_answered(question: str) -> None:
    told = [memory(95, "The owner of the Emsland plant is RWE.")]
    assert not few_calls().suffices(question, NEEDS, told, {})
    assert few_calls().suffices(QUESTION, NEEDS, told, {})


@pytest.mark.parametrize(
    ("search_point", "quoted_by_search", "enough"), [(90, False, True), (30, False, False), (90, True, False)]
)
def test_model_and_search_that_agree_suffice_where_the_decisive_need_is_covered(
    search_point: int, quoted_by_search: bool, enough: bool
) -> None:
    told = memory(90, "Its owner is RWE.").changed(
        model_point=90, search_point=search_point, quoted_by_search=quoted_by_search
    )
    assert few_calls().suffices(QUESTION, NEEDS, [told], {}) is enough
    assert not few_calls().suffices("Which plants does RWE own?", NEEDS, [told], {})


def test_nothing_known_never_suffices_even_where_nothing_is_needed() -> None:
    assert not few_calls().suffices(QUESTION, (), [], {})


def test_knowledge_of_a_need_rests_on_the_memories_whose_quotes_hold_it() -> None:
    history = [
        memory(90, "Its owner is RWE.", number=1),
        memory(70, "The plant is old.", number=2, document_id="b.txt"),
    ]
    owner, plant = known_from((Need(term="owner"), Need(term="plant")), history)
    assert [(info.info, info.point, info.document_ids, info.memory_ids) for info in owner.known_infos] == [
        ("Reply 1.", 90, ("a.txt",), (1,))
    ]
    assert [info.memory_ids for info in plant.known_infos] == [(2,)]
    assert owner.unknown_infos == plant.unknown_infos == ()


def test_knowledge_of_a_need_that_no_quote_holds_rests_on_all_memories() -> None:
    history = [memory(90, "Its owner is RWE.", number=1), memory(70, "The plant is old.", number=2)]
    (turbine,) = known_from((Need(term="turbine"),), history)
    assert [info.memory_ids for info in turbine.known_infos] == [(1,), (2,)]


def test_a_document_that_speaks_to_the_model_never_suffices() -> None:
    told = memory(95, "The owner of the Emsland plant is RWE.")
    assert few_calls().suffices(QUESTION, NEEDS, [told], {})
    assert not few_calls().suffices(QUESTION, NEEDS, [told.changed(addressed=True)], {})


def test_who_asks_all_leaves_nothing_out_and_takes_nothing_for_enough() -> None:
    told = [memory(95, "The Emsland plant is owned by RWE.")]
    policy = AskAll()
    assert policy.without_hopeless(numbered(3), cards(0.9, 0.0, 0.0)) == numbered(3)
    assert policy.first_wave(QUESTION, numbered(3), cards(0.9, 0.0, 0.0)) == 3
    assert few_calls().suffices(QUESTION, (Need(term="Emsland plant"),), told, {})
    assert not policy.suffices(QUESTION, (Need(term="Emsland plant"),), told, {})
