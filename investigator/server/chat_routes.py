"""The chat: the API for programs under /v1/chats, and the page where users send messages, watch replies arrive, and see
each quote in its document.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from investigator.server.chats import LONGEST_TURN, Chats
from investigator.server.desk import Desk
from investigator.server.problems import PROBLEMS
from investigator.server.records import Chat, ChatSummary, ChatTurn, Items, LoggedEvent, NewChat, NewTurn
from investigator.server.replies import After, Fields, html, json_response, linking, page, see, streamed


def chat_rest(desk: Desk, chats: Chats) -> APIRouter:
    """Return the routes of the chat."""
    router = APIRouter(prefix="/v1/chats", responses=PROBLEMS)

    @router.post("", status_code=HTTPStatus.CREATED, response_model=Chat)
    def begin(wanted: NewChat) -> Response:
        """Start a chat about a folder; the `Location` header is its address. A chat is kept until it is deleted."""
        chat = chats.begin(desk.folder(wanted.folder))
        return json_response(chat, HTTPStatus.CREATED, f"/v1/chats/{chat.id}")

    @router.get("", response_model=Items[ChatSummary])
    def listed(folder: str) -> Response:
        """List the chats about a folder, newest first."""
        return json_response(Items(items=desk.folder(folder).chats.summaries()))

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
        return json_response(chats.say(chat_id, turn.text), HTTPStatus.ACCEPTED, f"/v1/chats/{chat_id}")

    @router.delete("/{chat_id}/turns", status_code=HTTPStatus.ACCEPTED, response_model=Chat)
    def stop(chat_id: str) -> Response:
        """Stop the reply in progress; the conversation continues without it."""
        return json_response(chats.stop(chat_id), HTTPStatus.ACCEPTED)

    @router.get("/{chat_id}/events", response_class=StreamingResponse)
    def events(chat_id: str, after: After) -> Response:
        """Stream the last turn to its end as server-sent events; `Last-Event-ID` resumes after an event."""
        chats.chat(chat_id)  # raises the error for an unknown chat before the stream begins
        return streamed(partial(chats.changes, chat_id), after, desk.closing)

    return router


def chat_pages(desk: Desk, chats: Chats) -> APIRouter:
    """Return the routes of the chat's pages."""
    router = APIRouter(prefix="/f/{name}/chats", include_in_schema=False)

    def latest(name: str, chat_id: str) -> Response:
        return see(f"/f/{desk.folder(name).name}/chats/{chat_id}#latest")

    @router.get("")
    def listed(name: str) -> Response:
        served = desk.folder(name)
        return page("chats.html.j2", folder=served, chats=served.chats.summaries(), longest=LONGEST_TURN)

    @router.post("")
    def begin(name: str, fields: Fields) -> Response:
        return latest(name, chats.begin(desk.folder(name), fields.get("said", " ")).id)

    @router.get("/{chat_id}")
    def chat(name: str, chat_id: str) -> Response:
        served, (version, chat) = desk.folder(name), chats.versioned(chat_id)
        links = linking(served)
        return page("chat.html.j2", folder=served, chat=chat, version=version, passage_link=links, longest=LONGEST_TURN)

    @router.post("/{chat_id}")
    def say(name: str, chat_id: str, fields: Fields) -> Response:
        chats.say(chat_id, fields.get("said", ""))
        return latest(name, chat_id)

    @router.post("/{chat_id}/stop")
    def stop(name: str, chat_id: str) -> Response:
        chats.stop(chat_id)
        return latest(name, chat_id)

    @router.post("/{chat_id}/delete")
    def forget(name: str, chat_id: str) -> Response:
        chats.forget(chat_id)
        return see(f"/f/{desk.folder(name).name}/chats")

    @router.get("/{chat_id}/progress")
    def progress(name: str, chat_id: str, after: After) -> Response:
        links = linking(desk.folder(name))

        def shown(event: LoggedEvent) -> str:
            return html("turn.html.j2", turn=ChatTurn.model_validate_json(event.body), passage_link=links)

        chats.chat(chat_id)  # raises the error for an unknown chat before the stream begins
        return streamed(partial(chats.changes, chat_id), after, desk.closing, shown)

    return router
