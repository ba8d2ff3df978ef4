"""2WikiMultiHopQA (Ho et al. 2020): questions that need two to four articles, in HotpotQA's format.

`twowiki` shows all paragraphs and the question, `twowiki:gold` shows only the paragraphs that are needed, and
`twowiki:open` shows only the question. The triples that lead to the answer are in `reasoning`.
"""

from __future__ import annotations

from investigator.tasks import hotpotqa
from investigator.tasks.file_teacher import Fields
from investigator.tasks.hotpotqa import MultiHopRow


class DefaultTeacher(hotpotqa.DefaultTeacher):
    """Shows all paragraphs and the question."""

    def fields(self, row: MultiHopRow) -> Fields:
        return {**super().fields(row), "reasoning": [list(triple) for triple in row.evidences]}


class GoldTeacher(DefaultTeacher, hotpotqa.GoldTeacher):
    """Shows the paragraphs that are needed, and the question."""


class OpenTeacher(DefaultTeacher, hotpotqa.OpenTeacher):
    """Shows only the question."""
