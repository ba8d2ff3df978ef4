from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from investigator.engines.chat.models import Server, failure
from investigator.errors import (
    EngineError,
    InvestigatorError,
    NotFoundError,
    QuestionError,
    SettingsError,
    SourceChangedError,
    StoreError,
    WorkspaceLockedError,
)
from investigator.server.problems import problem_of
from investigator.store.database import translated


def of_a_disk() -> InvestigatorError:
    with pytest.raises(InvestigatorError) as caught, translated(Path("w/index.db")):
        raise sqlite3.OperationalError("disk I/O error")
    return caught.value


def of_a_server() -> InvestigatorError:
    class NotFound(Exception):
        status_code = 404

    return failure(NotFound("404"), Server("openai:m", "http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (QuestionError("the question is empty"), "Ask one question in plain words."),
        (QuestionError("too long", hint="Ask a short question."), "Ask a short question."),
        (QuestionError("no", hint="Ask which command opens terminal 3."), "Ask which command opens terminal 3."),
        (SettingsError("no", hint="Put it elsewhere.", command="Name it with --token-file FILE."), "Put it elsewhere."),
        (of_a_disk(), "Free some space, or check the disk, then try again: finished work is kept."),
        (of_a_server(), "Most servers have their API below /v1: try chat.base_url=http://127.0.0.1:1/v1"),
        *((kind("it failed"), "") for kind in (EngineError, SourceChangedError, StoreError, NotFoundError)),
        (WorkspaceLockedError("it failed"), ""),
    ],
)
def test_a_hint_says_what_can_be_done_without_a_command_line(error: InvestigatorError, hint: str) -> None:
    shown = problem_of(error).hint
    assert not hint or shown == hint
    assert "investigator " not in shown
    assert "--" not in shown
