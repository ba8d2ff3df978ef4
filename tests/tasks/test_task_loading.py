"""Task strings are turned into teachers: ours, several at once, and those of other packages."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import investigator.tasks
from investigator.dialogue.simple_agents import HumanAgent, RepeatLabelAgent
from investigator.dialogue.task_strings import TaskEntry, WorldName
from investigator.dialogue.teachers import MultiTaskTeacher, Teacher
from investigator.dialogue.worlds import DialogPartnerWorld, create_world
from investigator.errors import DialogueError, NotFoundError
from investigator.tasks import task_list
from investigator.tasks.loading import Tasks, create_teacher
from investigator.tasks.squad import DefaultTeacher, OpenTeacher
from investigator.tasks.task_list import TASK_LIST

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "dialogue"
SQUAD, COQA = f"squad:datafile={EXAMPLES / 'squad.json'}", f"coqa:datafile={EXAMPLES / 'coqa.json'}"
OWN = '"""A task of a test."""\nfrom investigator.dialogue.teachers import DialogTeacher, Teacher\n'


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which modules can be imported; they are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def module(folder: Path, name: str, text: str) -> None:
    file = folder / f"{name.replace('.', '/')}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(OWN + text, encoding="utf-8")


def test_every_listed_task_has_a_default_teacher_and_ids_are_unique() -> None:
    for entry in TASK_LIST:
        assert issubclass(Tasks().teacher_class(entry.task), Teacher)
        assert entry.tags
        assert entry.description
    assert len({entry.id.lower() for entry in TASK_LIST}) == len(TASK_LIST)


def test_every_teacher_that_a_description_names_is_there() -> None:
    words = " ".join(entry.description for entry in TASK_LIST).replace(",", " ").replace(";", " ").split()
    named = [word for word in words if ":" in word and not word.endswith(":")]
    assert "squad:open" in named
    for task in named:
        assert issubclass(Tasks().teacher_class(task), Teacher)


def test_a_task_string_gives_the_class_that_it_names() -> None:
    assert Tasks().teacher_class("squad") is DefaultTeacher
    assert Tasks().teacher_class(" SQuAD:open ") is OpenTeacher
    assert Tasks().teacher_class("investigator.tasks.squad:OpenTeacher") is OpenTeacher


@pytest.mark.parametrize(
    ("task", "problem", "hint"),
    [
        ("sqad", "task sqad", "Did you mean squad"),
        ("zzz", "task zzz", "investigator dialogue tasks"),
        ("squad:opn", "OpnTeacher", "squad has DefaultTeacher, IndexTeacher, OpenTeacher"),
        ("no_such_package.my_task", "no_such_package", "investigator dialogue tasks"),
        ("../secret", "secret", "investigator dialogue tasks"),
        (".squad", "squad", ""),
        ("loading", "DefaultTeacher", ""),
    ],
)
def test_an_unknown_task_is_an_error_that_helps(task: str, problem: str, hint: str) -> None:
    with pytest.raises(NotFoundError, match=problem) as caught:
        Tasks().teacher_class(task)
    assert hint in caught.value.hint


def test_a_task_of_ones_own_is_named_by_its_module(packages: Path) -> None:
    module(packages, "somebody.chess", "class DefaultTeacher(Teacher): ...\nclass BlitzTeacher(Teacher): ...\n")
    assert Tasks().teacher_class("somebody.chess").__name__ == "DefaultTeacher"
    assert Tasks().teacher_class("somebody.chess:BlitzTeacher").__name__ == "BlitzTeacher"
    with pytest.raises(NotFoundError, match="no class Blitz") as caught:
        Tasks().teacher_class("somebody.chess:Blitz")
    assert "BlitzTeacher" in caught.value.hint


def test_what_is_wrong_inside_somebodys_module_is_not_hidden(packages: Path) -> None:
    module(packages, "somebody.needs", "import a_package_that_is_missing\n")
    module(packages, "somebody.other", "class DefaultTeacher: ...\n")
    with pytest.raises(DialogueError, match="a_package_that_is_missing"):
        Tasks().teacher_class("somebody.needs")
    with pytest.raises(DialogueError, match="is not a subclass of Teacher"):
        Tasks().teacher_class("somebody.other")


def test_a_new_task_is_one_file_and_one_line(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is next to the built-in tasks, and the line in their list."""
    source = (EXAMPLES / "own_task" / "riddles.py").read_text(encoding="utf-8")
    module(packages, "riddles", source.replace("from __future__ import annotations", ""))
    monkeypatch.setattr(investigator.tasks, "__path__", [*investigator.tasks.__path__, str(packages)])
    listed = (*TASK_LIST, TaskEntry("Riddles", "riddles", ("Play",), "riddles and their answers"))
    monkeypatch.setattr(task_list, "TASK_LIST", listed)
    assert Tasks().ids("#play") == ["riddles"]
    teacher = create_teacher(
        {"task": "#play", "datafile": str(EXAMPLES / "own_task" / "riddles.txt"), "datatype": "valid"}
    )
    assert [(m["text"], m["eval_labels"]) for m in teacher] == [
        ("What has hands and cannot clap?", ["a clock"]),
        ("What gets wetter the more it dries?", ["a towel"]),
    ]


def test_options_in_the_task_string_reach_the_teacher() -> None:
    task = f"squad:open:datafile={EXAMPLES / 'squad.json'}:datatype=valid"
    teacher = create_teacher({"task": task, "datafile": "other.json"})
    assert (teacher.num_examples(), teacher.id) == (4, "squad:open")
    assert [message["text"] for message in teacher][1] == "Who kept the lighthouse?"


def test_several_tasks_are_one_teacher_that_asks_from_each_in_turn() -> None:
    teacher = create_teacher({"task": f"{SQUAD},{COQA}", "datatype": "valid"})
    assert isinstance(teacher, MultiTaskTeacher)
    assert teacher.num_examples() == 7
    assert [message["id"] for message in teacher] == ["squad", "coqa", "coqa", "coqa", "squad", "squad", "squad"]


def test_one_task_with_two_files_is_reported_twice() -> None:
    teacher = create_teacher({"task": f"{SQUAD},{SQUAD}:seed=1", "datatype": "valid"})
    student = RepeatLabelAgent({})
    for _ in range(8):
        student.observe(teacher.act())
        teacher.observe(student.act())
    assert (teacher.report()["squad/exs"].value(), teacher.report()["squad#2/exs"].value()) == (4, 4)


@pytest.mark.parametrize("opt", [{}, {"task": ""}, {"task": ","}])
def test_no_task_is_an_error(opt: dict[str, object]) -> None:
    with pytest.raises(DialogueError, match="no task given"):
        create_teacher(opt)


def test_a_task_may_bring_a_world(packages: Path) -> None:
    world = "from investigator.dialogue.worlds import DialogPartnerWorld\nclass DefaultWorld(DialogPartnerWorld): ...\n"
    module(packages, "somebody.arena", world)
    tasks = Tasks()
    own = tasks.world_class("somebody.arena:2")
    assert own is not None
    assert (own.__module__, own.__name__) == ("somebody.arena", "DefaultWorld")
    assert tasks.world_class("somebody.arena", WorldName.INTERACTIVE) is None
    assert tasks.world_class("squad:open") is None


def test_without_a_teacher_people_talk_in_the_world_of_the_task_or_in_the_default_one(packages: Path) -> None:
    student = RepeatLabelAgent({})
    talking = create_world({"task": "squad", "selfchat_task": True}, [student], Tasks())
    assert type(talking) is DialogPartnerWorld
    assert talking.agents[0] is student  # its partner is a copy; there is no teacher, so no data is needed
    heard = create_world({"task": "squad:open", "interactive_task": True}, [HumanAgent(), student], Tasks())
    assert type(heard) is DialogPartnerWorld
    own = "from investigator.dialogue.worlds import DialogPartnerWorld as Base\nclass SelfChatWorld(Base): ...\n"
    module(packages, "somebody.gossip", own)
    gossip = create_world({"task": "somebody.gossip", "selfchat_task": True}, [student], Tasks())
    assert type(gossip).__module__ == "somebody.gossip"


@pytest.mark.parametrize(
    ("task", "problem", "hint"),
    [
        (f"{SQUAD}:datafle=x", "the task squad has no option 'datafle'", "batchsize, datafile"),
        (f"{SQUAD}:label_agent=bot", "no option 'label_agent'", ""),
        (f"squad:open:datafile:{EXAMPLES / 'squad.json'}", "an unknown part: 'datafile'", "name=value"),
        (f"{SQUAD}:seed=soon", "the option seed must be a whole number", ""),
        (f"{SQUAD}:batchsize=many", "the option batchsize must be a whole number", ""),
        (f"{SQUAD}:hide_labels=perhaps", "the option hide_labels must be true or false", ""),
        (f"{SQUAD}:metrics=rogue", "unknown metric 'rogue'", "rouge-1"),
        ("squad:datafile=2024", "file or folder not found: 2024", ""),
        (f"{SQUAD},coqa:datafile=none.json", "none.json", ""),
    ],
)
def test_a_task_string_that_means_nothing_is_an_error_that_helps(task: str, problem: str, hint: str) -> None:
    with pytest.raises(DialogueError, match=re.escape(problem)) as caught:
        create_teacher({"task": task, "datatype": "valid"})
    assert hint in caught.value.hint


def test_options_of_a_task_of_ones_own_are_its_own_matter(packages: Path) -> None:
    module(packages, "somebody.odd", "class DefaultTeacher(Teacher): ...\n")
    assert create_teacher({"task": "somebody.odd:anything=goes"}).opt["anything"] == "goes"


def test_what_only_others_derive_from_is_no_teacher() -> None:
    with pytest.raises(NotFoundError) as caught:
        Tasks().teacher_class("bb3x:module")
    assert "SdmTeacher, SgmTeacher" in caught.value.hint
    assert Tasks().teacher_class("bb3x:sdm").__doc__ == "The decision to search."
