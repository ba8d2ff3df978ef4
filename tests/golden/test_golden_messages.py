"""Messages and datatypes behave as recorded."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from golden_rows import attempt, golden_test

from investigator.dialogue.datatypes import Datatype, split_by_fold
from investigator.dialogue.messages import Message


def ops(given: Any) -> Any:
    message: Any = Message(given["init"])
    results = [attempt(lambda step: {"ok": result_of(message, *step)}, step) for step in given["ops"]]
    return {"results": results, "final": dict(message)}


def result_of(message: Any, op: str, *arguments: Any) -> Any:
    operation = OPERATIONS.get(op)
    return getattr(message, op)(*arguments) if operation is None else operation(message, *arguments)


def shared_after_append(message: Message, key: str, value: object) -> dict[str, object]:
    copied: Any = message.copy()
    copied[key].append(value)
    return dict(message)


def merged(message: Message, other: dict[str, object]) -> None:
    message |= other


def typed(value: dict[str, object], name: str) -> dict[str, object]:
    return {"type": type(value).__name__, name: dict(value)}


OPERATIONS: dict[str, Any] = {
    "set": lambda message, key, value: message.__setitem__(key, value),
    "del": lambda message, key: message.__delitem__(key),
    "ior": merged,
    "or": lambda message, other: typed(message | other, "value"),
    "keys": list,
    "json_safe_payload": lambda message: typed(message.json_safe_payload(), "payload"),
    "shallow_copy_shares": shared_after_append,
    "dict_copy": lambda message: type(dict(message)).__name__,
    "copy_type": lambda message: type(message.copy()).__name__,
    "deepcopy_type": lambda message: type(copy.deepcopy(message)).__name__,
    "pickle": lambda message: type(pickle.loads(pickle.dumps(message))).__name__,
    "isinstance_dict": lambda message: isinstance(message, dict),
}

MESSAGES = {
    "ops": ops,
    "construct": lambda given: {"ok": dict(Message(*given["args"], **given["kwargs"]))},
    "padding_example": lambda _: {"ok": dict(Message.padding_example())},
}


def helper(given: Any) -> Any:
    datatype = Datatype(given["datatype"])
    return {
        "fold": datatype.fold,
        "strip_stream": datatype.without_stream,
        "should_cycle": datatype.cycles,
        "should_shuffle": datatype.shuffles,
        "is_training": datatype.training,
        "is_streaming": datatype.streams,
    }


DATATYPES = {
    "helper": helper,
    "helper_none": lambda given: helper({"datatype": None}),
    "split": lambda given: {"ok": split_by_fold(given["fold"], given["data"], *given["fracs"], seed=given["seed"])},
}

test_a_message_behaves_as_recorded = golden_test("message", MESSAGES)
test_a_datatype_behaves_as_recorded = golden_test("datatype", DATATYPES)
