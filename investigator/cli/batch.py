"""Code shared by `matrix` and `ask --questions`: reads questions from files and options, and reports the outcome of a
batch.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from investigator.cli.output import again_to_resume, note, resumable
from investigator.cli.progress import Watch, shown
from investigator.errors import RunError, SettingsError
from investigator.records import AskedQuestions, BatchEnded, Event, Matrix
from investigator.services.question_file import read_question_file

_Outcome = TypeVar("_Outcome", Matrix, AskedQuestions)
KEPT = "Everything is kept: run the same command again to ask only the remaining questions."


def questions_of(file: Path | None, given: Sequence[str]) -> tuple[str, ...]:
    """Return the questions given as options, followed by those in a file, without duplicates. Raises QuestionError and
    SettingsError.
    """
    if file is None and not given:
        raise SettingsError(
            "no questions", hint="Give each question with --question, or a file of questions with --questions FILE."
        )
    listed = read_question_file(file.expanduser(), on_skipped=note) if file is not None else ()
    return tuple(dict.fromkeys((*given, *listed)))


def kept_so_far(*, fresh: bool) -> str:
    """Return what an interrupted run keeps, and how to resume it."""
    return f"everything learned so far is kept; {again_to_resume(fresh=fresh)}"


def outcome_of(events: Iterable[Event], watch: Watch, kind: type[_Outcome], *, fresh: bool) -> _Outcome:
    """Show the events of a batch as they arrive, and return its outcome, which is of a kind. Raises RunError."""
    outcome: object = None
    with resumable(kept_so_far(fresh=fresh)):
        for event in shown(events, sys.stderr, watch=watch):
            outcome = event.outcome if isinstance(event, BatchEnded) else outcome
    if not isinstance(outcome, kind):
        raise RunError("the batch ended without an outcome", hint=KEPT)
    return outcome
