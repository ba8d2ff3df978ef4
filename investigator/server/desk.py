"""The job queue: accepts jobs, runs those for each folder one after another, and stores their events as they happen. A
job outlives the server: jobs that are waiting or running when a server ends are resumed when the next server starts. A
started run continues from its journal, so nothing is paid for twice.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from threading import Condition, Semaphore, Thread

from investigator.errors import InvestigatorError, QuestionError, SettingsError, StoreError, WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.records import (
    Answered,
    AnswerStatus,
    Embedded,
    Event,
    FileRead,
    Filled,
    Notice,
    Progressed,
    Started,
)
from investigator.reports.folder import changes_line
from investigator.secrets import redacted
from investigator.server.file_list import NO_PROBLEM, update_line
from investigator.server.folders import ServedFolder, ServedFolders
from investigator.server.models import Models
from investigator.server.problems import ServerError, problem_of
from investigator.server.records import JobEnded, JobKind, JobRequest, JobState, Problem, ServerJob
from investigator.services.outlines import outline_in
from investigator.services.run_records import RunOptions, distinct_questions, valid_question
from investigator.services.watching import moments

_AT_ONCE = 2
_BETWEEN = 0.25  # minimum number of seconds between two progress events of one kind
_AGAIN = 2.0  # seconds before the next attempt, if another process is writing to the folder
_RETRY_AFTER = 10

_ASKING: Mapping[JobKind, Callable[[JobRequest], str]] = {
    JobKind.INVESTIGATE: lambda request: valid_question(request.question),
    JobKind.MATRIX: lambda request: "\n".join(
        distinct_questions(list(filter(str.strip, request.question.splitlines())))
    ),
    JobKind.REPORT: lambda request: valid_question(request.question, "subject"),
}
"""The functions that return the question of a job, or its questions, if they can be asked."""


class Desk:
    """Runs jobs in its own threads, two at a time; at most `most_waiting` wait for each folder. With
    `follows_changes`, the index of a folder is updated when its files change. `closing` is set when the server begins
    to close.
    """

    def __init__(
        self,
        folders: ServedFolders,
        *,
        models: Models | None = None,
        most_waiting: int = 20,
        follows_changes: bool = False,
        on_problem: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.folders = folders
        self.models = models or Models()
        self._most_waiting = most_waiting
        self._on_problem = on_problem
        self.closing = threading.Event()
        self._changed = Condition()
        self._slots = Semaphore(_AT_ONCE)
        self._to_stop: set[str] = set()
        self._obstacles: dict[str, str] = {}
        self._to_index: set[str] = set()
        self._follows_changes = follows_changes
        self._threads: list[Thread] = []

    def start(self) -> None:
        """Start working, beginning with the unfinished jobs of the previous server. Raises StoreError if they cannot be
        read.
        """
        for folder in self.folders.values():
            folder.ledger.unfinished()
        for folder in self.folders.values():
            self._work_on(folder)

    def add(self, investigator: Investigator) -> ServedFolder:
        """Serve another folder from now on. Raises the errors of `ServedFolders.add`."""
        folder = self.folders.add(investigator)
        self._work_on(folder)
        return folder

    def _work_on(self, folder: ServedFolder) -> None:
        for work in (self._work_off, *([self._notice_changes] if self._follows_changes else [])):
            # a daemon, so that a second Ctrl-C does not wait for the step in progress
            thread = Thread(target=work, args=(folder,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """Stop after the step in progress; unfinished jobs continue at the next start."""
        self.closing.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        for folder in self.folders.values():
            folder.close()

    def folder(self, name: str) -> ServedFolder:
        """Return a served folder; without a name, the only one that the server was started with. Raises ServerError."""
        if (own := name or self.folders.default) not in self.folders:
            hint = f"Name one of these folders: {', '.join(self.folders)}"
            refusal = f"no folder {name!r} is served" if name else "several folders are served, and none is named"
            raise ServerError(HTTPStatus.NOT_FOUND, refusal, hint)
        return self.folders[own]

    def obstacle(self, name: str) -> str:
        """Return why the jobs of a folder cannot go on now, or "" if they can."""
        return self._obstacles.get(name, "")

    def submit(self, request: JobRequest, idempotency_key: str | None = None) -> ServerJob:
        """Accept a job, and return it; if the key has been used before, return the earlier job.

        Raises ServerError if the folder is not served, too many jobs wait, or the key was used for another request;
        QuestionError; and the errors of a model that cannot be used.
        """
        folder = self.folder(request.folder)
        request, ledger = request.changed(folder=folder.name), folder.ledger
        if request.kind in _ASKING:  # stored without known secrets, like runs
            mission, strategy = (redacted(text) if text else text for text in (request.mission, request.strategy))
            request = request.changed(question=_ASKING[request.kind](request), mission=mission, strategy=strategy)
            request = request.changed(outline=redacted(request.outline))
            if request.kind is not JobKind.REPORT and (request.outline.strip() or request.update):
                hint = "Ask for a report (in the API, kind: report), or leave the outline empty."
                raise QuestionError("only a report has an outline and can be updated", hint=hint)
            self.models.investigator(folder.name, folder.investigator, request.model)
            outline_in(request.outline)
        with self._changed:
            known = ledger.job_of_key(idempotency_key) if idempotency_key else None
            if known is not None and known.request != request:
                refusal = "this Idempotency-Key was used for another request"
                raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, refusal, "Use a new key.")
            if known is not None:
                return known
            if sum(job.state is JobState.WAITING for job in ledger.unfinished()) >= self._most_waiting:
                refusal = f"{self._most_waiting} jobs are already waiting for the folder {request.folder}"
                hint = "Try again later, or stop one of these jobs."
                raise ServerError(HTTPStatus.TOO_MANY_REQUESTS, refusal, hint, retry_after=_RETRY_AFTER)
            created = datetime.now(UTC).isoformat(timespec="milliseconds")
            job = ServerJob(id=secrets.token_hex(8), request=request, created=created)
            ledger.add(job, idempotency_key)
            self._changed.notify_all()
        return job

    def job(self, job_id: str) -> ServerJob:
        """Return the job with an id. Raises ServerError if the id is unknown."""
        return self.kept(job_id)[1]

    def kept(self, job_id: str) -> tuple[ServedFolder, ServerJob]:
        """Return a job with its folder. Raises ServerError if the id is unknown."""
        for folder in self.folders.values():
            if (job := folder.ledger.job(job_id)) is not None:
                return folder, job
        raise ServerError(HTTPStatus.NOT_FOUND, f"unknown investigation {job_id}")

    def stop(self, job_id: str) -> ServerJob:
        """Stop a job after the step in progress; its results so far are kept. Raises ServerError."""
        with self._changed:
            folder, job = self.kept(job_id)
            if job.state is JobState.WAITING:
                return self._end(folder, job_id, JobState.STOPPED)
            if not job.state.has_ended:
                self._to_stop.add(job_id)
        return job

    def is_stopping(self, job_id: str) -> bool:
        """Return True if a job ends after the step in progress."""
        return job_id in self._to_stop

    def _work_off(self, folder: ServedFolder) -> None:
        """Run the jobs of a folder one after another; try again while another process is writing to the folder, or
        nothing can be stored, for example because the disk is full.
        """
        while not self.closing.is_set():
            try:
                with self._changed:
                    self._changed.wait_for(lambda: self._is_due(folder))
                with self._slots:
                    self._work(folder)
                    self._index(folder)
                self._obstacles.pop(folder.name, None)
            except WorkspaceLockedError:
                self.closing.wait(_AGAIN)
            except StoreError as error:
                self._obstacles[folder.name] = error.message
                self._on_problem(error.message)
                self.closing.wait(_AGAIN)

    def _is_due(self, folder: ServedFolder) -> bool:
        """Return True if there is something to do for a folder, or the desk closes."""
        return self.closing.is_set() or folder.name in self._to_index or bool(folder.ledger.unfinished())

    def _notice_changes(self, folder: ServedFolder) -> None:
        """Have the index updated whenever files of a folder have changed, until the desk closes."""
        places = (folder.path.resolve(), folder.investigator.workspace.resolve())
        try:
            # the first is when the watcher has begun, and may be late
            for number, _ in enumerate(moments(*places, stop=self.closing)):
                if (number or _is_behind(folder)) and folder.investigator.has_index():
                    with self._changed:
                        self._to_index.add(folder.name)
                        self._changed.notify_all()
        except SettingsError as error:
            self._on_problem(error.message)

    def _index(self, folder: ServedFolder) -> None:
        """Update the index of a changed folder, unless a job is waiting, which does so. Raises WorkspaceLockedError and
        StoreError.
        """
        if folder.name not in self._to_index or self.closing.is_set():
            return
        self._to_index.discard(folder.name)
        try:
            for _ in folder.investigator.index(vectors=True):
                if self.closing.is_set() or folder.ledger.unfinished():
                    return
        except (WorkspaceLockedError, StoreError):
            self._to_index.add(folder.name)
            raise
        except InvestigatorError as error:
            self._on_problem(error.message)

    def _work(self, folder: ServedFolder) -> None:
        """Run the oldest unfinished job, unless it is to be stopped. Raises WorkspaceLockedError and StoreError."""
        with self._changed:
            job = next(iter(folder.ledger.unfinished()), None)
            if job is None or self.closing.is_set():
                return
            if job.id in self._to_stop:
                self._end(folder, job.id, JobState.STOPPED)
                return
            job = folder.ledger.change(job.changed(state=JobState.RUNNING))
        try:
            self._follow(folder, job)
        except WorkspaceLockedError as error:
            folder.ledger.log(job.id, Notice(text=f"{error.message}; retrying."))
            raise
        except Exception as error:  # noqa: BLE001 - the outermost handler of the job: the next job must run
            self._end(folder, job.id, JobState.FAILED, why=problem_of(error))

    def _follow(self, folder: ServedFolder, job: ServerJob) -> None:
        """Run a job to its end, unless it is stopped or the desk closes. Raises the same errors as an investigation."""
        logged: dict[type[Event], float] = {}
        status = None
        with closing(_events(folder, job, self.models)) as events:
            for event in events:
                if isinstance(event, Started):
                    job = folder.ledger.change(job.changed(run_id=event.run_id))
                if isinstance(event, Answered):
                    status = event.investigation.answer.status if event.investigation.answer else None
                    job = folder.ledger.change(job.changed(run_id=event.investigation.id))  # no start event if stored
                elif _is_due(event, logged):
                    folder.ledger.log(job.id, event)
                if job.id in self._to_stop:
                    self._end(folder, job.id, JobState.STOPPED)
                    return
                if self.closing.is_set() and not isinstance(event, Answered):
                    return
        self._end(folder, job.id, JobState.DONE, status)

    def _end(
        self,
        folder: ServedFolder,
        job_id: str,
        state: JobState,
        status: AnswerStatus | None = None,
        why: Problem | None = None,
    ) -> ServerJob:
        self._to_stop.discard(job_id)
        ended = self.job(job_id).changed(state=state, problem=why)
        event = JobEnded(state=state, run_id=ended.run_id, answer_status=status, problem=why)
        return folder.ledger.change(ended, event)


def _is_behind(folder: ServedFolder) -> bool:
    """Return True if the files of a folder differ from its index, unless a job is about to update it."""
    with suppress(InvestigatorError):  # the next job reports it
        if folder.investigator.has_index() and not folder.ledger.unfinished():
            return bool(changes_line(folder.investigator.status()))
    return False


def _events(folder: ServedFolder, job: ServerJob, models: Models) -> Generator[Event]:
    """Start or continue a job. If the job already has a run, that run is resumed, even if the client asked to start
    over.
    """
    request = job.request
    investigator = models.investigator(folder.name, folder.investigator, request.model)
    if request.kind is JobKind.READ:
        yield from investigator.index()
        return
    if request.kind is JobKind.INDEX:
        before = investigator.status(compare=False) if investigator.has_index() else None
        yield from investigator.index(vectors=True)
        yield Notice(text=update_line(before, investigator.status(compare=False)))
        return
    as_of = request.as_of.isoformat() if request.as_of is not None else ""
    fresh = request.fresh and not job.run_id
    options = RunOptions(request.mission, request.strategy, request.only, fresh, after=request.after, as_of=as_of)
    if request.kind is JobKind.MATRIX:
        yield from investigator.investigate_matrix(request.question.splitlines(), options)
    elif request.kind is JobKind.REPORT:
        parts = outline_in(request.outline)
        yield from investigator.write_report(request.question, options, outline=parts, is_update=request.update)
    else:
        yield from investigator.investigate(request.question, options)


def _is_due(event: Event, logged: dict[type[Event], float]) -> bool:
    """Return True if an event is to be stored: of progress only some, so that ten thousand unchanged files do not
    produce ten thousand events. `logged` holds the time of the last progress of each kind.
    """
    if (
        isinstance(event, Filled)
        or not isinstance(event, FileRead | Embedded | Progressed)
        or event.done >= event.total
    ):
        return True
    if isinstance(event, FileRead) and event.file.status not in NO_PROBLEM:
        return True
    before, now = logged.get(type(event), float("-inf")), time.monotonic()
    if now - before >= _BETWEEN:
        logged[type(event)] = now
    return now - before >= _BETWEEN
