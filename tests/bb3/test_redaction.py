"""Personal information is not released, but famous names are kept. `redaction_cases.jsonl` was written before the
rules. Its half `tuning` was used while developing them, and its half `final` only for the figures.
"""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.bb3.bb3x.conversation_files import conversation_of
from investigator.bb3.bb3x.pii import Pii
from investigator.bb3.bb3x.redaction import Kept, Redactor, findings
from investigator.errors import DialogueError

SALT = b"a salt that only a test would use"
CASES = Path(__file__).with_name("redaction_cases.jsonl")


@dataclass(frozen=True)
class Case:
    text: str
    pii: tuple[tuple[int, int], ...]


def cases(half: str) -> Iterator[Case]:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["half"] == half:
            starts = [(row["text"].index(planted), len(planted)) for planted in row["pii"]]
            yield Case(row["text"], tuple((start, start + length) for start, length in starts))


def redactor(seed: int = 1, titles: tuple[str, ...] = ()) -> Redactor:
    return Redactor(SALT, Random(seed), titles)


@pytest.mark.parametrize(("half", "least_recall", "least_precision"), [("tuning", 1.0, 1.0), ("final", 0.95, 0.95)])
def test_what_was_planted_is_found_and_little_else(half: str, least_recall: float, least_precision: float) -> None:
    planted = touched = found = right = 0
    for case in cases(half):
        spans = [(finding.start, finding.end) for finding in findings(case.text)]
        planted += len(case.pii)
        touched += sum(any(start < b and a < end for start, end in spans) for a, b in case.pii)
        found += len(spans)
        right += sum(any(start < b and a < end for a, b in case.pii) for start, end in spans)
    sys.stdout.write(f"{half}: recall {touched}/{planted}, precision {right}/{found}\n")
    assert planted >= 40
    assert touched / planted >= least_recall
    assert right / found >= least_precision


def test_planted_information_does_not_come_out() -> None:
    made = redactor()
    for case in cases("tuning"):
        redacted = made.text(case.text)
        assert [case.text[a:b] for a, b in case.pii if case.text[a:b] in redacted] == []
        if not case.pii:
            assert redacted == case.text


def test_the_same_value_has_the_same_hash_within_a_release_and_another_in_the_next() -> None:
    made = redactor()
    first, again = made.text("mail a@example.org"), made.text("my mail: A@example.org!")
    assert first.split("[")[1].split("]")[0] == again.split("[")[1].split("]")[0]
    other = Redactor(b"another salt, for another release", Random(1))
    assert other.text("mail a@example.org") != first
    assert made.text("mail b@example.org") != first


def test_phones_have_the_same_hash_however_they_are_written() -> None:
    made = redactor()
    assert made.text("(415) 555-0132") == made.text("415-555-0132")


def test_a_short_salt_is_refused() -> None:
    with pytest.raises(DialogueError, match="is too short"):
        Redactor(b"short", Random(1))


def test_digits_are_drawn_anew_and_what_stands_between_them_stays() -> None:
    given_number = "4539 1488 0343 6467"
    drawn = {redactor(seed).text(f"My card is {given_number}.").removeprefix("My card is ") for seed in range(20)}
    assert len(drawn) == 20
    for number in drawn:
        assert [len(group) for group in number.rstrip(".").split(" ")] == [4, 4, 4, 4]
        assert number.rstrip(".") != given_number
    assert redactor(3).text(given_number) == redactor(3).text(given_number)


def test_checksums_decide_where_a_pattern_could_be_anything() -> None:
    kinds = {finding.kind for finding in findings("pay DE89 3704 0044 0532 0130 00 or 371449635398431")}
    assert kinds == {Pii.IBAN, Pii.CARD}


@pytest.mark.parametrize(
    "said",
    ["IP address: 192.168.17.44", "her NINO is QQ 12 34 56 C", "numéro de sécurité sociale 2 85 05 78 006 084 36"],
)
def test_other_numbers_of_people_are_found(said: str) -> None:
    assert redactor().text(said) != said


def test_a_name_is_replaced_wherever_it_stands_in_the_conversation() -> None:
    conversation = conversation_of(
        json.dumps(
            {
                "chat_id": "c",
                "message_history": [
                    {"sender": "human", "text": "my name is Anna Kowalska, I'll be back"},
                    {
                        "sender": "bot",
                        "text": "Nice to meet you, Anna!",
                        "memories": ["Person 2's Persona: My name is Anna Kowalska."],
                        "search_query": "anna kowalska hobbies",
                        "search_knowledge_doc_content": ["Kowalska is a name."],
                        "a_field_of_tomorrow": {"note": ["ask ANNA"]},
                        "isLiked": True,
                        "reward": "Predicted class: __ok__ with probability: 0.9876543210",
                    },
                ],
            }
        )
    )
    redacted = redactor().conversation(conversation)
    wire = redacted.model_dump_json(by_alias=True)
    assert "anna" not in wire.lower()
    assert "kowalska" not in wire.lower()
    human, bot = redacted.message_history
    first_name = human.text.split("[")[1].split("]")[0]
    assert bot.text == f"Nice to meet you, [{first_name}]!"
    assert bot.is_liked
    assert bot.reward == "Predicted class: __ok__ with probability: 0.9876543210"


def test_ids_that_may_say_who_somebody_is_become_uuids() -> None:
    given_ids = {"user_pseudo_id": "anna.kowalska", "chat_id": "7c1e0b52-3b0a-4d5b-9f53-5d1a5b0c9e11"}
    conversation = conversation_of(json.dumps({**given_ids, "message_history": []}))
    made = redactor()
    once, again = made.conversation(conversation), made.conversation(conversation)
    assert once.user_pseudo_id == again.user_pseudo_id
    assert "anna" not in (once.user_pseudo_id or "")
    assert len(once.user_pseudo_id or "") == 36
    assert once.chat_id == given_ids["chat_id"]


def test_what_stands_in_a_title_is_kept() -> None:
    said = "My name is Laura Finch and I wrote it."
    assert "Finch" not in redactor().text(said)
    assert redactor(titles=("The diaries of Laura Finch.pdf",)).text(said) == said
    assert Kept(["Annalaura Finches"]).holds("Laura Finch") is False


def test_famous_names_stay_in_any_spelling() -> None:
    for said in ("My name is Albert Einstein.", "I'm Batman.", "Mr. Bean lives at 221B Baker Street.", "Hi, I'm Pelé!"):
        assert redactor().text(said) == said


@pytest.mark.parametrize("said", ["", " ", "👩‍👩‍👧 שלום", "مرحبا بك", "\ud800", "a" * 50_000, "1 " * 20_000])
def test_odd_texts_are_left_as_they_are(said: str) -> None:
    assert redactor().text(said) == said


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(CASES.read_text(encoding="utf-8").splitlines()), min_size=1, max_size=3),
    st.text(string.printable),
)
def test_hashes_are_not_taken_for_personal_information(lines: list[str], more: str) -> None:
    text = " ".join(json.loads(line)["text"] for line in lines) + more
    once = redactor().text(text)
    hashed = [
        finding
        for finding in findings(once)
        if not finding.kind.is_numeric and "[" in once[finding.start : finding.end]
    ]
    assert hashed == []


def test_what_was_replaced_is_counted() -> None:
    made = redactor()
    made.text("I'm Laura, laura@finch.example, SSN 536-22-8713")
    assert made.counts == {Pii.NAME: 1, Pii.EMAIL: 1, Pii.SOCIAL_SECURITY: 1}


def test_a_conversation_without_personal_information_stays_as_it_is() -> None:
    wire: dict[str, Any] = {
        "message_history": [{"sender": "Human", "text": "In 1984?", "dislike_type": None}],
        "n": 1.5,
    }
    assert json.loads(json.dumps(redactor().conversation(conversation_of(json.dumps(wire))).wire())) == wire


@pytest.mark.parametrize(
    ("text", "personal"),
    [
        ("This is Priya.", ["Priya"]),
        ("Hi, this is Priya Patel, I called before", ["Priya", "Patel"]),
        ("Storgata 12", ["Storgata", "12"]),
        ("Karl Johans gate 5, 0154 Oslo", ["Karl Johans gate", "5", "0154"]),
        ("We met in Drottninggatan 12.", ["Drottninggatan", "12"]),
        ("This is great. Look, this is Windows.", []),
        ("Brigade 12 is at boarding gate 12.", []),
    ],
)
def test_a_caller_and_a_scandinavian_street_are_personal(text: str, personal: list[str]) -> None:
    assert [text[each.start : each.end] for each in findings(text)] == personal
