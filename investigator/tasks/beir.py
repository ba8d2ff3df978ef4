"""A test collection in the layout of BEIR (Thakur et al. 2021): which documents fit a query?

`beir:datafile=FOLDER` with `corpus.jsonl`, `queries.jsonl`, and `qrels/train.tsv`, `qrels/dev.tsv`, `qrels/test.tsv`.
The labels are the ids of the fitting documents, the best first. `beir:candidates` gives all ids to choose from, so that
an agent that ranks them is measured by hits and reciprocal rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from investigator.dialogue.agents import Shared
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import DialogTeacher
from investigator.errors import DialogueError, DialogueFormatError, EvaluationDataError
from investigator.evaluation.beir import Collection, read_collection
from investigator.tasks.file_teacher import Fields
from investigator.tasks.reading import file_of_fold, named_path


class DefaultTeacher(DialogTeacher):
    """Asks a query; the labels are the ids of the documents that fit. `corpus` says where the documents are."""

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        self.folder = _folder(options)
        judged = [*self.folder.glob("qrels/*.tsv"), *self.folder.glob("qrels*.tsv")]
        self.qrels = file_of_fold(options, self.folder, judged, "judgements (qrels)")
        self.queries = file_of_fold(options, self.folder, self.folder.glob("queries*.jsonl"), "queries")
        super().__init__(Opt({**options, "datafile": str(self.folder)}), shared)

    def setup_data(self, datafile: str) -> Iterator[tuple[Fields, bool]]:
        """One episode for each query that has a fitting document."""
        collection = self._collection()
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
                    "corpus": str(self.folder / "corpus.jsonl"),
                },
                True,
            )

    def candidates(self, ids: tuple[str, ...]) -> Fields:
        """What is there to choose from: nothing is given."""
        return {}

    def _collection(self) -> Collection:
        try:
            return read_collection(self.folder / "corpus.jsonl", self.queries, self.qrels)
        except EvaluationDataError as error:
            raise DialogueFormatError(error.message, hint=error.hint) from error


class CandidatesTeacher(DefaultTeacher):
    """Gives the ids of all documents to choose from."""

    def candidates(self, ids: tuple[str, ...]) -> Fields:
        """The ids of all documents."""
        return {"label_candidates": ids}


def _folder(opt: Opt) -> Path:
    folder = named_path(opt, "a folder with corpus.jsonl, queries.jsonl and qrels")
    if not folder.is_dir():
        raise DialogueError(f"{folder} is no folder", hint="Name the folder that has corpus.jsonl in it.")
    return folder
