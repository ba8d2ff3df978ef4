"""Reads the header of a GGUF file without loading the model: magic, version, two counts, and then keys with typed
values, all little-endian (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from investigator.errors import SettingsError

Read: TypeAlias = Callable[[str], tuple[Any, ...]]
"""Reads the next values in a form of `struct`."""

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_STRING: Final = 8
_ARRAY: Final = 9
_NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_CONTROL: Final = 3
_USER_DEFINED: Final = 4
_MARK: Final = re.compile(r"</?[|\uff5c].+[|\uff5c]>", re.DOTALL)
_HINT: Final = "Choose a model file, for example gguf:models/llama-3.2-1b.gguf"


def trained_context(path: Path) -> int:
    """Return the context size, in tokens, that a model was trained with. Raises SettingsError if none is declared."""
    architecture = ""
    for key, value in _values(path):
        if key == "general.architecture":
            architecture = value
        elif key == f"{architecture}.context_length" and isinstance(value, int):
            return value
    raise SettingsError(f"{path} contains no language model: it declares no context length", hint=_HINT)


def control_tokens(path: Path) -> frozenset[str]:
    """Return the model's control tokens, which mark roles and the ends of turns. Some files list marks like `<|user|>`
    as user-defined tokens instead.
    """
    lists = {key: value for key, value in _values(path) if isinstance(value, tuple)}
    named = zip(lists.get("tokenizer.ggml.tokens", ()), lists.get("tokenizer.ggml.token_type", ()), strict=False)
    return frozenset(text for text, kind in named if isinstance(text, str) and _is_control(text, kind))


def _is_control(text: str, kind: object) -> bool:
    return len(text) > 1 and (kind == _CONTROL or (kind == _USER_DEFINED and _MARK.fullmatch(text) is not None))


def _values(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the keys of the header and their values (numbers, texts, or tuples of either). Raises SettingsError."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise SettingsError(f"{path} is not a GGUF file", hint=_HINT)
            read = partial(_read, file, path.stat().st_size)
            version, _, count = read("IQQ")
            if version not in _VERSIONS:
                raise ValueError(f"version {version} is not supported")
            for _ in range(count):
                yield _value(read, _STRING), _value(read, *read("I"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}", hint=_HINT) from error
    except (struct.error, ValueError, OverflowError, MemoryError) as error:
        hint = "The file is damaged or incomplete: fetch it again."
        raise SettingsError(f"the header of {path} cannot be read: {error}", hint=hint) from error


def _read(file: BinaryIO, most: int, form: str) -> tuple[Any, ...]:
    """Return the next numbers; a length beyond `most`, the size of the file, is damage."""
    size = struct.calcsize(f"<{form}")
    return struct.unpack(f"<{form}", file.read(size) if size <= most else b"")


def _value(read: Read, kind: int) -> Any:
    """Return the next value; arrays of arrays, which no known model contains, are rejected as damage."""
    if kind == _STRING:
        return str(read(f"{read('Q')[0]}s")[0], "utf-8", "replace")
    item, count = read("IQ") if kind == _ARRAY else (kind, 1)
    if kind == _ARRAY and item == _STRING:
        return tuple(_value(read, item) for _ in range(count))
    if item not in _NUMBERS:
        raise ValueError(f"it contains a value of an unknown type ({item})")
    numbers = read(f"{count}{_NUMBERS[item]}")
    return numbers if kind == _ARRAY else numbers[0]
