"""Names of tasks and agents have the recorded meaning. Rows name modules of ParlAI, for which modules with empty
classes are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from golden_rows import golden_test

from investigator.dialogue import registry
from investigator.dialogue.agents import Agent
from investigator.dialogue.datatypes import cumulative_weights, multitask_weights
from investigator.dialogue.options import Opt
from investigator.dialogue.registry import agent_class_name, agent_places, load_class
from investigator.dialogue.task_strings import TaskEntry, WorldName, expanded, required_task, split_task, task_module
from investigator.dialogue.teachers import Teacher
from investigator.dialogue.worlds import World, default_world
from investigator.tasks import loading
from investigator.tasks.loading import Tasks
from investigator.tasks.task_list import TASK_LIST

TEACHERS = {
    "integration_tests": """Default Multiturn Nocandidate Candidate Overfit FixedDialogCandidate RepeatWords Classifier
        Reverse MultiturnCandidate MultiturnNocandidate BadExample Multipass Chunky ShortFixed InfiniteTrain""",
    "jsonfile": "Default Json",
    "fromfile": "Default Parlaiformat",
    "squad": "Default Index Open Title Fulldoc Sentence",
    "babi": "Default Task1k Task10k All1k All10k",
    "interactive": "Default",
    "self_chat": "Default",
}
WORLDS = {
    "interactive": "Interactive",
    "self_chat": "SelfChat",
    "blended_skill_talk": "Interactive SelfChat",
    "wizard_of_wikipedia": "Interactive",
}
AGENTS = """fixed_response.fixed_response local_human.local_human random_candidate.random_candidate
    repeat_label.repeat_label repeat_query.repeat_query seq2seq.seq2seq test_agents.unigram transformer.generator
    transformer.transformer"""
"""Modules of ParlAI that rows may name, each with the one agent that the rule says it has."""

LISTED = tuple(
    TaskEntry(name, task, (), "")
    for name, task in (("SQuAD", "squad"), ("bAbI-1k", "babi:All1k"), ("bAbI-10k", "babi:All10k"))
)


def classes(base: type[Any], place: str, names: str, ending: str) -> SimpleNamespace:
    """Return a module of ParlAI with classes of these names."""
    kinds = [type(f"{name}{ending}", (base,), {"__module__": f"parlai.{place}"}) for name in names.split()]
    return SimpleNamespace(**{kind.__name__: kind for kind in kinds})


MODULES = {
    **{f"parlai.tasks.{t}.agents": classes(Teacher, f"tasks.{t}.agents", n, "Teacher") for t, n in TEACHERS.items()},
    **{f"parlai.tasks.{t}.worlds": classes(World, f"tasks.{t}.worlds", n, "World") for t, n in WORLDS.items()},
    **{
        f"parlai.agents.{place}": classes(Agent, f"agents.{place}", agent_class_name(place.rpartition(".")[2]), "")
        for place in AGENTS.split()
    },
}


@pytest.fixture(autouse=True)
def _parlai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_module", MODULES.get)


def place(kind: type[Any] | None) -> Any:
    """Return the place of a class; ours are named by the module in which ParlAI has them."""
    if kind is None:
        return {"ok": None}
    ours = kind.__module__.startswith("investigator.dialogue.worlds")
    return {"ok": f"{'parlai.core.worlds' if ours else kind.__module__}:{kind.__name__}"}


@contextmanager
def tasks_of_parlai(kind: str) -> Iterator[Tasks]:
    """Look up names without a dot in ParlAI's modules of this kind, not in ours."""

    def module(task: str) -> str:
        return re.sub(r"^investigator\.tasks\.(.*)", rf"parlai.tasks.\1.{kind}", task_module(task))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "task_module", module)
        yield Tasks()


def load_teacher(given: Any) -> Any:
    with tasks_of_parlai("agents") as tasks:
        return place(tasks.teacher_class(given["task"]))


def load_world(given: Any) -> Any:
    name = WorldName.SELF_CHAT if given.get("selfchat_task") else WorldName.DEFAULT
    name = WorldName.INTERACTIVE if given.get("interactive_task") else name
    number = given.get("num_agents")
    with tasks_of_parlai("worlds") as tasks:
        return place(tasks.world_class(given["task"], name) or (default_world(number) if number else None))


def tag_counts(_: Any) -> Any:
    tags = sorted({tag for entry in TASK_LIST for tag in entry.tags})
    return {"ok": {tag: sum(tag in entry.tags for entry in TASK_LIST) for tag in tags}}


def cumulative(given: Any) -> Any:
    weights = given["weights"]
    known = multitask_weights(weights) if isinstance(weights, str) else tuple(weights)
    return {"cum_task_weights": cumulative_weights(known, given["task_sizes"])}


ADAPTERS = {
    "task_flags": lambda given: {"ok": {"task": split_task(given["task"]).task, **split_task(given["task"]).options}},
    "ids_to_tasks": lambda given: {"ok": {"tasks": ",".join(expanded(required_task(Opt(given)), LISTED))}},
    "tag_counts": tag_counts,
    "load_teacher": load_teacher,
    "load_world": load_world,
    "multitask_weights_arg": lambda given: {"ok": multitask_weights(given["arg"])},
    "cum_task_weights": cumulative,
    "load_agent": lambda given: place(load_class(agent_places(given["model"], "parlai.agents"), Agent, sought="agent")),
    "agent_class_name": lambda given: {"class": agent_class_name(given["name"])},
}

test_a_name_means_what_it_meant = golden_test("task_strings", ADAPTERS)
