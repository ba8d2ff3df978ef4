"""Reading a folder with progress before it is chatted with or served, also if another process has it open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from investigator.cli.progress import shown
from investigator.errors import WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.records import Embedded, Event


def read_folder(investigator: Investigator, most_vectors: int, stream: TextIO) -> None:
    """Read what is new in a folder and make up to `most_vectors` missing vectors, with progress on a stream.

    More vectors than that are made when they are needed. If another process has the folder open, write a note and read
    nothing: opening the folder then waits for it. Raises what `Investigator.index` does.
    """
    try:
        for _ in shown(_events(investigator, most_vectors), stream):
            pass
    except WorkspaceLockedError:
        stream.write("note: waiting for another process that uses the index of this folder\n")
        stream.flush()


def _events(investigator: Investigator, most_vectors: int) -> Iterator[Event]:
    yield from investigator.index()
    missing = investigator.status(compare=False).without_vectors
    if 0 < missing <= most_vectors:
        yield Embedded(done=0, total=missing)
        yield from investigator.index(vectors=True)
