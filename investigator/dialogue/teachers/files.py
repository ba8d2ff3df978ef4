"""Teachers that read files: ParlAI's text format, conversations as JSON lines, and the old numbered format."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers.dialog import DialogTeacher
from investigator.dialogue.teachers.dialog_data import Entry
from investigator.dialogue.text_format import str_to_msg
from investigator.errors import DialogueFormatError
from investigator.files.text_lines import json_lines, malformed, text_lines

LONG_EPISODE = 100
"""An episode with more examples than this probably lacks an `episode_done`."""

_log = logging.getLogger(__name__)


class _AsWrittenTeacher(DialogTeacher):
    """A base class that keeps the fields of entries as they are in the file. In training, a stream starts over even if
    it is ordered.
    """

    def make_message(self, entry: Entry) -> Message:
        return Message(entry) if isinstance(entry, Mapping) else super().make_message(entry)

    def restarts(self) -> bool:
        return self.datatype.training


class ParlAIDialogTeacher(_AsWrittenTeacher):
    """Reads the file that the `datafile` option names, one example per line (see `text_format`).

    An episode ends at a line with `episode_done:True`, or at the end of the file. Blank lines are skipped. Raises
    DialogueError if the file cannot be read, and DialogueFormatError, with the file and the line, if a line cannot be
    parsed, has no text or no labels, or has `eval_labels`.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        begins, length = True, 0
        for number, line in text_lines(datafile):
            example = _example(datafile, number, line)
            ends = bool(example.pop(EPISODE_DONE))
            yield example, begins
            length = 1 if begins else length + 1
            if length == LONG_EPISODE + 1:
                _log.warning(
                    "%s: the episode that line %d belongs to is over %d examples long; is episode_done missing?",
                    datafile, number, LONG_EPISODE,
                )  # fmt: skip
            begins = ends


def _example(datafile: str, number: int, line: str) -> Message:
    try:
        example = str_to_msg(line)
    except DialogueFormatError as error:
        raise malformed(datafile, number, error.message, line) from error
    if example is None or "text" not in example:
        raise malformed(datafile, number, "the example has no text", line)
    if "eval_labels" in example:
        raise malformed(datafile, number, "eval_labels must be written as labels; they are renamed when needed", line)
    if "labels" not in example:
        raise malformed(datafile, number, "the example has no labels", line)
    return example


SILENCE = "__SILENCE__"
"""The text to which the first speaker's first turn replies."""

CONTEXT = "context"
"""The id of turns without a speaker."""

Turn = Mapping[str, object]


class LabelTurns(StrEnum):
    """The speaker whose turns are the labels. Speakers are distinguished by position, not by the ids of the turns."""

    SECOND_SPEAKER = "secondspeaker"
    FIRST_SPEAKER = "firstspeaker"
    BOTH = "both"
    """One episode for each of the two speakers, starting with the first."""


class ConversationTeacher(_AsWrittenTeacher):
    """Reads the file that the `datafile` option names: `{"dialog": [[{"id": ..., "text": ...}, ...], ...]}` on each
    line.

    The inner lists are concatenated, and turns with the id `context` are dropped. The `label_turns` option
    (`secondspeaker`, `firstspeaker`, `both`) selects whose turns are the labels; a turn without a reply is dropped.
    Each example has both turns, as `x_turn` and `y_turn`. Blank lines are skipped. Raises DialogueError if the file
    cannot be read or `label_turns` is unknown, and DialogueFormatError, with the file and the line, if a line is not a
    conversation.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        chosen = Opt.of(opt).choice("label_turns", list(LabelTurns), LabelTurns.SECOND_SPEAKER)
        self._label_turns = LabelTurns(chosen)
        super().__init__(opt, shared)

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
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
        """Return the turns of a conversation. Raises DialogueFormatError if it is not a conversation."""
        return turns_of(conversation)


def turns_of(conversation: object) -> list[Turn]:
    """Return the turns of a conversation in order, each with an `id` and a `text`, which may be None.

    Raises DialogueFormatError if it is not a conversation.
    """
    if not isinstance(conversation, dict) or not isinstance(conversation.get("dialog"), list):
        raise DialogueFormatError('a conversation must have a list "dialog"')
    turns = [turn for part in conversation["dialog"] for turn in (part if isinstance(part, list) else [part])]
    for turn in turns:
        if not isinstance(turn, dict):
            raise DialogueFormatError(f"a turn must have an id and a text, not {str(turn)[:40]!r}")
        if not isinstance(turn.get("text"), str | None):
            raise DialogueFormatError(f"the text of a turn must be a string, not {str(turn['text'])[:40]!r}")
    return [{"id": None, "text": None, **turn} for turn in turns]


def episodes(turns: Sequence[Turn], label_turns: LabelTurns) -> Iterator[list[Turn]]:
    """Yield the examples of a conversation as one episode for the first speaker, the second speaker, or each of
    them.
    """
    if label_turns is not LabelTurns.SECOND_SPEAKER:
        yield _examples([{"text": SILENCE}, *turns])
    if label_turns is not LabelTurns.FIRST_SPEAKER:
        yield _examples(turns)


def _examples(turns: Sequence[Turn]) -> list[Turn]:
    return [
        {"text": x["text"], "labels": [y["text"]], "x_turn": dict(x), "y_turn": dict(y)}
        for x, y in zip(turns[::2], turns[1::2], strict=False)
    ]


class _NumberedLine(NamedTuple):
    number: int
    text: str
    labels: tuple[str, ...]
    reward: float
    candidates: tuple[str, ...]


class FbDeprecatedDialogTeacher(DialogTeacher):
    """Reads the file that the `datafile` option names, which has numbered lines.

    A line is `number text<TAB>label|label<TAB>reward<TAB>candidate|candidate`; only the number is required. A number
    that is not higher than the previous one begins an episode. A line without labels is prepended to the text of the
    next line, with a line break, and its reward is added to that line's reward; such lines at the end of an episode
    become an example without labels. Raises DialogueFormatError, with the file and the line, if a number or a reward is
    invalid.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        waiting: list[str] = []
        reward: float = 0
        begins, last = True, None
        for number, line in text_lines(datafile):
            read = _read(datafile, number, line)
            if last is None or read.number <= last:
                if any(waiting):
                    yield ("\n".join(waiting), None, reward), begins
                waiting, reward, begins = [], 0, True
            last = read.number
            waiting += [read.text] if read.text else []
            reward += read.reward
            if read.labels:
                yield ("\n".join(waiting), read.labels, reward, read.candidates or None), begins
                waiting, reward, begins = [], 0, False
        if waiting:
            yield ("\n".join(waiting), None, reward), begins


def _read(datafile: str, place: int, line: str) -> _NumberedLine:
    number, _, rest = line.strip().replace("\\n", "\n").partition(" ")
    text, labels, reward, candidates, *_ = *(part.strip() for part in rest.split("\t")), "", "", ""
    try:
        return _NumberedLine(int(number), text, _listed(labels), float(reward or 0), _listed(candidates))
    except ValueError as error:
        problem = f"expected: number text TAB labels TAB reward TAB candidates ({error})"
        raise malformed(datafile, place, problem, line) from error


def _listed(written: str) -> tuple[str, ...]:
    return tuple(written.split("|")) if written else ()
