"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): questions about a paragraph, with answers quoted from it. QuAC has
the same format.

`squad` shows the paragraph and the question, `squad:open` shows only the question, and `squad:index` adds the start
positions of the answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

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


class _SpanPassage(TaskRow):
    context: str
    qas: tuple[QuestionRow, ...]


class _Article(TaskRow):
    title: str = ""
    section_title: str = ""
    paragraphs: tuple[_SpanPassage, ...]


class _SpanFile(TaskRow):
    data: tuple[_Article, ...]


class AskedQuestion(NamedTuple):
    """A question and its position; `turn` numbers the questions about the passage, from 0."""

    article: _Article
    context: str
    row: QuestionRow
    turn: int


class SpanTeacher(FileTeacher, ABC):
    """Base class of the teachers; subclasses return the text before a question, and its fields."""

    suffixes: ClassVar = (".json",)
    are_conversations: ClassVar[bool] = False
    """True if the questions about a passage form one episode; otherwise each question is a separate episode."""

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for asked in self._questions():
            text = "\n".join([*filter(None, self.shown(asked)), asked.row.question])
            about = {"question_id": asked.row.id, "title": asked.article.title}
            yield {"text": text, **self.known(asked), **about}, asked.turn == 0 or not self.are_conversations

    def _questions(self) -> Iterator[AskedQuestion]:
        content = json_document(self.file, TypeAdapter(_SpanFile))
        for article in content.data if content else ():
            for passage in article.paragraphs:
                for turn, row in enumerate(passage.qas):
                    yield AskedQuestion(article, passage.context, row, turn)

    @abstractmethod
    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        """Return the parts of the text before the question; empty parts are omitted."""

    @abstractmethod
    def known(self, asked: AskedQuestion) -> Fields:
        """Return the labels and any other known fields."""


class DefaultTeacher(SpanTeacher):
    """Shows the paragraph and the question, each an episode; without an answer the label is ''."""

    expected = "SQuAD's JSON: `data` with paragraphs, each with context and qas, which have id, question and answers"

    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        return (asked.context,)

    def known(self, asked: AskedQuestion) -> Fields:
        return {"labels": _answers(asked) or (NO_ANSWER,)}


class OpenTeacher(DefaultTeacher):
    """Shows only the question, whose answer must be found without the paragraph, which is a separate field."""

    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        return ()

    def known(self, asked: AskedQuestion) -> Fields:
        return {**super().known(asked), "context": asked.context}


class IndexTeacher(DefaultTeacher):
    """Adds the start positions of the answers in the text."""

    def known(self, asked: AskedQuestion) -> Fields:
        starts = {answer.text: answer.answer_start for answer in reversed(asked.row.answers)}
        return {**super().known(asked), "answer_starts": [starts[label] for label in _answers(asked)]}


def texts_of(*answers: _SpanAnswer) -> tuple[str, ...]:
    """Return the answers' texts without duplicates."""
    return tuple(dict.fromkeys(answer.text for answer in answers))


def _answers(asked: AskedQuestion) -> tuple[str, ...]:
    return () if asked.row.is_impossible else texts_of(*asked.row.answers)
