"""The text format, conversations and their teachers behave as recorded."""

from __future__ import annotations

from typing import Any

from golden_rows import Row, check, each_row
from teacher_adapters import acts, data_file, episodes, graded

from investigator.dialogue.teachers import ConversationTeacher, ParlAIDialogTeacher
from investigator.dialogue.text_format import msg_to_str, str_to_msg


def text_options(given: Any, datafile: str) -> dict[str, object]:
    options = {"task": "fromfile", "datafile": datafile, "datatype": given.get("datatype", "valid")}
    return options | {key: given[key] for key in ("hide_labels", "batchsize", "metrics") if key in given}


def text_teacher(given: Any, use: Any) -> Any:
    with data_file(given["content"]) as path:
        return {"ok": use(ParlAIDialogTeacher(text_options(given, path)))}


def conversations(given: Any, use: Any) -> Any:
    with data_file(given["content"]) as path:
        options = {"task": "jsonfile", "datafile": path, "datatype": given.get("datatype", "valid")}
        chosen = {"label_turns": given["label_turns"]} if "label_turns" in given else {}
        return {"ok": use(ConversationTeacher(options | chosen))}


def read(given: Any) -> Any:
    message = str_to_msg(given["line"], given.get("ignore_fields", ""))
    return {"ok": None if message is None else dict(message)}


def written(given: Any) -> Any:
    return {"ok": msg_to_str(given["message"], given.get("ignore_fields", ""))}


def roundtrip(given: Any) -> Any:
    line = msg_to_str(given["message"])
    back = str_to_msg(line)
    return {"ok": {"line": line, "back": None if back is None else dict(back)}}


def missing(given: Any) -> Any:
    with data_file("") as path:
        ConversationTeacher({"task": "jsonfile", "datafile": f"{path}/none", "datatype": "valid"})
    return {"ok": None}


FORMAT = {
    "str_to_msg": read,
    "msg_to_str": written,
    "roundtrip": roundtrip,
    "file": lambda given: text_teacher(given, episodes),
    "acts": lambda given: text_teacher(given, lambda teacher: acts(teacher, given["n"])),
    "graded": lambda given: text_teacher(given, lambda teacher: graded(teacher, given["replies"])),
}
CONVERSATIONS = {
    "conversation": lambda given: conversations(given, episodes),
    "acts": lambda given: conversations(given, lambda teacher: acts(teacher, given["n"])),
    "missing_file": missing,
}


@each_row("dialog_format")
def test_the_text_format_behaves_as_recorded(row: Row) -> None:
    check(row, FORMAT)


@each_row("conversation_teacher")
def test_conversations_behave_as_recorded(row: Row) -> None:
    check(row, CONVERSATIONS)
