"""Code shared by `matrix` and `ask --questions`: reads questions from files and options, and reports the outcome of a
batch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from investigator.cli.output import again_to_resume, note, resumable
from investigator.cli.progress import shown
from investigator.errors import RunError, SettingsError
from investigator.records import AskedQuestions, BatchEnded, Event, Matrix, StandingUpdate, Writing
from investigator.services.question_file import read_question_file

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


def outcome_of(
    events: Iterable[Event], watch: Callable[[Callable[[Writing], None] | None], None], *, fresh: bool
) -> Matrix | AskedQuestions | StandingUpdate:
    """Show the events of a batch as they arrive, and return its outcome. Raises RunError."""
    ended: BatchEnded | None = None
    with resumable(kept_so_far(fresh=fresh)):
        for event in shown(events, sys.stderr, watch=watch):
            if isinstance(event, BatchEnded):
                ended = event
    if ended is None:
        raise RunError("the batch ended without an outcome", hint="Run the same command again to resume.")
    return ended.outcome
