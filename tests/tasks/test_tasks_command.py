"""`investigator dialogue tasks` lists the tasks, and shows the examples of one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from commands import command

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "dialogue"
SQUAD, COQA = (f"{task}:datafile={EXAMPLES / task}.json" for task in ("squad", "coqa"))


def test_tasks_are_listed_with_their_tags() -> None:
    tags = {words[0]: words[1] for words in map(str.split, command("dialogue", "tasks").stdout.splitlines())}
    assert tags.keys() >= {"folder", "squad", "hotpotqa", "twowiki", "beir", "quac", "coqa"}
    assert tags["squad"] == "#QA"
    rows = [json.loads(line) for line in command("dialogue", "tasks", "--json").stdout.splitlines()]
    assert ("SQuAD", "squad", ["QA", "Reading"]) in [(row["id"], row["task"], row["tags"]) for row in rows]


def test_display_shows_texts_labels_and_how_many_candidates_there_are() -> None:
    shown = command("dialogue", "tasks", "text", "--datafile", EXAMPLES / "text.txt", "--num", "2")
    assert shown.stdout.splitlines() == [
        "- - - new episode: text - - -",
        "Ida went to the tower.",
        "Where is Ida?",
        "  labels: tower",
        "  label_candidates: 3",
        "Where was she before?",
        "  labels: mill | the mill",
    ]
    assert shown.stderr == "text: 2 episodes with 3 examples\n"


def test_display_shows_the_labels_of_an_evaluation_as_such() -> None:
    task = SQUAD.replace("squad", "squad:open", 1)
    shown = command("dialogue", "tasks", task, "--datatype", "valid:stream", "--num", 1)
    assert "  eval_labels: 3 May 1861 | 1861" in shown.stdout.splitlines()


def test_display_shows_several_tasks() -> None:
    lines = command("dialogue", "tasks", f"{SQUAD},{COQA}", "--num", "4").stdout.splitlines()
    titles = ["- - - new episode: squad - - -", "- - - new episode: coqa - - -"]
    assert [line for line in lines if line.startswith("- - -")] == titles


def test_display_gives_json_of_every_field() -> None:
    data = ("--datafile", EXAMPLES / "beir", "--datatype", "test")
    shown = command("dialogue", "tasks", "beir:candidates", *data, "--json")
    first = json.loads(shown.stdout.splitlines()[0])
    assert (first["eval_labels"], sorted(first["label_candidates"])) == (["d1"], ["d1", "d2", "d3"])


def test_what_a_file_holds_cannot_move_the_cursor(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("text:red \x1b[31m\tlabels:\x1b]0;title\x07\tnote:\x1b[2J\n", encoding="utf-8")
    shown = command("dialogue", "tasks", "text", "--datafile", file)
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert "\\x1b[31m" in shown.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["sqad"], "Did you mean squad"),
        (["#qa"], "the task folder needs a file of data"),
        (["squad", "--datafile", "none.json"], "file or folder not found: none.json"),
        ([SQUAD, "--datatype", "valdi"], "'valdi'"),
    ],
)
def test_wrong_use_is_told_with_what_to_do(words: list[str], problem: str) -> None:
    failed = command("dialogue", "tasks", *words)
    assert failed.exit_code == 2
    assert problem in failed.stderr


@pytest.mark.parametrize("content", [b"", b'{"data": [{"question": 5}]}', b"\xff\xfe\x00"])
def test_what_a_file_does_not_hold_is_told_in_one_line_and_a_hint(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "given.jsonl"
    file.write_bytes(content)
    for words in (("squad", "--datafile", file), (f"squad:datafile={file}", "--datatype", "valid:stream", "--json")):
        failed = command("dialogue", "tasks", *words)
        assert (failed.exit_code, failed.stdout) == (2, "")
        problem, hint = failed.stderr.splitlines()
        assert problem.startswith("error: ")
        assert str(file) in problem
        assert hint.startswith("hint: ")


def test_a_module_in_the_current_folder_is_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(EXAMPLES)])
    shown = command("dialogue", "tasks", "own_task.riddles", "--datafile", "own_task/riddles.txt")
    assert "  labels: a clock" in shown.stdout.splitlines()
    assert sys.path[-1] == str(EXAMPLES)


@pytest.mark.parametrize("option", [("--num", "3"), ("--datatype", "valid"), ("--datafile", "x.txt")])
def test_options_of_examples_need_a_task(option: tuple[str, str]) -> None:
    failed = command("dialogue", "tasks", *option)
    assert failed.exit_code == 2
    assert option[0] in failed.stderr
    assert "needs a TASK" in failed.stderr
