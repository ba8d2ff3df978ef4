"""The directory of a workspace: private, checked before anything in it is opened, and written to by one process."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from investigator.errors import DiskFullError, ForeignFileError, SettingsError, WorkspaceLockedError
from investigator.files import (
    check_private_file,
    check_private_folder,
    is_plain_file,
    make_private_folder,
    open_private,
    read_private,
)
from investigator.store.database import Database
from investigator.store.locations import note_folder

DATABASE_NAME = "investigator.db"

_DATABASE_FILES = ("", "-wal", "-shm", "-journal")
_FILES = (*(DATABASE_NAME + end for end in _DATABASE_FILES), "writer.pid", "writer.lock", "servers.json", "folder")
_FOLDERS = ("chroma", "chats", "evaluations")


def has_database(directory: Path) -> bool:
    """Return True if something was indexed or investigated in a workspace directory before."""
    return is_plain_file(directory / DATABASE_NAME)


class Workspace:
    """An open workspace: its directory, its database, and the lock of the one writer.

    `folder` is noted in it, so that the workspace is found again if the folder moves. Use it as a context manager.
    Raises SettingsError if the directory cannot be made, ForeignFileError if something in it is a link, a pipe, or not
    this user's, WorkspaceLockedError if another process is writing, StoreError if the database is broken.
    """

    def __init__(self, directory: Path, *, write: bool, folder: Path | None = None) -> None:
        self.directory = directory
        self.writes = write
        _prepare(directory)
        self._lock = FileLock(str(directory / "writer.lock"), mode=0o600)
        if write:
            self._acquire()
        try:
            if folder is not None:
                note_folder(directory, folder)
            self.database = Database(directory / DATABASE_NAME)
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Close the database and let others write."""
        self.database.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _acquire(self) -> None:
        holder = self.directory / "writer.pid"
        try:
            self._lock.acquire(timeout=0)
            with open(open_private(holder, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
                file.write(str(os.getpid()).encode("ascii"))
        except Timeout:
            pid = read_private(holder, 20).decode("ascii", "replace") if is_plain_file(holder) else "unknown"
            raise WorkspaceLockedError(f"process {pid} is writing to the workspace {self.directory}") from None
        except OSError as error:
            self._lock.release()
            raise DiskFullError(f"the workspace {self.directory} cannot be written: {error.strerror}") from error
        except BaseException:
            self._lock.release()
            raise


def _prepare(directory: Path) -> None:
    """Make a workspace directory, or check the one that is there."""
    try:
        make_private_folder(directory)
        check_private_folder(directory)
        for name in _FOLDERS:
            if os.path.lexists(directory / name):
                check_private_folder(directory / name)
        for name in _FILES:
            check_private_file(directory / name)
        problem = "" if _writable(directory) else "no file can be made there"
    except ForeignFileError:
        raise
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        raise SettingsError(
            f"the workspace {directory} cannot be written: {problem}",
            hint="Name a folder that can be written with --workspace DIR.",
        )


def _writable(directory: Path) -> bool:
    """Return True if a file can be made there; permission bits alone lie (root, network drives, read-only mounts)."""
    try:
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False
