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
    Notice,
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
from investigator.server.live import PLACES, Live
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


def shown(place: str, *events: Record) -> str:
    """Return the words at a place of the page after some events."""
    html = Live(BudgetSettings()).shown(logged(*events))[place]
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


FURTHER = PLANNED.changed(round=2, parts=("Since when?", "By whom?"))
PLAN = "Round 1 Read as: How much power does the Cedar plant make? Read the plants. 1 cedar.txt"
KNOWN = "answered How much power? not stated Since when? known It makes 42 MW. unknown When it was opened"


@pytest.mark.parametrize(
    ("events", "place", "words"),
    [
        ((PLANNED,), "plan", f"{PLAN} reading Its power"),
        ((PLANNED,), "known", "open How much power? open Since when?"),
        ((PLANNED, REMEMBERED), "plan", f"{PLAN} answers 90 Its power"),
        ((PLANNED, REMEMBERED), "spent", "Spent: 2 of at most 200 calls, 1.0 s"),
        ((PLANNED, REMEMBERED, WRITTEN, REFLECTED), "known", KNOWN),
        ((PLANNED, WRITTEN.changed(lead="It makes 42 MW.")), "draft", "Draft, not checked yet It makes 42 MW."),
        ((PLANNED, WRITTEN, FURTHER), "known", "answered How much power? not stated Since when? open By whom?"),
        ((Checked(shown=2, withheld=1, fit=Fit.YES),), "log", "checked: 2 statements shown, 1 withheld"),
        ((Notice(text="terminal.txt is read again."),), "log", "note: terminal.txt is read again."),
    ],
)
def test_the_page_shows_what_has_happened_so_far(events: Sequence[Record], place: str, words: str) -> None:
    assert shown(place, *events) == words


def test_of_a_whole_folder_only_the_documents_that_say_something_are_listed() -> None:
    steps = [PlanStep(plan_id=n, document_id=f"{n}.txt", purpose="Its power") for n in range(1, 100)]
    steps.append(PlanStep(plan_id=100, document_id="cedar.txt", purpose="Its power"))
    plan = shown("plan", PLANNED.changed(steps=tuple(steps)), REMEMBERED)
    assert "cedar.txt answers 90" in plan
    assert plan.endswith("99 further documents")


@pytest.mark.parametrize(("kind", "body"), [("thought", "{}"), ("reflected", '{"reflection": {"knowledge": []}}')])
def test_an_event_that_another_release_stored_changes_nothing(kind: str, body: str) -> None:
    event = LoggedEvent(number=1, at=1.0, kind=kind, body=body)
    assert Live(BudgetSettings()).shown([event]) == dict.fromkeys(PLACES, "")


def test_the_page_listens_to_every_event_of_a_job_and_of_a_chat() -> None:
    script = files("investigator.server").joinpath("static/page.js").read_text(encoding="utf-8")
    listed = re.search(r"kinds = \[(.*?)\]", script, re.DOTALL)
    assert listed is not None
    sent = {kind_of(event) for event in get_args(Event) if event not in (Answered, BatchEnded)}
    assert set(re.findall(r'"(\w+)"', listed[1])) == {*sent, TURN, ENDED}
