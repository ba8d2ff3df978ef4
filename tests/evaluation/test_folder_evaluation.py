"""Questions about a small folder, with the real method: outcomes are stored, runs resume, no question is repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.asking.budget import Budget, BudgetSettings, BudgetSpent
from investigator.errors import CredentialError, DataError, EngineError, StoreError
from investigator.evaluation.folder import FolderEvaluation, check_outside
from investigator.evaluation.measures import Cost, Measure
from investigator.evaluation.questions import Question, read_questions
from investigator.evaluation.results import FolderReport, Judgement
from investigator.evaluation.tables import folder_page, folder_text
from investigator.records import Event, Notice, Progressed, Prompt, Reply
from investigator.settings import load_settings
from investigator.store.in_memory import JointLedger

TEXTS = {
    "mill.txt": "The mill by the river burned down in 1911. It belonged to the Weber family.",
    "ferry.md": "# The ferry\n\nThe ferry crossed the lake until 1950. A crossing cost two crowns.",
    "train.txt": "The train reached the village in 1890 and left it in 1960.",
}
QUESTIONS = [
    {
        "id": "mill",
        "question": "When did the mill by the river burn down?",
        "answers": ["1911"],
        "answerable": True,
        "doc_ids": ["mill.txt"],
        "evidence": ["The mill by the river burned down in 1911."],
        "kind": "date",
        "licence": "unknown keys do no harm",
    },
    {"id": "wine", "question": "Which wine grows in Patagonia?", "answerable": False, "kind": "absent"},
    {"id": "ferry", "question": "What did a crossing of the lake by ferry cost?", "answerable": True},
]


REPLIES: dict[str, object] = {
    "planner/plan": {"parts": [], "scope": "some", "steps": []},
    "query/ask": {"readings": []},
    "answer/answer": {"lead": None, "details": [], "parts": []},
    "answer/check": {"statements": []},
    "reflection/reflect": {"known": [], "unknown": [], "wordings": []},
}


class Broken:
    """An engine that fails on questions about wine as long as it is broken."""

    name = "scripted:broken"

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.calls = 0

    def reply(self, prompt: Prompt) -> Reply:
        self.calls += 1
        if self.error and "wine" in prompt.text:
            raise self.error
        return Reply(text=json.dumps(REPLIES[prompt.template]))


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are what test_estimates.py is about; here they would take half of the time."""
    monkeypatch.setattr("investigator.evaluation.estimates._RESAMPLES", 50)


@dataclass(frozen=True)
class Place:
    """A folder, and questions about it."""

    folder: Path
    questions: tuple[Question, ...]

    def evaluation(
        self,
        *,
        limit: int | None = None,
        out: Path | None = None,
        fresh: bool = False,
        repetition: int = 0,
        joint: Budget | None = None,
        **own: object,
    ) -> FolderEvaluation:
        given = {"embedder": ScriptedEmbedder(), "workspace": self.folder.parent / "space"} | own
        investigator = Investigator(self.folder, joint=joint, **given)  # type: ignore[arg-type]
        return FolderEvaluation(
            investigator, self.questions, limit=limit, out=out, fresh=fresh, repetition=repetition, joint=joint
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder, file = tmp_path / "folder", tmp_path / "questions.jsonl"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    file.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS), encoding="utf-8")
    return Place(folder, read_questions(file))


def finished(running: FolderEvaluation) -> FolderReport:
    for _ in running.run():
        pass
    return running.report()


def until_asked(events: Iterator[Event], count: int) -> None:
    """Continue until the given number of questions are finished, and stop there as Ctrl-C would."""
    for event in events:
        if isinstance(event, Progressed) and event.phase == "questions" and event.done == count:
            break
    events.close()  # type: ignore[attr-defined]


def lines(stored: FolderEvaluation) -> list[str]:
    assert stored.file is not None
    return stored.file.read_text(encoding="utf-8").splitlines()


def test_a_question_file_is_asked_and_measured(place: Place) -> None:
    running = place.evaluation()
    events = list(running.run())
    report = running.report()
    values = {m: (estimate.value, estimate.questions) for m, estimate in report.everything.measures.items()}
    assert report.everything.questions == 3
    assert report.engine == "extractive:scripted-words"
    for measure in (Measure.CITED_FIRST, Measure.EVIDENCE_HIT):
        assert values[measure] == (1.0, 1)
    assert values[Measure.ANSWER_CONTAINS] == (1.0, 1)
    assert values[Measure.PROVEN][0] == 1.0
    assert values[Cost.CALLS][0] >= 1
    assert values[Cost.SECONDS][1] == 3
    assert [kind.kind for kind in report.kinds] == ["date", "absent"]
    last = events[-1]
    assert isinstance(last, Progressed)
    assert (last.phase, last.done, last.total) == ("questions", 3, 3)
    assert last.about[-1].endswith("s per question")


def test_statements_are_counted_by_their_check_and_each_wrong_question_is_named(place: Place) -> None:
    quote = "The mill by the river burned down in 1911."
    replies = REPLIES | {
        "query/ask": {"readings": [{"document": "mill.txt", "verdict": "answers", "point": 90, "quotes": [quote]}]},
        "answer/answer": {
            "lead": {"text": "It burned down in 1911.", "evidence": ["E1"]},
            "details": [
                {"head": "owner", "text": "The Webers set fire to it.", "evidence": ["E1"]},
                {"head": "place", "text": "It stood by the river in the north.", "evidence": ["E1"]},
            ],
            "parts": [{"part": 1, "status": "answered"}],
        },
        "answer/check": {
            "statements": [
                {"number": 1, "support": "supported"},
                {"number": 2, "support": "unsupported", "reason": "no fire-raiser is named"},
                {"number": 3, "support": "in_part", "reason": "north is not said"},
            ],
            "answers": "yes",
        },
    }
    model = ScriptedEngine({name: json.dumps(reply) for name, reply in replies.items()})
    running = place.evaluation(model=model)
    report = finished(running)
    assert running.outcomes["mill"].answer == "It burned down in 1911. place: It stood by the river in the north."
    assert (report.statements, report.unsupported, report.withheld) == (6, 3, 3)
    assert [(each.id, each.judgement) for each in report.questions] == [
        *(("mill", Judgement.RIGHT), ("wine", Judgement.WRONG), ("ferry", Judgement.UNMEASURED))
    ]
    shown = folder_text(report).plain.splitlines()
    table = next(number for number, line in enumerate(shown) if line.startswith("question  judged"))
    assert [line.split()[0] for line in shown[table + 1 : table + 4]] == ["wine", "mill", "ferry"]
    assert "It burned down in 1911." in shown[table + 2]
    assert "1911, in mill.txt" in shown[table + 2]
    assert "  ferry: its row has no answers" in "\n".join(shown)
    page = folder_page(report)
    assert all(words in page for words in ("1 wrong, 1 right, 1 not measured", "1911, in mill.txt", "burned down"))
    assert report.questions[0].run_id in page
    assert "6 statements, 3 of them not fully supported; 3 withheld" in folder_text(report).plain


def test_a_stopped_evaluation_goes_on_and_measures_the_same(place: Place) -> None:
    stopped = place.evaluation()
    until_asked(stopped.run(), 2)
    assert len(lines(stopped)) == 2
    again = place.evaluation()
    events = list(again.run())
    assert any(isinstance(event, Notice) and event.text.startswith("2 of 3 outcomes already exist") for event in events)
    assert [event.done for event in events if isinstance(event, Progressed) and event.phase == "questions"] == [3]
    whole = finished(place.evaluation(workspace=place.folder.parent / "other"))
    measures = [
        {m: running for m, running in r.everything.measures.items() if m != "seconds"} for r in (again.report(), whole)
    ]
    assert measures[0] == measures[1]


def test_a_line_that_was_cut_off_and_questions_beyond_a_limit_are_asked(place: Place) -> None:
    assert finished(place.evaluation(limit=1)).everything.questions == 1
    two = place.evaluation(limit=2)
    assert finished(two).everything.questions == len(lines(two)) == 2
    finished(whole := place.evaluation())
    assert whole.file is not None
    whole.file.write_text("\n".join((*lines(whole)[:2], lines(whole)[2][:40])), encoding="utf-8")
    assert finished(again := place.evaluation()).everything.questions == 3
    assert [json.loads(line)["id"] for line in lines(again)] == ["mill", "wine", "ferry"]


def test_fresh_asks_everything_anew_and_an_answer_of_an_earlier_run_has_no_time(place: Place) -> None:
    finished(first := place.evaluation())
    before = {json.loads(line)["run_id"] for line in lines(first)}
    report = finished(place.evaluation(out=place.folder.parent / "elsewhere.jsonl"))
    assert (report.everything.questions, Cost.SECONDS in report.everything.measures) == (3, False)
    finished(again := place.evaluation(fresh=True))
    after = {json.loads(line)["run_id"] for line in lines(again)}
    assert len(after) == 3
    assert before.isdisjoint(after)


def test_other_documents_or_settings_are_another_evaluation(place: Place) -> None:
    finished(first := place.evaluation())
    finished(other := place.evaluation(settings=load_settings(None, ["research.rounds=1"])))
    (place.folder / "new.txt").write_text("A new document.", encoding="utf-8")
    finished(third := place.evaluation())
    assert len({first.file, other.file, third.file}) == 3
    with pytest.raises(DataError, match="other questions, documents, models or settings"):
        finished(place.evaluation(out=first.file))


def test_a_file_that_holds_something_else_is_left_alone_and_a_folder_is_no_file(place: Place) -> None:
    notes = place.folder.parent / "notes.jsonl"
    notes.write_text('{"note": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 1 of"):
        finished(place.evaluation(out=notes))
    assert notes.read_text(encoding="utf-8") == '{"note": 1}\n'
    with pytest.raises(StoreError, match="cannot be read or written"):
        finished(place.evaluation(out=place.folder.parent))


def test_a_row_with_answers_is_answerable_and_fields_that_no_question_has_are_named_once(tmp_path: Path) -> None:
    file, notes = tmp_path / "q.jsonl", list[str]()
    row = '{"id": "%d", "question": "Who?", "answer": "Ann", "doc_id": "a.txt"}\n'
    file.write_text(row % 1 + row % 2 + '{"id": "3", "question": "Why?", "answers": ["no"]}\n', encoding="utf-8")
    assert [question.answerable for question in read_questions(file, notes.append)] == [None, None, True]
    assert notes == [f"fields of {file} that are not known are ignored: answer, doc_id"]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ('{"id": "1", "question": "a?"}\n{"id": "1", "question": "b?"}\n', "line 2 .* the id 1"),
        ('{"id": "1"}\n', "line 1: .*question"),
        ('{"id": "1", "question": " "}\n', "the question 1 is empty"),
        ('{"id": "1", "question": "a?", "answerable": "perhaps"}\n', "line 1: .*answerable"),
        ('{"id": "1", "question": "a?", "answers": ["b"], "answerable": false}\n', "the question 1 has answers"),
        ("[]\n", "line 1"),
        ("", "contains no questions"),
    ],
)
def test_a_broken_question_file_is_told_with_the_line_or_the_question(tmp_path: Path, rows: str, problem: str) -> None:
    (tmp_path / "questions.jsonl").write_text(rows, encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        read_questions(tmp_path / "questions.jsonl")


def test_a_question_that_fails_is_asked_again_and_a_mistake_of_the_user_ends_the_evaluation(place: Place) -> None:
    engine = Broken(CredentialError("the key was refused", hint="Set it."))
    with pytest.raises(CredentialError):
        finished(running := place.evaluation(model=engine))
    assert len(running.outcomes) == 1
    engine.error = EngineError("the server is down")
    report = finished(place.evaluation(model=engine))
    failed = [(each.id, each.why) for each in report.questions if each.status is None]
    assert failed == [("wine", "failed: EngineError: the server is down")]
    assert report.everything.questions == 2
    engine.error = None
    calls = engine.calls
    report = finished(place.evaluation(model=engine))
    assert [each.id for each in report.questions if each.status is None] == []
    assert report.everything.questions == 3
    assert engine.calls > calls


def test_questions_that_cannot_be_judged_are_named_before_anything_is_read(place: Place) -> None:
    first = next(place.evaluation().run())
    assert isinstance(first, Notice)
    assert first.text.startswith("1 question cannot be judged right or wrong: ferry. Add answers")


def test_right_documents_that_are_not_there_are_told(place: Place) -> None:
    (place.folder / "mill.txt").unlink()
    events = list(place.evaluation().run())
    assert Notice(text="1 of 1 right documents are not in the folder, such as mill.txt.") in events


def test_neither_questions_nor_outcomes_may_become_documents(place: Place) -> None:
    with pytest.raises(DataError, match="inside the folder"):
        place.evaluation(out=place.folder / "outcomes.jsonl")
    with pytest.raises(DataError, match="inside the folder"):
        check_outside(place.folder / "questions.jsonl", place.evaluation().investigator)
    own = place.folder / ".investigator"
    inside = place.evaluation(workspace=own, out=own / "outcomes.jsonl")
    assert finished(inside).everything.questions == 3


def test_a_repetition_is_asked_again_and_goes_on_where_it_was_stopped(place: Place) -> None:
    engine = Broken()
    first = finished(place.evaluation(model=engine))
    calls = engine.calls
    until_asked(place.evaluation(model=engine, repetition=1).run(), 2)
    repeated = finished(again := place.evaluation(model=engine, repetition=1))
    assert engine.calls == 2 * calls
    assert repeated.everything.measures[Cost.CALLS] == first.everything.measures[Cost.CALLS]
    assert {outcome.cost.calls for outcome in again.outcomes.values()} == {calls // 3}


def test_replies_that_another_run_paid_for_count_into_the_cost(place: Place) -> None:
    engine = Broken()
    finished(place.evaluation(model=engine))
    calls, dearer = engine.calls, load_settings(None, ["research.threshold=49"])  # another run with the same prompts
    finished(other := place.evaluation(model=engine, settings=dearer))
    assert engine.calls == calls
    assert all(outcome.cost.calls > 0 and outcome.value(Measure.PARSED) == 1 for outcome in other.outcomes.values())


def test_a_joint_budget_stops_the_evaluation_and_no_half_outcome_is_kept(place: Place) -> None:
    engine = Broken()
    ledger = JointLedger(lambda: 0.0)
    budget = Budget(ledger, BudgetSettings(calls=5))
    stopped = place.evaluation(model=engine, joint=budget)
    with pytest.raises(BudgetSpent):
        finished(stopped)
    assert engine.calls == 5
    assert len(lines(stopped)) == len(stopped.outcomes) < 3
    assert finished(place.evaluation(model=engine)).everything.questions == 3
