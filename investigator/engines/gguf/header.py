"""Reads the header of a GGUF file without loading the model.

The format is documented at https://github.com/ggml-org/ggml/blob/master/docs/gguf.md: magic, version, two counts, and
then keys with typed values, all little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from investigator.errors import SettingsError

Value: TypeAlias = int | float | bool | str | tuple[int | float | bool, ...] | tuple[str, ...]
"""A value in the header; arrays of arrays, which no known model contains, are rejected as damage."""

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
            size = path.stat().st_size
            if file.read(len(_MAGIC)) != _MAGIC:
                raise SettingsError(f"{path} is not a GGUF file", hint=_HINT)
            yield from _Header(file, size).values()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}", hint=_HINT) from error
    except (struct.error, ValueError) as error:
        hint = "The file is damaged or incomplete: fetch it again."
        raise SettingsError(f"the header of {path} cannot be read: {error}", hint=hint) from error


class _Header:
    """Reads the rest of the header, after the magic number; lengths beyond the end of the file are rejected."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def values(self) -> Iterator[tuple[str, Value]]:
        version = self._number("I")
        if version not in _VERSIONS:
            raise ValueError(f"version {version} is not supported")
        self._number("Q")  # skip the number of tensors
        for _ in range(self._length()):
            key = self._string()
            yield key, self._value(self._kind())

    def _value(self, kind: int) -> Value:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(_NUMBERS[kind])
        item, count = self._kind(), self._length()
        if item == _STRING:
            return tuple(self._string() for _ in range(count))
        if item == _ARRAY:
            raise ValueError("it contains an array of arrays")
        form = f"<{count}{_NUMBERS[item]}"
        return struct.unpack(form, self._bytes(struct.calcsize(form)))

    def _kind(self) -> int:
        kind = int(self._number("I"))
        if kind not in _NUMBERS and kind not in (_STRING, _ARRAY):
            raise ValueError(f"it contains a value of an unknown type ({kind})")
        return kind

    def _string(self) -> str:
        return self._bytes(self._length()).decode("utf-8", "replace")

    def _length(self) -> int:
        length = int(self._number("Q"))
        if length > self._size:
            raise ValueError("it ends too early")
        return length

    def _number(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(f"<{form}", self._bytes(struct.calcsize(f"<{form}")))[0]
        return value

    def _bytes(self, count: int) -> bytes:
        read = self._file.read(count) if count <= self._size else b""
        if len(read) != count:
            raise ValueError("it ends too early")
        return read
