"""The API for programs, under /v1: folders, investigations and their events, documents, searches, chats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute

from investigator.records import FileRecord, FolderStatus, Investigation, Mentions, RunSummary, SearchHit
from investigator.server.chats import Chats
from investigator.server.desk import Desk
from investigator.server.problems import PROBLEMS, ServerError
from investigator.server.records import (
    Chat,
    ChatSummary,
    Excerpt,
    Folder,
    Items,
    JobKind,
    JobOutcome,
    JobRequest,
    NewChat,
    NewTurn,
    ServerJob,
)
from investigator.server.replies import After, json_response, streamed

_Limit = Annotated[int, Query(ge=1, le=200)]
_Offset = Query(ge=0)
_Key = Annotated[
    str | None, Header(max_length=200, description="Requests with the same key return the same investigation.")
]
_MOST_EXCERPT = 20_000
"""Maximum number of characters from a document in one reply."""
_INVESTIGATIONS = "/v1/investigations"


def rest(desk: Desk, chats: Chats) -> APIRouter:
    """Return the routes of the API."""
    router = APIRouter(prefix="/v1", responses=PROBLEMS)
    _add_investigations(router, desk)
    _add_folders(router, desk)
    _add_documents(router, desk)
    _add_chats(router, desk, chats)
    for route in router.routes:
        if isinstance(route, APIRoute):  # its summary would be the name of its function
            route.summary = re.split(r"[;.] ?", route.description, maxsplit=1)[0]
    return router


def _add_investigations(router: APIRouter, desk: Desk) -> None:
    @router.post("/investigations", status_code=HTTPStatus.ACCEPTED, response_model=ServerJob)
    def start(request: JobRequest, idempotency_key: _Key = None) -> Response:
        """Start an investigation; the `Location` header is its address."""
        job = desk.submit(request, idempotency_key)
        return json_response(job, HTTPStatus.ACCEPTED, f"{_INVESTIGATIONS}/{job.id}")

    @router.get("/investigations", response_model=Items[ServerJob])
    def investigations(folder: str = "", before: str = "", limit: _Limit = 50) -> Response:
        """List the investigations submitted to this server, newest first."""
        folders = [desk.folder(folder)] if folder else list(desk.folders.values())
        last = desk.job(before) if before else None
        jobs = [job for served in folders for job in served.ledger.jobs(before=last, limit=limit)]
        items = tuple(sorted(jobs, key=lambda job: (job.created, job.id), reverse=True)[:limit])
        more = {"folder": folder, "before": items[-1].id, "limit": limit} if len(items) == limit else {}
        return json_response(Items(items=items, next=_address(_INVESTIGATIONS, more)))

    @router.get("/investigations/{job_id}", response_model=JobOutcome)
    def investigation(job_id: str) -> Response:
        """Return the state of an investigation and, once it has started, its whole record."""
        served, job = desk.kept(job_id)
        record = served.investigator.current(served.investigator.show(job.run_id)) if job.run_id else None
        return json_response(JobOutcome(job=job, investigation=record))

    @router.get("/investigations/{job_id}/events", response_class=StreamingResponse)
    def events(job_id: str, after: After) -> Response:
        """Stream events as server-sent events; `Last-Event-ID` or `?after=` continues after an event."""
        return streamed(partial(desk.kept(job_id)[0].ledger.events, job_id), after, desk.closing)

    @router.delete("/investigations/{job_id}", status_code=HTTPStatus.ACCEPTED, response_model=ServerJob)
    def stop(job_id: str) -> Response:
        """Stop an investigation after the step in progress; its results so far are kept."""
        return json_response(desk.stop(job_id), HTTPStatus.ACCEPTED)


def _add_folders(router: APIRouter, desk: Desk) -> None:
    @router.get("/folders", response_model=Items[Folder])
    def folders() -> Response:
        """List the served folders."""
        return json_response(Items(items=tuple(Folder(name=f.name, path=str(f.path)) for f in desk.folders.values())))

    @router.get("/folders/{folder}", response_model=FolderStatus)
    def status(folder: str) -> Response:
        """Return the contents of a folder's index, and the changes in the folder since the last update."""
        return json_response(desk.folder(folder).investigator.status())

    @router.post("/folders/{folder}/index", status_code=HTTPStatus.ACCEPTED, response_model=ServerJob)
    def index(folder: str) -> Response:
        """Update the index of a folder; follow its events as for an investigation."""
        job = desk.submit(JobRequest(folder=folder, kind=JobKind.INDEX))
        return json_response(job, HTTPStatus.ACCEPTED, f"{_INVESTIGATIONS}/{job.id}")

    @router.get("/folders/{folder}/runs", response_model=Items[RunSummary])
    def runs(folder: str, limit: _Limit = 50) -> Response:
        """List the stored runs of a folder, newest first, including those started on the command line."""
        return json_response(Items(items=desk.folder(folder).investigator.runs()[:limit]))

    @router.get("/folders/{folder}/runs/{run_id}", response_model=Investigation)
    def run(folder: str, run_id: str) -> Response:
        """Return the record of a stored run; quotes that are no longer in the files are withheld."""
        investigator = desk.folder(folder).investigator
        return json_response(investigator.current(investigator.show(run_id)))

    @router.get("/folders/{folder}/search", response_model=Items[SearchHit])
    def search(folder: str, q: str, limit: _Limit = 10, document: str | None = None) -> Response:
        """Return the passages that best match a query, best first, from all documents or from one."""
        return json_response(Items(items=desk.folder(folder).investigator.search(q, limit=limit, document_id=document)))

    @router.get("/folders/{folder}/mentions", response_model=Mentions)
    def mentions(folder: str, q: str) -> Response:
        """Return every document that contains all words of a query, with the places, and whether the list is complete;
        words in double quotation marks are a phrase.
        """
        return json_response(desk.folder(folder).investigator.mentions(q))


def _add_documents(router: APIRouter, desk: Desk) -> None:
    @router.get("/folders/{folder}/documents", response_model=Items[FileRecord])
    def documents(folder: str, after: str = "", limit: _Limit = 100) -> Response:
        """List the files in a folder, sorted by path, with the status of each file."""
        files = [file for file in desk.folder(folder).investigator.status(compare=False).files if file.path > after]
        items = tuple(files[:limit])
        more = {"after": items[-1].path, "limit": limit} if len(files) > limit else {}
        return json_response(Items(items=items, next=_address(f"/v1/folders/{folder}/documents", more)))

    @router.get("/folders/{folder}/text", response_model=Excerpt)
    def text(
        folder: str, document: str, start: Annotated[int, _Offset] = 0, end: Annotated[int | None, _Offset] = None
    ) -> Response:
        """Return a span of a document's text, at most 20,000 characters; offsets are counted as in quotes and
        passages.
        """
        whole = desk.folder(folder).investigator.document(document)
        size = len(whole.text)
        if start > size or (end is not None and end < start):
            raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{whole.id} has {size:,} characters")
        stop = min(size if end is None else end, start + _MOST_EXCERPT, size)
        excerpt = Excerpt(
            document_id=whole.id,
            title=whole.title,
            start=start,
            end=stop,
            characters=size,
            page=next((span.page for span in whole.pages if span.start <= start < span.end), None),
            text=whole.text[start:stop],
        )
        return json_response(excerpt)


def _add_chats(router: APIRouter, desk: Desk, chats: Chats) -> None:
    @router.post("/chats", status_code=HTTPStatus.CREATED, response_model=Chat)
    def begin(wanted: NewChat) -> Response:
        """Start a chat about a folder; the `Location` header is its address. A chat is kept until it is deleted."""
        chat = chats.begin(desk.folder(wanted.folder))
        return json_response(chat, HTTPStatus.CREATED, f"/v1/chats/{chat.id}")

    @router.get("/chats", response_model=Items[ChatSummary])
    def listed(folder: str = "") -> Response:
        """List the chats about a folder, newest first."""
        return json_response(Items(items=desk.folder(folder).chats.summaries()))

    @router.get("/chats/{chat_id}", response_model=Chat)
    def chat(chat_id: str) -> Response:
        """Return a chat with its turns, including an unfinished one; quotes no longer in the files are withheld."""
        return json_response(chats.standing(chat_id)[1])

    @router.delete("/chats/{chat_id}", status_code=HTTPStatus.NO_CONTENT)
    def forget(chat_id: str) -> Response:
        """Delete a chat; memories about the user stay."""
        chats.forget(chat_id)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @router.post("/chats/{chat_id}/turns", status_code=HTTPStatus.ACCEPTED, response_model=Chat)
    def say(chat_id: str, turn: NewTurn) -> Response:
        """Send a message; poll or stream the chat for the reply."""
        return json_response(chats.say(chat_id, turn.text), HTTPStatus.ACCEPTED, f"/v1/chats/{chat_id}")

    @router.delete("/chats/{chat_id}/turns", status_code=HTTPStatus.ACCEPTED, response_model=Chat)
    def stop(chat_id: str) -> Response:
        """Stop the reply in progress; the conversation continues without it."""
        return json_response(chats.stop(chat_id), HTTPStatus.ACCEPTED)

    @router.get("/chats/{chat_id}/events", response_class=StreamingResponse)
    def events(chat_id: str, after: After) -> Response:
        """Stream the last turn to its end as server-sent events; `Last-Event-ID` resumes after an event."""
        chats.chat(chat_id)  # raises the error for an unknown chat before the stream begins
        return streamed(partial(chats.changes, chat_id), after, desk.closing)


def _address(path: str, query: Mapping[str, object]) -> str:
    return f"{path}?{urlencode(query)}" if query else ""
