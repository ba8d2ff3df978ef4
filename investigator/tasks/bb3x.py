"""Conversations of BB3x. The labels of `bb3x` are messages; the labels of `bb3x:sdm` (or mdm, sgm, mgm, skm, mkm, srm,
mrm, vrm) are outputs of that module. `datafile` is a JSONL file of conversations, a folder with a file for each fold,
or a folder with the released files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from investigator.bb3.bb3x.conversation_files import conversations_in
from investigator.bb3.bb3x.examples import Selection, dialogue_examples, module_examples
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.splits import chunk_file, chunks_of
from investigator.bb3.records import Module, Speaker
from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt
from investigator.errors import DialogueError
from investigator.tasks.file_teacher import Fields, FileTeacher, fold_of, named_path

_SPEAKERS = {"bot": Speaker.SELF, "human": Speaker.PARTNER}


class DefaultTeacher(FileTeacher):
    """Shows the conversation before a message; the label is that message. Options: `label_agent` (whose messages are
    labels, `bot` or `human`) and `selection` (`plain`, `filter_adversarial`, `crowdworkers`).
    """

    expected = "one BB3x conversation per line: message_history with sender and text, at least one by label_agent"
    own_options = frozenset({"label_agent", "selection"})

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        self._label_of = _SPEAKERS[options.choice("label_agent", _SPEAKERS, "bot")]
        self._selection = Selection(options.choice("selection", list(Selection), Selection.ALL))
        super().__init__(options, shared)

    def chosen(self, opt: Opt) -> tuple[Path, ...]:
        """Return the file for the fold; in a folder with the released files, return all files for the fold."""
        path, names = named_path(opt), [chunk_file(number) for number in chunks_of(fold_of(opt))]
        if not path.is_dir() or not any(path.glob("release_data_*.jsonl")):
            return super().chosen(opt)
        files = tuple(path / name for name in names if (path / name).is_file())
        if not files:
            hint = f"Put {names[0]} to {names[-1]} there, or choose another datatype."
            raise DialogueError(f"the folder {path} contains no released files for {fold_of(opt)}", hint=hint)
        return files

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for file in self.files:
            for conversation in conversations_in(file):
                for example in self.examples_of(conversation):
                    yield {key: value for key, value in example.items() if key != EPISODE_DONE}, True

    def examples_of(self, conversation: Conversation) -> Iterable[Message]:
        """Return the examples from a conversation."""
        return dialogue_examples(conversation, self._label_of, self._selection)


class _OfModule(DefaultTeacher):
    """Base class of the teachers for individual modules; they show the module's input, and the label is its output."""

    module: ClassVar[Module]
    own_options = frozenset()

    def examples_of(self, conversation: Conversation) -> Iterable[Message]:
        return (example.message() for example in module_examples(conversation, [self.module]))


def _teacher_of(module: Module, what: str) -> type[_OfModule]:
    """Create the class of a module's teacher; `what` becomes its docstring."""
    expected = f"one BB3x conversation per line, at least one of them with an output of the module {module}"
    body = {"__doc__": what, "__module__": __name__, "module": module, "expected": expected}
    return type(f"{module.title()}Teacher", (_OfModule,), body)


SdmTeacher = _teacher_of(Module.SDM, "The decision to search.")
MdmTeacher = _teacher_of(Module.MDM, "The decision to use a memory.")
SgmTeacher = _teacher_of(Module.SGM, "The search query.")
MgmTeacher = _teacher_of(Module.MGM, "The memory to extract from a turn.")
SkmTeacher = _teacher_of(Module.SKM, "The document sentences to base the reply on.")
MkmTeacher = _teacher_of(Module.MKM, "The memory to base the reply on.")
SrmTeacher = _teacher_of(Module.SRM, "The reply from documents.")
MrmTeacher = _teacher_of(Module.MRM, "The reply based on a memory.")
VrmTeacher = _teacher_of(Module.VRM, "The reply based on the conversation only.")
