"""Where a workspace is, and who may write to it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from investigator.errors import DiskFullError, FolderError, SettingsError, WorkspaceLockedError
from investigator.store.database import Database

DEFAULT_NAME = ".investigator"
DATABASE_NAME = "investigator.db"


def locate(folder: Path, chosen: Path | None = None) -> Path:
    """Return the workspace directory of a document folder.

    The chosen one, else `.investigator` inside the folder, else (a read-only folder) one in the user's data directory.
    Raises FolderError if `.investigator` is a file.
    """
    if chosen is not None:
        return chosen.expanduser().absolute()
    inside = folder / DEFAULT_NAME
    if os.path.lexists(inside) and not inside.is_dir():
        raise FolderError(
            f"{inside} is a file, and the index of the folder is kept in a folder of that name",
            hint="Move the file away, or name another place for the index with --workspace DIR.",
        )
    if _writable(inside) or (not inside.exists() and _writable(folder)):
        return inside
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return user_data_path("investigator", appauthor=False) / name


def has_database(directory: Path) -> bool:
    """Return True if something was indexed or investigated in a workspace directory before."""
    return (directory / DATABASE_NAME).is_file()


class Workspace:
    """An open workspace: its directory, its database, and the lock of the one writer.

    Use it as a context manager. Raises SettingsError if the directory cannot be made, WorkspaceLockedError if
    another process is writing, StoreError if the database is broken.
    """

    def __init__(self, directory: Path, *, write: bool) -> None:
        self.directory = directory
        self._lock = FileLock(str(directory / "writer.lock"))
        self._make()
        if write:
            self._acquire()
        try:
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

    def _make(self) -> None:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"the workspace {self.directory} cannot be made: {error.strerror}",
                hint="Name a folder that can be written with --workspace DIR.",
            ) from error
        if not _writable(self.directory):
            raise SettingsError(
                f"the workspace {self.directory} cannot be written",
                hint="Name a folder that can be written with --workspace DIR.",
            )

    def _acquire(self) -> None:
        holder = self.directory / "writer.pid"
        try:
            self._lock.acquire(timeout=0)
            holder.write_text(str(os.getpid()), encoding="ascii")
        except Timeout:
            pid = holder.read_text(encoding="ascii") if holder.exists() else "unknown"
            raise WorkspaceLockedError(f"process {pid} is writing to the workspace {self.directory}") from None
        except OSError as error:
            self._lock.release()
            raise DiskFullError(f"the workspace {self.directory} cannot be written: {error.strerror}") from error


def _writable(directory: Path) -> bool:
    """Return True if a file can be made there; permission bits alone lie (root, network drives, read-only mounts)."""
    try:
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False
