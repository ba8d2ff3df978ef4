"""The page of a running job: what its events change on it, and which events its script listens to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import get_args

import pytest

from investigator.asking.budget import BudgetSettings
from investigator.records import (
    BatchEnded,
    Checked,
    Event,
    Fit,
    Memory,
    Part,
    PartStatus,
    Planned,
    PlanStep,
    Record,
    Reflected,
    Reflection,
    Remembered,
    Verdict,
    Written,
)
from investigator.records.events import Answered
from investigator.server.live import Live, PagePlace
from investigator.server.records import ENDED, TURN, LoggedEvent, kind_of

PLANNED = Planned(
    round=1,
    strategy="Read the plants.",
    steps=(PlanStep(plan_id=1, document_id="cedar.txt", purpose="Its power"),),
    read_as="How much power does the Cedar plant make?",
    parts=("How much power?", "Since when?"),
)
REMEMBERED = Remembered(
    round=1,
    done=1,
    total=1,
    memory=Memory(
        id=1, target_document_id="cedar.txt", question="Its power?", reply="42", point=90, verdict=Verdict.ANSWERS
    ),
    calls=2,
    seconds=1.0,
)
WRITTEN = Written(
    round=1,
    parts=(Part(question="How much power?", status=PartStatus.ANSWERED), Part(question="Since when?")),
)
REFLECTED = Reflected(reflection=Reflection(round=1, known=("It makes 42 MW.",), unknown=("When it was opened",)))


def logged(*events: Record) -> Sequence[LoggedEvent]:
    return [
        LoggedEvent(number=number, at=float(number), kind=kind_of(type(event)), body=event.model_dump_json())
        for number, event in enumerate(events, start=1)
    ]


def shown(place: PagePlace, *events: Record) -> str:
    """Return the words at a place of the page after some events."""
    html = Live(BudgetSettings()).shown(logged(*events))[place.value]
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_plan_shows_how_the_question_is_read_and_its_parts_are_open() -> None:
    assert "Read as: How much power does the Cedar plant make?" in shown(PagePlace.PLAN, PLANNED)
    assert "cedar.txt reading" in shown(PagePlace.PLAN, PLANNED)
    assert shown(PagePlace.KNOWN, PLANNED) == "open How much power? open Since when?"


def test_a_reply_shows_its_verdict_and_score_in_the_plan() -> None:
    assert "cedar.txt answers 90" in shown(PagePlace.PLAN, PLANNED, REMEMBERED)
    assert "2 of at most 200 calls" in shown(PagePlace.SPENT, PLANNED, REMEMBERED)


def test_of_a_whole_folder_only_the_documents_that_say_something_are_listed() -> None:
    steps = [PlanStep(plan_id=n, document_id=f"{n}.txt", purpose="Its power") for n in range(1, 100)]
    steps.append(PlanStep(plan_id=100, document_id="cedar.txt", purpose="Its power"))
    plan = shown(PagePlace.PLAN, PLANNED.changed(steps=tuple(steps)), REMEMBERED)
    assert "cedar.txt answers 90" in plan
    assert plan.endswith("99 further documents")


def test_a_written_answer_and_a_review_show_what_is_open() -> None:
    known = shown(PagePlace.KNOWN, PLANNED, REMEMBERED, WRITTEN, REFLECTED)
    parts = "answered How much power? not stated Since when?"
    assert known == f"{parts} known It makes 42 MW. unknown When it was opened"


def test_a_further_round_keeps_the_status_of_the_parts() -> None:
    known = shown(PagePlace.KNOWN, PLANNED, WRITTEN, PLANNED.changed(round=2, parts=("Since when?", "By whom?")))
    assert known == "answered How much power? not stated Since when? open By whom?"


def test_a_check_is_noted_in_the_log() -> None:
    assert "1 withheld" in shown(PagePlace.LOG, Checked(shown=2, withheld=1, fit=Fit.YES))


@pytest.mark.parametrize(("kind", "body"), [("thought", "{}"), ("reflected", '{"reflection": {"knowledge": []}}')])
def test_an_event_that_another_release_stored_changes_nothing(kind: str, body: str) -> None:
    assert Live(BudgetSettings()).html(LoggedEvent(number=1, at=1.0, kind=kind, body=body)) == ""


def test_the_page_listens_to_every_event_of_a_job_and_of_a_chat() -> None:
    script = files("investigator.server").joinpath("static/page.js").read_text(encoding="utf-8")
    listed = re.search(r"kinds = \[(.*?)\]", script, re.DOTALL)
    assert listed is not None
    sent = {kind_of(event) for event in get_args(Event) if event not in (Answered, BatchEnded)}
    assert set(re.findall(r'"(\w+)"', listed[1])) == {*sent, TURN, ENDED}
