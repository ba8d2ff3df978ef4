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
        (QuestionError("no", hint="Ask which command opens terminal 3."), "Ask which command opens terminal 3."),
        (SettingsError("no", hint="Put it elsewhere.", command="Name it with --token-file FILE."), "Put it elsewhere."),
        *((kind("it failed"), "") for kind in (EngineError, SourceChangedError, StoreError, NotFoundError)),
        (WorkspaceLockedError("it failed"), ""),
    ],
)
def test_a_hint_says_what_can_be_done_without_a_command_line(error: InvestigatorError, hint: str) -> None:
    shown = problem_of(error).hint
    assert not hint or shown == hint
    assert "investigator " not in shown
    assert "--" not in shown
