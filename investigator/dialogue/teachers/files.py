"""Teachers that read files: the text format, conversations as JSON lines, the old numbered format, and images."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from pydantic import TypeAdapter

from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.teachers.base import missing
from investigator.dialogue.teachers.dialog import DialogTeacher, Entry, load_image
from investigator.dialogue.text_format import str_to_msg
from investigator.errors import DataError
from investigator.files.text_lines import json_document, json_lines, malformed, text_lines

LONG_EPISODE = 100
"""An episode with more examples than this probably lacks an `episode_done`."""

SILENCE = "__SILENCE__"
"""The text to which the first speaker's first turn replies."""

CONTEXT = "context"
"""The id of turns without a speaker."""

Turn = Mapping[str, object]

_log = logging.getLogger(__name__)


class _AsWrittenTeacher(DialogTeacher):
    """Keeps the fields as they are in the file. In training, an ordered stream starts over, too."""

    def make_message(self, entry: Entry) -> Message:
        return Message(entry) if isinstance(entry, Mapping) else super().make_message(entry)

    def restarts(self) -> bool:
        return self.datatype.training


class ParlAIDialogTeacher(_AsWrittenTeacher):
    """Reads `datafile` with one example per line (see `text_format`). An episode ends at a line with
    `episode_done:True`, or at the end of the file. Raises DataError, with the line, if it has no text or no
    labels, or has `eval_labels`.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        begins, length = True, 0
        for number, line in text_lines(datafile):
            try:
                example = str_to_msg(line) or Message()
                if "eval_labels" in example:
                    raise DataError("eval_labels must be written as labels; they are renamed when needed")
                for field in ("text", "labels"):
                    if field not in example:
                        raise DataError(f"the example has no {field}")
            except DataError as error:
                raise malformed(datafile, number, error.message, line) from error
            ends = bool(example.pop(EPISODE_DONE))
            yield example, begins
            length = 1 if begins else length + 1
            if length == LONG_EPISODE + 1:
                warning = "%s: the episode of line %d is over %d examples long; is episode_done missing?"
                _log.warning(warning, datafile, number, LONG_EPISODE)
            begins = ends


class LabelTurns(StrEnum):
    """The speaker whose turns are the labels, by position; `both` makes an episode for each, the first one first."""

    SECOND_SPEAKER = "secondspeaker"
    FIRST_SPEAKER = "firstspeaker"
    BOTH = "both"


class ConversationTeacher(_AsWrittenTeacher):
    """Reads `datafile` with `{"dialog": [[{"id": ..., "text": ...}, ...], ...]}` on each line. The inner lists are
    concatenated, and turns with the id `context` are dropped. `label_turns` (see LabelTurns) selects whose turns are
    the labels; a turn without a reply is dropped. Examples have both turns, as `x_turn` and `y_turn`. Raises
    DialogueError for an unknown `label_turns`, and DataError, with the line, if it is not a conversation.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        label_turns = self.opt.choice("label_turns", list(LabelTurns), LabelTurns.SECOND_SPEAKER)
        warned = False
        for number, line, value in json_lines(datafile):
            try:
                turns = self.turns(value)
            except DataError as error:
                raise malformed(datafile, number, error.message, line) from error
            spoken = [turn for turn in turns if turn["id"] != CONTEXT]
            if len(spoken) < len(turns) and not warned:
                _log.warning("%s, line %d: turns with the id %r are left out", datafile, number, CONTEXT)
                warned = True
            if label_turns != LabelTurns.SECOND_SPEAKER:
                yield from _episode([{"text": SILENCE}, *spoken])
            if label_turns != LabelTurns.FIRST_SPEAKER:
                yield from _episode(spoken)

    def turns(self, conversation: object) -> list[Turn]:
        """Return the turns, each with `id` and `text`, which may be None. Raises DataError."""
        if not isinstance(conversation, dict) or not isinstance(conversation.get("dialog"), list):
            raise DataError('a conversation must have a list "dialog"')
        turns = [turn for part in conversation["dialog"] for turn in (part if isinstance(part, list) else [part])]
        for turn in turns:
            if not isinstance(turn, dict):
                raise DataError(f"a turn must have an id and a text, not {str(turn)[:40]!r}")
            if not isinstance(turn.get("text"), str | None):
                raise DataError(f"the text of a turn must be a string, not {str(turn['text'])[:40]!r}")
        return [{"id": None, "text": None, **turn} for turn in turns]


def _episode(turns: Sequence[Turn]) -> Iterator[tuple[Entry, bool]]:
    for number, (x, y) in enumerate(zip(turns[::2], turns[1::2], strict=False)):
        yield {"text": x["text"], "labels": [y["text"]], "x_turn": dict(x), "y_turn": dict(y)}, number == 0


class FbDeprecatedDialogTeacher(DialogTeacher):
    """Reads `datafile` with lines `number text<TAB>label|label<TAB>reward<TAB>candidate|candidate`. A number that is
    not higher than the previous one begins an episode. The text and reward of lines without labels are added to the
    next line; at the end of an episode, they are an example without labels. Raises DataError, with the line,
    if a number or a reward is invalid.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        waiting: list[str] = []
        rewards: float = 0
        begins, last = True, 0
        for place, line in text_lines(datafile):
            first, _, rest = line.strip().replace("\\n", "\n").partition(" ")
            text, labels, reward, candidates, *_ = *(part.strip() for part in rest.split("\t")), "", "", ""
            try:
                number, reward_given = int(first), float(reward or 0)
            except ValueError as error:
                problem = f"expected: number text TAB labels TAB reward TAB candidates ({error})"
                raise malformed(datafile, place, problem, line) from error
            if number <= last:
                if any(waiting):
                    yield ("\n".join(waiting), None, rewards), begins
                waiting, rewards, begins = [], 0, True
            last = number
            waiting += [text] if text else []
            rewards += reward_given
            if labels:
                choices = tuple(candidates.split("|")) if candidates else None
                yield ("\n".join(waiting), tuple(labels.split("|")), rewards, choices), begins
                waiting, rewards, begins = [], 0, False
        if waiting:
            yield ("\n".join(waiting), None, rewards), begins


class AbstractImageTeacher(DialogTeacher):
    """A base class; subclasses implement `image_id_to_image_path`. The data is a JSON file with a list of objects, each
    an episode: an image's id in `image_id_key`, the text in `text_key`, the labels in `label_key`, and other fields.
    The image is loaded when its example is used. Raises DialogueError if the data or an image cannot be read.
    """

    image_id_key = "image_id"
    text_key = "text"
    label_key = "labels"

    def image_id_to_image_path(self, image_id: str) -> str:
        """Return the path of the image with this id. To be overridden."""
        raise missing("image_id_to_image_path", self)

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        for place, item in enumerate(json_document(datafile, TypeAdapter(list[dict[str, object]])) or ()):
            if self.image_id_key not in item:
                raise DataError(f"item {place} of {datafile} has no {self.image_id_key!r}")
            yield item, True

    def make_message(self, entry: Entry) -> Message:
        """Return one item as an example that contains the image, in the form that is set, and the image's id."""
        fields = dict(entry) if isinstance(entry, Mapping) else {}
        image = load_image(self.image_id_to_image_path(str(fields[self.image_id_key])), self.image_mode)
        fields |= {"text": fields.pop(self.text_key, ""), "labels": fields.pop(self.label_key, None), "image": image}
        return super().make_message({name: value for name, value in fields.items() if value is not None})
