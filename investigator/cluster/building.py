"""The indexing work done on one machine: update a shard from its files, in a separate folder, and then publish it.

Running it twice, even concurrently, is harmless, because the second run finds the shard that the first run built.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from platform import node
from tempfile import TemporaryDirectory

from investigator.cluster.shard_files import ShardFiles, ShardRecord, stamp_of
from investigator.documents.folder import STAMPS_ONLY, Recheck, check_folder
from investigator.documents.scanning import FolderListing, FoundFile
from investigator.engines.base import Embedder
from investigator.errors import ClusterError, FolderError
from investigator.records import FileRead, FileRecord, Notice
from investigator.resources.distribution import DISTRIBUTION, installed_version
from investigator.retrieval.folder_index import FolderIndex, IndexSettings
from investigator.store.schema import INDEX
from investigator.store.workspace import DATABASE_NAME, Workspace


def index_version() -> str:
    """Return the version of the program and of its index, which must be the same on all machines in a cluster."""
    return f"{installed_version()} (index {INDEX.version})"


def check_version(wanted: str) -> None:
    """Raise ClusterError if this machine has a version other than the one that a command has."""
    if index_version() != wanted:
        raise ClusterError(
            f"the worker on {node()} has {DISTRIBUTION} {index_version()}, but this command has {wanted}",
            hint="Install the same version on all machines in the cluster.",
        )


@dataclass(frozen=True)
class ShardTask:
    """One shard to update; `open_embedder` opens the embedder on the machine that updates the shard."""

    version: str
    folder: Path
    workspace: Path
    number: int
    count: int
    files: tuple[FoundFile, ...]
    made_with: str
    settings: IndexSettings
    open_embedder: Callable[[], Embedder]
    recheck: Recheck = STAMPS_ONLY


@dataclass(frozen=True)
class BuiltShard:
    """An updated shard, the files that were opened for it, and notices for the user."""

    record: ShardRecord
    read: tuple[FileRecord, ...] = ()
    notices: tuple[str, ...] = ()


def build(task: ShardTask) -> BuiltShard:
    """Update a shard. Raises ClusterError, FolderError, ReaderError, EngineError and StoreError."""
    check_version(task.version)
    _check_seen(task)
    files = ShardFiles(task.workspace)
    before = files.record(task.number, task.count)
    if before is not None and task.recheck == STAMPS_ONLY and is_current(before, task.files, task.made_with):
        return BuiltShard(before)
    notices: list[str] = []
    read: list[FileRecord] = []
    with TemporaryDirectory(prefix="investigator-shard-") as place:
        if before is not None:
            copy = Path(place) / DATABASE_NAME
            shutil.copyfile(files.path(before), copy)
            copy.chmod(0o600)
        with Workspace(Path(place), write=True, notice=notices.append) as workspace:
            index = FolderIndex(task.folder, workspace, task.settings, task.open_embedder(), notices.append)
            for event in index.read(task.recheck, FolderListing(task.files)):
                if isinstance(event, FileRead):
                    read += event.files
                elif isinstance(event, Notice):
                    notices.append(event.text)
            for _ in index.embed_all():
                pass
            listed = stamp_of(task.files)
            record = files.publish(workspace.index, task.number, task.count, listed, task.made_with)
    return BuiltShard(record, tuple(read), tuple(notices))


def is_current(record: ShardRecord, files: tuple[FoundFile, ...], made_with: str) -> bool:
    """Return True if a shard was built from the current state of these files, with these settings."""
    return record.listed == stamp_of(files) and record.made_with == made_with


def _check_seen(task: ShardTask) -> None:
    try:
        check_folder(task.folder)
    except FolderError as error:
        raise ClusterError(
            f"the worker on {node()} cannot read the documents: {error.message}",
            hint="All machines in the cluster must see the folder and the workspace under the same paths.",
        ) from error
