"""The replies of the built-in engine to the templates of the method."""

from __future__ import annotations

from typing import TypeVar

import pytest

from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.extractive.asking import BestSentences
from investigator.engines.scripted import ScriptedEmbedder
from investigator.errors import SettingsError
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckedStatement,
    CheckReply,
    CheckVariables,
    DocumentReply,
    EarlierQuestion,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    Fit,
    PartStatus,
    PlanDocument,
    PlanReply,
    PlanVariables,
    Prompt,
    QuestionVariables,
    Record,
    ReflectReply,
    ReflectVariables,
    RowReply,
    RowVariables,
    Scope,
    ShownDocument,
    ShownPassage,
    Support,
    Verdict,
)
from investigator.scoring.calibration import default_calibration

R = TypeVar("R", bound=Record)

ENGINE = ExtractiveEngine(ScriptedEmbedder())
POWER = "How much power does the power plant make?"


def replied(variables: Record, reply_type: type[R]) -> R:
    """Return the engine's reply, parsed from its text."""
    return reply_type.model_validate_json(ENGINE.reply(Prompt("t/t", variables, "never read", reply_type)).text)


def planning(*cards: PlanDocument, question: str = "Q?", limit: int = 6, **others: object) -> PlanReply:
    variables = PlanVariables(
        question=question,
        mission="-",
        strategy="-",
        documents=cards,
        document_count=len(cards),
        step_limit=limit,
    )
    return replied(variables.changed(**others), PlanReply)


def planned(*cards: PlanDocument, limit: int = 6, **others: object) -> list[str]:
    return [step.document_id for step in planning(*cards, limit=limit, **others).steps]


def card(name: str, match: float, asked: int = 0) -> PlanDocument:
    return PlanDocument(document_id=name, match=match, asked=asked)


def test_the_best_matching_documents_are_read_first_and_poor_ones_not_at_all() -> None:
    assert planned(card("a", 0.5), card("b", 0.9), card("c", 0.01)) == ["b", "a"]
    assert planned(card("a", 0.8), card("b", 0.9), card("c", 0.7), limit=2) == ["b", "a"]


def test_a_document_is_read_once_and_a_later_round_may_find_nothing_left() -> None:
    assert planned(card("a", 0.9, asked=1), card("b", 0.8), open_parts=("P?",)) == ["b"]
    assert planned(card("a", 0.9, asked=1), card("b", 0.01), open_parts=("P?",)) == []


def test_a_first_round_looks_at_two_documents_however_poor() -> None:
    assert planned(card("a", 0.02), card("b", 0.001), card("c", 0.0)) == ["a", "b"]


def test_a_plan_makes_nothing_of_the_question() -> None:
    plan = planning(card("a", 0.9), question="Which documents name Berg?")
    assert (plan.question, plan.parts, plan.scope, plan.wordings) == ("", (), Scope.SOME, ())
    assert [step.purpose for step in plan.steps] == ["Which documents name Berg?"]


def test_a_follow_up_is_searched_with_the_words_of_the_question_before_it() -> None:
    earlier = (
        EarlierQuestion(question="Who owns the mill?"),
        EarlierQuestion(question="When did the mill burn down?", answer="In 1911."),
    )
    plan = planning(card("a", 0.9), question="And who built it?", earlier=earlier)
    assert plan.question == "When did the mill burn down? And who built it?"
    assert [step.purpose for step in plan.steps] == [plan.question]


def shown(name: str, *texts: str, match: float | None = None) -> ShownDocument:
    return ShownDocument(
        document_id=name, passages=tuple(ShownPassage(text=text, start=0, match=match) for text in texts)
    )


def readings(question: str, *documents: ShownDocument) -> tuple[DocumentReply, ...]:
    return replied(AskVariables(main_question=question, mission="-", documents=documents), AskReply).readings


def test_the_sentence_that_answers_is_quoted_word_for_word() -> None:
    text = "It lies in Emsland. The power plant makes 42 MW of power. Apples are green."
    (reading,) = readings(POWER, shown("a", text, match=0.9))
    assert reading.quotes[0] == "The power plant makes 42 MW of power."
    assert reading.quotes[0] in text
    assert (reading.verdict, reading.document) == (Verdict.ANSWERS, "a")
    assert reading.reply.startswith(reading.quotes[0])


def test_every_document_has_a_reading_of_its_own() -> None:
    near = shown("near", "The power plant makes 42 MW of power.", match=0.9)
    far = shown("far", "Apples are green and pears are yellow in autumn.", match=0.01)
    first, second, third = readings(POWER, far, near, shown("empty", "  "))
    assert [one.document for one in (first, second, third)] == ["far", "near", "empty"]
    assert [one.verdict for one in (first, second, third)] == [
        Verdict.NOT_STATED,
        Verdict.ANSWERS,
        Verdict.NOT_STATED,
    ]
    assert first.quotes == ("Apples are green and pears are yellow in autumn.",)  # the nearest sentence
    assert (first.reply, third.point, third.quotes) == ("", 0, ())


@pytest.mark.parametrize("match", [0.001, 0.05, 0.2, 0.4, 0.6, 0.8, 0.99])
def test_the_point_is_at_least_fifty_if_and_only_if_the_verdict_is_an_answer(match: float) -> None:
    (reading,) = readings(POWER, shown("a", "The power plant makes 42 MW of power.", match=match))
    assert reading.point is not None
    assert (reading.point >= 50) == (reading.verdict is Verdict.ANSWERS)


def test_a_document_that_a_search_found_unlikely_gets_a_lower_point() -> None:
    points = [
        readings("When did the mill burn down?", shown("a", "The mill burned down in May.", match=match))[0].point or 0
        for match in (0.95, 0.5, 0.05)
    ]
    assert points == sorted(set(points), reverse=True)


def test_neighbouring_sentences_are_one_quote_as_it_stands() -> None:
    text = "The old mill burned down.\n  The mill burned down early. Apples are green and pears are yellow in autumn."
    (reading,) = readings("When did the mill burn down?", shown("a", text, match=0.95))
    assert reading.quotes[0] == "The old mill burned down.\n  The mill burned down early."


def test_each_question_of_a_row_has_the_best_quote_or_is_not_stated() -> None:
    document = shown("a", "The power plant makes 42 MW of power. It was built in 1981 by the Berg brothers.")
    questions = (POWER, "What do zebras in Africa eat at night?")
    row = replied(RowVariables(mission="-", questions=questions, document=document), RowReply)
    power, zebras = row.answers
    assert (power.question, power.verdict) == (1, Verdict.ANSWERS)
    assert power.quotes[0].startswith("The power plant makes 42 MW of power.")
    assert power.answer == power.quotes[0]
    assert (zebras.question, zebras.verdict, zebras.quotes, zebras.answer) == (2, Verdict.NOT_STATED, (), "")


def test_a_review_states_nothing_that_nobody_has_read() -> None:
    variables = ReflectVariables(question="How much power does it make?", mission="-", parts=("q",), memories=())
    review = replied(variables, ReflectReply)
    assert (review.known, review.unknown) == ((), ())
    assert review.wordings == ("power make",), "it searches on by the words of the question"


def evidence(name: str, **quotes: str) -> EvidenceDocument:
    spans = tuple(EvidenceSpan(text=text, id=number) for number, text in quotes.items())
    return EvidenceDocument(document_id=name, passages=(EvidencePassage(spans=(EvidenceSpan(text="x"), *spans)),))


def answered(question: str, *documents: EvidenceDocument, parts: int = 1) -> AnswerReply:
    variables = AnswerVariables(question=question, mission="-", parts=("P?",) * parts, documents=documents)
    return replied(variables, AnswerReply)


def cited(reply: AnswerReply) -> list[str]:
    return [name for statement in reply.details for name in statement.evidence]


def test_the_answer_gives_the_quotes_once_and_word_for_word_but_no_lead() -> None:
    reply = answered(
        "q", evidence("d", E1="The plant makes\n 42 MW.", E2="The plant makes 42 MW now.", E3="It is old."), parts=2
    )
    assert sorted(cited(reply)) in (["E1", "E3"], ["E2", "E3"])
    assert {statement.text for statement in reply.details} <= {
        "The plant makes 42 MW.",
        "The plant makes 42 MW now.",
        "It is old.",
    }
    assert reply.lead is None
    assert [(part.part, part.status) for part in reply.parts] == [(1, PartStatus.ANSWERED), (2, PartStatus.ANSWERED)]


def test_every_document_has_its_say_before_one_has_its_second() -> None:
    first = evidence("a", E1="Ants are small.", E2="Bees fly far.")
    assert cited(answered("How small are ants?", first, evidence("b", E3="Cats sleep long."))) == ["E1", "E3", "E2"]


def test_the_quotes_nearest_to_the_question_come_first_in_a_document() -> None:
    reply = answered("When did the boat leave?", evidence("b", E1="Cats sleep long.", E2="The boat left at seven."))
    assert cited(reply) == ["E2", "E1"]


def test_at_most_six_quotes_are_given_and_three_of_one_document() -> None:
    verbs = ("sleeps", "flies", "swims", "sings", "hunts")
    many = [
        evidence(name, **{f"E{name}{n}": f"The {name} {verb} {name}ishly." for n, verb in enumerate(verbs)})
        for name in ("ant", "bee", "cat", "dog")
    ]
    assert len(cited(answered("q", many[0]))) == 3
    assert len(cited(answered("q", *many))) == 6


def test_without_evidence_nothing_is_stated() -> None:
    reply = answered("q", evidence("d", N1="Nearly so."))
    assert (reply.details, [part.status for part in reply.parts]) == ((), [PartStatus.NOT_STATED])


def test_a_check_knows_only_what_is_word_for_word() -> None:
    statements = (
        CheckedStatement(number=1, text="a", evidence=("E1",), verbatim=True),
        CheckedStatement(number=2, text="b", evidence=("E1",)),
    )
    reply = replied(CheckVariables(question="q", parts=("q",), statements=statements, documents=()), CheckReply)
    assert [(check.number, check.support) for check in reply.statements] == [
        (1, Support.VERBATIM),
        (2, Support.UNCHECKED),
    ]
    assert (reply.answers, reply.open_parts) == (Fit.UNCHECKED, ())


def test_a_template_that_is_none_of_the_methods_is_refused() -> None:
    variables = QuestionVariables(document_id="a", purpose="b", perspectives="c")
    with pytest.raises(SettingsError, match="t/t"):
        ENGINE.reply(Prompt("t/t", variables, "x", AnswerReply))


@pytest.mark.parametrize("question", ["How much power does the plant make?", "Wie viel Strom macht das Kraftwerk?"])
def test_the_calibrated_threshold_of_the_language_becomes_a_point_of_fifty(question: str) -> None:
    threshold = default_calibration().threshold_of(question)
    points = [BestSentences(threshold, percent / 100).point for percent in (0, threshold - 1, threshold, 100)]
    assert (points[0], points[2], points[3]) == (0, 50, 100)
    assert 0 <= points[1] < 50


def test_the_engine_goes_by_the_scores_of_the_search_and_is_no_model() -> None:
    assert ENGINE.traits.goes_by_measures
    assert not ENGINE.traits.is_model
