"""Errors as clients receive them (an HTTP status, a description and advice), and the parts that all replies to programs
share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from investigator.errors import (
    CredentialError,
    EngineError,
    InvestigatorError,
    NotFoundError,
    QuestionError,
    SourceChangedError,
    UserError,
    WorkspaceLockedError,
)
from investigator.records.base import Record
from investigator.reports.inert import inert_json_prose, inert_prose
from investigator.secrets import redacted
from investigator.server.records import Problem

_STATUSES = (
    ((NotFoundError,), HTTPStatus.NOT_FOUND),
    ((WorkspaceLockedError,), HTTPStatus.SERVICE_UNAVAILABLE),
    ((CredentialError, EngineError), HTTPStatus.BAD_GATEWAY),
    ((UserError,), HTTPStatus.UNPROCESSABLE_ENTITY),
    ((InvestigatorError,), HTTPStatus.INTERNAL_SERVER_ERROR),
)

_HINTS: tuple[tuple[type[InvestigatorError], str], ...] = (
    (WorkspaceLockedError, "Wait until the other operation on this folder has finished, then try again."),
    (
        SourceChangedError,
        "Update the index of the folder under Documents, or with POST /v1/folders/FOLDER/index.",
    ),
    (NotFoundError, "See the folder's lists of investigations and documents."),
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

    def __init__(self, status: int, detail: str, hint: str = "", *, retry_after: int = 0) -> None:
        self.problem = problem(status, detail, hint)
        self.retry_after = retry_after
        super().__init__(self.problem.detail)


def problem(status: int, detail: str, hint: str = "") -> Problem:
    """Return a problem without known secrets; text from documents is made harmless."""
    detail_shown, next_step = (inert_prose(redacted(text)) for text in (detail, hint))
    return Problem(title=HTTPStatus(status).phrase, status=int(status), detail=detail_shown, hint=next_step)


def problem_of(error: Exception) -> Problem:
    """Return the problem document for any error."""
    match error:
        case ServerError():
            return error.problem
        case InvestigatorError():
            status = next(status for kinds, status in _STATUSES if isinstance(error, kinds))
            general = next((hint for kind, hint in _HINTS if isinstance(error, kind)), "")
            return problem(status, error.message, served_words(error.hint) or general)
        case HTTPException():
            return problem(error.status_code, error.detail)
        case ValidationError():
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, _faults(error.errors()))
        case RequestValidationError():
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, _faults(error.errors()), "See /v1/openapi.json.")
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"unexpected error: {type(error).__name__}: {error}")


def _faults(faults: Iterable[Mapping[str, Any]]) -> str:
    """Return the invalid fields of a request, each with the reason."""
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)


def served_words(text: str) -> str:
    """Return the text after removing its sentences about the command line."""
    return " ".join(sentence for sentence in _SENTENCE.split(text) if not _COMMAND.search(sentence))


def json_response(record: Record, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> Response:
    """Return a record as inert JSON, with known secrets redacted."""
    body = inert_json_prose(redacted(record.model_dump_json()))
    return Response(body, status, headers, media_type="application/json")
