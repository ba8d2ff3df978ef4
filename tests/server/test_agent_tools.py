"""A real client of the protocol uses the tools, over a pipe and over HTTP, in its two newest revisions."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from power_plants import ABSENT, ONE

from investigator.server.agents import MOST_OCTETS
from investigator.server.service import Service

NEWEST, BEFORE = "2026-07-28", "legacy"


@asynccontextmanager
async def over_http(service: Service, mode: str = "auto") -> AsyncIterator[Client]:
    own = {"Authorization": f"Bearer {service.token_file.read_text().strip()}"}
    async with httpx2.AsyncClient(headers=own, timeout=60) as web:
        transport = streamable_http_client(f"{service.address}/mcp", http_client=web)
        async with Client(transport, mode=mode) as client:
            yield client


def called(service: Service, tool: str, **arguments: object) -> tuple[str, Any]:
    """Return the text and the record of a reply; the record is None for an error."""

    async def run() -> Any:
        async with over_http(service) as client:
            return await client.call_tool(tool, arguments)

    reply = asyncio.run(run())
    return reply.content[0].text, None if reply.is_error else reply.structured_content


async def answered(client: Client, question: str) -> dict[str, Any]:
    begun = await client.call_tool("start_investigation", {"question": question})
    assert not begun.is_error, begun.content
    outcome = {"state": "waiting"}
    while outcome["state"] in ("waiting", "running"):
        reply = await client.call_tool("get_investigation", {"id": begun.structured_content["id"], "wait_seconds": 20})
        outcome = {**reply.structured_content, "text": reply.content[0].text}
    return outcome


@pytest.mark.parametrize("mode", [NEWEST, BEFORE])
def test_an_agent_begins_an_investigation_with_tools_that_only_read_and_gets_its_answer(
    service: Service, mode: str
) -> None:
    async def run() -> Any:
        async with over_http(service, mode) as client:
            return (await client.list_tools()).tools, await answered(client, ONE)

    tools, outcome = asyncio.run(run())
    assert [tool.name for tool in tools] == [
        *("search", "list_mentions", "start_investigation", "get_investigation", "read_passage", "status")
    ]
    assert all(tool.annotations.read_only_hint and tool.description and tool.output_schema for tool in tools)
    assert outcome["state"] == "done"
    assert "It makes 42 MW of power." in outcome["text"]
    assert outcome["sources"][0]["document"] == "cedar.txt"


def test_an_agent_and_a_program_learn_every_document_with_some_words(
    service: Service, program: httpx.Client, plants: Path
) -> None:
    for number in range(120):
        (plants / f"yew{number:03}.txt").write_text(f"The yew plant {number} has a red gate.\n", encoding="utf-8")
    text, first = called(service, "list_mentions", words='"red gate" yew')
    _, second = called(service, "list_mentions", words='"red gate" yew', cursor=first["next"])
    assert [*first["documents"], *second["documents"]] == [f"yew{number:03}.txt" for number in range(120)]
    assert (first["count"], first["complete"]) == (120, True)
    assert "\nyew000.txt:line 1 The yew" in text
    listed = program.get("/v1/folders/plants/mentions", params={"q": "yew"}).json()
    assert len(listed["documents"]) == 120


def test_over_a_pipe_the_same_tools_answer(plants: Path) -> None:
    arguments = ["-m", "investigator", "serve", str(plants), "--mcp"]
    command = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def run() -> Any:
        async with Client(command) as client:
            return await answered(client, ABSENT), (await client.call_tool("status", {})).structured_content

    outcome, status = asyncio.run(run())
    assert outcome["status"].startswith("not_found")
    assert status["folder"] == "plants"
    assert "cedar.txt" in status["documents"]


def test_a_document_is_read_on_by_its_cursor_and_from_any_place(service: Service, plants: Path) -> None:
    whole = "".join(f"This is line {n} of 很多行字.\n" for n in range(1, 501))
    (plants / "long.txt").write_text(whole, encoding="utf-8")
    called(service, "search", query="cedar")  # which reads the folder
    parts, place = [], "0"
    while place != "None":
        text, passage = called(service, "read_passage", document="long.txt", place=place)
        parts, place = [*parts, text], str(passage["next"])
    assert "".join(parts) == whole
    assert max(len(part.encode()) for part in parts) <= MOST_OCTETS
    assert called(service, "read_passage", document="long.txt", place="line 400")[0].startswith("This is line 400 of")


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("start_investigation", {"question": " "}, "the question is empty"),
        ("start_investigation", {"question": "Who?", "folder": "other"}, "Name one of these folders: plants"),
        ("start_investigation", {"question": "Who?", "after": "none"}, "unknown investigation none"),
        ("get_investigation", {"id": "none"}, "unknown investigation none"),
        ("read_passage", {"document": "../../etc/passwd"}, "unknown document"),
        ("read_passage", {"document": "gone.txt"}, "`status` lists the documents."),
        ("search", {"q": "x"}, "query is missing"),
        ("read_passage", {"document": "cedar.txt", "place": "page 99"}, "has no page 99"),
        ("read_passage", {"document": "cedar.txt", "place": "the end"}, "is not a position"),
        ("search", {"query": ""}, "the query is empty"),
        ("list_mentions", {"words": "?"}, "words"),
    ],
)
def test_what_cannot_be_done_is_told_in_words(
    service: Service, tool: str, arguments: dict[str, str], message: str
) -> None:
    called(service, "search", query="cedar")
    text, record = called(service, tool, **arguments)
    assert record is None
    assert message in text


def test_an_agent_without_the_token_is_not_served(service: Service) -> None:
    refused = httpx2.post(f"{service.address}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert refused.status_code == 401


def test_a_missing_argument_is_named_in_a_plain_sentence(service: Service) -> None:
    text, _ = called(service, "start_investigation")
    assert text == "start_investigation was not called: question is missing. See its input schema."
    text, _ = called(service, "search", query="cedar", limit=0)
    assert "limit must be at least 1" in text
    assert "pydantic" not in text
