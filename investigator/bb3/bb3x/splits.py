"""Assigns a conversation to a part of a data set."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from random import Random

from investigator.errors import DialogueError
from investigator.records.base import Record


class Split(StrEnum):
    """A part of a data set; its value is the name of its file."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


CHUNKS = {Split.TEST: range(0, 3), Split.VALID: range(3, 6), Split.TRAIN: range(6, 100)}
"""The released files of each part: 100 of them, numbered from 0."""


class Shares(Record):
    """The shares of data for validation and for tests; the rest is for training. The defaults are 3 % each, as in the
    release.

    Raises DialogueError if they are invalid together.
    """

    valid: float = 0.03
    test: float = 0.03

    def model_post_init(self, _context: object) -> None:
        """Check the shares."""
        if not (0 <= self.valid <= 1 and 0 <= self.test <= 1 and self.valid + self.test <= 1):
            hint = "Give each as a fraction; together they must not exceed 1."
            raise DialogueError(f"invalid shares: {self.valid} and {self.test}", hint=hint)

    def split_at(self, place: float) -> Split:
        """Return the part that a position in [0, 1) falls into: first test, then validation, then training data."""
        if place < self.test:
            return Split.TEST
        return Split.VALID if place < self.test + self.valid else Split.TRAIN


def chunks_of(datatype: str) -> range:
    """Return the released files of a datatype (`train`, `valid`, `test`, ignoring anything after a colon).

    Raises DialogueError for any other.
    """
    try:
        return CHUNKS[Split(datatype.partition(":")[0])]
    except ValueError as error:
        hint = "Datatypes begin with train, valid or test."
        raise DialogueError(f"unknown datatype {datatype!r}", hint=hint) from error


def chunk_file(number: int) -> str:
    """Return the name of a released file."""
    return f"release_data_{number:02d}.jsonl"


def random_split(random: Random, shares: Shares | None = None) -> Split:
    """Return a random part."""
    return (shares or Shares()).split_at(random.random())


def stable_split(chat_id: str, shares: Shares | None = None) -> Split:
    """Return a part by the id of the conversation: the same in every release."""
    digest = hashlib.sha256(f"\0{chat_id}".encode("utf-8", "surrogatepass")).digest()
    return (shares or Shares()).split_at(int.from_bytes(digest[:7]) / 2**56)
