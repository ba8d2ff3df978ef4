"""QuAC (Choi et al. 2018): a student asks a teacher about a section that only the teacher sees.

`quac` shows the section before the first question; `quac:open` never shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from investigator.evaluation.lines import ForeignRow
from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.reading import json_document


class Answer(ForeignRow):
    """Words of the section, or CANNOTANSWER, and the character that they start at."""

    text: str
    answer_start: int


class QuestionRow(ForeignRow):
    """A question of the student with its answers; `yesno` y, n or x; `followup` y, m or n."""

    id: str
    question: str
    answers: tuple[Answer, ...]
    orig_answer: Answer | None = None
    yesno: str = ""
    followup: str = ""


class Conversation(ForeignRow):
    """A conversation about one section."""

    id: str = ""
    context: str
    qas: tuple[QuestionRow, ...]


class Section(ForeignRow):
    """A section of an article."""

    title: str = ""
    section_title: str = ""
    background: str = ""
    paragraphs: tuple[Conversation, ...]


class Quac(ForeignRow):
    """A file of QuAC: sections with conversations with questions."""

    data: tuple[Section, ...]


class DefaultTeacher(FileTeacher):
    """Shows the section and the first question, then the questions alone. A conversation is an episode."""

    suffixes = (".json",)

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        """The questions of all conversations."""
        for section in json_document(self.file, Quac).data:
            for conversation in section.paragraphs:
                for turn, row in enumerate(conversation.qas):
                    text = self.asked(section, conversation, row, first=turn == 0)
                    yield {"text": text, **_answers(row), "title": section.title, "question_id": row.id}, turn == 0

    def asked(self, section: Section, conversation: Conversation, row: QuestionRow, *, first: bool) -> str:
        """The text of a question."""
        shown = [section.title, section.section_title, conversation.context] if first else []
        return "\n".join([*filter(None, shown), row.question])


class OpenTeacher(DefaultTeacher):
    """Shows the title and the first question, then the questions alone."""

    def asked(self, section: Section, conversation: Conversation, row: QuestionRow, *, first: bool) -> str:
        """The text of a question."""
        shown = [section.title, section.section_title] if first else []
        return "\n".join([*filter(None, shown), row.question])


def _answers(row: QuestionRow) -> Fields:
    """The labels, the answer that went on in the conversation first, and what kind of answer it is."""
    first = (row.orig_answer,) if row.orig_answer else ()
    labels = tuple(dict.fromkeys(answer.text for answer in (*first, *row.answers)))
    return {**({"labels": labels} if labels else {}), "yesno": row.yesno, "followup": row.followup}
