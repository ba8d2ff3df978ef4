"""The first record of a run: its day, the turns that it follows, and what makes two runs the same."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from power_plants import read, write_folder

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.engines.grades import Grades
from investigator.engines.roles import Role
from investigator.errors import NotFoundError, SettingsError
from investigator.records import (
    Answer,
    AnswerStatus,
    Coverage,
    EarlierQuestion,
    Investigation,
    RunFacts,
    StopReason,
    Trust,
)
from investigator.services.run_records import RunOptions, day_of, new_record, run_identity, turns_after
from investigator.settings import load_settings

QUESTION = "How much power does the Oak plant make?"


def record(
    options: RunOptions = RunOptions(), trust: Trust = Trust.PASSED, earlier: tuple[EarlierQuestion, ...] = ()
) -> Investigation:
    engines = dict.fromkeys(Role, ScriptedEngine("{}"))
    return new_record(f"  {QUESTION} ", options, engines, load_settings(), lambda role, engine: trust, earlier)


def answered(run: Investigation, text: str) -> Investigation:
    answer = Answer(
        question=run.question,
        status=AnswerStatus.ANSWERED,
        reason="",
        text=text,
        coverage=Coverage(),
        run=RunFacts(engine="e", stop=StopReason.ANSWERED),
    )
    return run.changed(answer=answer)


@pytest.mark.parametrize("day", ["31.12.2026", "2026-13-01", "2026-W01-1", "20260101", "today"])
def test_a_day_is_written_in_one_form(day: str) -> None:
    with pytest.raises(SettingsError, match="as_of must be a day") as refused:
        RunOptions(as_of=day)
    assert "2026-03-31" in refused.value.hint


def test_a_question_is_kept_as_it_was_asked_with_its_day_and_the_trust_of_its_engines() -> None:
    new = record(RunOptions(as_of="2024-02-29"))
    assert (new.question, new.full_question, new.setup.as_of) == (QUESTION, QUESTION, "2024-02-29")
    now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    assert (day_of(new, now), day_of(record(), now)) == ("2024-02-29", "2026-05-04")
    assert {used.trust for used in new.setup.engines} == {Trust.PASSED}


def test_the_day_asked_for_the_grade_and_the_earlier_turns_make_another_run_and_the_day_of_the_run_does_not() -> None:
    entry = run_identity(record(), "templates")
    assert entry == run_identity(record().changed(setup=record().setup.changed(day="2026-05-04")), "templates")
    others = (
        record(RunOptions(as_of="2024-02-29")),
        record(trust=Trust.FAILED),
        record(earlier=(EarlierQuestion(question="Who runs the plants?"),)),
    )
    assert len({entry, *(run_identity(other, "templates") for other in others)}) == 4


def test_a_follow_up_gets_the_last_four_turns_with_shortened_answers() -> None:
    run = record(earlier=tuple(EarlierQuestion(question=f"Question {number}?") for number in range(4)))
    long = answered(run.changed(read_as="What is Oak's output?"), "It makes 45 MW.\n\n" + "Much more is said. " * 100)
    turns = turns_after(long)
    assert [turn.question for turn in turns[:3]] == ["Question 1?", "Question 2?", "Question 3?"]
    assert turns[3].question == "What is Oak's output?"
    assert turns[3].answer.startswith("It makes 45 MW. Much")
    assert len(turns[3].answer) <= 600
    assert turns_after(record()) == (EarlierQuestion(question=QUESTION),)


def test_the_planner_of_a_follow_up_sees_the_earlier_turn_and_its_prompts_name_the_day(tmp_path: Path) -> None:
    engine = ScriptedEngine(read)
    folder = write_folder(tmp_path / "folder")
    investigator = Investigator(folder, model=engine, embedder=ScriptedEmbedder(), workspace=tmp_path / "w")
    first = investigator.ask(QUESTION)
    before = len(engine.asked)
    answer = investigator.ask("And the Elm plant?", after="last", as_of="2024-02-29")
    plan = engine.asked[before]
    assert [(turn.question, turn.answer) for turn in plan.variables.earlier] == [(QUESTION, first.text)]
    assert plan.text.endswith("Today is 2024-02-29.")
    assert investigator.show(answer.run.id).question == "And the Elm plant?"
    assert answer.run.day == "2024-02-29"
    assert investigator.replay(answer.run.id).same
    with investigator.opened() as measured:
        list(measured("How much power does the Birch plant make?", RunOptions()))
    assert investigator.show("last").id == answer.run.id  # not the question of a benchmark
    with pytest.raises(NotFoundError):
        investigator.ask("Was it?", after="no such run")


def test_a_question_asked_on_another_day_is_kept_with_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ScriptedEngine(read)
    folder = write_folder(tmp_path / "folder")
    options = {"embedder": ScriptedEmbedder(), "workspace": tmp_path / "w"}
    first = Investigator(folder, model=engine, **options).ask(QUESTION)
    monkeypatch.setattr("investigator.services.run_records.day_of", lambda new, now: "2031-01-01")
    calls = len(engine.asked)
    again = Investigator(folder, model=engine, **options).ask(QUESTION)
    assert (again, len(engine.asked)) == (first, calls)
    fresh = Investigator(folder, model=engine, **options).ask(QUESTION, fresh=True)
    assert fresh.run.day == "2031-01-01"


def test_a_new_grade_gives_a_new_answer_without_new_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    engine = ScriptedEngine(read, name="graded")
    folder = write_folder(tmp_path / "folder")
    options = {"embedder": ScriptedEmbedder(), "workspace": tmp_path / "w"}
    before = Investigator(folder, model=engine, **options).ask(QUESTION)
    Grades().keep("graded", {Role.ASK: 0.0})
    calls = len(engine.asked)
    after = Investigator(folder, model=engine, **options).ask(QUESTION)
    assert (before.status, after.status) == (AnswerStatus.ANSWERED, AnswerStatus.PASSAGES_FOUND)
    assert (before.check.trust, after.check.trust, len(engine.asked)) == (Trust.UNGRADED, Trust.FAILED, calls)
