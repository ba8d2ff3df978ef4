"""The application behind the guard: API and pages; every error is returned as a problem document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Route

from investigator.errors import InvestigatorError
from investigator.investigator import Investigator
from investigator.secrets import redacted
from investigator.server.chats import Chats
from investigator.server.desk import Desk
from investigator.server.hosting import Application
from investigator.server.pages import pages
from investigator.server.problems import ServerError, problem_of, retry_after
from investigator.server.protocol import PATH, AgentDoor
from investigator.server.replies import html
from investigator.server.rest import rest

SearchesOf = Callable[[Investigator, Callable[[str], None]], Application]
"""Returns a handler that serves a folder's search in another protocol and reports failures to the callback."""


def application(
    desk: Desk,
    chats: Chats,
    on_problem: Callable[[str], None] = lambda _: None,
    searches: Mapping[str, Application] = MappingProxyType({}),
) -> FastAPI:
    """Return the application without its guard; `on_problem` receives unexpected errors. `searches` maps each path to
    the handler for all requests below it.
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
    app.include_router(rest(desk, chats))
    app.include_router(pages(desk, chats))
    app.router.routes += [Route(PATH, agents), *(Route(path, search) for path, search in searches.items())]
    app.mount("/static", StaticFiles(packages=[("investigator.server", "static")]))

    async def rejected(request: Request, error: Exception) -> Response:
        """Report an error, as JSON to a program and as a page to a browser."""
        wrong, seconds = problem_of(error), retry_after(error)
        headers = {"Retry-After": str(seconds)} if seconds else None
        if request.url.path.startswith(("/v1", PATH)):
            return JSONResponse(wrong.model_dump(), wrong.status, headers, media_type="application/problem+json")
        return HTMLResponse(html("problem.html.j2", problem=wrong), wrong.status, headers)

    async def unexpected(request: Request, error: Exception) -> Response:
        on_problem(redacted(f"unexpected error: {type(error).__name__}: {error}"))
        return await rejected(request, ServerError(500, "the request failed unexpectedly"))

    for kind in (ServerError, InvestigatorError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, rejected)
    app.add_exception_handler(Exception, unexpected)
    return app
