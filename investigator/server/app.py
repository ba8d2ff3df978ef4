"""The application behind the guard: API and pages; every error is returned as a problem document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Route

from investigator.errors import InvestigatorError, WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.secrets import redacted
from investigator.server.chat_routes import chat_pages, chat_rest
from investigator.server.chats import Chats
from investigator.server.desk import Desk
from investigator.server.hosting import Application
from investigator.server.pages import pages
from investigator.server.problems import ServerError, problem, problem_of
from investigator.server.protocol import PATH, AgentDoor
from investigator.server.records import Problem
from investigator.server.rendering import html
from investigator.server.rest import rest

_SOON = 5  # seconds

SearchesOf = Callable[[Investigator, Callable[[str], None]], Application]
"""Returns a handler that serves a folder's search in another protocol and reports failures to the callback."""


def application(
    desk: Desk,
    chats: Chats,
    on_problem: Callable[[str], None] = lambda _: None,
    searches: Mapping[str, Application] = MappingProxyType({}),
) -> FastAPI:
    """Return the application without its guard; `on_problem` receives unexpected errors.

    `searches` maps each path to the handler for all requests below it.
    """
    agents = AgentDoor(desk)
    app = FastAPI(
        title="investigator",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=agents.lifespan,
    )
    app.router.routes.append(Route(PATH, agents))
    app.include_router(rest(desk))
    app.include_router(chat_rest(desk, chats))
    app.include_router(pages(desk))
    app.include_router(chat_pages(desk, chats))
    for path, search in searches.items():
        app.router.routes.append(Route(path, search))
    app.mount("/static", StaticFiles(packages=[("investigator.server", "static")]))

    async def refused(request: Request, error: Exception) -> Response:
        soon = _SOON if isinstance(error, WorkspaceLockedError) else 0
        return _problem_reply(request, problem_of(error), error.retry_after if isinstance(error, ServerError) else soon)

    for kind in (ServerError, InvestigatorError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, refused)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        on_problem(redacted(f"unexpected error: {type(error).__name__}: {error}"))
        return _problem_reply(request, problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed unexpectedly"))

    return app


def _problem_reply(request: Request, wrong: Problem, retry_after: int = 0) -> Response:
    """Report an error, as JSON to a program and as a page to a browser."""
    headers = {"Retry-After": str(retry_after)} if retry_after else None
    if request.url.path.startswith(("/v1", PATH)):
        return JSONResponse(wrong.model_dump(), wrong.status, headers, media_type="application/problem+json")
    return HTMLResponse(html("problem.html.j2", problem=wrong), wrong.status, headers)
