"""`investigator eval`: evaluates answers, the check of statements, or the search."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from investigator.cli.options import AsJson, CommonOptions, SettingsOptions
from investigator.cli.output import (
    again_to_resume,
    check_place,
    check_report,
    note,
    print_result,
    resumable,
    write_file,
)
from investigator.cli.progress import show_all
from investigator.errors import UserError
from investigator.evaluation.beir import read_collection
from investigator.evaluation.claims import ClaimsEvaluation, read_claims
from investigator.evaluation.folder import FolderEvaluation, check_outside
from investigator.evaluation.questions import read_questions
from investigator.evaluation.retrieval import RetrievalEvaluation
from investigator.evaluation.tables import claims_text, folder_page, folder_text, retrieval_text
from investigator.reports.schemas import Printed
from investigator.services.parts import Parts, open_embedder


def evaluate(
    common: CommonOptions,
    folder: Annotated[Path | None, typer.Argument(metavar="FOLDER", help="Folder to ask.")] = None,
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Measure answers to these questions about FOLDER.")
    ] = None,
    claims: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Measure the check on these true and false statements.")
    ] = None,
    retrieval: Annotated[
        Path | None,
        typer.Option(metavar="COLLECTION", help="Measure the search on a BEIR collection, by default its test set."),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write the outcome of each question or query to this file."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask all questions again; do not resume.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write measures and questions to this page.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the answers about a folder, the check of statements, or the search.

    FOLDER --questions FILE asks each question, judges it right, wrong or silent, and measures documents, evidence,
    answers, silence, proof and cost. Each row has id and question, and any of: answers, answerable, doc_ids, evidence,
    key_numbers, key_points, kind, scope, evidence_pages_one_based or evidence_pages_zero_based. Only the given fields
    are measured. To resume, run the same command again; failed questions are asked again.

    --claims FILE: each row has id, statement, evidence (a list of objects with quote and, if known, around, the text
    around it), true (true or false) and, if known, kind. The model for the role check judges them, or the cross-encoder
    in check.model. The report counts the false statements that were accepted, and the true ones that were refused.

    --retrieval COLLECTION: a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, or another file in qrels. Each
    document is indexed as one passage. Measures are nDCG@10, recall@10, recall@100 and RR@10 over the queries with a
    relevant document, with bootstrap intervals.
    """
    given = {"--questions": questions, "--claims": claims, "--retrieval": retrieval}
    chosen = [option for option, value in given.items() if value is not None]
    if len(chosen) != 1 or (questions is None) != (folder is None):
        forms = "FOLDER --questions FILE, --claims FILE or --retrieval COLLECTION"
        raise UserError("expected one thing to measure", hint=f"Give one of: {forms}")
    unused = {"--claims": ("--out", "--fresh", "--report", "--workspace")}
    unused["--retrieval"] = ("--fresh", "--report", "--model", "--prompts")
    values: dict[str, object] = {"--out": out, "--fresh": fresh, "--report": report, "--workspace": common.workspace}
    values |= {"--model": common.model, "--prompts": common.prompts}
    if odd := [option for option in unused.get(chosen[0], ()) if values[option]]:
        raise UserError(f"{odd[0]} does not apply to {chosen[0]}", hint=f"Omit {' and '.join(odd)}.")
    if retrieval is not None:
        _evaluate_retrieval(retrieval, common.settings, limit, common.workspace, out, as_json=as_json)
    elif claims is not None:
        _evaluate_claims(claims, common, limit, as_json=as_json)
    elif questions is not None and folder is not None:
        _evaluate_folder(folder, questions, common, limit=limit, out=out, fresh=fresh, page=report, as_json=as_json)


def _evaluate_retrieval(
    place: Path,
    settings: SettingsOptions,
    limit: int | None,
    workspace: Path | None,
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    """Evaluate keyword, vector and hybrid search, each document in the same kind of index as a folder."""
    if out is not None:
        check_place(out.expanduser())
    qrels = place if place.is_file() else place / "qrels" / "test.tsv"
    at, chosen = qrels.parent.parent, settings.load()
    collection = read_collection(at / "corpus.jsonl", at / "queries.jsonl", qrels, limit)
    with TemporaryDirectory(prefix="investigator-", ignore_cleanup_errors=True) as temporary:
        directory = workspace or Path(temporary)
        evaluation = RetrievalEvaluation(collection, directory, open_embedder(chosen.embedder), chosen.retrieval)
        kept = "all vectors so far are kept; run the same command again to resume."
        lost = "nothing is kept; use --workspace DIR to make runs resumable."
        with resumable(kept if workspace else lost):
            show_all(evaluation.run())
    if out is not None:
        lines = "".join(f"{result.model_dump_json()}\n" for result in evaluation.results)
        write_file(out.expanduser(), lines.encode(), "Choose a file that you may write to.")
    print_result(Printed.RETRIEVAL_EVALUATION, evaluation.report(), retrieval_text, as_json=as_json)


def _evaluate_claims(claims: Path, common: CommonOptions, limit: int | None, *, as_json: bool) -> None:
    rows, parts = read_claims(claims), Parts(common.settings.load(), prompts=common.prompts, on_notice=note)
    engines = parts.engines(common.model, record=None, folder=claims.parent)
    evaluation = ClaimsEvaluation(rows[:limit], parts.client(engines, parts.memory_journal()))
    show_all(evaluation.run())
    print_result(Printed.CLAIMS_EVALUATION, evaluation.report(), claims_text, as_json=as_json)


def _evaluate_folder(
    folder: Path,
    questions: Path,
    common: CommonOptions,
    *,
    limit: int | None,
    out: Path | None,
    fresh: bool,
    page: Path | None,
    as_json: bool,
) -> None:
    if page is not None:
        check_report(page, folder)
    investigator = common.investigator(folder, common.settings.load())
    evaluation = FolderEvaluation(investigator, read_questions(questions, note), limit=limit, out=out, fresh=fresh)
    check_outside(questions, investigator)

    def kept() -> str:
        where = f" in {evaluation.file}" if evaluation.file else ""
        return f"{len(evaluation.outcomes)} outcomes are kept{where}; {again_to_resume(fresh=fresh)}"

    with resumable(kept):
        show_all(evaluation.run())
    report = evaluation.report()
    if page is not None:
        write_file(page, folder_page(report).encode("utf-8"), kept())
    print_result(Printed.FOLDER_EVALUATION, report, folder_text, as_json=as_json)
