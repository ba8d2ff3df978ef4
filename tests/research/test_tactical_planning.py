from pathlib import Path

import pytest

from investigator.asking.prompts import Prompts
from investigator.errors import TemplateError
from investigator.records import Plan, PlanStep, Status
from investigator.research.tactical_planning import TacticalPlanning

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
    assert tactics.generate_question(str(QUESTION)) == (1, "1.txt", "Why 1? Look in particular at: costs. (in 1.txt)")


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
    assert [question for _, _, question in tasks] == [
        "1.txt! Why 1?",
        "Why 2? Look in particular at: costs. (in 2.txt)",
    ]


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    tactics = TacticalPlanning(plan(Status.NONE), tmp_path, SUMMARY)
    with pytest.raises(TemplateError, match=r"nowhere\.j2"):
        tactics.generate_question(tmp_path / "nowhere.j2")
