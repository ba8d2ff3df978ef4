"""Measures how well the search ranks test collections: by words, by vectors, and by both.

    python benchmarks/retrieval.py SET_DIR [SET_DIR ...] [--split dev] [--limit N] [--set PART.FIELD=VALUE] [--json]

Each SET_DIR contains `corpus.jsonl`, `queries.SPLIT.jsonl` and `qrels.SPLIT.tsv` in BEIR format. The benchmark
does the same as `investigator eval retrieval`, but for several collections and in one table. Vectors are kept in
--workspaces.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from investigator.cli.progress import shown
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.evaluation.beir import read_collection
from investigator.evaluation.retrieval import RetrievalEvaluation, RetrievalReport
from investigator.settings import load_settings


def evaluated(folder: Path, arguments: argparse.Namespace) -> RetrievalReport:
    """Return the figures of one collection."""
    settings = load_settings(None, arguments.overrides)
    queries, qrels = folder / f"queries.{arguments.split}.jsonl", folder / f"qrels.{arguments.split}.tsv"
    collection = read_collection(folder / "corpus.jsonl", queries, qrels, arguments.limit)
    embedder = SentenceTransformerEmbedder(settings.embedder)
    directory = arguments.workspaces / f"retrieval-{folder.name}"
    evaluation = RetrievalEvaluation(collection, directory, embedder, settings.retrieval)
    for _ in shown(evaluation.run(), sys.stderr):
        pass
    return evaluation.report()


def table(reports: dict[str, RetrievalReport]) -> str:
    """Return a Markdown table with a row for each half of the search in each collection."""
    rows = [
        "| set | documents | queries | search | nDCG@10 (95 %) | recall@10 | recall@100 | RR@10 | both minus this |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, report in reports.items():
        for one in report.halves:
            (ndcg, *others), gain = one.measures.values(), one.gain
            cells = (
                name,
                f"{report.documents:,}",
                f"{report.queries:,}",
                one.half.value,
                f"{ndcg.value:.4f} ({ndcg.low:.3f} to {ndcg.high:.3f})",
                *(f"{figure.value:.4f}" for figure in others),
                f"{gain.value:+.4f} ({gain.low:+.3f} to {gain.high:+.3f})" if gain else "",
            )
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Parse the arguments, evaluate each collection and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="PART.FIELD=VALUE")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    reports = {folder.resolve().name: evaluated(folder.resolve(), arguments) for folder in arguments.sets}
    if arguments.json:
        print(json.dumps({name: report.model_dump(mode="json") for name, report in reports.items()}, indent=2))
    else:
        print(table(reports))


if __name__ == "__main__":
    main()
