"""Whether an answer is right, given the known facts of its row."""

from __future__ import annotations

import pytest
from whole_quotes import whole_quote

from investigator.evaluation.answer_text import says
from investigator.evaluation.measures import Ground, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import ground_of, grounds_line, grounds_of, rightness, scores
from investigator.records import AnswerStatus

RENT = "The annual rent is EUR 48,000."


def question(**known: object) -> Question:
    return Question.model_validate({"id": "1", "question": "?", "answerable": True} | known)


def said(answer: str, *cited: tuple[str, str]) -> Outcome:
    quotes = tuple(whole_quote(text, name) for name, text in cited)
    status = AnswerStatus.ANSWERED if answer else AnswerStatus.NOT_FOUND
    return Outcome(evaluation="e", id="1", status=status, answer=answer, citations=quotes)


def test_a_wrong_figure_from_the_right_document_is_wrong() -> None:
    row = question(answers=["EUR 48,000"], doc_ids=["lease.txt"])
    right, other = ("lease.txt", RENT), ("lease.txt", "The deposit is EUR 8,400.")
    assert rightness(row, said(RENT, right)) == 1
    assert rightness(row, said("The deposit is EUR 8,400.", other)) == 0
    assert rightness(row, said(RENT, ("draft.txt", RENT))) == 0
    assert rightness(row, said("")) == 0
    long = row.changed(answers=("The tenant has to pay a rent of EUR 48,000 in a year.",))
    assert ground_of(long) is Ground.FIGURES
    assert (rightness(long, said(RENT, right)), rightness(long, said("EUR 8,400", other))) == (1, 0)


@pytest.mark.parametrize(
    ("text", "answer", "given"),
    [
        ("It makes 42.1 million crowns.", "42,100,000", True),
        ("| Revenue | 42.1 |", "42.1 million", True),  # the unit of a table stands elsewhere
        ("It makes 421 crowns.", "42.1", False),
        ("It makes 4.21 crowns.", "42.1", False),
        ("It weighs 42 kg.", "42 %", False),
        ("Mortality was 7.5 %.", "7.5", True),
        ("It opened on March 24, 1990.", "24 March 1990", True),
        ("It opened on May 24, 1990.", "24 March 1990", False),
        ("There were twelve of them.", "12", True),
        ("It was built by James Watt.", "james watt", True),
        ("James and Mary Watt built it.", "James Watt", False),
    ],
)
def test_numbers_are_compared_by_value_and_words_in_their_order(text: str, answer: str, given: bool) -> None:
    assert says(text, answer) is given


def test_the_first_thing_that_a_row_knows_judges_it() -> None:
    whole = question(
        key_numbers=["48,000", "8,400"],
        answers=["EUR 48,000"],
        key_points=[{"text": "the rent", "doc_id": "lease.txt", "evidence": RENT}],
        evidence=[RENT],
        doc_ids=["lease.txt"],
    )
    found = [ground_of(whole)]
    for name in ("key_numbers", "answers", "key_points", "evidence", "doc_ids"):
        whole = whole.changed(**{name: None})
        found.append(ground_of(whole))
    grounds = [Ground.NUMBERS, Ground.ANSWER, Ground.POINTS, Ground.EVIDENCE, Ground.DOCUMENT, None]
    assert found == grounds
    line = grounds_line(grounds_of([question(doc_ids=["a"]), question(answerable=False), question()]))
    assert line == "answers are judged by: nothing is found 1, a right document is cited 1"


def test_numbers_and_key_points_count_by_their_share() -> None:
    cited = ("lease.txt", RENT)
    assert rightness(question(key_numbers=["48,000", "8,400"]), said(RENT, cited)) == 0.5
    points = [{"doc_id": "lease.txt", "evidence": RENT}, {"doc_id": "b.txt", "evidence": "It ends in 2031."}]
    row = question(key_points=[*points, {"text": "not judged without evidence"}])
    assert rightness(row, said(RENT, cited)) == 0.5
    assert rightness(row, said(RENT, ("b.txt", RENT))) == 0


def test_a_yes_is_looked_for_like_any_other_short_answer() -> None:
    row = question(answers=["Yes"], evidence=[RENT], doc_ids=["lease.txt"])
    cited = ("lease.txt", RENT)
    assert ground_of(row) is Ground.ANSWER
    assert [rightness(row, said(text, cited)) for text in ("Yes, it is.", "No: it is not.")] == [1, 0]


@pytest.mark.parametrize(
    ("known", "right"),
    [
        ({"evidence": [RENT]}, 1),
        ({"key_points": [{"text": "the rent", "evidence": RENT}]}, 1),
        ({"answers": ["EUR 48,000"]}, 1),
        ({"answers": ["EUR 8,400"]}, 0),
        ({"key_numbers": ["48,000"]}, 1),
        ({"doc_ids": ["lease.txt"]}, 1),
        ({"doc_ids": ["draft.txt"]}, 0),
    ],
)
def test_unjudged_passages_are_right_if_one_of_the_first_three_holds_what_is_known(
    known: dict[str, object], right: float
) -> None:
    others = [("lease.txt", f"Clause {number}.") for number in range(3)]
    passages = said("").changed(status=AnswerStatus.PASSAGES_FOUND)
    first = passages.changed(citations=said("x", *others[:2], ("lease.txt", RENT)).citations)
    late = passages.changed(citations=said("x", *others, ("lease.txt", RENT)).citations)
    assert rightness(question(**known), first) == right
    if "doc_ids" not in known:
        assert rightness(question(**known), late) == 0


def test_a_row_that_nothing_answers_is_judged_by_silence_whatever_it_names() -> None:
    row = question(answerable=False, doc_ids=["near.txt"], evidence=[RENT], answers=["none"], key_numbers=["1"])
    assert scores(row, said(RENT, ("near.txt", RENT))) == {
        Measure.PROVEN: 0,
        Measure.RIGHT: 0,
        Measure.STATUS_RIGHT: 0,
        Measure.NO_ANSWER_RECALL: 0,
        Measure.FALSE_ANSWER: 1,
    }
    corrected = said("The rent is not due.", ("near.txt", RENT)).changed(status=AnswerStatus.PREMISE_WRONG)
    assert scores(row, corrected)[Measure.RIGHT] == 1
    assert row.documents == frozenset()
    assert row.named_documents == {"near.txt"}  # which keeps it beside other questions about that document
