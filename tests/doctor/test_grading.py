"""Grades: a reader that is careful passes, one that agrees to everything fails, and the grades are kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from investigator.asking.prompts import Prompts
from investigator.doctor.command import diagnosis_text
from investigator.doctor.diagnosis import diagnose
from investigator.doctor.findings import Diagnosis
from investigator.doctor.grading import TEMPLATES, GradingTask, foreseen_cost, graded, grading_tasks
from investigator.engines.base import guessed_tokens
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.grades import GRADED, Grades
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEmbedder, ScriptedEngine
from investigator.errors import EngineError
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckReply,
    DocumentReply,
    Prompt,
    Record,
    Reply,
    ShownDocument,
    StatementCheck,
    Support,
    Trust,
    Verdict,
)
from investigator.scoring.prices import Price, default_prices

ALL_TASKS = [task for tasks in grading_tasks().values() for task in tasks]


def text_of(document: ShownDocument) -> str:
    return " ".join(passage.text for passage in document.passages)


def right_reply(task: GradingTask) -> Record:
    """Return the reply that the tasks expect."""
    first = {about: right[0] for about, right in task.expected.items()}
    numbered = [(int(about.split()[1]), right) for about, right in first.items() if about[-1].isdigit()]
    match task.variables:
        case AskVariables():
            readings = [
                {"document": name, "verdict": verdict, "point": 90, "quotes": [task.quotes.get(name, "")], "reply": "R"}
                for name, verdict in first.items()
                if verdict != Verdict.NOT_STATED  # a document that says nothing is left out
            ]
            return AskReply.model_validate({"readings": readings})
        case AnswerVariables():
            text = " and ".join(["This", *(variants[-1] for variants in task.says)])
            parts = [{"part": number, "status": status} for number, status in numbered]
            return AnswerReply.model_validate({"lead": {"text": text, "evidence": task.cites}, "parts": parts})
    checks = [{"number": number, "support": support} for number, support in numbered]
    return CheckReply.model_validate({"statements": checks, "answers": first["the whole"]})


def careful(prompt: Prompt) -> str:
    return right_reply(next(task for task in ALL_TASKS if task.variables == prompt.variables)).model_dump_json()


def agreeable(prompt: Prompt) -> str:
    """Reply that every document answers, quoted freely, and that every statement is supported."""
    if isinstance(prompt.variables, AskVariables):
        readings = (
            DocumentReply(
                document=document.document_id,
                verdict=Verdict.ANSWERS,
                point=90,
                quotes=(text_of(document).upper(),),
                reply="R",
            )
            for document in prompt.variables.documents
        )
        return AskReply(readings=tuple(readings)).model_dump_json()
    if prompt.reply_type is CheckReply:
        checks = (StatementCheck(number=number, support=Support.SUPPORTED) for number in range(1, 5))
        return json.dumps({**CheckReply(statements=tuple(checks)).model_dump(mode="json"), "answers": "yes"})
    lead = {"text": "It is so.", "evidence": ["E1"]}
    return json.dumps({"lead": lead, "parts": [{"part": 1, "status": "answered"}, {"part": 2, "status": "answered"}]})


def test_the_tasks_are_some_thirty_in_about_ten_thousand_tokens() -> None:
    counts = [graded(ScriptedEngine(careful), role, Prompts(), default_prices()).tasks for role in GRADED]
    assert min(counts) >= 9
    assert 20 <= sum(counts) <= 40
    prompts = Prompts()
    texts = [prompts.prompt(TEMPLATES[role], task.variables).text for role in GRADED for task in grading_tasks()[role]]
    assert sum(map(guessed_tokens, texts)) < 12_000


@pytest.mark.parametrize("role", GRADED)
def test_a_careful_reader_solves_every_task(role: Role) -> None:
    grade = graded(ScriptedEngine(careful), role, Prompts(), default_prices())
    assert (grade.mistakes, grade.right) == ((), grade.tasks)
    assert grade.passed
    assert grade.usage.calls == len(grading_tasks()[role])


@pytest.mark.parametrize("role", GRADED)
def test_a_reader_that_agrees_to_everything_fails_and_its_mistakes_are_named(role: Role) -> None:
    grade = graded(ScriptedEngine(agreeable), role, Prompts(), default_prices())
    assert not grade.passed
    assert grade.right + len(grade.mistakes) == grade.tasks
    assert any(" instead of " in mistake for mistake in grade.mistakes)


def test_a_quote_that_is_not_copied_character_for_character_is_a_mistake() -> None:
    def careless(prompt: Prompt) -> str:
        return re.sub(r"EUR 4,800", "4800 EUR", careful(prompt))

    grade = graded(ScriptedEngine(careless), Role.ASK, Prompts(), default_prices())
    assert grade.mistakes == ("lease.txt: no quote contains 'EUR 4,800' as it stands",)


class Failing:
    """An engine that gives no reply."""

    name = "toy:broken"

    def reply(self, prompt: Prompt) -> Reply:
        raise EngineError("the server is gone")


def test_a_reply_that_cannot_be_read_loses_all_its_tasks_and_an_engine_that_fails_has_no_grade() -> None:
    grade = graded(ScriptedEngine("Hm."), Role.CHECK, Prompts(), default_prices())
    assert (grade.right, set(grade.mistakes)) == (0, {"the reply cannot be read"})
    assert not grade.passed
    failed = graded(Failing(), Role.ASK, Prompts(), default_prices())
    assert (failed.problem, failed.tasks, failed.passed) == ("the server is gone", 0, False)


def test_what_grading_will_cost_is_computed_before_any_call() -> None:
    engine = ScriptedEngine([], name="toy:m")
    cost = foreseen_cost(engine, [Role.ASK, Role.CHECK], Prompts(), Price(model="toy:m", input=1000, output=1000))
    calls = len(grading_tasks()[Role.ASK]) + len(grading_tasks()[Role.CHECK])
    assert cost.startswith(f"grading toy:m (ask, check): {calls} calls, about ")
    tokens, money = re.search(r"about ([\d,]+) tokens, about ([\d.]+) US dollars", cost).groups()  # type: ignore[union-attr]
    assert float(money) == pytest.approx(int(tokens.replace(",", "")) / 1000, rel=0.01)
    assert "unknown price" in foreseen_cost(engine, [Role.ASK], Prompts(), None)
    assert engine.asked == []


@pytest.fixture
def grades(tmp_path: Path) -> Grades:
    return Grades(tmp_path / "data" / "grades.json")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a script of an engine that gives every check the reply that is right for the second task."""
    file = tmp_path / "hasty.json"
    reply = right_reply(grading_tasks()[Role.CHECK][1]).model_dump_json()
    file.write_text(json.dumps({"answer/check": reply}), encoding="utf-8")
    return file


def diagnosed(model: str, grades: Grades, announced: list[str] | None = None, **others: object) -> Diagnosis:
    announced = announced if announced is not None else []
    return diagnose(model, grades=grades, embedder=ScriptedEmbedder(), on_call=announced.append, **others)  # type: ignore[arg-type]


def test_doctor_grades_a_model_in_its_roles_and_keeps_the_grades(script: Path, grades: Grades) -> None:
    announced: list[str] = []
    diagnosis = diagnosed(f"check=scripted:{script}", grades, announced)
    (grade,) = diagnosis.grades
    assert diagnosis.calls == sum(finding.calls for finding in diagnosis.roles) + 3
    assert diagnosis.money == 0
    assert (grade.role, grade.right, grade.tasks, grade.passed) == (Role.CHECK, 9, 12, False)
    assert announced[-1].startswith("grading scripted:hasty.json (check): 3 calls")
    assert grades.trust_of("scripted:hasty.json", Role.CHECK) is Trust.FAILED
    assert grades.trust_of("scripted:hasty.json", Role.ASK) is Trust.UNGRADED
    shown = diagnosis_text(diagnosis).plain
    assert "check (scripted:hasty.json): failed, 9 of 12 tasks right (80% needed)" in shown
    assert "the whole: yes instead of no or in_part or rightly_not_stated" in shown


def test_grading_can_be_left_out_and_the_built_in_engine_is_not_graded(script: Path, grades: Grades) -> None:
    assert diagnosed(f"check=scripted:{script}", grades, grade=False).grades == ()
    assert diagnosed("extractive", grades).grades == ()
    assert grades.trust_of(ExtractiveEngine(ScriptedEmbedder()).name, Role.ASK) is Trust.UNGRADED


def test_grades_that_were_given_with_templates_of_ones_own_are_shown_but_not_kept(
    script: Path, grades: Grades, tmp_path: Path
) -> None:
    own = tmp_path / "prompts" / "answer" / "check.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{{ question }} {{ statements }} {{ documents }} statements: number, support", encoding="utf-8")
    diagnosis = diagnosed(f"check=scripted:{script}", grades, prompts=tmp_path / "prompts")
    assert len(diagnosis.grades) == 1
    assert any("your own templates" in notice for notice in diagnosis.notices)
    assert grades.trust_of("scripted:hasty.json", Role.CHECK) is Trust.UNGRADED
