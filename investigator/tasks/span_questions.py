"""Questions about passages whose answers are words of them: the form that SQuAD and QuAC share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.rows import Id, TaskRow, json_document


class SpanAnswer(TaskRow):
    """Words of the passage, and the character that they start at."""

    text: str
    answer_start: int


class QuestionRow(TaskRow):
    """A question with its answers.

    SQuAD says whether the passage does not answer it; QuAC, which answer went on in the conversation, whether it is a
    yes or a no (`yesno` y, n or x) and whether to continue asking (`followup` y, m or n).
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
    """An article of Wikipedia, or in QuAC a section of one."""

    title: str = ""
    section_title: str = ""
    paragraphs: tuple[SpanPassage, ...]


class SpanFile(TaskRow):
    """A file: articles with passages with questions."""

    data: tuple[Article, ...]


class AskedQuestion(NamedTuple):
    """A question with its position; `turn` counts the questions about the passage from 0."""

    article: Article
    passage: SpanPassage
    row: QuestionRow
    turn: int


class SpanTeacher(FileTeacher, ABC):
    """Base of the teachers of such files; subclasses give the text before a question, and its fields."""

    suffixes: ClassVar = (".json",)
    are_conversations: ClassVar[bool]
    """If the questions about a passage are one episode; otherwise each of them is."""

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
        """Return what comes before the question; empty texts are left out."""

    @abstractmethod
    def known(self, asked: AskedQuestion) -> Fields:
        """Return the labels, and what else is known."""


def texts_of(*answers: SpanAnswer) -> tuple[str, ...]:
    """Return the texts of answers, each once."""
    return tuple(dict.fromkeys(answer.text for answer in answers))
