"""Runs a command and measures its wall time and the memory of it and all its descendants (Linux)."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

_INTERVAL = 0.1  # seconds between two looks at the processes
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Finished:
    """A finished command: wall seconds, peak resident memory of its process tree in bytes, and output."""

    seconds: float
    peak_memory: int
    exit_code: int
    output: str


def measured(
    command: Sequence[str], variables: Mapping[str, str], accepted: frozenset[int] = frozenset({0})
) -> Finished:
    """Run a command with additional environment variables until it ends.

    Memory is the sum of the resident sets of all processes in the tree, so shared pages are counted several times.
    Raises RuntimeError, with the end of the output, for an exit code that is not accepted.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as talk:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=talk, env={**os.environ, **variables})
        watch = _Watch(process.pid)
        watch.start()
        code = process.wait()
        seconds = time.monotonic() - began
        watch.stop()
        output.seek(0)
        talk.seek(0)
        said = talk.read().decode("utf-8", "replace")
        if code not in accepted:
            raise RuntimeError(f"exit code {code} from {' '.join(command)}\n{said[-3000:]}")
        return Finished(seconds, watch.peak, code, output.read().decode("utf-8", "replace"))


class _Watch(Thread):
    """Samples a process tree at intervals; `peak` is the maximum memory that was measured."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._root = root
        self._ended = Event()

    def run(self) -> None:
        while not self._ended.wait(_INTERVAL):
            self.peak = max(self.peak, _memory(self._root))

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _memory(root: int) -> int:
    """Return the current resident bytes of a process and its descendants."""
    parents: dict[int, int] = {}
    resident: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            fields = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:  # it has ended in the meantime
            continue
        parents[int(entry.name)], resident[int(entry.name)] = int(fields[1]), int(fields[21]) * _PAGE
    return sum(size for pid, size in resident.items() if _descends(pid, root, parents))


def _descends(pid: int, root: int, parents: Mapping[int, int]) -> bool:
    while pid not in (root, 0, 1):
        pid = parents.get(pid, 0)
    return pid == root
