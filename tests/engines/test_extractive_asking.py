"""The quotes and probabilities of the built-in engine for various texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.extractive.candidates import Stretch
from investigator.engines.extractive.ranking import ranked
from investigator.engines.scripted import ScriptedEmbedder
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    DocumentReply,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    Prompt,
    ShownDocument,
    ShownPassage,
)

QUESTION = "When did the mill burn down?"


def asked(
    question: str, *texts: str, engine: ExtractiveEngine | None = None, match: float | None = None
) -> DocumentReply:
    """Return the engine's reading of passages with these texts, parsed from its text."""
    passages = tuple(ShownPassage(text=text, start=0, match=match) for text in texts)
    document = ShownDocument(document_id="d", passages=passages)
    variables = AskVariables(main_question=question, mission="-", documents=(document,))
    engine = engine or ExtractiveEngine(ScriptedEmbedder())
    reply = AskReply.model_validate_json(engine.reply(Prompt("query/ask", variables, "-", AskReply)).text)
    return reply.readings[0]


def answered(question: str, *evidence: tuple[str, str]) -> list[str]:
    """Return the answer from evidence given as (document, text)."""
    documents = tuple(
        EvidenceDocument(
            document_id=name, passages=(EvidencePassage(spans=(EvidenceSpan(text=text, id=f"E{number}"),)),)
        )
        for number, (name, text) in enumerate(evidence, 1)
    )
    variables = AnswerVariables(question=question, mission="-", parts=(question,), documents=documents)
    prompt = Prompt("answer/answer", variables, "-", AnswerReply)
    reply = AnswerReply.model_validate_json(ExtractiveEngine(ScriptedEmbedder()).reply(prompt).text)
    return [statement.text for statement in reply.details]


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
    reply = asked(QUESTION, text)
    assert reply.quotes
    assert all(quote in text for quote in reply.quotes)
    assert "burned" in reply.quotes[0]


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_any_question_and_any_text_give_a_point_and_quotes_that_stand(question: str, texts: list[str]) -> None:
    whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    reply = asked(question, *whole)
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
    reply = asked(question, sentence)
    assert reply.quotes == (sentence,)
    assert (reply.point or 0) > 0


def test_a_passage_without_a_full_stop_is_quoted_in_pieces_that_hold_what_is_asked_for() -> None:
    flow = "water flows on and on over the weir and past the quay " * 4_600
    text = f"{flow}the mill burned down in May {flow}"
    reply = asked(QUESTION, text)
    assert all(quote in text and len(quote) <= 500 for quote in reply.quotes)
    assert "burned down" in reply.quotes[0]


def test_no_words_are_quoted_twice_where_a_quote_goes_on_to_the_next_line() -> None:
    lines = [f"Year {number}: {'the mill at the river stood ' * 8}until the mill did burn down:" for number in range(8)]
    quotes = asked(QUESTION, "\n".join(lines)).quotes
    assert len(quotes) > 1
    assert all(sum(f"Year {number}:" in quote for quote in quotes) <= 1 for number in range(8))


def test_a_title_is_quoted_with_what_stands_below_it_and_never_alone() -> None:
    text = "The lake\n\nIt lies on the Aller.\n\nWhen did the mill burn down\n\nIt was in May 1911, at night."
    assert asked(QUESTION, text).quotes[0] == "When did the mill burn down\n\nIt was in May 1911, at night."
    below = f"Why did the mill burn down\n\nThe mill did burn down, and when: {'in May, in June, ' * 24}."
    assert not any(quote == "Why did the mill burn down" for quote in asked(QUESTION, below).quotes)


def test_fields_of_a_form_stay_together_though_blank_lines_part_them() -> None:
    fields = (
        "Policy number: PK-77310-B",
        "Previous policy number: PK-11111-A",
        "☒ Express, the next day",
        "☐ In five days",
    )
    text = "\n\n".join(fields)
    assert asked("What is the previous policy number?", text).quotes[0] == text


def test_what_is_near_the_question_scores_above_something_else() -> None:
    engine = ExtractiveEngine(SentenceTransformerEmbedder())
    question = "How many sacks of grain did the mill at Dornbach grind in 1911?"
    right = "The mill at Dornbach ground 4,200 sacks of grain in 1911, more than ever before."
    near = "The mill at Dornbach has belonged to the Berg family since 1880."
    other = "Zebras live in herds and graze on the open plains of Africa."
    points = [asked(question, text, engine=engine).point or 0 for text in (right, near, other)]
    assert min(points[:2]) >= 50 > points[2]


def test_the_right_passage_is_quoted_first_wherever_it_stands_among_the_others() -> None:
    right, others = "The mill burned down in May 1911.", ["It lies on the Aller.", "Anna Berg owns a red boat now."]
    for place in range(3):
        texts = [*others[:place], right, *others[place:]]
        assert asked(QUESTION, *texts).quotes[0] == right


def test_an_answer_says_nothing_twice() -> None:
    said = answered(
        QUESTION,
        ("a", "The mill at Leer burned down in the spring of 1911."),
        ("b", "The mill at Leer burned down in the spring of 1911."),
        ("c", "The mill at Leer  burned down\nin the spring of 1911!"),
        ("d", "It is true: the mill at Leer burned down in the spring of 1911, and then in 1920 a barn."),
    )
    assert len(said) == 1


def test_two_sentences_that_differ_in_a_figure_are_both_said() -> None:
    said = answered(
        "What was the revenue?",
        ("a", "The revenue of the mill was 40 million euros in 2021."),
        ("b", "The revenue of the mill was 52 million euros in 2021."),
    )
    assert len(said) == 2


def test_the_same_prompt_gives_the_same_reply_from_another_engine() -> None:
    texts = [f"Parish {n} sold {n * 7 % 13} sacks. The mill burned down in {1900 + n}." for n in range(20)]
    one, other = (ExtractiveEngine(ScriptedEmbedder()) for _ in range(2))
    assert asked(QUESTION, *texts, engine=one) == asked(QUESTION, *texts, engine=other)


def test_what_the_file_name_and_the_heading_say_counts_for_every_sentence_below_them() -> None:
    texts = {"report-2022.md": "It was 52 million euros.", "report-2021.md": "It was 40 million euros."}
    documents = tuple(
        EvidenceDocument(
            document_id=name,
            passages=(EvidencePassage(spans=(EvidenceSpan(text=text, id=f"E{name}"),), heading="Revenue"),),
        )
        for name, text in texts.items()
    )
    variables = AnswerVariables(
        question="What was the revenue in 2021?", mission="-", parts=("q",), documents=documents
    )
    reply = ExtractiveEngine(ScriptedEmbedder()).reply(Prompt("answer/answer", variables, "-", AnswerReply))
    assert AnswerReply.model_validate_json(reply.text).details[0].text == "It was 40 million euros."


def test_quotes_of_a_long_text_stand_in_it() -> None:
    filler = "The weir lies below the quay, and boats pass it in summer. " * 60
    text = f"{filler}The mill burned down in May 1911. {filler}"
    reply = asked(QUESTION, text, match=0.9)
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
