"""The pages of the folders themselves: their list, new ones, their documents, and the files that people add and
remove.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from investigator.errors import InvestigatorError
from investigator.investigator import Investigator
from investigator.records import Notice
from investigator.reports.wording import FILE_STATUSES
from investigator.secrets import redacted
from investigator.server.desk import Desk
from investigator.server.file_list import MOST_COMPARED, MOST_ROWS, FileLists, FileOrder
from investigator.server.first_reading import FirstReading
from investigator.server.folders import ServedFolder
from investigator.server.problems import ServerError, problem_of
from investigator.server.records import JobKind, JobRequest, JobState, kind_of
from investigator.server.replies import Fields, page, see
from investigator.server.uploads import FIRST_FOLDER, Existing, Uploads


def add_folders(router: APIRouter, desk: Desk, uploads: Uploads, opened: Callable[[Path], Investigator] | None) -> None:
    """Add the routes of the list of folders; `opened` opens a folder that the server has made, if it may."""

    def listed(**more: object) -> Response:
        folders = [(folder, uploads.holds(folder.path)) for folder in desk.folders.values()]
        return page("home.html.j2", folders=folders, may_make=opened is not None, suggested=FIRST_FOLDER, **more)

    @router.get("/")
    def home() -> Response:
        return see(f"/f/{next(iter(desk.folders))}/") if len(desk.folders) == 1 else listed()

    @router.get("/folders")
    def folders() -> Response:
        return listed()

    @router.post("/folders")
    def make(fields: Fields) -> Response:
        if opened is None:
            raise ServerError(HTTPStatus.FORBIDDEN, "this server makes no folders")
        with ExitStack() as failing:
            try:
                made = uploads.make(fields.get("name", "").strip() or FIRST_FOLDER)
                failing.callback(made.rmdir)
                name = desk.add(opened(made)).name
            except (ServerError, InvestigatorError) as error:
                return listed(problem=problem_of(error), given=fields.get("name", ""))
            failing.pop_all()
        return see(f"/f/{name}/documents")


def add_files(router: APIRouter, desk: Desk, uploads: Uploads, reading: FirstReading) -> None:
    """Add the routes of a folder's documents."""
    lists = FileLists()

    @router.get("/f/{name}/documents")
    def documents(
        name: str,
        q: Annotated[str, Query(max_length=200)] = "",
        sort: FileOrder | None = None,
        down: bool = False,
        first: Annotated[int, Query(ge=0, alias="from")] = 0,
        job: str = "",
    ) -> Response:
        served = desk.folder(name)
        files = lists.of(served.investigator)
        order = sort or (FileOrder.PROBLEMS if files.problems else FileOrder.NAME)
        compared = len(files.rows) <= MOST_COMPARED
        new, changed, gone = served.investigator.changes(files.status.files) if compared else ((), (), ())
        return page(
            "documents.html.j2",
            folder=served,
            files=files,
            part=files.part(q, order, down=down, first=first),
            differences=(("New", new), ("Changed", changed), ("Gone", gone)),
            words=FILE_STATUSES,
            wanted=q,
            order=order,
            down=down,
            most_rows=MOST_ROWS,
            updated=_updated(served, job),
            takes_files=uploads.holds(served.path),
            most=served.investigator.parts.settings.reader.max_bytes,
        )

    @router.post("/f/{name}/index")
    def index(name: str) -> Response:
        served = desk.folder(name)
        if (job := reading.job(served, again=True)) is not None:
            return see(f"/f/{name}/documents")
        job = desk.submit(JobRequest(folder=name, kind=JobKind.INDEX))
        return see(f"/f/{name}/jobs/{job.id}")

    @router.put("/f/{name}/files")
    async def add(name: str, path: str, request: Request, existing: Existing = Existing.BOTH) -> Response:
        served = desk.folder(name)
        size, most = int(request.headers.get("content-length", 0)), served.investigator.parts.settings.reader.max_bytes
        parts = (part async for part in request.stream() if part)
        stored = await uploads.store(served.path, path, parts, size=size, most=most, existing=existing)
        return JSONResponse({"path": redacted(stored)}, HTTPStatus.CREATED)

    @router.get("/f/{name}/remove")
    def confirm(name: str, path: str) -> Response:
        return page("remove.html.j2", folder=desk.folder(name), path=path)

    @router.post("/f/{name}/remove")
    def remove(name: str, fields: Fields) -> Response:
        served = desk.folder(name)
        uploads.remove(served.path, fields.get("path", ""))
        job = desk.submit(JobRequest(folder=name, kind=JobKind.INDEX))
        return see(f"/f/{name}/jobs/{job.id}")


def _updated(served: ServedFolder, job_id: str) -> str:
    """Return what a finished update of the index changed; "" if the job is none."""
    job = served.ledger.job(job_id)
    is_update = job is not None and job.request.kind is JobKind.INDEX and job.state is JobState.DONE
    events = served.ledger.events(job_id, limit=None) if is_update else ()
    notices = [event for event in events if event.kind == kind_of(Notice)]
    return Notice.model_validate_json(notices[-1].body).text if notices else ""
