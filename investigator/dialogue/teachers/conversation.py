"""ConversationTeacher: asks from a file with one conversation in JSON a line."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers.dialog import DialogTeacher
from investigator.dialogue.teachers.dialog_data import Entry
from investigator.dialogue.text_lines import json_lines, malformed
from investigator.errors import DialogueFormatError, DialogueValueError

SILENCE = "__SILENCE__"
"""What is heard before the first one speaks."""

CONTEXT = "context"
"""The id of turns that nobody says."""

Turn = Mapping[str, object]

_log = logging.getLogger(__name__)


class LabelTurns(StrEnum):
    """Whose turns are the labels: by position, whatever the ids of the turns."""

    SECOND_SPEAKER = "secondspeaker"
    FIRST_SPEAKER = "firstspeaker"
    BOTH = "both"
    """An episode for each of the two, the first speaker's first."""


class ConversationTeacher(DialogTeacher):
    """Reads the file of the option `datafile`: `{"dialog": [[{"id": ..., "text": ...}, ...], ...]}` a line.

    The turns of all inner lists follow each other; those with the id `context` are left out. The option `label_turns`
    (`secondspeaker`, `firstspeaker`, `both`) says whose turns are the labels; a turn that is left without a reply is
    dropped. Examples carry both turns as `x_turn` and `y_turn`. Blank lines are skipped.
    Raises DialogueError where the file cannot be read or `label_turns` is unknown, and DialogueFormatError, naming
    file, line and gist, where a line holds no conversation.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        chosen = Opt.of(opt).text("label_turns", LabelTurns.SECOND_SPEAKER)
        if chosen not in list(LabelTurns):
            raise DialogueValueError(
                f"label_turns cannot be {chosen!r}", hint=f"Choose one of {', '.join(LabelTurns)}."
            )
        self._label_turns = LabelTurns(chosen)
        super().__init__(opt, shared)

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        """The examples of the file."""
        warned = False
        for number, line, value in json_lines(datafile):
            try:
                turns = self.turns(value)
            except DialogueFormatError as error:
                raise malformed(datafile, number, error.message, line) from error
            said = [turn for turn in turns if turn["id"] != CONTEXT]
            if len(said) < len(turns) and not warned:
                _log.warning("%s, line %d: turns with the id %r are left out", datafile, number, CONTEXT)
                warned = True
            for episode in episodes(said, self._label_turns):
                for place, example in enumerate(episode):
                    yield example, place == 0

    def turns(self, conversation: object) -> list[Turn]:
        """The turns of a conversation. Raises DialogueFormatError where it is none."""
        return turns_of(conversation)

    def make_message(self, entry: Entry) -> Message:
        """The example as the conversation has it."""
        return Message(entry) if isinstance(entry, Mapping) else super().make_message(entry)

    def restarts(self) -> bool:
        """In training, a stream of the file is begun anew after each pass, in order too."""
        return self.datatype.training


def turns_of(conversation: object) -> list[Turn]:
    """The turns of a conversation in order, each with an `id` and a `text`, if only None.

    Raises DialogueFormatError where it is no conversation.
    """
    if not isinstance(conversation, dict) or not isinstance(conversation.get("dialog"), list):
        raise DialogueFormatError('a conversation must have a list "dialog"')
    turns = [turn for part in conversation["dialog"] for turn in (part if isinstance(part, list) else [part])]
    for turn in turns:
        if not isinstance(turn, dict):
            raise DialogueFormatError(f"a turn must have an id and a text, it is {str(turn)[:40]!r}")
        if not isinstance(turn.get("text"), str | None):
            raise DialogueFormatError(f"the text of a turn must be a text, it is {str(turn['text'])[:40]!r}")
    return [{"id": None, "text": None, **turn} for turn in turns]


def episodes(turns: Sequence[Turn], label_turns: LabelTurns) -> Iterator[list[Turn]]:
    """The examples of a conversation, for the first speaker, for the second, or one after the other."""
    if label_turns is not LabelTurns.SECOND_SPEAKER:
        yield _examples([{"text": SILENCE}, *turns])
    if label_turns is not LabelTurns.FIRST_SPEAKER:
        yield _examples(turns)


def _examples(turns: Sequence[Turn]) -> list[Turn]:
    return [
        {"text": x["text"], "labels": [y["text"]], "x_turn": dict(x), "y_turn": dict(y)}
        for x, y in zip(turns[::2], turns[1::2], strict=False)
    ]
