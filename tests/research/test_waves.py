"""A language model is called in waves: the likeliest documents first, until the proven evidence suffices."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from power_plant import GOOD, QUOTED, TEXTS, claims, knowledge, plan_of, said

from investigator import (
    Answer,
    AnswerStatus,
    Investigation,
    Investigator,
    ScriptedEmbedder,
    ScriptedEngine,
    Status,
    StopReason,
    load_settings,
)
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.base import Traits
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.engines.scripted import Script
from investigator.errors import EngineError
from investigator.records import Answered, Event, Notice, Prompt, Reflected, Remembered
from investigator.research.loop import Research
from investigator.retrieval.library import Library
from investigator.store.in_memory import InMemoryJournal

QUESTION = "How much power does the Emsland plant make?"
ABOUT_SEVERAL = "How much power do both plants make?"
ALL = plan_of("plant.txt", "letter.txt", "prices.txt")
NO_BAR = "method.worth_asking=0"
"""Of three short texts the search rules out all but one; with this, none."""
LOW = "method.threshold=40"
"""A reply to the side of the question counts, too: its point is capped above this."""
MODEL = Traits(is_model=True)
POWER = json.dumps({"needs": [{"term": "power", "reason": "asked", "weight": 1.0}]})

Run = Callable[..., tuple[list[Event], ScriptedEngine]]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The power plant's folder, indexed once."""
    folder = tmp_path_factory.mktemp("power_plant")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Investigator(folder, embedder=ScriptedEmbedder()).library() as opened:
        yield opened


@pytest.fixture
def run(library: Library, tmp_path: Path) -> Run:
    """Investigate the folder with a language model that follows the good script with the given changes."""

    def make(
        *settings: str,
        question: str = QUESTION,
        traits: Traits = MODEL,
        journal: InMemoryJournal | None = None,
        **changes: Script,
    ) -> tuple[list[Event], ScriptedEngine]:
        script = {**GOOD, "critical_thinking/think": POWER, "planner/plan": [ALL]}
        script |= {name.replace("__", "/"): one for name, one in changes.items()}
        engine, chosen = ScriptedEngine(script, traits=traits), load_settings(None, list(settings))
        second, kept = ExtractiveEngine(ScriptedEmbedder()), journal or InMemoryJournal()
        client = EngineClient(
            {role: engine for role in Role}, Prompts(), kept, lambda: 0.0, chosen.budget, second=second
        )
        case = Investigation(id="r", question=question, mission="M", strategy="S", engine="scripted")
        method = chosen.method
        return list(Research(client, library, method, nowhere, nowhere).investigate(case)), engine

    return make


def nowhere(_: object) -> None:
    """Store nothing."""


def outcome(events: Sequence[Event]) -> tuple[Investigation, Answer]:
    last = events[-1]
    assert isinstance(last, Answered)
    assert last.investigation.answer is not None
    return last.investigation, last.investigation.answer


def documents(engine: ScriptedEngine) -> list[str]:
    """Return the documents that were asked, sorted, because those of one wave are asked concurrently."""
    return sorted(p.variables.document_id for p in engine.asked if p.template == "query/ask")  # type: ignore[attr-defined]


def count(engine: ScriptedEngine, template: str) -> int:
    return sum(prompt.template == template for prompt in engine.asked)


def by_document(**points: str) -> Callable[[Prompt], str]:
    """Return a script with the given reply for each document, named without its ending, and no finding for others."""
    return lambda prompt: points.get(Path(prompt.variables.document_id).stem, said(0))  # type: ignore[attr-defined]


TELLING = by_document(plant=said(95, "It makes 42 MW of power."), prices=said(100, "Power is sold at 12 cents."))
"""What the first wave finds, and something that only the second one does."""


def test_the_rest_is_not_asked_when_proven_evidence_suffices(run: Run) -> None:
    events, engine = run(NO_BAR)
    case, answer = outcome(events)
    assert documents(engine) == ["letter.txt", "plant.txt"]
    assert (count(engine, "reflection/reflect"), len(engine.asked), case.usage.calls) == (0, 5, 5)
    assert (answer.status, answer.stop) == (AnswerStatus.ANSWERED, StopReason.ANSWERED)
    assert [step.status for step in case.plan.steps] == [Status.DONE, Status.DONE, Status.NONE]
    assert answer.coverage.not_opened == ("prices.txt",)


def test_what_sufficed_is_kept_as_knowledge_that_rests_on_its_memory(run: Run) -> None:
    case, _ = outcome(run(NO_BAR)[0])
    (reflection,) = case.reflections
    assert [(known.term, known.unknown_infos) for known in reflection.knowledge] == [("power", ())]
    assert [info.memory_ids for known in reflection.knowledge for info in known.known_infos] == [(1,)]


def test_without_thrift_or_without_a_model_every_planned_document_is_asked(run: Run) -> None:
    for settings, traits in ((("method.thrift=false",), MODEL), ((), Traits())):
        events, engine = run(*settings, traits=traits)
        assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]
        assert count(engine, "reflection/reflect") == 1
        assert outcome(events)[1].text == "It makes 42 MW of power. [1]"


def test_the_rest_is_asked_where_quotes_do_not_cover_what_must_be_known(run: Run) -> None:
    needs = json.dumps({"needs": [{"term": "power"}, {"term": "chimney"}]})
    asked = by_document(plant=said(95, "It makes 43 MW of power."), prices=said(100, "Power is sold at 12 cents."))
    events, engine = run(
        NO_BAR,
        LOW,
        critical_thinking__think=needs,
        query__ask=asked,
        reflection__reflect=[knowledge("the chimney"), knowledge()],
    )
    assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]
    assert count(engine, "reflection/reflect") == 2
    case, answer = outcome(events)
    assert case.memories[0].quoted_by_search
    assert answer.stop is StopReason.ANSWERED


def test_the_rest_is_asked_at_once_where_the_first_wave_proved_nothing(run: Run) -> None:
    asked = by_document(plant=said(0), prices=said(100, "Power is sold at 12 cents."))
    events, engine = run(NO_BAR, query__ask=asked, reflection__reflect=[knowledge()])
    kinds = [type(event) for event in events if isinstance(event, Remembered | Reflected)]
    assert kinds == [Remembered, Remembered, Remembered, Reflected]
    assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]


def test_memories_of_later_waves_stand_in_plan_order_after_those_of_the_first(run: Run) -> None:
    plan = plan_of("prices.txt", "plant.txt", "letter.txt")
    case, _ = outcome(run(NO_BAR, planner__plan=[plan, plan_of()], query__ask=said(0))[0])
    assert [(m.id, m.target_document_id) for m in case.memories] == [
        (1, "plant.txt"),  # the likeliest comes first, wherever the planner put it
        (2, "prices.txt"),
        (3, "letter.txt"),
    ]


def test_the_rest_is_asked_after_all_when_the_writer_finds_the_evidence_insufficient(run: Run) -> None:
    replies = [claims(), claims(("Power is sold at 12 cents.", "E2"))]
    events, engine = run(NO_BAR, LOW, query__ask=TELLING, answer__answer=replies)
    case, answer = outcome(events)
    assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]
    assert (answer.status, answer.text) == (AnswerStatus.PASSAGES_FOUND, "Power is sold at 12 cents. [1]")
    assert [len(step.result_ids) for step in case.plan.steps] == [1, 1, 1]
    assert count(engine, "reflection/reflect") == 1


def test_a_ceiling_that_is_reached_after_the_writers_doubt_is_named(run: Run) -> None:
    events, engine = run(NO_BAR, "budget.calls=5", query__ask=TELLING, answer__answer=claims())
    _, answer = outcome(events)
    assert documents(engine) == ["letter.txt", "plant.txt"]
    assert (answer.stop, answer.outcome) == (StopReason.CALLS, "stopped(calls)")
    assert answer.status is AnswerStatus.NOT_FOUND_SO_FAR


def test_a_writer_that_stays_in_doubt_is_believed_once_everything_was_asked(run: Run) -> None:
    events, engine = run(NO_BAR, answer__answer=claims())
    _, answer = outcome(events)
    assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]
    assert (answer.status, answer.claims) == (AnswerStatus.NOT_FOUND, ())
    assert answer.coverage.read == ("letter.txt", "plant.txt", "prices.txt")


def test_a_small_model_that_writes_nothing_does_not_make_proven_evidence_insufficient(run: Run) -> None:
    events, engine = run(NO_BAR, traits=Traits(is_model=True, is_small=True), answer__answer=claims())
    _, answer = outcome(events)
    assert answer.text == f"{QUOTED} [1]"
    assert "prices.txt" not in documents(engine)


def test_hopeless_documents_are_skimmed_without_a_call(run: Run) -> None:
    events, engine = run()
    case, answer = outcome(events)
    assert documents(engine) == ["plant.txt"]
    assert answer.coverage.skimmed == ("letter.txt", "prices.txt")
    assert [(step.status, step.result_ids) for step in case.plan.steps] == [
        (Status.DONE, (1,)),
        (Status.DONE, ()),
        (Status.DONE, ()),
    ]
    assert answer.text == "It makes 42 MW of power. [1]"


def test_where_all_is_hopeless_the_nearest_are_asked_before_it_is_said(run: Run) -> None:
    events, engine = run(question="Who won the cup in Lisbon?", query__ask=said(0), planner__plan=[ALL, plan_of()])
    _, answer = outcome(events)
    assert len(documents(engine)) >= 2
    assert answer.status is AnswerStatus.NOT_FOUND
    assert answer.coverage.complete


def test_a_question_about_several_things_is_not_cut_short(run: Run) -> None:
    reflections = [knowledge("the others"), knowledge()]
    events, engine = run(NO_BAR, LOW, question=ABOUT_SEVERAL, query__ask=TELLING, reflection__reflect=reflections)
    assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]
    assert outcome(events)[1].coverage.not_opened == ()


def test_the_last_round_is_asked_to_its_end(run: Run) -> None:
    events, engine = run(
        NO_BAR,
        "method.rounds=1",
        question=ABOUT_SEVERAL,
        query__ask=TELLING,
        reflection__reflect=knowledge("the others"),
    )
    assert documents(engine) == ["letter.txt", "plant.txt", "prices.txt"]
    assert outcome(events)[1].stop is StopReason.ROUNDS


@pytest.mark.parametrize("point", [100, 0])
def test_a_model_that_scores_everything_alike_leaves_the_points_to_the_search_and_that_is_said(
    run: Run, point: int
) -> None:
    asked = by_document(
        plant=said(point, "It makes 42 MW of power."),
        letter=said(point, "We walked along the river."),
        prices=said(point, "Pears cost 4 euros."),
    )
    events, engine = run(NO_BAR, "method.thrift=false", query__ask=asked, reflection__reflect=[knowledge()])
    (notice,) = [event.text for event in events if isinstance(event, Notice)]
    assert "scripted gives all documents the same score" in notice
    case, answer = outcome(events)
    (prompt,) = [prompt for prompt in engine.asked if prompt.template == "reflection/reflect"]
    shown = [(memory.target_document_id, memory.point) for memory in prompt.variables.memories]  # type: ignore[attr-defined]
    assert shown == [("plant.txt", case.memories[0].search_point)]
    assert [memory.model_point for memory in case.memories] == [point] * 3
    assert answer.text == "It makes 42 MW of power. [1]"


def test_a_model_that_tells_documents_apart_keeps_its_points(run: Run) -> None:
    asked = by_document(plant=said(95, "It makes 42 MW of power."), letter=said(70, "We walked along the river."))
    events, engine = run(NO_BAR, "method.thrift=false", query__ask=asked, reflection__reflect=[knowledge()])
    assert not [event for event in events if isinstance(event, Notice)]
    assert outcome(events)[0].memories[0].point == 95
    assert count(engine, "reflection/reflect") == 1


def test_the_likeliest_document_is_in_the_first_plan_even_if_the_planner_leaves_it_out(run: Run) -> None:
    events, engine = run(planner__plan=plan_of("letter.txt", "prices.txt"))
    case, answer = outcome(events)
    assert case.plan.steps[0].document_id == "plant.txt"
    assert answer.status is AnswerStatus.ANSWERED
    assert documents(engine) == ["plant.txt"]


def test_the_likeliest_document_takes_the_place_of_the_last_one_in_a_full_plan(run: Run) -> None:
    case, _ = outcome(run("method.planner.steps=2", NO_BAR, planner__plan=plan_of("letter.txt", "prices.txt"))[0])
    assert [step.document_id for step in case.plan.steps] == ["plant.txt", "letter.txt"]


def test_a_planner_that_names_the_likeliest_document_keeps_its_purpose(run: Run) -> None:
    case, _ = outcome(run(NO_BAR, planner__plan=plan_of("letter.txt", "plant.txt", purpose="Mine?"))[0])
    assert [(step.document_id, step.purpose) for step in case.plan.steps] == [
        ("plant.txt", "Mine?"),
        ("letter.txt", "Mine?"),
    ]


class Meeting:
    """Return scripts for thinking and planning, of which one ends only when the other has ended, or begun."""

    def __init__(self, first: str | None) -> None:
        self._first = first
        self._ended = threading.Event()
        self._both = threading.Barrier(2, timeout=20)

    def script(self, name: str, text: str) -> Script:
        """Return a script that waits for the other one, then replies: the first at once, the second after the first."""

        def reply(_: Prompt) -> str:
            self._both.wait()
            if self._first == name:
                self._ended.set()
            elif self._first is not None:
                assert self._ended.wait(20)
            return text

        return reply


def test_thinking_and_the_first_plan_run_beside_each_other_and_give_one_record_in_any_order(run: Run) -> None:
    records = []
    for first in (None, "think", "plan"):
        meeting = Meeting(first)
        scripts = {
            "critical_thinking__think": meeting.script("think", POWER),
            "planner__plan": meeting.script("plan", ALL),
        }
        events, engine = run(NO_BAR, **scripts)
        records.append(outcome(events)[0])
        names = [type(event).__name__ for event in events]
        assert names.index("Thought") < names.index("Planned")
        assert count(engine, "planner/plan") == 1
    assert records[0] == records[1] == records[2]


def test_documents_of_a_wave_give_one_record_in_any_order_of_arrival(run: Run) -> None:
    records = []
    for slow in ("plant.txt", "letter.txt"):
        other = threading.Event()

        def asked(prompt: Prompt, slow: str = slow, other: threading.Event = other) -> str:
            if prompt.variables.document_id == slow:  # type: ignore[attr-defined]
                assert other.wait(20)
            else:
                other.set()
            return by_document(plant=said(95, "It makes 42 MW of power."))(prompt)

        records.append(outcome(run(NO_BAR, query__ask=asked)[0])[0])
    assert records[0] == records[1]


def test_a_run_that_broke_off_in_its_second_wave_goes_on_there(run: Run) -> None:
    journal, reflections = InMemoryJournal(), [knowledge("the others"), knowledge()]

    def broken(prompt: Prompt) -> str:
        if prompt.variables.document_id == "prices.txt":  # type: ignore[attr-defined]
            raise EngineError("the server is gone")
        return TELLING(prompt)

    with pytest.raises(EngineError, match="gone"):
        run(NO_BAR, LOW, question=ABOUT_SEVERAL, journal=journal, query__ask=broken, reflection__reflect=reflections)
    again = {"question": ABOUT_SEVERAL, "query__ask": TELLING, "reflection__reflect": reflections[1:]}
    events, engine = run(NO_BAR, LOW, journal=journal, **again)
    assert [prompt.template for prompt in engine.asked] == ["query/ask", "reflection/reflect", "answer/answer"]
    assert documents(engine) == ["prices.txt"]
    case, answer = outcome(events)
    assert [memory.id for memory in case.memories] == [1, 2, 3]
    assert (answer.status, case.usage.calls) == (AnswerStatus.ANSWERED, 8)


def test_a_ceiling_in_the_second_wave_leaves_the_answer_of_the_first(run: Run) -> None:
    events, engine = run(
        NO_BAR, "budget.calls=5", "method.concurrency=1", question=ABOUT_SEVERAL, reflection__reflect=knowledge("more")
    )
    case, answer = outcome(events)
    assert (len(engine.asked), case.usage.calls) == (5, 5)
    assert (answer.stop, answer.outcome) == (StopReason.CALLS, "stopped(calls)")
    assert answer.text == f"{QUOTED} [1]"
    assert answer.coverage.not_opened == ("prices.txt",)
