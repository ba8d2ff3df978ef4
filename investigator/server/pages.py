"""The pages where users ask questions, watch the progress, read an answer next to the documents, browse the folder, and
chat about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from investigator.errors import NotFoundError, ReaderError
from investigator.investigator import Investigator
from investigator.records import Document, PageView
from investigator.server.chats import LONGEST_TURN, Chats
from investigator.server.desk import Desk
from investigator.server.document_view import Span, document_view
from investigator.server.file_list import date_of
from investigator.server.first_reading import FirstReading, readiness
from investigator.server.folder_pages import add_files, add_folders
from investigator.server.folders import ServedFolder
from investigator.server.live import followed, state_of
from investigator.server.matrix_pages import add_matrices
from investigator.server.problems import ServerError, problem_of
from investigator.server.question_pages import STATE_WORDS, add_questions, begun, question_form
from investigator.server.records import ChatTurn, JobKind, JobState, LoggedEvent
from investigator.server.replies import After, Fields, digest, html, linking, page, see, streamed
from investigator.server.uploads import Uploads

_MOST_SHEETS = 4  # maximum number of PDF pages in one view; longer marks continue in the next view


def pages(
    desk: Desk, chats: Chats, uploads: Uploads, opened: Callable[[Path], Investigator] | None = None
) -> APIRouter:
    """Return the routes of the page; `opened` opens a folder that the server has made, if it may make folders."""
    reading = FirstReading(desk)
    router = APIRouter(include_in_schema=False, dependencies=[Depends(readiness(desk, reading, uploads))])
    add_folders(router, desk, uploads, opened)
    add_files(router, desk, uploads, reading)
    add_matrices(router, desk)
    _add_folder(router, desk)
    add_questions(router, desk)
    _add_jobs(router, desk)
    _add_documents(router, desk)
    _add_chats(router, desk, chats)
    return router


def _add_folder(router: APIRouter, desk: Desk) -> None:
    @router.get("/static/report.css")
    def look() -> Response:
        return Response(html("report.css"), media_type="text/css", headers={"Cache-Control": "max-age=300"})

    @router.get("/f/{name}/search")
    def search(name: str, q: str = "") -> Response:
        served = desk.folder(name)
        hits = served.investigator.search(q, limit=20) if q.strip() else ()
        return page("search.html.j2", folder=served, query=q, hits=hits, passage_link=linking(served))


def _add_jobs(router: APIRouter, desk: Desk) -> None:

    @router.get("/f/{name}/jobs/{job_id}")
    def job(name: str, job_id: str) -> Response:
        served, job = desk.folder(name), desk.job(job_id)
        if job.request.kind is JobKind.MATRIX:
            return see(f"/f/{name}/matrix/{job_id}")
        if job.state is JobState.DONE:
            return see(f"/f/{name}/runs/{job.run_id}" if job.run_id else f"/f/{name}/documents?job={job.id}")
        asked = job.request
        given = {
            "only": ", ".join(asked.only),
            "mission": asked.mission or "",
            "as_of": asked.as_of or "",
            "outline": asked.outline,
        }
        form = question_form(desk, served, given={"question": asked.question, "model": asked.model, **given})
        state = {"is_stopping": desk.is_stopping(job_id), **state_of(served, job)}
        return page("job.html.j2", folder=served, state_words=STATE_WORDS, **form, **state)

    @router.get("/f/{name}/jobs/{job_id}/progress")
    def progress(name: str, job_id: str, after: After) -> Response:
        return followed(desk, job_id, after)

    @router.post("/f/{name}/jobs/{job_id}/stop")
    def stop(name: str, job_id: str) -> Response:
        desk.stop(job_id)
        return see(f"/f/{name}/jobs/{job_id}")

    @router.post("/f/{name}/jobs/{job_id}/resume")
    def resume(name: str, job_id: str) -> Response:
        return begun(desk, desk.job(job_id).request.changed(fresh=False))


def _add_documents(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/document")
    def document(
        name: str,
        id: str,
        request: Request,
        start: int | None = None,
        end: int | None = None,
        at: int | None = None,
        words: str = "",
    ) -> Response:
        served = desk.folder(name)
        try:
            document = served.investigator.document_now(id)
        except NotFoundError as error:
            why = error.message.partition(id)[2]
            detail = f"{id} is not, or no longer, among the documents of this folder{why}."
            raise ServerError(HTTPStatus.NOT_FOUND, detail, "What was quoted from it cannot be shown.") from error
        mark = (start, end) if start is not None and end is not None else None
        is_changed = mark is not None and bool(words) and digest(document.text[slice(*mark)]) != words
        if is_changed:
            mark, at = None, min(start or 0, len(document.text) - 1) if at is None else at
        sheets, why_none = _sheets(served, document, mark, at)
        template = "passage.html.j2" if "x-fragment" in request.headers else "document.html.j2"
        view = document_view(document, mark, at)
        values = {"view": view, "mark": mark, "quoted": words, "is_changed": is_changed, "sheets": sheets}
        return page(template, folder=served, why_none=why_none, date=date_of(document, document.id), **values)

    @router.get("/f/{name}/sheet")
    def sheet(name: str, id: str, number: Annotated[int, Query(alias="page")]) -> Response:
        picture = desk.folder(name).pages.picture(id, number)
        return Response(picture, media_type="image/png", headers={"Cache-Control": "private, max-age=600"})


def _add_chats(router: APIRouter, desk: Desk, chats: Chats) -> None:
    def latest(name: str, chat_id: str) -> Response:
        return see(f"/f/{desk.folder(name).name}/chats/{chat_id}#latest")

    @router.get("/f/{name}/chats")
    def listed(name: str) -> Response:
        served = desk.folder(name)
        return page("chats.html.j2", folder=served, chats=served.chats.summaries(), longest=LONGEST_TURN)

    @router.post("/f/{name}/chats")
    def begin(name: str, fields: Fields) -> Response:
        return latest(name, chats.begin(desk.folder(name), fields.get("said", " ")).id)

    @router.get("/f/{name}/chats/{chat_id}")
    def chat(name: str, chat_id: str) -> Response:
        served, (version, chat) = desk.folder(name), chats.standing(chat_id)
        links = linking(served)
        return page("chat.html.j2", folder=served, chat=chat, version=version, passage_link=links, longest=LONGEST_TURN)

    @router.post("/f/{name}/chats/{chat_id}")
    def say(name: str, chat_id: str, fields: Fields) -> Response:
        chats.say(chat_id, fields.get("said", ""))
        return latest(name, chat_id)

    @router.post("/f/{name}/chats/{chat_id}/stop")
    def stop(name: str, chat_id: str) -> Response:
        chats.stop(chat_id)
        return latest(name, chat_id)

    @router.post("/f/{name}/chats/{chat_id}/delete")
    def forget(name: str, chat_id: str) -> Response:
        chats.forget(chat_id)
        return see(f"/f/{desk.folder(name).name}/chats")

    @router.get("/f/{name}/chats/{chat_id}/progress")
    def progress(name: str, chat_id: str, after: After) -> Response:
        links = linking(desk.folder(name))

        def shown(event: LoggedEvent) -> str:
            return html("turn.html.j2", turn=ChatTurn.model_validate_json(event.body), passage_link=links)

        chats.chat(chat_id)  # raises the error for an unknown chat before the stream begins
        return streamed(partial(chats.changes, chat_id), after, desk.closing, shown)


def _sheets(
    served: ServedFolder, document: Document, mark: Span | None, at: int | None
) -> tuple[Sequence[PageView], str]:
    """Return the first pages of a PDF with marks at or after an offset, or the page at the offset if there are no
    marks. Other formats have no pages. The second value is the reason if the pages of a PDF cannot be shown.
    """
    if document.media_type != "application/pdf" or not document.text:
        return (), ""
    start, end = mark or (0, 0)
    first = min(start if at is None else max(at, 0), len(document.text) - 1)
    near = [page for page in document.pages if page.end > first][:_MOST_SHEETS]
    if near:
        start, end = max(start, near[0].start), min(end, near[-1].end)
    is_marked = mark is not None and (at is None or start < end)
    try:
        views = served.pages.views(document.id, *((start, end) if is_marked else (first, first + 1)))
    except (NotFoundError, ReaderError) as error:
        failure = problem_of(error)
        return (), f"{failure.detail}. {failure.hint}".strip()
    return views if is_marked else [view.changed(marks=()) for view in views], ""
