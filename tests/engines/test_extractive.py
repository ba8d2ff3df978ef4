"""The replies of the built-in engine to the templates of the method."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

import pytest

from investigator.engines.extractive import ExtractiveEngine
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


def card(name: str, match: float, times_read: int = 0) -> PlanDocument:
    return PlanDocument(document_id=name, match=match, times_read=times_read)


def test_the_best_matching_documents_are_read_first() -> None:
    assert planned(card("a", 0.5), card("b", 0.9), card("c", 0.01)) == ["b", "a", "c"]
    assert planned(card("a", 0.8), card("b", 0.9), card("c", 0.7), limit=2) == ["b", "a"]


def test_a_document_is_read_once_and_a_later_round_may_find_nothing_left() -> None:
    assert planned(card("a", 0.9, times_read=1), card("b", 0.8), open_parts=("P?",)) == ["b"]
    assert planned(card("a", 0.9, times_read=1), open_parts=("P?",)) == []


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


def test_the_sentence_that_answers_is_quoted_first_with_those_around_it() -> None:
    text = "# A\n\nApples.\n\n# B\n\nIt lies in Emsland. The power plant makes 42 MW of power.\n\nC\nPears are red."
    (reading,) = readings(POWER, shown("a", text, match=0.9))
    assert reading.quotes[0] == "It lies in Emsland. The power plant makes 42 MW of power."
    assert all(quote in text for quote in reading.quotes)
    assert (reading.verdict, reading.document) == (Verdict.ANSWERS, "a")
    assert reading.reply.startswith(reading.quotes[0])


def test_no_text_is_quoted_twice() -> None:
    text = " ".join(f"Plant number {n} makes {n} MW of power in the {n}th year." for n in range(30))
    (reading,) = readings(POWER, shown("a", text, match=0.9))
    places = sorted((text.index(quote), text.index(quote) + len(quote)) for quote in reading.quotes)
    assert len(places) == 3
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


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


@pytest.mark.parametrize("match", [0.001, 0.4, 0.99])
def test_the_point_is_at_least_fifty_if_a_sentence_is_near_enough(match: float) -> None:
    near, far = readings(POWER, *(shown("a", text, match=match) for text in ("The power plant makes power.", "Cats.")))
    assert (near.verdict, far.verdict) == (Verdict.ANSWERS, Verdict.NOT_STATED)
    assert (near.point or 0) >= 50 > (far.point or 0)


def test_a_document_that_a_search_found_unlikely_gets_a_lower_point() -> None:
    points = [
        readings("When did the mill burn down?", shown("a", "The mill burned down in May.", match=match))[0].point or 0
        for match in (0.95, 0.5, 0.05)
    ]
    assert points == sorted(set(points), reverse=True)


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
    assert review.wordings == ()


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
    assert len({"E1", "E2"} & {*cited(reply)}) == 1
    assert {statement.text for statement in reply.details} <= {
        "The plant makes 42 MW.",
        "The plant makes 42 MW now.",
        "It is old.",
    }
    assert reply.lead is None
    assert [(part.part, part.status) for part in reply.parts] == [(1, PartStatus.ANSWERED), (2, PartStatus.ANSWERED)]


def test_the_best_quotes_come_first_whatever_their_document() -> None:
    first = evidence("b", E1="Cats sleep long.", E2="The boat left at seven.")
    assert cited(answered("When did the boat leave?", evidence("a", E3="Bees fly far."), first))[0] == "E2"


def test_of_equal_quotes_that_of_the_likelier_document_comes_first() -> None:
    unlikely, likely = (
        evidence(name, **{f"E{name}": f"The boat left at {time}."}).changed(point=point)
        for name, time, point in (("a", "7:00", 51), ("b", "8:00", 95))
    )
    assert cited(answered("When did the boat leave?", unlikely, likely)) == ["Eb", "Ea"]


def test_a_quote_stands_under_its_heading() -> None:
    span = EvidenceSpan(text="The boat left at seven.", id="E1")
    document = EvidenceDocument(document_id="a", passages=(EvidencePassage(spans=(span,), heading="Day one"),))
    assert [statement.head for statement in answered("q", document).details] == ["Day one"]


def test_at_most_six_quotes_are_given() -> None:
    verbs = ("sleeps", "flies", "swims", "sings", "hunts")
    many = [
        evidence(name, **{f"E{name}{n}": f"The {name} {verb} {name}ishly." for n, verb in enumerate(verbs)})
        for name in ("ant", "bee")
    ]
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


def test_the_engine_goes_by_the_scores_of_the_search_and_is_no_model() -> None:
    assert ENGINE.traits.goes_by_measures
    assert not ENGINE.traits.is_model
