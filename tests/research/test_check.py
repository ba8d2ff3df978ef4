"""The check of statements: forty in a call, each against its own quotes, and the whole against the question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import pytest

from investigator import ScriptedEngine
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.proof.quotes import quote_at
from investigator.records import CheckVariables, Document, Fit, Part, PartStatus, Prompt, Statement, Support
from investigator.research.answer import Draft, noted
from investigator.research.check import Check, Checking, check, checked_draft
from investigator.store.in_memory import InMemoryJournal

FACTS = [f"Plant {number} makes {number + 100} MW." for number in range(90)]
DOCUMENT = Document(id="a.txt", title="a", media_type="text/plain", content_hash="h", text=" ".join(FACTS))
QUOTES = [quote_at(DOCUMENT, at := DOCUMENT.text.index(fact), at + len(fact)) for fact in FACTS]
STATEMENTS = [Statement(text=f"It is {n + 100}.", quotes=(quote,)) for n, quote in enumerate(QUOTES)]
PART = Part(question="How much?", status=PartStatus.ANSWERED)


def checked(script: object, statements: Sequence[Statement] = STATEMENTS) -> tuple[Check, list[CheckVariables]]:
    engine = ScriptedEngine({"answer/check": script})  # type: ignore[dict-item]
    client = EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(), lambda: 0.0)
    checking = Checking(question="How much?", parts=(PART,), read=1, total=1)
    outcome = check(client, statements, lambda _: DOCUMENT, checking)
    return outcome, [cast(CheckVariables, prompt.variables) for prompt in engine.asked]


def supported(prompt: Prompt) -> str:
    numbers = [statement.number for statement in cast(CheckVariables, prompt.variables).statements]
    statements = [{"number": number, "support": "supported"} for number in numbers]
    return json.dumps({"statements": statements, "answers": "yes"})


def test_forty_statements_are_checked_in_a_call_and_keep_their_numbers() -> None:
    outcome, prompts = checked(supported)
    assert [len(variables.statements) for variables in prompts] == [40, 40, 10]
    assert list(outcome.judgements) == list(range(1, 91))
    assert outcome.fit is Fit.YES


def test_the_whole_is_judged_once_and_each_call_shows_only_its_own_quotes() -> None:
    _, prompts = checked(supported)
    assert [variables.parts for variables in prompts] == [("How much?",), (), ()]
    texts = [Prompts().prompt("answer/check", variables).text for variables in prompts]
    assert [text.count('"answers"') for text in texts] == [1, 0, 0]  # no key that nothing explains
    spans = [
        [span for one in variables.documents for passage in one.passages for span in passage.spans]
        for variables in prompts
    ]
    assert [[span.text for span in shown if span.id] for shown in spans] == [FACTS[:40], FACTS[40:80], FACTS[80:]]


def test_a_call_that_cannot_be_read_leaves_only_its_statements_unchecked() -> None:
    def second_is_lost(prompt: Prompt) -> str:
        first = cast(CheckVariables, prompt.variables).statements[0].number
        return "no judgement" if first == 41 else supported(prompt)

    outcome, _ = checked(second_is_lost)
    assert sorted(outcome.judgements) == [*range(1, 41), *range(81, 91)]


def test_a_check_that_cannot_be_read_says_so() -> None:
    outcome, _ = checked("no judgement", STATEMENTS[:1])
    assert (dict(outcome.judgements), outcome.fit) == ({}, Fit.UNCHECKED)
    assert "could not be read" in outcome.failure


@pytest.mark.parametrize(
    ("fit", "open_parts", "status"),
    [
        (Fit.YES, (), PartStatus.ANSWERED),
        (Fit.YES, (1,), PartStatus.IN_PART),
        (Fit.IN_PART, (), PartStatus.IN_PART),
        (Fit.NO, (), PartStatus.NOT_STATED),
        (Fit.UNCHECKED, (), PartStatus.ANSWERED),
    ],
)
def test_a_part_that_the_check_finds_open_is_no_longer_answered(
    fit: Fit, open_parts: tuple[int, ...], status: PartStatus
) -> None:
    draft = Draft(lead=STATEMENTS[0], parts=(PART,))
    assert checked_draft(draft, Check(fit=fit, open_parts=open_parts)).parts[0].status is status


def test_what_answers_another_question_is_shown_as_the_nearest() -> None:
    draft = checked_draft(Draft(lead=STATEMENTS[0], details=(STATEMENTS[1],), parts=(PART,)), Check(fit=Fit.NO))
    assert (draft.lead, draft.details) == (None, ())
    assert [(entry.text, entry.quotes) for entry in draft.not_stated] == [("It is 100.", (QUOTES[0],))]


def test_the_words_of_a_quote_need_no_support() -> None:
    verbatim = STATEMENTS[0].changed(support=Support.VERBATIM)
    outcome, _ = checked(lambda prompt: supported(prompt).replace("supported", "unsupported"), [verbatim])
    assert checked_draft(Draft(lead=verbatim, parts=(PART,)), outcome).lead == verbatim


def test_a_figure_in_the_name_of_a_cited_document_is_no_note() -> None:
    filed = quote_at(DOCUMENT.changed(id="mill_2023Q1_10Q.pdf"), 0, 20)
    said = Statement(text="In its 10-Q of 2023, the mill has 7 plants.", quotes=(filed,))
    assert noted(said, "How many?").notes == ("7 is not in its quotes",)
