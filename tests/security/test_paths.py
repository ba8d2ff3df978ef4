"""A folder that is changed while it is read, by somebody who wants a file outside it in the index."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from investigator.documents import beneath
from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import Contents, ReadRequest
from investigator.documents.readers.base import ReaderSettings, ReadFailure
from investigator.documents.reading_process import read_contents
from investigator.documents.scanning import FolderSettings, FoundFile, scan
from investigator.records import FileStatus

CANARY = "canary"
EXCHANGED = "it was replaced by a link or another kind of file while the folder was read"
TIMES = 200
EXCHANGER = """
import os, sys
own, other, aside = sys.argv[1:]
while True:
    for before, after in ((own, aside), (other, own), (own, other), (aside, own)):
        os.rename(before, after)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of two documents, next to a folder that nobody may read."""
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (tmp_path / "outside" / "deep" / "a.txt").write_text(CANARY)
    (tmp_path / "outside" / "a.txt").write_text(CANARY)
    (tmp_path / "root" / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "root" / "sub" / "deep" / "a.txt").write_text("The mill.")
    (tmp_path / "root" / "a.txt").write_text("The river.")
    return tmp_path / "root"


@pytest.fixture(params=["by descriptor", "by path"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test with this system's way of opening files, then with that of a system without openat."""
    if request.param == "by path":
        monkeypatch.setattr(beneath, "BY_DESCRIPTOR", False)
    return str(request.param)


@contextmanager
def exchanging(own: Path, other: Path) -> Iterator[None]:
    """Replace a path with another thing and back, as quickly as possible, from another process."""
    paths = [str(own), str(other), str(own.parent.parent / "aside")]
    process = subprocess.Popen([sys.executable, "-c", EXCHANGER, *paths], stderr=subprocess.DEVNULL)
    try:
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def contents(root: Path, file: FoundFile) -> Contents:
    """Return the result of a reading process for a listed file."""
    paths = {"root": os.fsencode(root), "path": os.fsencode(file.path)}
    request = ReadRequest(id=file.id, **paths, reader=ReaderSettings(), chunks=ChunkSettings())
    return read_contents(request, lambda _: None)


def texts(root: Path) -> list[str]:
    """Return the texts in an index of the folder."""
    read = [contents(root, file) for file in scan(root, FolderSettings()).files if not file.problem]
    return [part.document.text for item in read for part in item.documents]


EXCHANGES: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
    "a sub-folder for a link": ("sub", lambda root, path: path.symlink_to(root.parent / "outside")),
    "a folder in it for a link": ("sub/deep", lambda root, path: path.symlink_to(root.parent / "outside" / "deep")),
    "a file for a link": ("sub/deep/a.txt", lambda root, path: path.symlink_to(root.parent / "outside" / "a.txt")),
    "a file for a pipe": ("sub/deep/a.txt", lambda _, path: os.mkfifo(path)),
    "a file for a device": ("sub/deep/a.txt", lambda _, path: path.symlink_to("/dev/zero")),
    "a folder for a pipe": ("sub/deep", lambda _, path: os.mkfifo(path)),
}


@pytest.mark.parametrize(("name", "make"), EXCHANGES.values(), ids=EXCHANGES.keys())
def test_what_was_exchanged_after_it_was_listed_is_refused(
    root: Path, way: str, name: str, make: Callable[[Path, Path], None]
) -> None:
    (file,) = [file for file in scan(root, FolderSettings()).files if file.path == "sub/deep/a.txt"]
    (root / name).rename(root.parent / "aside")
    make(root, root / name)
    read = contents(root, file)
    assert read.documents == ()
    assert read.status in (FileStatus.FAILED, FileStatus.UNSUPPORTED)
    assert read.reason in (EXCHANGED, "not a regular file")


@pytest.mark.parametrize(("name", "make"), EXCHANGES.values(), ids=EXCHANGES.keys())
def test_nothing_outside_is_read_and_nothing_waits_while_other_things_come_and_go(
    root: Path, name: str, make: Callable[[Path, Path], None]
) -> None:
    make(root, root.parent / "other")
    with exchanging(root / name, root.parent / "other"):
        assert {"The river."} <= {text for _ in range(TIMES) for text in texts(root)} <= {"The mill.", "The river."}


@pytest.mark.parametrize("path", ["../outside/a.txt", "sub/../../outside/a.txt", "/etc/passwd", "", ".", "sub/.."])
def test_no_path_leads_up_or_elsewhere(root: Path, way: str, path: str) -> None:
    with pytest.raises(ReadFailure):
        beneath.open_file(str(root), path)


def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "link").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        texts(root)
        for path in ("link/passwd", "pipe", "missing", "sub"):
            with pytest.raises((ReadFailure, OSError)):
                beneath.open_file(str(root), path)
    assert len(os.listdir("/proc/self/fd")) == before
