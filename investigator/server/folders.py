"""The folders of a server: those that it was started with, and those that it made. It opens no others. Each has a name
that is used in addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from investigator.errors import SettingsError
from investigator.files import check_private_folder, make_private_folder
from investigator.investigator import Investigator
from investigator.server.ledger import ChatLedger, JobLedger
from investigator.services.document_pages import DocumentPages
from investigator.services.run_records import scope_of
from investigator.store.database import FileDatabase
from investigator.store.locations import default_workspace
from investigator.store.schema import SERVED

_LONGEST_NAME = 40
_MOST_AGENTS = 32  # maximum number of programs that serve one folder to agents at the same time


@dataclass(frozen=True)
class ServedFolder:
    """A folder with the name used in its addresses, its investigator, its pages, and its stored jobs and chats;
    `close` releases it, so that another server can use it.
    """

    name: str
    investigator: Investigator
    ledger: JobLedger
    chats: ChatLedger
    pages: DocumentPages
    close: Callable[[], None]

    @property
    def path(self) -> Path:
        """Return the path of the folder."""
        return self.investigator.folder


def check_documents(served: ServedFolder, only: Sequence[str]) -> None:
    """Raise FolderError for a name, which is no pattern, that no file of the folder has."""
    names = [name for name in only if not any(mark in name for mark in "*?[")]
    if not names or not served.investigator.has_index():
        return
    files = served.investigator.status(compare=False).files
    known = [file.path for file in files]
    for name in names:
        if not any(name.startswith(path) for path in known):  # it is a file, or inside one
            new, _, _ = served.investigator.changes(files)
            scope_of([name], [*known, *new])


class ServedFolders(Mapping[str, ServedFolder]):
    """The folders of a server, keyed by name. Jobs and chats are stored in `directory`, by default in the user's data
    directory. With `to_agents`, the folders are served only to agents; each such program stores its own jobs, so that
    several can run at once. Thread-safe: a folder that is added does not disturb a loop over the others.
    """

    def __init__(self, directory: Path | None = None, *, to_agents: bool = False) -> None:
        self._directory = directory or user_data_path("investigator", appauthor=False) / "servers"
        self._to_agents = to_agents
        self._served: dict[str, ServedFolder] = {}
        self._adding = Lock()
        self._first = ""

    def add(self, investigator: Investigator) -> ServedFolder:
        """Serve another folder. Raises SettingsError if another server serves it or nothing can be stored in the
        directory, and StoreError if the database fails.
        """
        own = self._directory / default_workspace(investigator.folder).name
        places = [own / f"agents-{n}" for n in range(1, _MOST_AGENTS + 1)] if self._to_agents else [own]
        with self._adding:
            name = _name(investigator.folder, self._served)
            served = _served(name, investigator, places)
            self._served = {**self._served, name: served}
        return served

    @property
    def default(self) -> str:
        """Return the only folder, or that with which alone the server was started; "" if there are several."""
        return self._first or (next(iter(self._served)) if len(self._served) == 1 else "")

    def started(self) -> None:
        """Note the default folder, now that all folders given at the start are added."""
        self._first = self.default

    def __getitem__(self, name: str) -> ServedFolder:
        return self._served[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._served)

    def __len__(self) -> int:
        return len(self._served)


def served_folders(
    investigators: Iterable[Investigator], directory: Path | None = None, *, to_agents: bool = False
) -> ServedFolders:
    """Return the folders to serve; raises the errors of `ServedFolders.add`, after closing the folders before."""
    served = ServedFolders(directory, to_agents=to_agents)
    with ExitStack() as failing:
        for investigator in investigators:
            failing.callback(served.add(investigator).close)
        failing.pop_all()
    served.started()
    return served


def _served(name: str, investigator: Investigator, places: Sequence[Path]) -> ServedFolder:
    with ExitStack() as stack:
        place = _locked(stack, investigator.folder, places)
        database = stack.enter_context(closing(FileDatabase(place / "served.db", SERVED)))
        stack.enter_context(investigator.kept_open())
        pages = stack.enter_context(investigator.pages())
        close = stack.pop_all().close
        return ServedFolder(name, investigator, JobLedger(database), ChatLedger(database), pages, close)


def _locked(stack: ExitStack, folder: Path, places: Sequence[Path]) -> Path:
    """Lock and return the first directory that no other program has locked. Raises SettingsError if all are locked."""
    for place in places:
        make_private_folder(place)
        check_private_folder(place)
        with suppress(Timeout):
            stack.enter_context(FileLock(str(place / "server.lock"), mode=0o600).acquire(timeout=0))
            return place
    raise SettingsError(
        f"another program already serves {folder}",
        hint="Use it, or stop it with Ctrl-C first. `ask`, `show`, `search` and `serve --mcp` work at the same time.",
    )


def _name(folder: Path, taken: Container[str]) -> str:
    """Return the directory's name in plain letters, followed by a number if that name is taken."""
    plain = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:_LONGEST_NAME] or "folder"
    return next(name for name in chain([plain], (f"{plain}-{n}" for n in count(2))) if name not in taken)
