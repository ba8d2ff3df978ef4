"""Errors as a client is told them: a status of HTTP, what happened, what to do next."""

from __future__ import annotations

from http import HTTPStatus

from investigator.errors import (
    CredentialError,
    InvestigatorError,
    RateLimitError,
    UnknownRunError,
    UserError,
    WorkspaceLockedError,
)
from investigator.reports.inert import inert_prose
from investigator.server.records import Problem

_STATUSES: tuple[tuple[type[InvestigatorError], HTTPStatus], ...] = (
    (UnknownRunError, HTTPStatus.NOT_FOUND),
    (WorkspaceLockedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (CredentialError, HTTPStatus.BAD_GATEWAY),
    (UserError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (RateLimitError, HTTPStatus.BAD_GATEWAY),
    (InvestigatorError, HTTPStatus.INTERNAL_SERVER_ERROR),
)


class ServerError(Exception):
    """A request that is not served, with the problem that says why; `retry_after` is in seconds, 0 for not at all."""

    def __init__(self, problem: Problem, *, retry_after: int = 0) -> None:
        self.problem = problem
        self.retry_after = retry_after
        super().__init__(problem.detail)


def problem(status: int, detail: str, hint: str = "") -> Problem:
    """Return a problem; text that came from documents is made harmless."""
    return Problem(
        title=HTTPStatus(status).phrase, status=int(status), detail=inert_prose(detail), hint=inert_prose(hint)
    )


def problem_of(error: InvestigatorError) -> Problem:
    """Return what a client is told of an error."""
    status = next(status for kind, status in _STATUSES if isinstance(error, kind))
    return problem(status, error.message, error.hint)
