"""The classes of the source document, as it names and calls them."""

import json
from pathlib import Path
from typing import cast

import pytest

from investigator import (
    Investigator,
    MemoryStream,
    Plan,
    Planner,
    PlanStep,
    Query,
    ScriptedEngine,
    Status,
    TacticalPlanning,
)
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.errors import FolderError, TemplateError
from investigator.records import PlanVariables, Verdict
from investigator.store.in_memory import InMemoryJournal
from investigator.store.locations import default_workspace

QUESTION = Prompts().path("tactical_planning/question")
SUMMARY = Prompts().path("tactical_planning/summary")


def plan(*statuses: Status) -> Plan:
    return Plan(
        steps=tuple(
            PlanStep(plan_id=i, document_id=f"{i}.txt", purpose=f"Why {i}?", perspectives="costs", status=status)
            for i, status in enumerate(statuses, 1)
        )
    )


def test_the_seed_call_runs_as_written(tmp_path: Path) -> None:
    tactics = TacticalPlanning(plan(Status.NONE), str(tmp_path), str(SUMMARY))
    assert tactics.generate_question(str(QUESTION)) == (1, "1.txt", "Why 1? (costs)")


@pytest.mark.parametrize(
    ("statuses", "chosen"),
    [
        ((Status.NONE, Status.NONE), 1),
        ((Status.DONE, Status.NONE), 2),
        ((Status.NONE, Status.DOING), 2),
        ((Status.NONE, Status.DOING, Status.DOING), 2),
        ((Status.DONE, Status.DONE), None),
        ((), None),
    ],
)
def test_a_step_under_investigation_comes_first_then_the_smallest_id(
    tmp_path: Path, statuses: tuple[Status, ...], chosen: int | None
) -> None:
    tactics = TacticalPlanning(plan(*statuses), tmp_path, SUMMARY)
    step = tactics.generate_question(QUESTION)
    assert (step[0] if step else None) == chosen


def test_steps_are_taken_by_id_whatever_their_order_in_the_plan(tmp_path: Path) -> None:
    steps = tuple(reversed(plan(Status.NONE, Status.NONE, Status.NONE).steps))
    tactics = TacticalPlanning(Plan(steps=steps), tmp_path, SUMMARY)
    assert [task[0] for task in tactics.generate_questions(QUESTION)] == [1, 2, 3]


def test_the_chosen_step_is_doing_and_the_given_plan_is_unchanged(tmp_path: Path) -> None:
    given = plan(Status.NONE, Status.NONE)
    tactics = TacticalPlanning(given, tmp_path, SUMMARY)
    tactics.generate_question(QUESTION)
    assert [step.status for step in tactics.plan.steps] == [Status.DOING, Status.NONE]
    assert [step.status for step in given.steps] == [Status.NONE, Status.NONE]


def test_finishing_a_step_keeps_its_result_and_moves_on(tmp_path: Path) -> None:
    tactics = TacticalPlanning(plan(Status.NONE, Status.NONE), tmp_path, SUMMARY)
    first = tactics.generate_question(QUESTION)
    assert first is not None
    tactics.finish(first[0], 7)
    assert tactics.plan.step(1).result_ids == (7,)
    assert tactics.plan.step(1).status is Status.DONE
    following = tactics.generate_question(QUESTION)
    assert following is not None
    assert following[0] == 2


def test_the_document_summary_is_asked_with_the_summary_template(tmp_path: Path) -> None:
    step = PlanStep(plan_id=1, document_id="summary", purpose="What do all say?")
    task = TacticalPlanning(Plan(steps=(step,)), tmp_path, SUMMARY).generate_question(QUESTION)
    assert task == (1, "summary", "Taking all documents together: What do all say? (summary)")


def test_a_document_may_have_a_template_of_its_own(tmp_path: Path) -> None:
    own = tmp_path / "own.j2"
    own.write_text("{{ document_id }}! {{ purpose }}{{ perspectives[:0] }}", encoding="utf-8")
    tactics = TacticalPlanning(plan(Status.NONE, Status.NONE), tmp_path, SUMMARY)
    tasks = tactics.generate_questions({"1.txt": own, "*": QUESTION})
    assert [question for _, _, question in tasks] == ["1.txt! Why 1?", "Why 2? (costs)"]


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    tactics = TacticalPlanning(plan(Status.NONE), tmp_path, SUMMARY)
    with pytest.raises(TemplateError, match=r"nowhere\.j2"):
        tactics.generate_question(tmp_path / "nowhere.j2")


def asking(engine: ScriptedEngine) -> EngineClient:
    return EngineClient({role: engine for role in Role}, Prompts(), InMemoryJournal(), lambda: 0.0)


@pytest.mark.parametrize(
    "documents",
    [
        "harbour.txt\nletters/anna.pdf",
        "1. harbour.txt\n2. letters/anna.pdf\n",
        "- harbour.txt: The depth of the harbour\n- letters/anna.pdf - Letters to Anna",
        "harbour.txt, letters/anna.pdf",
        ("harbour.txt", "letters/anna.pdf"),
    ],
)
def test_the_planner_takes_its_documents_as_one_text(documents: str | tuple[str, ...]) -> None:
    steps = [{"document_id": name, "purpose": "How deep?"} for name in ("harbour.txt", "letters/anna.pdf", "h")]
    engine = ScriptedEngine({"planner/plan": json.dumps({"strategy": "Both.", "steps": steps})})
    plan = Planner("How deep is it?", "Find it.", "Harbour first.", documents, client=asking(engine)).generate_plan()
    assert [step.document_id for step in plan.steps] == ["harbour.txt", "letters/anna.pdf"]
    assert '<document id="harbour.txt"' in engine.asked[0].text


def test_titles_in_a_list_of_documents_are_shown_to_the_planner() -> None:
    engine = ScriptedEngine({"planner/plan": json.dumps({"strategy": "S", "steps": []})})
    Planner("How deep?", "M", "S", "harbour.txt: The depth of the harbour", client=asking(engine)).generate_plan()
    assert 'title="The depth of the harbour"' in engine.asked[0].text


def test_the_planner_takes_the_history_as_one_text() -> None:
    engine = ScriptedEngine({"planner/plan": json.dumps({"strategy": "S", "steps": []})})
    history = "Q: How deep is it? A: harbour.txt says 11 metres."
    Planner("How deep is it?", "M", "S", ["harbour.txt"], history, client=asking(engine)).generate_plan()
    Planner("How deep is it?", "M", "S", ["harbour.txt"], " ", client=asking(engine)).generate_plan()
    given = [cast(PlanVariables, prompt.variables).history for prompt in engine.asked]
    assert [[memory.reply for memory in memories] for memories in given] == [[history], []]


@pytest.fixture
def indexed(tmp_path: Path) -> Path:
    """The workspace of a folder with one document."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "harbour.txt").write_text("The harbour is 11 metres deep.", encoding="utf-8")
    with Investigator(folder).library():
        pass
    return default_workspace(folder)


def test_a_query_whose_point_cannot_be_read_gives_false_and_is_remembered(indexed: Path) -> None:
    read = {"verdict": "answers", "point": 90, "quotes": ["The harbour is 11 metres deep."], "reply": "11 metres."}
    replies = {"query/ask": ["Who knows?", "Who knows?", json.dumps({"readings": [read]})]}
    stream, ask = MemoryStream(), Prompts().path("query/ask")
    query = Query("harbour.txt", "How deep is it?", stream, indexed, client=asking(ScriptedEngine(replies)))
    assert query.run(ask, "How deep is the harbour?") is False
    assert query.run(ask, "And now?") is True
    assert [(memory.point, memory.reply) for memory in stream] == [(None, "Who knows?"), (90, "11 metres.")]
    assert [memory.verdict for memory in stream] == [Verdict.UNREAD, Verdict.ANSWERS]
    (quote,) = stream.get(2).quotes
    assert (quote.document_id, quote.line) == ("harbour.txt", 1)


def test_a_query_uses_the_template_it_is_given(indexed: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.j2"
    own.write_text("{% for one in documents %}Read {{ one.document_id }}. {{ one.question }}{% endfor %}", "utf-8")
    engine = ScriptedEngine(json.dumps({"readings": [{"point": 1, "reply": "No."}]}))
    Query("harbour.txt", "How deep?", MemoryStream(), indexed, client=asking(engine)).run(own, "How deep is it here?")
    assert engine.asked[0].text == "Read harbour.txt. How deep is it here?"


def test_a_query_of_an_unknown_document_is_refused(indexed: Path) -> None:
    query = Query("lighthouse.txt", "How high is it?", MemoryStream(), indexed, client=asking(ScriptedEngine("")))
    with pytest.raises(FolderError, match=r"unknown document lighthouse\.txt"):
        query.run(None, "How high is the lighthouse?")
