"""The complete server: folders, desk, guard and application, listening on a socket of this machine."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Self

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from markupsafe import Markup
from platformdirs import user_data_path
from starlette.exceptions import HTTPException
from starlette.routing import Route

from investigator.errors import InvestigatorError, SettingsError
from investigator.files import make_private_folder, open_private, read_private
from investigator.investigator import Investigator
from investigator.secrets import redacted, register
from investigator.server.chats import Chats, OpenTalks
from investigator.server.desk import Desk
from investigator.server.first_reading import NotReady
from investigator.server.folders import served_folders
from investigator.server.guard import Access, Guard, allowed_hosts, is_upload
from investigator.server.hosting import (
    SLOWEST_CLIENT,
    Application,
    Hosting,
    Receive,
    Scope,
    Send,
    address_of,
    is_loopback,
    listening_at,
)
from investigator.server.models import Models
from investigator.server.pages import pages
from investigator.server.problems import ServerError, problem_of, retry_after
from investigator.server.protocol import PATH, AgentDoor
from investigator.server.replies import html
from investigator.server.rest import rest
from investigator.server.uploads import FIRST_FOLDER, Uploads

_LEAST_TOKEN = 20

SearchesOf = Callable[[Investigator, Callable[[str], None]], Application]
"""Returns a handler that serves a folder's search in another protocol and reports failures to the callback."""
OpenMade = Callable[[Path], Investigator]
"""Opens a folder that the server has made."""


def application(
    desk: Desk,
    chats: Chats,
    uploads: Uploads,
    opened: OpenMade | None = None,
    on_problem: Callable[[str], None] = lambda _: None,
) -> FastAPI:
    """Return the application without its guard; `on_problem` receives unexpected errors."""
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
    app.include_router(pages(desk, chats, uploads, opened))
    app.router.routes.append(Route(PATH, agents))
    app.mount("/static", StaticFiles(packages=[("investigator.server", "static")]))

    async def rejected(request: Request, error: Exception) -> Response:
        """Report an error, as JSON to a program and as a page to a browser."""
        wrong, seconds = problem_of(error), retry_after(error)
        headers = {"Retry-After": str(seconds)} if seconds else None
        if request.url.path.startswith(("/v1", PATH)) or is_upload(request.scope):
            return JSONResponse(wrong.model_dump(), wrong.status, headers, media_type="application/problem+json")
        if "x-fragment" in request.headers:  # it is shown next to an answer
            text = Markup('<p class="why" dir="auto">{} {}</p>').format(wrong.detail, wrong.hint)
            return HTMLResponse(text, wrong.status, headers)
        return HTMLResponse(html("problem.html.j2", problem=wrong), wrong.status, headers)

    async def unexpected(request: Request, error: Exception) -> Response:
        on_problem(redacted(f"unexpected error: {type(error).__name__}: {error}"))
        return await rejected(request, ServerError(500, "the request failed unexpectedly"))

    async def not_ready(_: Request, signal: Exception) -> Response:
        assert isinstance(signal, NotReady)
        return signal.shown

    app.add_exception_handler(NotReady, not_ready)
    for kind in (ServerError, InvestigatorError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, rejected)
    app.add_exception_handler(Exception, unexpected)
    return app


class _SearchDoor:
    """Serves the searches of all folders, also of those made later; each is opened when it is first used."""

    def __init__(self, opened: Callable[[str], Application]) -> None:
        self._opened = cache(opened)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._opened(scope["path_params"]["name"])(scope, receive, send)


class Service:
    """Serves folders until it is closed; use it as a context manager. `open_made` opens the folders that it makes;
    without it, it makes none. Without `investigators`, it serves the folders that it has made before, at least one.
    `names` are additional host names that the server accepts, and `models` are those that a question can be asked with.
    The token for programs is read from `token_file`, by default in the user's data directory; the file is created if it
    is missing. `open_talks` opens the chats of a
    folder; `searches_of` returns the handler that serves its search in another protocol. `on_problem` receives
    unexpected errors, from any thread. Raises SettingsError if it cannot listen at the address, the token cannot be
    used, or another server already serves a folder. Raises StoreError as well.
    """

    def __init__(
        self,
        investigators: Sequence[Investigator],
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        token_file: Path | None = None,
        names: tuple[str, ...] = (),
        models: Models | None = None,
        patience: float = SLOWEST_CLIENT,
        directory: Path | None = None,
        open_talks: OpenTalks,
        open_made: OpenMade | None = None,
        searches_of: SearchesOf | None = None,
        on_problem: Callable[[str], None] = lambda _: None,
    ) -> None:
        data = directory or user_data_path("investigator", appauthor=False)
        self.token_file = token_file or data / "server.token"
        uploads = Uploads(data / "uploads")
        if not investigators and open_made is not None:
            investigators = [open_made(folder) for folder in uploads.made() or [uploads.make(FIRST_FOLDER)]]
        with ExitStack() as failing:
            listening = failing.enter_context(listening_at(host, port))
            port = listening.getsockname()[1]
            self._access = Access(token_of(self.token_file), port)
            served = served_folders(investigators, data / "servers")
            self.desk = Desk(served, models=models, follows_changes=True, on_problem=on_problem)
            failing.pop_all()
        folders = self.desk.folders
        self._chats = Chats(folders, open_talks)
        app = application(self.desk, self._chats, uploads, open_made, on_problem)
        if searches_of is not None:
            door = _SearchDoor(lambda name: searches_of(self.desk.folder(name).investigator, on_problem))
            app.router.routes.append(Route(f"{self._access.search_path}/{{name}}", door))
        guard = Guard(app, self._access, allowed_hosts(host, port, names), html("closed.html.j2"), patience)
        self.address = address_of(listening)
        self._named = () if is_loopback(host) else tuple(address_of(listening, name) for name in names)
        self._hosting = Hosting(guard, listening, patience=patience)

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the served folders."""
        return tuple(str(folder.path) for folder in self.desk.folders.values())

    def link(self) -> str:
        """Return an address that opens the page once, in a browser on this machine."""
        return f"{self.address}/open/{self._access.new_link()}"

    def named_links(self) -> tuple[str, ...]:
        """Return one address for other machines for each of the `names`; each address opens the page once."""
        return tuple(f"{address}/open/{self._access.new_link()}" for address in self._named)

    def searches(self) -> tuple[str, ...]:
        """Return the addresses that other programs can use to search the folders, but for nothing else."""
        return tuple(f"{self.address}{self._access.search_path}/{name}" for name in self.desk.folders)

    def wait(self) -> None:
        """Wait until another thread closes the server."""
        self._hosting.wait()

    def close(self) -> None:
        """Stop accepting requests, and end after the step in progress; unfinished jobs continue at the next start."""
        self.desk.closing.set()  # so that streams end
        self._hosting.close()
        self._chats.close()
        self.desk.close()

    def __enter__(self) -> Self:
        self.desk.start()
        self._hosting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def token_of(path: Path) -> str:
    """Return the token from a file; a missing file is created, readable only by its owner. Raises SettingsError, and
    ForeignFileError if the file is a link or belongs to someone else.
    """
    try:
        if not os.path.lexists(path):
            make_private_folder(path.parent)
            with open(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(secrets.token_urlsafe(32).encode() + b"\n")
        token = read_private(path, 1_000).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SettingsError(
            f"the token file {path} cannot be used: {why}", hint="Choose another file with --token-file FILE."
        ) from error
    if len(token) < _LEAST_TOKEN:
        raise SettingsError(
            f"the token in {path} has fewer than {_LEAST_TOKEN} characters",
            hint="Remove the file; a new token is then created.",
        )
    register(token)
    return token
