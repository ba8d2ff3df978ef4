"""The store is kept in step with the folder, and files are opened only if necessary."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from investigator.documents.chunks import ChunkSettings
from investigator.documents.folder import FolderSettings, Recheck, changes, refresh
from investigator.documents.readers.base import ReaderSettings
from investigator.errors import FolderError
from investigator.records import Document, FileRead, FileRecord, FileStatus, LeftOut, SplitDocument


class MemoryStore:
    """A store in memory that also records the changes."""

    def __init__(self) -> None:
        self.files: dict[str, FileRecord] = {}
        self.documents: dict[str, Document] = {}
        self.calls: list[tuple[str, str]] = []

    def put(self, files: Sequence[FileRecord], documents: Sequence[SplitDocument]) -> None:
        assert all(part.chunks for part in documents)
        self.calls.append(("put", files[0].path))
        self._forget(files[0].path)
        self.files |= {file.path: file for file in files}
        self.documents |= {part.document.id: part.document for part in documents}

    def keep_left_out(self, left_out: Sequence[LeftOut]) -> None:
        self.left_out = tuple(left_out)

    def touch(self, file: FileRecord) -> None:
        self.calls.append(("touch", file.path))
        self.files[file.path] = file

    def rename(self, before: str, file: FileRecord) -> bool:
        self.calls.append(("rename", f"{before} > {file.path}"))
        document = self.documents.get(before)
        self._forget(before)
        self.files[file.path] = file
        if document is not None:
            self.documents[file.path] = document
        return True

    def drop(self, path: str) -> None:
        self.calls.append(("drop", path))
        self._forget(path)

    def _forget(self, path: str) -> None:
        for file in [file for file in self.files.values() if path in (file.path, file.inside)]:
            del self.files[file.path]
            self.documents.pop(file.path, None)


def update(root: Path, store: MemoryStore, recheck: Recheck | None = None, **reader: float) -> list[FileRead]:
    store.calls.clear()
    settings = (FolderSettings(), ReaderSettings(**{"workers": 1, **reader}), ChunkSettings())
    manifest = {path: file for path, file in store.files.items() if not file.inside}
    return list(refresh(root, manifest, store, *settings, recheck or Recheck()))


def write_with_stamp(path: Path, data: bytes, stamp: os.stat_result) -> None:
    path.write_bytes(data)
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    """A store in step with a folder of two texts and an archive."""
    (tmp_path / "a.txt").write_text("The mill.")
    (tmp_path / "b.md").write_text("# River\n\nWide.")
    (tmp_path / "c.bin").write_bytes(bytes(range(256)))
    store = MemoryStore()
    update(tmp_path, store)
    return store


def test_new_files_are_read_one_by_one(tmp_path, store):
    assert store.calls == [("put", "a.txt"), ("put", "b.md"), ("put", "c.bin")]
    assert store.documents["b.md"].text == "# River\n\nWide."
    assert store.files["a.txt"].content_hash == hashlib.sha256(b"The mill.").hexdigest()
    assert store.documents["a.txt"].content_hash == store.files["a.txt"].content_hash
    assert store.files["c.bin"].status is FileStatus.UNSUPPORTED
    assert store.files["c.bin"].reason


def test_events_count_what_was_opened(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("text")
    (tmp_path / "c.txt").write_text("")
    events = update(tmp_path, MemoryStore())
    assert [(e.done, e.total, e.file.path, e.file.status) for e in events] == [
        (1, 3, "a.txt", FileStatus.INDEXED),
        (2, 3, "b.txt", FileStatus.INDEXED),
        (3, 3, "c.txt", FileStatus.EMPTY),
    ]


def test_unchanged_files_are_not_opened(tmp_path, store):
    for name in ("a.txt", "b.md", "c.bin"):  # other bytes under the same stamp show whether a file was opened
        write_with_stamp(tmp_path / name, b"x" * (tmp_path / name).stat().st_size, (tmp_path / name).stat())
    assert update(tmp_path, store) == []
    assert store.calls == []
    assert store.documents["a.txt"].text == "The mill."


def test_a_new_stamp_on_the_same_bytes_is_not_read_again(tmp_path, store):
    for name in ("a.txt", "c.bin"):
        os.utime(tmp_path / name, ns=(1, 1))
    events = update(tmp_path, store)
    assert store.calls == [("touch", "a.txt"), ("touch", "c.bin")]
    assert [event.file.status for event in events] == [FileStatus.UNCHANGED, FileStatus.UNSUPPORTED]
    assert store.files["a.txt"].mtime_ns == 1
    assert store.files["c.bin"].reason
    assert update(tmp_path, store) == []


def test_changed_new_and_deleted_files_are_noticed(tmp_path, store):
    (tmp_path / "a.txt").write_text("The river.")
    (tmp_path / "b.md").unlink()
    (tmp_path / "d.txt").write_text("New.")
    update(tmp_path, store)
    assert store.calls == [("drop", "b.md"), ("put", "a.txt"), ("put", "d.txt")]
    texts = {path: document.text for path, document in store.documents.items()}
    assert texts == {"a.txt": "The river.", "d.txt": "New."}


def test_a_document_that_can_no_longer_be_read_is_taken_out(tmp_path, store):
    (tmp_path / "a.txt").write_bytes(b"PK\x03\x04 cut off")
    update(tmp_path, store)
    assert store.calls == [("put", "a.txt")]
    assert "a.txt" not in store.documents
    (tmp_path / "a.txt").write_text("Back again.")
    update(tmp_path, store)
    assert store.documents["a.txt"].text == "Back again."


def test_a_stop_in_the_middle_keeps_what_was_read(tmp_path):
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    store = MemoryStore()
    steps = refresh(tmp_path, {}, store, FolderSettings(), ReaderSettings(), ChunkSettings())
    next(steps)
    next(steps)
    steps.close()
    assert sorted(store.documents) == ["a.txt", "b.txt"]
    assert [event.file.path for event in update(tmp_path, store)] == ["c.txt"]


def test_a_file_that_vanishes_is_reported_and_later_dropped(tmp_path):
    for number in range(30):  # more than are read ahead
        (tmp_path / f"{number:02}.txt").write_text("text")
    store = MemoryStore()
    steps = refresh(tmp_path, {}, store, FolderSettings(), ReaderSettings(workers=1), ChunkSettings())
    next(steps)
    (tmp_path / "29.txt").unlink()
    *_, last = steps
    assert (last.file.path, last.file.status) == ("29.txt", FileStatus.FAILED)
    assert "vanished" in last.file.reason
    assert update(tmp_path, store) == []
    assert "29.txt" not in store.files


def test_a_folder_that_vanishes_in_the_middle_is_an_error_and_drops_nothing(tmp_path):
    root, away = tmp_path / "root", tmp_path / "away"
    root.mkdir()
    for number in range(30):
        (root / f"{number:02}.txt").write_text("text")
    store = MemoryStore()
    update(root, store)
    for path in root.iterdir():
        os.utime(path, ns=(1, 1))
    manifest = dict(store.files)
    steps = refresh(root, manifest, store, FolderSettings(), ReaderSettings(workers=1), ChunkSettings())
    next(steps)
    root.rename(away)
    with pytest.raises(FolderError):
        list(steps)
    assert set(store.documents) == set(manifest)


def test_a_file_above_the_limit_is_not_opened_again_until_that_is_asked_for(tmp_path, store):
    (tmp_path / "big.txt").write_text("word " * 100)
    assert [event.file.status for event in update(tmp_path, store, max_bytes=300)] == [FileStatus.TOO_LARGE]
    assert "reader.max_bytes" in store.files["big.txt"].reason
    assert update(tmp_path, store, max_bytes=300) == []
    update(tmp_path, store, Recheck(retry=True))
    assert store.documents["big.txt"].text.startswith("word word")


def test_verify_finds_a_change_that_kept_size_and_time(tmp_path, store):
    write_with_stamp(tmp_path / "a.txt", b"The bill.", (tmp_path / "a.txt").stat())
    assert update(tmp_path, store) == []
    statuses = [event.file.status for event in update(tmp_path, store, Recheck(verify=True))]
    assert statuses == [FileStatus.INDEXED, FileStatus.UNCHANGED, FileStatus.UNSUPPORTED]
    assert store.calls == [("put", "a.txt")]
    assert store.documents["a.txt"].text == "The bill."


def test_a_file_put_in_place_of_another_with_its_size_and_time_is_noticed(tmp_path, store):
    write_with_stamp(tmp_path / "new", b"The bill.", (tmp_path / "a.txt").stat())
    (tmp_path / "new").replace(tmp_path / "a.txt")
    update(tmp_path, store)
    assert store.documents["a.txt"].text == "The bill."


def test_a_renamed_file_keeps_what_is_stored_of_it(tmp_path, store):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.txt").rename(tmp_path / "deep" / "z.txt")
    (event,) = update(tmp_path, store)
    assert store.calls == [("rename", "a.txt > deep/z.txt")]
    assert (event.file.status, event.file.reason) == (FileStatus.UNCHANGED, "renamed from a.txt")
    assert update(tmp_path, store) == []


def test_a_renamed_file_is_known_by_its_stamp_and_not_opened(tmp_path, store):
    stamp = (tmp_path / "a.txt").stat()
    (tmp_path / "a.txt").rename(tmp_path / "z.txt")
    write_with_stamp(tmp_path / "z.txt", b"The bill.", stamp)
    update(tmp_path, store)
    assert store.documents["z.txt"].text == "The mill."
    os.utime(tmp_path / "z.txt", ns=(1, 1))
    (tmp_path / "z.txt").rename(tmp_path / "y.txt")
    update(tmp_path, store)
    assert store.calls == [("drop", "z.txt"), ("put", "y.txt")]


def test_two_copies_of_a_file_that_is_gone_share_one_rename(tmp_path, store):
    (tmp_path / "a.txt").rename(tmp_path / "x.txt")
    (tmp_path / "y.txt").write_bytes((tmp_path / "x.txt").read_bytes())
    update(tmp_path, store)
    assert store.calls == [("rename", "a.txt > x.txt"), ("put", "y.txt")]
    assert store.documents["y.txt"].text == "The mill."


def test_a_renamed_file_with_another_ending_is_read_anew(tmp_path, store):
    (tmp_path / "b.md").rename(tmp_path / "b.txt")
    update(tmp_path, store)
    assert store.calls == [("drop", "b.md"), ("put", "b.txt")]


def test_retry_reads_again_only_what_gave_no_text(tmp_path, store):
    events = update(tmp_path, store, Recheck(retry=True))
    assert [event.file.path for event in events] == ["c.bin"]


def test_files_inside_a_file_have_records_of_their_own_and_leave_with_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "box.zip", "w") as box:
        box.writestr("in/a.txt", "The mill.")
        box.writestr("in/b.bin", bytes(range(256)))
    store = MemoryStore()
    (event,) = update(tmp_path, store)
    assert [(file.path, file.status, file.inside) for file in event.files] == [
        ("box.zip", FileStatus.INDEXED, ""),
        ("box.zip/in/a.txt", FileStatus.INDEXED, "box.zip"),
        ("box.zip/in/b.bin", FileStatus.UNSUPPORTED, "box.zip"),
    ]
    assert event.files[1].chunks == 1
    assert store.documents["box.zip/in/a.txt"].text == "The mill."
    assert update(tmp_path, store) == []
    (tmp_path / "box.zip").unlink()
    update(tmp_path, store)
    assert store.files == {}


def test_changes_are_told_without_opening_a_file(tmp_path, store):
    (tmp_path / "a.txt").write_text("The river mill.")
    (tmp_path / "b.md").unlink()
    (tmp_path / "d.txt").write_text("New.")
    assert changes(tmp_path, store.files, FolderSettings()) == (("d.txt",), ("a.txt",), ("b.md",))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read every file")
def test_a_file_without_permission_has_failed_until_it_may_be_read(tmp_path, store):
    (tmp_path / "d.txt").write_text("secret")
    (tmp_path / "d.txt").chmod(0)
    assert [(e.file.status, e.file.reason) for e in update(tmp_path, store)] == [
        (FileStatus.FAILED, "no permission to read the file")
    ]
    (tmp_path / "d.txt").chmod(0o600)
    assert [e.file.status for e in update(tmp_path, store)] == [FileStatus.INDEXED]


def test_a_missing_folder_drops_nothing(tmp_path, store):
    with pytest.raises(FolderError):
        update(tmp_path / "missing", store)
    assert store.calls == []
