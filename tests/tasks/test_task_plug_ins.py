"""Another package adds a task, which is listed, found by its tag, and loaded by its name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from investigator.cli.lazy_command import guarded
from investigator.dialogue.worlds import DialogPartnerWorld
from investigator.errors import DialogueError, NotFoundError
from investigator.tasks.commands.tasks import tasks
from investigator.tasks.loading import Tasks, create_teacher
from investigator.tasks.squad import DefaultTeacher
from investigator.tasks.task_list import TASK_LIST, listed_tasks

TEACHERS = '''"""Openings and their names."""

from investigator.dialogue.task_strings import TaskEntry
from investigator.dialogue.teachers import DialogTeacher
from investigator.dialogue.worlds import DialogPartnerWorld


class DefaultTeacher(DialogTeacher):
    def __init__(self, opt, shared=None):
        super().__init__({**opt, "datafile": "none"}, shared)

    def setup_data(self, datafile):
        yield ("1. d4 d5 2. c4?", ["Queen's Gambit"]), True


class BlitzTeacher(DefaultTeacher): ...


class DefaultWorld(DialogPartnerWorld): ...
'''
TASK = 'TASK = TaskEntry("Chess", "chess", ("Games", "QA"), "openings of chess")\n'


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Put a package next to its metadata, as an installer does."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def lay(text: str, points: str = "chess = strangers_chess") -> None:
        (tmp_path / "strangers_chess.py").write_text(text, encoding="utf-8")
        about = tmp_path / "strangers_chess-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers-chess\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[investigator.tasks]\n{points}\n")

    yield lay
    sys.modules.pop("strangers_chess", None)


def test_a_strangers_task_is_listed_found_by_its_tag_and_loaded_by_its_name(install: Callable[..., None]) -> None:
    install(TEACHERS + TASK)
    app = typer.Typer()
    app.command("tasks")(guarded(tasks))

    shown = CliRunner().invoke(app, ["openings", "--json"])
    assert [json.loads(line)["task"] for line in shown.stdout.splitlines()] == ["chess"]

    assert Tasks().ids("#games") == Tasks().ids("#chess") == ["chess"]
    assert Tasks().ids("#qa")[-1] == "chess"
    teacher = create_teacher({"task": "#games", "datatype": "valid"})
    assert [(act["id"], act["eval_labels"]) for act in teacher] == [("chess", ["Queen's Gambit"])]
    assert Tasks().teacher_class("Chess:blitz").__name__ == "BlitzTeacher"
    world = Tasks().world_class("chess")
    assert world is not DialogPartnerWorld
    assert world is not None
    assert issubclass(world, DialogPartnerWorld)


def test_a_strangers_module_is_not_imported_before_it_is_needed(install: Callable[..., None]) -> None:
    install(TEACHERS + TASK)
    assert Tasks().teacher_class("squad") is DefaultTeacher
    assert Tasks().ids("squad") == ["squad"]
    assert "strangers_chess" not in sys.modules


def test_a_module_that_says_nothing_of_itself_has_its_name_and_its_docstring(install: Callable[..., None]) -> None:
    install(TEACHERS)
    assert listed_tasks()[-1] == ("chess", "chess", (), "Openings and their names.")


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
