"""Sets that share no document, even if questions are connected."""

from __future__ import annotations

import pytest

from investigator.errors import DataError
from investigator.evaluation.questions import Question
from investigator.tuning.splitting import QuestionSets, drawn_sets, leaked


def question(number: int, *documents: str, answerable: bool = True) -> Question:
    return Question(id=f"q{number}", question=f"What is {number}?", doc_ids=documents, answerable=answerable)


def many(count: int) -> list[Question]:
    """Return two questions for each document, a fifth of them without an answer."""
    answered = [question(n, f"d{n // 2}.txt") for n in range(count)]
    return [*answered, *(question(count + n, answerable=False) for n in range(count // 4))]


def each(sets: QuestionSets) -> tuple[tuple[Question, ...], ...]:
    return sets.reflect, sets.select, sets.test


def test_no_document_and_no_twin_is_in_two_sets() -> None:
    twins = {f"d{n}.txt": f"group {n // 2}" for n in range(20)}  # each document has a twin under another name
    sets = drawn_sets(many(80), twins, seed=7)
    grouped = [{twins.get(name, name) for row in some for name in row.documents} for some in each(sets)]
    assert all(grouped[i].isdisjoint(grouped[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert sum(map(len, each(sets))) == 100


def test_each_set_gets_its_share_of_both_kinds() -> None:
    sets = drawn_sets(many(80), {}, seed=1)
    assert [len(some) for some in each(sets)] == pytest.approx([20, 40, 40], abs=3)
    assert [sum(q.answerable is False for q in some) for some in each(sets)] == pytest.approx([4, 8, 8], abs=2)


def test_the_seed_decides_and_the_order_of_the_file_does_not() -> None:
    rows = many(60)
    assert drawn_sets(rows, {}, seed=3) == drawn_sets(rows[::-1], {}, seed=3)
    assert drawn_sets(rows, {}, seed=3) != drawn_sets(rows, {}, seed=4)


@pytest.mark.parametrize(
    "rows",
    [
        [question(1, "a.txt")],
        [],
        [question(n, "one.txt") for n in range(90)],
        [Question(id=str(n), question="The same?", answerable=False) for n in range(90)],
    ],
    ids=["one example", "none", "one document", "the same words"],
)
def test_too_few_or_too_close_questions_are_refused_with_what_it_would_take(rows: list[Question]) -> None:
    with pytest.raises(DataError, match="cannot fill three sets") as refused:
        drawn_sets(rows, {}, seed=0)
    assert "430" in refused.value.hint


def test_questions_without_an_answer_alone_can_be_drawn() -> None:
    sets = drawn_sets([question(n, answerable=False) for n in range(60)], {}, seed=0)
    assert sum(map(len, each(sets))) == 60


def test_a_template_that_holds_a_question_or_its_evidence_is_known() -> None:
    row = Question(id="rent", question="How much is the rent of the mill a year?", evidence=("It is EUR 48,000.",))
    assert leaked("Example: how much is  the rent of the mill a year? 48,000.", [row]) == "rent"
    assert leaked("Answer from the passages alone.", [row]) == ""
