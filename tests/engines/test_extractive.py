"""The replies of the built-in engine to the templates of the method."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.extractive.candidates import Stretch, ranked
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
QUESTION = "When did the mill burn down?"


def replied(variables: Record, reply_type: type[R], engine: ExtractiveEngine = ENGINE) -> R:
    """Return the engine's reply, parsed from its text."""
    return reply_type.model_validate_json(engine.reply(Prompt("t/t", variables, "never read", reply_type)).text)


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


def card(name: str, match: float, times_read: int = 0, passages: tuple[str, ...] = ("Of it.",)) -> PlanDocument:
    return PlanDocument(document_id=name, match=match, times_read=times_read, passages=passages)


def test_the_best_matching_documents_are_read_first() -> None:
    assert planned(card("a", 0.5), card("b", 0.9), card("c", 0.01)) == ["b", "a", "c"]
    assert planned(card("a", 0.5), card("named", 0.9, passages=())) == ["a"]
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


def readings(question: str, *documents: ShownDocument, engine: ExtractiveEngine = ENGINE) -> tuple[DocumentReply, ...]:
    variables = AskVariables(main_question=question, mission="-", documents=documents)
    return replied(variables, AskReply, engine).readings


def reading_of(
    question: str, *texts: str, engine: ExtractiveEngine = ENGINE, match: float | None = None
) -> DocumentReply:
    return readings(question, shown("d", *texts, match=match), engine=engine)[0]


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
    assert [(reading.document, reading.verdict) for reading in (first, second, third)] == [
        ("far", Verdict.NOT_STATED),
        ("near", Verdict.ANSWERS),
        ("empty", Verdict.NOT_STATED),
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


def evidence(name: str, heading: str = "", /, **quotes: str) -> EvidenceDocument:
    spans = (EvidenceSpan(text="x "), *(EvidenceSpan(text=text, id=number) for number, text in quotes.items()))
    return EvidenceDocument(document_id=name, passages=(EvidencePassage(spans=spans, heading=heading),))


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
    document = evidence("a", "Day one", E1="The boat left at seven.")
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


@pytest.mark.parametrize(
    "text",
    [
        "The\u00a0mill\tburned\r\ndown\u2009in May\u00ad 1911.\u2028It was built\u200b again.",
        "  \n\n  The mill burned down.\n\n\n\tIn May 1911.  \n",
        "The mill “burned down”… in May 1911 — they say 🔥🔥. E\u0301lan!",
        "The mill burned\x0cdown in May 1911.\x0b\x1fThe end of it.",
        "\ufeffThe mill burned down in 1911\u2026 \U0001f525\ufe0f It was sad.",
    ],
)
def test_quotes_stand_in_their_passage_whatever_its_white_space_and_signs(text: str) -> None:
    reply = reading_of(QUESTION, text)
    assert reply.quotes
    assert all(quote in text for quote in reply.quotes)
    assert "burned" in reply.quotes[0]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_any_question_and_any_text_give_a_point_and_quotes_that_stand(question: str, texts: list[str]) -> None:
    whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    reply = reading_of(question, *whole)
    assert reply.point is not None
    assert 0 <= reply.point <= 100
    assert len(reply.quotes) <= 6
    assert all(any(quote in text for text in whole) for quote in reply.quotes)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("长江是什么？", "长江是中国最长的河流。"),
        ("京都には何がありますか？", "京都には寺があります。"),
        ("สัตว์ที่ใหญ่ที่สุดคืออะไร", "ช้างใหญ่ที่สุด"),
    ],
)
def test_a_short_sentence_of_a_script_without_spaces_can_answer(question: str, sentence: str) -> None:
    reply = reading_of(question, sentence)
    assert reply.quotes == (sentence,)
    assert (reply.point or 0) > 0


def test_a_passage_without_a_full_stop_is_quoted_in_pieces_that_hold_what_is_asked_for() -> None:
    flow = "water flows on and on over the weir and past the quay " * 4_600
    text = f"{flow}the mill burned down in May {flow}"
    reply = reading_of(QUESTION, text)
    assert all(quote in text and len(quote) <= 500 for quote in reply.quotes)
    assert "burned down" in reply.quotes[0]


def test_no_words_are_quoted_twice_where_a_quote_goes_on_to_the_next_line() -> None:
    lines = [f"Year {number}: {'the mill at the river stood ' * 8}until the mill did burn down:" for number in range(8)]
    quotes = reading_of(QUESTION, "\n".join(lines)).quotes
    assert len(quotes) > 1
    assert all(sum(f"Year {number}:" in quote for quote in quotes) <= 1 for number in range(8))


def test_a_title_is_quoted_with_what_stands_below_it_and_never_alone() -> None:
    text = "The lake\n\nIt lies on the Aller.\n\nWhen did the mill burn down\n\nIt was in May 1911, at night."
    assert reading_of(QUESTION, text).quotes[0] == "When did the mill burn down\n\nIt was in May 1911, at night."
    below = f"Why did the mill burn down\n\nThe mill did burn down, and when: {'in May, in June, ' * 24}."
    assert not any(quote == "Why did the mill burn down" for quote in reading_of(QUESTION, below).quotes)


def test_fields_of_a_form_stay_together_though_blank_lines_part_them() -> None:
    fields = (
        "Policy number: PK-77310-B",
        "Previous policy number: PK-11111-A",
        "☒ Express, the next day",
        "☐ In five days",
    )
    text = "\n\n".join(fields)
    assert reading_of("What is the previous policy number?", text).quotes[0] == text


def test_what_is_near_the_question_scores_above_something_else() -> None:
    engine = ExtractiveEngine(SentenceTransformerEmbedder())
    question = "How many sacks of grain did the mill at Dornbach grind in 1911?"
    right = "The mill at Dornbach ground 4,200 sacks of grain in 1911, more than ever before."
    near = "The mill at Dornbach has belonged to the Berg family since 1880."
    other = "Zebras live in herds and graze on the open plains of Africa."
    points = [reading_of(question, text, engine=engine).point or 0 for text in (right, near, other)]
    assert min(points[:2]) >= 50 > points[2]


def test_the_right_passage_is_quoted_first_wherever_it_stands_among_the_others() -> None:
    right, others = "The mill burned down in May 1911.", ["It lies on the Aller.", "Anna Berg owns a red boat now."]
    for place in range(3):
        texts = [*others[:place], right, *others[place:]]
        assert reading_of(QUESTION, *texts).quotes[0] == right


@pytest.mark.parametrize(
    ("texts", "statements"),
    [
        (
            (
                "The mill at Leer burned down in the spring of 1911.",
                "The mill at Leer burned down in the spring of 1911.",
                "The mill at Leer  burned down\nin the spring of 1911!",
                "It is true: the mill at Leer burned down in the spring of 1911, and then a barn.",
            ),
            1,
        ),
        (("The mill made 40 million euros in 2021.", "The mill made 52 million euros in 2021."), 2),
        (("The value of the mill is now 52 euros, not 40 as in the contract.", "Value of the mill: 40 euros."), 2),
    ],
    ids=["repeated", "another figure", "a figure that another text contradicts"],
)
def test_an_answer_says_nothing_twice_but_both_of_two_figures(texts: tuple[str, ...], statements: int) -> None:
    documents = (evidence(str(number), **{f"E{number}": text}) for number, text in enumerate(texts))
    assert len(answered(QUESTION, *documents).details) == statements


def test_the_same_prompt_gives_the_same_reply_from_another_engine() -> None:
    texts = [f"Parish {n} sold {n * 7 % 13} sacks. The mill burned down in {1900 + n}." for n in range(20)]
    other = ExtractiveEngine(ScriptedEmbedder())
    assert reading_of(QUESTION, *texts) == reading_of(QUESTION, *texts, engine=other)


def test_what_the_file_name_and_the_heading_say_counts_for_every_sentence_below_them() -> None:
    texts = {"report-2022.md": "It was 52 million euros.", "report-2021.md": "It was 40 million euros."}
    documents = (evidence(name, "Revenue", **{f"E{name}": text}) for name, text in texts.items())
    reply = answered("What was the revenue in 2021?", *documents)
    assert reply.details[0].text == "It was 40 million euros."


def test_quotes_of_a_long_text_stand_in_it() -> None:
    filler = "The weir lies below the quay, and boats pass it in summer. " * 60
    text = f"{filler}The mill burned down in May 1911. {filler}"
    reply = reading_of(QUESTION, text, match=0.9)
    assert "The mill burned down in May 1911." in reply.quotes[0]
    assert all(quote in text and len(quote) <= 600 for quote in reply.quotes)


def test_a_label_above_a_row_counts_for_the_row() -> None:
    filler = "Other figures follow on the next pages of this report for the quarter. " * 3
    text = (
        f"Wool\n\nNet sales of goods 57,267 53,489\n\n{filler}\n\nFlax\n\nNet sales of goods 20,538 23,059\n\n{filler}"
    )
    stretch = Stretch(text=text, context="report.pdf", match=0.9)
    (row, *_) = [
        candidate for candidate, _ in ranked([stretch], "net sales of goods: flax", ScriptedEmbedder()).sentences
    ]
    assert "20,538" in text[slice(*row.span)]
