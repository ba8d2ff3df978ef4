"""Test collections in BEIR format (Thakur et al. 2021): `beir:datafile=FOLDER` with `corpus.jsonl`, `queries.jsonl`,
and `qrels/train.tsv`, `dev.tsv`, `test.tsv`. The labels are the ids of the relevant documents, best first.
`beir:candidates` offers all ids as candidates, so that agents that rank are measured by hits and reciprocal rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from investigator.dialogue.options import Opt
from investigator.evaluation.beir import read_collection
from investigator.tasks.file_teacher import Fields, FileTeacher, file_of_fold, named_path


class DefaultTeacher(FileTeacher):
    """Sends a query; the labels are the ids of the relevant documents. `corpus` is the path to the documents."""

    expected = "corpus.jsonl and queries.jsonl with _id and text, and qrels with at least one score above 0"
    offers_candidates: ClassVar[bool] = False

    def chosen(self, opt: Opt) -> tuple[Path, ...]:
        folder = named_path(opt, "a folder with corpus.jsonl, queries.jsonl and qrels")
        judged = [*folder.glob("qrels/*.tsv"), *folder.glob("qrels*.tsv")]
        qrels = file_of_fold(opt, folder, judged, "judgements (qrels)")
        return folder / "corpus.jsonl", file_of_fold(opt, folder, folder.glob("queries*.jsonl"), "queries"), qrels

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        corpus, queries, qrels = self.files
        collection = read_collection(corpus, queries, qrels)
        titles = {document.id: document.title for document in collection.documents}
        candidates = {"label_candidates": tuple(titles)} if self.offers_candidates else {}
        for query in collection.queries:
            scores = collection.judgements[query.id]
            labels = sorted(
                (document for document, score in scores.items() if score > 0), key=lambda d: (-scores[d], d)
            )
            about = {"question_id": query.id, "titles": [titles[label] for label in labels], "corpus": str(corpus)}
            yield {"text": query.text, "labels": tuple(labels), **candidates, **about}, True


class CandidatesTeacher(DefaultTeacher):
    """Offers the ids of all documents as candidates."""

    offers_candidates = True
