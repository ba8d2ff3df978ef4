"""A restarted server continues the work of a killed one: its client stays connected, and no call is paid for twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from openai_server import Body, OpenAIServer, Response
from power_plants import ALL, prompt_in, sensible

KILLED_AT = 3  # of the calls that the run takes


@contextmanager
def serving(plants: Path, url: str, data: Path) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    command = [sys.executable, "-m", "investigator", "serve", str(plants), "--no-browser", "--port", "0"]
    command += ["--model", "openai:m", "--set", f"chat.base_url={url}", "--set", "research.concurrency=1"]
    env = {**os.environ, "XDG_DATA_HOME": str(data), "OPENAI_API_KEY": "k" * 30}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        address = process.stdout.readline().partition("/open")[0]
        assert address, process.stderr.read() if process.stderr else ""
        token = (data / "investigator" / "server.token").read_text().strip()
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            yield process, client
        process.kill()


def events(client: httpx.Client, job: str, after: int = 0) -> Iterator[int]:
    with client.stream("GET", f"/v1/investigations/{job}/events?after={after}") as stream:
        yield from (int(line.removeprefix("id: ")) for line in stream.iter_lines() if line.startswith("id: "))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_what_a_killed_server_was_doing_is_done_by_the_next(
    tmp_path: Path, plants: Path, openai_server: OpenAIServer
) -> None:
    doomed: list[subprocess.Popen[str]] = []

    def deadly(body: Body) -> Response:
        if len(openai_server.requests) == KILLED_AT and doomed:
            doomed.pop().kill()
        return sensible(body)

    openai_server.answer(deadly)
    with serving(plants, openai_server.url, tmp_path / "data") as (process, client):
        doomed.append(process)
        job = client.post("/v1/investigations", json={"folder": "plants", "question": ALL}).json()["id"]
        process.wait(60)
    with serving(plants, openai_server.url, tmp_path / "data") as (_, client):
        seen = list(events(client, job))
        outcome = client.get(f"/v1/investigations/{job}").json()
    assert outcome["job"]["state"] == "done"
    assert "42 MW" in str(outcome["investigation"]["answer"])
    assert seen == list(range(1, len(seen) + 1))
    sent = Counter(prompt_in(request.body) for request in openai_server.requests)
    assert sorted(sent.values()) == [*[1] * (len(sent) - 1), 2]  # the one whose reply nobody was left to take
    assert outcome["investigation"]["usage"]["calls"] == len(openai_server.requests)
