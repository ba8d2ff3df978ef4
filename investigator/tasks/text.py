"""The text format of ParlAI: one example per line, with tab-separated fields. Use `text:datafile=PATH`."""

from __future__ import annotations

from investigator.dialogue.teachers import ParlAIDialogTeacher
from investigator.tasks.file_teacher import FileTeacher


class DefaultTeacher(FileTeacher, ParlAIDialogTeacher):
    """Reads a file, or the file for the fold in a folder."""

    suffixes = (".txt",)
    expected = "one example per line: text:..., labels:... and further fields, separated by TABs"
