"""Watches a folder and its standing questions: notices changes, waits until they settle, and updates the answers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath
from threading import Event as Signal

from investigator.documents.scanning import IGNORE_FILE
from investigator.errors import (
    InvestigatorError,
    QuestionError,
    SettingsError,
    WorkspaceLockedError,
    in_words,
)
from investigator.records import Event, Notice

QUIET = 0.7
"""Seconds without a change after which a folder counts as settled: a file that is being written is complete."""
LONGEST = 10.0
"""Seconds after which a folder that keeps changing is updated all the same."""
RESCAN = 300.0
"""Seconds after which a folder is compared without a sign of a change, because not every file system gives one; also
the time after which what failed is tried again.
"""
_STEP, _TOGETHER, _TICK = 100, 1_000, 250  # milliseconds: between two looks, and until changes, or none, are reported
_BETWEEN_TRIES = 2.0  # seconds
_LATER = f"this is tried again after the next change, or in {RESCAN / 60:.0f} minutes"

Changes = Iterable[frozenset[str]]
"""The paths that changed, as they are noticed; an empty set if none changed for a moment."""


def folder_changes(
    folder: Path, besides: Path, stop: Signal | None = None, poll: float | None = None
) -> Iterator[frozenset[str]]:
    """Yield the paths that change in a folder, until `stop` is set; without a change, yield an empty set several times
    a second. The system reports them, or else the files are compared every `poll` seconds. Hidden files, and those in
    the directory `besides`, are ignored.

    A folder that is removed and comes back is watched again. Raises SettingsError if the system cannot watch it.
    """
    from watchfiles import watch  # imported here, because other commands do not watch

    noticed = partial(watch, folder, watch_filter=None, stop_event=stop, ignore_permission_denied=True)
    if poll is not None:
        noticed = partial(noticed, force_polling=True, poll_delay_ms=round(poll * 1_000))
    while stop is None or not stop.is_set():
        watched = _stamp(folder)
        try:
            for changes in noticed(debounce=_TOGETHER, step=_STEP, rust_timeout=_TICK, yield_on_timeout=True):
                yield frozenset(path for _, path in changes if _counts(path, folder, besides))
                if _stamp(folder)[:2] != watched[:2]:  # another folder has this path now, or none
                    break
        except FileNotFoundError:
            time.sleep(_TICK / 1_000)
            yield frozenset()
            continue
        except (OSError, RuntimeError) as error:
            raise SettingsError(
                f"changes in {folder} cannot be noticed: {in_words(error)}",
                hint="Compare the files in intervals of some seconds instead: --poll 10",
            ) from error
        yield frozenset((str(folder),))


def with_file(changes: Changes, file: Path) -> Iterator[frozenset[str]]:
    """Yield changes, and add the path of a file when it has changed."""
    seen = _stamp(file)
    for paths in changes:
        now = _stamp(file)
        yield paths if now == seen else paths | {str(file)}
        seen = now


def _stamp(path: Path) -> tuple[int, ...]:
    """Return device, inode, time and size of a file or folder; empty if there is none."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _counts(path: str, folder: Path, besides: Path) -> bool:
    below = PurePath(path)
    if below.is_relative_to(besides):
        return False
    names = below.relative_to(folder).parts if below.is_relative_to(folder) else below.parts[-1:]
    return names == (IGNORE_FILE,) or not any(name.startswith(".") for name in names)


def settled(changes: Changes, quiet: float = QUIET, clock: Callable[[], float] = time.monotonic) -> Iterator[bool]:
    """Yield True at first, and whenever a folder has settled after changes, however many: nothing changed for `quiet`
    seconds. Yield False if it keeps changing, but has waited long enough. Without changes, yield True now and then.
    """
    longest = max(LONGEST, 3 * quiet)
    since, latest, updated = math.inf, math.inf, -math.inf
    for paths in changes:
        now = clock()
        if paths:
            since, latest = min(since, now), now
        is_quiet = since == math.inf or now - latest >= quiet
        if (since < math.inf and is_quiet) or now - since >= longest or now - updated >= RESCAN:
            is_settled = is_quiet or now - since < longest
            since = latest = math.inf
            yield is_settled
            updated = clock()


def watched(
    update: Callable[[Sequence[str]], Iterator[Event]],
    questions: Callable[[], Sequence[str]],
    moments: Iterable[bool],
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Event]:
    """Update the answers to the questions at each moment of `settled`, and yield the events; the outcome of an update
    is a StandingUpdate. Questions that cannot be read any more stay those read before.

    An error of the first update is raised; a later one is reported, and the update is repeated at a later moment.
    While another process is writing to the workspace, the update waits.
    """
    current: tuple[str, ...] = ()
    is_first = True
    for is_quiet in moments:
        if not is_quiet:
            yield Notice(text="The folder keeps changing, so what it contains now is read.")
        try:
            current = tuple(questions())
        except QuestionError as error:
            if is_first:
                raise
            yield Notice(text=f"{error.message}; the {len(current)} questions read before are kept.")
        try:
            yield from _waited(partial(update, current), sleep)
        except InvestigatorError as error:
            if is_first:
                raise
            yield Notice(text=f"{error.message}; {_LATER}.")
        is_first = False


def _waited(update: Callable[[], Iterator[Event]], sleep: Callable[[float], None]) -> Iterator[Event]:
    last = ""
    while True:
        try:
            yield from update()
            return
        except WorkspaceLockedError as error:
            if error.message != last:
                yield Notice(text=f"{error.message}; waiting for it to end.")
            last = error.message
        sleep(_BETWEEN_TRIES)
