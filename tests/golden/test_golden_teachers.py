"""Teachers behave as recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from golden_rows import Row, check, each_row
from teacher_adapters import acts, data_file, figures

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import (
    ChunkTeacher,
    DialogTeacher,
    FbDeprecatedDialogTeacher,
    FixedDialogTeacher,
    MultiTaskTeacher,
)


class Fixed(FixedDialogTeacher):
    """A teacher with the episodes in its options."""

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        episode: Any = self.opt["episodes"][episode_idx]  # type: ignore[index]
        return Message(episode[entry_idx], episode_done=entry_idx == len(episode) - 1)

    def num_episodes(self) -> int:
        return len(self.opt["episodes"])  # type: ignore[arg-type]

    def num_examples(self) -> int:
        return sum(len(episode) for episode in self.opt["episodes"])  # type: ignore[attr-defined]


class FromOptions(DialogTeacher):
    """A teacher with the entries in its options."""

    def setup_data(self, datafile: str) -> Iterator[tuple[Any, bool]]:
        yield from self.opt["entries"]  # type: ignore[misc]

    def label_candidates(self) -> Any:
        return self.opt.get("candidates")


class Chunks(ChunkTeacher[tuple[int, int]]):
    """Generates examples such as c<chunk>e<example>t<turn>."""

    def get_num_samples(self, opt: Any) -> tuple[int, int]:
        samples = len(opt["chunk_list"]) * opt["examples"]
        return samples, samples

    def get_fold_chunks(self, opt: Any) -> list[int]:
        return list(opt["chunk_list"])

    def load_from_chunk(self, chunk_idx: int) -> list[tuple[int, int]]:
        return [(chunk_idx, example) for example in range(self.opt.number("examples", 0))]

    def create_message(self, queue_output: tuple[int, int], entry_idx: int = 0) -> Message:
        text = "c{}e{}t{}".format(*queue_output, entry_idx)
        return Message(text=text, labels=["y"], episode_done=entry_idx == self.opt.number("turns", 1) - 1)


def dialog_teacher(given: Any) -> Any:
    entries = [
        (tuple(e) if given["entry_is_tuple"] and isinstance(e, list) else e, new) for e, new in given["setup_data"]
    ]
    options = {"task": "t", "datatype": given["datatype"], "datafile": "x"}
    teacher = FromOptions({**options, "entries": entries, "candidates": given.get("label_candidates")})
    return {"ok": acts(teacher, given["n"])}


def fixed_dialog_teacher(given: Any) -> Any:
    options = {"task": "fixed", "datatype": given["datatype"], "batchsize": given.get("batchsize", 1)}
    return {"ok": acts(Fixed({**options, "episodes": given["episodes"]}), given["n"])}


def wrong_fixed_dialog_teacher(given: Any) -> Any:
    missing = given["case"].split()[0]
    methods = {name: getattr(Fixed, name) for name in ("get", "num_episodes", "num_examples") if name != missing}
    made = type("Incomplete", (FixedDialogTeacher,), methods)
    teacher = made({"task": "fixed", "datatype": "valid", "episodes": [[{"text": "1"}]]})
    called = getattr(teacher, missing, teacher.act)
    return {"ok": called(*[0] if missing == "get" else [])}


def wrong_dialog_teacher(given: Any) -> Any:
    kind = DialogTeacher if "setup_data" in given["case"] else FromOptions
    return {"ok": acts(kind({"task": "t", "datatype": "valid", "entries": []}), 1)}


def shared_index(given: Any) -> Any:
    episodes = [[{"text": str(number), "labels": ["y"]}] for number in range(given["episodes"])]
    first = Fixed({"datatype": given["datatype"], "batchsize": given["batchsize"], "episodes": episodes})
    teachers = {name: first.clone() for name in sorted(set(given["order"]))}
    shown_acts = []
    for name in given["order"]:
        act = teachers[name].act()
        shown_acts.append([name, act.get("text"), act.is_padding(), teachers[name].epoch_done()])
    return shown_acts


def fbdialog(given: Any) -> Any:
    with data_file(given["content"]) as path:
        teacher = FbDeprecatedDialogTeacher(
            {"task": "fb", "datafile": path, "datatype": given.get("datatype", "valid")}
        )
        return {"ok": acts(teacher, given.get("n", teacher.num_examples()))}


def multitask_teacher(given: Any) -> Any:
    """Each reply is right for the first example of each task and wrong for the others."""
    options = {"task": ",".join(given["tasks"]), "datatype": given["datatype"]}
    teachers = [
        Fixed(
            {**options, "task": name, "episodes": [[{"text": f"{name}{i}", "labels": [str(i)]}] for i in range(count)]}
        )
        for name, count in given["tasks"].items()
    ]
    teacher = MultiTaskTeacher(options, teachers=teachers)
    shown_acts = []
    for _ in range(given["n"]):
        act = teacher.act()
        teacher.observe(Message(text="0"))
        shown = {"text": act.get("text"), "id": act.get("id"), "padding": act.is_padding()}
        shown_acts.append({**shown, "epoch_done": teacher.epoch_done()})
    report = {name: figure for name, figure in figures(teacher.report()).items() if name.endswith(("exs", "accuracy"))}
    counts = {"num_examples": teacher.num_examples(), "num_episodes": teacher.num_episodes()}
    return {"ok": {"acts": shown_acts, **counts, "report": report}}


def chunk_teacher(given: Any) -> Any:
    layout = {
        "chunk_list": given["chunks"],
        "examples": given["examples_per_chunk"],
        "turns": given["turns_per_example"],
    }
    teacher = Chunks({"task": "chunky", "datatype": given["datatype"], **layout})
    try:
        shown_acts = []
        for _ in range(given["n"]):
            act = teacher.act()
            shown = {"text": act.get("text"), "padding": act.is_padding(), "episode_done": act["episode_done"]}
            shown_acts.append({**shown, "keys": sorted(act), "epoch_done": teacher.epoch_done()})
        counts = {"num_examples": teacher.num_examples(), "num_episodes": teacher.num_episodes()}
        return {"ok": {"acts": shown_acts, **counts, "id": teacher.id}}
    finally:
        teacher.shutdown()


ADAPTERS = {
    "dialog_teacher": dialog_teacher,
    "dialog_teacher_error": wrong_dialog_teacher,
    "fixed_dialog_teacher": fixed_dialog_teacher,
    "fixed_dialog_teacher_error": wrong_fixed_dialog_teacher,
    "shared_index": shared_index,
    "fbdialog": fbdialog,
    "multitask_teacher": multitask_teacher,
    "chunk_teacher": chunk_teacher,
}


@each_row("teachers")
def test_a_teacher_behaves_as_recorded(row: Row) -> None:
    if row.kind not in ADAPTERS:
        pytest.skip(f"rows of the kind {row.kind} are not known")
    check(row, ADAPTERS)
