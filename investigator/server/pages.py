"""The pages where users ask questions, watch the progress, read an answer next to the documents, browse the folder, and
chat about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from investigator.errors import (
    CredentialError,
    NotFoundError,
    QuestionError,
    ReaderError,
    ReplayError,
    SettingsError,
)
from investigator.investigator import Investigator
from investigator.records import Document, Investigation, PageView
from investigator.reports.html import html_report, investigation_view
from investigator.reports.wording import HEADLINES, UNFINISHED
from investigator.server.chats import LONGEST_TURN, Chats
from investigator.server.desk import Desk
from investigator.server.document_view import Span, document_view
from investigator.server.first_reading import FirstReading, readiness
from investigator.server.folder_pages import add_files, add_folders
from investigator.server.folders import ServedFolder
from investigator.server.live import Live
from investigator.server.problems import ServerError, problem_of
from investigator.server.records import ChatTurn, JobKind, JobRequest, JobState, LoggedEvent
from investigator.server.replies import After, Fields, html, linking, page, see, streamed
from investigator.server.uploads import Uploads
from investigator.services.run_records import MATRIX, turns_after

_RECENT = 30
_MOST_SHEETS = 4  # maximum number of PDF pages in one view; longer marks continue in the next view
_STATE_WORDS: Mapping[JobState, str] = {**{state: state.value for state in JobState}, JobState.RUNNING: "in progress"}


def pages(
    desk: Desk, chats: Chats, uploads: Uploads, opened: Callable[[Path], Investigator] | None = None
) -> APIRouter:
    """Return the routes of the page; `opened` opens a folder that the server has made, if it may make folders."""
    reading = FirstReading(desk)
    router = APIRouter(include_in_schema=False, dependencies=[Depends(readiness(desk, reading, uploads))])
    add_folders(router, desk, uploads, opened)
    add_files(router, desk, uploads, reading)
    _add_folder(router, desk)
    _add_jobs(router, desk)
    _add_runs(router, desk)
    _add_documents(router, desk)
    _add_chats(router, desk, chats)
    return router


def _add_folder(router: APIRouter, desk: Desk) -> None:
    @router.get("/static/report.css")
    def look() -> Response:
        return Response(html("report.css"), media_type="text/css", headers={"Cache-Control": "max-age=300"})

    @router.get("/f/{name}/")
    def folder(name: str) -> Response:
        return _folder_page(desk, desk.folder(name))

    @router.get("/f/{name}/search")
    def search(name: str, q: str = "") -> Response:
        served = desk.folder(name)
        hits = served.investigator.search(q, limit=20) if q.strip() else ()
        return page("search.html.j2", folder=served, query=q, hits=hits, passage_link=linking(served))


def _begun(desk: Desk, request: JobRequest) -> Response:
    return see(f"/f/{request.folder}/jobs/{desk.submit(request).id}")


def _add_jobs(router: APIRouter, desk: Desk) -> None:
    @router.post("/f/{name}/ask")
    def ask(name: str, fields: Fields) -> Response:
        served = desk.folder(name)
        try:
            return _begun(desk, _form_request(name, fields))
        except (ServerError, QuestionError, SettingsError, CredentialError, ReplayError) as error:
            return _rejected_page(desk, served, fields, error)

    @router.get("/f/{name}/jobs/{job_id}")
    def job(name: str, job_id: str) -> Response:
        served, job = desk.folder(name), desk.job(job_id)
        if job.state is JobState.DONE:
            return see(f"/f/{name}/runs/{job.run_id}" if job.run_id else f"/f/{name}/documents?job={job.id}")
        events = served.ledger.events(job_id, limit=None)
        after = events[-1].number if events else 0
        shown = Live(served.investigator.parts.settings.budget).shown(events)
        form = _form(desk, served, given={"question": job.request.question, "model": job.request.model})
        words = {"after": after, "state_words": _STATE_WORDS}
        return page("job.html.j2", folder=served, job=job, shown=shown, **form, **words)

    @router.get("/f/{name}/jobs/{job_id}/progress")
    def progress(name: str, job_id: str, after: After) -> Response:
        served, _ = desk.kept(job_id)
        live = Live(served.investigator.parts.settings.budget)
        # so that the remaining time and the rounds continue from the state that the page shows
        live.shown([event for event in served.ledger.events(job_id, limit=None) if event.number <= after])
        return streamed(partial(served.ledger.events, job_id), after, desk.closing, live.html)

    @router.post("/f/{name}/jobs/{job_id}/stop")
    def stop(name: str, job_id: str) -> Response:
        desk.stop(job_id)
        return see(f"/f/{name}/jobs/{job_id}")

    @router.post("/f/{name}/jobs/{job_id}/resume")
    def resume(name: str, job_id: str) -> Response:
        return _begun(desk, desk.job(job_id).request.changed(fresh=False))


def _add_runs(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/runs/{run_id}")
    def run(name: str, run_id: str) -> Response:
        return _run_page(desk, desk.folder(name), run_id)

    @router.post("/f/{name}/runs/{run_id}/resume")
    def resume(name: str, run_id: str) -> Response:
        served = desk.folder(name)
        return _begun(desk, _resumption(desk, served, served.investigator.show(run_id)))

    @router.get("/f/{name}/runs/{run_id}/report")
    def report(name: str, run_id: str) -> Response:
        investigator = desk.folder(name).investigator
        record = investigator.show(run_id)
        headers = {"Content-Disposition": f'attachment; filename="{quote(record.id)}.html"'}
        return HTMLResponse(html_report(record, investigator.enclosures(record)), headers=headers)


def _add_documents(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/document")
    def document(
        name: str, id: str, request: Request, start: int | None = None, end: int | None = None, at: int | None = None
    ) -> Response:
        served = desk.folder(name)
        mark = (start, end) if start is not None and end is not None else None
        document = served.investigator.document(id)
        sheets, why_none = _sheets(served, document, mark, at)
        template = "passage.html.j2" if "x-fragment" in request.headers else "document.html.j2"
        values = {"view": document_view(document, mark, at), "mark": mark, "sheets": sheets, "why_none": why_none}
        return page(template, folder=served, **values)

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
        served, (version, chat) = desk.folder(name), chats.versioned(chat_id)
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


def _form_request(folder: str, given: Mapping[str, str]) -> JobRequest:
    """Return the request from the question form. Raises ServerError if it exceeds a limit."""
    return _request(
        folder=folder,
        question=given.get("question", ""),
        mission=given.get("mission"),
        after=given.get("after", ""),
        only=tuple(name.strip() for name in given.get("only", "").split(",") if name.strip()),
        as_of=given.get("as_of") or None,
        fresh="fresh" in given,
        model=given.get("model", ""),
    )


def _resumption(desk: Desk, served: ServedFolder, run: Investigation) -> JobRequest:
    """Return a request that resumes a run. Raises ServerError if its scope has too many documents, or the run on which
    it follows up is gone.
    """
    after, investigator = "", served.investigator
    if run.earlier:
        readable = (summary for summary in investigator.runs() if summary.engine)  # old runs name no engine
        kept = (investigator.show(summary.id) for summary in readable)
        after = next((record.id for record in kept if turns_after(record) == run.earlier), "")
        if not after:
            hint = "Ask the question again, complete in itself."
            raise ServerError(409, "the run that this question follows up on is gone", hint)
    setup = run.setup
    values = {"mission": setup.mission, "strategy": setup.strategy, "only": setup.scope, "as_of": setup.as_of or None}
    model = desk.models.of_engine(served.name, investigator, setup.engine)
    return _request(folder=served.name, question=run.question, after=after, model=model, **values)


def _request(**fields: object) -> JobRequest:
    try:
        return JobRequest.model_validate(fields)
    except ValidationError as error:
        wrong = problem_of(error)
        raise ServerError(wrong.status, wrong.detail) from error


def _form(desk: Desk, served: ServedFolder, **rejected: object) -> Mapping[str, object]:
    """Return the variables of the question form. It chooses the model of a rejected form, or of the last question."""
    given = rejected.get("given")
    models = desk.models.offered(served.name, served.investigator)
    last = (job.request.model for job in served.ledger.jobs(limit=5) if job.request.kind is JobKind.INVESTIGATE)
    wanted = given["model"] if isinstance(given, Mapping) and "model" in given else next(last, "")
    chosen = next((model for model in models if model.name == wanted), models[0])
    return {"given": {}, **rejected, "models": models, "chosen": chosen}


def _folder_page(desk: Desk, served: ServedFolder, **rejected: object) -> HTMLResponse:
    jobs = [job for job in served.ledger.unfinished() if job.request.kind is JobKind.INVESTIGATE]
    runs = [run for run in served.investigator.runs() if not run.id.startswith(MATRIX)][:_RECENT]
    words = {"headlines": HEADLINES, "unfinished": UNFINISHED, "state_words": _STATE_WORDS}
    return page("folder.html.j2", folder=served, jobs=jobs, runs=runs, **words, **_form(desk, served, **rejected))


def _run_page(desk: Desk, served: ServedFolder, run_id: str, **rejected: object) -> HTMLResponse:
    view = investigation_view(served.investigator.show(run_id))
    return page("run.html.j2", folder=served, passage_link=linking(served), **view, **_form(desk, served, **rejected))


def _rejected_page(desk: Desk, served: ServedFolder, given: Mapping[str, str], error: Exception) -> HTMLResponse:
    """Return the page with the question form, filled in with the values that were entered, and with the problem."""
    shown, wrong = None, problem_of(error)
    if after := given.get("after"):
        with suppress(NotFoundError):
            shown = _run_page(desk, served, after, given=given, problem=wrong)
    shown = shown or _folder_page(desk, served, given=given, problem=wrong)
    shown.status_code = wrong.status
    return shown


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
