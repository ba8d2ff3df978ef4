"""`investigator eval retrieval`: measures how well the search ranks the documents of a test collection."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from investigator.cli.options import AsJson, SettingsOptions
from investigator.cli.output import print_result, resumable
from investigator.cli.progress import shown
from investigator.errors import RunError, UserError
from investigator.evaluation.beir import read_collection
from investigator.evaluation.retrieval import RetrievalEvaluation
from investigator.evaluation.tables import retrieval_text
from investigator.files import for_owner
from investigator.reports.schemas import Printed
from investigator.services.parts import open_embedder


def eval_retrieval(
    corpus: Annotated[Path, typer.Option(metavar="FILE", help="Documents: JSONL with _id, title, text.")],
    queries: Annotated[Path, typer.Option(metavar="FILE", help="Queries: JSONL with _id, text.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevant documents of each query: TSV of BEIR or TREC.")],
    settings: SettingsOptions,
    as_json: AsJson = False,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N queries.")] = None,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep documents and vectors in this directory.")
    ] = None,
    per_query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the scores of each query to this JSONL file.")
    ] = None,
) -> None:
    """Measure the search on a BEIR test collection: by words, by vectors, and by both.

    Each document is indexed as one passage, in the same kind of index as a folder. Measures are nDCG@10, recall@10,
    recall@100 and RR@10 over the queries with a relevant document, with bootstrap intervals.
    """
    if per_query is not None and not per_query.expanduser().parent.is_dir():
        raise UserError(f"no folder {per_query.parent}", hint="Create it first, or name another file.")
    chosen = settings.load()
    collection = read_collection(corpus, queries, qrels, limit)
    with TemporaryDirectory(prefix="investigator-", ignore_cleanup_errors=True) as temporary:
        directory = workspace or Path(temporary)
        embedder = open_embedder(chosen)
        evaluation = RetrievalEvaluation(collection, directory, embedder, chosen.retrieval)
        kept = "all vectors so far are kept; run the same command again to resume."
        lost = "nothing is kept; use --workspace DIR to make runs resumable."
        with resumable(kept if workspace else lost):
            for _ in shown(evaluation.run(), sys.stderr):
                pass
    if per_query is not None:
        _write(per_query.expanduser(), [one.model_dump_json() for one in evaluation.results])
    report = evaluation.report()
    print_result(Printed.RETRIEVAL_EVALUATION, report, retrieval_text, as_json=as_json)


def _write(file: Path, lines: Sequence[str]) -> None:
    try:
        with open(file, "w", encoding="utf-8", newline="\n", opener=for_owner) as out:
            out.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        hint = "Choose a file that can be written."
        raise RunError(
            f"the scores of the queries could not be written to {file}: {error.strerror}", hint=hint
        ) from error
