"""Tests of datatypes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.dialogue.datatypes import Datatype, split_by_fold
from investigator.errors import DialogueError


@pytest.mark.parametrize(
    ("name", "training", "cycles", "shuffles", "streams"),
    [
        ("train", True, True, True, False),
        ("train:stream", True, True, False, True),
        ("train:ordered", True, False, False, False),
        ("train:ordered:stream", True, False, False, True),
        ("train:evalmode", False, False, False, False),
        ("valid", False, False, False, False),
        ("test:stream", False, False, False, True),
    ],
)
def test_the_flags_say_how_data_is_used(name: str, training: bool, cycles: bool, shuffles: bool, streams: bool) -> None:
    datatype = Datatype(name)

    assert (datatype.training, datatype.cycles, datatype.shuffles, datatype.streams) == (
        training,
        cycles,
        shuffles,
        streams,
    )


def test_a_misspelt_datatype_is_named_with_what_there_is() -> None:
    with pytest.raises(DialogueError, match="'trian'") as caught:
        Datatype("trian:stream")

    assert caught.value.hint == "Choose one of train, valid, test."


@pytest.mark.parametrize("name", ["", "train:", "train:streams", "stream", None])
def test_what_is_no_datatype_is_an_error(name: str) -> None:
    with pytest.raises(DialogueError):
        Datatype(name)


@given(st.lists(st.integers()), st.sampled_from([(0.8, 0.1, 0.1), (0.5, 0.25, 0.25), (0.7, 0.2, 0.1), (1.0, 0.0, 0.0)]))
def test_the_folds_share_no_item_and_hold_them_all(data: list[int], fractions: tuple[float, float, float]) -> None:
    numbered = list(enumerate(data))

    folds = [split_by_fold(fold, numbered, *fractions) for fold in ("train", "valid", "test")]

    assert sorted(item for fold in folds for item in fold) == numbered


def test_the_same_seed_gives_the_same_split_and_leaves_the_data_alone() -> None:
    data = list(range(20))

    first, second = (split_by_fold("train:stream", data, 0.5, 0.3, 0.2, seed=7) for _ in range(2))

    assert first == second
    assert first != split_by_fold("train", data, 0.5, 0.3, 0.2, seed=8)
    assert data == list(range(20))


def test_fractions_that_are_no_parts_of_one_are_an_error() -> None:
    with pytest.raises(DialogueError, match="add up to 1"):
        split_by_fold("train", [1, 2], 0.5, 0.5, 0.5)
    with pytest.raises(DialogueError, match="add up to 1"):
        split_by_fold("train", [1, 2], 1.5, -0.25, -0.25)
