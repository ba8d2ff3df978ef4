"""Conversations as JSONL, one a line, its turns under `dialog`; `conversations:datafile=PATH`.

`conversations:label_turns=both` learns both sides; see ConversationTeacher.
"""

from __future__ import annotations

from collections.abc import Mapping

from investigator.dialogue.agents import Shared
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import ConversationTeacher
from investigator.tasks.reading import data_file


class DefaultTeacher(ConversationTeacher):
    """Reads the file, or of a folder the one of the fold."""

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        super().__init__(Opt({**options, "datafile": str(data_file(options, ".jsonl"))}), shared)
