"""Questions about a folder of documents: JSONL with `question`, `answers`, `answerable`, `doc_ids`, `evidence`.

`folder:datafile=questions.jsonl:folder=DOCUMENTS`. Without `folder`, the only folder next to the file is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from os.path import expanduser, isdir
from pathlib import Path

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric
from investigator.dialogue.options import Opt
from investigator.errors import DialogueError
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question, read_questions
from investigator.evaluation.scoring import scores
from investigator.records import AnswerStatus
from investigator.tasks.file_teacher import Fields, FileTeacher

NOT_IN_THE_DOCUMENTS = "not in the documents"
"""The label for a question that the documents do not answer."""


class DefaultTeacher(FileTeacher):
    """Asks each question; the message's `folder` field names the folder of documents.

    The labels are the answers or, if no answer is known, the evidence sentences. If a reply has a `status`, as replies
    of InvestigatorAgent do, it is also measured as by `eval`: `right`, `cited_hit`, `evidence_hit` and so on.
    """

    expected = "one question per line: id, question and, if known, answers, answerable, doc_ids and evidence"
    own_options = frozenset({"folder"})

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        folder = documents_folder(self.opt, self.file)
        for question in read_questions(self.file):
            yield {"text": question.wording, **_known(question), "folder": str(folder)}, True

    def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
        status, citations = str(model_response.get("status")), model_response.get("citations") or ()
        if status not in set(AnswerStatus):
            return
        question = self._questions[str(teacher_action["question_id"])]
        known = {"status": status, "answer": model_response.text, "citations": citations, "id": question.id}
        for measure, value in scores(question, Outcome.model_validate(known)).items():
            if measure is not Measure.PROVEN:  # a reply alone does not show it
                self.metrics.add(measure.value, AverageMetric(value))

    @cached_property
    def _questions(self) -> Mapping[str, Question]:
        return {question.id: question for question in read_questions(self.file)}


def documents_folder(opt: Opt, questions: Path) -> Path:
    """Return the folder that the questions are about. Raises DialogueError if it is missing or ambiguous."""
    if opt.text("folder"):
        folder = expanduser(opt.text("folder"))
        if not isdir(folder):
            raise DialogueError(f"folder not found: {folder}", hint="Choose the folder of the documents.")
        return Path(folder)
    neighbours = [entry for entry in questions.parent.glob("[!.]*") if entry.is_dir()]
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
