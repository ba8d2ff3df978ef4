"""Reads the header of a GGUF file without loading the model.

The format is documented at https://github.com/ggml-org/ggml/blob/master/docs/gguf.md: magic, version, two counts, and
then keys with typed values, all little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, cast

from investigator.errors import SettingsError

Value: TypeAlias = int | float | bool | str | tuple[int | float | bool, ...] | tuple[str, ...]
"""A value in the header; arrays of arrays, which no known model contains, are rejected as damage."""

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
    architecture: Value = ""
    for key, value in _values(path):
        if key == "general.architecture":
            architecture = value
        elif key == f"{architecture}.context_length" and isinstance(value, int):
            return value
    raise SettingsError(f"{path} contains no language model: it declares no context length", hint=_HINT)


def control_tokens(path: Path) -> frozenset[str]:
    """Return the model's control tokens, which mark roles and the ends of turns.

    The header lists them as control tokens; some files list marks like `<|user|>` as user-defined tokens instead.
    """
    tokens: tuple[object, ...] = ()
    kinds: tuple[object, ...] = ()
    for key, value in _values(path):
        if key == "tokenizer.ggml.tokens" and isinstance(value, tuple):
            tokens = value
        elif key == "tokenizer.ggml.token_type" and isinstance(value, tuple):
            kinds = value
    named = zip(tokens, kinds, strict=False)
    return frozenset(text for text, kind in named if isinstance(text, str) and _is_control(text, kind))


def _is_control(text: str, kind: object) -> bool:
    return len(text) > 1 and (kind == _CONTROL or (kind == _USER_DEFINED and _MARK.fullmatch(text) is not None))


def _values(path: Path) -> Iterator[tuple[str, Value]]:
    """Yield the keys of the header and their values, in order. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise SettingsError(f"{path} is not a GGUF file", hint=_HINT)
            read = partial(_read, file, path.stat().st_size)
            version, _, count = read("IQQ")
            if version not in _VERSIONS:
                raise ValueError(f"version {version} is not supported")
            for _ in range(count):
                yield _string(read), _value(read, *read("I"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}", hint=_HINT) from error
    except (struct.error, ValueError, OverflowError, MemoryError) as error:
        hint = "The file is damaged or incomplete: fetch it again."
        raise SettingsError(f"the header of {path} cannot be read: {error}", hint=hint) from error


def _read(file: BinaryIO, most: int, form: str) -> tuple[Any, ...]:
    """Return the next numbers; a length beyond `most`, the size of the file, is damage."""
    size = struct.calcsize(f"<{form}")
    return struct.unpack(f"<{form}", file.read(size) if size <= most else b"")


def _string(read: Read) -> str:
    [length] = read("Q")
    [text] = read(f"{length}s")
    return str(text, "utf-8", "replace")


def _value(read: Read, kind: int) -> Value:
    if kind == _STRING:
        return _string(read)
    if kind != _ARRAY:
        [number] = _plain(read, kind)
        return cast(Value, number)
    item, count = read("IQ")
    return tuple(_string(read) for _ in range(count)) if item == _STRING else _plain(read, item, count)


def _plain(read: Read, kind: int, count: int = 1) -> tuple[Any, ...]:
    if kind not in _NUMBERS:
        raise ValueError(f"it contains a value of an unknown type ({kind})")
    return read(f"{count}{_NUMBERS[kind]}")
