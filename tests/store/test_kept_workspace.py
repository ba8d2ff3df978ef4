"""A workspace that stays open for reading is opened once, and again if its files have changed since the check."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from investigator.errors import DamagedDatabaseError
from investigator.store.database import get_meta, set_meta
from investigator.store.kept_workspace import KeptWorkspace
from investigator.store.workspace import DATABASE_NAME, Workspace


def opener(directory: Path) -> tuple[Callable[[], Workspace], list[Workspace]]:
    """Return a function that opens a workspace for reading, and the workspaces that it has opened so far."""
    opened: list[Workspace] = []

    def open_for_reading() -> Workspace:
        opened.append(Workspace(directory, write=False))
        return opened[-1]

    return open_for_reading, opened


def write(directory: Path, value: str) -> None:
    with Workspace(directory, write=True) as workspace, workspace.index.begin() as connection:
        set_meta(connection, "k", value)


def read(kept: KeptWorkspace) -> str | None:
    with kept.use() as workspace, workspace.index.begin() as connection:
        return get_meta(connection, "k")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write(tmp_path / "w", "first")
    return tmp_path / "w"


def test_it_is_opened_once_and_what_others_commit_is_seen(directory: Path) -> None:
    open_for_reading, opened = opener(directory)
    with KeptWorkspace(open_for_reading) as kept:
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda _: read(kept), range(40))) == {"first"}
        write(directory, "second")
        assert read(kept) == "second"
        assert len(opened) == 1


def test_an_index_that_was_exchanged_is_opened_anew(directory: Path) -> None:
    open_for_reading, opened = opener(directory)
    with KeptWorkspace(open_for_reading) as kept:
        assert read(kept) == "first"
        shutil.copyfile(directory / DATABASE_NAME, directory / "copy")
        (directory / "copy").chmod(0o600)
        (directory / "copy").replace(directory / DATABASE_NAME)
        read(kept)
        assert len(opened) == 2
        (directory / DATABASE_NAME).unlink()
        os.symlink("/dev/null", directory / DATABASE_NAME)
        with pytest.raises(Exception, match="link"):
            read(kept)


def test_damage_is_marked_for_the_writer_and_nothing_is_read_from_it_again(directory: Path) -> None:
    open_for_reading, opened = opener(directory)
    with KeptWorkspace(open_for_reading) as kept:
        with pytest.raises(DamagedDatabaseError, match="forged"), kept.use() as workspace, workspace.index.begin():
            raise DamagedDatabaseError("forged")
        with pytest.raises(DamagedDatabaseError, match="found damaged"):
            read(kept)
        assert len(opened) == 2


def test_who_reads_is_left_to_the_end_when_it_is_renewed(directory: Path) -> None:
    open_for_reading, opened = opener(directory)
    with KeptWorkspace(open_for_reading) as kept, kept.use() as workspace:
        kept.renew()
        with workspace.index.begin() as connection:
            assert get_meta(connection, "k") == "first"
        assert read(kept) == "first"
        assert len(opened) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed by Linux")
def test_nothing_stays_open_at_the_end(directory: Path) -> None:
    def descriptors() -> list[str]:
        links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
        return [
            name for link in links if os.path.lexists(link) and (name := os.readlink(link)).startswith(str(directory))
        ]

    with KeptWorkspace(opener(directory)[0]) as kept:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: read(kept), range(80)))
        assert descriptors()
    assert not descriptors()


def test_a_writer_borrows_what_is_open_and_leaves_it_open(directory: Path) -> None:
    with KeptWorkspace(opener(directory)[0]) as kept, kept.use() as opened:
        with Workspace(directory, write=True) as writer:
            writer.borrow(opened)
            assert (writer.index, writer.runs) == (opened.index, opened.runs)
            with writer.index.begin() as connection:
                set_meta(connection, "k", "third")
        assert read(kept) == "third"


def test_damage_that_a_borrower_finds_is_marked(directory: Path) -> None:
    def find_damage(kept: KeptWorkspace) -> None:
        with Workspace(directory, write=True) as writer, kept.use() as opened:
            writer.borrow(opened)
            with writer.index.begin():
                raise DamagedDatabaseError("forged")

    with KeptWorkspace(opener(directory)[0]) as kept:
        with pytest.raises(DamagedDatabaseError, match="forged"):
            find_damage(kept)
        with pytest.raises(DamagedDatabaseError, match="found damaged"):
            read(kept)
