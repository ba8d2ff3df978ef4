"""The conclusions from the statements: only a statement that meets a part of the question in full answers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from investigator import Investigator
from investigator.questions.parts import taken_apart
from investigator.records import (
    AnswerStatus,
    Claim,
    Document,
    DocumentCard,
    Heading,
    Memory,
    MissingEdition,
    Quote,
    UnprovenClaim,
)
from investigator.research.judging import Judged, Judging, answering
from investigator.research.verdict import (
    Statements,
    Verdict,
    of_asked_editions,
    verdict_of,
    with_all_that_meets,
    without_missing,
)

OPENED = "The Emsland plant was opened in 1988."
ROOFED = "The Emsland plant got a roof for 40,000 euros."
OWNED = "The Emsland plant is owned by RWE."
WEATHER = "It rained on the hills and the river, and a strong wind blew from the sea all day. " * 10
PAGE = f"{OPENED}\n\n{WEATHER}\n\n{OWNED}\n\n{WEATHER}\n\nThe canteen of the Emsland plant sells 300 meals.\n\n{ROOFED}"
ANSWERED, IN_PART = AnswerStatus.ANSWERED, AnswerStatus.ANSWERED_IN_PART
PASSAGES, NOT_FOUND = AnswerStatus.PASSAGES_FOUND, AnswerStatus.NOT_FOUND


def page(_: str = "") -> Document:
    return Document(id="plant.txt", title="Plant", media_type="text/plain", content_hash="h", text=PAGE)


def quote(text: str) -> Quote:
    start = PAGE.index(text)
    end = start + len(text)
    return Quote(document_id="plant.txt", page=None, line=1, start=start, end=end, text=text, source_hash="h")


def memory(text: str, point: int = 95, number: int = 1) -> Memory:
    return Memory(
        id=number, target_document_id="plant.txt", question="?", reply=text, point=point, quotes=(quote(text),)
    )


def claim(proof: str, text: str = "", readings: tuple[str, ...] = ()) -> Claim:
    return Claim(text=text or proof, quotes=(quote(proof),), memory_ids=(1,), readings=readings)


def verdict(question: str, *claims: Claim, is_read: bool = False, point: int = 95, **written: object) -> Verdict:
    memories = [memory(OPENED, point), memory(OWNED, point, 2)]
    statements = Statements(claims, **written)  # type: ignore[arg-type]
    return verdict_of(taken_apart(question), statements, memories, page, is_read=is_read)


@pytest.mark.parametrize(
    ("question", "is_read", "point", "expected"),
    [
        ("When was the Emsland plant opened?", False, 95, ANSWERED),
        ("When was the Emsland plant opened?", False, 60, ANSWERED),  # the sentence says every asked word
        ("When was the Emsland plant opened?", False, 40, PASSAGES),
        ("When was the Emsland plant opened?", True, 60, ANSWERED),
        ("When was the Lingen plant opened?", False, 95, PASSAGES),
        ("When was the Lingen plant opened?", True, 95, PASSAGES),
        ("When was the Emsland plant repaired?", False, 95, PASSAGES),
        ("When was the Emsland plant closed?", False, 95, PASSAGES),
        ("Was the Emsland plant opened in 1990?", False, 95, NOT_FOUND),
        ("Was the Emsland plant opened in 1990?", True, 95, PASSAGES),
    ],
)
def test_a_statement_answers_if_it_meets_everything(question, is_read, point, expected) -> None:
    assert verdict(question, claim(OPENED), is_read=is_read, point=point).status is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did the roof of the Emsland plant cost?", ANSWERED),
        ("What did the roof of the Emsland plant weigh?", PASSAGES),
        ("What did the tower of the Emsland plant cost?", PASSAGES),
    ],
)
def test_the_requested_figure_says_the_word_for_it(question: str, expected: AnswerStatus) -> None:
    assert verdict(question, claim(ROOFED), point=60).status is expected


def test_what_a_model_has_read_may_use_other_words_but_no_other_period() -> None:
    read = claim(OPENED, "The Emsland plant went into service in 1988.")
    assert verdict("When did the Emsland plant go into service?", read, is_read=True).status is ANSWERED
    assert verdict("Did the Emsland plant go into service in 1990?", read, is_read=True).status is PASSAGES


def test_a_part_without_a_statement_is_named_with_what_was_searched() -> None:
    found = verdict("When was the Emsland plant opened and who painted the Lingen mill?", claim(OPENED))
    assert found.status is IN_PART
    (left,) = found.unanswered(("who drew the mill?",))
    assert left.question == "who painted the Lingen mill?"
    assert left.searched == (left.question, "who drew the mill?")
    assert left.question in found.reason


def test_a_list_that_answers_one_part_leaves_the_other_part_its_answer(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text(
        "Report\n\nInjured person: Agnes Weil\nInjury: burn on the arm, second degree\n"
    )
    answer = Investigator(tmp_path).ask("Who was injured, and what kind of injury was it?")
    assert [one.text for one in answer.claims] == [
        "Injured person: Agnes Weil",
        "Injury: burn on the arm, second degree",
    ]


def test_the_statement_that_answers_stands_alone() -> None:
    found = verdict("When was the Emsland plant opened?", claim(OWNED), claim(OPENED))
    assert [one.text for one in found.claims] == [OPENED]


@pytest.mark.parametrize("is_read", [True, False])
def test_a_quote_in_the_place_of_a_refused_statement_answers_nothing(is_read: bool) -> None:
    refused = UnprovenClaim(text="It was opened in 1990.", reason="1990 stands in no quote")
    stand_in = verdict(
        "When was the Emsland plant opened?", claim(OPENED), is_read=is_read, unproven=(refused,), are_stand_ins=True
    )
    replaced = verdict(
        "When was the Emsland plant opened?", claim(OPENED, readings=("It opened late.",)), is_read=is_read
    )
    assert (stand_in.status, replaced.status) == (PASSAGES, PASSAGES)
    assert stand_in.unproven == (refused,)
    assert "not proven" in stand_in.reason


def test_half_of_the_question_met_by_a_replaced_statement_is_not_half_an_answer() -> None:
    question = "When was the Emsland plant opened and who owns the Emsland plant?"
    claims = claim(OPENED), claim(OWNED, readings=("RWE has it.",))
    assert verdict(question, *claims, is_read=True).status is IN_PART
    assert verdict(question, *claims[1:], is_read=True).status is PASSAGES


def test_not_found_names_the_nearest_quote_and_what_it_says_instead() -> None:
    weak = verdict("Was the Emsland plant opened in 1990?", point=30)
    (miss,) = weak.near_misses
    assert weak.status is NOT_FOUND
    assert (miss.quote.text, miss.failing[0].words) == (OPENED, "1988")


def test_nothing_is_established_by_nothing() -> None:
    empty = verdict_of(taken_apart("Who?"), Statements(), (), page, is_read=True)
    assert (empty.status, empty.claims, empty.near_misses) == (NOT_FOUND, (), ())


def test_what_other_reports_say_is_no_answer_if_the_one_asked_for_is_missing() -> None:
    found = Verdict(AnswerStatus.ANSWERED, reason="1 statement proven.")
    gone = MissingEdition(asked="report for 2022", nearest=("2023.pdf",))
    verdict = without_missing(found, [gone], is_all=True)
    assert verdict.status is AnswerStatus.NOT_FOUND
    assert verdict.reason == "The report for 2022 is not in the folder. Nearest: 2023.pdf."
    assert without_missing(found, [gone], is_all=False).status is AnswerStatus.ANSWERED


@pytest.mark.parametrize(
    ("question", "first"),
    [("What does the report for 2023 say of rain?", "new.txt"), ("What does the report say of rain?", "plant.txt")],
)
def test_the_edition_that_is_asked_for_is_cited_first(question: str, first: str) -> None:
    new = claim(OWNED).changed(quotes=(quote(OWNED).changed(document_id="new.txt"),))
    cards = (DocumentCard(document_id="new.txt", title="new"), DocumentCard(document_id="plant.txt", title="old"))
    found = of_asked_editions(Verdict(PASSAGES, (claim(OPENED), new)), question, (), cards)
    assert found.claims[0].quotes[0].document_id == first


def test_an_answer_is_cut_to_the_sentence_that_answers() -> None:
    found = verdict("How many meals does the canteen sell?", claim(PAGE[PAGE.rindex("It rained") :]))
    assert [one.text for one in found.claims] == ["The canteen of the Emsland plant sells 300 meals."]
    assert found.claims[0].quotes[0].text in PAGE


def test_a_sentence_that_says_nothing_of_what_is_asked_answers_nothing() -> None:
    text = "Plant\n\nIt has eight towers. The river was dammed in 1988."
    document = page().changed(text=text)
    start = text.index("It has")
    one = Quote(
        document_id="plant.txt", page=None, line=3, start=start, end=len(text), text=text[start:], source_hash="h"
    )
    (part,) = taken_apart("When was the river dammed?")
    found = Judging(lambda _: document).best(part, [Claim(text=one.text, quotes=(one,))])
    assert found is not None
    assert found.is_met
    assert answering(found).text == "The river was dammed in 1988."


@pytest.mark.parametrize(
    ("question", "sentence", "text", "is_met"),
    [
        ("What is the fee?", "2. Fee.", "# Contract\n\n2. Fee. To be agreed.", False),
        ("What is the fee?", "The fee is 40 euros.", "# Contract\n\nThe fee is 40 euros.", True),
        (
            "When was the opening?",
            "Opening on 3 May 2020",
            "# Opening on 3 May 2020\n\nThe plant has eight towers.",
            False,
        ),
        (
            "When was the opening?",
            "The plant had its opening on 3 May 2020.",
            "# Plant\n\nThe plant had its opening on 3 May 2020.",
            True,
        ),
        ("What do plants do at night?", "Plants at night are dark.", "# Plant\n\nPlants at night are dark.", False),
        (
            "Who is main hero of the Glass Tower?",
            "He advocates the death of Peter Dean.",
            "# Heroes of the Glass Tower\n\nHe advocates the death of Peter Dean.",
            False,
        ),
    ],
)
def test_a_heading_alone_is_no_answer(question: str, sentence: str, text: str, is_met: bool) -> None:
    start = text.index(sentence)
    headings = (Heading(text=text[2 : text.index("\n")], start=2),)
    document = page().changed(text=text, headings=headings, title=headings[0].text)
    own = quote(OPENED).changed(start=start, end=start + len(sentence), text=sentence)
    (part,) = taken_apart(question)
    found = Judging(lambda _: document).best(part, [Claim(text=sentence, quotes=(own,))])
    assert found is not None
    assert found.is_met is is_met


def judged(question: str, text: str) -> Judged:
    (part,) = taken_apart(question)
    own = quote(OPENED).changed(start=0, end=len(text), text=text)
    found = Judging(lambda _: page().changed(text=text)).best(part, [Claim(text=text, quotes=(own,))])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("The proposals were read at the meeting of 2025.", False),
        ("The proposals were lost at the meeting of 2025.", True),
        ("The proposals were not carried at the meeting of 2025.", True),
    ],
)
def test_what_did_not_go_through_needs_a_denial(text: str, is_met: bool) -> None:
    assert judged("Which of the proposals at the meeting of 2025 did not go through?", text).is_met is is_met


@pytest.mark.parametrize(
    ("question", "text", "is_met"),
    [
        ("Who did not fund the trial?", "The trial was funded by Ann Hartley.", False),
        ("Who didn't attend the meeting?", "Present at the meeting: Peter Osei, Ann Hartley.", False),
        ("Who attended the meeting?", "Present at the meeting: Peter Osei, Ann Hartley.", True),
    ],
)
def test_who_did_not_is_not_answered_by_who_did(question: str, text: str, is_met: bool) -> None:
    assert judged(question, text).is_met is is_met


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("The dog field behind the pods is closed in May.", False),
        ("Pods 1 and 2 take dogs, the other pods do not.", True),
        ("You can take a dog to the pods by the river.", True),
    ],
)
def test_which_ones_is_not_answered_by_a_mention_of_them_all(text: str, is_met: bool) -> None:
    assert judged("Which pods can I take the dog to?", text).is_met is is_met


def test_the_case_of_the_person_who_asks_is_no_reason_for_silence(of_texts: Callable[..., Investigator]) -> None:
    fares = "# Fares of the dial-a-ride\n\n| Distance | Return |\n|---|---|\n| up to 3 miles | £6.50 |\n"
    folder = of_texts({"fares.md": f"{fares}| 3 to 8 miles | £9.40 |\n"})
    assert folder.ask("How much is a return if I live 5 miles away?").status is PASSAGES


def test_a_quote_that_meets_everything_is_shown_whatever_its_point() -> None:
    parts = taken_apart("When was the Emsland plant opened?")
    written = with_all_that_meets(parts, Statements(), [memory(OPENED, 10), memory(OWNED, 10, 2)], page)
    assert [one.text for one in written.claims] == [OPENED]
    assert verdict_of(parts, written, [memory(OPENED, 10)], page, is_read=False).status is PASSAGES


def test_older_text_that_a_message_quotes_answers_only_alone_and_is_marked(tmp_path: Path) -> None:
    (tmp_path / "reply.eml").write_text(
        "From: Ann <ann@x.example>\nSubject: Re: Lime tree\n\nThe lime tree will be felled on 20 October 2026.\n\n"
        "On Mon, 5 Oct 2026 at 09:12, Tom <tom@x.example> wrote:\n"
        "> The lime tree will be felled on 15 October 2026.\n> The bus stop moves to Mill Lane.\n"
    )
    folder = Investigator(tmp_path)
    newer, alone = folder.ask("When will the lime tree be felled?"), folder.ask("Where does the bus stop move?")
    assert [claim.text for claim in newer.claims] == ["The lime tree will be felled on 20 October 2026."]
    assert (newer.claims[0].cautions, newer.conflicts) == ((), ())
    assert "quoted from an older message" in alone.text
    assert folder.ask("Does the bus stop move to Mill Lane?").decision is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many days of sick leave did arm A have on average?", AnswerStatus.ANSWERED),
        ("How many days of sick leave did arm B have on average?", AnswerStatus.PASSAGES_FOUND),
    ],
)
def test_a_row_does_not_answer_for_the_column_in_which_it_has_no_value(
    question: str, expected: AnswerStatus, tmp_path: Path
) -> None:
    (tmp_path / "report.md").write_text(
        "# Report of the stocking trial\n\n| Outcome | Arm A | Arm B |\n| --- | --- | --- |\n"
        "| Mean days of sick leave | 1.9 | not analysed |\n| Mean pain | 2.8 | 3.4 |\n"
    )
    assert Investigator(tmp_path).ask(question).status is expected
