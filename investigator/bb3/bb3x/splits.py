"""Assigns conversations to splits, which are the parts of a data set."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from investigator.errors import DialogueError


class Split(StrEnum):
    """A part of a data set; its value is the name of its file."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


CHUNKS = {Split.TEST: range(0, 3), Split.VALID: range(3, 6), Split.TRAIN: range(6, 100)}
"""The numbers of the released files in each part; there are 100 files, numbered from 0."""


def chunks_of(datatype: str) -> range:
    """Return the numbers of the released files for a datatype such as `train:stream`. Raises DialogueError."""
    try:
        return CHUNKS[Split(datatype.partition(":")[0])]
    except ValueError as error:
        hint = "Datatypes begin with train, valid or test."
        raise DialogueError(f"unknown datatype {datatype!r}", hint=hint) from error


def chunk_file(number: int) -> str:
    """Return the name of the released file with the given number."""
    return f"release_data_{number:02d}.jsonl"


def stable_split(chat_id: str) -> Split:
    """Return the split for a conversation id, the same in every release: 3 % test, 3 % validation, as released."""
    digest = hashlib.sha256(f"\0{chat_id}".encode("utf-8", "surrogatepass")).digest()
    share = int.from_bytes(digest[:7]) / 2**56
    return next(split for split, chunks in CHUNKS.items() if share * 100 < chunks.stop)
