from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (QuestionError("the question is empty"), "Ask one question in plain words."),
        (QuestionError("too long", hint="Ask a short question."), "Ask a short question."),
        (SettingsError("no", hint="Put it elsewhere. Name it with --token-file FILE."), "Put it elsewhere."),
    ],
)
def test_a_hint_says_what_can_be_done_without_a_command_line(error: InvestigatorError, hint: str) -> None:
    assert problem_of(error).hint == hint


@pytest.mark.parametrize("kind", [EngineError, SourceChangedError, StoreError, NotFoundError, WorkspaceLockedError])
def test_no_hint_of_a_server_names_a_command(kind: type[InvestigatorError]) -> None:
    hint = problem_of(kind("it failed")).hint
    assert "investigator " not in hint
    assert "--" not in hint
