"""Errors as clients receive them: an HTTP status, a description and advice."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from investigator.errors import (
    CredentialError,
    DiskFullError,
    EngineError,
    InvestigatorError,
    NotFoundError,
    QuestionError,
    ReplayError,
    SettingsError,
    SourceChangedError,
    UserError,
    WorkspaceLockedError,
)
from investigator.reports.inert import inert_prose
from investigator.secrets import redacted
from investigator.server.records import Problem

_SOON = 5  # seconds after which a locked folder may be free
_PARTS = ("body", "query", "path", "header")
_FAULTS: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not a field of this request",
    "string_type": "must be text",
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false"),
    **dict.fromkeys(("list_type", "tuple_type"), "must be a list"),
    **dict.fromkeys(("model_attributes_type", "model_type", "dict_type"), "must be an object"),
    **dict.fromkeys(("enum", "literal_error"), "must be {expected}"),
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "string_too_long": "must have at most {max_length} characters",
    "too_long": "must have at most {max_length} items",
}
"""What is wrong with a value of a request, by pydantic's type of the error."""
_KINDS: tuple[tuple[type[InvestigatorError], int, str], ...] = (
    (NotFoundError, 404, "See the folder's lists of investigations and documents."),
    (WorkspaceLockedError, 503, "Wait until the other operation on this folder has finished, then try again."),
    (DiskFullError, 507, "Free some space on the disk of the server, then try again."),
    (CredentialError, 502, ""),
    (ReplayError, 502, ""),
    (EngineError, 502, "The results so far are kept: ask the same question again to resume."),
    (QuestionError, 422, "Ask one question in plain words."),
    (SourceChangedError, 500, "Update the index of the folder under Documents, or with POST /v1/folders/FOLDER/index."),
    (SettingsError, 422, "Start the server with other settings."),
    (UserError, 422, ""),
    (InvestigatorError, 500, ""),
)
"""The status of each kind of error, and the advice if it has none of its own; the first match counts."""

PROBLEMS: dict[int | str, dict[str, object]] = {
    "default": {"model": Problem, "description": "What went wrong, and what to do next."}
}
"""The description of every error in the API."""


class ServerError(Exception):
    """A rejected request, with the problem that explains it. `retry_after` is in seconds; 0 means never. `name` is a
    part of the detail that a user entered, which stays as it is.
    """

    def __init__(self, status: int, detail: str, hint: str = "", *, retry_after: int = 0, name: str = "") -> None:
        self.problem = problem(status, detail, hint, name)
        self.retry_after = retry_after
        super().__init__(self.problem.detail)


def problem(status: int, detail: str, hint: str = "", address: str = "") -> Problem:
    """Return a problem without known secrets; text from documents is made harmless, except an address of ours."""
    texts = (inert_prose(redacted(text)) for text in (detail, hint))
    detail_shown, next_step = (text.replace(inert_prose(address), address) if address else text for text in texts)
    return Problem(title=HTTPStatus(status).phrase, status=int(status), detail=detail_shown, hint=next_step)


def problem_of(error: Exception) -> Problem:
    """Return the problem document for any error."""
    match error:
        case ServerError():
            return error.problem
        case InvestigatorError():
            status, general = next((status, hint) for kind, status, hint in _KINDS if isinstance(error, kind))
            return problem(status, error.message, error.advice or general or error.hint, error.address)
        case HTTPException():
            return problem(error.status_code, error.detail)
        case ValidationError() | RequestValidationError():
            faults = "; ".join(map(_fault_in_words, error.errors()))
            hint = "See /v1/openapi.json." if isinstance(error, RequestValidationError) else ""
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, faults, hint)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, f"unexpected error: {type(error).__name__}: {error}")


def _fault_in_words(fault: Mapping[str, Any]) -> str:
    """Return what is wrong with a value of a request."""
    if fault["type"] == "json_invalid":
        return "the body is not JSON"
    words = _FAULTS.get(fault["type"])
    first, *inner = fault["loc"] or ("body",)
    named = ".".join(map(str, inner if inner and first in _PARTS else (first, *inner)))
    named = "the body" if named == "body" else named
    return f"{named} {words.format(**fault.get('ctx', {}))}" if words else f"{named}: {fault['msg']}"


def retry_after(error: Exception) -> int:
    """Return the number of seconds after which a rejected request may be repeated; 0 means never."""
    if isinstance(error, WorkspaceLockedError):
        return _SOON
    return error.retry_after if isinstance(error, ServerError) else 0
