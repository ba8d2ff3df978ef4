"""Test collections in BEIR format (Thakur et al. 2021): the task is to find the documents relevant to a query.

Use `beir:datafile=FOLDER`; the folder contains `corpus.jsonl`, `queries.jsonl`, and `qrels/train.tsv`, `qrels/dev.tsv`,
`qrels/test.tsv`. The labels are the ids of the relevant documents, best first. `beir:candidates` offers all ids as
candidates, so that agents that rank are measured by hits and reciprocal rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError
from investigator.evaluation.beir import read_collection
from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.reading import file_of_fold, named_path


class DefaultTeacher(FileTeacher):
    """Sends a query; the labels are the ids of the relevant documents. `corpus` is the path to the documents."""

    expected = "corpus.jsonl and queries.jsonl with _id and text, and qrels with at least one score above 0"

    def chosen(self, opt: Opt) -> tuple[Path, ...]:
        folder = _folder(opt)
        judged = [*folder.glob("qrels/*.tsv"), *folder.glob("qrels*.tsv")]
        qrels = file_of_fold(opt, folder, judged, "judgements (qrels)")
        return folder / "corpus.jsonl", file_of_fold(opt, folder, folder.glob("queries*.jsonl"), "queries"), qrels

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        corpus, queries, qrels = self.files
        collection = read_collection(corpus, queries, qrels)
        ids = tuple(document.id for document in collection.documents)
        titles = {document.id: document.title for document in collection.documents}
        for query in collection.queries:
            fits = collection.judgements[query.id]
            labels = sorted((document for document, fit in fits.items() if fit > 0), key=lambda d: (-fits[d], d))
            yield (
                {
                    "text": query.text,
                    "labels": tuple(labels),
                    **self.candidates(ids),
                    "question_id": query.id,
                    "titles": [titles[label] for label in labels],
                    "corpus": str(self.file),
                },
                True,
            )

    def candidates(self, ids: tuple[str, ...]) -> Fields:
        return {}


class CandidatesTeacher(DefaultTeacher):
    """Offers the ids of all documents as candidates."""

    def candidates(self, ids: tuple[str, ...]) -> Fields:
        return {"label_candidates": ids}


def _folder(opt: Opt) -> Path:
    folder = named_path(opt, "a folder with corpus.jsonl, queries.jsonl and qrels")
    if not folder.is_dir():
        raise DialogueError(f"{folder} is not a folder", hint="Set datafile to the folder that contains corpus.jsonl.")
    return folder
