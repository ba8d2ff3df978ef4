"""Which files belong to a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from investigator.documents import scanning
from investigator.documents.scanning import FolderSettings, check_folder, scan
from investigator.errors import FolderError
from investigator.records import FileStatus, LeftOutReason

ALL = FolderSettings()


def made(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def ids(root: Path, settings: FolderSettings = ALL) -> list[str]:
    return [file.id for file in scan(root, settings).files]


def test_files_come_sorted_with_their_stamps(tmp_path):
    made(tmp_path, "b.txt", "a/z.txt", "a/b/c.md", "B.txt")
    os.utime(tmp_path / "b.txt", ns=(5, 7_000_000_001))
    assert ids(tmp_path) == ["B.txt", "a/b/c.md", "a/z.txt", "b.txt"]
    inode = (tmp_path / "b.txt").stat().st_ino
    stamps = [(f.size, f.mtime_ns, f.inode) for f in scan(tmp_path, ALL).files if f.id == "b.txt"]
    assert stamps == [(5, 7_000_000_001, inode)]


def left_out(root: Path, settings: FolderSettings = ALL) -> dict[LeftOutReason, tuple[int, int, tuple[str, ...]]]:
    return {item.reason: (item.files, item.folders, item.names) for item in scan(root, settings).left_out}


def test_hidden_files_and_those_of_other_programs_are_left_out_and_counted(tmp_path):
    made(tmp_path, ".hidden", ".investigator/x.txt", ".git/a", "sub/.x", "~$lock.docx", "desktop.ini", "seen.txt")
    assert ids(tmp_path) == ["seen.txt"]
    assert left_out(tmp_path) == {
        LeftOutReason.HIDDEN: (2, 1, (".git/", ".hidden", "sub/.x")),
        LeftOutReason.EXCLUDED: (2, 0, ("desktop.ini", "~$lock.docx")),
    }


def test_a_database_does_not_hide_the_folder_that_it_lies_in(tmp_path):
    made(tmp_path, "work/investigator.db", "work/a.txt")
    assert ids(tmp_path) == ["work/a.txt", "work/investigator.db"]


def test_what_an_ignore_file_and_the_settings_leave_out_is_counted_and_the_first_are_named(tmp_path):
    made(tmp_path, *(f"{number:04}.log" for number in range(500)), "drafts/a.txt", "b.txt", "c.md")
    (tmp_path / ".investigatorignore").write_text("*.log\ndrafts/\n")
    settings = FolderSettings(include=("*.md",))
    assert ids(tmp_path, settings) == ["c.md"]
    assert left_out(tmp_path, settings) == {
        LeftOutReason.IGNORE_FILE: (500, 1, tuple(f"{number:04}.log" for number in range(10))),
        LeftOutReason.NOT_INCLUDED: (1, 0, ("b.txt",)),
    }
    assert scan(tmp_path, settings).left_out[0].line == (
        "501 left out by .investigatorignore: 0000.log, 0001.log, 0002.log and 498 more"
    )


def test_a_folder_cannot_take_back_what_the_settings_leave_out(tmp_path):
    made(tmp_path, "secret/a.txt", "b.txt")
    (tmp_path / ".investigatorignore").write_text("!secret\n!secret/a.txt\n")
    assert ids(tmp_path, FolderSettings(exclude=("secret",))) == ["b.txt"]


def test_patterns_choose_files(tmp_path):
    made(tmp_path, "a.pdf", "a.txt", "drafts/b.pdf", "x/drafts/c.pdf", "x/d.pdf")
    assert ids(tmp_path, FolderSettings(include=("*.pdf",), exclude=("drafts/",))) == ["a.pdf", "x/d.pdf"]
    assert ids(tmp_path, FolderSettings(include=("x/",), exclude=("x/d.*",))) == ["x/drafts/c.pdf"]


def problems(root: Path) -> dict[str, tuple[FileStatus, str]]:
    return {file.id: (file.status, file.problem) for file in scan(root, ALL).files if file.problem}


def test_links_lead_nowhere_else_and_nowhere_twice(tmp_path):
    root = tmp_path / "root"
    made(root, "a.txt", "deep/b.txt", ".store/c.txt", ".store/more/d.txt")
    made(tmp_path, "outside.txt", "other/d.txt", "root-two/e.txt")
    (root / "again.txt").symlink_to("a.txt")
    (root / "stored.txt").symlink_to(".store/c.txt")
    (root / "stored-too.txt").symlink_to(".store/c.txt")
    (root / "shelf").symlink_to(".store/more")
    (root / "loop").symlink_to(root)
    (root / "deep" / "up").symlink_to("..")
    (root / "out.txt").symlink_to(tmp_path / "outside.txt")
    (root / "out").symlink_to(tmp_path / "other")
    (root / "sibling").symlink_to(tmp_path / "root-two")
    (root / "circle").symlink_to("circle")
    readable = [file.id for file in scan(root, ALL).files if not file.problem]
    assert [name for name in readable if not name.startswith("stored")] == ["a.txt", "deep/b.txt", "shelf/d.txt"]
    assert len([name for name in readable if name.startswith("stored")]) == 1
    refused = problems(root)
    unsupported = {name for name, (status, _) in refused.items() if status is FileStatus.UNSUPPORTED}
    assert unsupported == {"loop", "deep/up", "out.txt", "out", "sibling"}
    assert "outside the folder" in refused["out.txt"][1]
    assert refused["circle"][0] is FileStatus.FAILED


def test_a_link_that_leads_nowhere_is_a_problem(tmp_path):
    (tmp_path / "gone.txt").symlink_to("missing.txt")
    assert problems(tmp_path) == {"gone.txt": (FileStatus.FAILED, "the target of the link does not exist")}


def test_pipes_are_named_and_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    made(tmp_path, "a.txt")
    assert ids(tmp_path) == ["a.txt", "pipe.txt"]
    assert problems(tmp_path) == {"pipe.txt": (FileStatus.UNSUPPORTED, "a pipe, not a file")}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_an_ignore_file_as_windows_editors_save_it_counts(tmp_path, encoding):
    made(tmp_path, "a.txt", "Entwürfe/b.txt")
    (tmp_path / ".investigatorignore").write_text("Entwürfe/\r\n", encoding=encoding, newline="")
    assert ids(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    "make",
    [
        Path.mkdir,
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("a.txt"),
        lambda path: path.write_text("\n".join(map(str, range(1_001)))),
        lambda path: path.write_bytes("Entwürfe/\n".encode("cp1252")),
        lambda path: path.write_bytes("drafts\n".encode("utf-16-le")),
        lambda path: path.write_bytes(b"\xff\xfeodd"),
        lambda path: path.write_bytes(b"a\n" * 500_001),
    ],
    ids=["folder", "pipe", "device", "link", "too many patterns", "other letters", "no mark", "odd", "too long"],
)
def test_an_ignore_file_that_cannot_be_used_is_an_error_and_neither_silence_nor_a_wait(tmp_path, make):
    made(tmp_path, "a.txt")
    make(tmp_path / ".investigatorignore")
    with pytest.raises(FolderError, match="investigatorignore") as caught:
        scan(tmp_path, ALL)
    assert str(tmp_path) in caught.value.hint
    assert not re.search("codec|replaced", str(caught.value))


def test_names_that_cannot_be_printed_are_replaced_and_stay_apart(tmp_path):
    for name in (b"bad\xff.txt", b"bad\xfe.txt", b"line\nend.txt"):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).write_text("x")
    found = scan(tmp_path, ALL).files
    assert [file.id for file in found] == ["bad\ufffdFE.txt", "bad\ufffdFF.txt", "line\ufffd0Aend.txt"]
    assert all((tmp_path / file.path).read_text() == "x" for file in found)


def test_a_file_called_like_the_summary_gets_another_id(tmp_path):
    made(tmp_path, "summary", "summary.txt")
    assert ids(tmp_path) == ["./summary", "summary.txt"]


def test_a_folder_that_cannot_be_investigated_is_the_callers_mistake(tmp_path):
    made(tmp_path, "a.txt")
    for path in (tmp_path / "missing", tmp_path / "a.txt", Path("a\0b")):
        with pytest.raises(FolderError) as caught:
            scan(path, ALL)
        assert caught.value.hint
    check_folder(tmp_path)


def test_a_folder_as_deep_as_it_gets_is_listed_to_its_end_or_named(tmp_path):
    below = os.open(tmp_path, os.O_RDONLY)
    for level in range(1, 1003):
        os.mkdir("d", dir_fd=below)
        above, below = below, os.open("d", os.O_RDONLY, dir_fd=below)
        os.close(above)
        if level in (1_000, 1_002):
            os.close(os.open("x" * 255, os.O_CREAT, dir_fd=below))
    os.close(below)
    try:
        (deep, too_deep) = sorted(scan(tmp_path, ALL).files, key=lambda file: bool(file.problem))
    finally:  # pytest itself cannot remove it
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)
    assert deep.id == "d/" * 1_000 + "x" * 255
    assert (too_deep.id, "1,000 levels deep" in too_deep.problem) == ("d/" * 1_000 + "d", True)


def test_links_in_circles_come_to_an_end(tmp_path):
    made(tmp_path, "a/b/c.txt")
    for number in range(30):
        (tmp_path / f"one{number}").symlink_to(f"two{number}")
        (tmp_path / f"two{number}").symlink_to(f"one{number}")
        (tmp_path / "a" / f"up{number}").symlink_to("..")
        (tmp_path / "a" / "b" / f"across{number}").symlink_to("../../a/b")
    found = scan(tmp_path, ALL).files
    assert [file.id for file in found if not file.problem] == ["a/b/c.txt"]
    assert len(found) == 1 + 4 * 30


def test_a_link_that_becomes_a_folder_while_it_is_resolved_is_named(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to("a.txt")
    read = os.readlink

    def read_late(path: str, **within: int) -> str:
        (tmp_path / "link").unlink()
        (tmp_path / "link").mkdir()
        return read(path, **within)

    monkeypatch.setattr(os, "readlink", read_late)
    assert problems(tmp_path) == {"link": (FileStatus.FAILED, "the target of the link does not exist")}


def test_a_folder_that_vanishes_or_is_exchanged_while_others_are_listed_is_named(tmp_path, monkeypatch):
    made(tmp_path, "gone/a.txt", "other/b.txt", "kept/c.txt")
    opened = scanning.opened_folder

    def opened_late(root: str, path: str):
        if path == "gone":
            shutil.rmtree(tmp_path / "gone")
        elif path == "other":
            shutil.rmtree(tmp_path / "other")
            (tmp_path / "other").symlink_to("/etc")
        return opened(root, path)

    monkeypatch.setattr(scanning, "opened_folder", opened_late)
    assert {file.id: file.problem for file in scan(tmp_path, ALL).files} == {
        "gone": "the folder cannot be listed (No such file or directory)",
        "kept/c.txt": "",
        "other": "it was replaced by a link or another kind of file while the folder was read",
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may open every folder")
def test_a_locked_folder_is_reported(tmp_path):
    made(tmp_path, "locked/a.txt")
    (tmp_path / "locked").chmod(0)
    try:
        assert [(f.id, bool(f.problem)) for f in scan(tmp_path, ALL).files] == [("locked", True)]
    finally:
        (tmp_path / "locked").chmod(0o700)
