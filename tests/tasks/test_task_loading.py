"""Task strings are turned into teachers: ours, several at once, and those of other packages."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from commands import command

import investigator.tasks
from investigator.dialogue.simple_agents import HumanAgent, RepeatLabelAgent
from investigator.dialogue.task_strings import TaskEntry, WorldName
from investigator.dialogue.teachers import MultiTaskTeacher, Teacher
from investigator.dialogue.worlds import DialogPartnerWorld, create_world
from investigator.errors import DialogueError, NotFoundError
from investigator.tasks import task_list
from investigator.tasks.loading import Tasks, create_teacher
from investigator.tasks.squad import DefaultTeacher, OpenTeacher
from investigator.tasks.task_list import TASK_LIST, listed_tasks

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "dialogue"
SQUAD, COQA = f"squad:datafile={EXAMPLES / 'squad.json'}", f"coqa:datafile={EXAMPLES / 'coqa.json'}"
OWN = '"""A task of a test."""\nfrom investigator.dialogue.teachers import DialogTeacher, Teacher\n'
WORLD = "from investigator.dialogue.worlds import DialogPartnerWorld as Base\n"


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


def test_every_listed_task_and_every_teacher_that_a_description_names_is_there() -> None:
    words = " ".join(entry.description for entry in TASK_LIST).replace(",", " ").replace(";", " ").split()
    named = [word for word in words if ":" in word and not word.endswith(":")]
    assert "squad:open" in named
    for task in (*named, *(entry.task for entry in TASK_LIST)):
        assert issubclass(Tasks().teacher_class(task), Teacher)
    assert all(entry.tags and entry.description for entry in TASK_LIST)
    assert len({entry.id.lower() for entry in TASK_LIST}) == len(TASK_LIST)


def test_a_task_string_gives_the_class_that_it_names() -> None:
    assert Tasks().teacher_class("squad") is DefaultTeacher
    assert Tasks().teacher_class(" SQuAD:open ") is OpenTeacher
    assert Tasks().teacher_class("investigator.tasks.squad:OpenTeacher") is OpenTeacher
    assert Tasks().teacher_class("bb3x:sdm").__doc__ == "The decision to search."


@pytest.mark.parametrize(
    ("task", "problem", "hint"),
    [
        ("sqad", "task sqad", "Did you mean squad"),
        ("zzz", "task zzz", "investigator dialogue tasks"),
        ("squad:opn", "OpnTeacher", "squad has DefaultTeacher, IndexTeacher, OpenTeacher"),
        ("twowiki:opn", "OpnTeacher", "twowiki has DefaultTeacher, GoldTeacher, OpenTeacher"),
        ("bb3x:module", "ModuleTeacher", "SdmTeacher, SgmTeacher"),  # a class to derive from is no teacher
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
    assert create_teacher({"task": "somebody.chess:anything=goes"}).opt["anything"] == "goes"


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
    data = {"datafile": str(EXAMPLES / "own_task" / "riddles.txt"), "datatype": "valid"}
    assert [(m["text"], m["eval_labels"]) for m in create_teacher({"task": "#play", **data})] == [
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
    module(packages, "somebody.arena", f"{WORLD}class DefaultWorld(Base): ...\n")
    own = Tasks().world_class("somebody.arena:2")
    assert own is not None
    assert (own.__module__, own.__name__) == ("somebody.arena", "DefaultWorld")
    assert Tasks().world_class("somebody.arena", WorldName.INTERACTIVE) is None
    assert Tasks().world_class("squad:open") is None


def test_without_a_teacher_people_talk_in_the_world_of_the_task_or_in_the_default_one(packages: Path) -> None:
    student = RepeatLabelAgent({})
    talking = create_world({"task": "squad", "selfchat_task": True}, [student], Tasks())
    assert type(talking) is DialogPartnerWorld
    assert talking.agents[0] is student  # its partner is a copy; there is no teacher, so no data is needed
    heard = create_world({"task": "squad:open", "interactive_task": True}, [HumanAgent(), student], Tasks())
    assert type(heard) is DialogPartnerWorld
    module(packages, "somebody.gossip", f"{WORLD}class SelfChatWorld(Base): ...\n")
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


TEACHERS = f"""{WORLD}
class DefaultTeacher(DialogTeacher):
    def __init__(self, opt, shared=None):
        super().__init__({{**opt, "datafile": "none"}}, shared)

    def setup_data(self, datafile):
        yield ("1. d4 d5 2. c4?", ["Queen's Gambit"]), True

class BlitzTeacher(DefaultTeacher): ...
class DefaultWorld(Base): ...
"""
ENTRY = """from investigator.dialogue.task_strings import TaskEntry
TASK = TaskEntry("Chess", "chess", ("Games", "QA"), "openings of chess")
"""


@pytest.fixture
def install(packages: Path) -> Callable[..., None]:
    """Put a package next to its metadata, as an installer does."""

    def lay(text: str, points: str = "chess = strangers_chess") -> None:
        module(packages, "strangers_chess", text)
        about = packages / "strangers_chess-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers-chess\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[investigator.tasks]\n{points}\n")

    return lay


def test_a_strangers_task_is_listed_found_by_its_tag_and_loaded_by_its_name(install: Callable[..., None]) -> None:
    install(TEACHERS + ENTRY)
    assert Tasks().teacher_class("squad") is DefaultTeacher
    assert Tasks().ids("squad") == ["squad"]
    assert "strangers_chess" not in sys.modules  # before it is needed
    shown = command("dialogue", "tasks", "--json")
    assert "chess" in [json.loads(line)["task"] for line in shown.stdout.splitlines()]
    assert Tasks().ids("#games") == Tasks().ids("#chess") == ["chess"]
    assert Tasks().ids("#qa")[-1] == "chess"
    teacher = create_teacher({"task": "#games", "datatype": "valid"})
    assert [(act["id"], act["eval_labels"]) for act in teacher] == [("chess", ["Queen's Gambit"])]
    assert Tasks().teacher_class("Chess:blitz").__name__ == "BlitzTeacher"
    world = Tasks().world_class("chess")
    assert world is not None
    assert world.__base__ is DialogPartnerWorld


def test_a_module_that_says_nothing_of_itself_has_its_name_and_its_docstring(install: Callable[..., None]) -> None:
    install(TEACHERS)
    assert listed_tasks()[-1] == ("chess", "chess", (), "A task of a test.")


def test_a_name_of_ours_stays_ours(install: Callable[..., None]) -> None:
    install(TEACHERS, "squad = strangers_chess")
    assert Tasks().teacher_class("squad") is DefaultTeacher
    assert listed_tasks() == TASK_LIST


def test_an_entry_that_is_none_and_a_name_that_is_nearly_right_are_told(install: Callable[..., None]) -> None:
    install(f"{TEACHERS}TASK = 'chess'\n")
    with pytest.raises(DialogueError, match="TASK of the plug-in strangers_chess is not a TaskEntry"):
        listed_tasks()
    with pytest.raises(NotFoundError) as caught:
        Tasks().teacher_class("ches")
    assert "Did you mean chess" in caught.value.hint
