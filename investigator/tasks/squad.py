"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): questions about a paragraph.

`squad` shows the paragraph and the question, `squad:open` shows only the question, and `squad:index` adds the start
positions of the answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from investigator.tasks.file_teacher import Fields
from investigator.tasks.span_questions import AskedQuestion, SpanTeacher, texts_of

NO_ANSWER = ""
"""The label for a question that the paragraph does not answer."""


class DefaultTeacher(SpanTeacher):
    """Shows the paragraph and the question; a question without an answer has the label ''. Each question is an
    episode.
    """

    expected = "SQuAD's JSON: `data` with paragraphs, each with context and qas, which have id, question and answers"
    are_conversations = False

    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        return (asked.passage.context,)

    def known(self, asked: AskedQuestion) -> Fields:
        return {"labels": _answers(asked) or (NO_ANSWER,)}


class OpenTeacher(DefaultTeacher):
    """Shows only the question, whose answer must be found without the paragraph."""

    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        return ()

    def known(self, asked: AskedQuestion) -> Fields:
        """Return the answers as labels, and the paragraph as a separate field."""
        return {**super().known(asked), "context": asked.passage.context}


class IndexTeacher(DefaultTeacher):
    """Adds the start positions of the answers in the text."""

    def known(self, asked: AskedQuestion) -> Fields:
        starts = {answer.text: answer.answer_start for answer in reversed(asked.row.answers)}
        return {**super().known(asked), "answer_starts": [starts[label] for label in _answers(asked)]}


def _answers(asked: AskedQuestion) -> tuple[str, ...]:
    return () if asked.row.is_impossible else texts_of(*asked.row.answers)
