"""QuAC (Choi et al. 2018): a student asks a teacher about a section of an article that only the teacher sees.

`quac` shows the section before the first question; `quac:open` never shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from investigator.tasks import squad
from investigator.tasks.file_teacher import Fields
from investigator.tasks.squad import ArticleRow, PassageRow, QuestionRow, texts_of


class DefaultTeacher(squad.DefaultTeacher):
    """Shows the section with the first question, and then only the questions. Each conversation is an episode."""

    expected = squad.DefaultTeacher.expected.replace("SQuAD", "QuAC")
    are_conversations = True

    def shown(self, article: ArticleRow, passage: PassageRow, turn: int) -> Sequence[str]:
        return (article.title, article.section_title, passage.context) if turn == 0 else ()

    def known(self, passage: PassageRow, row: QuestionRow) -> Fields:
        """Return the labels, first the answer after which the conversation continued, and its kind."""
        labels = texts_of(*((row.orig_answer,) if row.orig_answer else ()), *row.answers)
        return {**({"labels": labels} if labels else {}), "yesno": row.yesno, "followup": row.followup}


class OpenTeacher(DefaultTeacher):
    """Shows the titles with the first question, and then only the questions."""

    def shown(self, article: ArticleRow, passage: PassageRow, turn: int) -> Sequence[str]:
        return super().shown(article, passage, turn)[:2]
