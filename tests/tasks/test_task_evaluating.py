"""An agent is evaluated on a task, and the report contains its score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from investigator.dialogue.agents import Agent
from investigator.dialogue.asking_agent import InvestigatorAgent
from investigator.dialogue.messages import Message
from investigator.dialogue.simple_agents import FixedResponseAgent, RepeatLabelAgent
from investigator.dialogue.worlds import World
from investigator.dialogue.worlds.creating import create_world
from investigator.errors import DialogueError
from investigator.records import Quote
from investigator.tasks.commands.eval_task import evaluate
from investigator.tasks.loading import Tasks

DATA = Path(__file__).resolve().parents[2] / "data"
SQUAD = f"squad:datafile={DATA / 'dialogue' / 'squad.json'}"
COQA = f"coqa:datafile={DATA / 'dialogue' / 'coqa.json'}"


class Ranker(Agent):
    """Ranks the documents in the order of their ids."""

    def act(self) -> Message:
        """All of them."""
        candidates = self.observation.get("label_candidates") if self.observation else ()
        return Message(text_candidates=sorted(candidates or (), key=str), id="ranker")


class Found(NamedTuple):
    """An answer of a desk in a test."""

    text: str
    status: str
    citations: Sequence[Quote]


class Desk:
    """An agent that knows how many children took part, but gives a wrong answer about coffee."""

    def ask(self, question: str) -> Found:
        """Always an answer, with a quote from one document."""
        document = "gambia-co-artemether-transmission.pdf" if "children" in question else "a.txt"
        quote = Quote(document_id=document, page=1, line=1, start=0, end=4, text="Text", source_hash="0")
        return Found("Because of resistance. [1]", "answered", (quote,))


def world(task: str, agent: Agent, **opt: object) -> World:
    return create_world({"task": task, "datatype": "valid", **opt}, [agent], Tasks())


def figures(report: object) -> dict[str, float]:
    assert isinstance(report, dict)
    return {name: float(metric) for name, metric in report.items()}


def test_who_repeats_the_labels_is_right_and_who_always_says_the_same_is_right_sometimes() -> None:
    assert figures(evaluate(world(SQUAD, RepeatLabelAgent({}))))["accuracy"] == 1.0
    fixed = figures(evaluate(world(SQUAD, FixedResponseAgent({"fixed_response": "Ida Marsh"}))))
    assert (fixed["accuracy"], fixed["exs"]) == (0.25, 4)


def test_a_count_ends_an_evaluation_and_a_second_one_begins_anew() -> None:
    student = world(SQUAD, RepeatLabelAgent({}))
    assert figures(evaluate(student, count=3))["exs"] == 3
    assert figures(evaluate(student))["exs"] == 4


def test_data_without_an_end_needs_a_count() -> None:
    with pytest.raises(DialogueError, match="repeats endlessly"):
        evaluate(world(SQUAD, RepeatLabelAgent({}), datatype="train"))
    assert figures(evaluate(world(SQUAD, RepeatLabelAgent({}), datatype="train"), count=50))["exs"] == 50


def test_a_ranking_is_measured_by_hits_and_reciprocal_rank() -> None:
    task = f"beir:candidates:datafile={DATA / 'dialogue' / 'beir'}"
    report = figures(evaluate(world(task, Ranker({}), datatype="test")))
    assert report["hits@1"] == 0.5  # d1 is right for the first query, and not for the second
    assert report["mrr"] == pytest.approx((1 + 1 / 2) / 2)


def test_questions_about_a_folder_are_asked_of_whoever_knows_the_documents() -> None:
    task = f"folder:datafile={DATA / 'examples' / 'questions.jsonl'}"
    report = figures(evaluate(world(task, InvestigatorAgent(investigator=Desk()))))
    assert report["exs"] == 4
    assert report["status_right"] == 0.75  # the documents say nothing of coffee
    assert report["cited_hit"] == pytest.approx(1 / 3)  # the desk knows of one document


@pytest.mark.parametrize("opt", [{}, {"batchsize": 2}])
@pytest.mark.parametrize("task", [f"{SQUAD}:datatype=train", f"{COQA},{SQUAD}:datatype=train"])
def test_data_without_end_is_noticed_where_the_task_string_asks_for_it(task: str, opt: dict[str, object]) -> None:
    with world(task, RepeatLabelAgent({}), **opt) as endless:
        with pytest.raises(DialogueError, match="repeats endlessly"):
            evaluate(endless)
        assert figures(evaluate(endless, 4))
    with world(f"{SQUAD}:datatype=valid", RepeatLabelAgent({}), datatype="train", **opt) as ending:
        assert figures(evaluate(ending))["exs"] == 4
