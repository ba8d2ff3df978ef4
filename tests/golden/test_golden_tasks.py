"""Task strings have the recorded meaning. Rows name modules of ParlAI, for which a package of that name with empty
classes is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from golden_rows import Row, check, each_row

from investigator.dialogue.datatypes import cumulative_weights, multitask_weights
from investigator.dialogue.options import Opt
from investigator.dialogue.task_strings import TaskEntry, WorldName, expanded, required_task, split_task, task_module
from investigator.dialogue.worlds import default_world
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
    "interactive": ("Interactive",),
    "self_chat": ("SelfChat",),
    "blended_skill_talk": ("Interactive", "SelfChat"),
    "wizard_of_wikipedia": ("Interactive",),
}

LISTED = (
    TaskEntry("SQuAD", "squad", (), ""),
    TaskEntry("bAbI-1k", "babi:All1k", (), ""),
    TaskEntry("bAbI-10k", "babi:All10k", (), ""),
)


@pytest.fixture(scope="module", autouse=True)
def _parlai(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Create a package with ParlAI's modules and classes by name."""
    root = tmp_path_factory.mktemp("packages")
    for task, kinds in TEACHERS.items():
        classes = "".join(f"class {kind}Teacher(Teacher): ...\n" for kind in kinds.split())
        write(root / "parlai" / "tasks" / task / "agents.py", f"from {TEACHER} import Teacher\n{classes}")
    for task, names in WORLDS.items():
        classes = "".join(f"class {name}World(World): ...\n" for name in names)
        write(root / "parlai" / "tasks" / task / "worlds.py", f"from {WORLD} import World\n{classes}")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root))
        yield


TEACHER, WORLD = "investigator.dialogue.teachers", "investigator.dialogue.worlds"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def place(kind: type[Any] | None) -> str | None:
    """Return the place of a class; ours are named by the module in which ParlAI has them."""
    if kind is None:
        return None
    module = "parlai.core.worlds" if kind.__module__.startswith(WORLD) else kind.__module__
    return f"{module}:{kind.__name__}"


@contextmanager
def tasks_of_parlai(kind: str) -> Iterator[Tasks]:
    """Look up names without a dot in ParlAI's modules of this kind, not in ours."""
    with pytest.MonkeyPatch.context() as patch:
        ours = "investigator.tasks."
        patch.setattr(
            loading,
            "task_module",
            lambda task: re.sub(f"^{ours}(.*)", rf"parlai.tasks.\1.{kind}", task_module(task)),
        )
        yield Tasks()


def load_teacher(given: Any) -> Any:
    with tasks_of_parlai("agents") as tasks:
        return {"ok": place(tasks.teacher_class(given["task"]))}


def load_world(given: Any) -> Any:
    name = WorldName.SELF_CHAT if given.get("selfchat_task") else WorldName.DEFAULT
    name = WorldName.INTERACTIVE if given.get("interactive_task") else name
    number = given.get("num_agents")
    with tasks_of_parlai("worlds") as tasks:
        return {"ok": place(tasks.world_class(given["task"], name) or (default_world(number) if number else None))}


def tag_counts(_: Any) -> Any:
    tags = {tag for entry in TASK_LIST for tag in entry.tags}
    return {"ok": {tag: sum(tag in entry.tags for entry in TASK_LIST) for tag in sorted(tags)}}


ADAPTERS = {
    "task_flags": lambda given: {"ok": {"task": split_task(given["task"]).task, **split_task(given["task"]).options}},
    "ids_to_tasks": lambda given: {"ok": {"tasks": ",".join(expanded(required_task(Opt(given)), LISTED))}},
    "tag_counts": tag_counts,
    "load_teacher": load_teacher,
    "load_world": load_world,
    "multitask_weights_arg": lambda given: {"ok": multitask_weights(given["arg"])},
    "cum_task_weights": lambda given: {"cum_task_weights": cumulative_weights(weights(given), given["task_sizes"])},
}


def weights(given: Any) -> Any:
    return multitask_weights(given["weights"]) if isinstance(given["weights"], str) else tuple(given["weights"])


@each_row("task_strings", tuple(ADAPTERS))
def test_a_task_string_means_what_it_meant(row: Row) -> None:
    check(row, ADAPTERS)
