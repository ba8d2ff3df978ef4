"""The place of a workspace: with its user, or where the user names it, and found again after a move."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.errors import ForeignFileError, SettingsError
from investigator.records import Notice
from investigator.store.locations import INSIDE, default_workspace

QUESTION = "What was found?"


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    (made / "a.txt").write_text("The harbour is 11 metres deep.", encoding="utf-8")
    (made / "b.txt").write_text("The mill burned down in 1911.", encoding="utf-8")
    return made


def opened(folder: Path, workspace: Path | None = None) -> Investigator:
    return Investigator(folder, workspace=workspace, model=ScriptedEngine("{}"), embedder=ScriptedEmbedder())


def notices(investigator: Investigator) -> list[str]:
    return [event.text for event in investigator.index() if isinstance(event, Notice)]


def test_the_folder_is_left_as_it_is_and_the_workspace_is_private(folder: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = opened(folder)
        made.ask(QUESTION)
    finally:
        os.umask(before)
    assert {path.name for path in folder.iterdir()} == {"a.txt", "b.txt"}
    assert made.workspace == default_workspace(folder)
    assert made.workspace.name.startswith("papers-")
    own = [path for path in (tmp_path / "data").rglob("*") if "chroma" not in path.parts]
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in own}
    assert modes == {True: 0o700, False: 0o600}


def test_a_workspace_that_came_with_the_folder_is_told_of_and_never_opened(folder: Path) -> None:
    inside = folder / INSIDE
    inside.mkdir()
    (inside / "index.db").write_bytes(b"planted")
    (notice,) = [text for text in notices(opened(folder)) if INSIDE in text]
    assert "is ignored" in notice
    assert [(path.name, path.read_bytes()) for path in inside.iterdir()] == [("index.db", b"planted")]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permissions of this kind")
def test_a_workspace_inside_the_folder_is_opened_if_it_is_named_and_only_its_owner_may_write_it(folder: Path) -> None:
    inside = folder / INSIDE
    opened(folder, inside).ask(QUESTION)
    assert len(opened(folder, inside).runs()) == 1
    assert opened(folder).runs() == ()
    (inside / "runs.db").chmod(0o660)
    with pytest.raises(ForeignFileError, match="other users can write"):
        opened(folder, inside).runs()
    with pytest.raises(SettingsError, match="is inside the folder of documents"):
        opened(folder, folder / "visible")


def test_a_named_workspace_of_another_folder_or_with_other_files_is_refused_and_left_as_it_is(
    folder: Path, tmp_path: Path
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    theirs.mkdir()
    for name in ("a.txt", "b.txt"):
        (theirs / name).write_text(f"Another text, {name}.", encoding="utf-8")
    opened(folder, mine).ask(QUESTION)
    with pytest.raises(SettingsError, match=f"belongs to another folder, {folder}") as refused:
        opened(theirs, mine)
    assert "--workspace" in refused.value.hint
    with pytest.raises(SettingsError, match=r"is not a workspace: it contains a\.txt and 1 more"):
        opened(folder, theirs)
    assert {path.name for path in theirs.iterdir()} == {"a.txt", "b.txt"}
    moved = folder.rename(tmp_path / "moved")
    assert [run.question for run in opened(moved, mine).runs()] == [QUESTION]


def test_a_folder_that_was_moved_keeps_its_runs(folder: Path, tmp_path: Path) -> None:
    opened(folder).ask(QUESTION)
    moved = folder.rename(tmp_path / "renamed")
    made = opened(moved)
    assert [run.question for run in made.runs()] == [QUESTION]
    assert any("moved or renamed" in text for text in notices(made))
    assert not default_workspace(folder).exists()
    shutil.copytree(moved, tmp_path / "copy")  # other inodes: the bytes are compared
    shutil.rmtree(moved)
    assert [run.question for run in opened(tmp_path / "copy").runs()] == [QUESTION]


def test_a_folder_of_other_bytes_or_beside_the_first_one_takes_nothing_over(folder: Path, tmp_path: Path) -> None:
    opened(folder).ask(QUESTION)
    shutil.copytree(folder, tmp_path / "copy")
    assert opened(tmp_path / "copy").runs() == ()  # the first one is still there
    shutil.rmtree(folder)
    (tmp_path / "copy" / "a.txt").write_text("The harbour is 19 metres deep.", encoding="utf-8")
    assert opened(tmp_path / "copy").runs() == ()


def test_a_folder_that_was_moved_and_changed_keeps_its_runs_if_most_of_it_is_the_same(
    folder: Path, tmp_path: Path
) -> None:
    for number in range(4):
        (folder / f"more{number}.txt").write_text(f"Line {number} was built in 19{number}0.", encoding="utf-8")
    opened(folder).ask(QUESTION)
    shutil.copytree(folder, tmp_path / "moved")
    shutil.rmtree(folder)
    (tmp_path / "moved" / "a.txt").write_text("The harbour is 12 metres deep.", encoding="utf-8")
    (tmp_path / "moved" / "b.txt").rename(tmp_path / "moved" / "renamed.txt")
    made = opened(tmp_path / "moved")
    assert [run.question for run in made.runs()] == [QUESTION]
    assert any("some of its files have changed" in text for text in notices(made))


def test_a_folder_that_shares_half_of_its_files_with_one_that_is_gone_takes_nothing_over(
    folder: Path, tmp_path: Path
) -> None:
    opened(folder).ask(QUESTION)
    shutil.copytree(folder, tmp_path / "other")
    shutil.rmtree(folder)
    for number in range(2):
        (tmp_path / "other" / f"own{number}.txt").write_text(f"Of its own: {number}.", encoding="utf-8")
    assert opened(tmp_path / "other").runs() == ()
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "nothing.txt").touch()
    assert opened(empty).runs() == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes of this kind")
@pytest.mark.parametrize(
    "name", ["index.db", "index.db-wal", "writer.pid", "writer.lock", "servers.json", "folder", "chroma"]
)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_link_or_a_pipe_in_a_workspace_is_refused_and_not_followed(
    folder: Path, tmp_path: Path, name: str, kind: str
) -> None:
    workspace, victim = tmp_path / "w", tmp_path / "victim"
    workspace.mkdir()
    victim.write_bytes(b"precious")
    (workspace / name).symlink_to(victim) if kind == "link" else os.mkfifo(workspace / name)
    with pytest.raises(ForeignFileError, match=name):
        opened(folder, workspace).ask(QUESTION)
    assert victim.read_bytes() == b"precious"


def test_a_workspace_that_is_itself_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "w").symlink_to("real")
    with pytest.raises(ForeignFileError, match="is a link"):
        opened(folder, tmp_path / "w").ask(QUESTION)
