"""The command `eval task`, which evaluates an agent on a task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from openai_server import OpenAIServer, refusal
from typer.testing import CliRunner, Result

from investigator.cli.main import app

DATA = Path(__file__).resolve().parents[2] / "data" / "dialogue"
SQUAD = DATA / "squad.json"


def command(*words: str | Path | int) -> Result:
    return CliRunner().invoke(app, ["dialogue", "eval", *map(str, words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "lighthouse.md").write_text(
        "# Grey Point\n\nThe lighthouse of Grey Point was lit for the first time on 3 May 1861.\n", encoding="utf-8"
    )
    return made


def test_who_repeats_the_labels_is_right() -> None:
    table = command("squad", "--datafile", SQUAD, "--agent", "repeat_label").stdout.splitlines()
    assert [name.split()[:2] for name in table] == [["exs", "accuracy"], ["4", "1"]]


def test_several_tasks_have_figures_each() -> None:
    both = f"squad:datafile={SQUAD},coqa:datafile={DATA / 'coqa.json'}"
    figures = json.loads(command(both, "--agent", "repeat_label", "--json").stdout)["metrics"]
    assert (figures["squad/exs"], figures["coqa/exs"], figures["exs"]) == (4, 3, 7)
    assert figures["squad/accuracy"] == figures["coqa/accuracy"] == 1.0


def test_a_number_of_examples_is_made_up_to_whole_batches() -> None:
    words = ("squad", "--datafile", SQUAD, "--agent", "repeat_label", "--json", "--num", 3, "--batchsize")
    assert [json.loads(command(*words, size).stdout)["metrics"]["exs"] for size in (1, 2)] == [3, 4]


def test_the_documents_are_asked_and_a_chat_is_too(folder: Path) -> None:
    for agent in ("investigator", "bb3_chat"):
        result = command("squad:open", "--datafile", SQUAD, "--folder", folder, "--agent", agent, "--num", 1, "--json")
        assert result.exit_code == 0, result.stderr
        figures = json.loads(result.stdout)["metrics"]
        assert (figures["exs"], figures["recall"]) == (1.0, 1.0)  # "3 May 1861", in a whole sentence
        assert figures["accuracy"] == 0.0


def test_a_ceiling_ends_it_with_the_figures_so_far(folder: Path) -> None:
    words = ("squad:open", "--datafile", SQUAD, "--folder", folder, "--agent", "bb3_chat", "--set", "budget.calls=12")
    result = command(*words, "--json")
    assert result.exit_code == 4
    assert 0 < json.loads(result.stdout)["metrics"]["exs"] < 4
    assert "stopped(calls)" in result.stderr


def test_a_model_that_fails_is_told_with_its_hint(folder: Path, openai_server: OpenAIServer) -> None:
    openai_server.answer(refusal(401, "wrong key"))
    words = ("squad:open", "--datafile", SQUAD, "--folder", folder, "--model", "openai:m", "--agent", "bb3_chat")
    result = command(*words, "--set", f"chat.base_url={openai_server.url}")
    assert result.exit_code == 2
    assert "key" in result.stderr
    assert "hint: " in result.stderr


def test_options_that_the_agent_cannot_use_are_refused_by_name(folder: Path) -> None:
    words = ("--agent", "repeat_label", "--model", "openai:m", "--folder", folder, "--set", "budget.calls=1")
    result = command("squad", "--datafile", SQUAD, *words)
    assert result.exit_code == 2
    assert "the agent repeat_label cannot use --model and --set" in result.stderr
    assert "hint: Omit --model and --set" in result.stderr


def test_a_folder_that_only_the_task_reads_is_used(folder: Path) -> None:
    questions = folder.parent / "questions.jsonl"
    questions.write_text(json.dumps({"id": "1", "question": "When was it lit?", "answers": ["1861"]}), encoding="utf-8")
    (folder.parent / "another").mkdir()  # so that the task cannot tell by itself which folder is meant
    words = ("folder", "--datafile", questions, "--agent", "repeat_label")
    assert command(*words).exit_code == 2
    result = command(*words, "--folder", folder, "--json")
    assert (result.exit_code, json.loads(result.stdout)["metrics"]["accuracy"]) == (0, 1.0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["squad", "--datafile", SQUAD], "needs a folder of documents"),
        (["squad", "--datafile", SQUAD, "--agent", "bb3_chta"], "bb3_chat"),
        (["squad", "--agent", "repeat_label"], "squad:datafile=PATH"),
        (["squad", "--datafile", SQUAD, "--agent", "repeat_label", "--datatype", "train"], "repeats endlessly"),
    ],
)
def test_wrong_use_is_told_with_what_to_do(words: list[str | Path], why: str) -> None:
    result = command(*words)
    assert result.exit_code == 2
    assert why in result.stderr
