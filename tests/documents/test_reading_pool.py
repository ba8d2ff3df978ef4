"""A file that hangs, crashes or fills the memory affects only itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import ReadRequest
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.reading_pool import FileReading, ReadingPool
from investigator.errors import ReaderError
from investigator.files.own_process import start_module
from investigator.records import FileStatus

LONG = "The mill stands at the river. " * 2_000_000  # 60 MB: some seconds of work


@pytest.fixture(autouse=True)
def _started_as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("investigator.documents.reading_pool.start_module", start_module)


def request(path: Path, **reader: float) -> ReadRequest:
    settings = ReaderSettings(**reader)
    root, name = os.fsencode(path.parent), os.fsencode(path.name)
    return ReadRequest(id=path.name, root=root, path=name, reader=settings, chunks=ChunkSettings())


def read(*requests: ReadRequest, processes: int = 1) -> list[FileReading]:
    with ReadingPool(processes) as pool:
        return list(pool.read(requests))


def text(path: Path, words: str = "The mill.") -> Path:
    path.write_text(words)
    return path


def test_results_come_in_the_order_of_the_requests(tmp_path):
    names = [f"{number:02}.txt" for number in range(40)]
    readings = read(*(request(text(tmp_path / name, name)) for name in names), processes=2)
    assert [reading.request.id for reading in readings] == names
    assert [reading.contents.documents[0].document.text for reading in readings] == names


def test_a_file_that_takes_too_long_is_given_up_and_the_next_is_read(tmp_path):
    slow, quick = text(tmp_path / "slow.txt", LONG), text(tmp_path / "quick.txt")
    late, read_well = read(request(slow, max_seconds=0.3), request(quick))
    assert late.contents.status is FileStatus.TIMED_OUT
    assert "reader.max_seconds" in late.contents.reason
    assert late.seconds < 20
    assert read_well.contents.status is FileStatus.INDEXED


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_file_that_needs_too_much_memory_is_too_large_and_the_next_is_read(tmp_path):
    big, quick = text(tmp_path / "big.txt", LONG), text(tmp_path / "quick.txt")
    large, read_well = read(request(big, max_memory=100_000_000), request(quick))
    assert large.contents.status is FileStatus.TOO_LARGE
    assert "reader.max_memory" in large.contents.reason
    assert read_well.contents.status is FileStatus.INDEXED


@pytest.mark.skipif(sys.platform != "linux", reason="children are found through /proc")
def test_a_reading_process_that_dies_costs_the_file_in_work_only(tmp_path):
    slow, quick = text(tmp_path / "slow.txt", LONG), text(tmp_path / "quick.txt")
    others = children()
    killer = threading.Timer(0.3, lambda: [os.kill(child, signal.SIGSEGV) for child in children() - others])
    with ReadingPool(1) as pool:
        list(pool.read([request(quick)]))  # the process runs
        killer.start()
        lost, read_well = pool.read([request(slow), request(quick)])
    killer.cancel()
    assert lost.contents.status is FileStatus.FAILED
    assert "signal 11" in lost.contents.reason
    assert read_well.contents.status is FileStatus.INDEXED


@pytest.mark.skipif(sys.platform != "linux", reason="children are found through /proc")
def test_no_process_is_left_when_reading_is_stopped(tmp_path):
    slow, others = text(tmp_path / "slow.txt", LONG), children()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores Ctrl-C
    began = time.monotonic()
    try:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            read(request(slow))
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 20
    assert children() == others


def test_a_known_content_is_not_read(tmp_path):
    path = text(tmp_path / "a.txt")
    (first,) = read(request(path))
    assert first.opened is not None
    (again,) = read(request(path).changed(known_hash=first.opened.content_hash))
    assert again.contents.known
    assert again.contents.documents == ()
    assert again.opened == first.opened


def test_a_link_that_took_the_place_of_a_file_is_not_followed(tmp_path):
    text(tmp_path / "secret.txt", "secret")
    (tmp_path / "a.txt").symlink_to(tmp_path / "secret.txt")
    (reading,) = read(request(tmp_path / "a.txt"))
    assert reading.contents.status is FileStatus.FAILED
    assert reading.contents.documents == ()


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (reading,) = read(request(tmp_path / "pipe.txt"))
    assert reading.contents.status is FileStatus.UNSUPPORTED


def test_a_log_that_grows_all_the_time_is_read_as_it_was_at_one_moment(tmp_path):
    line = "The mill stands.\n"
    path = text(tmp_path / "log.txt", line * 200_000)
    done = threading.Event()

    def grow() -> None:
        with path.open("a") as log:
            while not done.is_set():
                log.write(line)
                log.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        (reading,) = read(request(path))
    finally:
        done.set()
        writer.join()
    assert reading.contents.status is FileStatus.INDEXED
    assert reading.opened is not None
    held = reading.contents.documents[0].document.text
    assert (line * (held.count("\n") + 1)).startswith(held)
    assert len(held) == reading.opened.size < path.stat().st_size


def test_odd_names_are_read(tmp_path):
    names = ["new\nline.txt", "\U0001f600.txt", "x" * 251 + ".txt", " .txt", "-rf.txt"]
    readings = read(*(request(text(tmp_path / name)) for name in names))
    assert [reading.contents.status for reading in readings] == [FileStatus.INDEXED] * len(names)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_read(tmp_path):
    (reading,) = read(request(text(tmp_path / os.fsdecode(b"bad\xff.txt"))).changed(id="bad.txt"))
    assert reading.contents.status is FileStatus.INDEXED


def test_files_of_the_current_folder_are_never_taken_for_code(tmp_path, monkeypatch):
    for module in ("json", "investigator", "pydantic", "sitecustomize"):
        text(tmp_path / f"{module}.py", f"open({str(tmp_path / 'executed')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    (reading,) = read(request(tmp_path / "json.py"))
    assert reading.contents.status is FileStatus.INDEXED
    assert not (tmp_path / "executed").exists()


def test_a_zip_bomb_costs_a_moment_and_little_memory(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("bomb.txt", b" " * 400_000_000)
        bomb.writestr("text.txt", b"It stands.")
    bombed, read_well = read(request(tmp_path / "bomb.zip", max_bytes=1_000_000), request(text(tmp_path / "quick.txt")))
    assert [part.document.text for part in bombed.contents.documents] == ["It stands."]
    assert [left.status for left in bombed.contents.unreadable] == [FileStatus.TOO_LARGE]
    assert bombed.contents.peak_memory < 200_000_000
    assert bombed.seconds < 20
    assert read_well.contents.status is FileStatus.INDEXED


def test_a_process_that_does_not_start_is_an_error_with_a_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ReaderError) as caught:
        read(request(text(tmp_path / "a.txt")))
    assert caught.value.hint


def children() -> set[int]:
    """Return the running processes that this process has started."""
    found = subprocess.run(["ps", "-o", "pid=,stat=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    rows = [line.split(None, 2) for line in found.stdout.splitlines()]
    return {int(pid) for pid, state, command in rows if not state.startswith("Z") and command != "ps"}
