"""Messages behave as recorded."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from golden_rows import Row, attempt, check, each_row

from investigator.dialogue.messages import Message


def ops(given: Any) -> Any:
    message: Any = Message(given["init"])
    results = []
    for op, *arguments in given["ops"]:
        results.append(attempt(lambda _, op=op, a=arguments: {"ok": done(message, op, a)}, None))
    return {"results": results, "final": dict(message)}


def done(message: Any, op: str, arguments: list[Any]) -> Any:
    """Return the result of an operation in the form of the rows."""
    shown = OPERATIONS.get(op)
    return shown(message, *arguments) if shown is not None else getattr(message, op)(*arguments)


def shared_after_append(message: Message, key: str, value: object) -> dict[str, object]:
    copied: Any = message.copy()
    copied[key].append(value)
    return dict(message)


def merged(message: Message, other: dict[str, object]) -> None:
    message |= other


def joined(message: Message, other: dict[str, object]) -> dict[str, object]:
    both = message | other
    return {"type": type(both).__name__, "value": dict(both)}


def payload(message: Message) -> dict[str, object]:
    safe = message.json_safe_payload()
    return {"type": type(safe).__name__, "payload": safe}


OPERATIONS: dict[str, Any] = {
    "set": lambda message, key, value: message.__setitem__(key, value),
    "del": lambda message, key: message.__delitem__(key),
    "ior": merged,
    "or": joined,
    "keys": lambda message: list(message),
    "json_safe_payload": payload,
    "shallow_copy_shares": shared_after_append,
    "dict_copy": lambda message: type(dict(message)).__name__,
    "copy_type": lambda message: type(message.copy()).__name__,
    "deepcopy_type": lambda message: type(copy.deepcopy(message)).__name__,
    "pickle": lambda message: type(pickle.loads(pickle.dumps(message))).__name__,
    "isinstance_dict": lambda message: isinstance(message, dict),
}

ADAPTERS = {
    "ops": ops,
    "construct": lambda given: {"ok": dict(Message(*given["args"], **given["kwargs"]))},
    "padding_example": lambda _: {"ok": dict(Message.padding_example())},
}


@each_row("message")
def test_a_message_behaves_as_recorded(row: Row) -> None:
    check(row, ADAPTERS)
