"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): questions about a paragraph.

`squad` shows paragraph and question, `squad:open` the question alone, `squad:index` says also where the answers start.
"""

from __future__ import annotations

from collections.abc import Iterator

from investigator.evaluation.lines import ForeignRow
from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.reading import json_document

NO_ANSWER = ""
"""The label of a question that the paragraph does not answer."""


class Answer(ForeignRow):
    """An answer, and the character of the paragraph that it starts at."""

    text: str
    answer_start: int


class QuestionRow(ForeignRow):
    """A question with its answers."""

    id: str
    question: str
    answers: tuple[Answer, ...] = ()
    is_impossible: bool = False


class Paragraph(ForeignRow):
    """A paragraph and the questions about it."""

    context: str
    qas: tuple[QuestionRow, ...]


class Article(ForeignRow):
    """An article of Wikipedia."""

    title: str = ""
    paragraphs: tuple[Paragraph, ...]


class Squad(ForeignRow):
    """A file of SQuAD: articles with paragraphs with questions."""

    data: tuple[Article, ...]


class DefaultTeacher(FileTeacher):
    """Shows the paragraph and the question; a question without an answer has the label ''."""

    suffixes = (".json",)

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        """One episode for each question."""
        for article in json_document(self.file, Squad).data:
            for paragraph in article.paragraphs:
                for row in paragraph.qas:
                    yield self.fields(article, paragraph, row), True

    def fields(self, article: Article, paragraph: Paragraph, row: QuestionRow) -> Fields:
        """The message of a question."""
        answers = () if row.is_impossible else tuple(dict.fromkeys(answer.text for answer in row.answers))
        return {
            "text": f"{paragraph.context}\n{row.question}",
            "labels": answers or (NO_ANSWER,),
            "question_id": row.id,
            "title": article.title,
        }


class OpenTeacher(DefaultTeacher):
    """Shows the question alone: the answer must be found elsewhere."""

    def fields(self, article: Article, paragraph: Paragraph, row: QuestionRow) -> Fields:
        """The message of a question, with its paragraph as a field of its own."""
        context = {"text": row.question, "context": paragraph.context}
        return {**super().fields(article, paragraph, row), **context}


class IndexTeacher(DefaultTeacher):
    """Says also at which characters of the text the answers start."""

    def fields(self, article: Article, paragraph: Paragraph, row: QuestionRow) -> Fields:
        """The message of a question with `answer_starts`, one for each label."""
        starts = {answer.text: answer.answer_start for answer in reversed(row.answers)}
        made = super().fields(article, paragraph, row)
        labels = () if row.is_impossible else tuple(dict.fromkeys(answer.text for answer in row.answers))
        return {**made, "answer_starts": [starts[label] for label in labels]}
