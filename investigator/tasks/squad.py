"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): questions about a paragraph, with answers quoted from it. QuAC has
the same format.

`squad` shows the paragraph and the question, `squad:open` shows only the question, and `squad:index` adds the start
positions of the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import TypeAdapter

from investigator.files.text_lines import json_document
from investigator.tasks.file_teacher import Fields, FileTeacher, Id, TaskRow

NO_ANSWER = ""
"""The label for a question that the paragraph does not answer."""


class _SpanAnswer(TaskRow):
    text: str
    answer_start: int


class QuestionRow(TaskRow):
    """A question with its answers. SQuAD marks unanswerable questions. QuAC gives the answer after which the
    conversation continued (`orig_answer`), whether it means yes or no (`yesno`: y, n or x), and whether a follow-up
    question makes sense (`followup`: y, m or n).
    """

    id: Id
    question: str
    answers: tuple[_SpanAnswer, ...]
    is_impossible: bool = False
    orig_answer: _SpanAnswer | None = None
    yesno: str = ""
    followup: str = ""


class PassageRow(TaskRow):
    """A passage with the questions about it."""

    context: str
    qas: tuple[QuestionRow, ...]


class ArticleRow(TaskRow):
    """An article, or a section of it, with its passages."""

    title: str = ""
    section_title: str = ""
    paragraphs: tuple[PassageRow, ...]


class _SpanFile(TaskRow):
    data: tuple[ArticleRow, ...]


class DefaultTeacher(FileTeacher):
    """Shows the paragraph and the question, each an episode; without an answer the label is ''."""

    suffixes: ClassVar = (".json",)
    expected = "SQuAD's JSON: `data` with paragraphs, each with context and qas, which have id, question and answers"
    are_conversations: ClassVar[bool] = False
    """True if the questions about a passage form one episode; otherwise each question is a separate episode."""

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        content = json_document(self.file, TypeAdapter(_SpanFile))
        for article in content.data if content else ():
            for passage in article.paragraphs:
                for turn, row in enumerate(passage.qas):
                    text = "\n".join([*filter(None, self.shown(article, passage, turn)), row.question])
                    fields = {**self.known(passage, row), "question_id": row.id, "title": article.title}
                    yield {"text": text, **fields}, turn == 0 or not self.are_conversations

    def shown(self, article: ArticleRow, passage: PassageRow, turn: int) -> Sequence[str]:
        """Return the parts of the text before question number `turn`, from 0; empty parts are omitted."""
        return (passage.context,)

    def known(self, passage: PassageRow, row: QuestionRow) -> Fields:
        """Return the labels, and any other fields that are known about the answer."""
        return {"labels": _answers(row) or (NO_ANSWER,)}


class OpenTeacher(DefaultTeacher):
    """Shows only the question, whose answer must be found without the paragraph, which is a separate field."""

    def shown(self, article: ArticleRow, passage: PassageRow, turn: int) -> Sequence[str]:
        return ()

    def known(self, passage: PassageRow, row: QuestionRow) -> Fields:
        return {**super().known(passage, row), "context": passage.context}


class IndexTeacher(DefaultTeacher):
    """Adds the start positions of the answers in the text."""

    def known(self, passage: PassageRow, row: QuestionRow) -> Fields:
        starts = {answer.text: answer.answer_start for answer in reversed(row.answers)}
        return {**super().known(passage, row), "answer_starts": [starts[label] for label in _answers(row)]}


def texts_of(*answers: _SpanAnswer) -> tuple[str, ...]:
    """Return the answers' texts without duplicates."""
    return tuple(dict.fromkeys(answer.text for answer in answers))


def _answers(row: QuestionRow) -> tuple[str, ...]:
    return () if row.is_impossible else texts_of(*row.answers)
