"""Reads the format of SQuAD and QuAC: questions about passages, with answers quoted from the passages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.rows import Id, TaskRow, json_document


class SpanAnswer(TaskRow):
    """Words of the passage, and the index of their first character."""

    text: str
    answer_start: int


class QuestionRow(TaskRow):
    """A question with its answers. SQuAD marks unanswerable questions. QuAC gives the answer after which the
    conversation continued (`orig_answer`), whether it means yes or no (`yesno`: y, n or x), and whether a follow-up
    question makes sense (`followup`: y, m or n).
    """

    id: Id
    question: str
    answers: tuple[SpanAnswer, ...]
    is_impossible: bool = False
    orig_answer: SpanAnswer | None = None
    yesno: str = ""
    followup: str = ""


class SpanPassage(TaskRow):
    """A passage and the questions about it."""

    context: str
    qas: tuple[QuestionRow, ...]


class Article(TaskRow):
    """A Wikipedia article or, in QuAC, a section of an article."""

    title: str = ""
    section_title: str = ""
    paragraphs: tuple[SpanPassage, ...]


class SpanFile(TaskRow):
    """A file with articles, their passages, and questions about the passages."""

    data: tuple[Article, ...]


class AskedQuestion(NamedTuple):
    """A question and its position; `turn` numbers the questions about the passage, from 0."""

    article: Article
    passage: SpanPassage
    row: QuestionRow
    turn: int


class SpanTeacher(FileTeacher, ABC):
    """Base class of the teachers for such files; subclasses return the text to show before a question, and the fields
    of the question.
    """

    suffixes: ClassVar = (".json",)
    are_conversations: ClassVar[bool]
    """True if the questions about a passage form one episode; otherwise each question is a separate episode."""

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for content in json_document(self.file, SpanFile):
            for article in content.data:
                for passage in article.paragraphs:
                    for turn, row in enumerate(passage.qas):
                        asked = AskedQuestion(article, passage, row, turn)
                        text = "\n".join([*filter(None, self.shown(asked)), row.question])
                        about = {"question_id": row.id, "title": article.title}
                        yield {"text": text, **self.known(asked), **about}, turn == 0 or not self.are_conversations

    @abstractmethod
    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        """Return the parts of the text before the question; empty parts are omitted."""

    @abstractmethod
    def known(self, asked: AskedQuestion) -> Fields:
        """Return the labels and any other known fields."""


def texts_of(*answers: SpanAnswer) -> tuple[str, ...]:
    """Return the answers' texts without duplicates."""
    return tuple(dict.fromkeys(answer.text for answer in answers))
