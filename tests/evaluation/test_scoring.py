"""The scores of one question, from known answers and constructed outcomes, and whether its answer is right."""

from __future__ import annotations

import pytest

from investigator.evaluation.measures import Cost, Ground, Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.evaluation.results import Judgement, folder_report, grounds_line, question_result, unmeasured_line
from investigator.evaluation.scoring import ground_of, grounds_of, rightness, scores
from investigator.records import AnswerStatus, Quote, Usage

RENT = "The annual rent is EUR 48,000."


def quote(document_id: str, text: str, page: int | None = None) -> Quote:
    return Quote(document_id=document_id, page=page, line=1, start=0, end=len(text), text=text, source_hash="0")


def outcome(*citations: Quote, id: str = "1", answer: str = "", **fields: object) -> Outcome:
    status = AnswerStatus.ANSWERED if citations else AnswerStatus.NOT_FOUND
    known = {"evaluation": "e", "id": id, "status": status, "answer": answer, "proven": len(citations)}
    return Outcome.model_validate(known | {"citations": citations} | fields)


def question(**known: object) -> Question:
    return Question.model_validate({"id": "1", "question": "?"} | known)


CITED = quote("lease.txt", RENT)


def test_what_is_not_known_is_not_measured() -> None:
    assert scores(question(), outcome()) == {}


def test_documents_are_measured_by_rank_and_by_citation() -> None:
    cited = outcome(quote("b.pdf", "x"), quote("c.pdf", "y"), quote("z.pdf", "z"))
    assert scores(question(doc_ids=["c.pdf", "d.pdf"]), cited) == {
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
    assert scores(gold, outcome(quote("b.pdf", "It opened in 1988.")))[Measure.EVIDENCE_HIT] == 0.0
    assert scores(gold, outcome())[Measure.EVIDENCE_HIT] == 0.0


@pytest.mark.parametrize("known", [{"evidence_pages_one_based": [3, 7]}, {"evidence_pages_zero_based": [2]}])
def test_pages_count_from_one_or_from_zero(known: dict[str, object]) -> None:
    gold = question(doc_ids=["a.pdf"], **known)
    cited = [quote("a.pdf", "x", page=3), quote("a.pdf", "x", page=2), quote("b.pdf", "x", page=3)]
    assert [scores(gold, outcome(each))[Measure.PAGE_HIT] for each in cited] == [1.0, 0.0, 0.0]


def test_the_words_of_an_answer_are_measured_but_not_against_labels() -> None:
    given = outcome(quote("a.pdf", "x"), answer="It makes 42 MW.")
    values = scores(question(answers=["42 MW"], key_numbers=["42", "7"]), given)
    assert values[Measure.ANSWER_F1] == pytest.approx(2 / 3)
    assert (values[Measure.ANSWER_CONTAINS], values[Measure.ANSWER_EXACT], values[Measure.NUMBER_RECALL]) == (1, 0, 0.5)
    assert scores(question(answers=["better"], answer_choices=["better", "worse"]), given) == {Measure.PROVEN: 1.0}


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

    def of(row: Question, given: Outcome) -> tuple[float | None, ...]:
        values = scores(row, given)
        return tuple(values.get(measure) for measure in (Measure.RIGHT, Measure.STATUS_RIGHT, Measure.FALSE_ANSWER))

    assert of(gold, outcome(quote("a.pdf", "It opened in 1988."))) == (1, 1, None)
    assert of(gold, outcome(quote("a.pdf", "It makes 42 MW."))) == (0, 1, None)
    assert of(gold, outcome(status=silent)) == (0, 0, None)
    absent = question(answerable=False)
    assert of(absent, outcome(status=silent)) == (1, 1, 0)
    assert of(absent, outcome(quote("a.pdf", "x"), status=maybe)) == (0, 0, 0)
    assert of(absent, outcome(quote("a.pdf", "x"))) == (0, 0, 1)
    assert of(question(answers=["42 MW"]), outcome(answer="It makes 42 MW.")) == (1, None, None)


def test_the_report_of_six_questions() -> None:
    known: dict[str, object] = {"answerable": True, "doc_ids": ["a.pdf"], "kind": "fact"}
    absent: dict[str, object] = {"answerable": False, "kind": "absent"}
    rows = [question(id="1", **known), question(id="2", **known), question(id="3", **absent)]
    rows += [question(id="4", **absent), question(id="5", **known), question(id="6")]
    given = [
        outcome(quote("a.pdf", "x"), id="1", proven=1, seconds=1.0, cost=Usage(calls=4)),
        outcome(id="2", seconds=3.0, cost=Usage(calls=2)),
        outcome(quote("b.pdf", "x"), id="3", proven=0),
        outcome(id="4"),
        outcome(id="5", status=None, failure="EngineError: gone"),
    ]
    pairs = zip(rows[:5], given, strict=True)
    outcomes = {each.id: each.changed(scores=scores(row, each) if each.status else {}) for row, each in pairs}
    report = folder_report(rows, outcomes, "a:b")
    values = {measure: estimate.value for measure, estimate in report.everything.measures.items()}
    assert report.everything.questions == 4
    judgements = {each.id: each.judgement for each in report.questions}
    assert judgements == {
        **{"1": Judgement.RIGHT, "2": Judgement.SILENT, "3": Judgement.WRONG},
        **{"4": Judgement.RIGHT, "5": Judgement.UNMEASURED},
    }
    assert report.questions[4].why == "failed: EngineError: gone"
    assert values[Measure.CITED_HIT] == 0.5
    assert (values[Measure.NO_ANSWER_PRECISION], values[Measure.NO_ANSWER_RECALL]) == (0.5, 0.5)
    assert (values[Measure.PROVEN], values[Cost.CALLS], values[Cost.SECONDS]) == (0.5, 1.5, 2.0)
    assert report.statuses == {AnswerStatus.ANSWERED: 2, AnswerStatus.NOT_FOUND: 2}
    assert [(kind.kind, kind.questions) for kind in report.kinds] == [("fact", 2), ("absent", 2)]
    nothing = folder_report([question()], {}, "a:b").everything
    assert (nothing.questions, nothing.measures) == (0, {})


def test_silence_picks_unanswerable_questions_and_passages_are_not_silence() -> None:
    answered, silent, passages = AnswerStatus.ANSWERED, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.PASSAGES_FOUND
    rows = [(True, answered), (True, silent), (False, silent), (False, AnswerStatus.PREMISE_WRONG), (False, passages)]
    scored = [scores(question(answerable=known), outcome(status=status)) for known, status in rows]
    precision, recall = Measure.NO_ANSWER_PRECISION, Measure.NO_ANSWER_RECALL
    assert [values[precision] for values in scored if precision in values] == [0, 1, 1]
    assert [values[recall] for values in scored if recall in values] == [1, 1, 0]


def test_a_wrong_figure_from_the_right_document_is_wrong() -> None:
    row = question(answers=["EUR 48,000"], doc_ids=["lease.txt"])
    right = outcome(CITED, answer=RENT)
    other = outcome(quote("lease.txt", "The deposit is EUR 8,400."), answer="The deposit is EUR 8,400.")
    assert [rightness(row, each) for each in (right, other, outcome())] == [1, 0, 0]
    assert rightness(row, outcome(quote("draft.txt", RENT), answer=RENT)) == 0
    long = row.changed(answers=("The tenant has to pay a rent of EUR 48,000 in a year.",))
    assert ground_of(long) is Ground.FIGURES
    assert [rightness(long, each) for each in (right, other)] == [1, 0]


def test_the_first_thing_that_a_row_knows_judges_it() -> None:
    whole = question(
        key_numbers=["48,000", "8,400"],
        answers=["EUR 48,000"],
        key_points=[{"text": "the rent", "doc_id": "lease.txt", "evidence": RENT}],
        evidence=[RENT],
        doc_ids=["lease.txt"],
    )
    grounds = [ground_of(whole)]
    for name in ("key_numbers", "answers", "key_points", "evidence", "doc_ids"):
        whole = whole.changed(**{name: None})
        grounds.append(ground_of(whole))
    assert grounds == [Ground.NUMBERS, Ground.ANSWER, Ground.POINTS, Ground.EVIDENCE, Ground.DOCUMENT, None]
    line = grounds_line(grounds_of([question(doc_ids=["a"]), question(answerable=False), question()]))
    assert line == "answers are judged by: nothing is found 1, a right document is cited 1"


def test_numbers_and_key_points_count_by_their_share() -> None:
    given = outcome(CITED, answer=RENT)
    assert rightness(question(key_numbers=["48,000", "8,400"]), given) == 0.5
    points = [{"doc_id": "lease.txt", "evidence": RENT}, {"doc_id": "b.txt", "evidence": "It ends in 2031."}]
    row = question(key_points=[*points, {"text": "not judged without evidence"}])
    assert rightness(row, given) == 0.5
    assert rightness(row, outcome(quote("b.txt", RENT), answer=RENT)) == 0


def test_a_yes_is_looked_for_like_any_other_short_answer() -> None:
    row = question(answers=["Yes"], evidence=[RENT], doc_ids=["lease.txt"])
    assert ground_of(row) is Ground.ANSWER
    assert [rightness(row, outcome(CITED, answer=text)) for text in ("Yes, it is.", "No: it is not.")] == [1, 0]


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
    others = [quote("lease.txt", f"Clause {number}.") for number in range(3)]
    row = question(answerable=True, **known)
    assert rightness(row, outcome(*others[:2], CITED, status=AnswerStatus.PASSAGES_FOUND)) == right
    if "doc_ids" not in known:
        assert rightness(row, outcome(*others, CITED, status=AnswerStatus.PASSAGES_FOUND)) == 0


def test_a_row_that_nothing_answers_is_judged_by_silence_whatever_it_names() -> None:
    row = question(answerable=False, doc_ids=["near.txt"], evidence=[RENT], answers=["none"], key_numbers=["1"])
    near = outcome(quote("near.txt", RENT), answer=RENT, proven=0)
    assert scores(row, near) == {
        Measure.PROVEN: 0,
        Measure.RIGHT: 0,
        Measure.STATUS_RIGHT: 0,
        Measure.NO_ANSWER_RECALL: 0,
        Measure.FALSE_ANSWER: 1,
    }
    assert scores(row, near.changed(status=AnswerStatus.PREMISE_WRONG))[Measure.RIGHT] == 1
    assert row.documents == frozenset()
    assert row.named_documents == {"near.txt"}  # which keeps it beside other questions about that document


@pytest.mark.parametrize(
    ("known", "given", "judgement", "expects"),
    [
        (
            {"answers": ["42 MW", "42 megawatts"]},
            {"answer": "It makes 42 MW."},
            Judgement.RIGHT,
            "42 MW or 42 megawatts",
        ),
        (
            {"answers": ["42 MW"], "doc_ids": ["a.pdf"]},
            {"answer": "It makes 42 MW."},
            Judgement.WRONG,
            "42 MW, in a.pdf",
        ),
        ({"answers": ["42 MW"]}, {"status": AnswerStatus.NOT_FOUND_SO_FAR}, Judgement.SILENT, "42 MW"),
        ({"key_numbers": ["42", "1988"]}, {"answer": "It makes 42 MW."}, Judgement.IN_PART, "42; 1988"),
        ({"answerable": False}, {"status": AnswerStatus.NOT_FOUND}, Judgement.RIGHT, "nothing, because"),
        ({"answerable": False}, {"answer": "It makes 42 MW."}, Judgement.WRONG, "nothing, because"),
        ({"answerable": True}, {"answer": "It makes 42 MW."}, Judgement.UNMEASURED, ""),
        ({}, {"status": AnswerStatus.NOT_FOUND}, Judgement.UNMEASURED, ""),
    ],
)
def test_each_question_is_right_wrong_silent_or_not_measured(
    known: dict[str, object], given: dict[str, object], judgement: Judgement, expects: str
) -> None:
    row, made = question(**known), outcome(**{"status": AnswerStatus.ANSWERED, **given})
    result = question_result(row, made.changed(scores=scores(row, made)))
    assert result.judgement is judgement
    assert result.expected.startswith(expects)
    assert bool(result.why) is (judgement is Judgement.UNMEASURED) is bool(unmeasured_line([row]))
