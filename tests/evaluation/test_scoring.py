"""The scores of one question, from known answers and constructed outcomes."""

from __future__ import annotations

import pytest

from investigator.evaluation.evidence_match import stands
from investigator.evaluation.folder_report import folder_report
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome, Ranking
from investigator.evaluation.questions import Question
from investigator.evaluation.scoring import evidence_in, quotes_answer, scores
from investigator.records import AnswerStatus, Document, PageSpan, Quote, Usage

TEXT = "It opened in 1988.\nIt makes 42 MW.\nIts owner is RWE."


def quote(document_id: str, text: str, page: int | None = None) -> Quote:
    return Quote(document_id=document_id, page=page, line=1, start=0, end=len(text), text=text, source_hash="0")


def outcome(*citations: Quote, id: str = "1", answer: str = "", confidence: int = 0, **fields: object) -> Outcome:
    ranking = Ranking(documents=("a.pdf", "b.pdf", "c.pdf", "d.pdf"), evidence_found=None)
    status = AnswerStatus.ANSWERED if citations else AnswerStatus.NOT_FOUND
    known = {"evaluation": "e", "id": id, "status": status, "answer": answer, "ranking": ranking}
    return Outcome.model_validate(known | {"citations": citations, "confidence": confidence} | fields)


def question(**known: object) -> Question:
    return Question.model_validate({"id": "1", "question": "?"} | known)


def test_what_is_not_known_is_not_measured() -> None:
    assert scores(question(), outcome(quote("a.pdf", "x"))) == {}


def test_documents_are_measured_by_rank_and_by_citation() -> None:
    cited = outcome(quote("b.pdf", "x"), quote("c.pdf", "y"), quote("z.pdf", "z"))
    found = scores(question(doc_ids=["c.pdf", "d.pdf"]), cited)
    assert found == {
        Measure.RANKED_FIRST: 0.0,
        Measure.RANKED_IN_3: 1.0,
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
    assert scores(question(answers=["better"], answer_choices=["better", "worse"]), said) == {}


def test_a_question_about_one_document_names_it() -> None:
    for row in ({"scope": "a.pdf"}, {"meta": {"scope": "a.pdf", "hops": 2}}):
        about = question(**row)
        assert about.asked == "In a.pdf: ?"
        assert about.documents == {"a.pdf"}
    assert question(scope="a.pdf", answerable=False).documents == frozenset()
    assert question(scope="a.pdf", doc_ids=["b.pdf"]).documents == {"b.pdf"}


def test_evidence_is_sought_in_passages_of_right_documents() -> None:
    gold = question(doc_ids=["a.pdf"], evidence=["opened in 1988"])
    assert evidence_in(gold, (("b.pdf", "x"), ("a.pdf", TEXT))) is True
    assert evidence_in(gold, (("b.pdf", TEXT),)) is False
    assert evidence_in(question(evidence=["opened in 1988"]), (("b.pdf", TEXT),)) is True
    assert evidence_in(question(), (("a.pdf", TEXT),)) is None


def test_right_is_a_right_document_and_with_evidence_more_than_that() -> None:
    gold = question(answerable=True, doc_ids=["a.pdf"], evidence=["It opened in 1988."])
    other = (quote("a.pdf", "It makes 42 MW."),)
    assert quotes_answer(gold, other, with_evidence=False) is True
    assert quotes_answer(gold, other, with_evidence=True) is False
    assert quotes_answer(gold, (), with_evidence=False) is False
    assert quotes_answer(question(answerable=False), other, with_evidence=True) is False
    assert quotes_answer(question(answerable=True), other, with_evidence=False) is None
    assert quotes_answer(question(doc_ids=["a.pdf"]), other, with_evidence=False) is None


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


def test_a_quote_stands_only_where_it_says() -> None:
    pages = (PageSpan(page=1, start=0, end=19), PageSpan(page=2, start=19, end=len(TEXT)))
    document = Document(id="a.pdf", title="a", media_type="x", content_hash="0", text=TEXT, pages=pages)
    start = TEXT.index("42 MW")
    true = Quote(
        document_id="a.pdf", page=2, line=2, start=start, end=start + 5, text="42 MW", source_hash="0", own_lines=False
    )
    assert stands(true, document)
    false = [{"text": "43 MW"}, {"start": start + 1, "end": start + 6}, {"page": 1}, {"page": None}, {"line": 3}]
    false += [{"source_hash": "1"}, {"document_id": "b.pdf"}, {"text": "", "end": start}]
    assert [change for change in false if stands(true.changed(**change), document)] == []
    bare = document.changed(pages=())
    assert stands(true.changed(page=None), bare)
    assert not stands(true, bare)


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
        outcome(quote("a.pdf", "x"), id="1", confidence=90, proven=1, seconds=1.0, usage=Usage(calls=4)),
        outcome(id="2", confidence=40, best_quotes=(quote("a.pdf", "x"),), seconds=3.0, usage=Usage(calls=2)),
        outcome(quote("b.pdf", "x"), id="3", confidence=60),
        outcome(id="4", confidence=10),
        outcome(id="5", status=None, failure="EngineError: gone"),
    ]
    report = folder_report(questions, {one.id: one for one in outcomes}, "a:b")
    values = {one.measure: one.estimate.value for one in report.everything.measures}
    assert (report.asked, report.everything.questions, report.everything.answered) == (5, 4, 2)
    assert [(one.id, one.reason) for one in report.failures] == [("5", "EngineError: gone")]
    assert (values[Measure.CITED_HIT], values[Measure.RANKED_FIRST]) == (0.5, 1.0)
    assert (values[Measure.NO_ANSWER_PRECISION], values[Measure.NO_ANSWER_RECALL]) == (0.5, 0.5)
    assert values[Measure.ROC_AREA] == 0.75  # of four pairs, one is the wrong way round: 40 and 60
    # by confidence: right, wrong, right (what it would have cited), wrong
    assert values[Measure.RISK_AREA] == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)
    assert values[Measure.PRECISION_70] == values[Measure.PRECISION_70_BEST] == pytest.approx(2 / 3)
    assert Measure.RISK_AREA_EVIDENCE not in values
    assert (report.proven_quotes, report.quotes, values[Measure.PROVEN]) == (1, 2, 0.5)
    assert report.usage.calls == 6
    assert report.seconds is not None
    assert (report.seconds.mean, report.seconds.median, report.seconds.questions) == (2.0, 2.0, 2)
    assert [(kind.kind, kind.questions, kind.answered) for kind in report.kinds] == [("fact", 2, 1), ("absent", 2, 1)]


def test_a_report_of_nothing_holds_no_figures() -> None:
    report = folder_report([question()], {}, "a:b")
    assert (report.asked, report.everything.measures, report.seconds) == (0, (), None)
