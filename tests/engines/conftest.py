"""Fixtures for the tests of chat models."""

from __future__ import annotations

import pytest
from openai_server import OpenAIServer

from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
def engine(openai_server: OpenAIServer, notices: list[str]) -> ChatEngine:
    """Return a chat model at the loopback server."""
    return ChatEngine("openai:m", ChatSettings(base_url=openai_server.url), on_notice=notices.append)
