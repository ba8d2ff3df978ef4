"""The API is used as its guide shows, and describes itself in sentences."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from investigator.server.service import Service

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "serving.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_example_of_the_guide_asks_and_reads_an_answer(service: Service) -> None:
    (example,) = re.findall(r"```sh\n(SERVER=.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    first, _, commands = example.partition("\n")
    assert first == "SERVER=http://127.0.0.1:8484 TOKEN=$(cat ~/.local/share/investigator/server.token)"
    own = {"SERVER": service.address, "TOKEN": service.token_file.read_text().strip(), "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(["sh", "-ec", commands], env=own, capture_output=True, text=True, timeout=120, check=True)
    events, _, outcome = ran.stdout.rpartition("\n")
    assert "event: ended" in events
    assert "42 MW" in json.loads(outcome)["investigation"]["answer"]["text"]


def test_a_folder_may_be_omitted_if_one_is_served(program: httpx.Client) -> None:
    started = program.post("/v1/investigations", json={"question": "Which plant makes 44 MW of power?"})
    assert started.json()["request"]["folder"] == "plants"
    assert program.post("/v1/chats", json={}).json()["folder"] == "plants"
    assert program.get("/v1/chats").status_code == 200
    refused = program.post("/v1/investigations", json={})
    assert (refused.status_code, refused.json()["detail"]) == (422, "the question is empty")
    assert program.get("/v1/folders/plants/search").json()["detail"] == "q is missing"


def test_each_route_is_summarised_by_a_sentence(program: httpx.Client) -> None:
    description = program.get("/v1/openapi.json").json()
    summaries = [route["summary"] for path in description["paths"].values() for route in path.values()]
    assert "Start an investigation" in summaries
    assert [text for text in summaries if len(text.split()) < 3] == []
