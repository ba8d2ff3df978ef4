"""Reading a folder before it is talked about or served: with progress, and beside others who do the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from investigator.cli.progress import shown
from investigator.errors import WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.records import Embedded, Event


def read_folder(investigator: Investigator, most_vectors: int, stream: TextIO) -> None:
    """Read what is new in a folder and make up to `most_vectors` missing vectors, with progress on a stream.

    More vectors than that are made when they are needed. Where another process has the folder, that is told, and
    nothing is read: whoever opens the folder waits for it. Raises what `Investigator.index` does.
    """

    try:
        for _ in shown(_events(investigator, most_vectors), stream):
            pass
    except WorkspaceLockedError:
        stream.write("note: another process reads or writes the index of this folder; it is waited for\n")
        stream.flush()


def _events(investigator: Investigator, most_vectors: int) -> Iterator[Event]:

    yield from investigator.index()
    missing = investigator.status(compare=False).without_vectors
    if 0 < missing <= most_vectors:
        yield Embedded(done=0, total=missing)
        yield from investigator.index(vectors=True)
