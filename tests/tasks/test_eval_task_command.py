"""An agent is evaluated on a task, from Python and by the command `dialogue tasks`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from commands import command
from openai_server import OpenAIServer, refusal
from typer.testing import Result

from investigator.dialogue.agents import Agent
from investigator.dialogue.asking_agent import InvestigatorAgent
from investigator.dialogue.messages import Message
from investigator.dialogue.simple_agents import FixedResponseAgent, RepeatLabelAgent
from investigator.dialogue.worlds import World, create_world
from investigator.errors import DialogueError
from investigator.records import Quote
from investigator.tasks.commands.eval_task import evaluate
from investigator.tasks.loading import Tasks

DATA = Path(__file__).resolve().parents[2] / "data"
SQUAD, COQA = (f"{task}:datafile={DATA / 'dialogue' / task}.json" for task in ("squad", "coqa"))


class Ranker(Agent):
    def act(self) -> Message:
        candidates = self.observation.get("label_candidates") if self.observation else ()
        return Message(text_candidates=sorted(candidates or (), key=str), id="ranker")


class DeskReply(NamedTuple):
    text: str
    status: str
    citations: Sequence[Quote]


class Desk:
    """Knows how many children took part, but gives a wrong answer about coffee."""

    def ask(self, question: str) -> DeskReply:
        document = "gambia-co-artemether-transmission.pdf" if "children" in question else "a.txt"
        quote = Quote(document_id=document, page=1, line=1, start=0, end=4, text="Text", source_hash="0")
        return DeskReply("Because of resistance. [1]", "answered", (quote,))


def world(task: str, agent: Agent, **opt: object) -> World:
    return create_world({"task": task, "datatype": "valid", **opt}, [agent], Tasks())


def figures(world: World, count: int | None = None) -> dict[str, float]:
    return {name: float(metric) for name, metric in evaluate(world, count).items()}


def test_a_count_ends_an_evaluation_and_a_second_one_begins_anew() -> None:
    student = world(SQUAD, RepeatLabelAgent({}))
    assert figures(student, count=3)["exs"] == 3
    again = figures(student)
    assert (again["exs"], again["accuracy"]) == (4, 1.0)
    fixed = figures(world(SQUAD, FixedResponseAgent({"fixed_response": "Ida Marsh"})))
    assert (fixed["accuracy"], fixed["exs"]) == (0.25, 4)


def test_a_ranking_is_measured_by_hits_and_reciprocal_rank() -> None:
    task = f"beir:candidates:datafile={DATA / 'dialogue' / 'beir'}"
    report = figures(world(task, Ranker({}), datatype="test"))
    assert report["hits@1"] == 0.5  # d1 is right for the first query, and not for the second
    assert report["mrr"] == pytest.approx((1 + 1 / 2) / 2)


def test_questions_about_a_folder_are_asked_of_whoever_knows_the_documents() -> None:
    task = f"folder:datafile={DATA / 'examples' / 'questions.jsonl'}"
    report = figures(world(task, InvestigatorAgent(investigator=Desk())))
    assert report["exs"] == 4
    assert report["status_right"] == 0.75  # the documents say nothing of coffee
    assert report["cited_hit"] == pytest.approx(1 / 3)  # the desk knows of one document


@pytest.mark.parametrize("opt", [{}, {"batchsize": 2}])
@pytest.mark.parametrize("task", [SQUAD, f"{SQUAD}:datatype=train", f"{COQA},{SQUAD}:datatype=train"])
def test_data_without_an_end_needs_a_count(task: str, opt: dict[str, object]) -> None:
    datatype = "valid" if "train" in task else "train"
    with world(task, RepeatLabelAgent({}), datatype=datatype, **opt) as endless:
        with pytest.raises(DialogueError, match="repeats endlessly"):
            evaluate(endless)
        examples = figures(endless, 10)["exs"]
        assert examples > 10 if opt else examples == 10
    with world(f"{SQUAD}:datatype=valid", RepeatLabelAgent({}), datatype="train", **opt) as ending:
        assert figures(ending)["exs"] == 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    text = "# Grey Point\n\nThe lighthouse of Grey Point was lit for the first time on 3 May 1861.\n"
    (made / "lighthouse.md").write_text(text, encoding="utf-8")
    return made


def eval_task(*words: object) -> Result:
    return command("dialogue", "tasks", *words)


def metrics(result: Result) -> dict[str, float]:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["metrics"]  # type: ignore[no-any-return]


def test_who_repeats_the_labels_is_right_in_each_task() -> None:
    table = eval_task(SQUAD, "--agent", "repeat_label").stdout.splitlines()
    assert [name.split()[:2] for name in table] == [["exs", "accuracy"], ["4", "1"]]
    both = metrics(eval_task(f"{SQUAD},{COQA}", "--agent", "repeat_label", "--json"))
    assert (both["squad/exs"], both["coqa/exs"], both["exs"]) == (4, 3, 7)
    assert both["squad/accuracy"] == both["coqa/accuracy"] == 1.0


def test_a_number_of_examples_is_made_up_to_whole_batches() -> None:
    words = (SQUAD, "--agent", "repeat_label", "--json", "--num", 3, "--batchsize")
    assert [metrics(eval_task(*words, size))["exs"] for size in (1, 2)] == [3, 4]


@pytest.mark.parametrize("agent", ["investigator", "bb3_chat"])
def test_the_documents_are_asked_and_a_chat_is_too(folder: Path, agent: str) -> None:
    words = ("squad:open", "--datafile", DATA / "dialogue" / "squad.json", "--folder", folder)
    report = metrics(eval_task(*words, "--agent", agent, "--num", 1, "--json"))
    assert (report["exs"], report["recall"]) == (1.0, 1.0)  # "3 May 1861", in a whole sentence
    assert report["accuracy"] == 0.0


def test_a_ceiling_ends_it_with_the_figures_so_far(folder: Path) -> None:
    words = (f"{SQUAD}", "--folder", folder, "--agent", "bb3_chat", "--set", "budget.calls=12")
    result = eval_task(*words, "--json")
    assert result.exit_code == 4
    assert 0 < json.loads(result.stdout)["metrics"]["exs"] < 4
    assert "stopped(calls)" in result.stderr


def test_a_model_that_fails_is_told_with_its_hint(folder: Path, openai_server: OpenAIServer) -> None:
    openai_server.answer(refusal(401, "wrong key"))
    words = (SQUAD, "--folder", folder, "--model", "openai:m", "--agent", "bb3_chat")
    result = eval_task(*words, "--set", f"chat.base_url={openai_server.url}")
    assert result.exit_code == 2
    assert "key" in result.stderr
    assert "hint: " in result.stderr


def test_options_that_the_agent_cannot_use_are_refused_by_name(folder: Path) -> None:
    words = ("--agent", "repeat_label", "--model", "openai:m", "--folder", folder, "--set", "budget.calls=1")
    result = eval_task(SQUAD, *words)
    assert result.exit_code == 2
    assert "the agent repeat_label cannot use --model and --set" in result.stderr
    assert "hint: Omit --model and --set" in result.stderr


def test_a_folder_that_only_the_task_reads_is_used(folder: Path) -> None:
    questions = folder.parent / "questions.jsonl"
    questions.write_text(json.dumps({"id": "1", "question": "When was it lit?", "answers": ["1861"]}), encoding="utf-8")
    (folder.parent / "another").mkdir()  # so that the task cannot tell by itself which folder is meant
    words = ("folder", "--datafile", questions, "--agent", "repeat_label")
    assert eval_task(*words).exit_code == 2
    assert metrics(eval_task(*words, "--folder", folder, "--json"))["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([SQUAD, "--agent", "investigator"], "needs a folder of documents"),
        (["--agent", "investigator"], "an agent needs a task"),
        ([SQUAD, "--set", "budget.calls=1", "--folder", "x"], "--set and --folder: only an agent can use this"),
        ([SQUAD, "--agent", "bb3_chta"], "bb3_chat"),
        (["squad", "--agent", "repeat_label"], "squad:datafile=PATH"),
        ([SQUAD, "--agent", "repeat_label", "--datatype", "train"], "repeats endlessly"),
    ],
)
def test_wrong_use_is_told_with_what_to_do(words: list[str], why: str) -> None:
    result = eval_task(*words)
    assert result.exit_code == 2
    assert why in result.stderr
