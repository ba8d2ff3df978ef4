"""The text format, conversations and teachers behave as recorded."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from golden_rows import golden_test

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Metric
from investigator.dialogue.teachers import (
    ChunkTeacher,
    ConversationTeacher,
    DialogTeacher,
    FbDeprecatedDialogTeacher,
    FixedDialogTeacher,
    MultiTaskTeacher,
    ParlAIDialogTeacher,
    Teacher,
)
from investigator.dialogue.text_format import msg_to_str, str_to_msg

OPTIONS = ("datatype", "hide_labels", "batchsize", "metrics", "label_turns")


def plain(value: Any) -> Any:
    """Return a value in the form of the rows: a set is sorted, under its name."""
    if isinstance(value, set | frozenset):
        return {"__set__": sorted(value)}
    return {key: plain(part) for key, part in value.items()} if isinstance(value, Mapping) else value


def acts(teacher: Teacher, count: int) -> list[Any]:
    return [{"act": plain(teacher.act()), "epoch_done": teacher.epoch_done()} for _ in range(count)]


def episodes(teacher: FixedDialogTeacher, given: Any) -> Any:
    whole = []
    for number in range(teacher.num_episodes()):
        episode = [plain(teacher.get(number, 0))]
        while not episode[-1]["episode_done"]:
            episode.append(plain(teacher.get(number, len(episode))))
        whole.append(episode)
    return {**sizes(teacher), "episodes": whole}


def sizes(teacher: Teacher) -> dict[str, Any]:
    return {"num_examples": teacher.num_examples(), "num_episodes": teacher.num_episodes()}


def figures(report: Mapping[str, Metric]) -> dict[str, float]:
    return {name: metric.value() for name, metric in report.items()}


def graded(teacher: Teacher, given: Any) -> Any:
    steps = []
    for reply in given["replies"]:
        act = teacher.act()
        metrics: Any = teacher.observe(reply).get("metrics", {})
        steps.append({"act_text": act.get("text"), "observed_metrics": figures(metrics)})
    return {"steps": steps, "report": figures(teacher.report())}


def over_file(kind: type[DialogTeacher], task: str, use: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """Return an adapter that uses a teacher of a file with the content of the row."""

    def adapter(given: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data"
            if "content" in given:
                path.write_bytes(given["content"].encode())
            options = {key: given[key] for key in OPTIONS if key in given}
            return {"ok": use(kind({"task": task, "datafile": str(path), "datatype": "valid", **options}), given)}

    return adapter


def read(line: str, ignored: str = "") -> Any:
    message = str_to_msg(line, ignored)
    return None if message is None else dict(message)


def roundtrip(given: Any) -> Any:
    line = msg_to_str(given["message"])
    return {"ok": {"line": line, "back": read(line)}}


def some_acts(teacher: Teacher, given: Any) -> Any:
    return acts(teacher, given["n"])


FORMAT = {
    "str_to_msg": lambda given: {"ok": read(given["line"], given.get("ignore_fields", ""))},
    "msg_to_str": lambda given: {"ok": msg_to_str(given["message"], given.get("ignore_fields", ""))},
    "roundtrip": roundtrip,
    "file": over_file(ParlAIDialogTeacher, "fromfile", episodes),
    "acts": over_file(ParlAIDialogTeacher, "fromfile", some_acts),
    "graded": over_file(ParlAIDialogTeacher, "fromfile", graded),
}
CONVERSATIONS = {
    "conversation": over_file(ConversationTeacher, "jsonfile", episodes),
    "acts": over_file(ConversationTeacher, "jsonfile", some_acts),
    "missing_file": over_file(ConversationTeacher, "jsonfile", episodes),
}


class Fixed(FixedDialogTeacher):
    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        episode: Any = self.opt["episodes"][episode_idx]  # type: ignore[index]
        return Message(episode[entry_idx], episode_done=entry_idx == len(episode) - 1)

    def num_episodes(self) -> int:
        return len(self.opt["episodes"])  # type: ignore[arg-type]

    def num_examples(self) -> int:
        return sum(len(episode) for episode in self.opt["episodes"])  # type: ignore[attr-defined]


class FromOptions(DialogTeacher):
    def setup_data(self, datafile: str) -> Iterator[tuple[Any, bool]]:
        yield from self.opt["entries"]  # type: ignore[misc]

    def label_candidates(self) -> Any:
        return self.opt.get("candidates")


class Chunks(ChunkTeacher[tuple[int, int]]):
    """Generates examples such as c<chunk>e<example>t<turn>."""

    def get_num_samples(self, opt: Any) -> tuple[int, int]:
        samples = len(opt["chunks"]) * opt["examples_per_chunk"]
        return samples, samples

    def get_fold_chunks(self, opt: Any) -> list[int]:
        return list(opt["chunks"])

    def load_from_chunk(self, chunk_idx: int) -> list[tuple[int, int]]:
        return [(chunk_idx, example) for example in range(self.opt.number("examples_per_chunk", 0))]

    def create_message(self, queue_output: tuple[int, int], entry_idx: int = 0) -> Message:
        text = "c{}e{}t{}".format(*queue_output, entry_idx)
        last = self.opt.number("turns_per_example", 1) - 1
        return Message(text=text, labels=["y"], episode_done=entry_idx == last)


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
    questions = [[{"text": str(number), "labels": ["y"]}] for number in range(given["episodes"])]
    first = Fixed({"datatype": given["datatype"], "batchsize": given["batchsize"], "episodes": questions})
    teachers = {name: first.clone() for name in sorted(set(given["order"]))}
    taken = ((name, teachers[name], teachers[name].act()) for name in given["order"])
    return [[name, act.get("text"), act.is_padding(), teacher.epoch_done()] for name, teacher, act in taken]


def multitask_teacher(given: Any) -> Any:
    """Each reply is right for the first example of each task and wrong for the others."""
    options = {"task": ",".join(given["tasks"]), "datatype": given["datatype"]}
    questions = {
        name: [[{"text": f"{name}{i}", "labels": [str(i)]}] for i in range(count)]
        for name, count in given["tasks"].items()
    }
    parts = [Fixed({**options, "task": name, "episodes": whole}) for name, whole in questions.items()]
    teacher = MultiTaskTeacher(options, teachers=parts)
    taken = []
    for _ in range(given["n"]):
        act = teacher.act()
        teacher.observe(Message(text="0"))
        shown = {"text": act.get("text"), "id": act.get("id"), "padding": act.is_padding()}
        taken.append({**shown, "epoch_done": teacher.epoch_done()})
    report = {name: figure for name, figure in figures(teacher.report()).items() if name.endswith(("exs", "accuracy"))}
    return {"ok": {"acts": taken, **sizes(teacher), "report": report}}


def chunk_teacher(given: Any) -> Any:
    teacher = Chunks({"task": "chunky", **given})
    try:
        taken = []
        for _ in range(given["n"]):
            act = teacher.act()
            shown = {"text": act.get("text"), "padding": act.is_padding(), "episode_done": act["episode_done"]}
            taken.append({**shown, "keys": sorted(act), "epoch_done": teacher.epoch_done()})
        return {"ok": {"acts": taken, **sizes(teacher), "id": teacher.id}}
    finally:
        teacher.shutdown()


TEACHERS = {
    "dialog_teacher": dialog_teacher,
    "dialog_teacher_error": wrong_dialog_teacher,
    "fixed_dialog_teacher": fixed_dialog_teacher,
    "fixed_dialog_teacher_error": wrong_fixed_dialog_teacher,
    "shared_index": shared_index,
    "fbdialog": over_file(
        FbDeprecatedDialogTeacher, "fb", lambda teacher, given: acts(teacher, given.get("n", teacher.num_examples()))
    ),
    "multitask_teacher": multitask_teacher,
    "chunk_teacher": chunk_teacher,
}

test_the_text_format_behaves_as_recorded = golden_test("dialog_format", FORMAT)
test_conversations_behave_as_recorded = golden_test("conversation_teacher", CONVERSATIONS)
test_a_teacher_behaves_as_recorded = golden_test("teachers", TEACHERS)
