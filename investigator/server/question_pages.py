"""The pages on which questions are asked and their answers are shown, saved, listed and deleted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from investigator.errors import (
    CredentialError,
    FolderError,
    NotFoundError,
    QuestionError,
    ReplayError,
    SettingsError,
    WorkspaceLockedError,
)
from investigator.records import Investigation, Trust
from investigator.reports.export import exported, table_csv
from investigator.reports.html import html_report, investigation_view
from investigator.reports.terminal import investigation_text
from investigator.reports.wording import HEADLINES, NO_READER, UNFINISHED, UNREAD, readers, sentences
from investigator.server.desk import Desk
from investigator.server.folders import ServedFolder, check_documents
from investigator.server.problems import ServerError, problem_of
from investigator.server.records import JobKind, JobRequest, JobState
from investigator.server.replies import Fields, linking, page, saved, see
from investigator.services.outlines import outline_of, outline_text
from investigator.services.run_records import MATRIX, REPORT, turns_after

STATE_WORDS: Mapping[JobState, str] = {**{state: state.value for state in JobState}, JobState.RUNNING: "in progress"}
_RECENT, _TOPICS, _LATEST_JOBS = 10, 4, 200
_FAILED = "Failed"
_CHOOSE = "To have one read them, choose it below and ask again."
_NONE_TO_CHOOSE = "To have one read them, the server must be started with a model."
_LISTED = 50
_KINDS = ("html", "docx", "md", "csv", "table.csv", "json")
"""The files in which an answer can be saved, by how their names end."""


def add_questions(router: APIRouter, desk: Desk) -> None:
    """Add the routes of questions and answers."""
    _add_asking(router, desk)
    _add_runs(router, desk)
    _add_history(router, desk)


def _add_asking(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/")
    def folder(name: str) -> Response:
        return _folder_page(desk, desk.folder(name))

    @router.post("/f/{name}/ask")
    def ask(name: str, fields: Fields) -> Response:
        served = desk.folder(name)
        try:
            request = _form_request(name, fields)
            check_documents(served, request.only)
            _check_earlier(served, request.after)
            return begun(desk, request)
        except (FolderError, ServerError, QuestionError, SettingsError, CredentialError, ReplayError) as error:
            return _rejected_page(desk, served, fields, error)


def _add_runs(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/runs/{run_id}")
    def run(name: str, run_id: str) -> Response:
        if run_id.startswith(MATRIX):
            return see(f"/f/{name}/matrix/{run_id}")
        return _run_page(desk, desk.folder(name), run_id)

    @router.post("/f/{name}/runs/{run_id}/resume")
    def resume(name: str, run_id: str) -> Response:
        served = desk.folder(name)
        return begun(desk, _resumption(desk, served, served.investigator.show(run_id)))

    @router.get("/f/{name}/runs/{run_id}/save/{kind}")
    def save(name: str, run_id: str, kind: str) -> Response:
        investigator = desk.folder(name).investigator
        record = investigator.current(investigator.show(run_id))
        if kind not in _KINDS:
            raise ServerError(
                HTTPStatus.NOT_FOUND, f"an answer cannot be saved as {kind[:20]!r}", f"One of: {', '.join(_KINDS)}"
            )
        if kind == "html":
            data = html_report(record, investigator.enclosures(record)).encode("utf-8")
        elif kind == "table.csv":
            data = table_csv(record.answer) if record.answer is not None else b""
        else:
            data = exported(record, f".{kind}")
        return saved(data, f"{record.id}.{kind}")


def _add_history(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/runs")
    def history(name: str, q: str = "", start: Annotated[int, Query(ge=0)] = 0) -> Response:
        served = desk.folder(name)
        history = served.investigator.history(q, start, _LISTED)
        words = {"headlines": HEADLINES, "unfinished": UNFINISHED, "failed": _failed(served), "most": _LISTED}
        return page("history.html.j2", folder=served, wanted=q, start=start, **dict(history), **words)

    @router.post("/f/{name}/runs/{run_id}/delete")
    def forget(name: str, run_id: str) -> Response:
        served = desk.folder(name)
        if any(job.run_id == run_id for job in served.ledger.unfinished()):
            raise ServerError(HTTPStatus.CONFLICT, "This run is in progress.", "Stop it first, then delete it.")
        try:
            served.investigator.forget(run_id)
        except NotFoundError as error:
            raise ServerError(HTTPStatus.NOT_FOUND, "This run has already been deleted.") from error
        except WorkspaceLockedError as error:
            hint = "Try again when it has ended."
            raise ServerError(HTTPStatus.CONFLICT, "Another run is writing, perhaps this one.", hint) from error
        served.ledger.forget_run(run_id)
        return see(f"/f/{served.name}/{'matrix' if run_id.startswith(MATRIX) else 'runs'}")


def begun(desk: Desk, request: JobRequest) -> Response:
    """Submit a job, and send the browser to its page. Raises the errors of `Desk.submit`."""
    return see(f"/f/{request.folder}/jobs/{desk.submit(request).id}")


def _form_request(folder: str, given: Mapping[str, str]) -> JobRequest:
    """Return the request from the question form. Raises ServerError if it exceeds a limit."""
    return job_request(
        folder=folder,
        question=given.get("question", ""),
        mission=given.get("mission"),
        after=given.get("after", ""),
        only=tuple(name.strip() for name in given.get("only", "").split(",") if name.strip()),
        as_of=given.get("as_of") or None,
        fresh="fresh" in given,
        model=given.get("model", ""),
        kind=JobKind.REPORT if "report" in given else JobKind.INVESTIGATE,
        outline=given.get("outline", ""),
        update="update" in given,
    )


def _check_earlier(served: ServedFolder, after: str) -> None:
    """Raise ServerError if the answer on which a question follows up is not stored."""
    try:
        if after:
            served.investigator.show(after)
    except NotFoundError as error:
        gone = "the answer that this question follows up on is not, or no longer, stored"
        raise ServerError(HTTPStatus.NOT_FOUND, gone, "Ask the question again, complete in itself.") from error


def _resumption(desk: Desk, served: ServedFolder, run: Investigation) -> JobRequest:
    """Return a request that resumes a run. Raises ServerError if its scope has too many documents, or the run on which
    it follows up is gone.
    """
    after, investigator = "", served.investigator
    if run.earlier:
        readable = (summary for summary in investigator.runs() if summary.engine)  # old runs name no engine
        kept = (investigator.show(summary.id) for summary in readable)
        question = run.earlier[-1].question
        likely = (investigator.current(record) for record in kept if record.full_question == question)
        after = next((record.id for record in likely if turns_after(record) == run.earlier), "")
        if not after:
            hint = "Ask the question again, complete in itself."
            raise ServerError(409, "the run that this question follows up on is gone", hint)
    setup = run.setup
    given = setup.model_dump(include={"mission", "strategy", "outline"})
    given |= {"only": setup.scope, "as_of": setup.as_of or None, "after": after}
    model = desk.models.of_engine(served.name, investigator, setup.engine)
    kind = JobKind.REPORT if run.id.startswith(REPORT) else JobKind.INVESTIGATE
    update = any(job.request.update for job in served.ledger.jobs_of(run.id))
    return job_request(folder=served.name, question=run.question, model=model, kind=kind, update=update, **given)


def job_request(**fields: object) -> JobRequest:
    """Return a request for a job. Raises ServerError if a field is not valid."""
    try:
        return JobRequest.model_validate(fields)
    except ValidationError as error:
        wrong = problem_of(error)
        raise ServerError(wrong.status, wrong.detail) from error


def question_form(desk: Desk, served: ServedFolder, **rejected: object) -> Mapping[str, Any]:
    """Return the variables of the question form. It chooses the model of a rejected form, or of the last question."""
    given = rejected.get("given")
    models = desk.models.offered(served.name, served.investigator)
    last = (job.request.model for job in served.ledger.jobs(limit=5) if job.request.kind is JobKind.INVESTIGATE)
    wanted = given["model"] if isinstance(given, Mapping) and "model" in given else next(last, "")
    chosen = next((model for model in models if model.name == wanted), models[0])
    return {"given": {}, **rejected, "models": models, "chosen": chosen}


def _folder_page(desk: Desk, served: ServedFolder, **rejected: object) -> HTMLResponse:
    jobs = [job for job in served.ledger.unfinished() if job.request.kind in (JobKind.INVESTIGATE, JobKind.REPORT)]
    lists = {"jobs": jobs, **dict(served.investigator.history("", 0, _RECENT, _TOPICS))}
    words = {"headlines": HEADLINES, "unfinished": UNFINISHED, "failed": _failed(served), "state_words": STATE_WORDS}
    return page("folder.html.j2", folder=served, **lists, **words, **question_form(desk, served, **rejected))


def _run_page(desk: Desk, served: ServedFolder, run_id: str, **rejected: object) -> HTMLResponse:
    record = served.investigator.current(served.investigator.show(run_id))
    view = {**investigation_view(record), "text": investigation_text(record).plain, "unread": False}
    view["outline"] = outline_text(outline_of(record))
    form = question_form(desk, served, **rejected)
    advice = _CHOOSE if len(form["models"]) > 1 else _NONE_TO_CHOOSE
    notice = f"{UNREAD} {advice}"
    view |= {name: str(view[name]).replace(NO_READER, notice) for name in ("reason", "text")}
    if record.answer is None:
        own = [line.replace(NO_READER, UNREAD) for line in readers(record)]
        view |= {"readers": own, **_how_it_ended(served, run_id)}
    elif record.answer.check.trust is Trust.UNREAD and len(form["models"]) > 1:
        view["unread"] = not record.earlier and not rejected
    view["standing"] = served.investigator.standing()
    return page("run.html.j2", folder=served, passage_link=linking(served), **view, **form)


def _how_it_ended(served: ServedFolder, run_id: str) -> Mapping[str, Any]:
    """Return the failure of a run that has no answer; nothing if it was stopped."""
    problem = next((job.problem for job in served.ledger.jobs_of(run_id)), None)
    if problem is None:
        return {}
    return {"headline": _FAILED, "reason": sentences(problem.detail, problem.hint), "stop": "it failed"}


def _failed(served: ServedFolder) -> frozenset[str]:
    """Return the runs of the latest jobs that failed."""
    latest = {job.run_id: job.state for job in reversed(served.ledger.jobs(limit=_LATEST_JOBS))}
    return frozenset(run_id for run_id, state in latest.items() if state is JobState.FAILED)


def _rejected_page(desk: Desk, served: ServedFolder, given: Mapping[str, str], error: Exception) -> HTMLResponse:
    """Return the page with the question form, filled in with the values that were entered, and with the problem."""
    rejected = {"given": given, "problem": problem_of(error)}
    if after := given.get("after"):
        with suppress(NotFoundError):
            return _run_page(desk, served, after, **rejected)
    return _folder_page(desk, served, **rejected)
