"""QuAC (Choi et al. 2018): a student asks a teacher about a section of an article that only the teacher sees.

`quac` shows the section before the first question; `quac:open` never shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from investigator.tasks.file_teacher import Fields
from investigator.tasks.squad import AskedQuestion, SpanTeacher, texts_of


class DefaultTeacher(SpanTeacher):
    """Shows the section with the first question, and then only the questions. Each conversation is an episode."""

    expected = "QuAC's JSON: `data` with paragraphs, each with context and qas, which have id, question and answers"
    are_conversations = True

    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        titles = asked.article.title, asked.article.section_title
        return (*titles, asked.context) if asked.turn == 0 else ()

    def known(self, asked: AskedQuestion) -> Fields:
        """Return the labels, first the answer after which the conversation continued, and its kind."""
        row = asked.row
        labels = texts_of(*((row.orig_answer,) if row.orig_answer else ()), *row.answers)
        return {**({"labels": labels} if labels else {}), "yesno": row.yesno, "followup": row.followup}


class OpenTeacher(DefaultTeacher):
    """Shows the titles with the first question, and then only the questions."""

    def shown(self, asked: AskedQuestion) -> Sequence[str]:
        return super().shown(asked)[:2]
