"""The choice of a task's file, and errors if it cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from investigator.dialogue.options import Opt
from investigator.errors import DataError, DialogueError
from investigator.tasks.file_teacher import data_file
from investigator.tasks.loading import create_teacher

DATA = Path(__file__).resolve().parents[2] / "data" / "dialogue"


def opt(path: Path, **options: object) -> Opt:
    return Opt({"task": "squad", "datafile": str(path), **options})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("squad-train-v2.0.json", "squad-dev-v2.0.json", "notes.txt", "devices.json.bak"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("datatype", "file"), [("train:stream", "train"), ("valid", "dev"), ("train:ordered", "train")]
)
def test_of_a_folder_the_file_of_the_fold_is_read(folder: Path, datatype: str, file: str) -> None:
    assert data_file(opt(folder, datatype=datatype), ".json").name == f"squad-{file}-v2.0.json"


def test_the_only_file_is_the_one_for_every_fold(folder: Path) -> None:
    assert data_file(opt(folder, datatype="test"), ".txt").name == "notes.txt"


def test_a_folder_without_one_clear_file_is_an_error_that_names_them(folder: Path) -> None:
    with pytest.raises(DialogueError, match="does not have exactly one file of data for test") as caught:
        data_file(opt(folder, datatype="test"), ".json")
    assert "squad-dev-v2.0.json, squad-train-v2.0.json" in caught.value.hint


def test_datapath_stands_in_for_datafile(folder: Path) -> None:
    assert data_file(Opt({"datapath": str(folder), "datatype": "valid"}), ".json").name == "squad-dev-v2.0.json"


@pytest.mark.parametrize("task", ["squad", "beir", "text", "folder"])
def test_a_task_without_a_file_or_with_one_that_is_not_there_says_so(task: str, tmp_path: Path) -> None:
    with pytest.raises(DialogueError, match=f"the task {task} needs a") as caught:
        create_teacher({"task": task})
    assert f"{task}:datafile=PATH" in caught.value.hint
    with pytest.raises(DialogueError, match="file or folder not found"):
        create_teacher({"task": task, "datafile": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("task", "text", "problem"),
    [
        ("hotpotqa", '[{"_id": "1", "question": "Why?", "context": {"title": ["A"], "sentences": []}}]', r"0\.context"),
        ("babi", "1 Here.\nThere.\n", "line 2: it does not begin with a number"),
        ("babi", "1 Here.\n2 Where? \tthere\t9\n", "line 2: a question must be followed by its answer"),
        ("bb3x", '{"message_history": []}\n{"message_history": 3}\n', "line [12]"),
        ("text", "text:Hi\n", "line 1"),
        ("conversations", '{"dialog": []}\n{"dialogue": []}\n', "line 2"),
        (
            "folder:folder=.",
            '{"id": "1", "question": "Why?"}\n{"id": "1", "question": "Why?"}\n',
            "line 2 .*occurs twice",
        ),
        ("folder:folder=.", '{"id": "1"}\n', "line 1: question: Field required"),
    ],
)
def test_a_broken_file_is_named_with_the_place_and_the_fault(
    tmp_path: Path, task: str, text: str, problem: str
) -> None:
    file = tmp_path / "broken.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=problem) as caught:
        create_teacher({"task": task, "datafile": str(file)})
    assert "broken.json" in caught.value.message


def test_a_coqa_question_without_an_answer_is_named(tmp_path: Path) -> None:
    value = json.loads((DATA / "coqa.json").read_text(encoding="utf-8"))
    del value["data"][0]["answers"][1]
    file = tmp_path / "coqa.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(DataError, match="turn 2 of mill has no answer"):
        create_teacher({"task": "coqa", "datafile": str(file)})


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        ("babi:task1k:21", "no task '21'"),
        ("babi:task1k:3", "has no bAbI task 3 for train"),
        ("bb3x:label_agent=robot", "label_agent cannot be 'robot'"),
        ("bb3x:selection=best", "selection cannot be 'best'"),
    ],
)
def test_a_wrong_argument_of_a_task_is_named(tmp_path: Path, task: str, problem: str) -> None:
    (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(DialogueError, match=problem):
        create_teacher({"task": task, "datapath": str(tmp_path)})


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/dev/null", "file or folder not found"),
        ("x" * 5000, "file or folder not found"),
        ("~nobody_of_that_name/x", "file or folder not found: ~nobody_of_that_name"),
    ],
)
def test_what_can_be_no_file_is_an_error(path: str, problem: str) -> None:
    with pytest.raises(DialogueError, match=problem):
        create_teacher({"task": "squad", "datafile": path})


def test_the_folder_of_documents_must_be_clear(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "Why?", "answers": ["So."]}\n', encoding="utf-8")
    options = {"task": "folder", "datafile": str(questions)}
    with pytest.raises(DialogueError, match="found 0"):
        create_teacher(options)
    for name in ("one", "two", ".hidden"):
        (tmp_path / name).mkdir()
    with pytest.raises(DialogueError, match="found 2"):
        create_teacher(options)
    with pytest.raises(DialogueError, match="folder not found"):
        create_teacher({**options, "folder": str(tmp_path / "three")})
    (message,) = create_teacher({**options, "folder": str(tmp_path / "two"), "datatype": "valid"})
    assert message["folder"] == str(tmp_path / "two")
