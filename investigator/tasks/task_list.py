"""Lists the built-in tasks, each with a file in this folder and a line here, and those of other packages."""

from __future__ import annotations

from typing import Final

from investigator.dialogue.task_strings import TaskEntry
from investigator.errors import DialogueError
from investigator.plugins import EntryPoint, load, plug_ins

PLUG_INS: Final = "investigator.tasks"
"""The entry point group for tasks from other packages (`chess = somebody.chess`, a module with teachers)."""

TASK_LIST: Final = (
    TaskEntry("Folder", "folder", ("QA", "Documents"), "questions about a folder of documents (questions.jsonl)"),
    TaskEntry("SQuAD", "squad", ("QA", "Reading"), "SQuAD 1.1 and 2.0 JSON; also squad:open, squad:index"),
    TaskEntry("HotpotQA", "hotpotqa", ("QA", "MultiHop"), "HotpotQA JSON; also hotpotqa:open, hotpotqa:gold"),
    TaskEntry("2WikiMultiHop", "twowiki", ("QA", "MultiHop"), "2WikiMultiHopQA JSON; also twowiki:open, twowiki:gold"),
    TaskEntry("BEIR", "beir", ("Ranking",), "queries, corpus and qrels in BEIR format; also beir:candidates"),
    TaskEntry("QuAC", "quac", ("ConversationalQA", "Reading"), "QuAC JSON: a student asks about a section"),
    TaskEntry("CoQA", "coqa", ("ConversationalQA", "Reading"), "CoQA JSON: questions that build on each other"),
    TaskEntry(
        "Doc2Dial",
        "doc2dial",
        ("ConversationalQA", "Documents"),
        "conversations about documents: Doc2Dial JSON, or JSONL with turns; also doc2dial:last, doc2dial:search",
    ),
    TaskEntry("bAbI", "babi", ("QA", "Stories"), "bAbI text; with datapath=FOLDER babi:task1k:1 to babi:task10k:20"),
    TaskEntry("BB3x", "bb3x", ("Dialogue",), "BB3x conversations; bb3x:sdm etc. for one module"),
    TaskEntry("ParlAI-text", "text", ("Format",), "the text format of ParlAI: text, labels, one example per line"),
    TaskEntry("Conversations", "conversations", ("Format",), "JSONL with one conversation per line, under dialog"),
)

_NAMES = frozenset(entry.task for entry in TASK_LIST)


def listed_tasks() -> tuple[TaskEntry, ...]:
    """Return all tasks: built-in tasks, and those of other packages, whose modules are imported. A module may describe
    its task in `TASK`; otherwise its name and docstring do. Raises SettingsError if a module cannot be imported, and
    DialogueError if its `TASK` is not a TaskEntry.
    """
    return (*TASK_LIST, *(_entry(point) for name, point in plug_ins(PLUG_INS).items() if name not in _NAMES))


def plugged_in(name: str) -> EntryPoint | None:
    """Return the entry point of another package's task; None if there is none, or a built-in one."""
    return None if name in _NAMES else plug_ins(PLUG_INS).get(name)


def _entry(point: EntryPoint) -> TaskEntry:
    module = load(point)
    about = (module.__doc__ or "").strip().partition("\n")[0]
    entry = getattr(module, "TASK", TaskEntry(point.name, point.name, (), about))
    if not isinstance(entry, TaskEntry):
        hint = 'Write: TASK = TaskEntry(id="Chess", task="chess", tags=("Games",), description="...")'
        raise DialogueError(f"TASK of the plug-in {point.value} is not a TaskEntry but {entry!r:.80}", hint=hint)
    return entry
