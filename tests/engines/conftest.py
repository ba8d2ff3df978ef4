"""Fixtures for the tests of chat models: a clock that advances only during sleeps, and an engine that uses it."""

from __future__ import annotations

import pytest
from chat_parts import MadeTime
from openai_server import OpenAIServer

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings


@pytest.fixture
def made_time() -> MadeTime:
    return MadeTime()


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
def engine(openai_server: OpenAIServer, made_time: MadeTime, notices: list[str]) -> ChatEngine:
    """Return a chat model at the loopback server."""
    settings = ChatSettings(base_url=openai_server.url)
    return ChatEngine("openai:m", settings, queue=made_time.queue(), on_notice=notices.append)
