"""Yes or no without a language model, which is given only if a proven statement settles the whole question."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator
from investigator.evidence.quotes import quote_at
from investigator.language.sentences import sentence_spans
from investigator.questions.parts import parts_of
from investigator.records import AnswerStatus, Claim, Decision, Document, Memory, QuestionKind
from investigator.reports.wording import answer_headline
from investigator.research.verdict import Statements, verdict_of

LEASE = """Lease of the flat in Mill Street 4

The tenant may keep a cat but not a dog. The tenant may sublet the flat with the written consent of the landlord.
The deposit is 1,500 euros. The monthly rent is 950 euros. The notice period is at least three months.
Smoking is not allowed in the building. The landlord pays the water bill. Most neighbours speak German.
Net rent income fell by 3 percent in 2023.
"""


def decided(question: str, text: str = LEASE) -> Decision | None:
    document = Document(id="lease.txt", title="", media_type="text/plain", content_hash="h", text=text)
    claims = []
    for start, end in sentence_spans(text):
        quote = quote_at(document, start, end)
        claims.append(Claim(text=" ".join(quote.text.split()), quotes=(quote,), memory_ids=(1,)))
    parts = parts_of(question, QuestionKind.YES_NO)
    read = Memory(id=1, target_document_id=document.id, question=question, reply="", point=100)
    return verdict_of(parts, Statements(tuple(claims)), [read], lambda _: document, is_read=False).decision


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("Does the landlord pay the water bill?", Decision.YES),
        ("Is smoking allowed in the building?", Decision.NO),
        ("May the tenant keep a dog?", Decision.NO),
        ("Is the deposit 1,500 euros?", Decision.YES),
        ("Is the deposit 1,200 euros?", Decision.NO),
        ("Is the monthly rent more than 900 euros?", Decision.YES),
        ("Is the monthly rent at most 900 euros?", Decision.NO),
        ("Did net rent income fall in 2023?", Decision.YES),
        ("Did net rent income rise in 2023?", Decision.NO),
    ],
)
def test_a_statement_that_says_or_denies_all_that_is_asked_settles_it(question: str, decision: Decision) -> None:
    assert decided(question) is decision


@pytest.mark.parametrize(
    "question",
    [
        "May the tenant keep a cat?",  # a denial stands in the same sentence, of something else
        "Can the tenant sublet the flat?",  # with the consent of the landlord
        "Is the notice period three months?",  # at least
        "Do the neighbours speak German?",  # most of them
        "Does the tenant pay the water bill?",  # somebody else does
        "Does the landlord pay the electricity bill?",
        "Is the deposit 1,500 dollars?",
        "Did net rent income rise in 2022?",
    ],
)
def test_what_a_statement_qualifies_or_does_not_say_is_not_settled(question: str) -> None:
    assert decided(question) is None


def test_statements_of_which_some_deny_what_others_affirm_settle_nothing() -> None:
    assert decided("Is smoking allowed in the building?", f"{LEASE}Smoking is allowed in the building.\n") is None


def test_the_answer_says_no_with_the_statement_that_denies_it(tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    answer = Investigator(tmp_path).ask("Is the deposit 1,200 euros?")
    assert answer_headline(answer) == "Answered: no"
    assert answer.claims[0].text == "The deposit is 1,500 euros."


@pytest.mark.parametrize(
    ("question", "text", "decision"),
    [
        ("Did the tenant pay the deposit?", "On signing the Tenant pays a deposit of 9,600 euros.", None),
        ("Has the landlord carried out repairs?", "The landlord shall carry out repairs when asked.", None),
        ("Was the deposit paid?", "The deposit is paid on signing.", None),
        ("Did the tenant pay the deposit?", "The tenant paid the deposit on signing.", Decision.YES),
        ("Does the tenant pay the deposit?", "The tenant pays the deposit.", Decision.YES),
    ],
)
def test_a_duty_does_not_say_that_something_was_done(question: str, text: str, decision: Decision | None) -> None:
    assert decided(question, text) is decision


PRESENT = "Minutes\n\nPresent: Ann Cole (chair), Ben Dow (treasurer), Cara Eck (secretary).\n"
KITCHEN = "The kitchen was closed in March and reopened in April."
BOILERS = "The old boiler was replaced in 2019; the new boiler is guaranteed until 2029."
OFFERS = "The offer of Beck was rejected, the offer of Cole was accepted."
POSTS = "The posts are as follows.\n\nChair: Ann Cole, treasurer: Ben Dow\n"


@pytest.mark.parametrize(
    ("question", "text", "decision"),
    [
        ("Is Ben Dow the secretary?", PRESENT, None),
        ("is ann cole the treasurer?", PRESENT, None),
        ("Is Ben Dow the treasurer?", PRESENT, Decision.YES),
        ("Is Ann Cole the secretary?", "Ann Cole, Ben Dow, secretary, and Max Quill came.", None),
        ("Is Ann Cole the secretary?", "Ann Cole of Pine AG is the secretary.", Decision.YES),
        ("Were the guests absent?", "The guests and Max Quill were absent.", Decision.YES),
        ("Is Ann Cole the treasurer?", POSTS, None),
        ("Is the treasurer Ben Dow?", POSTS, Decision.YES),
        ("Is flat 3 empty?", "Flat 3 (let) and flat 4 (empty) are in Mill Street.", None),
        ("Was the kitchen closed in April?", KITCHEN, None),
        ("Was the kitchen closed in March?", KITCHEN, Decision.YES),
        ("Was the kitchen reopened in April?", KITCHEN, Decision.YES),
        ("Is the old boiler guaranteed until 2029?", BOILERS, None),
        ("Is the new boiler guaranteed until 2029?", BOILERS, Decision.YES),
        (
            "Was the offer of Beck accepted?",
            OFFERS,
            Decision.NO,
        ),
        (
            "Was the offer of Cole rejected?",
            OFFERS,
            Decision.NO,
        ),
        ("Are dogs allowed?", "Dogs are allowed, cats are not.", Decision.YES),
        ("Was Rosa Tal elected chair?", "Rosa Tal was elected chair instead of Sam Ull.", Decision.YES),
        ("Was Sam Ull elected chair?", "Rosa Tal was elected chair instead of Sam Ull.", None),
        ("Is the bar shut?", "It is not true that the hall is open and the bar is shut.", None),
        ("Does Holt pay the hall?", "Holt pays the rent and owns the hall.", None),
        ("Did the tenant sign the lease?", "The tenant signed and returned the lease.", Decision.YES),
        (
            "Was the hall sold in June?",
            "The flat was let, and the hall, which was closed, was sold in June.",
            Decision.YES,
        ),
        ("Was the flat sold in June?", "The flat was let, and the hall, which was closed, was sold in June.", None),
        (
            "Did the shop close in July?",
            "The shop opened in March, sold bread and milk, and closed in July.",
            Decision.YES,
        ),
    ],
)
def test_all_that_is_asked_stands_in_one_clause(question: str, text: str, decision: Decision | None) -> None:
    assert decided(question, text) is decision


def test_a_sentence_that_denies_a_thing_outweighs_what_somebody_said() -> None:
    assert decided("Was the bill paid?", "Nora said that the bill was paid. The bill was not paid.") is Decision.NO
    assert decided("Was the bill paid?", "The bill was paid. Nora said that the bill was not paid.") is Decision.YES


def test_a_table_decides_by_one_row_or_by_the_yes_or_no_of_a_cell(tmp_path: Path) -> None:
    (tmp_path / "members.csv").write_text("Name,Role,Fee paid\nAnn Cole,chair,yes\nBen Dow,treasurer,no\n")
    club = Investigator(tmp_path)
    asked = ("Is Ben Dow the treasurer?", "Is Ann Cole the treasurer?", "Has Ben Dow paid the fee?")
    assert [club.ask(question).decision for question in asked] == [Decision.YES, None, Decision.NO]
    assert "Ann" not in club.ask("Is Ben Dow the treasurer?").claims[0].text


def test_a_sentence_with_all_words_that_decides_nothing_is_a_passage(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text("The plan of the yard\n\nThe wall will be built in 2027 of red brick.\n")
    answer = Investigator(tmp_path).ask("Is the wall built of red brick?")
    assert (answer.status, answer.decision) == (AnswerStatus.PASSAGES_FOUND, None)


ACCIDENT = "Accident report\n\nA shelf fell. Nobody was injured. Two visitors were warned.\n"
BOARD = "Minutes\n\nThe board rejected the proposal to open on Mondays. It accepted the plan to rent the barn.\n"


@pytest.mark.parametrize(
    ("question", "text", "decision"),
    [
        ("Must children under 12 come with an adult?", "Children under 12 must come with an adult.", Decision.YES),
        ("Must children under 14 come with an adult?", "Children under 12 must come with an adult.", None),
        ("Is the camp at Birch Hollow?", "In 2024 the camp was at Birch Hollow.", None),
        ("Is there an assistant on route L3?", "On route L3 there is no assistant.", Decision.NO),
        ("Was anybody injured?", ACCIDENT, Decision.NO),
        ("Was anyone injured in the accident?", ACCIDENT, Decision.NO),
        ("Were people hurt?", ACCIDENT, Decision.NO),
        ("Was anybody warned?", ACCIDENT, Decision.YES),
        ("Was anybody arrested?", ACCIDENT, None),
        ("Was the driver injured?", ACCIDENT, None),
        ("Did the board decide to open on Mondays?", BOARD, Decision.NO),
        ("Did the board agree to open on Mondays?", BOARD, Decision.NO),
        ("Did the board decide to open on Fridays?", BOARD, None),
        ("Did the board decide to close on Mondays?", BOARD, None),
    ],
)
def test_nobody_and_a_rejected_proposal_say_no(question: str, text: str, decision: Decision | None) -> None:
    assert decided(question, text) is decision


@pytest.mark.parametrize(
    ("question", "text", "decision"),
    [
        ("Was the roof mended?", "We did not mend the roof.", Decision.NO),
        ("Was the roof mended?", "The firm mended the roof because it leaked.", Decision.YES),
        ("Was the roof mended?", "The firm mended the roof garden.", None),
        ("Was the firm paid?", "We were paid by the firm.", None),
        ("Was the roof mended?", "Ann mended the roof in May.", Decision.YES),
        ("May I keep a cat?", "Hens are welcome. Cats are forbidden because they hunt.", Decision.NO),
        ("Are cats allowed?", "Large cats are prohibited.", None),
        ("Can we bring a cat?", "It is not forbidden to bring a cat.", None),
        ("Was race 3 called off?", "Race 3 was called off for lack of wind.", Decision.YES),
        ("Was race 2 called off?", "Race 3 was called off.", None),
        ("Did Ann sell lot 2?", "Ann sold lot 3.", None),
        ("Was lot 2 sold?", "Lot 2 was sold to Ann.", Decision.YES),
        ("Did 52 members come?", "47 members came.", Decision.NO),
    ],
)
def test_active_voice_causes_and_numbers_of_things_are_told_apart(
    question: str, text: str, decision: Decision | None
) -> None:
    assert decided(question, text) is decision


def test_the_header_of_a_table_does_not_name_its_document(tmp_path: Path) -> None:
    rows = "Name,Paid first,Paid rest\nAnn Cole,95,164\nBen Dow,95,\n"
    (tmp_path / "trip.csv").write_text(rows)
    assert Investigator(tmp_path).ask("Has Ben Dow paid the rest?").decision is None
