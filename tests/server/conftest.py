"""A server over the folder of power plants, and its clients. The tests of a file share the folder and the server, like
several users; a file whose tests need separate ones defines them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from power_plants import write_folder
from server_clients import browser_of, program_of, read_folder, serving

from investigator.bb3.search.server import folder_searches
from investigator.server.service import Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def plants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("shared") / "plants")


@pytest.fixture(scope="module")
def service(plants: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(plants, tmp_path_factory.mktemp("data"), searches_of=folder_searches) as running:
        with program_of(running) as client:
            read_folder(client, "plants")  # so that no test meets its first reading by chance
        yield running


@pytest.fixture
def program(service: Service) -> Iterator[httpx.Client]:
    with program_of(service) as client:
        yield client


@pytest.fixture
def browser(service: Service) -> Iterator[httpx.Client]:
    with browser_of(service) as client:
        yield client


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    place = shutil.which("chromium") or shutil.which("google-chrome")
    if place is None:
        pytest.skip("Chromium is not installed")
    pytest.importorskip("playwright", reason="playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield browser
        browser.close()
