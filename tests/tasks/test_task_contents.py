"""The choice of a task's file, and files that are empty, have wrong contents, or are not text."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from investigator.dialogue.options import Opt
from investigator.errors import DataError, DialogueError
from investigator.tasks.file_teacher import data_file
from investigator.tasks.loading import create_teacher
from investigator.tasks.task_list import TASK_LIST

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "dialogue"
FILES = {file.stem: file for file in EXAMPLES.glob("*.*") if file.suffix != ".md"}
JSON_FILES = {"squad", "quac", "coqa", "hotpotqa", "twowiki"}


def made(task: str, file: Path, datatype: str = "valid") -> Any:
    return create_teacher({"task": task, "datafile": str(file), "datatype": datatype})


def refused(task: str, content: str | bytes, folder: Path, datatype: str = "valid") -> DataError:
    """Return the error about a file of a task with this content; it names the file."""
    example = FILES.get(task.partition(":")[0])
    file = folder / f"given{example.suffix if example else '.jsonl'}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as caught:
        made(task, file, datatype)
    assert str(file) in caught.value.message
    return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("squad-train-v2.0.json", "squad-dev-v2.0.json", "notes.txt", "devices.json.bak"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("option", "datatype", "name"),
    [
        ("datafile", "train:stream", "squad-train-v2.0.json"),
        ("datafile", "valid", "squad-dev-v2.0.json"),
        ("datafile", "train:ordered", "squad-train-v2.0.json"),
        ("datapath", "valid", "squad-dev-v2.0.json"),
        ("datafile", "test", "notes.txt"),  # the only file is the one for every fold
    ],
)
def test_of_a_folder_the_file_of_the_fold_is_read(folder: Path, option: str, datatype: str, name: str) -> None:
    opt = Opt({"task": "squad", option: str(folder), "datatype": datatype})
    assert data_file(opt, Path(name).suffix).name == name


def test_a_folder_without_one_clear_file_is_an_error_that_names_them(folder: Path) -> None:
    with pytest.raises(DialogueError, match="does not have exactly one file of data for test") as caught:
        made("squad", folder, "test")
    assert "squad-dev-v2.0.json, squad-train-v2.0.json" in caught.value.hint


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
        ("babi", "9" * 5000 + " Here.\n", "does not begin with a number"),
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
    assert re.search(problem, refused(task, text, tmp_path, "train").message)


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


@pytest.mark.parametrize("path", ["/dev/null", "x" * 5000, "~nobody_of_that_name/x"])
def test_what_can_be_no_file_is_an_error(path: str) -> None:
    with pytest.raises(DialogueError, match=f"file or folder not found: {path}"):
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


@pytest.mark.parametrize(("content", "datatype"), [("", "valid"), ("\ufeff \n\n\t\r\n", "valid:stream")])
@pytest.mark.parametrize("task", sorted(FILES))
def test_a_task_over_nothing_is_an_error_that_says_what_is_expected(
    task: str, content: str, datatype: str, tmp_path: Path
) -> None:
    error = refused(task, content, tmp_path, datatype)
    assert f"no example for the task {task}" in error.message
    assert error.hint.startswith("It must contain ")


def test_every_listed_task_is_among_those() -> None:
    assert {entry.task for entry in TASK_LIST} == {*FILES, "beir", "folder"}


@pytest.mark.parametrize(
    ("task", "content"),
    [
        ("squad", '{"data": []}'),
        ("squad:open", '{"data": [{"paragraphs": [{"context": "c", "qas": []}]}]}'),
        ("hotpotqa", "[]"),
        ("doc2dial", '{"turns": [{"speaker": "user", "text": "Is anybody there?"}]}'),
        ("babi", "1 Ida took the lamp.\n"),
        ("bb3x", '{"message_history": []}'),
        ("conversations", '{"dialog": [[{"id": "a", "text": "Hello?"}]]}'),
    ],
)
def test_data_of_which_nothing_can_be_asked_is_nothing(task: str, content: str, tmp_path: Path) -> None:
    assert f"no example for the task {task}" in refused(task, content, tmp_path).message


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_collection_without_one_of_its_parts_names_it(file: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "beir", tmp_path, dirs_exist_ok=True)
    (tmp_path / file).write_bytes(b"")
    with pytest.raises(DataError, match=f"{file} contains no") as caught:
        made("beir", tmp_path, "test")
    assert caught.value.hint.startswith("It must contain corpus.jsonl")


def test_released_files_without_those_of_the_fold_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "release_data_07.jsonl").write_bytes((EXAMPLES / "bb3x.jsonl").read_bytes())
    assert made("bb3x", tmp_path, "train:ordered").num_examples() == 2
    with pytest.raises(DialogueError, match="no released files for valid") as caught:
        made("bb3x", tmp_path)
    assert "release_data_03.jsonl to release_data_05.jsonl" in caught.value.hint


def test_a_copy_of_a_stream_of_several_files_reads_all_of_them(tmp_path: Path) -> None:
    for number in (3, 4, 5):
        (tmp_path / f"release_data_{number:02d}.jsonl").write_bytes((EXAMPLES / "bb3x.jsonl").read_bytes())
    teacher = made("bb3x", tmp_path, "valid:stream")
    assert len(list(teacher)) == teacher.num_examples() == 6
    assert len(list(teacher.clone())) == 6


def changed(task: str, path: str, value: object) -> str:
    """Return the example file of a task with one value changed; for JSONL, in its first line."""
    text = FILES[task].read_text(encoding="utf-8")
    content: Any = json.loads(text if task in JSON_FILES else text.split("\n")[0])
    *steps, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    place = content
    for step in steps:
        place = place[step]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(content)


@pytest.mark.parametrize("value", [5, KeyError])
@pytest.mark.parametrize(
    ("task", "path"),
    [
        ("squad", "data.0.paragraphs.0.qas.0.question"),
        ("squad", "data.0.paragraphs.0.context"),
        ("quac", "data.0.paragraphs.0.qas.0.question"),
        ("quac", "data.0.paragraphs.0.qas.0.answers.0.text"),
        ("coqa", "data.0.questions.0.input_text"),
        ("coqa", "data.0.story"),
        ("hotpotqa", "0.question"),
        ("twowiki", "0.context.0.0"),
        ("doc2dial", "turns.0.utterance"),
        ("doc2dial", "turns.0.role"),
        ("bb3x", "message_history.0.text"),
        ("conversations", "dialog.0.0.text"),
    ],
)
def test_a_text_that_is_none_is_refused_with_its_place(task: str, path: str, value: object, tmp_path: Path) -> None:
    if value is KeyError and path == "0.context.0.0":
        value = []
    error = refused(task, changed(task, path, value), tmp_path)
    named = path.rpartition(".")[0] if value is KeyError else path
    places = (named, named.replace("utterance", "text").replace("role", "speaker"), "line 1", "message_history[0]")
    assert any(place in error.message for place in places)
    assert error.hint.startswith("It must contain ")


@pytest.mark.parametrize(
    ("task", "path", "value"),
    [
        ("squad", "data.0.paragraphs.0.qas.0.answers", KeyError),
        ("squad", "data.0.paragraphs.0.qas.0.answers.0.answer_start", "59"),
        ("squad", "data.0.paragraphs.0.qas.0.is_impossible", "false"),
        ("squad", "data.0.paragraphs", {}),
        ("quac", "data.0.paragraphs.0.qas.0.yesno", 1),
        ("coqa", "data.0.questions.0.turn_id", "1"),
        ("coqa", "data.0.additional_answers", []),
        ("hotpotqa", "0.answer", 5),
        ("hotpotqa", "0.context.0.1.0", 5),
        ("hotpotqa", "0.context", "[" * 100_000),
        ("hotpotqa", "0.supporting_facts.0.1", "1"),
        ("twowiki", "0.evidences", [["a", "b"]]),
        ("doc2dial", "turns", {}),
        ("doc2dial", "turns", []),
        ("doc2dial", "search", "yes"),
        ("bb3x", "message_history", {}),
        ("bb3x", "message_history.0.sender", "nobody"),
        ("conversations", "dialog", {}),
    ],
)
def test_a_field_of_another_type_is_refused(task: str, path: str, value: object, tmp_path: Path) -> None:
    refused(task, changed(task, path, value), tmp_path)


def test_collections_and_questions_are_read_as_strictly(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "beir", tmp_path, dirs_exist_ok=True)
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"_id": "q9", "text": 5}\n' + queries.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(DataError, match=r"queries\.jsonl, line 1: text: Input should be .*, in 5"):
        made("beir", tmp_path, "test")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": 1, "question": 5, "answers": [1911]}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"line 1: question: Input should be a valid string, in 5"):
        made("folder", questions)


def test_a_coqa_question_without_an_answer_is_named(tmp_path: Path) -> None:
    error = refused("coqa", changed("coqa", "data.0.answers.1", KeyError), tmp_path)
    assert "turn 2 of mill has no answer" in error.message


def test_ids_may_be_numbers(tmp_path: Path) -> None:
    file = tmp_path / "squad.json"
    file.write_text(changed("squad", "data.0.paragraphs.0.qas.0.id", 17), encoding="utf-8")
    assert next(iter(made("squad", file)))["question_id"] == "17"


@pytest.mark.parametrize("task", sorted(FILES))
def test_line_ends_of_windows_and_a_mark_of_the_byte_order_change_nothing(task: str, tmp_path: Path) -> None:
    content = FILES[task].read_bytes()
    file = tmp_path / FILES[task].name
    file.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert list(made(task, file)) == list(made(task, FILES[task]))


@pytest.mark.parametrize("task", sorted(FILES))
@pytest.mark.parametrize("content", [b"\xff\xfe1\0\n\0", b"[" * 200_000, b'{"a":' * 200_000, b"null"])
def test_what_is_no_data_at_all_is_named_and_never_crashes(task: str, content: bytes, tmp_path: Path) -> None:
    error = refused(task, content, tmp_path)
    assert error.hint
    assert len(error.message) < 600 + len(str(tmp_path))


def test_where_bytes_are_no_text_the_line_is_named(tmp_path: Path) -> None:
    content = FILES["squad"].read_bytes().replace(b"kept the", b"k\xe9pt the", 1)
    number = content[: content.index(b"\xe9")].count(b"\n") + 1
    error = refused("squad", content, tmp_path)
    assert f"line {number}: byte " in error.message
    assert error.hint == "Save the file as UTF-8."
