"""`investigator eval retrieval | claims | folder`: evaluates the search, the check of statements, or answers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from investigator.cli.options import AsJson, CommonOptions, Model, PromptsFolder, SettingsOptions
from investigator.cli.output import again_to_resume, note, print_result, resumable, write_file
from investigator.cli.progress import show_all
from investigator.cli.streams import check_place
from investigator.evaluation.beir import read_collection
from investigator.evaluation.claims import ClaimsEvaluation, read_claims
from investigator.evaluation.folder import FolderEvaluation, check_outside
from investigator.evaluation.questions import read_questions
from investigator.evaluation.retrieval import RetrievalEvaluation
from investigator.evaluation.tables import claims_text, folder_text, retrieval_text
from investigator.reports.schemas import Printed
from investigator.services.parts import Parts, open_embedder


def eval_retrieval(
    corpus: Annotated[Path, typer.Option(metavar="FILE", help="Documents: JSONL with _id, title, text.")],
    queries: Annotated[Path, typer.Option(metavar="FILE", help="Queries: JSONL with _id, text.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevance judgements: TSV as in BEIR or TREC.")],
    settings: SettingsOptions,
    as_json: AsJson = False,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N queries.")] = None,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep documents and vectors in this directory.")
    ] = None,
    per_query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the scores for each query to this JSONL file.")
    ] = None,
) -> None:
    """Evaluate keyword, vector and hybrid search on a BEIR test collection.

    Each document is indexed as one passage, in the same kind of index as a folder. Measures are nDCG@10, recall@10,
    recall@100 and RR@10 over the queries with a relevant document, with bootstrap intervals.
    """
    if per_query is not None:
        check_place(per_query.expanduser())
    chosen = settings.load()
    collection = read_collection(corpus, queries, qrels, limit)
    with TemporaryDirectory(prefix="investigator-", ignore_cleanup_errors=True) as temporary:
        directory = workspace or Path(temporary)
        embedder = open_embedder(chosen)
        evaluation = RetrievalEvaluation(collection, directory, embedder, chosen.retrieval)
        kept = "all vectors so far are kept; run the same command again to resume."
        lost = "nothing is kept; use --workspace DIR to make runs resumable."
        with resumable(kept if workspace else lost):
            show_all(evaluation.run())
    if per_query is not None:
        lines = "".join(f"{result.model_dump_json()}\n" for result in evaluation.results)
        write_file(per_query.expanduser(), lines.encode(), "Choose a file that you may write to.")
    report = evaluation.report()
    print_result(Printed.RETRIEVAL_EVALUATION, report, retrieval_text, as_json=as_json)


def eval_claims(
    claims: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Statements with their quotes, true or false.")],
    settings: SettingsOptions,
    model: Model = None,
    prompts: PromptsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well the check tells supported statements from unsupported ones.

    Each row has id, statement, evidence (a list of objects with quote and, if known, around, the text around it), true
    (true or false) and, if known, kind. The model for the role check judges them, or the cross-encoder in check.model.
    The report counts the false statements that were accepted, and the true ones that were refused.
    """
    rows, parts = read_claims(claims), Parts(settings.load(), prompts=prompts, on_notice=note)
    engines = parts.engines(model, record=None, folder=claims.parent)
    evaluation = ClaimsEvaluation(rows, parts.client(engines, parts.memory_journal()))
    show_all(evaluation.run())
    print_result(Printed.CLAIMS_EVALUATION, evaluation.report(), claims_text, as_json=as_json)


def eval_folder(
    docs: Annotated[Path, typer.Option(metavar="DIR", help="Folder of documents.")],
    questions: Annotated[Path, typer.Option(metavar="FILE.jsonl", help="Questions with their known answers.")],
    common: CommonOptions,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N questions.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write the outcomes to this file instead of one in the workspace."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything again; do not resume.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask each question in a file and measure the documents, evidence, answers, unanswered questions, proof and cost.

    Each row has id and question, and any of: answers, answerable, doc_ids, evidence, key_numbers, key_points, kind,
    scope, evidence_pages_one_based or evidence_pages_zero_based. Only the given fields are measured. To resume a
    stopped evaluation, run the same command again; failed questions are asked again.
    """
    investigator = common.investigator(docs, common.settings.load())
    evaluation = FolderEvaluation(investigator, read_questions(questions, note), limit=limit, out=out, fresh=fresh)
    check_outside(questions, investigator)

    def kept() -> str:
        where = f" in {evaluation.file}" if evaluation.file else ""
        return f"{len(evaluation.outcomes)} outcomes are kept{where}; {again_to_resume(fresh=fresh)}"

    with resumable(kept):
        show_all(evaluation.run())
    report = evaluation.report()
    print_result(Printed.FOLDER_EVALUATION, report, folder_text, as_json=as_json)
