"""A server over the folder of power plants, and its clients: a program with the token, a browser with the cookie. The
tests of a file share the folder and the server, like several users; a file whose tests need separate ones defines them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from power_plants import write_folder

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.serve import open_talks
from investigator.bb3.search.server import folder_searches
from investigator.server.service import Service


@pytest.fixture(scope="module")
def plants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("shared") / "plants")


@pytest.fixture(scope="module")
def service(plants: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    investigator, data = Investigator(plants, embedder=ScriptedEmbedder()), tmp_path_factory.mktemp("data")
    with Service([investigator], open_talks=open_talks, searches_of=folder_searches, directory=data) as running:
        yield running


@pytest.fixture
def program(service: Service) -> Iterator[httpx.Client]:
    token = service.token_file.read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=service.address, headers=headers, timeout=60) as client:
        yield client


@pytest.fixture
def browser(service: Service) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.address, follow_redirects=True, timeout=60) as client:
        assert client.get(service.link()).status_code == 200
        client.headers["Origin"] = service.address
        yield client
