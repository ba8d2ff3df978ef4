"""Shows on a terminal how a folder is read, the steps towards a reply, and the proven part of the reply."""

from __future__ import annotations

from itertools import chain
from typing import TextIO

from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Module
from investigator.cli.progress import shown
from investigator.errors import WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.records import Embedded
from investigator.reports.inert import inert_prose

_CLEAR = "\r\x1b[K"


def read_folder(investigator: Investigator, most_vectors: int, stream: TextIO) -> None:
    """Index the changes in a folder, and compute the missing vectors if they are at most `most_vectors`, showing
    progress on a stream. If another process has the folder open, write a note: opening the folder waits for it. Raises
    the errors of `Investigator.index`.
    """
    try:
        for _ in shown(investigator.index(), stream):
            pass
        missing = investigator.status(compare=False).without_vectors
        if 0 < missing <= most_vectors:
            for _ in shown(chain([Embedded(done=0, total=missing)], investigator.index(vectors=True)), stream):
                pass
    except WorkspaceLockedError:
        _write(stream, "note: waiting for another process that uses the index of this folder\n")


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


class Spoken:
    """Shows each reply while it is written: the current step on `steps`, and the text on `words`."""

    def __init__(self, steps: TextIO, words: TextIO) -> None:
        self._steps = steps
        self._words = words
        self._text = ""
        self._shows_step = False

    def step(self, module: Module) -> None:
        """Show what the module is doing, unless part of the reply is already shown."""
        if not self._text:
            _write(self._steps, f"{_CLEAR}{TABLE[module].step} …")
            self._shows_step = True

    def hear(self, text: str) -> None:
        """Show the text of the reply so far."""
        harmless = inert_prose(text)
        if harmless.startswith(self._text):
            self._clear()
            _write(self._words, harmless[len(self._text) :])
            self._text = harmless

    def end(self, reply: str = "") -> int:
        """Return how many characters of the reply are already shown; 0, on a new line, if it begins differently."""
        self._clear()
        text, self._text = self._text, ""
        if reply.startswith(text):
            return len(text)
        _write(self._words, "\n")
        return 0

    def _clear(self) -> None:
        if self._shows_step:
            _write(self._steps, _CLEAR)
            self._shows_step = False
