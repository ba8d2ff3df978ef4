"""Errors as clients receive them (an HTTP status, a description and advice), and the parts that all replies to programs
share.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from fastapi.responses import Response

from investigator.errors import (
    CredentialError,
    EngineError,
    InvestigatorError,
    QuestionError,
    RateLimitError,
    SourceChangedError,
    UnknownDocumentError,
    UnknownRunError,
    UserError,
    WorkspaceLockedError,
)
from investigator.records.base import Record
from investigator.reports.inert import inert_json_prose, inert_prose
from investigator.secrets import redacted
from investigator.server.records import Problem

_STATUSES: tuple[tuple[type[InvestigatorError], HTTPStatus], ...] = (
    (UnknownRunError, HTTPStatus.NOT_FOUND),
    (UnknownDocumentError, HTTPStatus.NOT_FOUND),
    (WorkspaceLockedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (CredentialError, HTTPStatus.BAD_GATEWAY),
    (UserError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (RateLimitError, HTTPStatus.BAD_GATEWAY),
    (InvestigatorError, HTTPStatus.INTERNAL_SERVER_ERROR),
)

_HINTS: tuple[tuple[type[InvestigatorError], str], ...] = (
    (WorkspaceLockedError, "Wait until the other operation on this folder has finished, then try again."),
    (
        SourceChangedError,
        "Update the index of the folder under Documents, or with POST /v1/folders/FOLDER/index.",
    ),
    (UnknownRunError, "See the folder's list of investigations."),
    (QuestionError, "Ask one question in plain words."),
    (EngineError, "The results so far are kept: ask the same question again to resume."),
)
"""Hints for users of a server, in place of those that apply only to the command line."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_COMMAND = re.compile(r"\binvestigator [a-z]|(?<!\w)--[a-z]|\bcommand\b|\bterminal\b")
"""Matches a sentence about the command line, which does not help users of a server."""

PROBLEMS: dict[int | str, dict[str, object]] = {
    "default": {"model": Problem, "description": "What went wrong, and what to do next."}
}
"""The description of every error in the API."""


class ServerError(Exception):
    """A rejected request, with the problem that explains it. `retry_after` is in seconds; 0 means never."""

    def __init__(self, problem: Problem, *, retry_after: int = 0) -> None:
        self.problem = problem
        self.retry_after = retry_after
        super().__init__(problem.detail)


def problem(status: int, detail: str, hint: str = "") -> Problem:
    """Return a problem without known secrets; text from documents is made harmless."""
    detail_shown, next_step = (inert_prose(redacted(text)) for text in (detail, hint))
    return Problem(title=HTTPStatus(status).phrase, status=int(status), detail=detail_shown, hint=next_step)


def problem_of(error: InvestigatorError) -> Problem:
    """Return the problem document for an error."""
    status = next(status for kind, status in _STATUSES if isinstance(error, kind))
    return problem(status, error.message, _served_hint(error))


def _served_hint(error: InvestigatorError) -> str:
    """Return an error's hint for users of the web page or the tools, who do not use the command line."""
    return served_words(error.hint) or next((hint for kind, hint in _HINTS if isinstance(error, kind)), "")


def served_words(text: str) -> str:
    """Return the text after removing its sentences about the command line."""
    return " ".join(sentence for sentence in _SENTENCE.split(text) if not _COMMAND.search(sentence))


def json_response(record: Record, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> Response:
    """Return a record as inert JSON, with known secrets redacted."""
    body = inert_json_prose(redacted(record.model_dump_json()))
    return Response(body, status, headers, media_type="application/json")
