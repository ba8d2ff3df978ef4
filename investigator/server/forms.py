"""Parses the forms of the page into requests, and reports invalid forms as problems."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qs

from pydantic import ValidationError

from investigator.records import Investigation
from investigator.server.problems import ServerError, problem
from investigator.server.records import JobRequest


def fields_of(body: bytes) -> Mapping[str, str]:
    """Return the first value of each field in a form. Raises ServerError if it cannot be parsed."""
    try:
        fields = parse_qs(body.decode(), max_num_fields=20, errors="strict")
    except ValueError:  # also raised for bytes that are not UTF-8
        raise ServerError(problem(HTTPStatus.UNPROCESSABLE_ENTITY, "the form cannot be read")) from None
    return {name: values[0] for name, values in fields.items()}


def job_request(folder: str, given: Mapping[str, str]) -> JobRequest:
    """Return the request from the question form. Raises ServerError if it exceeds a limit."""
    return _request(
        folder=folder,
        question=given.get("question", ""),
        mission=given.get("mission"),
        after=given.get("after", ""),
        only=tuple(name.strip() for name in given.get("only", "").split(",") if name.strip()),
        as_of=given.get("as_of") or None,
        fresh="fresh" in given,
    )


def asked_again(folder: str, run: Investigation, after: str) -> JobRequest:
    """Return a request that resumes a run, which follows up on the run `after`, if any. Raises ServerError if its scope
    has too many documents.
    """
    return _request(
        folder=folder,
        question=run.question,
        mission=run.setup.mission,
        strategy=run.setup.strategy,
        only=run.setup.scope,
        after=after,
        as_of=run.setup.as_of or None,
    )


def _request(**fields: object) -> JobRequest:
    try:
        return JobRequest.model_validate(fields)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise ServerError(problem(HTTPStatus.UNPROCESSABLE_ENTITY, faults)) from error
