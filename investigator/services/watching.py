"""Watches a folder and its standing questions: notices changes, waits until they settle, and updates the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import inf
from pathlib import Path, PurePath
from threading import Event as Signal

from investigator.documents.scanning import IGNORE_FILE
from investigator.errors import (
    InvestigatorError,
    QuestionError,
    RunError,
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
_TICK = 0.25  # seconds between two looks at what the system does not report
_BETWEEN_TRIES = 2.0  # seconds
_LATER = f"this is tried again after the next change, or in {RESCAN / 60:.0f} minutes"


def moments(
    folder: Path,
    besides: Path,
    *,
    file: Path | None = None,
    stop: Signal | None = None,
    poll: float | None = None,
    rescan: float = RESCAN,
) -> Iterator[None]:
    """Yield at first, and whenever a folder has settled after changes, however many, or keeps changing for long; when
    `file` has changed; and after `rescan` seconds without a change; until `stop` is set. Changes are noticed from the
    first moment on, as the system reports them, or else by a comparison every `poll` seconds. Hidden files, and those
    in the directory `besides`, are ignored.

    A folder that is removed and comes back is watched again. Raises SettingsError if the system cannot watch it.
    """
    from watchfiles import watch  # imported here, because other commands do not watch

    def counts(path: str) -> bool:
        is_listing = poll is not None and Path(path).is_dir()  # polling also reports folders, even for hidden files
        return not is_listing and _counts(path, folder, besides)

    quiet = max(QUIET, poll or 0.0)
    noticed = partial(
        watch,
        watch_filter=None,  # or else what is filtered could delay everything
        debounce=round(1_000 * max(LONGEST, 3 * quiet)),
        step=round(1_000 * quiet),
        rust_timeout=round(1_000 * _TICK),
        yield_on_timeout=True,
        stop_event=stop,
        force_polling=poll is not None,
        poll_delay_ms=round(1_000 * (poll or 0.0)),
        ignore_permission_denied=True,
    )
    is_due, latest, seen = True, time.monotonic(), _stamp(file)
    while stop is None or not stop.is_set():
        watched_folder = _stamp(folder)[:2]
        try:
            for changes in noticed(folder):
                has_changed = any(counts(path) for _, path in changes)
                is_another, now = _stamp(folder)[:2] != watched_folder, _stamp(file)
                if has_changed or is_due or is_another or now != seen or time.monotonic() - latest >= rescan:
                    yield
                    is_due, latest, seen = is_another, time.monotonic(), now
                if is_another:
                    break
        except FileNotFoundError:
            time.sleep(_TICK)
        except (OSError, RuntimeError) as error:
            raise SettingsError(
                f"changes in {folder} cannot be noticed: {in_words(error)}",
                hint="Compare the files in intervals of some seconds instead: --poll 10",
            ) from error


def _stamp(path: Path | None) -> tuple[int, ...]:
    """Return device, inode, time and size of a file or folder; empty if there is none."""
    try:
        status = path.stat() if path is not None else None
    except OSError:
        status = None
    return () if status is None else (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


def _counts(path: str, folder: Path, besides: Path) -> bool:
    below = PurePath(path)
    if below.is_relative_to(besides):
        return False
    names = below.relative_to(folder).parts if below.is_relative_to(folder) else below.parts[-1:]
    return names == (IGNORE_FILE,) or not any(name.startswith(".") for name in names)


def watched(
    update: Callable[[Sequence[str]], Iterator[Event]],
    questions: Callable[[], Sequence[str]],
    moments: Iterable[None],
    sleep: Callable[[float], None] = time.sleep,
    patience: float = inf,
) -> Iterator[Event]:
    """Update the answers to the questions at each of the `moments`, and yield the events; the outcome of an update
    is a StandingUpdate. Questions that cannot be read any more stay those read before.

    An error of the first update is raised; a later one is reported, and the update is repeated at a later moment.
    While another process is writing to the workspace, the update waits, for `patience` seconds at most: then it raises
    RunError.
    """
    current: tuple[str, ...] = ()
    is_first = True
    for _ in moments:
        try:
            current = tuple(questions())
        except QuestionError as error:
            if is_first:
                raise
            yield Notice(text=f"{error.message}; the {len(current)} questions read before are kept.")
        try:
            yield from _waited(partial(update, current), sleep, patience)
        except InvestigatorError as error:
            if is_first:
                raise
            yield Notice(text=f"{error.message}; {_LATER}.")
        is_first = False


def _waited(update: Callable[[], Iterator[Event]], sleep: Callable[[float], None], patience: float) -> Iterator[Event]:
    last, waited = "", 0.0
    while True:
        try:
            yield from update()
            return
        except WorkspaceLockedError as error:
            if error.message != last:
                yield Notice(text=f"{error.message}; waiting for it to end.")
            last, waited = error.message, waited + _BETWEEN_TRIES
            if waited > patience:
                hint = "Run the same command again when it has ended."
                raise RunError(f"{last}; after {patience / 60:.0f} minutes, nothing was asked", hint=hint) from error
        sleep(_BETWEEN_TRIES)
