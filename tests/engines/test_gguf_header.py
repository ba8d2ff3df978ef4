"""The fields read from the header of a GGUF file, which is written here byte by byte as in its specification."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from gguf_files import array, header, number, text

from investigator.engines.gguf.header import control_tokens, trained_context
from investigator.errors import SettingsError


def written(folder: Path, content: bytes) -> Path:
    file = folder / "m.gguf"
    file.write_bytes(content)
    return file


def test_the_context_is_that_of_the_models_architecture(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        header(
            text("general.architecture", "llama"),
            text("general.name", "a name"),
            array("general.tags", "english", "small"),
            number("clip.context_length", 77),
            number("llama.context_length", 32768),
        ),
    )
    assert trained_context(file) == 32768


def test_control_tokens_are_those_of_that_kind_and_marks_of_the_user(tmp_path: Path) -> None:
    words = ("<unk>", "<|im_end|>", "the", "<|user|>", "<table>", "\n", "<\uff5cUser\uff5c>")
    kinds = struct.pack(f"<IQ{len(words)}i", 5, len(words), 2, 3, 1, 4, 4, 3, 4)
    typed = header(array("tokenizer.ggml.tokens", *words), ("tokenizer.ggml.token_type", 9, kinds))
    assert control_tokens(written(tmp_path, typed)) == {"<|im_end|>", "<|user|>", "<\uff5cUser\uff5c>"}


def test_a_file_without_a_vocabulary_has_no_control_tokens(tmp_path: Path) -> None:
    assert control_tokens(written(tmp_path, header(text("general.architecture", "llama")))) == set()


def test_a_file_that_names_no_context_is_no_language_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no language model"):
        trained_context(written(tmp_path, header(text("general.architecture", "clip"))))


GOOD = header(text("general.architecture", "llama"), number("llama.context_length", 4096))


@pytest.mark.parametrize(
    "damage",
    [
        lambda good: good[:-1],
        lambda good: good[:30],
        lambda good: good[:4] + struct.pack("<I", 1) + good[8:],
        lambda good: good[:24] + struct.pack("<Q", 2**60) + good[32:],
        lambda good: good[:24] + struct.pack("<Q", 2**62) + b"x" * 40,
        lambda good: header(("general.tags", 77, b"")) + good,
        lambda good: header(("general.tags", 9, struct.pack("<IQ", 9, 1))) + good,
        lambda good: header(("general.tags", 9, struct.pack("<IQ", 10, 2**40))) + good,
    ],
)
def test_a_damaged_header_is_told_and_nothing_is_believed_of_it(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(SettingsError, match="cannot be read") as caught:
        trained_context(written(tmp_path, damage(GOOD)))
    assert "fetch it again" in caught.value.hint


def test_a_missing_file_and_one_of_another_kind_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.gguf"):
        trained_context(tmp_path / "none.gguf")
    with pytest.raises(SettingsError, match="not a GGUF file"):
        trained_context(written(tmp_path, b"PK\x03\x04 not a model"))
