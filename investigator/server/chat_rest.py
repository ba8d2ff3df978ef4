"""The chat API for programs, under /v1/chats."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from investigator.server.chats import Chats
from investigator.server.desk import Desk
from investigator.server.problems import PROBLEMS, json_response
from investigator.server.records import Chat, KeptChats, NewChat, NewTurn
from investigator.server.stream import as_lines, first_after, json_of, talked


def chat_rest(desk: Desk, chats: Chats, is_closing: Callable[[], bool]) -> APIRouter:
    """Return the routes of the chat."""
    router = APIRouter(prefix="/v1/chats", responses=PROBLEMS)

    @router.post("", status_code=HTTPStatus.CREATED, response_model=Chat)
    def begin(wanted: NewChat) -> Response:
        """Start a chat about a folder; the `Location` header is its address. A chat is kept until it is deleted."""
        chat = chats.begin(desk.folder(wanted.folder))
        return json_response(chat, HTTPStatus.CREATED, {"Location": f"/v1/chats/{chat.id}"})

    @router.get("", response_model=KeptChats)
    def listed(folder: str) -> Response:
        """List the chats about a folder, newest first."""
        return json_response(KeptChats(items=desk.folder(folder).chats.summaries()))

    @router.get("/{chat_id}", response_model=Chat)
    def chat(chat_id: str) -> Response:
        """Return a chat with its turns, including an unfinished last turn."""
        return json_response(chats.chat(chat_id))

    @router.delete("/{chat_id}", status_code=HTTPStatus.NO_CONTENT)
    def forget(chat_id: str) -> Response:
        """Delete a chat; memories about the user stay."""
        chats.forget(chat_id)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    @router.post("/{chat_id}/turns", status_code=HTTPStatus.ACCEPTED, response_model=Chat)
    def say(chat_id: str, turn: NewTurn) -> Response:
        """Send a message; poll or stream the chat for the reply."""
        return json_response(chats.say(chat_id, turn.text), HTTPStatus.ACCEPTED, {"Location": f"/v1/chats/{chat_id}"})

    @router.delete("/{chat_id}/turns", status_code=HTTPStatus.ACCEPTED, response_model=Chat)
    def stop(chat_id: str) -> Response:
        """Stop the reply in progress; the conversation continues without it."""
        return json_response(chats.stop(chat_id), HTTPStatus.ACCEPTED)

    @router.get("/{chat_id}/events", response_class=StreamingResponse)
    async def events(chat_id: str, request: Request) -> Response:
        """Stream the last turn to its end as server-sent events; `Last-Event-ID` resumes after an event."""
        after = first_after(request)
        await run_in_threadpool(chats.chat, chat_id)
        lines = as_lines(talked(chats, chat_id, after, is_closing), json_of)
        return StreamingResponse(lines, media_type="text/event-stream")

    return router
