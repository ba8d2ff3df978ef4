"""The text format of ParlAI: one example a line, fields with TABs between them; `text:datafile=PATH`."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.dialogue.agents import Shared
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import ParlAIDialogTeacher
from investigator.tasks.reading import data_file


class DefaultTeacher(ParlAIDialogTeacher):
    """Reads the file, or of a folder the one of the fold."""

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        super().__init__(Opt({**options, "datafile": str(data_file(options, ".txt"))}), shared)
