"""The scores of one question, from known answers and constructed outcomes."""

from __future__ import annotations

import pytest

from investigator.evaluation.folder_report import folder_report
from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import scores
from investigator.records import AnswerStatus, Quote, Usage


def quote(document_id: str, text: str, page: int | None = None) -> Quote:
    return Quote(document_id=document_id, page=page, line=1, start=0, end=len(text), text=text, source_hash="0")


def outcome(*citations: Quote, id: str = "1", answer: str = "", **fields: object) -> Outcome:
    status = AnswerStatus.ANSWERED if citations else AnswerStatus.NOT_FOUND
    known = {"evaluation": "e", "id": id, "status": status, "answer": answer, "proven": len(citations)}
    return Outcome.model_validate(known | {"citations": citations} | fields)


def question(**known: object) -> Question:
    return Question.model_validate({"id": "1", "question": "?"} | known)


def test_what_is_not_known_is_not_measured() -> None:
    assert scores(question(), outcome()) == {}


def test_documents_are_measured_by_rank_and_by_citation() -> None:
    cited = outcome(quote("b.pdf", "x"), quote("c.pdf", "y"), quote("z.pdf", "z"))
    row = question(doc_ids=["c.pdf", "d.pdf"])
    assert scores(row, cited) == {
        Measure.PROVEN: 1.0,
        Measure.CITED_FIRST: 0.0,
        Measure.CITED_HIT: 1.0,
        Measure.CITED_RECALL: 0.5,
        Measure.RIGHT: 1.0,
    }


def test_evidence_must_come_from_a_right_document() -> None:
    gold = question(doc_ids=["a.pdf"], evidence=["It opened in 1988.", "Its owner is RWE."])
    right = scores(gold, outcome(quote("a.pdf", "It opened in 1988")))
    assert right[Measure.EVIDENCE_HIT] == 1.0
    assert right[Measure.EVIDENCE_WHOLE] == 0.0  # the full stop is missing
    assert right[Measure.EVIDENCE_RECALL] == 0.5
    wrong = scores(gold, outcome(quote("b.pdf", "It opened in 1988.")))
    assert wrong[Measure.EVIDENCE_HIT] == 0.0
    assert scores(gold, outcome())[Measure.EVIDENCE_HIT] == 0.0


@pytest.mark.parametrize("known", [{"evidence_pages_one_based": [3, 7]}, {"evidence_pages_zero_based": [2]}])
def test_pages_count_from_one_or_from_zero(known: dict[str, object]) -> None:
    gold = question(doc_ids=["a.pdf"], **known)
    assert scores(gold, outcome(quote("a.pdf", "x", page=3)))[Measure.PAGE_HIT] == 1.0
    assert scores(gold, outcome(quote("a.pdf", "x", page=2)))[Measure.PAGE_HIT] == 0.0
    assert scores(gold, outcome(quote("b.pdf", "x", page=3)))[Measure.PAGE_HIT] == 0.0


def test_the_words_of_an_answer_are_measured_but_not_against_labels() -> None:
    said = outcome(quote("a.pdf", "x"), answer="It makes 42 MW.")
    found = scores(question(answers=["42 MW"], key_numbers=["42", "7"]), said)
    assert found[Measure.ANSWER_F1] == pytest.approx(2 / 3)
    assert (found[Measure.ANSWER_CONTAINS], found[Measure.ANSWER_EXACT], found[Measure.NUMBER_RECALL]) == (1, 0, 0.5)
    assert scores(question(answers=["better"], answer_choices=["better", "worse"]), said) == {Measure.PROVEN: 1.0}


def test_a_question_about_one_document_names_it() -> None:
    for row in ({"scope": "a.pdf"}, {"meta": {"scope": "a.pdf", "hops": 2}}):
        about = question(**row)
        assert about.wording == "In a.pdf: ?"
        assert about.documents == {"a.pdf"}
    assert question(scope="a.pdf", answerable=False).documents == frozenset()
    assert question(scope="a.pdf", doc_ids=["b.pdf"]).documents == {"b.pdf"}


def test_right_is_one_measure_for_answers_and_for_silence() -> None:
    gold = question(answerable=True, doc_ids=["a.pdf"], evidence=["It opened in 1988."])
    silent, maybe = AnswerStatus.NOT_FOUND, AnswerStatus.PASSAGES_FOUND

    def of(row: Question, one: Outcome) -> tuple[float | None, ...]:
        found = scores(row, one)
        return tuple(found.get(measure) for measure in (Measure.RIGHT, Measure.STATUS_RIGHT, Measure.FALSE_ANSWER))

    assert of(gold, outcome(quote("a.pdf", "It opened in 1988."))) == (1, 1, None)
    assert of(gold, outcome(quote("a.pdf", "It makes 42 MW."))) == (0, 1, None)
    assert of(gold, outcome(status=silent)) == (0, 0, None)
    absent = question(answerable=False)
    assert of(absent, outcome(status=silent)) == (1, 1, 0)
    assert of(absent, outcome(quote("a.pdf", "x"), status=maybe)) == (0, 0, 0)
    assert of(absent, outcome(quote("a.pdf", "x"))) == (0, 0, 1)
    assert of(question(answers=["42 MW"]), outcome(answer="It makes 42 MW.")) == (1, None, None)


def test_the_report_of_four_questions() -> None:
    questions = [
        question(id="1", answerable=True, doc_ids=["a.pdf"], kind="fact"),
        question(id="2", answerable=True, doc_ids=["a.pdf"], kind="fact"),
        question(id="3", answerable=False, kind="absent"),
        question(id="4", answerable=False, kind="absent"),
        question(id="5", answerable=True, doc_ids=["a.pdf"], kind="fact"),
        question(id="6"),
    ]
    outcomes = [
        outcome(quote("a.pdf", "x"), id="1", proven=1, seconds=1.0, cost=Usage(calls=4)),
        outcome(id="2", seconds=3.0, cost=Usage(calls=2)),
        outcome(quote("b.pdf", "x"), id="3", proven=0),
        outcome(id="4"),
        outcome(id="5", status=None, failure="EngineError: gone"),
    ]
    known = {
        one.id: one.changed(scores=scores(row, one) if one.status else {})
        for row, one in zip(questions[:5], outcomes, strict=True)
    }
    report = folder_report(questions, known, "a:b")
    values = {measure: estimate.value for measure, estimate in report.everything.measures.items()}
    assert report.everything.questions == 4
    assert [(one.id, one.failure) for one in report.failures] == [("5", "EngineError: gone")]
    assert values[Measure.CITED_HIT] == 0.5
    assert (values[Measure.NO_ANSWER_PRECISION], values[Measure.NO_ANSWER_RECALL]) == (0.5, 0.5)
    assert (values[Measure.PROVEN], values[Cost.CALLS], values[Cost.SECONDS]) == (0.5, 1.5, 2.0)
    assert report.statuses == {AnswerStatus.ANSWERED: 2, AnswerStatus.NOT_FOUND: 2}
    assert [(kind.kind, kind.questions) for kind in report.kinds] == [("fact", 2), ("absent", 2)]


def test_a_report_of_nothing_holds_no_figures() -> None:
    report = folder_report([question()], {}, "a:b")
    assert (report.everything.questions, report.everything.measures) == (0, {})


def test_silence_picks_unanswerable_questions_and_passages_are_not_silence() -> None:
    answered, silent, passages = AnswerStatus.ANSWERED, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.PASSAGES_FOUND
    rows = [(True, answered), (True, silent), (False, silent), (False, AnswerStatus.PREMISE_WRONG), (False, passages)]
    scored = [scores(question(answerable=known), outcome(status=status)) for known, status in rows]
    precision, recall = Measure.NO_ANSWER_PRECISION, Measure.NO_ANSWER_RECALL
    assert [values[precision] for values in scored if precision in values] == [0, 1, 1]
    assert [values[recall] for values in scored if recall in values] == [1, 1, 0]
