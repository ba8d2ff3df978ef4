"""A parameter that a server rejects is omitted, reported once, and known the next time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from chat_parts import PROMPT, MadeTime
from openai_server import Body, OpenAIServer, Response, completion, refusal

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.known_servers import KnownServers, ServerLimits
from investigator.engines.chat.models import ChatSettings
from investigator.engines.chat.sending import Parameter, ReplyFormat
from investigator.errors import EngineError


def without_formats(body: Body) -> Response:
    """Return the reply of a server that does not support response_format."""
    if "response_format" in body:
        return refusal(400, "'response_format' is not supported", param="response_format")
    return completion("plain")


def without_schemas(body: Body) -> Response:
    """Return the reply of a server that accepts `json_object` and no other format."""
    wanted = body.get("response_format")
    if isinstance(wanted, dict) and wanted["type"] == "json_object":
        return completion("{}")
    return refusal(400, "response_format.type must be one of 'text', 'json_object'")


def without_temperature(body: Body) -> Response:
    """Return the reply of a server with a fixed temperature."""
    return refusal(400, "temperature is not supported") if "temperature" in body else completion("ok")


def test_a_refused_format_is_left_out_from_then_on_and_told_once(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str]
) -> None:
    openai_server.answer(without_formats)
    assert [engine.reply(PROMPT).text for _ in range(3)] == ["plain"] * 3
    assert len(openai_server.requests) == 5  # the schema, the object, and three without
    assert engine.reply_format is ReplyFormat.NONE
    assert len(notices) == 1
    assert "response_format" in notices[0]


def test_a_server_without_schemas_is_asked_for_an_object(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str]
) -> None:
    openai_server.answer(without_schemas)
    assert [engine.reply(PROMPT).text for _ in range(2)] == ["{}", "{}"]
    assert [body["response_format"] for body in openai_server.bodies[1:]] == [{"type": "json_object"}] * 2
    assert engine.reply_format is ReplyFormat.JSON_OBJECT
    assert len(notices) == 1
    assert "schema" in notices[0]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0.2 with this model."),
        ("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens"),
    ],
)
def test_a_refused_parameter_is_left_out_and_the_others_stay(
    openai_server: OpenAIServer, notices: list[str], sent: str, message: str
) -> None:
    openai_server.answer(lambda body: refusal(400, message) if sent in body else completion("ok"))
    settings = ChatSettings(base_url=openai_server.url, temperature=0.2, max_tokens=50)
    engine = ChatEngine("openai:m", settings, on_notice=notices.append)
    assert [engine.reply(PROMPT).text for _ in range(2)] == ["ok", "ok"]
    kept = {"temperature", "max_completion_tokens", "response_format"} - {sent}
    assert kept <= set(openai_server.bodies[-1])
    assert sent not in openai_server.bodies[-1]
    assert (len(openai_server.requests), len(notices)) == (3, 1)


def test_a_refusal_met_by_several_threads_is_told_once(openai_server: OpenAIServer, notices: list[str]) -> None:
    openai_server.answer(without_temperature)
    engine = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url, temperature=1.0), on_notice=notices.append)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: engine.reply(PROMPT).text, range(16)))
    assert replies == ["ok"] * 16
    assert len(notices) == 1


def test_a_refusal_without_a_reason_is_taken_for_one_of_the_format(
    engine: ChatEngine, openai_server: OpenAIServer
) -> None:
    openai_server.answer(lambda body: refusal(422, "wrong") if "response_format" in body else completion("ok"))
    assert engine.reply(PROMPT).text == "ok"


def test_a_prompt_that_is_refused_without_a_format_too_takes_no_format_away(
    engine: ChatEngine, openai_server: OpenAIServer, notices: list[str]
) -> None:
    openai_server.answer(refusal(400, "your prompt was flagged"))
    with pytest.raises(EngineError, match="flagged"):
        engine.reply(PROMPT)
    assert engine.reply_format is ReplyFormat.JSON_SCHEMA
    assert notices == []


def test_a_refusal_survives_a_busy_server(engine: ChatEngine, openai_server: OpenAIServer, made_time: MadeTime) -> None:
    openai_server.answer(refusal(400, "no json_schema here"), refusal(429, "busy"), completion("{}"))
    assert engine.reply(PROMPT).text == "{}"
    formats = [body["response_format"]["type"] for body in openai_server.bodies]  # type: ignore[index]
    assert formats == ["json_schema", "json_object", "json_object"]


def test_what_one_engine_found_out_the_next_one_knows(
    openai_server: OpenAIServer, tmp_path: Path, notices: list[str]
) -> None:
    openai_server.answer(lambda body: without_temperature(body) if "temperature" in body else without_schemas(body))
    settings = ChatSettings(base_url=openai_server.url, temperature=0.5)
    known = KnownServers(tmp_path / "deep" / "servers.json", on_notice=notices.append)
    ChatEngine("openai:m", settings, known=known).reply(PROMPT)
    before = len(openai_server.requests)
    again = KnownServers(tmp_path / "deep" / "servers.json", on_notice=notices.append)
    ChatEngine("openai:m", settings, known=again, on_notice=notices.append).reply(PROMPT)
    assert len(openai_server.requests) == before + 1
    assert notices == []
    ChatEngine("openai:other", settings, known=again, on_notice=notices.append).reply(PROMPT)
    assert len(notices) == 2


def test_a_format_that_works_is_known_and_a_strange_refusal_does_not_take_it_away(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    settings = ChatSettings(base_url=openai_server.url)
    known = KnownServers(tmp_path / "servers.json")
    ChatEngine("openai:m", settings, known=known).reply(PROMPT)
    openai_server.answer(refusal(400, "your prompt was flagged"))
    with pytest.raises(EngineError, match="flagged"):
        ChatEngine("openai:m", settings, known=known).reply(PROMPT)
    assert len(openai_server.requests) == 2


NOW = datetime(2026, 3, 1, tzinfo=UTC)
FOUND = ServerLimits(refused=frozenset({Parameter.TEMPERATURE}), reply_format=ReplyFormat.JSON_OBJECT)


@pytest.mark.parametrize(("days", "known"), [(0, FOUND), (30, FOUND), (31, None)])
def test_after_a_month_a_server_is_a_stranger(tmp_path: Path, days: int, known: ServerLimits | None) -> None:
    KnownServers(tmp_path / "s.json", now=lambda: NOW).keep("openai:m@host", FOUND)
    later = KnownServers(tmp_path / "s.json", now=lambda: NOW + timedelta(days=days))
    assert later.find("openai:m@host") == known
    assert later.find("openai:m@elsewhere") is None


def test_two_processes_that_share_the_file_keep_both_their_servers(tmp_path: Path) -> None:
    one, other = KnownServers(tmp_path / "s.json"), KnownServers(tmp_path / "s.json")
    one.keep("openai:a@x", FOUND)
    other.keep("openai:b@x", ServerLimits())
    assert (one.find("openai:a@x"), one.find("openai:b@x")) == (FOUND, ServerLimits())
    assert [file.name for file in tmp_path.iterdir()] == ["s.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"servers": {"a": 1}}', b"\xff\xfe"])
def test_a_damaged_file_is_told_once_and_holds_nothing(tmp_path: Path, notices: list[str], content: bytes) -> None:
    (tmp_path / "s.json").write_bytes(content)
    servers = KnownServers(tmp_path / "s.json", on_notice=notices.append)
    assert [servers.find("a"), servers.find("b")] == [None, None]
    assert len(notices) == 1
    assert "s.json" in notices[0]
    servers.keep("a", FOUND)
    assert KnownServers(tmp_path / "s.json").find("a") == FOUND


def test_a_file_that_cannot_be_written_is_told_and_stops_nothing(tmp_path: Path, notices: list[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    KnownServers(tmp_path / "file" / "s.json", on_notice=notices.append).keep("a", FOUND)
    assert any("cannot be saved" in notice for notice in notices)
