"""A server over one folder, and its clients: a program with the token, and a browser with the cookie."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.serve import open_talks
from investigator.server.service import Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
from investigator.settings import Settings


@contextmanager
def serving(
    folder: Path, data: Path, *, model: Any = None, settings: Settings | None = None, **options: Any
) -> Iterator[Service]:
    """Serve a folder that a model may read; the data of the server is in a directory."""
    workspace, embedder = data / "workspace", ScriptedEmbedder()
    investigator = Investigator(folder, model=model, settings=settings, workspace=workspace, embedder=embedder)
    with Service([investigator], open_talks=open_talks, directory=data, **options) as service:
        yield service


@contextmanager
def program_of(service: Service) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {service.token_file.read_text().strip()}"}
    with httpx.Client(base_url=service.address, headers=headers, timeout=60) as client:
        yield client


@contextmanager
def browser_of(service: Service) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.address, follow_redirects=True, timeout=60) as client:
        assert client.get(service.link()).status_code == 200
        client.headers["Origin"] = service.address
        yield client


def read_folder(client: httpx.Client, folder: str) -> httpx.Response:
    """Read a folder for the first time, and return the page of its documents."""
    page = client.post(f"/f/{folder}/index", follow_redirects=True)
    while "Reading the folder" in page.text:
        time.sleep(0.05)
        page = client.get(f"/f/{folder}/documents")
    return page


def answer_page(client: httpx.Client, folder: str, question: str, **more: str) -> httpx.Response:
    """Ask with the form, watch to the end, and return the final page."""
    started = client.post(f"/f/{folder}/ask", data={"question": question, **more}, follow_redirects=False)
    assert started.status_code == 303, started.text
    return end_page(client, started)


def end_page(client: httpx.Client, started: httpx.Response) -> httpx.Response:
    """Watch a job to its end, and return the final page."""
    place = started.headers["location"]
    with client.stream("GET", f"{place}/progress") as stream:
        assert "event: ended" in list(stream.iter_lines())
    return client.get(place)


def opened(chromium: Browser, service: Service, **options: object) -> Page:
    """A page of a separate, signed-in browser, in which no error may happen."""
    page = chromium.new_context(**options).new_page()  # type: ignore[arg-type]
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.set_default_timeout(60_000)
    page.goto(service.link())
    return page
