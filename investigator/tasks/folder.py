"""Questions about a folder of documents: JSONL with `question`, `answers`, `answerable`, `doc_ids`, `evidence`.

`folder:datafile=questions.jsonl:folder=DOCUMENTS`. Without `folder`, the only folder next to the file is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric
from investigator.dialogue.options import Opt
from investigator.errors import DialogueError
from investigator.evaluation.questions import Question, read_questions
from investigator.records import AnswerStatus
from investigator.tasks.file_teacher import Fields, FileTeacher, expanded, files_in

NOT_IN_THE_DOCUMENTS = "not in the documents"
"""The label for a question that the documents do not answer."""


class DefaultTeacher(FileTeacher):
    """Asks each question; the labels are the answers or, if none is known, the evidence sentences. For replies with a
    `status`, the `decision` metric is 1 if the agent answered an answerable question or left an unanswerable one
    unanswered; for those with `citations`, `cites_a_right_document` is measured.
    """

    expected = "one question per line: id, question and, if known, answers, answerable, doc_ids and evidence"
    own_options = frozenset({"folder"})

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        folder = documents_folder(self.opt, self.file)
        for question in read_questions(self.file):
            yield {"text": question.asked, **_known(question), "folder": str(folder)}, True

    def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
        status, citations = model_response.get("status"), model_response.get("citations")
        if status is not None:
            right = (str(status) == AnswerStatus.ANSWERED) is (NOT_IN_THE_DOCUMENTS not in labels)
            self.metrics.add("decision", AverageMetric(float(right)))
        documents = teacher_action.get("documents")
        if isinstance(citations, list) and citations and isinstance(documents, list) and documents:
            cited = {quote.get("document_id") for quote in citations if isinstance(quote, Mapping)}
            self.metrics.add("cites_a_right_document", AverageMetric(float(bool(cited.intersection(documents)))))


def documents_folder(opt: Opt, questions: Path) -> Path:
    """Return the folder that the questions are about. Raises DialogueError if it is missing or ambiguous."""
    if opt.text("folder"):
        folder = expanded(opt.text("folder"))
        if not folder.is_dir():
            raise DialogueError(f"folder not found: {folder}", hint="Choose the folder of the documents.")
        return folder
    neighbours = [entry for entry in files_in(questions.parent) if entry.is_dir() and not entry.name.startswith(".")]
    if len(neighbours) != 1:
        hint = "Set the folder of the documents: folder:datafile=FILE:folder=DOCUMENTS"
        problem = f"expected one folder of documents next to {questions}, found {len(neighbours)}"
        raise DialogueError(problem, hint=hint)
    return neighbours[0]


def _known(question: Question) -> Fields:
    """Return the fields that are known about the answer; labels are included only if a reply can be graded."""
    known: Mapping[str, object] = {
        "labels": (NOT_IN_THE_DOCUMENTS,) if question.answerable is False else question.answers or question.evidence,
        "documents": sorted(question.documents),
        "evidence": list(question.evidence or ()),
        "key_numbers": list(question.key_numbers or ()),
        "label_candidates": question.answer_choices,
        "question_id": question.id,
        "question_kind": question.kind,
    }
    return {name: value for name, value in known.items() if value}
