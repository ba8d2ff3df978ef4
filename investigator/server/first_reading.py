"""Reads a folder for the first time when somebody visits its pages, which show the reading until they can show the
documents.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from fastapi import Request
from fastapi.responses import Response

from investigator.server.desk import Desk
from investigator.server.folders import ServedFolder
from investigator.server.live import state_of
from investigator.server.records import JobKind, JobRequest, JobState, ServerJob
from investigator.server.replies import page
from investigator.server.uploads import Uploads

_PAGES = {"", "documents", "document", "search", "chats", "chats/{chat_id}", "matrix"}
"""The pages of a folder that need its documents."""
_NEEDING = frozenset(f"/f/{{name}}/{place}" for place in _PAGES)


class NotReady(Exception):
    """Signals that a page of a folder cannot be shown yet; `shown` is shown instead."""

    def __init__(self, shown: Response) -> None:
        self.shown = shown
        super().__init__("the folder is not read yet")


class FirstReading:
    """Begins the first reading of each folder. Thread-safe: two visits begin one reading."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._beginning = Lock()

    def job(self, served: ServedFolder, *, again: bool = False) -> ServerJob | None:
        """Return the job that reads a folder for the first time; None if the folder has been read. A failed reading is
        not begun `again` of itself.
        """
        with self._beginning:
            if waiting := [job for job in served.ledger.unfinished() if job.request.kind is JobKind.READ]:
                return waiting[0]
            if served.investigator.has_index():
                return None
            reads = (job for job in served.ledger.jobs() if job.request.kind is JobKind.READ)
            last = next((job for job in reads if job.state in (JobState.FAILED, JobState.STOPPED)), None)
            if last is not None and not again:
                return last
            return self._desk.submit(JobRequest(folder=served.name, kind=JobKind.READ))


def readiness(desk: Desk, reading: FirstReading, uploads: Uploads) -> Callable[[Request], None]:
    """Return the dependency of all pages that raises NotReady if a folder is empty or still being read."""

    def ready(request: Request) -> None:
        if request.method != "GET" or request.scope["route"].path not in _NEEDING:
            return
        served = desk.folder(request.path_params["name"])
        takes_files = uploads.holds(served.path)
        if (takes_files or not served.investigator.has_index()) and served.investigator.is_empty():
            most = served.investigator.parts.settings.reader.max_bytes
            raise NotReady(page("empty.html.j2", folder=served, takes_files=takes_files, most=most))
        job = reading.job(served)
        if job is None:
            return
        here = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        obstacle = desk.obstacle(served.name)
        raise NotReady(page("reading.html.j2", folder=served, here=here, obstacle=obstacle, **state_of(served, job)))

    return ready
