"""The header of a GGUF file, written here byte by byte, and the reply of a model while it is written."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from gguf_files import array, header, number, text

from investigator.engines.gguf.header import control_tokens, trained_context
from investigator.engines.gguf.model import ReplyStream
from investigator.errors import EngineTimeoutError, SettingsError
from investigator.records import FinishReason, Writing
from investigator.reports.steps import writing_line


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


class Clock:
    """A clock that the test advances."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def reading(processed: int, total: int = 1_000) -> dict[str, Any]:
    choices = [{"finish_reason": None, "index": 0, "delta": {"role": "assistant", "content": None}}]
    return {"choices": choices, "prompt_progress": {"processed": processed, "total": total}, "timings": {}}


def word(text: str, number: int) -> dict[str, Any]:
    choices = [{"finish_reason": None, "index": 0, "delta": {"content": text}}]
    return {"choices": choices, "timings": {"predicted_n": number}}


def fed(stream: ReplyStream, clock: Clock, pieces: list[dict[str, Any]], each: float) -> int:
    """Return the number of pieces that were accepted, if they arrive at the given interval in seconds."""
    for place, piece in enumerate(pieces, start=1):
        clock.now += each
        wants_more = False
        with suppress(Exception):  # as llama.cpp takes it
            stream.take(piece)
            wants_more = True
        if not wants_more:
            return place
    return len(pieces)


def test_a_reply_that_takes_too_long_is_cut_where_it_is() -> None:
    clock = Clock()
    stream = ReplyStream("m", 50, clock, seconds=10)
    pieces = [reading(512), reading(1_000), *(word(f"w{n} ", n) for n in range(1, 40))]
    assert fed(stream, clock, pieces, each=1.0) == 10
    reply = stream.reply(2_000)
    assert (reply.text.split()[-1], reply.finish_reason) == ("w8", FinishReason.LENGTH)
    assert (reply.input_tokens, reply.output_tokens) == (1_000, 8)


def test_a_prompt_that_takes_too_long_to_read_is_a_timeout() -> None:
    clock = Clock()
    stream = ReplyStream("m", 50, clock, seconds=10)
    assert fed(stream, clock, [reading(512), reading(1_000)], each=6.0) == 2
    with pytest.raises(EngineTimeoutError, match="it had read 1,000 of 1,000 tokens"):
        stream.reply(2_000)


def test_it_tells_how_far_it_is_and_how_long_it_will_take() -> None:
    clock, progress = Clock(), list[Writing]()
    stream = ReplyStream("m", 50, clock, on_writing=progress.append)
    fed(stream, clock, [reading(500), reading(1_000), *(word("w", n) for n in range(1, 11))], each=5.0)
    assert writing_line(progress[0]) == "the model reads: 500/1,000 tokens, 100/s, about 5.0 s left"
    assert writing_line(progress[-1]) == "the model writes: 10 tokens, 0.2/s, at most 3 min 00 s left"


def test_what_a_hearer_raises_ends_the_reply_and_comes_out() -> None:
    class Enough(Exception):
        pass

    def hear(text: str) -> None:
        if text.count("w") == 3:
            raise Enough

    clock = Clock()
    stream = ReplyStream("m", 50, clock, hear)
    assert fed(stream, clock, [word("w", n) for n in range(1, 9)], each=0.1) == 3
    with pytest.raises(Enough):
        stream.reply(2_000)
