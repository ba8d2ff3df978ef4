"""The store follows the folder, and no file is opened without need."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from investigator.documents.chunks import ChunkSettings
from investigator.documents.folder import FolderSettings, refresh
from investigator.documents.readers.base import ReaderSettings
from investigator.errors import FolderError
from investigator.records import Chunk, Document, FileRead, FileRecord, FileStatus


class Shelf:
    """A store in memory that also remembers what was done."""

    def __init__(self) -> None:
        self.files: dict[str, FileRecord] = {}
        self.documents: dict[str, Document] = {}
        self.calls: list[tuple[str, str]] = []

    def put(self, file: FileRecord, document: Document, chunks: tuple[Chunk, ...]) -> None:
        assert chunks
        self._note("put", file)
        self.documents[file.path] = document

    def put_unreadable(self, file: FileRecord) -> None:
        self._note("put_unreadable", file)
        self.documents.pop(file.path, None)

    def touch(self, file: FileRecord) -> None:
        self._note("touch", file)

    def drop(self, path: str) -> None:
        self.calls.append(("drop", path))
        del self.files[path]
        self.documents.pop(path, None)

    def _note(self, call: str, file: FileRecord) -> None:
        self.calls.append((call, file.path))
        self.files[file.path] = file


def update(root: Path, shelf: Shelf, **reader: int) -> list[FileRead]:
    shelf.calls.clear()
    settings = (FolderSettings(), ReaderSettings(**reader), ChunkSettings())
    return list(refresh(root, dict(shelf.files), shelf, *settings))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A store in step with a folder of two texts and an archive."""
    (tmp_path / "a.txt").write_text("The mill.")
    (tmp_path / "b.md").write_text("# River\n\nWide.")
    (tmp_path / "c.bin").write_bytes(bytes(range(256)))
    shelf = Shelf()
    update(tmp_path, shelf)
    return shelf


def test_new_files_are_read_one_by_one(tmp_path, shelf):
    assert shelf.calls == [("put", "a.txt"), ("put", "b.md"), ("put_unreadable", "c.bin")]
    assert shelf.documents["b.md"].text == "# River\n\nWide."
    assert shelf.files["a.txt"].content_hash == hashlib.sha256(b"The mill.").hexdigest()
    assert shelf.documents["a.txt"].content_hash == shelf.files["a.txt"].content_hash
    assert shelf.files["c.bin"].status is FileStatus.UNSUPPORTED
    assert shelf.files["c.bin"].reason


def test_events_count_what_was_opened(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("text")
    (tmp_path / "c.txt").write_text("")
    events = update(tmp_path, Shelf())
    assert [(e.done, e.total, e.path, e.status) for e in events] == [
        (1, 3, "a.txt", FileStatus.INDEXED),
        (2, 3, "b.txt", FileStatus.INDEXED),
        (3, 3, "c.txt", FileStatus.EMPTY),
    ]


def test_unchanged_files_are_not_opened(tmp_path, shelf):
    for name in ("a.txt", "b.md", "c.bin"):  # other bytes under the same stamp show whether a file was opened
        path = tmp_path / name
        stamp = path.stat()
        path.write_bytes(b"x" * stamp.st_size)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert update(tmp_path, shelf) == []
    assert shelf.calls == []
    assert shelf.documents["a.txt"].text == "The mill."


def test_a_new_stamp_on_the_same_bytes_is_not_read_again(tmp_path, shelf):
    for name in ("a.txt", "c.bin"):
        os.utime(tmp_path / name, ns=(1, 1))
    events = update(tmp_path, shelf)
    assert shelf.calls == [("touch", "a.txt"), ("touch", "c.bin")]
    assert [event.status for event in events] == [FileStatus.INDEXED, FileStatus.UNSUPPORTED]
    assert shelf.files["a.txt"].mtime_ns == 1
    assert shelf.files["c.bin"].reason
    assert update(tmp_path, shelf) == []


def test_changed_new_and_deleted_files_are_noticed(tmp_path, shelf):
    (tmp_path / "a.txt").write_text("The river.")
    (tmp_path / "b.md").unlink()
    (tmp_path / "d.txt").write_text("New.")
    update(tmp_path, shelf)
    assert shelf.calls == [("drop", "b.md"), ("put", "a.txt"), ("put", "d.txt")]
    assert {path: document.text for path, document in shelf.documents.items()} == {
        "a.txt": "The river.",
        "d.txt": "New.",
    }


def test_a_document_that_can_no_longer_be_read_is_taken_out(tmp_path, shelf):
    (tmp_path / "a.txt").write_bytes(b"PK\x03\x04 cut off")
    update(tmp_path, shelf)
    assert shelf.calls == [("put_unreadable", "a.txt")]
    assert "a.txt" not in shelf.documents
    (tmp_path / "a.txt").write_text("Back again.")
    update(tmp_path, shelf)
    assert shelf.documents["a.txt"].text == "Back again."


def test_a_stop_in_the_middle_keeps_what_was_read(tmp_path):
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    shelf = Shelf()
    steps = refresh(tmp_path, {}, shelf, FolderSettings(), ReaderSettings(), ChunkSettings())
    next(steps)
    next(steps)
    steps.close()
    assert sorted(shelf.documents) == ["a.txt", "b.txt"]
    assert [event.path for event in update(tmp_path, shelf)] == ["c.txt"]


def test_a_file_that_vanishes_is_reported_and_later_dropped(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    shelf = Shelf()
    steps = refresh(tmp_path, {}, shelf, FolderSettings(), ReaderSettings(), ChunkSettings())
    next(steps)
    (tmp_path / "b.txt").unlink()
    event = next(steps)
    assert (event.path, event.status) == ("b.txt", FileStatus.FAILED)
    assert "vanished" in event.reason
    assert update(tmp_path, shelf) == []
    assert "b.txt" not in shelf.files


def test_a_file_above_the_limit_is_not_opened_and_is_tried_again(tmp_path, shelf):
    (tmp_path / "big.txt").write_text("word " * 100)
    assert [event.status for event in update(tmp_path, shelf, max_bytes=300)] == [FileStatus.TOO_LARGE]
    assert shelf.files["big.txt"].content_hash == ""
    update(tmp_path, shelf, max_bytes=300)
    assert shelf.calls == []
    assert [event.status for event in update(tmp_path, shelf)] == [FileStatus.INDEXED]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_a_file_without_permission_has_failed_until_it_may_be_read(tmp_path, shelf):
    (tmp_path / "d.txt").write_text("secret")
    (tmp_path / "d.txt").chmod(0)
    assert [(e.status, e.reason) for e in update(tmp_path, shelf)] == [
        (FileStatus.FAILED, "no permission to read the file")
    ]
    (tmp_path / "d.txt").chmod(0o600)
    assert [e.status for e in update(tmp_path, shelf)] == [FileStatus.INDEXED]


def test_a_missing_folder_drops_nothing(tmp_path, shelf):
    with pytest.raises(FolderError):
        update(tmp_path / "missing", shelf)
    assert shelf.calls == []
