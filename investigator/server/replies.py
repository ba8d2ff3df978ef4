"""Common parts of all replies to programs."""

from __future__ import annotations

from http import HTTPStatus

from fastapi.responses import Response

from investigator.records.base import Record
from investigator.reports.inert import inert_json_prose
from investigator.secrets import redacted
from investigator.server.records import Problem

PROBLEMS: dict[int | str, dict[str, object]] = {
    "default": {"model": Problem, "description": "What went wrong, and what to do next."}
}
"""The description of every error in the API."""


def said(record: Record, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> Response:
    """Return a record as inert JSON, with known secrets redacted."""
    body = inert_json_prose(redacted(record.model_dump_json()))
    return Response(body, status, headers, media_type="application/json")
