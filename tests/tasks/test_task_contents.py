"""Files of tasks that are empty, have wrong contents, or are not text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigator.errors import DataError, DialogueError
from investigator.tasks.loading import create_teacher
from investigator.tasks.task_list import TASK_LIST

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "dialogue"
FILES = {file.stem: file for file in EXAMPLES.glob("*.*") if file.suffix != ".md"}
JSON_FILES = {"squad", "quac", "coqa", "hotpotqa", "twowiki"}


def made(task: str, file: Path, datatype: str = "valid") -> Any:
    return create_teacher({"task": task, "datafile": str(file), "datatype": datatype})


def refused(task: str, content: str | bytes, folder: Path, datatype: str = "valid") -> DataError:
    """Return the error about a file of a task with this content; it names the file."""
    file = folder / f"given{FILES[task.partition(':')[0]].suffix}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as caught:
        made(task, file, datatype)
    assert str(file) in caught.value.message
    return caught.value


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
    for part in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        (tmp_path / part).write_bytes(b"" if part == file else (EXAMPLES / "beir" / part).read_bytes())
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
    for part in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        (tmp_path / part).write_bytes((EXAMPLES / "beir" / part).read_bytes())
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"_id": "q9", "text": 5}\n' + queries.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(DataError, match=r"queries\.jsonl, line 1: text: Input should be .*, in 5"):
        made("beir", tmp_path, "test")
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": 1, "question": 5, "answers": [1911]}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"line 1: question: Input should be a valid string, in 5"):
        made("folder", questions)


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
@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe1\0\n\0",
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"null",
    ],
)
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


def test_a_number_without_end_is_no_number_of_a_line(tmp_path: Path) -> None:
    assert "does not begin with a number" in refused("babi", "9" * 5000 + " Here.\n", tmp_path).message
