"""Yes and no, without a language model: only if a proven statement settles all that is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from investigator import Investigator
from investigator.evidence.quotes import quote_at
from investigator.language.sentences import sentence_spans
from investigator.questions.parts import parts_of
from investigator.records import AnswerStatus, Claim, Decision, Document, QuestionKind
from investigator.reports.wording import answer_headline
from investigator.research.deciding import with_decision
from investigator.research.verdict import Verdict

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
    return with_decision(Verdict(AnswerStatus.PASSAGES_FOUND), parts, claims, lambda _: document)[1]


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
