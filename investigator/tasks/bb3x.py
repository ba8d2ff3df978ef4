"""Conversations of BB3x: `bb3x` learns what was said, `bb3x:sdm` (mdm, sgm, mgm, skm, mkm, srm, mrm, vrm) one module.

`datafile` is a JSONL file of conversations, a folder with a file for each fold, or one with the files as released.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from investigator.bb3.bb3x.examples import Selection, dialogue_examples
from investigator.bb3.bb3x.module_examples import module_examples
from investigator.bb3.bb3x.reading import conversations_in
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.splits import chunk_file, chunks_of
from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import DialogTeacher
from investigator.errors import DialogueError
from investigator.records.modules import Module, Speaker
from investigator.tasks.file_teacher import Fields
from investigator.tasks.reading import data_file, fold_of, named_path

_SPEAKERS = {"bot": Speaker.SELF, "human": Speaker.PARTNER}


class DefaultTeacher(DialogTeacher):
    """Shows all that was said before a message; the label is that message.

    Options: `label_agent` (`bot` or `human`: whose messages are labels) and `selection` (`plain`, `filter_adversarial`,
    `crowdworkers`).
    """

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        self.files = _files(options)
        self._label_of = _SPEAKERS[_chosen(options, "label_agent", "bot", _SPEAKERS)]
        self._selection = Selection(_chosen(options, "selection", Selection.ALL, list(Selection)))
        super().__init__(Opt({**options, "datafile": str(named_path(options))}), shared)

    def setup_data(self, datafile: str) -> Iterator[tuple[Fields, bool]]:
        """The examples of all conversations, each an episode."""
        for file in self.files:
            for conversation in conversations_in(file):
                for example in self.examples_of(conversation):
                    yield {key: value for key, value in example.items() if key != EPISODE_DONE}, True

    def examples_of(self, conversation: Conversation) -> Iterable[Message]:
        """The examples of a conversation."""
        return dialogue_examples(conversation, self._label_of, self._selection)


class ModuleTeacher(DefaultTeacher):
    """Base of the teachers of one module: shows what the module was given; the label is what it said."""

    module: ClassVar[Module]

    def examples_of(self, conversation: Conversation) -> Iterable[Message]:
        """The examples that a conversation has for the module."""
        return (example.message() for example in module_examples(conversation, [self.module]))


class SdmTeacher(ModuleTeacher):
    """Whether to search."""

    module = Module.SDM


class MdmTeacher(ModuleTeacher):
    """Whether to look into the memory."""

    module = Module.MDM


class SgmTeacher(ModuleTeacher):
    """What to search for."""

    module = Module.SGM


class MgmTeacher(ModuleTeacher):
    """What to remember of a turn."""

    module = Module.MGM


class SkmTeacher(ModuleTeacher):
    """What of the documents to reply from."""

    module = Module.SKM


class MkmTeacher(ModuleTeacher):
    """Which memory to reply from."""

    module = Module.MKM


class SrmTeacher(ModuleTeacher):
    """The reply from documents."""

    module = Module.SRM


class MrmTeacher(ModuleTeacher):
    """The reply from a memory."""

    module = Module.MRM


class VrmTeacher(ModuleTeacher):
    """The reply from the conversation alone."""

    module = Module.VRM


def _files(opt: Opt) -> tuple[Path, ...]:
    """The file of the fold; of a folder with the released files those that make up the fold."""
    path = named_path(opt)
    released = [path / chunk_file(number) for number in chunks_of(fold_of(opt))]
    if path.is_dir() and any(path.glob("release_data_*.jsonl")):
        return tuple(file for file in released if file.is_file())
    return (data_file(opt, ".jsonl"),)


def _chosen(opt: Opt, name: str, default: str, known: Iterable[str]) -> str:
    value = opt.text(name, default)
    if value not in known:
        raise DialogueError(f"the option {name} cannot be {value!r}", hint=f"Choose one of {', '.join(known)}.")
    return value
