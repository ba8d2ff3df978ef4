"""The pages of matrices: a form for the questions, a table that fills as the documents are read, and its files."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import Response
from markupsafe import Markup

from investigator.errors import FolderError, NotFoundError, QuestionError
from investigator.records import Filled, Matrix
from investigator.reports.export import MATRIX_FORMATS
from investigator.reports.html import MATRIX_WORDS, matrix_view
from investigator.reports.matrix import readers_line
from investigator.reports.wording import NO_READER, UNREAD
from investigator.server.desk import Desk
from investigator.server.folders import ServedFolder, check_documents
from investigator.server.live import followed, state_of
from investigator.server.problems import ServerError, problem_of
from investigator.server.question_pages import job_request
from investigator.server.records import JobKind, JobState, LoggedEvent, kind_of
from investigator.server.replies import After, Fields, html, linking, page, saved, see
from investigator.services.run_records import LONGEST_QUESTION, MATRIX

_FILLED = kind_of(Filled)


def add_matrices(router: APIRouter, desk: Desk) -> None:
    """Add the routes of a folder's matrices."""
    _add_asking(router, desk)

    @router.get("/f/{name}/matrix/{run_id}")
    def shown(name: str, run_id: str) -> Response:
        served = desk.folder(name)
        if not run_id.startswith(MATRIX):
            return _job_page(desk, served, run_id)
        if jobs := served.ledger.jobs_of(run_id) if served.investigator.show(run_id).matrix is None else ():
            return see(f"/f/{name}/matrix/{jobs[0].id}")
        matrix = _matrix(served, run_id)
        view = {**matrix_view(matrix), "engine": readers_line(matrix).replace(NO_READER, UNREAD)}
        return page("matrix_run.html.j2", folder=served, passage_link=linking(served), **view)

    @router.get("/f/{name}/matrix/{run_id}/table.{suffix}")
    def exported(name: str, run_id: str, suffix: str) -> Response:
        matrix, ending = _matrix(desk.folder(name), run_id), f".{suffix}"
        if ending not in MATRIX_FORMATS:
            raise ServerError(
                HTTPStatus.NOT_FOUND,
                f"a matrix cannot be saved as .{suffix[:20]}",
                f"One of: {', '.join(MATRIX_FORMATS)}",
            )
        return saved(MATRIX_FORMATS[ending](matrix), f"{matrix.id}{ending}")


def _add_asking(router: APIRouter, desk: Desk) -> None:
    @router.get("/f/{name}/matrix")
    def listed(name: str) -> Response:
        return _list_page(desk.folder(name))

    @router.post("/f/{name}/matrix")
    def ask(name: str, fields: Fields) -> Response:
        served = desk.folder(name)
        only = tuple(name.strip() for name in fields.get("only", "").split(",") if name.strip())
        questions = fields.get("questions", "")
        try:
            if len(questions) > 10 * LONGEST_QUESTION:
                detail = f"the questions have more than {10 * LONGEST_QUESTION:,} characters"
                raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, "Ask them in several tables.")
            check_documents(served, only)
            job = desk.submit(job_request(folder=name, kind=JobKind.MATRIX, question=questions, only=only))
        except (FolderError, ServerError, QuestionError) as error:
            given = {"questions": questions, "only": fields.get("only", "")}
            return _list_page(served, problem=problem_of(error), **given)
        return see(f"/f/{name}/matrix/{job.id}")

    @router.get("/f/{name}/matrix/{job_id}/progress")
    def progress(name: str, job_id: str, after: After) -> Response:
        served, job = desk.kept(job_id)

        def row(event: LoggedEvent) -> str:
            rows = _rows(served, job.request.question.splitlines(), [event]) if event.kind == _FILLED else ""
            return rows and f"<table><tbody>{rows}</tbody></table>"

        return followed(desk, job_id, after, row)


def _list_page(served: ServedFolder, **rejected: object) -> Response:
    jobs = [job for job in served.ledger.unfinished() if job.request.kind is JobKind.MATRIX]
    busy = {job.run_id for job in jobs}
    runs = [run for run in served.investigator.runs() if run.id.startswith(MATRIX) and run.id not in busy]
    given = {"problem": None, "questions": "", "only": "", **rejected}
    return page("matrices.html.j2", folder=served, jobs=jobs, runs=runs, most=10 * LONGEST_QUESTION, **given)


def _job_page(desk: Desk, served: ServedFolder, job_id: str) -> Response:
    job = desk.job(job_id)
    if job.state is JobState.DONE and job.run_id:
        return see(f"/f/{served.name}/matrix/{job.run_id}")
    questions, events = job.request.question.splitlines(), served.ledger.events(job_id, limit=None)
    rows = _rows(served, questions, (event for event in events if event.kind == _FILLED))
    state = {"is_stopping": desk.is_stopping(job.id), **state_of(served, job)}
    return page("matrix_job.html.j2", folder=served, questions=questions, rows=rows, **state)


def _rows(served: ServedFolder, questions: list[str], events: Iterable[LoggedEvent]) -> Markup:
    """Return the rows of a table that events of a job filled, as HTML; the last one of a document counts."""
    filled = (Filled.model_validate_json(event.body) for event in events)
    latest = {row.document.id: row for row in filled}
    values = {"rows": list(latest.values()), "questions": questions, "passage_link": linking(served), **MATRIX_WORDS}
    return Markup(html("matrix_rows.html.j2", folder=served, **values))


def _matrix(served: ServedFolder, run_id: str) -> Matrix:
    """Return the matrix of a finished run. Raises NotFoundError."""
    record = served.investigator.show(run_id)
    if record.matrix is None:
        hint = "Ask the same questions again; documents that were read cost nothing."
        raise NotFoundError(f"the matrix {record.id} is not finished", hint=hint)
    return Matrix.of(served.investigator.current(record))
