"""Conversations as JSONL, one per line, with the turns under `dialog`: `conversations:datafile=PATH`. With
`conversations:label_turns=both`, the turns of both speakers are labels; see ConversationTeacher.
"""

from __future__ import annotations

from investigator.dialogue.teachers import ConversationTeacher
from investigator.dialogue.teachers.files import Turn
from investigator.errors import DataError
from investigator.tasks.file_teacher import FileTeacher


class DefaultTeacher(FileTeacher, ConversationTeacher):
    """Reads a file, or the file for the fold in a folder."""

    expected = 'one conversation of two or more turns per line: {"dialog": [[{"id": ..., "text": ...}, ...]]}'
    own_options = frozenset({"label_turns"})

    def turns(self, conversation: object) -> list[Turn]:
        """Return the turns of a conversation. Raises DataError if a turn has no text."""
        turns = super().turns(conversation)
        for number, turn in enumerate(turns, start=1):
            if not isinstance(turn["text"], str):
                raise DataError(f"turn {number} has no text: {dict(turn)!s:.80}")
        return turns
